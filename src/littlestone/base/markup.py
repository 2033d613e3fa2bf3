"""HTML and SVG in which every name and value is plain text: `tag` escapes whatever is not markup."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from littlestone.base.errors import visible


class Html(str):
    """Markup, which `tag` takes as it is; any other text is escaped."""


_VOID = frozenset(["br", "hr", "link", "meta"])
_LEFT = "text-align:left"  # notebooks centre or align to the right
_SVG = frozenset(["circle", "path", "rect"])


def tag(element: str, *children: str, **attributes: str | None) -> Html:
    """An element; a text among its children or attributes is escaped, and shows control characters.

    A name of an attribute has ``_`` in place of ``-`` and at its end, as in ``class_``.  An attribute
    that is None is left out.

    >>> print(tag("p", "a < b, ", tag("b", "c"), class_="note", id=None))
    <p class="note">a &lt; b, <b>c</b></p>
    """
    given = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{escape(visible(value))}"'
        for name, value in attributes.items()
        if value is not None
    )
    if element in _VOID:
        return Html(f"<{element}{given}>")
    if element in _SVG:
        return Html(f"<{element}{given}/>")
    return Html(f"<{element}{given}>{join(children)}</{element}>")


def join(parts: Iterable[str]) -> Html:
    """The parts one after the other; a part that is not `Html` is escaped."""
    return Html(
        "".join(
            part if isinstance(part, Html) else escape(visible(part), quote=False) for part in parts
        )
    )


def pairs(rows: Iterable[tuple[str, str]], **attributes: str) -> Html:
    """A table of headings and their texts."""
    return tag("table", *(tag("tr", _heading(a), _cell(b)) for a, b in rows), **attributes)


def grid(headings: Sequence[str], rows: Iterable[Iterable[object]], **attributes: str) -> Html:
    """A table with a line of headings."""
    head = tag(
        "thead",
        tag(
            "tr",
            *(tag("th", heading, scope="col", style="text-align:left") for heading in headings),
        ),
    )
    body = (tag("tr", *(_cell(_text(value)) for value in row)) for row in rows)
    return tag("table", head, tag("tbody", *body), **attributes)


def _text(value: object) -> str:
    return value if isinstance(value, str) else str(value)


def _heading(text: str) -> Html:
    return tag("th", text, scope="row", style=_LEFT)


def _cell(text: str) -> Html:
    return tag("td", text, style=_LEFT)
