from littlestone.theory.game.adversaries import (
    Adversary as Adversary,
    RandomAdversary as RandomAdversary,
    TreeAdversary as TreeAdversary,
)
from littlestone.theory.game.agnostic import AgnosticExperts as AgnosticExperts
from littlestone.theory.game.base import OnlineLearner as OnlineLearner, Player as Player
from littlestone.theory.game.halving import Halving as Halving, majority as majority
from littlestone.theory.game.game import Round as Round, Transcript as Transcript, play as play
from littlestone.theory.game.sequences import (
    FileAdversary as FileAdversary,
    SequenceAdversary as SequenceAdversary,
)
from littlestone.theory.game.soa import StandardOptimalAlgorithm as StandardOptimalAlgorithm
