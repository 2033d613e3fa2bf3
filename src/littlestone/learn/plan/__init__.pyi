from littlestone.learn.plan.simulated_sizes import (
    CalibratedSize as CalibratedSize,
    find_calibration as find_calibration,
)
from littlestone.learn.plan.choice import (
    ALPHA as ALPHA,
    BETA as BETA,
    Candidate as Candidate,
    candidates as candidates,
    choose_learner as choose_learner,
)
from littlestone.learn.plan.sizes import (
    StatedSize as StatedSize,
    formulas as formulas,
    stream_formulas as stream_formulas,
)
from littlestone.learn.plan.lower import LowerBound as LowerBound, lower_bounds as lower_bounds
from littlestone.learn.plan.sizes import AtN as AtN, Plan as Plan, Row as Row, plan as plan
from littlestone.learn.plan.sizes import StreamPlan as StreamPlan, plan_stream as plan_stream
