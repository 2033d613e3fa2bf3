"""Online learning as a mistake game: learners, adversaries and transcripts."""

from littlestone.online.adversaries import Adversary, RandomAdversary, TreeAdversary
from littlestone.online.agnostic import AgnosticExperts
from littlestone.online.base import OnlineLearner, Player
from littlestone.online.halving import Halving, majority
from littlestone.online.play import Round, Transcript, play
from littlestone.online.sequences import FileAdversary, SequenceAdversary
from littlestone.online.soa import StandardOptimalAlgorithm

__all__ = [
    "Adversary",
    "AgnosticExperts",
    "FileAdversary",
    "Halving",
    "OnlineLearner",
    "Player",
    "RandomAdversary",
    "Round",
    "SequenceAdversary",
    "StandardOptimalAlgorithm",
    "Transcript",
    "TreeAdversary",
    "majority",
    "play",
]
