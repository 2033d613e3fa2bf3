"""The frame of every page: one HTML file without addresses or anything to load."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files

import littlestone
from littlestone.base.errors import visible_json
from littlestone.base.markup import Html, grid, join, pairs, tag
from littlestone.pictures.canvas import Picture

OPENING = "<!doctype html>\n<!-- littlestone report -->\n"
"""How a page begins, which a command may overwrite."""

_COLUMN = 7.1  # inches of the text of a page
_LARGER = 1.4  # times the size that a picture has in a file

# A browser loads nothing and runs no script but ours, whatever a name in the page says.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def page(
    title: str,
    kind: str,
    head: Iterable[Html],
    sections: Iterable[Html],
    source: str,
    data: Mapping[str, object] | None = None,
) -> str:
    """A whole page; ``source`` says what it was made from.

    With ``data`` it is a page to play with: ``play.js`` reads them.  Any other page has no script.
    """
    style, policy, played = _file("style.css"), _POLICY, Html("")
    if data is not None:
        script = _file("play.js")
        style += _file("play.css")
        policy += f"; script-src 'sha256-{_hash(script)}'"
        # Between these tags a browser reads no entities, and the first "</script" ends the data.
        text = visible_json(data).replace("<", "\\u003c")
        held = tag("script", Html(text), type="application/json", id="data")
        played = join([held, Html("\n"), tag("script", Html(script))])
    metas = [
        Html(""),
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", f"{kind}: {title}"),
        Html(f"<style>\n{style}</style>"),
    ]
    made = (
        f"Made by littlestone {littlestone.__version__} from {source} alone. No record was read to "
        "make this page, and it loads nothing from elsewhere."
    )
    body = [
        tag("header", tag("p", kind, class_="kind"), tag("h1", title), *head),
        tag("main", *sections),
        tag("footer", tag("p", made)),
        played,
    ]
    lines = ["", tag("head", *(Html(f"{meta}\n") for meta in metas)), tag("body", *body), ""]
    return OPENING + tag("html", *(Html(f"{line}\n") for line in lines), lang="en") + "\n"


def _file(name: str) -> str:
    return files("littlestone.show.pages").joinpath(name).read_text(encoding="utf-8")


def _hash(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def section(heading: str, *children: Html) -> Html:
    """A part of a page with a heading of the second level."""
    return Html(f"\n{tag('section', tag('h2', heading), *children)}")


def part(heading: str, *children: Html) -> Html:
    """A part of a section."""
    return join([tag("h3", heading), *children])


def prose(text: str, *more: str) -> Html:
    """A paragraph."""
    return tag("p", text, *more)


def fold(heading: str, *children: Html) -> Html:
    """A part that a reader opens."""
    return tag("details", tag("summary", heading), *children)


def note(text: str) -> Html:
    """A paragraph in smaller letters."""
    return tag("p", text, class_="note")


def warning(text: str) -> Html:
    """A paragraph that nobody overlooks."""
    return tag("p", text, class_="warning", role="note")


def facts(rows: Iterable[tuple[str, str]]) -> Html:
    """The most important numbers, each in a box."""
    boxes = (tag("div", tag("dt", name), tag("dd", text)) for name, text in rows)
    return tag("dl", *boxes, class_="facts")


def list_rows(rows: Iterable[tuple[str, str]]) -> Html:
    """Headings and their texts, below each other on a phone."""
    return pairs(rows, class_="pairs")


def table(
    headings: Sequence[str], rows: Iterable[Iterable[object]], name: str, **attributes: str
) -> Html:
    """A table that scrolls by itself if the page is narrow; ``name`` says what it lists."""
    return _scrolling(grid(headings, rows, **attributes), name)


def figure(picture: Picture, caption: str, *, chart: bool = False) -> Html:
    """A picture with a caption; a chart shrinks with the page, and anything else scrolls."""
    text = tag("figcaption", caption)
    if chart:
        return tag("figure", picture.svg(), text, class_="chart")
    scale = min(max(_COLUMN / picture.width, 1.0), _LARGER)
    wide = "wide" if picture.width > _COLUMN else None
    shown = _scrolling(picture.svg(scale), "The picture")
    return tag("figure", shown, text, class_=wide, style=f"--least: {96 * picture.width:.0f}px")


def command(text: str) -> Html:
    """Commands to paste, or another text in lines."""
    lines = (join([line, Html("\n")]) for line in text.splitlines())
    return tag("pre", tag("code", *lines))


def _scrolling(what: Html, name: str) -> Html:
    # Reached by the keyboard, so that it scrolls without a mouse.
    return tag("div", what, class_="scroll", tabindex="0", role="region", aria_label=name)
