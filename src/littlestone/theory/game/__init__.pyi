from littlestone.theory.game.game import (
    Adversary as Adversary,
    RandomAdversary as RandomAdversary,
    TreeAdversary as TreeAdversary,
)
from littlestone.theory.game.players import AgnosticExperts as AgnosticExperts
from littlestone.theory.game.players import OnlineLearner as OnlineLearner, Player as Player
from littlestone.theory.game.players import Halving as Halving, majority as majority
from littlestone.theory.game.game import Round as Round, Transcript as Transcript, play as play
from littlestone.theory.game.game import (
    FileAdversary as FileAdversary,
    SequenceAdversary as SequenceAdversary,
)
from littlestone.theory.game.players import OracleLearner as OracleLearner
from littlestone.theory.game.players import StandardOptimalAlgorithm as StandardOptimalAlgorithm
from littlestone.theory.game.values import RandomizedLearner as RandomizedLearner
from littlestone.theory.game.values import Board as Board, Game as Game, Play as Play
from littlestone.theory.game.values import (
    AppleGame as AppleGame,
    BanditGame as BanditGame,
    LenientGame as LenientGame,
    RandomizedGame as RandomizedGame,
    SelfDirectedGame as SelfDirectedGame,
    TransductiveGame as TransductiveGame,
)
