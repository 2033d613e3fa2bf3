"""The learners as their papers state them: private on every tiny pair, and faithful to the rules."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Hashable
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest

from littlestone.base.errors import DeclarationError, LedgerError
from littlestone.classes import FiniteClass, Subsets, parse_class
from littlestone.data.sample import Sample
from littlestone.learn import GGKMLearner, StagedLearner
from littlestone.learn.papers.proper import errors
from littlestone.learn.papers.voting import VotingLearner
from littlestone.points import Integers
from littlestone.privacy import Budget
from littlestone.privacy.cost import PrivacyCost, exact
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.mechanisms.threshold_tests import probability
from littlestone.privacy.randomness import seeded_generator
from littlestone.prove.audit.claims import exact_audit, neighbours
from littlestone.prove.papers.lyu25_lists import chunks_of_three

Learner = VotingLearner[Any]
ONE, TWO = Subsets(Integers(), 1), Subsets(Integers(), 2)
PAIRS = FiniteClass.from_array([[0, 0], [0, 1], [1, 0]])


def holds(kind: type[Any], H: Any, *, n: int, teachers: int, epsilons: Any = ("1", "4")) -> bool:
    """Whether the claim survives all neighbouring sequences of n records over two points.

    The order is that of the sequence: the learner's own is uniform, which hides mistakes.
    """
    xs = list(H.domain.examples(2))[:2] if isinstance(H, FiniteClass) else range(2)
    tested = list(neighbours(tuple(product(xs, (0, 1))), n))
    for epsilon, delta in zip(epsilons, ("0.3", "0.0049"), strict=True):
        learner = kind(H, Budget(epsilon, delta), alpha="0.5", teachers=teachers, list_size=1)

        def distribution(data: Any, learner: Any = learner) -> Any:
            return told(learner, dealt(learner, data))

        if not exact_audit(distribution, tested, learner.event).holds:
            return False
    return True


def told(learner: Any, parts: list[Sample[Any]]) -> dict[Hashable, Fraction]:
    """What is released, with the stage if there is one: the tests pay for it, too."""
    found: dict[Hashable, Fraction] = {}
    staged = isinstance(learner, Hooked)
    for output, mass in (learner.transcripts(parts) if staged else learner.chances(parts)).items():
        stage, h = output if staged else (None, output)
        shown = stage, h and h.words()
        found[shown] = found.get(shown, Fraction(0)) + mass
    return found


def dealt(learner: Learner, data: Any) -> list[Sample[Any]]:
    size = len(data) // learner.teachers
    parts = [data[i * size : (i + 1) * size] for i in range(learner.teachers)]
    return [Sample.from_examples(learner.hypotheses.domain, part) for part in parts]


@pytest.mark.parametrize("kind", [StagedLearner, GGKMLearner])
@pytest.mark.parametrize(
    ("H", "n", "teachers"), [(TWO, 3, 3), (ONE, 4, 2), (PAIRS, 3, 1), (PAIRS, 4, 2)], ids=str
)
def test_private_on_every_tiny_pair(kind: type[Any], H: Any, n: int, teachers: int) -> None:
    assert holds(kind, H, n=n, teachers=teachers)


class Hooked(StagedLearner[Any]):
    """The same learner, taken apart so that mistakes can be planted."""

    def passed(self, values: list[int]) -> dict[tuple[bool, ...], Fraction]:
        return self.tests.distribution(values)

    def votes(self, stages: Any, stage: int) -> dict[Any, int]:
        return self.mechanism.scores(stages[stage])

    def transcripts(self, parts: list[Sample[Any]]) -> dict[Any, Fraction]:
        every = range(self.dimension + 1)
        stages = [[self.hypotheses_of_teacher(part, stage) for part in parts] for stage in every]
        votes = [self.votes(stages, stage) for stage in every]
        total: dict[Any, Fraction] = {}
        values = [max(found.values(), default=0) for found in votes]
        for answers, passed in self.passed(values).items():
            stage = answers.index(True) if any(answers) else None
            drawn: dict[Any, Fraction] = {None: Fraction(1)}
            if stage is not None:
                drawn = self.mechanism.chances(votes[stage])
            for h, mass in drawn.items():
                total[stage, h] = total.get((stage, h), Fraction(0)) + passed * mass
        return total


@pytest.mark.parametrize(("H", "n", "teachers"), [(PAIRS, 3, 3), (ONE, 4, 2)], ids=str)
def test_the_stage_may_be_told(H: Any, n: int, teachers: int) -> None:
    assert holds(Hooked, H, n=n, teachers=teachers)


class WithoutNoise(Hooked):
    """The stage is the first in which half of the teachers agree, exactly."""

    def passed(self, values: list[int]) -> dict[tuple[bool, ...], Fraction]:
        return {tuple(value >= self.tests.threshold for value in values): Fraction(1)}


class ThresholdNoiseOnly(Hooked):
    """The threshold is noisy, and the tests are not."""

    def passed(self, values: list[int]) -> dict[tuple[bool, ...], Fraction]:
        b, total = self.tests.noises()[0], dict[tuple[bool, ...], Fraction]()
        for rho in range(-9, 10):
            answers = tuple(value >= self.tests.threshold + rho for value in values)
            mass = (1 - b) / (1 + b) * b ** abs(rho)
            total[answers] = total.get(answers, Fraction(0)) + mass
        rest = (1 - sum(total.values(), Fraction(0))) / 2
        for answer in (False, True):
            total[(answer,) * len(values)] += rest
        return total


class CountedAtEveryStage(Hooked):
    """A stage counts the lists of those before it, too."""

    def votes(self, stages: Any, stage: int) -> dict[Any, int]:
        votes: dict[Any, int] = {}
        for lists in stages[: stage + 1]:
            for h, often in self.mechanism.scores(lists).items():
                votes[h] = votes.get(h, 0) + often
        return votes


class HeardIfTheyAgree(GGKMLearner[Any]):
    """Only those teachers are heard who say what the first one does."""

    def chances(self, parts: list[Sample[Any]]) -> dict[Any, Fraction]:
        lists = [self.hypotheses_of_teacher(part) for part in parts]
        return dict(self.mechanism.distribution([x for x in lists if x[:1] == lists[0][:1]]))


class NotCut(GGKMLearner[Any]):
    """Lists are as long as they are."""

    def chances(self, parts: list[Sample[Any]]) -> dict[Any, Fraction]:
        votes = Counter(h for part in parts for h in self.hypotheses_of_teacher(part))
        return dict(self.mechanism.chances(votes))


@pytest.mark.parametrize(
    ("kind", "H", "n", "teachers"),
    [
        (WithoutNoise, PAIRS, 3, 3),
        (ThresholdNoiseOnly, ONE, 4, 2),
        (CountedAtEveryStage, PAIRS, 3, 1),
        (HeardIfTheyAgree, TWO, 3, 3),
        (NotCut, PAIRS, 4, 2),
    ],
)
def test_a_broken_learner_is_caught(kind: type[Any], H: Any, n: int, teachers: int) -> None:
    assert not holds(kind, H, n=n, teachers=teachers)


def test_the_broken_learners_differ_by_their_mistakes_only() -> None:
    options: dict[str, Any] = {"budget": Budget(1, "0.1"), "alpha": "0.5", "teachers": 2}
    plain, hooked = StagedLearner(ONE, **options), Hooked(ONE, **options)
    for data in list(product(product(range(2), (0, 1)), repeat=4))[::7]:
        parts = dealt(plain, data)
        released: dict[Any, Fraction] = {}
        for (_, h), mass in hooked.transcripts(parts).items():
            released[h] = released.get(h, Fraction(0)) + mass
        assert released == plain.chances(parts)


@pytest.mark.parametrize("kind", [StagedLearner, GGKMLearner])
def test_it_costs_no_more_than_declared(kind: type[Any]) -> None:
    for epsilon, delta in product(("1e-6", "0.01", "1", "5", "900"), ("1e-9", "0.1")):
        for d in (0, 1, 3):
            learner = kind(Subsets(Integers(), d), Budget(epsilon, delta))
            target = PrivacyCost(exact(epsilon, what="epsilon"), exact(delta, what="delta"))
            assert learner.cost().within(target)


@pytest.mark.parametrize("kind", [StagedLearner, GGKMLearner])
@pytest.mark.parametrize("most", [1, 10_000])
def test_no_sample_raises(kind: type[Any], most: int) -> None:
    samples: list[list[tuple[Any, object]]] = [
        [(1, 0)],
        [(x, y) for x in range(5) for y in (0, 1)],
        [(x, 1) for x in range(100)],
        [("no number", 1), (None, 1), (float("nan"), "1"), (10**5000, 0)],
    ]
    for text in ("subsets(id; at most 2, integers)", "thresholds(x, 0..62)"):
        learner = kind(parse_class(text), Budget(1, "1e-6"), most=most, alpha="0.4", teachers=5)
        for rows in samples:
            sample = Sample[Any].from_examples(learner.hypotheses.domain, rows)
            with Ledger() as ledger:
                learner.fit(sample, ledger=ledger, dataset="d", rng=seeded_generator(1))


@pytest.mark.parametrize("kind", [StagedLearner, GGKMLearner])
def test_a_used_receipt_draws_nothing(kind: type[Any]) -> None:
    class Untouched(random.Random):
        def getrandbits(self, k: int) -> int:
            raise AssertionError("a random bit was read")

    learner = kind(ONE, Budget(1, "1e-6"))
    sample = Sample[Any].from_examples(ONE.domain, [(1, 1)] * 100)
    with Ledger() as ledger:
        receipt = ledger.spend(learner.event, dataset="d", what="test", rng=Untouched())
        for part, _ in learner.event.uses():
            receipt.redeem(part)
        with pytest.raises(LedgerError):
            learner.draw(sample, receipt=receipt)


@pytest.mark.parametrize("kind", [StagedLearner, GGKMLearner])
def test_two_points_are_found(kind: type[Any]) -> None:
    g, rng, found = np.random.default_rng(1), seeded_generator(2), 0
    learner = kind(TWO, Budget(1, "1e-6"))
    n = 60 * learner.teachers
    for _ in range(3):
        counts = {i: [0, int(c)] for i, c in enumerate(g.multinomial(n, [0.3, 0.2, 0.5])[:2])}
        counts |= {1000 + i: [1, 0] for i in range(n - sum(c for _, c in counts.values()))}
        with Ledger() as ledger:
            release = learner.fit(
                Sample[Any].from_counts(TWO.domain, counts), ledger=ledger, dataset="d", rng=rng
            )
        found += release.hypothesis.words() == "x is one of 0, 1"
    assert found == 3


@pytest.mark.parametrize("kind", [StagedLearner, GGKMLearner])
def test_refusals(kind: type[Any]) -> None:
    for wrong in ({"alpha": 1}, {"alpha": -1}, {"teachers": 0}, {"list_size": 0}, {"most": 0}):
        with pytest.raises(DeclarationError, match=next(iter(wrong))):
            kind(ONE, Budget(1, "1e-6"), **wrong)
    with pytest.raises(DeclarationError, match="delta"):
        kind(ONE, Budget(1))
    assert kind(ONE, Budget(1, "1e-6")).plan(0.1, 0.05, setting="realizable") is None


def interleaved(learner: Any, parts: list[Sample[Any]]) -> bool:
    """Whether each ball of the smaller radius lies in all those of the larger one, at each step."""
    H, d, m, alpha = learner.hypotheses, learner.dimension, parts[0].n, learner.alpha
    wrong = np.array([errors(list(H), part) for part in parts])
    if isinstance(learner, StagedLearner):
        radii = [alpha * m * (1 - Fraction(j, 2 * (d + 1))) for j in range(d + 1)]
        pairs = list(pairwise(radii))
    else:
        a = alpha / (d + 1)
        pairs = [(m * (alpha - t * a - a * 2 / 3), m * (alpha - t * a - a)) for t in range(d + 1)]
    return all(
        wrong[:, (wrong <= inner).any(axis=0)].max(initial=0) <= outer for outer, inner in pairs
    )


@pytest.mark.parametrize("kind", [StagedLearner, GGKMLearner])
def test_in_the_good_event_enough_teachers_list_one_rule(kind: type[Any]) -> None:
    rng, tried = np.random.default_rng(11), 0
    for alpha in ["0.4", "0.7", "0.95"] * 60:
        H, parts = chunks_of_three(rng)
        learner = kind(H, Budget(1, "0.1"), alpha=alpha, teachers=3, list_size=99, most=None)
        if not interleaved(learner, parts):
            continue
        tried += 1
        if kind is StagedLearner:
            stages = range(learner.dimension + 1)
            lists = [
                [learner.hypotheses_of_teacher(part, stage) for part in parts] for stage in stages
            ]
            assert max(map(learner.agreement, lists)) == 3
        else:
            votes = learner.mechanism.scores(
                [learner.hypotheses_of_teacher(part) for part in parts]
            )
            assert max(votes.values()) >= -(-3 // (learner.dimension + 1))
        assert all(
            len(learner.hypotheses_of_teacher(part))
            <= learner.longest(parts[0].n, learner.dimension)
            for part in parts
        )
    assert tried > 20


@pytest.mark.parametrize(("m", "d", "leaves"), [(3, 1, 12), (2, 2, 742), (0, 1, 3)])
def test_the_longest_list_of_a_stage(m: int, d: int, leaves: int) -> None:
    # C(D, 0) + ... + C(D, d) for D = m + (m + 1) 2^d (2^d - 1): 11, 38 and 2.
    assert StagedLearner.longest(m, d) == leaves


@pytest.mark.parametrize("kind", [StagedLearner, GGKMLearner])
def test_the_proved_size(kind: type[Any]) -> None:
    goal: dict[str, Any] = {"alpha": 0.1, "beta": 0.05}
    for d in (1, 2):
        learner = kind.with_proved_bound(Subsets(Integers(), d), Budget(1, "1e-6"), **goal)
        bound = learner.plan(**goal, setting="realizable")
        m = bound.n // learner.teachers
        assert learner.failure(m, 0.1) <= 0.05 < learner.failure(m - 1, 0.1)
        assert learner.plan(**goal) is None
        assert learner.miss_probability() < 0.05 / 4


def test_the_tail_of_the_noise_of_a_test() -> None:
    for epsilon, tolerance in ((2, 1e-9), (900, 1e-4)):
        learner = StagedLearner(ONE, Budget(epsilon, "0.1"))
        for x in (1, 2, 7, 20):
            exactly = probability([x], [True], *learner.tests.noises())
            assert learner.tests.tail(x) == pytest.approx(float(exactly), rel=tolerance)


def test_the_list_rule_of_ggkm() -> None:
    def words(H: Any, rows: list[tuple[Any, int]]) -> list[str]:
        learner = GGKMLearner(H, Budget(1, "0.1"), alpha="0.9", teachers=1)
        return sorted(
            h.words() for h in learner.hypotheses_of_teacher(Sample.from_examples(H.domain, rows))
        )

    # m = 12, a = 0.3: sets with one point are the widest; 7 errors let a teacher stop, 8 are listed.
    assert words(TWO, [(1, 1)] * 5 + [(2, 1)] * 7) == ["x is 1", "x is 2"]
    assert words(TWO, [(1, 1)] * 4 + [(2, 1)] * 8) == ["x is 1", "x is 2"]
    assert words(TWO, [(1, 1)] * 3 + [(2, 1)] * 9) == ["x is 2"]
    # m = 1, l = 2: six singletons are 4-irreducible, five are not.
    singletons = [FiniteClass.from_array(np.eye(n, dtype=int)) for n in (6, 7)]
    five, six = (words(H, [("x0", 0)]) for H in singletons)
    assert len(five) == 5
    assert six == ["always 0"]
