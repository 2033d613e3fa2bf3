"""Hypothesis classes, one a file; a version space is again a class."""

from littlestone.classes.base import Enumerable, ErrorRuns, HypothesisClass
from littlestone.classes.declared import parse_class
from littlestone.classes.finite import FiniteClass
from littlestone.classes.points import Points
from littlestone.classes.rule_sets import RuleSets
from littlestone.classes.rules import EqualityRules
from littlestone.classes.subsets import Subsets
from littlestone.classes.thresholds import Thresholds

__all__ = [
    "Enumerable",
    "EqualityRules",
    "ErrorRuns",
    "FiniteClass",
    "HypothesisClass",
    "Points",
    "RuleSets",
    "Subsets",
    "Thresholds",
    "parse_class",
]
