"""Faults that turn the rows of `prove/papers/several_labels.py` red."""

from __future__ import annotations

from planting import Fault

FAULTS: dict[str, list[Fault]] = {
    "patterns": [
        Fault(
            "littlestone.dimension.search.splits:SplitSolver.dimension",
            "return known",
            "return min(known, 1)",
            "dimensions are capped at 1",
        )
    ],
    "soa_class": [
        Fault(
            "littlestone.theory.decomposition.tree_search:is_irreducible",
            "H.reducing_points(k)",
            "H.reducing_points(k - 1)",
            "k - 1 points are tried",
        )
    ],
    "one_rule_on_all_lists": [
        Fault(
            "littlestone.learn.papers.irreducible:IrreducibleLearner.hypotheses_of_teacher",
            "scale=2**s",
            "scale=1",
            "p is never doubled",
        )
    ],
    "leaves": [
        Fault(
            "littlestone.theory.decomposition.tree_search:reducing_path",
            "H.reducing_points(k)",
            "H.reducing_points(k - 1)",
            "k - 1 points are tried",
        )
    ],
}
