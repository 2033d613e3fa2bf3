"""What a line of a CSV file means.  Every reader of such files keeps to this page.

A file is a sequence of lines of bytes.  LF ends a line, and so does the end of the file, unless nothing
follows the last LF.  The first line that is not empty is the header, and each later line is one record,
whatever it holds: `cells` of its `content`.  A cell that is not there is empty, so an empty line is a
record without values.

So a record is a function of its own line, and these functions cannot raise.
Whole blocks of lines are read at once, exactly as one by one (docs/proofs/lines.md, Theorem 2).
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from littlestone.data.coding import (
    CodedColumn,
    LazyValues,
    bytes_of,
    code_column,
    from_arrow,
    to_arrow,
)

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


_SIZE = 2**20  # bytes of a block: few enough that the arrays about them stay in the caches
# The most lines that are handed over together, or more if they have many values, and bytes of text.
_LINES, _TEXT = 2**17, 2**25
_FEW = 2**17  # fewer bytes than this are read faster line by line
# The first records of a file are read line by line, whatever they hold: Arrow takes long to load.
_RECORDS = 1_000
_MOST = 2**31 - 1  # bytes that Arrow can number with 32 bits

_LF, _CR, _QUOTE = b'\n\r"'


def blocks(stream: Any, *, waits: bool = True, ended: bool = False) -> Iterator[bytes]:
    r"""The rest of a stream of bytes, in blocks of whole lines; each ends with LF.

    Unless it ``waits`` for more, a block is what can be read at once.  If all lines are ``ended``, what
    follows the last LF is not a line.

    >>> import io
    >>> list(blocks(io.BytesIO(b"a\r\nb\r")))
    [b'a\r\n', b'b\r\r\n']
    """
    begun = list[bytes]()  # the line that the last bytes began
    read = stream.read if waits else stream.read1
    while data := read(_SIZE):
        end = data.rfind(b"\n") + 1
        if end:
            yield b"".join([*begun, data[:end]])
            begun = []
        begun.append(data[end:])
    if (last := b"".join(begun)) and not ended:
        yield last + b"\r\n"  # a CR that ends the file is text, and stays text before CRLF


def code_block(
    block: bytes, separator: str, places: Sequence[int], encoding: str = "utf-8"
) -> list[CodedColumn]:
    r"""The cells of all lines of a block at some places; a missing cell is empty.

    >>> [column.to_list() for column in code_block(b'1,a\n2\n"3,4",c\n', ",", [0, 1])]
    [['1', '2', '3,4'], ['a', '', 'c']]
    """
    # Only time depends on which reader it is: both find the same cells (docs/proofs/lines.md,
    # Theorem 2).
    if _FEW <= len(block) <= _MOST:
        from pyarrow import ArrowException

        try:
            return _by_columns(block, separator, places, encoding)
        except ArrowException:  # none is known, and none may depend on a record
            pass
    return list(map(code_column, _one_by_one(_lines(block), separator, places, encoding)))


def _lines(block: bytes) -> list[bytes]:
    return [line + b"\n" for line in block.split(b"\n")[:-1]]


def code_blocks(
    stream: Iterable[bytes], separator: str, places: Sequence[int], encoding: str = "utf-8"
) -> Iterator[list[CodedColumn]]:
    """The cells of all lines of some blocks; many blocks together, so that few values come twice."""
    held: list[list[CodedColumn]] = []
    size = lines = values = records = 0
    for block in stream:
        records += block.count(b"\n")
        if records <= _RECORDS:
            yield list(map(code_column, _one_by_one(_lines(block), separator, places, encoding)))
            continue
        # The number of records decides, which is public: loading can be seen, and bytes are private.
        import pyarrow.compute  # noqa: F401

        found = code_block(block, separator, places, encoding)
        joins = all(isinstance(column.values, LazyValues) for column in found)
        if held and not (joins and size < _TEXT and lines < _LINES + 2 * values):
            yield _together(held)
            held, size, lines, values = [], 0, 0, 0
        if not joins:
            yield found
            continue
        held.append(found)
        size += len(block)
        lines += len(found[0].codes)
        values += sum(len(column.values) for column in found)
    if held:
        yield _together(held)


def _together(batches: Sequence[Sequence[CodedColumn]]) -> list[CodedColumn]:
    from pyarrow import concat_arrays

    joined = []
    for columns in zip(*batches, strict=True):
        values: Any = [column.values for column in columns]
        raw = concat_arrays([one.raw for one in values])
        rest = list(chain.from_iterable(one.rest for one in values))
        codes, before, after = [], 0, len(raw)
        for one, column in zip(values, columns, strict=True):
            size = len(one.raw)
            codes.append(column.codes + np.where(column.codes < size, before, after - size))
            before, after = before + size, after + len(one.rest)
        all_values = LazyValues(raw, values[0].decode, values[0].how, rest, values[0].trim)
        joined.append(CodedColumn(all_values, np.concatenate(codes)))
    return joined


def block_rows(
    block: bytes, separator: str, places: Sequence[int], encoding: str = "utf-8"
) -> Iterator[tuple[str, ...]]:
    r"""The cells of each line of a block at some places, as `cells` reads them.

    >>> list(block_rows(b'1,a,b\n2\n"3,4",c\n', ",", [1, 0]))
    [('a', '1'), ('', '2'), ('c', '3,4')]
    """
    # Without quotes every separator is a cut, and without CR every line ends in LF alone.
    if b'"' in block or b"\r" in block:
        return zip(*_one_by_one(_lines(block), separator, places, encoding), strict=True)
    # LF is never a part of another character, so the whole block can be decoded at once.
    most = max(places) + 1
    text = block.decode(encoding, "replace")
    rows = [line.split(separator, most) for line in text.split("\n")]
    # The block ends in LF, so nothing comes after the last one.
    del rows[-1]
    if min(map(len, rows)) < most:
        rows = [row + [""] * (most - len(row)) for row in rows]
    return zip(*(map(itemgetter(j), rows) for j in places), strict=True)


def _one_by_one(
    lines: Sequence[bytes], separator: str, places: Sequence[int], encoding: str
) -> list[list[str]]:
    """The cells at each place, by the definition."""
    most = max(places) + 1
    rows = [cells(content(line, encoding), separator, most) for line in lines]
    return [[row[j] if j < len(row) else "" for row in rows] for j in places]


class _Cuts(NamedTuple):
    """Where the cells of a block end, and which lines must be read one by one instead."""

    ends: NDArray[np.int64]
    odd: NDArray[np.int64]


def _by_columns(
    block: bytes, separator: str, places: Sequence[int], encoding: str
) -> list[CodedColumn]:
    import pyarrow

    data = np.frombuffer(block, np.uint8)
    ends, odd = _cuts(data, ord(separator))
    last = np.flatnonzero(data[ends] == _LF)  # of each line the last cell, as a number in `ends`
    first = np.concatenate([[0], last[:-1] + 1])
    # Of all cells, each with the separator or LF behind it, nothing is copied here.
    offsets = np.concatenate([[0], ends + 1]).astype(np.int32)
    buffers = [None, *map(pyarrow.py_buffer, (offsets, block))]
    pieces = pyarrow.Array.from_buffers(pyarrow.binary(), len(ends), buffers)
    begin, end = offsets[first[odd]], offsets[last[odd] + 1]
    # The odd lines are read by the definition (docs/proofs/lines.md, Theorem 2).
    lines = [block[i:j] for i, j in zip(begin.tolist(), end.tolist(), strict=True)]
    by_hand: list[list[str]] = [[] for _ in places]
    if lines:
        by_hand = _one_by_one(lines, separator, places, encoding)
    columns = []
    for place, more in zip(places, by_hand, strict=True):
        # A line with fewer cells has none here: its value is the empty text, the first of `rest`.
        cell = first + place
        there = cell <= last
        there[odd] = False
        whole = bool(there.all())
        # Equal pieces become one value here, which is decoded and encoded once.
        found = pieces.take(to_arrow(cell if whole else cell[there])).dictionary_encode()
        raw, rest = found.dictionary.cast(pyarrow.large_binary()), list[str]()
        codes = from_arrow(found.indices)
        if not whole:
            present, codes = codes, np.full(len(last), len(raw))
            codes[there] = present
            codes[odd] = len(raw) + 1 + np.arange(len(odd))
            rest = ["", *more]
        decode = partial(_cells, separator=separator, encoding=encoding)
        trim = _trim if encoding == "utf-8" else _no_texts
        values = LazyValues(raw, decode, (separator, encoding), rest, trim)
        columns.append(CodedColumn(values, codes))
    return columns


def _no_texts(raw: Any) -> None:
    """Of pieces in another encoding, or with quotes, the cells are not a part of the bytes."""


def _trim(raw: Any) -> Any:
    r"""The pieces without their ends, which are their cells if none has a quote.

    >>> import pyarrow
    >>> _trim(pyarrow.array([b"a,", b"b\r\n", b"c\r,", b"\n"], pyarrow.large_binary())).to_pylist()
    [b'a', b'b', b'c\r', b'']
    """
    from pyarrow import Array, large_binary, py_buffer

    data, ends = bytes_of(raw)
    data, ends = data[ends[0] : ends[-1]], ends - ends[0]
    if (data == _QUOTE).any():
        return _no_texts(raw)
    # Its separator or LF ends a piece, so a CR before LF is of the same piece, and ends it too.
    last = ends[1:] - 1
    crlf = (data[last] == _LF) & (data[last - 1] == _CR)
    kept = np.ones(len(data), bool)
    kept[last] = kept[last[crlf] - 1] = False
    shorter = ends - np.concatenate([[0], np.cumsum(1 + crlf)])
    buffers = [None, py_buffer(shorter), py_buffer(data[kept])]
    return Array.from_buffers(large_binary(), len(raw), buffers)


def _cells(pieces: Sequence[bytes], separator: str, encoding: str = "utf-8") -> list[str]:
    """The cell of each piece, which is read as a line of its own."""
    joined = b"".join(pieces)
    mark = "\n" if joined.endswith(b"\n") else separator
    if b'"' in joined or joined.count(mark.encode()) < len(pieces):
        return [_cell(piece, separator, encoding) for piece in pieces]
    # No piece has a quote, so its only mark ends it.
    texts = joined.decode(encoding, "replace").split(mark)[:-1]
    return [text.removesuffix("\r") for text in texts] if mark == "\n" else texts


def _cell(piece: bytes, separator: str, encoding: str = "utf-8") -> str:
    """The cell of a piece, which its separator or LF ends."""
    ends = piece[-1] == _LF  # a CR before a separator is text
    text = content(piece, encoding) if ends else piece[:-1].decode(encoding, "replace")
    return cells(text, separator, 1)[0]


def _cuts(data: NDArray[np.uint8], separator: int) -> _Cuts:
    line_ends = data == _LF
    marks = (data == separator) | line_ends
    quotes = data == _QUOTE
    if not quotes.any():
        return _Cuts(np.flatnonzero(marks), np.zeros(0, np.int64))
    # From here on, an entry is for a quote, a separator or an LF: `at` is its place in the block.
    at = np.flatnonzero(marks | quotes)
    is_quote, is_end = quotes[at], line_ends[at]
    last = np.flatnonzero(is_end)
    first = np.concatenate([[0], last[:-1] + 1])
    entries = last - first + 1

    # Whether the number of quotes in the line, up to here, is odd.
    open_now = np.logical_xor.accumulate(is_quote)
    before = np.concatenate([[False], open_now[last[:-1]]])
    if before.any():
        open_now ^= np.repeat(before, entries)

    # Whether the entry before, or the begin of the block, is directly before.
    behind = np.concatenate([[at[0] == 0], np.diff(at) == 1])
    quoted = np.logical_or.reduceat(is_quote & behind, first)
    unclean = np.logical_or.reduceat(is_quote & open_now & ~behind, first)
    # In a plain line every separator is a cut, so no quote there opens anything.
    plain = unclean & ~quoted
    if plain.any():
        open_now &= ~np.repeat(plain, entries)
    # The kinds of lines are those of docs/proofs/lines.md, Theorem 2: the last number is that of
    # the odd ones.
    return _Cuts(at[is_end | ~(is_quote | open_now)], np.flatnonzero(quoted & unclean))
