"""Hypothesis classes, one per file.  A version space is again a class."""

from littlestone.classes.base import (
    BinaryClass,
    Enumerable,
    ErrorRuns,
    ErrorSums,
    HypothesisClass,
    Scored,
)
from littlestone.classes.boxes import Boxes
from littlestone.classes.combined import Combined, closure_bound
from littlestone.classes.complement import Complement
from littlestone.classes.conditions import Conditions
from littlestone.classes.conjunctions import Conjunctions
from littlestone.classes.decision_lists import DecisionLists
from littlestone.classes.declared import Declared, parse_class
from littlestone.classes.direct_sum import DirectSumClass
from littlestone.classes.finite import FiniteClass
from littlestone.classes.intervals import Intervals
from littlestone.classes.juntas import Juntas
from littlestone.classes.lookup import Lookup
from littlestone.classes.outcomes import Outcomes
from littlestone.classes.parities import Parities
from littlestone.classes.points import Points
from littlestone.classes.polynomial_zeros import PolynomialZeros
from littlestone.classes.rule_sets import RuleSets
from littlestone.classes.rules import EqualityRules
from littlestone.classes.stumps import Stumps
from littlestone.classes.subsets import Subsets
from littlestone.classes.subspaces import AffineSubspaces, LinearSubspaces
from littlestone.classes.tabled import Tabled
from littlestone.classes.thresholds import Thresholds
from littlestone.classes.trees import Trees
from littlestone.classes.union import Union

__all__ = [
    "AffineSubspaces",
    "BinaryClass",
    "Boxes",
    "Combined",
    "Complement",
    "Conditions",
    "Conjunctions",
    "DecisionLists",
    "Declared",
    "DirectSumClass",
    "Enumerable",
    "EqualityRules",
    "ErrorRuns",
    "ErrorSums",
    "FiniteClass",
    "HypothesisClass",
    "Intervals",
    "Juntas",
    "LinearSubspaces",
    "Lookup",
    "Outcomes",
    "Parities",
    "Points",
    "PolynomialZeros",
    "RuleSets",
    "Scored",
    "Stumps",
    "Subsets",
    "Tabled",
    "Thresholds",
    "Trees",
    "Union",
    "closure_bound",
    "parse_class",
]
