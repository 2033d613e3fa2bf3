"""Faults that turn the rows of `verify/lyu25.py` red."""

from __future__ import annotations

from planting import Fault

FEW = Fault(
    "littlestone.decomposition.irreducibility:reducing_path",
    "H.reducing_points(k)",
    "H.reducing_points(k - 1)",
    "k - 1 points are tried",
)
FAULTS: dict[str, list[Fault]] = {
    "valid_trees_exist": [FEW],
    "a_new_hypothesis": [
        Fault(
            "littlestone.decomposition.exact:Decompositions.dimension",
            "space.deepest(t) >= 0",
            "True",
            "DDim is always 0",
        )
    ],
    "greedy_nested_trees": [FEW],
    "lists_of_greedy_trees": [
        Fault(
            "littlestone.decomposition.tree:DecompositionTree.hypotheses",
            "for V in self.leaves() if",
            "for V in list(self.leaves())[1:] if",
            "the first leaf is not listed",
        )
    ],
}
NOT_YET = {
    "leaf_counts",
    "soa_class",
    "nested_classes",
    "essential_hypotheses_hold",
    "exposed_hypotheses",
    "few_columns",
    "error_balls",
    "lists_of_balls",
}
