"""Private online learners, one a file: a model at every step of a stream, under one budget."""

from littlestone.learners.online.base import MistakeBound, PrivateOnlineLearner, PrivateStream
from littlestone.learners.online.keys import KeyLearner

__all__ = ["KeyLearner", "MistakeBound", "PrivateOnlineLearner", "PrivateStream"]
