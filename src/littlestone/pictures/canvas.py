"""A picture, drawn once: as SVG text without any library, and on the axes of matplotlib."""

from __future__ import annotations

import io
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypedDict, TypeVar, Unpack

from littlestone.base.discovery import require_package
from littlestone.base.errors import OutputError
from littlestone.base.markup import Html, tag

Kind = Literal["svg", "png"]
K = TypeVar("K", bound=str)

# Blue (no, off) and orange (yes, on) are distinct for colour-blind readers too, and white letters are
# readable on both.
TONES = {
    "ink": "#20262e",
    "faint": "#5b6470",
    "line": "#8a929c",
    "rest": "#d9dee5",
    "box": "#eef2f7",
    "paper": "#ffffff",
    "off": "#2f6db5",
    "on": "#b4570e",
}
INK, RULE = TONES["ink"], TONES["line"]
TWO = TONES["off"], TONES["on"]
SIZE = 10  # points of type


def picture_kind(picture: Path) -> Kind:
    """The kind of figure that a file's suffix names.

    Raises `OutputError` for another suffix.

    >>> picture_kind(Path("tree.SVG"))
    'svg'
    """
    return suffix_of(picture, ("svg", "png"))


def suffix_of(file: Path, kinds: Sequence[K]) -> K:
    """The kind of file that a suffix names, among ``kinds``; `OutputError` for another suffix.

    >>> suffix_of(Path("tree.html"), ("svg", "html"))
    'html'
    """
    suffix = file.suffix.lower()
    for kind in kinds:
        if suffix == f".{kind}":
            return kind
    names = [f".{kind}" for kind in kinds]
    raise OutputError(
        f"write {file}",
        found=f"the suffix is {suffix!r}",
        fix=f"give a file that ends in {_either(names)}",
    )


