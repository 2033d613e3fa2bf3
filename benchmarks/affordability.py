"""The affordability map, what each class costs: ``python -m benchmarks affordability``.

For every class at a natural size: its Littlestone dimension, the records that no learner can do
without, those that suffice without privacy, those that are proved and those that simulations need for
the learner that `fit` takes for clean labels, those proved for any labels, and the seconds that
planning takes.  Printed, and written to ``docs/benchmarks/affordability.md`` with its figure.  Takes
about ten minutes, most of them for simulations; ``quick`` leaves these out.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from benchmarks.affordable.natural import NATURAL
from benchmarks.affordable.needed import Needed, needed
from benchmarks.harness import require, steps
from littlestone.base.errors import LittlestoneError, TooLargeError
from littlestone.classes import HypothesisClass, parse_class
from littlestone.classes.base import ScoredClass
from littlestone.learn import Bound
from littlestone.learn.plan import Plan, Row, plan
from littlestone.pictures.canvas import RULE, TWO, render_figure
from littlestone.privacy import Budget

ON_REQUEST = True
ALPHA, BETA, DELTA = 0.1, 0.05, 1e-6
BUDGET = Budget(1, "1e-6")
MORE = 1.1  # times the proved size, where a simulation that still fails refutes the proof
DOCS = Path(__file__).parents[1] / "docs"
PAGE, FIGURE = DOCS / "benchmarks" / "affordability.md", DOCS / "figures" / "affordability.svg"


@dataclass(frozen=True)
class Place:
    """A class on the map; sizes are None if none is known.  ``refused`` says why there are none."""

    group: str
    name: str
    declared: str
    dimension: tuple[int, int] | None = None
    lower: int = 0
    public: int | None = None
    method: str = "-"
    proved: int | None = None
    needed: Needed | None = None
    agnostic: int | None = None
    paper: int | None = None
    seconds: float = 0.0
    refused: str = ""


def places(*, simulate: bool) -> Iterator[Place]:
    """The map, class after class."""
    plan(
        parse_class("conditions(a in {u, v}; at most 1)"), BUDGET, alpha=ALPHA, beta=BETA
    )  # imports
    for group, classes in NATURAL.items():
        for name, declared in classes.items():
            start = time.perf_counter()
            try:
                H = parse_class(declared)
                found = plan(H, BUDGET, alpha=ALPHA, beta=BETA)
            except LittlestoneError as error:
                refused = str(error).splitlines()[0]
                seconds = time.perf_counter() - start
                yield Place(group, name, declared, seconds=seconds, refused=refused)
                continue
            seconds = time.perf_counter() - start
            yield _place(group, name, declared, H, found, seconds, simulate=simulate)


def _place(
    group: str,
    name: str,
    declared: str,
    H: HypothesisClass[Any],
    found: Plan,
    seconds: float,
    *,
    simulate: bool,
) -> Place:
    clean = {row.method: row.realizable or _tuned(H, row) for row in found.rows}
    sizes = {method: bound.n for method, bound in clean.items() if bound is not None}
    any_labels = [row.agnostic or row.tuned_agnostic for row in found.rows]
    method = min(sizes, key=sizes.__getitem__, default=found.rows[0].method)
    row = next(row for row in found.rows if row.method == method)
    # Union bounds bind every learner of the list below.
    lower = max((b.n for b in found.lower if "finite unions" not in b.learners), default=1)
    dimension = _dimension(H)
    simulated = None
    if simulate and row.realizable is not None:
        simulated = needed(row.learner, ALPHA, BETA, math.ceil(MORE * row.realizable.n))
    return Place(
        group,
        name,
        declared,
        dimension,
        lower,
        min(
            (n for n in (without_privacy(_size(H), dimension), sizes.get(method)) if n is not None),
            default=None,
        ),
        method,
        sizes.get(method),
        simulated,
        min((bound.n for bound in any_labels if bound is not None), default=None),
        formula(dimension),
        seconds,
    )


def _tuned(H: HypothesisClass[Any], row: Row) -> Bound | None:
    """The size for other parameters, unless a fit with these would take too long."""
    if row.tuned is None:
        return None
    try:
        learner = type(row.learner).with_proved_bound(H, BUDGET, alpha=ALPHA, beta=BETA)
        learner.require_affordable(row.tuned.n)
    except TooLargeError:
        return None
    return row.tuned


def _size(H: HypothesisClass[Any]) -> int | None:
    """The number of hypotheses, or of ways to write them; None if infinite."""
    return H.forms if isinstance(H, ScoredClass) and H.forms else H.size


def _dimension(H: HypothesisClass[Any]) -> tuple[int, int] | None:
    try:
        low, high = H.littlestone_bounds()
    except TooLargeError:
        return None
    return int(low), int(high)


def without_privacy(size: int | None, dimension: tuple[int, int] | None) -> int | None:
    """The lesser of two sizes that suffice without privacy, for clean labels.

    ln(|H| / beta) / -ln(1 - alpha) examples for any consistent hypothesis; and d + 1 times
    ln((d + 1) / beta) / -ln(1 - alpha) for the first hypothesis of the SOA that is right that often in
    a row.

    >>> without_privacy(1001, (9, 9)), without_privacy(None, (1, 1))
    (95, 72)
    """
    found = [] if size is None else [math.ceil(math.log(size / BETA) / -math.log1p(-ALPHA))]
    if dimension is not None:
        rounds = dimension[1] + 1
        found.append(rounds * math.ceil(math.log(rounds / BETA) / -math.log1p(-ALPHA)))
    return min(found, default=None)


def formula(dimension: tuple[int, int] | None) -> int | None:
    """Lyu25, Theorem 2: d^5 ln(1 / (delta beta)) / (epsilon alpha), with 1 for its constant."""
    if dimension is None:
        return None
    return max(1, math.ceil(dimension[0] ** 5 * -math.log(DELTA * BETA) / ALPHA))


HEAD = (
    "class",
    "dimension",
    "lower",
    "public",
    "proved",
    "needed",
    "any labels",
    "method",
    "plan s",
)


def table(found: list[Place]) -> list[str]:
    """The map as text."""
    rows: list[tuple[str, ...]] = [HEAD]
    groups = []
    for place in found:
        groups.append(place.group)
        if place.refused:
            rows.append((place.name, *["-"] * 6, "refused", f"{place.seconds:.2f}"))
            continue
        low, high = place.dimension or (0, 0)
        rows.append((
            place.name,
            "-" if place.dimension is None else str(low) if low == high else f"{low} to {high}",
            _number(place.lower),
            _number(place.public),
            _number(place.proved),
            _number(place.needed.n if place.needed else None),
            _number(place.agnostic),
            place.method,
            f"{place.seconds:.2f}",
        ))  # fmt: skip
    widths = [max(len(row[i]) for row in rows) for i in range(len(HEAD))]
    lines = [
        "  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip() for row in rows
    ]
    shown, last = [lines[0]], ""
    for line, group in zip(lines[1:], groups, strict=True):
        if group != last:
            shown += ["", f"{group}:"]
        shown.append(line)
        last = group
    return shown


def _number(n: int | None) -> str:
    return "-" if n is None else f"{n:,}"


def figure(found: list[Place]) -> bytes:
    """Records on a logarithmic scale: a line from the lower bound to what is proved, for each class."""
    kept = [place for place in found if not place.refused][::-1]

    def draw(picture: Any) -> None:
        axes = picture.add_axes((0.27, 0.06, 0.71, 0.9))
        for i, place in enumerate(kept):
            if place.proved:
                axes.plot([place.lower, place.proved], [i, i], color=RULE, lw=0.8, zorder=1)
        kinds: list[tuple[str, str, str, Callable[[Place], int | None]]] = [
            ("lower bound", "|", "black", lambda p: p.lower),
            ("without privacy", ".", RULE, lambda p: p.public),
            ("needed in simulations", "D", TWO[1], lambda p: p.needed.n if p.needed else None),
            ("proved, clean labels", "o", TWO[0], lambda p: p.proved),
            ("proved, any labels", ">", TWO[0], lambda p: p.agnostic),
            ("$d^5$ formula at constant 1", "x", RULE, lambda p: p.paper),
        ]
        for label, marker, colour, size in kinds:
            dots = [(n, i) for i, place in enumerate(kept) if (n := size(place))]
            x, y = [n for n, _ in dots], [i for _, i in dots]
            axes.scatter(x, y, marker=marker, color=colour, s=16, label=label)
        axes.set(xscale="log", ylim=(-1, len(kept)), xlabel="records")
        axes.set_yticks(range(len(kept)), [place.name for place in kept], fontsize=7)
        axes.legend(fontsize=7, loc="lower right")

    return render_figure(draw, (7.2, 0.17 * len(kept) + 1), "svg")


_OPENING = f"""# What each class costs

