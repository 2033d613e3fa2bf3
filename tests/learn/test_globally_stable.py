"""The globally stable learner: its whole distribution on tiny samples, and real draws."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Hashable, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy import stats

from littlestone.base.errors import DeclarationError, TooLargeError
from littlestone.classes import FiniteClass, HypothesisClass, Parities, Points, Subsets, Thresholds
from littlestone.data.sample import Sample
from littlestone.learn import GloballyStableLearner
from littlestone.learn.papers.globally_stable import (
    BatchSizes,
    Examples,
    calibrated_sizes,
    paper_sizes,
    proved_sizes,
    stability,
    stable_rule,
)
from littlestone.learn.papers.teachers import permute_examples
from littlestone.points import Integers
from littlestone.privacy import Budget
from littlestone.privacy.accounting.subsampled import Parallel
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.mechanisms.partition_selection import StableHistogram
from littlestone.prove.audit import audit_epsilon
from littlestone.prove.audit.claims import exact_audit, neighbours
from littlestone.prove.audit.subjects.reductions import (
    Show,
    StableLearner,
    as_text,
    in_order,
    law_of_stable,
)
from littlestone.prove.audit.subjects.whole_learners import Records, released_text
from littlestone.rules import Hypothesis
from littlestone.theory.game.players import ExtendedSOA

TINY = Thresholds.on(0, 1)
RECORDS = tuple(product((0, 1), (0, 1)))


def claim(
    epsilon: str, delta: str, sizes: BatchSizes, kind: type[StableLearner] = StableLearner
) -> StableLearner:
    return kind(TINY, Budget(epsilon, delta), sizes=sizes)


TOURNAMENTS = BatchSizes(block=1, caps=(0, 2), batches=2, fresh=1)
VOTES = BatchSizes(block=1, caps=(0,), batches=3, fresh=2)
CASES = [
    ("1", "0.2", TOURNAMENTS),
    ("2", "0.3", TOURNAMENTS),
    ("2", "0.3", VOTES),
    ("1", "0.05", VOTES),
]


VOTED = ("2", "0.3", BatchSizes(block=1, caps=(0,), batches=3, fresh=1))


def is_private(learner: StableLearner, show: Show = as_text, records: Records = RECORDS) -> bool:
    """The exact audit of all neighbouring sequences finds nothing.

    With the order known: the uniform one of `draw` can only hide more, and would hide the plants.
    """
    sizes = learner.sizes
    assert sizes is not None
    pairs = neighbours(records, sizes.n)
    return exact_audit(in_order(learner, show), pairs, learner.event).holds


@pytest.mark.parametrize(("epsilon", "delta", "sizes"), CASES)
def test_private_on_every_tiny_pair(epsilon: str, delta: str, sizes: BatchSizes) -> None:
    assert is_private(claim(epsilon, delta, sizes), records=RECORDS[:3])


def test_private_after_the_permutation() -> None:
    learner = claim(*CASES[1])
    pairs = neighbours(RECORDS, TOURNAMENTS.n, ordered=False)
    assert exact_audit(law_of_stable(learner), pairs, learner.event).holds


class Lower(StableHistogram[Any]):
    """A threshold that is one too low."""

    threshold = property(
        lambda self: StableHistogram(Budget(self.epsilon, self.delta)).threshold - 1
    )


class WrongDelta(StableLearner):
    """Releases keys too easily, and claims what the right threshold would cost."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.claimed = Parallel([self.histogram, self.choice])
        self.histogram = Lower(self.histogram.budget)

    @property
    def event(self) -> Parallel:
        return self.claimed


class SameRecords(StableLearner):
    """Chooses among the rules by the records that voted for them, at the price of one of both."""

    def split(self, examples: Examples[Any], sizes: BatchSizes) -> tuple[Any, Any]:
        _, batches = super().split(examples, sizes)
        return examples, batches


class BatchesByData(StableLearner):
    """A batch ends at each positive record, so that all of them have one."""

    def split(self, examples: Examples[Any], sizes: BatchSizes) -> tuple[Any, Any]:
        fresh, _ = super().split(examples, sizes)
        batches: list[list[Any]] = [[]]
        for x, y in examples[sizes.fresh :]:
            batches[-1].append((x, y))
            batches += [[]] * y
        return fresh, batches


def with_its_batch(h: Hypothesis[Any], batches: Sequence[Any]) -> Hashable:
    """The rule, as an object that remembers the records it was made of."""
    return h.words(), tuple(batches[0])