def _either(names: list[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} or {last}" if first else last


def render_figure(draw: Callable[[Any], None], size: tuple[float, float], kind: Kind) -> bytes:
    """The content of a figure file of ``size`` = (width, height) in inches, drawn by ``draw``.

    Raises `OutputError` if matplotlib is not installed.
    """
    require_package("matplotlib", "draw a figure", "plot")
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    # Text stays text in an SVG file, and equal figures make equal files.
    style: Any = {
        "svg.fonttype": "none",
        "svg.hashsalt": "littlestone",
        "font.size": SIZE,
        "text.color": INK,
        "axes.edgecolor": RULE,
        "axes.labelcolor": INK,
        "xtick.color": INK,
        "ytick.color": INK,
        "axes.spines.top": False,
        "axes.spines.right": False,
    }
    with rc_context(style), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the font may lack letters of a name
        figure = Figure(figsize=size, facecolor="white")
        draw(figure)
        content = io.BytesIO()
        metadata = {"Date": None} if kind == "svg" else None
        figure.savefig(content, format=kind, dpi=160, metadata=metadata)
    return content.getvalue()


def short(name: str, most: int) -> str:
    """A name on one line of at most ``most`` characters, without characters that no file can hold.

    >>> short("thresholds", 8)
    'thres...'
    """
    name = printable(name)
    return name if len(name) <= most else f"{name[: most - 3]}..."


def printable(text: str) -> str:
    """The text with a space in place of every character that no file can hold."""
    return "".join(c if c.isprintable() else " " for c in text)


def new_axes(size: tuple[float, float], *, whole: bool = False) -> Any:
    """The axes of a new figure of pyplot, of that size in inches; if ``whole``, they fill it.

    Raises `OutputError` if matplotlib is not installed.
    """
    require_package("matplotlib", "draw a figure", "plot")
    from matplotlib import pyplot

    figure = pyplot.figure(figsize=size, layout=None if whole else "constrained")
    return figure.add_axes((0.0, 0.0, 1.0, 1.0)) if whole else figure.add_subplot()


Place = tuple[float, float]
Side = Literal["start", "middle", "end"]


class Style(TypedDict, total=False):
    """How a text looks; ``side`` is the part of it that is at its place."""

    tone: str
    size: float
    side: Side
    bold: bool
    italic: bool
    upright: bool


PLAIN = Style(tone="ink", size=SIZE, side="middle", bold=False, italic=False, upright=False)


class Canvas(ABC):
    """What a picture draws on.  Places are (x, y) with y downwards; a tone is a name in `TONES`."""

    @abstractmethod
    def rect(
        self, low: Place, high: Place, fill: str, *, edge: str | None = None, rounded: bool = False
    ) -> None:
        """A rectangle between two corners."""

    @abstractmethod
    def line(self, places: Sequence[Place], tone: str, *, width: float = 1.0) -> None:
        """Straight lines from place to place; the width is in points."""

    @abstractmethod
    def curve(self, start: Place, end: Place, stop: Place, tone: str) -> None:
        """A curve that leaves ``start`` and reaches ``end`` horizontally, and a line on to ``stop``."""

    @abstractmethod
    def polygon(self, places: Sequence[Place], tone: str) -> None:
        """A filled area."""

    @abstractmethod
    def dot(self, place: Place, tone: str) -> None:
        """A filled circle of 7 points."""

    def text(self, place: Place, text: str, **style: Unpack[Style]) -> None:
        """One line of text, centred vertically."""
        self._text(place, text, PLAIN | style)

    @abstractmethod
    def _text(self, place: Place, text: str, style: Style) -> None:
        """One line of text in this complete ``style``."""


@dataclass(frozen=True)
class Picture:
    """What ``draw`` draws on a canvas of ``width`` x ``height`` inches; ``title`` says it in words."""

    title: str
    width: float
    height: float
    draw: Callable[[Canvas], None]

    def svg(self, scale: float = 1.0) -> Html:
        """The picture as an ``svg`` element, shown ``scale`` times as large.

        Colours are attributes, which the style sheet of a page may replace by their classes.

        >>> line = Picture("a line", 1, 1, lambda on: on.line([(0, 0), (1, 1)], "ink"))
        >>> 'class="s-ink"' in line.svg(), "<title>a line</title>" in line.svg()
        (True, True)
        """
        canvas = _Svg()
        canvas.rect((0, 0), (self.width, self.height), "paper")
        self.draw(canvas)
        wide, high = _px(self.width), _px(self.height)
        return tag(
            "svg",
            tag("title", self.title),
            *canvas.parts,
            xmlns="http://www.w3.org/2000/svg",
            viewBox=f"0 0 {wide} {high}",
            width=_px(scale * self.width),
            height=_px(scale * self.height),
            role="img",
            class_="picture",
            font_family="DejaVu Sans, Verdana, sans-serif",
        )

    def plot(self, axes: Any = None) -> Any:
        """Draw on the axes of matplotlib, by default new ones, and return them; they measure inches.

        Raises `OutputError` if matplotlib is not installed.
        """
        if axes is None:
            axes = new_axes((self.width, self.height), whole=True)
        self.draw(on_axes(axes))
        axes.set(xlim=(0, self.width), ylim=(self.height, 0))
        axes.axis("off")
        return axes

    def content(self, kind: Kind) -> bytes:
        """The content of a file of that kind; PNG needs matplotlib, and raises `OutputError`."""
        if kind == "svg":
            return f"{self.svg()}\n".encode()

        def paint(figure: Any) -> None:
            self.plot(figure.add_axes((0.0, 0.0, 1.0, 1.0)))

        return render_figure(paint, (self.width, self.height), kind)


def on_axes(axes: Any) -> Canvas:
    """The axes of matplotlib as a canvas, in the units of their data."""
    return _OnAxes(axes)


def _px(inches: float) -> str:
    return f"{96 * inches:.1f}".rstrip("0").rstrip(".")


def _points(width: float) -> str:
    return f"{width * 4 / 3:.2f}".rstrip("0").rstrip(".")


def _fill(tone: str) -> dict[str, str]:
    return {"fill": TONES[tone], "class_": f"f-{tone}"}


def _stroke(tone: str, width: float) -> dict[str, str]:
    return {
        "fill": "none",
        "stroke": TONES[tone],
        "stroke_width": _points(width),
        "class_": f"s-{tone}",
    }


class _Svg(Canvas):
    def __init__(self) -> None:
        self.parts: list[Html] = []

    def _add(self, name: str, *children: str, **attributes: str | None) -> None:
        self.parts.append(tag(name, *children, **attributes))

    def rect(
        self, low: Place, high: Place, fill: str, *, edge: str | None = None, rounded: bool = False
    ) -> None:
        place = dict(zip(("x", "y"), map(_px, low), strict=True))
        size = {"width": _px(high[0] - low[0]), "height": _px(high[1] - low[1])}
        more = {"rx": "4"} if rounded else {}
        look = _fill(fill)
        if edge is not None:
            look["class_"] += f" s-{edge}"
            look |= {"stroke": TONES[edge], "stroke_width": "1"}
        self._add("rect", **place, **size, **more, **look)

    def line(self, places: Sequence[Place], tone: str, *, width: float = 1.0) -> None:
        self._add("path", d="M" + "L".join(map(_pair, places)), **_stroke(tone, width))

    def curve(self, start: Place, end: Place, stop: Place, tone: str) -> None:
        first, second = (end[0], start[1]), (start[0], end[1])
        bent = " ".join(map(_pair, (first, second, end)))
        self._add("path", d=f"M{_pair(start)}C{bent}L{_pair(stop)}", **_stroke(tone, 1.4))

    def polygon(self, places: Sequence[Place], tone: str) -> None:
        self._add("path", d="M" + "L".join(map(_pair, places)) + "Z", **_fill(tone))

    def dot(self, place: Place, tone: str) -> None:
        x, y = map(_px, place)
        self._add("circle", cx=x, cy=y, r="4.7", **_fill(tone))

    def _text(self, place: Place, text: str, style: Style) -> None:
        # A third of the size below the middle is the line on which letters stand.
        x, y = place
        down = style["size"] / 72 * 0.35
        place = (x + down, y) if style["upright"] else (x, y + down)
        look = {"transform": f"rotate(-90 {_pair(place)})"} if style["upright"] else {}
        look["font_size"] = _points(style["size"])
        look |= {"text_anchor": style["side"]} if style["side"] != "start" else {}
        look |= {"font_weight": "bold"} if style["bold"] else {}
        look |= {"font_style": "italic"} if style["italic"] else {}
        self._add("text", text, x=_px(place[0]), y=_px(place[1]), **look, **_fill(style["tone"]))


def _pair(place: Place) -> str:
    return f"{_px(place[0])} {_px(place[1])}"


class _OnAxes(Canvas):
    def __init__(self, axes: Any) -> None:
        self._axes = axes
        self._order = 1.0  # what is drawn later is on top

    def _next(self) -> float:
        self._order += 0.001
        return self._order

    def rect(
        self, low: Place, high: Place, fill: str, *, edge: str | None = None, rounded: bool = False
    ) -> None:
        from matplotlib.patches import FancyBboxPatch, Rectangle

        size = high[0] - low[0], high[1] - low[1]
        look: dict[str, Any] = {"facecolor": TONES[fill], "linewidth": 0.8, "zorder": self._next()}
        look["edgecolor"] = "none" if edge is None else TONES[edge]
        if rounded:
            style = "round,pad=0,rounding_size=0.05"
            self._axes.add_patch(FancyBboxPatch(low, *size, boxstyle=style, **look))
        else:
            self._axes.add_patch(Rectangle(low, *size, **look))

    def line(self, places: Sequence[Place], tone: str, *, width: float = 1.0) -> None:
        xs, ys = zip(*places, strict=True)
        style = {"color": TONES[tone], "linewidth": width, "zorder": self._next()}
        self._axes.plot(xs, ys, **style)

    def curve(self, start: Place, end: Place, stop: Place, tone: str) -> None:
        from matplotlib.patches import PathPatch
        from matplotlib.path import Path

        places = [start, (end[0], start[1]), (start[0], end[1]), end, stop]
        path = Path(places, [Path.MOVETO, *[Path.CURVE4] * 3, Path.LINETO])
        style: dict[str, Any] = {"color": TONES[tone], "linewidth": 1.4, "zorder": self._next()}
        self._axes.add_patch(PathPatch(path, fill=False, **style))

    def polygon(self, places: Sequence[Place], tone: str) -> None:
        from matplotlib.patches import Polygon

        self._axes.add_patch(Polygon(places, color=TONES[tone], linewidth=0, zorder=self._next()))

    def dot(self, place: Place, tone: str) -> None:
        style: dict[str, Any] = {"color": TONES[tone], "zorder": self._next()}
        self._axes.plot(*place, marker="o", markersize=7, linestyle="none", **style)

    def _text(self, place: Place, text: str, style: Style) -> None:
        self._axes.text(
            *place,
            printable(text),
            color=TONES[style["tone"]],
            fontsize=style["size"],
            ha={"start": "left", "middle": "center", "end": "right"}[style["side"]],
            va="center",
            fontweight="bold" if style["bold"] else "normal",
            fontstyle="italic" if style["italic"] else "normal",
            rotation=90 if style["upright"] else 0,
            zorder=self._next(),
            parse_math=False,
        )
