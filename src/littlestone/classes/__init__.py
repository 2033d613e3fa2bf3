"""Hypothesis classes, one a file; a version space is again a class."""

from littlestone.classes.base import Enumerable, ErrorRuns, HypothesisClass
from littlestone.classes.declared import parse_class
from littlestone.classes.finite import FiniteClass
from littlestone.classes.parities import Parities
from littlestone.classes.points import Points
from littlestone.classes.polynomial_zeros import PolynomialZeros
from littlestone.classes.rules import EqualityRules
from littlestone.classes.subsets import Subsets
from littlestone.classes.subspaces import AffineSubspaces, LinearSubspaces
from littlestone.classes.thresholds import Thresholds

__all__ = [
    "AffineSubspaces",
    "Enumerable",
    "EqualityRules",
    "ErrorRuns",
    "FiniteClass",
    "HypothesisClass",
    "LinearSubspaces",
    "Parities",
    "Points",
    "PolynomialZeros",
    "Subsets",
    "Thresholds",
    "parse_class",
]
