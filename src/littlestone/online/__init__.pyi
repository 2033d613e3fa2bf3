from littlestone.online.adversaries import (
    Adversary as Adversary,
    RandomAdversary as RandomAdversary,
    TreeAdversary as TreeAdversary,
)
from littlestone.online.agnostic import AgnosticExperts as AgnosticExperts
from littlestone.online.base import OnlineLearner as OnlineLearner, Player as Player
from littlestone.online.halving import Halving as Halving, majority as majority
from littlestone.online.game import Round as Round, Transcript as Transcript, play as play
from littlestone.online.sequences import (
    FileAdversary as FileAdversary,
    SequenceAdversary as SequenceAdversary,
)
from littlestone.online.soa import StandardOptimalAlgorithm as StandardOptimalAlgorithm