How many records does private learning take? This map shows it for every kind of class at natural
sizes, for error {ALPHA:g} with probability {1 - BETA:g}, epsilon 1 and delta 1e-6. It is made by
`python -m benchmarks affordability`.

* **dimension**: the Littlestone dimension, or a proved lower and upper bound.
* **lower**: with fewer records every private learner [fails](../proofs/lower-bounds.md) on some
  distribution.
* **public**: enough without privacy, for any consistent hypothesis, or for the first hypothesis of
  the SOA that is right often enough in a row.
* **proved**: enough by a theorem with all its constants, for clean labels. *method* names the
  learner.
* **needed**: enough in simulations of that learner with clean labels. This is not proved.
* **any labels**: provably enough for an error of {ALPHA:g} above that of the best hypothesis.
* **plan s**: the seconds that planning took.
"""

_FIGURE = """![Records for each class on a logarithmic scale](../figures/affordability.svg)

The crosses show what a paper on private learning with Littlestone dimension d states (Lyu 2025,
Theorem 2): d^5 ln(1 / (delta beta)) / (epsilon alpha), with 1 for the constant that it leaves out.
"""

_CORNERS = """## What stays dear

* **Affine subspaces of four columns over GF(101)** are 2.1e12 hypotheses, so the exponential mechanism
  would need 782 records for clean labels and 6,247 for any. But a record would take 262,144 steps, one
  for each direction, and `fit` refuses that. `noisy_radii` is proved for 36,173, with any labels.
