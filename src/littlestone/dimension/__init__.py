"""Dimensions of finite tables of functions, with witnesses and their checkers.

Every dimension takes any table: rows of labels, an array, a finite class or a `LabelTable`.
"""

from littlestone.dimension.bounds import Bounds, InterruptedSolve, UnsettledError
from littlestone.dimension.brackets import Bracket
from littlestone.dimension.certificate import Certificate
from littlestone.dimension.collapsing import (
    CollapsingMap,
    Family,
    Question,
    psi_b,
    psi_bin,
    psi_g,
    psi_n,
)
from littlestone.dimension.dual import dual_littlestone_dimension, dual_vc_dimension
from littlestone.dimension.label_table import LabelTable
from littlestone.dimension.multiclass import (
    PsiTree,
    is_psi_shattered,
    multiclass_littlestone_dimension,
    psi_littlestone_bounds,
    psi_littlestone_dimension,
    psi_tree,
)
from littlestone.dimension.natarajan import (
    graph_dimension,
    is_psi_shattered_set,
    natarajan_dimension,
    psi_shattered_bounds,
    psi_shattered_set,
)
from littlestone.dimension.refutation import Refutation, refutes
from littlestone.dimension.refutation_graph import GraphCertificate
from littlestone.dimension.representation import (
    Representation,
    is_representation,
    representation,
)
from littlestone.dimension.shattering import is_shattered_by, mistake_tree
from littlestone.dimension.solver import littlestone_bounds, littlestone_dimension
from littlestone.dimension.star import Star, is_star, largest_star, star_bounds, star_number
from littlestone.dimension.teaching import (
    is_teaching_set,
    smallest_teaching_set,
    teaching_bounds,
    teaching_dimension,
    teaching_sets,
)
from littlestone.dimension.thresholds import (
    HalfGraph,
    half_graph,
    is_half_graph,
    threshold_bounds,
    threshold_dimension,
)
from littlestone.dimension.tree import MistakeTree
from littlestone.dimension.vc import is_shattered_set, shattered_set, vc_dimension
from littlestone.dimension.verdict import Verdict
from littlestone.dimension.zero_cover import zero_cover_function, zero_cover_number

__all__ = [
    "Bounds",
    "Bracket",
    "Certificate",
    "CollapsingMap",
    "Family",
    "GraphCertificate",
    "HalfGraph",
    "InterruptedSolve",
    "LabelTable",
    "MistakeTree",
    "PsiTree",
    "Question",
    "Refutation",
    "Representation",
    "Star",
    "UnsettledError",
    "Verdict",
    "dual_littlestone_dimension",
    "dual_vc_dimension",
    "graph_dimension",
    "half_graph",
    "is_half_graph",
    "is_psi_shattered",
    "is_psi_shattered_set",
    "is_representation",
    "is_shattered_by",
    "is_shattered_set",
    "is_star",
    "is_teaching_set",
    "largest_star",
    "littlestone_bounds",
    "littlestone_dimension",
    "mistake_tree",
    "multiclass_littlestone_dimension",
    "natarajan_dimension",
    "psi_b",
    "psi_bin",
    "psi_g",
    "psi_littlestone_bounds",
    "psi_littlestone_dimension",
    "psi_n",
    "psi_shattered_bounds",
    "psi_shattered_set",
    "psi_tree",
    "refutes",
    "representation",
    "shattered_set",
    "smallest_teaching_set",
    "star_bounds",
    "star_number",
    "teaching_bounds",
    "teaching_dimension",
    "teaching_sets",
    "threshold_bounds",
    "threshold_dimension",
    "vc_dimension",
    "zero_cover_function",
    "zero_cover_number",
]
