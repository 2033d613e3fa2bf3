"""Mistakes in counting mistakes that do not all cost the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import combinations, product
from typing import Any

from littlestone.classes import FiniteClass, Thresholds
from littlestone.data.sample import Sample
from littlestone.learn import ExponentialLearner
from littlestone.privacy import Budget
from littlestone.privacy.draws import CELLS
from littlestone.privacy.mechanisms.cell_counts import CellCounts
from littlestone.privacy.mechanisms.choosing import ChoosingMechanism
from littlestone.privacy.mistakes import MistakeCosts
from littlestone.privacy.rational import exp_below
from littlestone.privacy.scores import ErrorRuns, ErrorSums
from littlestone.prove.audit import Subject, mechanism_subject
from littlestone.prove.audit.subjects.lists import COVERED
from littlestone.prove.audit.subjects.noisy_counts import estimate_subject
from plants.harness import Claim, Masses, Plant, is_private, weighted

ONE = Fraction(1)
MISSED, ALARM = 3, 1

# One function against many others, so that the sum of all weights moves against one of them.  None of
# them is 1 at the third point.
_OTHERS = [[1, 0, 0, *bits] for bits in product((0, 1), repeat=5)]
H = FiniteClass.from_array([[0, 1, 0, 0, 0, 0, 0, 0], *_OTHERS])
X, Y, Z = list(H.domain)[:3]
EXAMPLES = tuple(product((X, Y), (0, 1)))
EVEN = ((X, 1), (X, 0)) * 4


def _exponential(base: Fraction, costs: Callable[[Any], tuple[int, int]]) -> Subject[Any]:
    """The exponential mechanism with this base; ``costs`` may look at the records."""

    def law(data: Any) -> Masses:
        sample = Sample.from_examples(H.domain, data)
        missed, alarm = costs(data)
        errors = H.error_runs(sample.weigh((alarm, missed))).errors.tolist()
        return weighted({i: base**-e for i, e in enumerate(errors)})

    return replace(EXPONENTIAL, distribution=law)


LEARNER = ExponentialLearner(H, Budget(1), cost=(MISSED, ALARM))


def scored(data: Any) -> ErrorRuns:
    scores = LEARNER.scores(Sample.from_examples(H.domain, data))
    assert isinstance(scores, ErrorRuns)
    return scores


EXPONENTIAL = mechanism_subject(
    LEARNER.mechanism,
    pairs=[
        ((*rest, one), (*rest, other))
        for rest in ((), EVEN, ((Z, 1),), *((example,) for example in EXAMPLES))
        for one, other in combinations(EXAMPLES, 2)
    ],
    large=((EXAMPLES[1],) * 9, (EXAMPLES[1],) * 8 + (EXAMPLES[3],)),
    read=scored,
)


def declared(data: Any) -> tuple[int, int]:
    return MISSED, ALARM


def balanced(data: Any) -> tuple[int, int]:
    """Missed positives weigh as much in all as false alarms, up to the costs that are declared."""
    positives = sum(y for _, y in data)
    return (MISSED, ALARM) if 2 * positives <= len(data) else (ALARM, MISSED)


def rounded_sums(data: Any) -> Masses:
    """Costs 5 : 2 as 2.5 : 1, where each sum is rounded down."""
    sample = Sample.from_examples(H.domain, data)
    errors = H.error_runs(sample.weigh((2, 5))).errors.tolist()
    base = exp_below(ONE / 5)  # for a sensitivity of 2.5
    return weighted({i: base ** -(e // 2) for i, e in enumerate(errors)})


# The choosing mechanism.

SMALL = Budget(1, "1e-6")


@dataclass(frozen=True)
class BottomOfCountedRecords(ChoosingMechanism[str]):
    """A candidate that one record brings is taken to weigh r, and it weighs r^a."""

    @property
    def heaviest(self) -> int:
        return 1


@dataclass(frozen=True)
class BottomOfTheAlarm(ChoosingMechanism[str]):
    """A candidate that one record brings is taken to weigh r^b, and it weighs r^a."""

    @property
    def heaviest(self) -> int:
        return self.loss


@dataclass(frozen=True)
class BaseOfTheSum(ChoosingMechanism[str]):
    """The base is e^(epsilon / (a + b)), as if only a label could change."""

    @cached_property
    def base(self) -> Fraction:
        return exp_below(self.epsilon / (self.gain + self.loss))


@dataclass(frozen=True)
class BaseOfTheLoss(ChoosingMechanism[str]):
    """The base is e^(epsilon / (2 b)), as if only false alarms counted."""

    @cached_property
    def base(self) -> Fraction:
        return exp_below(self.epsilon / (2 * self.loss))


def _choosing(mechanism: ChoosingMechanism[str]) -> Subject[Any]:
    """Two records that differ, alone, beside a few, and beside two hypotheses above bottom."""
    level = -(-mechanism.bottom // mechanism.gain)
    # The second hypothesis is rare, and yet likelier than delta.
    crowd = ((("a",), True),) * (level + 9) + ((("b",), True),) * (level + 3)
    rests: list[Any] = [(), crowd, *((record,) for record in COVERED)]
    records = [*COVERED, (("b",), True)]
    pairs = [
        ((*rest, one), (*rest, other)) for rest in rests for one, other in combinations(records, 2)
    ]
    found = mechanism_subject(mechanism, pairs=pairs, large=pairs[0])
    return replace(found, event=Claim(mechanism.epsilon, mechanism.delta))


def _plant_of(kind: type[ChoosingMechanism[str]]) -> Plant:
    fields = SMALL, 2, MISSED, ALARM
    mistake = (kind.__doc__ or "").partition("\n")[0]
    honest = _choosing(ChoosingMechanism[str](*fields))
    return Plant(f"costs_{kind.__name__}", mistake, is_private, honest, _choosing(kind(*fields)))


# What a learner counts, by definition.


def counts_costs(learner: ExponentialLearner[Any]) -> bool:
    """The likeliest rule is one of least cost, on samples where the two costs pull apart."""
    sample = Sample.from_examples(learner.hypotheses.domain, [(1, 1)] * 2 + [(1, 0)] * 5)
    rules = {1: "positive", 0: "negative"}
    costs = {rules[0]: 2 * MISSED, rules[1]: 5 * ALARM}
    masses: dict[str, Fraction] = {}
    for h, p in learner.distribution(sample).items():
        masses[rules[h(1)]] = masses.get(rules[h(1)], Fraction(0)) + p
    return max(masses, key=masses.__getitem__) == min(costs, key=costs.__getitem__)


class Swapped(ExponentialLearner[Any]):
    """A missed positive counts as a false alarm, and a false alarm as a missed positive."""

    def scores(self, sample: Sample[Any]) -> ErrorRuns | ErrorSums:
        alarm, missed = self.mistakes.weights
        return self.hypotheses.scores(sample.weigh((missed, alarm)))


def _learner(kind: type[ExponentialLearner[Any]]) -> ExponentialLearner[Any]:
    return kind(Thresholds.on(1, 1), Budget(1), cost=(MISSED, ALARM))


def _group(draw: Fraction) -> Subject[Any]:
    """A group with its size and rate, where the draw has the epsilon ``draw`` and 1 is claimed."""
    cost = MistakeCosts.above("0.3")
    found = estimate_subject(CellCounts(ONE * 9 / 10, len(CELLS)), epsilon=draw, cost=cost)
    return replace(found, event=Claim(ONE))


PLANTS = [
    Plant(
        "costs_sensitivity_one",
        "Mistakes weigh what they cost, and the base is that of errors that count 1.",
        is_private,
        EXPONENTIAL,
        _exponential(exp_below(ONE / 2), declared),
    ),
    Plant(
        "costs_least_for_largest",
        "The base is that of the smaller cost.",
        is_private,
        EXPONENTIAL,
        _exponential(exp_below(ONE / (2 * min(MISSED, ALARM))), declared),
    ),
    Plant(
        "costs_base_of_the_sum",
        "The base is e^(epsilon / (a + b)), as if only a label could change.",
        is_private,
        EXPONENTIAL,
        _exponential(exp_below(ONE / (MISSED + ALARM)), declared),
    ),
    Plant(
        "costs_of_the_data",
        "The rarer label has the larger cost, and which one is rarer is read from the records.",
        is_private,
        EXPONENTIAL,
        _exponential(exp_below(ONE / (2 * MISSED)), balanced),
    ),
    Plant(
        "costs_rounded_sums",
        "Costs are decimals, and each sum of costs is rounded to a whole number.",
        is_private,
        EXPONENTIAL,
        replace(EXPONENTIAL, distribution=rounded_sums),
    ),
    *map(_plant_of, [BottomOfCountedRecords, BottomOfTheAlarm, BaseOfTheSum, BaseOfTheLoss]),
    Plant(
        "costs_swapped",
        "A missed positive counts as a false alarm, and a false alarm as a missed positive.",
        counts_costs,
        _learner(ExponentialLearner),
        _learner(Swapped),
    ),
    Plant(
        "costs_figures_on_top",
        "A group is drawn with all of epsilon, and its figures are not paid for.",
        is_private,
        _group(ONE / 10),
        _group(ONE),
    ),
]
