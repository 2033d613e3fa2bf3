"""What a line of a CSV file means.  Every reader of such files keeps to this page.

A file is a sequence of lines of bytes.  LF ends a line, and so does the end of the file, unless nothing
follows the last LF.  The first line that is not empty is the header, and each later line is one record,
whatever it holds: `cells` of its `content`.  A cell that is not there is empty, so an empty line is a
record without values.

So a record is a function of its own line, and these functions cannot raise.
"""

from __future__ import annotations

import sys

QUOTE = '"'


def content(line: bytes, encoding: str = "utf-8") -> str:
    r"""The text of a line without LF or CRLF at its end; bytes of no character are replaced.

    >>> content(b"a,b\r\n"), content(b"a\r"), content(b"\xff\n")
    ('a,b', 'a\r', '\ufffd')
    """
    end = b"\r\n" if line.endswith(b"\r\n") else b"\n"
    return line.removesuffix(end).decode(encoding, "replace")


def cells(text: str, separator: str, most: int = sys.maxsize) -> list[str]:
    """The cells of a line, from left to right, and at most the first ``most`` of them.

    A cell ends at the next separator.  A cell that begins with a quote is quoted up to the next quote
    that is not doubled.  In quotes separators are text, and a doubled quote is one quote.  The rest of
    the same cell is text, unchanged.  If a quote is never closed, the end of the line closes it.
    Everywhere else a quote is text.

    >>> cells('a,"b, c",5" pipe', ","), cells('"a,b', ",")
    (['a', 'b, c', '5" pipe'], ['a,b'])
    >>> cells("a,b,c", ",", 2)
    ['a', 'b']
    """
    if QUOTE not in text:
        return text.split(separator, most)[:most]
    found, start = list[str](), 0
    while start <= len(text) and len(found) < most:
        quoted = ""
        if text.startswith(QUOTE, start):
            end = text.find(QUOTE, start + 1)
            # Two quotes in a row are one quote of the text, and do not close it.
            while end >= 0 and text.startswith(QUOTE, end + 1):
                end = text.find(QUOTE, end + 2)
            # A quote that is never closed quotes the rest of the line, and no other line: a record
            # is one line (docs/proofs/lines.md, Theorem 1).
            end = len(text) if end < 0 else end
            quoted, start = text[start + 1 : end].replace(2 * QUOTE, QUOTE), end + 1
        end = text.find(separator, start)
        end = len(text) if end < 0 else end
        # Text after the closing quote belongs to the same cell.
        found.append(quoted + text[start:end])
        start = end + 1
    return found
