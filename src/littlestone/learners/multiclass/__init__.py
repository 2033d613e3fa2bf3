"""Private learners of classes with several labels, one a file."""

from littlestone.learners.multiclass.base import MulticlassLearner
from littlestone.learners.multiclass.lookup import LookupLearner

__all__ = ["LookupLearner", "MulticlassLearner"]
