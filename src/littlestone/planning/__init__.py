"""Planning: lower bounds, proved and calibrated sample sizes, and the choice of a learner."""

from littlestone.planning.calibrated import Calibrated, calibrated
from littlestone.planning.choice import ALPHA, BETA, Candidate, candidates, choose_learner
from littlestone.planning.formulas import Stated, formulas, stream_formulas
from littlestone.planning.lower import LowerBound, lower_bounds
from littlestone.planning.plan import AtN, Plan, Row, plan
from littlestone.planning.streams import StreamPlan, plan_stream

__all__ = [
    "ALPHA",
    "BETA",
    "AtN",
    "Calibrated",
    "Candidate",
    "LowerBound",
    "Plan",
    "Row",
    "Stated",
    "StreamPlan",
    "calibrated",
    "candidates",
    "choose_learner",
    "formulas",
    "lower_bounds",
    "plan",
    "plan_stream",
    "stream_formulas",
]
