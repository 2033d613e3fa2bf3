"""Text that is safe to show in a terminal or a file."""

from __future__ import annotations

import json
from collections.abc import Callable


def visible(text: str, *, keep: str = "") -> str:
    r"""``text`` with every unprintable character escaped, except those in ``keep``.

    Control characters move a terminal's cursor or change its title.  Direction marks make one text
    look like another.  A line break makes one line look like two.  Spaces are kept.

    >>> print(visible("rue\x1b[2J \u202etxt"))
    rue\x1b[2J \u202etxt
    """
    return _escape(text, keep, ascii)


_LONGEST, _HEAD, _TAIL = 300, 160, 60


def shorten(text: str) -> str:
    """The text, or the beginning and the end of a long one, such as a class of a thousand columns.

    >>> print(shorten("points(" + "x" * 300 + ")")[150:])
    xxxxxxxxxx ... xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx)
    """
    return text if len(text) <= _LONGEST else f"{text[:_HEAD]} ... {text[-_TAIL:]}"


def visible_json(data: object, *, indent: int | None = None) -> str:
    r"""``data`` as JSON with unprintable characters escaped; it reads back equal.

    >>> print(visible_json({"città": "\u202etxt\ud800"}))
    {"città": "\u202etxt\ud800"}
    """
    return _escape(json.dumps(data, indent=indent, ensure_ascii=False), "\n", json.dumps)


def _escape(text: str, keep: str, escape: Callable[[str], str]) -> str:
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in keep else escape(c)[1:-1] for c in text)
