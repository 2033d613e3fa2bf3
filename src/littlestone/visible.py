"""Text that only shows, in a terminal or a file, and does nothing there."""

from __future__ import annotations

import json
from collections.abc import Callable


def visible(text: str, *, keep: str = "") -> str:
    r"""``text`` with every character that does not print written as an escape, but those in ``keep``.

    Control characters move a terminal's cursor or change its title, marks of direction make one text
    look like another, and a line break passes one line off as two.  A blank is kept.

    >>> print(visible("rue\x1b[2J \u202etxt"))
    rue\x1b[2J \u202etxt
    """
    return _escaped(text, keep, ascii)


def visible_json(data: object, *, indent: int | None = None) -> str:
    r"""``data`` as JSON in readable characters, the others as escapes; it reads back equal.

    >>> print(visible_json({"città": "\u202etxt\ud800"}))
    {"città": "\u202etxt\ud800"}
    """
    return _escaped(json.dumps(data, indent=indent, ensure_ascii=False), "\n", json.dumps)


def _escaped(text: str, keep: str, escape: Callable[[str], str]) -> str:
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in keep else escape(c)[1:-1] for c in text)
