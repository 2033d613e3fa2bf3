"""Tones and sizes of all pictures; figures of matplotlib, of which equal ones make equal files."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal, TypeVar

from littlestone.base.errors import OutputError, install_command

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


def require_matplotlib() -> None:
    """Raise `OutputError` if matplotlib is not installed."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise OutputError(
            "draw a figure",
            found="matplotlib is not installed",
            fix=f"run: {install_command('plot')}",
        ) from None


def render_figure(draw: Callable[[Any], None], size: tuple[float, float], kind: Kind) -> bytes:
    """The content of a figure file of ``size`` = (width, height) in inches, drawn by ``draw``.

    Raises `OutputError` if matplotlib is not installed.
    """
    require_matplotlib()
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
    require_matplotlib()
    from matplotlib import pyplot

    figure = pyplot.figure(figsize=size, layout=None if whole else "constrained")
    return figure.add_axes((0.0, 0.0, 1.0, 1.0)) if whole else figure.add_subplot()
