"""Hypothesis classes, one a file; a version space is again a class."""

from littlestone.classes.base import Enumerable, ErrorRuns, HypothesisClass
from littlestone.classes.boxes import Boxes
from littlestone.classes.combined import Combined, closure_bound
from littlestone.classes.complement import Complement
from littlestone.classes.conjunctions import Conjunctions
from littlestone.classes.decision_lists import DecisionLists
from littlestone.classes.declared import parse_class
from littlestone.classes.direct_sum import DirectSumClass
from littlestone.classes.finite import FiniteClass
from littlestone.classes.intervals import Intervals
from littlestone.classes.juntas import Juntas
from littlestone.classes.points import Points
from littlestone.classes.stumps import Stumps
from littlestone.classes.tabled import Tabled
from littlestone.classes.thresholds import Thresholds
from littlestone.classes.union import Union

__all__ = [
    "Boxes",
    "Combined",
    "Complement",
    "Conjunctions",
    "DecisionLists",
    "DirectSumClass",
    "Enumerable",
    "ErrorRuns",
    "FiniteClass",
    "HypothesisClass",
    "Intervals",
    "Juntas",
    "Points",
    "Stumps",
    "Tabled",
    "Thresholds",
    "Union",
    "closure_bound",
    "parse_class",
]
