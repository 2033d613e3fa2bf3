"""``python -m benchmarks.uncertain_votes``: how steep votes may be, by two bounds; some ten seconds.

Each row is a vote: its budget, voters, threshold and hits, and the least N by either bound, where
r = 1 + 1 / N.  Private prediction needs copies in proportion to N.

closed form: the label and the rest of an uncertain answer are each bounded at their own worst votes.
maximum: the largest factor of any votes, which the mechanism uses.

Asserted: no maximum is above the closed form.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product
from unittest.mock import patch

from rich.console import Console

from benchmarks.harness import require, steps
from littlestone.classes import parse_class
from littlestone.learn.stream import PredictionLearner
from littlestone.privacy import Budget
from littlestone.privacy.mechanisms import between_thresholds
from littlestone.privacy.mechanisms.between_thresholds import BetweenThresholds
from littlestone.privacy.mechanisms.uncertain_votes import moment_per_hit
from littlestone.privacy.samplers.reals import Real

BUDGETS = [Budget(1, "1e-6"), Budget(".5", "1e-6"), Budget(10, "1e-3")]
CLASSES = ["points(a)", "subsets(a; at most 2)", "thresholds(a, 0..15)"]
HORIZON = 200_000


def votes() -> list[BetweenThresholds]:
    """Those of private prediction by default, and some others."""
    others = [(8867, 4800, 6217), (400, 300, 50), (9, 8, 10)]
    return [
        *(
            PredictionLearner(parse_class(text), budget, horizon=HORIZON).votes
            for text, budget in product(CLASSES, BUDGETS)
        ),
        *(
            BetweenThresholds(
                budget=BUDGETS[0], voters=voters, threshold=threshold, hits=hits, horizon=HORIZON
            )
            for voters, threshold, hits in others
        ),
    ]


def closed_form(r: Fraction, a: int, voters: int, threshold: int) -> Fraction | None:
    """At least `moment_per_hit`: tangents where all votes are equal, and the worst label."""
    b = a - 1
    h = Fraction(Real.of(1 / r).power(threshold - voters // 2).enclose(64)[1], 1 << 64)
    h *= r ** (voters % 2)

    def rest(s: Fraction) -> Fraction:
        loss = s**-b - s**b * (1 - b * (s * s - 1))
        return s**b * (1 - b * (s - 1)) - h * max(Fraction(0), loss)

    least = min(rest(r), rest(1 / r))
    if least <= 0:
        return None
    worst = (r**-b + b * r - a) / (r + b * r**-b - a * r ** (1 - b))
    worst = worst.limit_denominator(10**9)  # the moment is flat there
    label = (1 + worst * r**-b) * ((1 + r * worst) / (1 + worst)) ** b / (1 + worst)
    found = moment_per_hit(r, a, voters, threshold)
    require(found is not None and found <= label / least, "the maximum is above the closed form")
    return label / least


def by_closed_form(mechanism: BetweenThresholds) -> int:
    """N with the closed form in place of the maximum."""
    with patch.object(between_thresholds, "moment_per_hit", closed_form):
        return replace(mechanism).steepness  # a copy, which finds its own N


def show(console: Console) -> None:
    """Print the table."""
    lines = [f"{'budget':43}  voters  threshold    hits  closed form  maximum"]
    for made in steps(votes(), "uncertain votes", console):
        sizes = f"{made.voters:8}{made.threshold:11}{made.hits:8}"
        lines.append(f"{made.cost()!s:43}{sizes}{by_closed_form(made):13}{made.steepness:9}")
    console.print(*lines, sep="\n", highlight=False, soft_wrap=True)


if __name__ == "__main__":
    show(Console())
