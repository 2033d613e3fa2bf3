from littlestone.classes.base import (
    BinaryClass as BinaryClass,
    Enumerable as Enumerable,
    HypothesisClass as HypothesisClass,
    ScoredClass as ScoredClass,
)
from littlestone.classes.boxes import Boxes as Boxes
from littlestone.classes.combined import Combined as Combined, closure_bound as closure_bound
from littlestone.classes.complement import Complement as Complement
from littlestone.classes.conditions import Conditions as Conditions
from littlestone.classes.conjunctions import Conjunctions as Conjunctions
from littlestone.classes.decision_lists import DecisionLists as DecisionLists
from littlestone.classes.score_sheets import ScoreSheets as ScoreSheets
from littlestone.classes.text.declared import (
    DeclaredClass as DeclaredClass,
    parse_class as parse_class,
)
from littlestone.classes.direct_sum import DirectSumClass as DirectSumClass
from littlestone.classes.finite import FiniteClass as FiniteClass
from littlestone.classes.intervals import Intervals as Intervals
from littlestone.classes.juntas import Juntas as Juntas
from littlestone.classes.lookup import Lookup as Lookup
from littlestone.classes.outcomes import Outcomes as Outcomes
from littlestone.classes.parities import Parities as Parities
from littlestone.classes.points import Points as Points
from littlestone.classes.polynomial_zeros import PolynomialZeros as PolynomialZeros
from littlestone.classes.rule_sets import RuleSets as RuleSets
from littlestone.classes.rules import EqualityRules as EqualityRules
from littlestone.classes.stumps import Stumps as Stumps
from littlestone.classes.subsets import Subsets as Subsets
from littlestone.classes.subspaces import (
    AffineSubspaces as AffineSubspaces,
    LinearSubspaces as LinearSubspaces,
)
from littlestone.classes.promises.tabled import TableClass as TableClass
from littlestone.classes.thresholds import Thresholds as Thresholds
from littlestone.classes.trees import Trees as Trees
from littlestone.classes.union import Union as Union
from littlestone.privacy.scores import ErrorRuns as ErrorRuns, ErrorSums as ErrorSums
