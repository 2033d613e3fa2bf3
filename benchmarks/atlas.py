"""Open questions of the papers, asked of every class over 3 and 4 points.

Leaves and essential hypotheses against their bounds (Lyu25, Lemma 4.3 and Corollary 4.1, sharpened in
docs/proofs/decomposition.md), what Corollary 4.1 needs, and how large the bit classes of two points
with four labels are (BGS21, section 1.2).  Every claim is asserted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from rich.console import Console

from benchmarks.harness import require
from littlestone.base.work import track_items
from littlestone.classes import FiniteClass
from littlestone.cli.console import bar
from littlestone.dimension import multiclass_littlestone_dimension
from littlestone.theory.atlas import table_of
from littlestone.theory.atlas.listing import families
from littlestone.theory.atlas.quantities import pairings
from littlestone.theory.decomposition.tree_search import Decompositions
from littlestone.theory.decomposition.valid_trees import leaf_bound

ON_REQUEST = True
Rows = tuple[int, ...]


class Measured:
    """A class with its optimal tree and essential hypotheses, for one p."""

    def __init__(self, rows: Rows, points: int, p: int, d: int | None = None) -> None:
        H: FiniteClass = FiniteClass.from_table(table_of(rows, points))
        self.ldim = int(H.littlestone_dimension())
        self.d = self.ldim if d is None else d
        known = Decompositions(p, self.d)
        self.degree = known.dimension(H)
        self.essential = {tuple(map(f, H.domain.points)) for f in known.essential(H)}
        spaces = list(known.tree(H).leaves())
        self.leaves = len(spaces)
        self.tops = sum(space.littlestone_dimension() == self.degree for space in spaces)
        self.members = {tuple(row) for row in table_of(rows, points).values.tolist()}


def show(console: Console) -> None:
    """Print what was found."""
    for points in (3, 4):
        listed = [rows for rows, _ in families(points)]
        for p in (1, 2, 3):
            with bar(f"{points} points, p = {p}"):
                known = {
                    rows: Measured(rows, points, p) for rows in track_items(listed, "decomposing")
                }
            console.print(f"{points} points, p = {p}: {len(listed):,} classes", highlight=False)
            _leaves(console, known.values(), p)
            _essential(console, known.values())
            _subclasses(console, known, points, p)
    _bits(console)


def _leaves(console: Console, all_measured: Iterable[Measured], p: int) -> None:
    best: dict[tuple[int, int], tuple[int, int]] = {}
    for one in all_measured:
        key = one.ldim, one.degree
        most = best.get(key, (0, 0))
        best[key] = max(most[0], one.leaves), max(most[1], one.tops)
    for (ldim, degree), (leaves, tops) in sorted(best.items()):
        bound, top_bound = leaf_bound(p, ldim, ldim), leaf_bound(p, ldim, ldim, degree)
        require(leaves <= bound and tops <= top_bound, "more leaves than the bound")
        console.print(
            f"  LDim {ldim}, DDim {degree}: leaves {leaves} of {bound}, "
            f"of that dimension {tops} of {top_bound}",
            highlight=False,
        )


def _essential(console: Console, all_measured: Iterable[Measured]) -> None:
    none = improper = 0
    for one in all_measured:
        if one.degree == 0:
            require(one.essential == one.members, "Corollary 4.1 (4)")
        none += not one.essential
        improper += not one.essential <= one.members
    console.print(
        f"  no essential hypothesis: {none}; one outside the class: {improper}", highlight=False
    )


def _subclasses(console: Console, known: dict[Rows, Measured], points: int, p: int) -> None:
    """Corollary 4.1 (2): with one hypothesis less, the same d and the same DDim."""
    same = kept = other = lost = 0
    for rows, whole in track_items(list(known.items()), "taking subclasses"):
        for i in range(len(rows)) if len(rows) > 1 else ():
            part = Measured(rows[:i] + rows[i + 1 :], points, p, whole.d)
            if part.degree == whole.degree:
                same += 1
                kept += part.essential <= whole.essential
            else:
                other += 1
                lost += not part.essential <= whole.essential
    require(same == kept, "Corollary 4.1 (2)")
    console.print(
        f"  subclasses with one hypothesis less: {same:,} of the same DDim, all within; "
        f"{other:,} of another, {lost:,} with a new essential hypothesis",
        highlight=False,
    )


def _bits(console: Console) -> None:
    found: Counter[tuple[int, int]] = Counter()
    for rows, _ in families(4):
        for H in pairings(table_of(rows, 4)):
            d = multiclass_littlestone_dimension(H)
            bits = max(multiclass_littlestone_dimension(H.bit_class(i)) for i in range(H.bits))
            require(2 * bits >= d, "BGS21, section 1.2")
            found[d, bits] += 1
    for (d, bits), count in sorted(found.items()):
        console.print(
            f"two points, four labels: {count:,} with multiclass LDim {d}, larger bit class {bits}",
            highlight=False,
        )
