"""Faults that turn the rows of `prove/papers/lyu25_sizes.py` red."""

from __future__ import annotations

from planting import Fault

SIZES = "littlestone.learn.stream.stage_sizes"
PROVED = f"{SIZES}:with_proved_bound"
BOUND = "littlestone.learn.stream.staged:StagedOnlineLearner.mistake_bound"
FAULTS: dict[str, list[Fault]] = {
    "number_of_calls": [
        Fault(f"{SIZES}:calls_needed", "math.log(5 / 4)", "math.log(500)", "ln 500 for ln(5/4)"),
        Fault(f"{SIZES}:calls_needed", "2 * margin", "margin", "the margin counts once"),
        Fault(f"{SIZES}:leaves", "cap << j", "cap", "p is c in every stage"),
    ],
    "few_mistakes": [
        Fault(
            BOUND,
            "mistakes = self.sizes.calls *",
            "mistakes = self.sizes.calls // 10 *",
            "a tenth of the mistakes",
        ),
        Fault(f"{SIZES}:rates", "found = [-", "found = [-2 *", "a rate of Lemma 3 is doubled"),
        Fault(
            f"{SIZES}:_log_crowding",
            "return x - mean - x *",
            "return x - mean - 2 * x *",
            "a chunk is seldom full",
        ),
        Fault(
            f"{SIZES}:draws_failure",
            "math.log(horizon) - draws",
            "math.log(horizon) - 2 * draws",
            "half the draws",
        ),
    ],
}
