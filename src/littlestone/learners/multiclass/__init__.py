"""Private learners of classes with several labels, one a file."""

from littlestone.learners.multiclass.base import MulticlassLearner

__all__ = ["MulticlassLearner"]
