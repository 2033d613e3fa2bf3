from littlestone.learn.papers.agnostic import AgnosticLearner as AgnosticLearner
from littlestone.learn.papers.agnostic import RelabellingLearner as RelabellingLearner
from littlestone.learn.base import (
    Bound as Bound,
    Caveat as Caveat,
    PrivateLearner as PrivateLearner,
)
from littlestone.learn.papers.boosting import BoostingLearner as BoostingLearner
from littlestone.learn.choosing import ChoosingLearner as ChoosingLearner
from littlestone.learn.exponential import ExponentialLearner as ExponentialLearner
from littlestone.learn.papers.irreducible import GGKMLearner as GGKMLearner
from littlestone.learn.papers.globally_stable import GloballyStableLearner as GloballyStableLearner
from littlestone.learn.papers.irreducible import IrreducibleLearner as IrreducibleLearner
from littlestone.learn.bits import BitsLearner as BitsLearner
from littlestone.learn.lookup import BucketLearner as BucketLearner
from littlestone.learn.lookup import LookupLearner as LookupLearner
from littlestone.learn.bits import BitPartsLearner as BitPartsLearner
from littlestone.learn.lookup import PartitionLearner as PartitionLearner
from littlestone.learn.papers.proper import ProperLearner as ProperLearner
from littlestone.learn.papers.noisy_radii import NoisyRadiiLearner as NoisyRadiiLearner
from littlestone.learn.papers.radii import RadiiLearner as RadiiLearner
from littlestone.learn.results.release import Release as Release
from littlestone.learn.score_sheet import ScoreSheetLearner as ScoreSheetLearner
from littlestone.learn.lookup import SingleKeyLearner as SingleKeyLearner
from littlestone.learn.papers.irreducible import StagedLearner as StagedLearner
from littlestone.learn.tree_sheet import TreeSheetLearner as TreeSheetLearner
