"""Private learners, one a file. Each is private for every input, whatever the data."""

from littlestone.learners.agnostic.other_labels import AgnosticLearner
from littlestone.learners.agnostic.own_labels import RelabellingLearner
from littlestone.learners.base import Bound, Caveat, PrivateLearner
from littlestone.learners.boosting import BoostingLearner
from littlestone.learners.choosing import ChoosingLearner
from littlestone.learners.exponential import ExponentialLearner
from littlestone.learners.ggkm import GGKMLearner
from littlestone.learners.globally_stable import GloballyStableLearner
from littlestone.learners.irreducible import IrreducibleLearner
from littlestone.learners.labels.bits import BitsLearner
from littlestone.learners.labels.buckets import BucketLearner
from littlestone.learners.labels.lookup import LookupLearner
from littlestone.learners.labels.parts import BitPartsLearner
from littlestone.learners.partition import PartitionLearner
from littlestone.learners.proper import ProperLearner
from littlestone.learners.radii import RadiiLearner
from littlestone.learners.release import Release
from littlestone.learners.single_key import SingleKeyLearner
from littlestone.learners.staged import StagedLearner

__all__ = [
    "AgnosticLearner",
    "BitPartsLearner",
    "BitsLearner",
    "BoostingLearner",
    "Bound",
    "BucketLearner",
    "Caveat",
    "ChoosingLearner",
    "ExponentialLearner",
    "GGKMLearner",
    "GloballyStableLearner",
    "IrreducibleLearner",
    "LookupLearner",
    "PartitionLearner",
    "PrivateLearner",
    "ProperLearner",
    "RadiiLearner",
    "RelabellingLearner",
    "Release",
    "SingleKeyLearner",
    "StagedLearner",
]