* **Zero sets of degree 2 over GF(7)^2** are 165,993, so it would need 375 and 2,989. Listing them took
  8 CPU seconds by intersections of all pairs of the 18,404 conics, and the table of `fit` has a bit for
  each of 2^49 sets of points. So zero sets are listed on at most 25 points. `noisy_radii`: 67,651.
* **Sets of rules over an open vocabulary** are infinitely many, and no number of elements at a point
  bounds their growth under any labels. What is left is the Littlestone dimension: 36,173 for two rules
  of one condition. The planner takes .24 CPU seconds for these on two columns, and 5 for two rules of
  two conditions on four: it searches the dimension and an SOA, to compare all methods.
* **Subsets with any labels** take 15,132 records for 2 elements and 42,629 for 5, by `noisy_radii`. It
  is for a dimension of at most 12, so 20 elements still take the 910,220 of `agnostic`. Whether fewer
  than about d^3 records are enough is not known to us.
"""

_NEEDED = """## What was simulated

Each size is for the worst distribution that a search found; others may need more. The search takes
hypotheses at the ends of mistake trees and random ones. It looks for examples that pin such a
hypothesis down, such as the points on both sides of a cut or of each edge of a box. It lets each of
s of these examples weigh just more than alpha/j and gives one other example the rest
("s of alpha/j"). Then it changes the examples, j and the rest for more failures.

A run draws a sample, and then from the exact law of the learner on it. At most 5% of the runs failed.
The intervals hold the true share of failures with 95% confidence.

| class | failed runs | 95% interval | worst distribution |
|---|---|---|---|"""


_CLASSES = """## The classes

| name | declared |
|---|---|"""


def page(found: list[Place]) -> str:
    """The page, in Markdown."""
    profiles = [_simulated(p.name, p.needed) for p in found if p.needed is not None]
    refused = [f"* {p.name}: {p.refused}." for p in found if p.refused]
    return "\n".join([
        _OPENING,
        "```text",
        *table(found),
        "```\n",
        _FIGURE,
        _CORNERS,
        _NEEDED,
        *profiles,
        "",
        *(["## Refused\n", *refused, ""] if refused else []),
        _CLASSES,
        *(f"| {p.name} | `{p.declared}` |" for p in found),
        "",
    ])  # fmt: skip


def _simulated(name: str, found: Needed) -> str:
    low, high = found.interval
    cells = [
        name,
        f"{found.failures:,} of {found.runs:,}",
        f"{low:.2%} to {high:.2%}",
        found.profile.name,
    ]
    return f"| {' | '.join(cells)} |"


def show(console: Console, *, simulate: bool = True) -> None:
    """Make the map, the page and the figure."""
    found = []
    of = sum(map(len, NATURAL.values()))
    for place in steps(places(simulate=simulate), "affordability", console, of):
        console.print(f"  {place.name} ...", style="dim", highlight=False)
        below = place.proved is not None and place.proved < place.lower
        require(not below, f"{place.name}: proved below the lower bound")
        found.append(place)
    PAGE.write_text(page(found), encoding="utf-8")
    FIGURE.write_bytes(figure(found))
    console.print(*table(found), sep="\n", highlight=False, soft_wrap=True)


if __name__ == "__main__":
    show(Console(), simulate="quick" not in sys.argv[1:])
