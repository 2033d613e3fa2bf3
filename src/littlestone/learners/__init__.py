"""Private learners, one a file; each is private for every input, whatever the data."""

from littlestone.learners.base import Bound, PrivateLearner
from littlestone.learners.exponential import ExponentialLearner
from littlestone.learners.release import Release

__all__ = ["Bound", "ExponentialLearner", "PrivateLearner", "Release"]
