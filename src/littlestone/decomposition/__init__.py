"""Irreducibility, (p, d)-trees, decomposition dimension, essential hypotheses (Lyu25, section 4).

Everything here uses only `restrict`, `is_empty`, `littlestone_dimension`, `soa`, `reducing_points`
and `error_ball` of a class; docs/proofs/decomposition.md has the proofs.
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
from littlestone.decomposition.tree import DecompositionTree, Node, check_tree, leaf_bound
from littlestone.errors import TooLargeError

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
