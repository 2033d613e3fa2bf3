"""Hypotheses: functions from a domain to {0, ..., k}, equal iff they agree everywhere.

Every class writes its functions in one canonical form, so that structural equality is equality as
functions.  A histogram of hypotheses then adds all votes for one function, whatever version space it
came from, and a released hypothesis carries nothing but the function itself.
A new kind is one file here.
"""

from littlestone.hypotheses.base import BinaryHypothesis, Hypothesis, disagreement
from littlestone.hypotheses.bits import BitFunction
from littlestone.hypotheses.box import Box
from littlestone.hypotheses.buckets import BucketTable
from littlestone.hypotheses.cells import CellFunction
from littlestone.hypotheses.few_columns import FewColumns
from littlestone.hypotheses.flats import Flat, FlatComplement
from littlestone.hypotheses.lookup import LookupTable
from littlestone.hypotheses.majority import has_majority, majority
from littlestone.hypotheses.rules import RuleUnion
from littlestone.hypotheses.sets import FiniteSet
from littlestone.hypotheses.steps import StepFunction
from littlestone.hypotheses.sums import DirectSum
from littlestone.hypotheses.tables import TableFunction, function_of_labels, values_of
from littlestone.hypotheses.trees import ColumnTest, DecisionTree
from littlestone.hypotheses.zero_sets import ZeroSet

__all__ = [
    "BinaryHypothesis",
    "BitFunction",
    "Box",
    "BucketTable",
    "CellFunction",
    "ColumnTest",
    "DecisionTree",
    "DirectSum",
    "FewColumns",
    "FiniteSet",
    "Flat",
    "FlatComplement",
    "Hypothesis",
    "LookupTable",
    "RuleUnion",
    "StepFunction",
    "TableFunction",
    "ZeroSet",
    "disagreement",
    "function_of_labels",
    "has_majority",
    "majority",
    "values_of",
]
