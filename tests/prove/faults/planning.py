"""Faults that turn the rows of `prove/papers/planning.py` red."""

from __future__ import annotations

from planting import Fault

FAULTS: dict[str, list[Fault]] = {
    "sizes_above": [
        Fault(
            "littlestone.learn.plan.missed:SizedByKeys.plan",
            "plan(alpha,",
            "plan(2 * alpha,",
            "half of the elements need not be covered",
        )
    ],
    "one_point": [
        Fault(
            "littlestone.privacy.mechanisms.partition_selection:SingleKeySelection.base",
            "exp_below(self.epsilon)",
            "exp_below(2 * self.epsilon)",
            "curves of twice epsilon",
        )
    ],
    "indistinct_bits": [
        Fault(
            "littlestone.learn.plan.lower:indistinct",
            "_step(even, epsilon, delta), _step",
            "_step(even, 2 * epsilon, delta), _step",
            "a pair of records moves a bit by 2 epsilon",
        )
    ],
    "rules_on_a_branch": [
        Fault(
            "littlestone.learn.plan.lower:_log_tail",
            "range(1, k)",
            "range(1, k + 1)",
            "at most k points for fewer than k",
        )
    ],
    "least_sizes": [
        Fault(
            "littlestone.learn.plan.lower:chain",
            "return _by_the_mean(points",
            "return 3 * _by_the_mean(points",
            "three times the bound",
        ),
        Fault(
            "littlestone.learn.plan.lower:path",
            "weight, enough = m * alpha / k",
            "weight, enough = alpha / k",
            "one point in place of m",
        ),
        Fault(
            "littlestone.learn.plan.lower:path",
            "_log_tail(m, k)",
            "_log_tail(m, k) / 2",
            "half of the exponent",
        ),
    ],
    "mistakes_above": [
        Fault(
            "littlestone.learn.plan.lower_mistakes:fresh",
            "<= 2 * M + 1",
            "<= 0",
            "no mistakes are allowed for",
        ),
        Fault(
            "littlestone.learn.plan.lower_mistakes:bound_theorem_7",
            "enumerate(curve)",
            "enumerate(curve, 1000)",
            "a thousand mistakes more",
        ),
        Fault(
            "littlestone.learn.plan.lower_mistakes:bound_theorem_9",
            "return math.ceil(d *",
            "return math.ceil(30 * d *",
            "thirty mistakes for one",
        ),
    ],
    "tournaments_stated": [
        Fault(
            "littlestone.learn.plan.sizes:formulas",
            "16.0**d * d**2 * (d + rare) / (epsilon * alpha),",
            "8.0**d * d**2 * (d + rare) / (epsilon * alpha),",
            "8^d for 16^d",
        ),
        Fault(
            "littlestone.learn.papers.globally_stable:paper_sizes",
            "8 ** (d + 1)",
            "16 ** (d + 1)",
            "a tournament may draw 2^(d + 1) times as much",
        ),
    ],
    "ggkm_stated": [
        Fault(
            "littlestone.learn.plan.sizes:formulas",
            "d**6 * inside**2 / (epsilon * alpha**2))\n",
            "d**3 * inside**2 / (epsilon * alpha**2))\n",
            "d^3 for d^6",
        ),
        Fault(
            "littlestone.learn.plan.sizes:formulas",
            "d**6 * inside**2 / (epsilon * alpha**2))\n",
            "d**6 * inside**2 / epsilon)\n",
            "no alpha",
        ),
    ],
}
