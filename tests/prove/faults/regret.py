"""Faults that turn the rows of `prove/papers/regret.py` red."""

from __future__ import annotations

from planting import Fault

LEARNER = "littlestone.theory.game.players:AgnosticExperts"
FAULTS: dict[str, list[Fault]] = {
    "few_more_mistakes": [
        Fault(
            f"{LEARNER}.update",
            "1.0 if label == y else self.kept",
            "1.0 if label != y else self.kept",
            "what was right loses weight",
        ),
        Fault(
            f"{LEARNER}.update",
            "1.0 if label == y else self.kept",
            "1.0",
            "nothing is learned",
        ),
        Fault(
            f"{LEARNER}.update",
            "1.0 if label == y else self.kept",
            "1.0 if label == y else self.kept**9",
            "the best so far is followed alone",
        ),
        Fault(
            f"{LEARNER}._parts",
            "weight * (share / whole)",
            "weight * (1 / (1 + share))",
            "smaller version spaces get more",
        ),
    ],
    "no_fewer_mistakes": [
        Fault(
            f"{LEARNER}.update",
            "wrong / whole",
            "wrong / whole / 2",
            "half of the mistakes are counted",
        ),
        Fault(
            "littlestone.classes.promises.tabled:TableClass.mistake_point",
            "return x\n",
            "return next(iter(self.domain))\n",
            "the first point is asked",
        ),
    ],
    "private_and_few_more_mistakes": [
        Fault(
            "littlestone.privacy.mechanisms.exponential:ExponentialMechanism.probabilities",
            "self.base ** -int(gap)",
            "self.base ** int(gap)",
            "the worst hypothesis is the likeliest",
        ),
        Fault(
            "littlestone.learn.stream.blockwise:HedgeLearner.regret_bound",
            "_log(self.learner.size) / self.eta + self.eta * T * B / 8 + B",
            "_log(self.learner.size) / self.eta",
            "the bound has the first term alone",
        ),
    ],
    "only_consistent_hypotheses": [
        Fault(
            "littlestone.theory.game.players:_Run.learn",
            "last=_begin(self.d - 1, rule)",
            "last=_begin(-1, rule)",
            "one rule of the other label is enough",
        ),
        Fault(
            "littlestone.theory.game.players:_Run.is_done",
            "self.d < 0",
            "self.d < 1",
            "one rule proves LDim > 0",
        ),
    ],
}
