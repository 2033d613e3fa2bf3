from littlestone.learn.stream.base import (
    MistakeBound as MistakeBound,
    PrivateOnlineLearner as PrivateOnlineLearner,
)
from littlestone.learn.stream.private_stream import PrivateStream as PrivateStream
from littlestone.learn.stream.blockwise import BlockLearner as BlockLearner
from littlestone.learn.stream.choice import (
    KnownMistakes as KnownMistakes,
    choose_online_learner as choose_online_learner,
    online_candidates as online_candidates,
    online_choice as online_choice,
)
from littlestone.learn.stream.confirmed import ConfirmedLearner as ConfirmedLearner
from littlestone.learn.stream.run import (
    DurableStream as DurableStream,
    durable_run as durable_run,
)
from littlestone.learn.stream.blockwise import HedgeLearner as HedgeLearner
from littlestone.learn.stream.keys import KeyLearner as KeyLearner
from littlestone.learn.stream.rules import RuleLearner as RuleLearner
from littlestone.learn.stream.staged import StagedOnlineLearner as StagedOnlineLearner
from littlestone.learn.stream.tallied import TalliedLearner as TalliedLearner
from littlestone.learn.stream.teachers import TeacherLearner as TeacherLearner
