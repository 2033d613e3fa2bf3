from littlestone.theory.decomposition.valid_trees import Ball as Ball, error_ball as error_ball
from littlestone.theory.decomposition.tree_search import (
    Decompositions as Decompositions,
    decomposition_dimension as decomposition_dimension,
    essential_hypotheses as essential_hypotheses,
    optimal_tree as optimal_tree,
)
from littlestone.theory.decomposition.tree_search import (
    certain_hypotheses as certain_hypotheses,
    decompose as decompose,
    refine as refine,
    top_hypotheses as top_hypotheses,
)
from littlestone.theory.decomposition.tree_search import (
    is_irreducible as is_irreducible,
    reduces as reduces,
    reducing_path as reducing_path,
)
from littlestone.theory.decomposition.valid_trees import (
    DecompositionTree as DecompositionTree,
    Node as Node,
    check_tree as check_tree,
    leaf_bound as leaf_bound,
)
from littlestone.base.errors import TooLargeError as TooLargeError
