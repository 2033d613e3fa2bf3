"""Faults that turn the rows of `prove/papers/lyu25_trees.py` red."""

from __future__ import annotations

from planting import Fault

SPACE = "littlestone.theory.decomposition.tree_search:_Space"
ESSENTIAL = "littlestone.theory.decomposition.tree_search:Decompositions.essential"
FAULTS: dict[str, list[Fault]] = {
    "irreducible_classes": [
        Fault(
            "littlestone.theory.decomposition.tree_search:is_irreducible",
            "H.reducing_points(k)",
            "H.reducing_points(k - 1)",
            "k - 1 points are tried",
        ),
    ],
    "covers": [
        Fault(
            "littlestone.theory.decomposition.tree_search:reducing_path",
            "< H.littlestone_dimension()",
            "<= H.littlestone_dimension()",
            "a path ends after one example",
        ),
        Fault(
            "littlestone.theory.decomposition.tree_search:reduces",
            "labelled and V.littlestone_dimension() <",
            "labelled and V.littlestone_dimension() <=",
            "a path that reduces nothing passes",
        ),
    ],
    "least_degree": [
        Fault(f"{SPACE}.__init__", "int(k - shared.p)", "int(k)", "leaves may be p deeper"),
    ],
    "in_every_optimal_tree": [
        Fault(
            ESSENTIAL,
            "if space.deepest(t, avoid=self.number(f)) < 0",
            "",
            "the tops of one optimal tree are essential",
        ),
        Fault(
            f"{SPACE}.may_end",
            "self.soa != avoid",
            "True",
            "nothing is essential",
        ),
        Fault(
            f"{SPACE}.stubborn",
            "self.deepest_node + 1",
            "0",
            "every irreducible class withstands all trees",
        ),
    ],
    "leaves_of_all_trees": [
        Fault(
            "littlestone.theory.decomposition.valid_trees:leaf_bound",
            "range(dimension - t + 1)",
            "range(dimension - t)",
            "one term of the sum is lacking",
        ),
    ],
}
