"""Private online learners, one a file: a model at every step of a stream, under one budget."""

from littlestone.learners.online.base import MistakeBound, PrivateOnlineLearner, PrivateStream
from littlestone.learners.online.choice import (
    Known,
    choose_online_learner,
    online_candidates,
    online_choice,
)
from littlestone.learners.online.confirmed import ConfirmedLearner
from littlestone.learners.online.durable import DurableStream, durable_run
from littlestone.learners.online.keys import KeyLearner
from littlestone.learners.online.own_prediction import OwnPrediction
from littlestone.learners.online.prediction import PredictionLearner, PredictionStream
from littlestone.learners.online.rules import RuleLearner
from littlestone.learners.online.staged import StagedOnlineLearner
from littlestone.learners.online.tallied import TalliedLearner
from littlestone.learners.online.taped import StreamLearner, TapedStream
from littlestone.learners.online.teachers import TeacherLearner

__all__ = [
    "ConfirmedLearner",
    "DurableStream",
    "KeyLearner",
    "Known",
    "MistakeBound",
    "OwnPrediction",
    "PredictionLearner",
    "PredictionStream",
    "PrivateOnlineLearner",
    "PrivateStream",
    "RuleLearner",
    "StagedOnlineLearner",
    "StreamLearner",
    "TalliedLearner",
    "TapedStream",
    "TeacherLearner",
    "choose_online_learner",
    "durable_run",
    "online_candidates",
    "online_choice",
]
