"""Private learners of classes with several labels, one a file."""

from littlestone.learners.multiclass.base import MulticlassLearner
from littlestone.learners.multiclass.bits import BitsLearner
from littlestone.learners.multiclass.buckets import BucketLearner
from littlestone.learners.multiclass.lookup import LookupLearner
from littlestone.learners.multiclass.parts import BitPartsLearner
from littlestone.learners.multiclass.tournaments import TournamentLearner

__all__ = [
    "BitPartsLearner",
    "BitsLearner",
    "BucketLearner",
    "LookupLearner",
    "MulticlassLearner",
    "TournamentLearner",
]
