from littlestone.dimension.tree import (
    Bounds as Bounds,
    InterruptedSolve as InterruptedSolve,
    UnsettledError as UnsettledError,
)
from littlestone.dimension.search.splits import Bracket as Bracket
from littlestone.dimension.certify import Certificate as Certificate
from littlestone.dimension.multiclass import (
    CollapsingMap as CollapsingMap,
    Family as Family,
    Question as Question,
    psi_b as psi_b,
    psi_bin as psi_bin,
    psi_g as psi_g,
    psi_n as psi_n,
)
from littlestone.dimension.multiclass import (
    dual_littlestone_dimension as dual_littlestone_dimension,
    dual_vc_dimension as dual_vc_dimension,
)
from littlestone.dimension.tables import LabelTable as LabelTable
from littlestone.dimension.multiclass import (
    PsiTree as PsiTree,
    is_psi_shattered as is_psi_shattered,
    multiclass_littlestone_dimension as multiclass_littlestone_dimension,
    psi_littlestone_bounds as psi_littlestone_bounds,
    psi_littlestone_dimension as psi_littlestone_dimension,
    psi_tree as psi_tree,
)
from littlestone.dimension.multiclass import (
    graph_dimension as graph_dimension,
    is_psi_shattered_set as is_psi_shattered_set,
    natarajan_dimension as natarajan_dimension,
    psi_shattered_bounds as psi_shattered_bounds,
    psi_shattered_set as psi_shattered_set,
)
from littlestone.dimension.representing import (
    Representation as Representation,
    is_representation as is_representation,
    representation as representation,
)
from littlestone.dimension.littlestone import (
    is_shattered_by as is_shattered_by,
    mistake_tree as mistake_tree,
)
from littlestone.dimension.littlestone import (
    littlestone_bounds as littlestone_bounds,
    littlestone_dimension as littlestone_dimension,
)
from littlestone.dimension.half_graphs import (
    Star as Star,
    is_star as is_star,
    largest_star as largest_star,
    star_bounds as star_bounds,
    star_number as star_number,
)
from littlestone.dimension.teaching import (
    is_teaching_set as is_teaching_set,
    smallest_teaching_set as smallest_teaching_set,
    teaching_bounds as teaching_bounds,
    teaching_dimension as teaching_dimension,
    teaching_sets as teaching_sets,
)
from littlestone.dimension.half_graphs import (
    HalfGraph as HalfGraph,
    half_graph as half_graph,
    is_half_graph as is_half_graph,
    threshold_bounds as threshold_bounds,
    threshold_dimension as threshold_dimension,
)
from littlestone.dimension.tree import MistakeTree as MistakeTree
from littlestone.dimension.multiclass import (
    is_shattered_set as is_shattered_set,
    shattered_set as shattered_set,
    vc_dimension as vc_dimension,
)
from littlestone.dimension.certify import Verdict as Verdict
from littlestone.dimension.multiclass import (
    zero_cover_function as zero_cover_function,
    zero_cover_number as zero_cover_number,
)
