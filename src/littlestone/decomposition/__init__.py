"""Irreducibility, (p, d)-trees, decomposition dimension, essential hypotheses (Lyu25, section 4).

Everything here speaks to a class through `restrict`, `is_empty`, `littlestone_dimension`, `soa`,
`reducing_points` and `error_ball` alone; docs/proofs/decomposition.md has the proofs.
"""

from littlestone.decomposition.ball import Ball, error_ball
from littlestone.decomposition.exact import (
    Decompositions,
    decomposition_dimension,
    essential_hypotheses,
    optimal_tree,
)
from littlestone.decomposition.greedy import certain_hypotheses, decompose, refine, top_hypotheses
from littlestone.decomposition.irreducibility import is_irreducible, reduces, reducing_path
from littlestone.decomposition.limits import TooLargeError
from littlestone.decomposition.tree import DecompositionTree, Node, check_tree, leaf_bound

__all__ = [
    "Ball",
    "DecompositionTree",
    "Decompositions",
    "Node",
    "TooLargeError",
    "certain_hypotheses",
    "check_tree",
    "decompose",
    "decomposition_dimension",
    "error_ball",
    "essential_hypotheses",
    "is_irreducible",
    "leaf_bound",
    "optimal_tree",
    "reduces",
    "reducing_path",
    "refine",
    "top_hypotheses",
]