def test_a_teachers_object_is_caught() -> None:
    assert is_private(claim(*VOTED))
    assert not is_private(claim(*VOTED), with_its_batch)


@pytest.mark.parametrize("kind", [WrongDelta, BatchesByData])
def test_plants_are_caught(kind: type[StableLearner]) -> None:
    assert not is_private(claim(*VOTED, kind))


def test_records_that_are_used_twice_are_caught() -> None:
    """Counts and errors then move together: the odds of two rules by e^epsilon each."""
    sizes, a, b = BatchSizes(block=1, caps=(0,), batches=9, fresh=0), (0, 1), (0, 0)
    pairs = [((a,) * (i + 1) + (b,) * (8 - i), (a,) * i + (b,) * (9 - i)) for i in range(9)]
    for kind, private in ((StableLearner, True), (SameRecords, False)):
        learner = claim("4", "0.01", sizes, kind)
        assert exact_audit(in_order(learner), pairs, learner.event).holds == private


def fit(learner: StableLearner, sample: Sample[Any], rng: random.Random) -> Hypothesis[Any]:
    with Ledger() as ledger:
        release = learner.fit(sample, ledger=ledger, dataset="made up", rng=rng)
    h: Hypothesis[Any] = release.hypothesis
    return h


@pytest.mark.deep
def test_draws_have_the_exact_distribution() -> None:
    learner, rng = claim(*CASES[1]), random.Random(3)
    data = ((0, 0), (0, 1), (1, 1), (1, 1), (1, 0))
    sample = Sample.from_examples(TINY.domain, data)
    masses = law_of_stable(learner)(data)
    counts = Counter[Hashable](released_text(fit(learner, sample, rng)) for _ in range(300))
    assert set(counts) <= set(masses)
    expected = [300 * float(mass) for mass in masses.values()]
    assert stats.chisquare([counts[h] for h in masses], expected).pvalue > 1e-4


@pytest.mark.deep
def test_a_larger_sample_is_audited_by_its_draws() -> None:
    H = Points(Integers())
    learner = GloballyStableLearner(H, Budget(1, "0.01"))
    many = [(x, 1) for x in (1, 2)] * 60
    one = Sample.from_examples(H.domain, many)
    other = Sample.from_examples(H.domain, [(3, 1), *many[1:]])
    bound = audit_epsilon(
        lambda rng: fit(learner, one, rng).words(),
        lambda rng: fit(learner, other, rng).words(),
        delta=Fraction(1, 100),
        trials=150,
        confidence="0.999",
        rng=random.Random(1),
    )
    assert bound.epsilon <= 1


def by_definition(H: FiniteClass, examples: Records) -> dict[Any, int]:
    """BLM20, Definition 8, with the rule as a table of labels."""
    V, seen = H, list(examples)
    rule = {x: H.soa_label(x) for x in H.domain}
    for t, (x, y) in enumerate(seen):
        longer = H
        for a, b in seen[: t + 1]:
            longer = longer.restrict(a, b)
        if longer.is_empty():
            rule[x] = y
        else:
            V = longer
            rule = {z: V.soa_label(z) for z in H.domain}
    return rule


def test_the_extended_soa_by_its_definition() -> None:
    rng = np.random.default_rng(8)
    realizable = Counter[bool]()
    for _ in range(60):
        H = FiniteClass.from_array(rng.integers(0, 2, size=(7, 4)))
        points = list(H.domain)
        drawn = [(points[int(rng.integers(4))], int(rng.integers(2))) for _ in range(5)]
        state = ExtendedSOA(H).after(drawn)
        rule = state.hypothesis()
        assert rule is not None
        assert {x: rule(x) for x in points} == by_definition(H, tuple(drawn))
        realizable[state.realizable] += 1
    assert min(realizable[True], realizable[False]) >= 5


@pytest.mark.parametrize(
    "H", [Thresholds.on(0, 9), Points(Integers()), Subsets(Integers(), 2)], ids=str
)
def test_flips_are_canonical(H: HypothesisClass[Any]) -> None:
    """Whatever the class of finite sets or steps, equal rules are equal keys."""
    for examples in product([(3, 0), (3, 1), (9, 1), (0, 1)], repeat=3):
        rule = ExtendedSOA(H).after(examples).hypothesis()
        assert rule is not None
        assert rule == Hypothesis.from_json(rule.to_json())
        last = dict(examples)
        assert all(rule(x) == y for x, y in list(last.items())[-1:])


