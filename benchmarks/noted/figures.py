"""The figures of the note."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from benchmarks.noted import lemmas, sizes
from littlestone.pictures.figures import INK, RULE, TONES, TWO, drawn
from littlestone.verify.blm20 import ELEVEN

Figures = dict[str, Callable[[], bytes]]


def chain() -> bytes:
    """Records for sets of at most two points: stated, proved, calibrated, and lower bounds."""
    found = sizes.pairs()
    proved = {
        row.method: size.n
        for row in found.rows
        if row.method in sizes.METHODS and (size := row.realizable or row.tuned) is not None
    }
    simulated = {row.method: row.calibrated.n for row in found.rows if row.calibrated is not None}
    stated: dict[str, float] = {}
    for one in sizes.clean(found):
        stated[one.theorem] = one.at_one
        if one.proof is not None:
            stated[f"{one.theorem}, its proof"] = one.proof
    lower = dict(zip(["any", "private", "private, finite unions"], found.lower, strict=True))
    groups: dict[str, dict[str, float]] = {
        "stated": stated,
        "proved": dict(proved),
        "calibrated": dict(simulated),
        "lower": {name: bound.n for name, bound in lower.items()},
    }
    lines = [
        (name, n, kind)
        for kind, group in groups.items()
        for name, n in sorted(group.items(), key=lambda one: -one[1])
    ]
    kinds = {
        "stated": ("stated: no promise", "x", RULE),
        "proved": ("proved", "o", TWO[0]),
        "calibrated": ("calibrated on the worst distribution found", "D", TWO[1]),
        "lower": ("fewer are too few", "|", INK),
    }

    def draw(picture: Any) -> None:
        axes = picture.add_axes((0.24, 0.12, 0.74, 0.86))
        for kind, (label, marker, colour) in kinds.items():
            dots = [(n, -i) for i, (_, n, of) in enumerate(lines) if of == kind]
            x, y = zip(*dots, strict=True)
            axes.scatter(x, y, marker=marker, color=colour, s=30, label=label)
        axes.set(xscale="log", xlabel="records")
        names = [
            name.replace("GGKM21, as BGS21, Theorem 3.5 has it", "GGKM21") for name, *_ in lines
        ]
        axes.set_yticks([-i for i in range(len(lines))], names, fontsize=8)
        axes.legend(fontsize=8, loc="lower right")

    return drawn(draw, (7.2, 0.24 * len(lines) + 0.7), "svg")


def frequent() -> bytes:
    """The class on eleven points as a table, and the most frequent rule of each D_k beside 1/4."""
    settings = {
        "eleven points, n = 5": {name: lemmas.eleven(5, soa) for name, soa in lemmas.SOAS.items()},
        "nine points, n = 1": {name: lemmas.nine(1, soa) for name, soa in lemmas.SOAS.items()},
    }
    styles = dict(zip(settings, ("o-", "s:"), strict=True))

    def draw(picture: Any) -> None:
        grid = picture.add_axes((0.07, 0.16, 0.36, 0.72))
        rows, points = ELEVEN, lemmas.ELEVEN_POINTS
        for i, row in enumerate(rows):
            for x in range(points):
                colour = TWO[1] if row >> x & 1 else TONES["box"]
                grid.add_patch(_square(x, -i, colour))
            grid.text(-0.3, 0.5 - i, str(row), ha="right", va="center", fontsize=8)
        for x in range(points):
            grid.text(x + 0.5, 1.4, str(x), ha="center", va="center", fontsize=8)
        grid.set(xlim=(-0.1, points + 0.1), ylim=(0.9 - len(rows), 1.9))
        grid.axis("off")
        axes = picture.add_axes((0.53, 0.16, 0.45, 0.8))
        for words, found in settings.items():
            for name, tops in found.items():
                colour = RULE if name == "Lyu25" else TWO[0]
                label = f"{words}, {name.partition(',')[0]}" if not name.endswith("1") else None
                shown = list(map(float, tops))
                axes.plot(range(3), shown, styles[words], ms=3, lw=0.8, color=colour, label=label)
        axes.axhline(0.25, color=TWO[1], lw=1.2)
        axes.text(2.05, 0.253, "1/4", ha="right", fontsize=9, color=TWO[1])
        axes.set(xticks=range(3), ylim=(0, 0.28), xlabel="k", ylabel="probability of the top rule")
        axes.legend(fontsize=7, loc="lower left")

    return drawn(draw, (7.2, 3.0), "svg")


def _square(x: float, y: float, colour: str) -> Any:
    from matplotlib.patches import Rectangle

    return Rectangle((x, y), 1, 1, facecolor=colour, edgecolor="white")


def bottom() -> bytes:
    """Bits of Pr[bottom] if all teachers list one hypothesis, as delta falls."""

    def draw(picture: Any) -> None:
        axes = picture.add_axes((0.12, 0.17, 0.85, 0.8))
        powers = range(2, 16)
        for d, colour in ((3, RULE), (2, TWO[1]), (1, TWO[0])):
            bits = [lemmas.bottom(d, Fraction(1, 10**power))[0] for power in powers]
            axes.plot(powers, bits, "o-", ms=3, lw=1, color=colour, label=f"d = {d}")
        axes.set(xlabel="log10(1/delta)", ylabel="log2(1/p(u))", ylim=(0, None))
        axes.legend(fontsize=8, loc="upper left")

    return drawn(draw, (7.2, 2.6), "svg")


FIGURES: Figures = {"note-chain": chain, "note-frequent": frequent, "note-bottom": bottom}
