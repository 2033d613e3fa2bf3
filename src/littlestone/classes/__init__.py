"""Hypothesis classes, one a file; a version space is again a class."""

from littlestone.classes.base import Enumerable, ErrorRuns, HypothesisClass
from littlestone.classes.declared import parse_class
from littlestone.classes.finite import FiniteClass
from littlestone.classes.intervals import Intervals
from littlestone.classes.points import Points
from littlestone.classes.thresholds import Thresholds

__all__ = [
    "Enumerable",
    "ErrorRuns",
    "FiniteClass",
    "HypothesisClass",
    "Intervals",
    "Points",
    "Thresholds",
    "parse_class",
]
