"""Docstrings for the site: examples become blocks of code, names of functions become links."""

from __future__ import annotations

import re
from typing import Any

from griffe import Extension

EXAMPLE = re.compile(r"^>>> .*?(?=\n\s*\n|\Z)", re.DOTALL | re.MULTILINE)


def fenced(text: str) -> str:
    """``text`` with each example in a block of its own."""
    return EXAMPLE.sub(lambda example: f"```pycon\n{example[0].rstrip()}\n```", text)


class Examples(Extension):
    """Examples stand in docstrings as doctest reads them."""

    def on_object(self, *, obj: Any, **_: Any) -> None:
        if obj.docstring:
            obj.docstring.value = fenced(obj.docstring.value)
