from littlestone.learners.agnostic.other_labels import AgnosticLearner as AgnosticLearner
from littlestone.learners.agnostic.own_labels import RelabellingLearner as RelabellingLearner
from littlestone.learners.base import (
    Bound as Bound,
    Caveat as Caveat,
    PrivateLearner as PrivateLearner,
)
from littlestone.learners.boosting import BoostingLearner as BoostingLearner
from littlestone.learners.choosing import ChoosingLearner as ChoosingLearner
from littlestone.learners.exponential import ExponentialLearner as ExponentialLearner
from littlestone.learners.ggkm import GGKMLearner as GGKMLearner
from littlestone.learners.globally_stable import GloballyStableLearner as GloballyStableLearner
from littlestone.learners.irreducible import IrreducibleLearner as IrreducibleLearner
from littlestone.learners.labels.bits import BitsLearner as BitsLearner
from littlestone.learners.labels.buckets import BucketLearner as BucketLearner
from littlestone.learners.labels.lookup import LookupLearner as LookupLearner
from littlestone.learners.labels.parts import BitPartsLearner as BitPartsLearner
from littlestone.learners.partition import PartitionLearner as PartitionLearner
from littlestone.learners.proper import ProperLearner as ProperLearner
from littlestone.learners.radii import RadiiLearner as RadiiLearner
from littlestone.learners.release import Release as Release
from littlestone.learners.single_key import SingleKeyLearner as SingleKeyLearner
from littlestone.learners.staged import StagedLearner as StagedLearner
