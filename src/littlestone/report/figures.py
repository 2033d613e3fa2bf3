"""Figures as files, drawn by matplotlib: equal figures make equal files."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

from littlestone.errors import OutputError

Kind = Literal["svg", "png"]

INK, RULE = "#20262e", "#8a929c"
TWO = ("#2f6db5", "#cf6a1b")  # distinct for colour-blind readers too
SIZE = 10  # points of type


def picture_kind(picture: Path) -> Kind:
    """The kind of figure that a file's suffix names.

    Raises `OutputError` for another suffix.

    >>> picture_kind(Path("tree.SVG"))
    'svg'
    """
    match picture.suffix.lower():
        case ".svg":
            return "svg"
        case ".png":
            return "png"
        case suffix:
            raise OutputError(
                f"draw to {picture}",
                found=f"the suffix is {suffix!r}",
                fix="give a file that ends in .svg or .png",
            )


def require_matplotlib() -> None:
    """Raise `OutputError` if matplotlib is not installed."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise OutputError(
            "draw a figure",
            found="matplotlib is not installed",
            fix="run: pip install 'littlestone[plot]'",
        ) from None


def drawn(draw: Callable[[Any], None], size: tuple[float, float], kind: Kind) -> bytes:
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
    name = "".join(c if c.isprintable() else " " for c in name)
    return name if len(name) <= most else f"{name[: most - 3]}..."
