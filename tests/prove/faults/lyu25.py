"""Faults that turn the rows of `prove/papers/lyu25.py` red."""

from __future__ import annotations

from planting import Fault

SPACE = "littlestone.theory.decomposition.tree_search:_Space"
EXACT = "littlestone.theory.decomposition.tree_search:Decompositions"
GREEDY = "littlestone.theory.decomposition.tree_search"
LEAF_BOUND = "littlestone.theory.decomposition.valid_trees:leaf_bound"
FEW = Fault(
    "littlestone.theory.decomposition.tree_search:reducing_path",
    "H.reducing_points(k)",
    "H.reducing_points(k - 1)",
    "k - 1 points are tried",
)
FEWER = Fault(
    "littlestone.theory.decomposition.tree_search:is_irreducible",
    "H.reducing_points(k)",
    "H.reducing_points(k - 1)",
    "k - 1 points are tried",
)
WALK = "littlestone.classes.base:HypothesisClass.error_ball"
FAULTS: dict[str, list[Fault]] = {
    "valid_trees_exist": [FEW],
    "leaf_counts": [
        Fault(LEAF_BOUND, "range(dimension - t + 1)", "range(dimension - t)", "a term less"),
        Fault(LEAF_BOUND, "(2 ** (d - t) - 1)", "2 ** (d - t)", "p more levels"),
    ],
    "soa_class": [FEWER],
    "nested_classes": [
        Fault(f"{SPACE}.may_end", "self.soa != avoid", "True", "nothing is essential"),
        Fault(f"{SPACE}.__init__", "int(k - shared.p)", "int(k)", "leaves may be p deeper"),
    ],
    "essential_hypotheses_hold": [
        Fault(f"{SPACE}.may_end", "self.soa != avoid", "True", "nothing is essential"),
        Fault(
            f"{EXACT}.essential",
            "for f in listed if",
            "for f in listed[:1] if",
            "only one hypothesis is essential",
        ),
    ],
    "a_new_hypothesis": [
        Fault(f"{EXACT}.dimension", "space.deepest(t) >= 0", "True", "DDim is always 0"),
    ],
    "exposed_hypotheses": [
        Fault(f"{SPACE}.__init__", "int(k - shared.p)", "int(k)", "leaves may be p deeper"),
    ],
    "few_columns": [FEWER],
    "greedy_nested_trees": [
        FEW,
        Fault(f"{GREEDY}:refine", "tree.nodes, most", "(), most", "the old tree is ignored"),
    ],
    "lists_of_greedy_trees": [
        Fault(
            "littlestone.theory.decomposition.valid_trees:DecompositionTree.hypotheses",
            "for V in self.leaves() if",
            "for V in list(self.leaves())[1:] if",
            "the first leaf is not listed",
        )
    ],
    "error_balls": [
        Fault(
            WALK,
            "if errors + cost <= max_errors",
            "if errors + cost < max_errors",
            "one error less",
        ),
        Fault(WALK, "steps[depth:]", "steps", "errors are counted twice"),
    ],
    "lists_of_balls": [
        Fault(
            f"{GREEDY}:top_hypotheses",
            "tree.degree > degree",
            "tree.degree >= degree",
            "only the last cell",
        ),
    ],
}