def test_the_size_of_a_tournament() -> None:
    """Depth k takes at least 2 (2^k - 1) blocks and one more, and gives up when they run out."""
    H, rng = Thresholds.on(0, 62), random.Random(2)
    for k in range(4):
        need = 2 * (2**k - 1) + 1
        blocks = [[(x, int(x >= 30))] for x in rng.sample(range(63), need - 1)]
        assert stable_rule(H, k, iter(blocks), rng) is None
        more = [[(x, int(x >= 30))] for x in rng.choices(range(63), k=50 * need)]
        assert stable_rule(H, k, iter(more), rng) is not None


def test_nothing_raises_whatever_the_data() -> None:
    rng = random.Random(4)
    classes = [
        Thresholds.on(0, 7),
        Points(Integers()),
        Subsets(Integers(), 2),
        Parities.examples()[0],
    ]
    sizes = BatchSizes(block=2, caps=(0, 2, 6), batches=6, fresh=3)
    for H, _ in product(classes, range(20)):
        learner = GloballyStableLearner(H, Budget(4, "0.4"), sizes=sizes)
        points = H.domain.examples(4)
        n = rng.choice([1, 5, sizes.n, 2 * sizes.n])  # fewer than the sizes say, too
        data = [(rng.choice(points), rng.randrange(2)) for _ in range(n)]
        fit(learner, Sample.from_examples(H.domain, data), rng)


def test_too_much_work_is_no_vote(monkeypatch: pytest.MonkeyPatch) -> None:
    def too_large(*_: Any) -> None:
        raise TooLargeError("work", found="too much", fix="none")

    monkeypatch.setattr(ExtendedSOA, "after", too_large)
    learner = claim(*CASES[0])
    assert learner.rule(((0, 1),), 0, TOURNAMENTS, random.Random(0)) is None


def test_permuted_is_uniform() -> None:
    sample = Sample.from_examples(Integers(), [(1, 0), (1, 1), (2, 1)])
    rng = random.Random(6)
    counts = Counter(tuple(permute_examples(sample, rng)) for _ in range(3000))
    assert len(counts) == 6
    assert stats.chisquare(list(counts.values())).pvalue > 1e-4


def test_learns() -> None:
    rng = random.Random(7)
    H = Subsets(Integers(), 2)
    learner = GloballyStableLearner(H, Budget(1, "1e-6"))
    xs = [rng.choice([7, 8, 9 + rng.randrange(50)]) for _ in range(20_000)]
    sample = Sample.from_examples(H.domain, [(x, int(x in (7, 8))) for x in xs])
    assert fit(learner, sample, rng).words() == "x is one of 7, 8"


def test_a_single_hypothesis_is_released_at_once() -> None:
    H = FiniteClass.from_array([[0, 1]])
    learner = GloballyStableLearner(H, Budget(1, "1e-6"))
    sample = Sample.from_examples(H.domain, [("x0", 1)])
    assert fit(learner, sample, random.Random(0)) == H.soa()


@pytest.mark.parametrize("d", [1, 2, 3])
def test_sizes_are_consistent(d: int) -> None:
    proved = proved_sizes(d, 0.1, 0.05, Budget(1, "1e-6"))
    eta = stability(d) / (2 * (d + 1))
    assert proved.batches % (d + 1) == 0
    assert proved.keep >= 3 * eta * proved.batches / 4
    assert proved.n == proved.fresh + sum(map(proved.batch, range(proved.batches)))
    for n in (1, 1000, 10**6):
        assert calibrated_sizes(n, d, Fraction(1, 10)).n <= n
    assert paper_sizes(d, 0.1, 0.05, Budget(1, "1e-6")).caps[0] == 8 ** (d + 1)


@pytest.mark.parametrize("stated", [{"budget": Budget(1)}, {"alpha": 0}, {"alpha": 1}])
def test_declarations_are_checked(stated: dict[str, Any]) -> None:
    with pytest.raises(DeclarationError):
        GloballyStableLearner(TINY, **{"budget": Budget(1, "1e-6"), **stated})
    with pytest.raises(DeclarationError):
        BatchSizes(0, (0,), 1, 1)


def test_each_fresh_record_is_a_step_for_each_rule_that_may_be_left() -> None:
    few, more = (
        GloballyStableLearner(
            Thresholds.on(0, 1), Budget(1, "0.1"), sizes=BatchSizes(1, (0,), 90, fresh, keep=30)
        ).work(1000)
        for fresh in (0, 7)
    )
    assert more == few + 7 * 3
