from littlestone.learners.online.base import (
    MistakeBound as MistakeBound,
    PrivateOnlineLearner as PrivateOnlineLearner,
    PrivateStream as PrivateStream,
)
from littlestone.learners.online.choice import (
    Known as Known,
    choose_online_learner as choose_online_learner,
    online_candidates as online_candidates,
    online_choice as online_choice,
)
from littlestone.learners.online.confirmed import ConfirmedLearner as ConfirmedLearner
from littlestone.learners.online.durable import (
    DurableStream as DurableStream,
    durable_run as durable_run,
)
from littlestone.learners.online.keys import KeyLearner as KeyLearner
from littlestone.learners.online.own_prediction import OwnPrediction as OwnPrediction
from littlestone.learners.online.prediction import (
    PredictionLearner as PredictionLearner,
    PredictionStream as PredictionStream,
)
from littlestone.learners.online.rules import RuleLearner as RuleLearner
from littlestone.learners.online.staged import StagedOnlineLearner as StagedOnlineLearner
from littlestone.learners.online.tallied import TalliedLearner as TalliedLearner
from littlestone.learners.online.taped import (
    StreamLearner as StreamLearner,
    TapedStream as TapedStream,
)
from littlestone.learners.online.teachers import TeacherLearner as TeacherLearner
