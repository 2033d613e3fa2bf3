"""What all classes over three and four points say of Lyu25, section 4, and BGS21, section 1.2."""

from __future__ import annotations

from benchmarks.atlas import Measured
from benchmarks.harness import require
from benchmarks.noted.words import Values, table, whole
from littlestone.atlas import table_of
from littlestone.atlas.listing import families
from littlestone.atlas.quantities import pairings
from littlestone.decomposition.tree import leaf_bound
from littlestone.dimension import multiclass_littlestone_dimension
from littlestone.progress import tracked

PS = (1, 2, 3)


def classes(points: int) -> Values:
    """Counts of classes, essential hypotheses, and leaves beside their bounds, over so many points."""
    listed = list(families(points))
    found: dict[str, str] = {
        "classes": whole(len(listed)),
        "named": whole(sum(times for _, times in listed)),
    }
    leaves = []
    for p in PS:
        measured = [
            Measured(rows, points, p) for rows, _ in tracked(listed, f"{points} points, p = {p}")
        ]
        found[f"none_{p}"] = whole(sum(not one.essential for one in measured))
        found[f"outside_{p}"] = whole(sum(not one.essential <= one.members for one in measured))
        for ldim in (1, 2, 3):
            most = max(one.leaves for one in measured if one.ldim == ldim)
            bound = leaf_bound(p, ldim, ldim)
            require(most <= bound, "more leaves than the bound")
            lemma = p**ldim * 2 ** (ldim * ldim)
            leaves.append([ldim, p, most, whole(bound), whole(lemma)])
    found["leaves"] = table(["LDim", "p", "most leaves", "bound", "Lemma 4.1"], sorted(leaves))
    return found


def bits() -> Values:
    """Two points and four labels: the larger bit class beside d / log2(k + 1)."""
    cases = reached = 0
    for rows, _ in tracked(list(families(4)), "bit classes"):
        for H in pairings(table_of(rows, 4)):
            d = multiclass_littlestone_dimension(H)
            larger = max(multiclass_littlestone_dimension(H.bit_class(i)) for i in range(H.bits))
            require(2 * larger >= d, "BGS21, section 1.2")
            cases += 1
            reached += d == 2 and larger == 1
    return {"cases": whole(cases), "reached": whole(reached)}
