from littlestone.hypotheses.base import (
    BinaryHypothesis as BinaryHypothesis,
    Hypothesis as Hypothesis,
    disagreement as disagreement,
)
from littlestone.hypotheses.bits import BitFunction as BitFunction
from littlestone.hypotheses.box import Box as Box
from littlestone.hypotheses.buckets import BucketTable as BucketTable
from littlestone.hypotheses.cells import CellFunction as CellFunction
from littlestone.hypotheses.few_columns import FewColumns as FewColumns
from littlestone.hypotheses.flats import Flat as Flat, FlatComplement as FlatComplement
from littlestone.hypotheses.lookup import LookupTable as LookupTable
from littlestone.hypotheses.majorities import has_majority as has_majority, majority as majority
from littlestone.hypotheses.rules import RuleUnion as RuleUnion
from littlestone.hypotheses.sets import FiniteSet as FiniteSet
from littlestone.hypotheses.steps import StepFunction as StepFunction
from littlestone.hypotheses.sums import DirectSum as DirectSum
from littlestone.hypotheses.tables import (
    TableFunction as TableFunction,
    function_of_labels as function_of_labels,
    values_of as values_of,
)
from littlestone.hypotheses.trees import ColumnTest as ColumnTest, DecisionTree as DecisionTree
from littlestone.hypotheses.zero_sets import ZeroSet as ZeroSet
