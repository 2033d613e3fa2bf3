"""How many records: lower bounds, proved and calibrated sizes; and which learner to take."""

from littlestone.planning.calibrated import Calibrated, calibrated
from littlestone.planning.choice import ALPHA, BETA, Candidate, candidates, choose_learner
from littlestone.planning.formulas import formulas
from littlestone.planning.lower import LowerBound, lower_bounds
from littlestone.planning.plan import AtN, Plan, Row, plan

__all__ = [
    "ALPHA",
    "BETA",
    "AtN",
    "Calibrated",
    "Candidate",
    "LowerBound",
    "Plan",
    "Row",
    "calibrated",
    "candidates",
    "choose_learner",
    "formulas",
    "lower_bounds",
    "plan",
]
