from littlestone.rules.base import (
    BinaryHypothesis as BinaryHypothesis,
    Hypothesis as Hypothesis,
    disagreement as disagreement,
)
from littlestone.rules.lookup import BitFunction as BitFunction
from littlestone.rules.box import Box as Box
from littlestone.rules.lookup import BucketTable as BucketTable
from littlestone.rules.rules import CellFunction as CellFunction
from littlestone.rules.tables import FewColumns as FewColumns
from littlestone.rules.flats import Flat as Flat, FlatComplement as FlatComplement
from littlestone.rules.lookup import LookupTable as LookupTable
from littlestone.rules.majorities import has_majority as has_majority, majority as majority
from littlestone.rules.rules import RuleUnion as RuleUnion
from littlestone.rules.lookup import FiniteSet as FiniteSet
from littlestone.rules.sheet import ScoreSheet as ScoreSheet
from littlestone.rules.tables import StepFunction as StepFunction
from littlestone.rules.majorities import DirectSum as DirectSum
from littlestone.rules.tables import (
    TableFunction as TableFunction,
    function_of_labels as function_of_labels,
    values_of as values_of,
)
from littlestone.rules.nodes import ColumnTest as ColumnTest
from littlestone.rules.trees import DecisionTree as DecisionTree
from littlestone.rules.flats import ZeroSet as ZeroSet
