"""The proper learner: private, in the class, and near whatever the improper one releases."""

from __future__ import annotations

import random
from collections.abc import Hashable, Iterator
from fractions import Fraction
from functools import cache, partial
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

from exact_draws import Draws
from littlestone.base.errors import DeclarationError, LedgerError
from littlestone.classes import (
    EqualityRules,
    FiniteClass,
    Points,
    Subsets,
    Thresholds,
    parse_class,
)
from littlestone.data.sample import Sample
from littlestone.learn import IrreducibleLearner, ProperLearner
from littlestone.learn.base import PrivateLearner
from littlestone.learn.papers.proper import errors
from littlestone.learn.papers.teachers import frontier, list_records, shuffle_records
from littlestone.points import Integers
from littlestone.privacy import Budget
from littlestone.privacy.cost import exact_epsilon
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.mechanisms.exponential import ExponentialMechanism
from littlestone.privacy.randomness import seeded_generator
from littlestone.privacy.samplers import selection
from littlestone.privacy.scores import ErrorRuns
from littlestone.prove.audit.claims import exact_audit, neighbours
from littlestone.prove.audit.subject import receipt_for_trials
from littlestone.rules import FiniteSet, Hypothesis, RuleUnion, function_of_labels

Learner = ProperLearner[Any]
ALPHA = Fraction(1, 4)
CODE = FiniteClass.from_array([[0, 0, 1], [0, 1, 0], [1, 0, 0]])


def releasable(H: Any, points: list[Any], m: int) -> set[Hypothesis[Any]]:
    """All that a teacher of m records at these points may list, and what is released for bottom."""
    found = {H.soa()}
    for rows in product(product(points, (0, 1)), repeat=m):
        found |= set(frontier(H, Sample.from_examples(H.domain, rows), m))
    return found


def furthest(H: Any, f: Any, points: list[Any]) -> Fraction:
    """The largest share of the mixture that differs from f at one of the points."""
    mixed = H.mixture(f, ALPHA)
    return max(Fraction(sum(h(x) != f(x) for h in mixed), len(mixed)) for x in points)


def value(table: list[list[int]]) -> float:
    """The least that any mixture of the rows, 1 where they differ from f, differs in every column."""
    A = np.array(table).T
    bounds = np.hstack([A, -np.ones((len(A), 1))])
    return float(
        linprog(
            [0.0] * A.shape[1] + [1.0],
            A_ub=bounds,
            b_ub=np.zeros(len(A)),
            A_eq=[[1.0] * A.shape[1] + [0.0]],
            b_eq=[1.0],
        ).fun
    )


def distributions(points: list[Any], size: int) -> Iterator[list[int]]:
    """All weights with this sum."""
    yield from (list(w) for w in product(range(size + 1), repeat=len(points)) if sum(w) == size)


@pytest.mark.deep
def test_tables_are_near_whenever_a_mixture_is() -> None:
    rng, near = np.random.default_rng(4), 0
    tables = [rng.integers(0, 2, (int(rng.integers(2, 9)), 4)) for _ in range(12)]
    tables += [np.eye(n, dtype=int) for n in (3, 8, 12)]
    for table in tables:
        H = FiniteClass.from_array(table)
        xs, members = list(H.domain), list(H)
        for f in releasable(H, xs[:4], 1) | releasable(H, xs[:3], 2):
            mixed = H.mixture(f, ALPHA)
            assert set(mixed) <= set(members)
            if value([[int(h(x) != f(x)) for x in xs] for h in members]) <= ALPHA / 2 + 1e-9:
                near += f not in members
                assert furthest(H, f, xs) <= ALPHA
                for weights in distributions(xs, 4) if len(xs) < 9 else ():
                    apart = [sum(w * (h(x) != f(x)) for x, w in zip(xs, weights)) for h in mixed]  # noqa: B905
                    assert min(apart) <= ALPHA * 4
    assert near > 0  # not all of them are in the class


def test_the_soa_of_thresholds_is_a_threshold() -> None:
    H = Thresholds.on(0, 6)
    members = [H.hypothesis(i) for i in range(H.size or 0)]
    for low, high in product(range(8), repeat=2):
        V = H.restrict(low, 0) if low < 7 else H
        V = V.restrict(high, 1) if high < 7 else V
        if not V.is_empty():
            assert H.mixture(V.soa(), ALPHA) == [V.soa()]
            assert V.soa() in members


@pytest.mark.parametrize(
    "H",
    [
        Points(Integers()),
        Points(Integers(), exactly=True),
        Subsets(Integers(), 2),
        Subsets(Integers(), 2, exactly=True),
    ],
    ids=str,
)
def test_sets_are_filled_up(H: Any) -> None:
    points = list(range(3))
    for f in releasable(H, points, 1) | releasable(H, points, 2):
        mixed = H.mixture(f, ALPHA)
        assert furthest(H, f, list(range(40))) <= ALPHA
        for h in mixed:
            assert isinstance(h, FiniteSet)
            assert H.fewest <= len(h.members) <= H.max_elements


@pytest.mark.parametrize(
    ("columns", "literals", "zero"), [(2, 1, True), (2, 2, True), (2, 1, False), (3, 2, False)]
)
def test_rules_are_near_whenever_a_mixture_is(columns: int, literals: int, zero: bool) -> None:
    H = EqualityRules.over_columns(*"abc"[:columns], max_literals=literals, zero=zero)
    values = list(product(["u", "w"], repeat=columns))
    points = list(product(["u", "w", "v0", "new"], repeat=columns))

    def is_member(h: Any) -> bool:
        return (zero and not h.rules) or (
            len(h.rules) == 1 and sum(v is not None for v in next(iter(h.rules))) <= literals
        )

    for m in (1, 2):
        for f in releasable(H, values, m):
            mixed = H.mixture(f, ALPHA)
            assert all(map(is_member, mixed))
            apart = furthest(H, f, points)
            if m >= columns - 1 and isinstance(f, RuleUnion) and f.rules:
                assert is_member(f)  # enough records to single out a rule
            if is_member(f):
                assert apart == 0
            elif not f.rules:  # type: ignore[attr-defined]
                assert apart <= ALPHA
            else:
                differ = [[int(h(x) != f(x)) for x in points] for h in dict.fromkeys(mixed)]
                assert apart <= Fraction(3, 2) * Fraction(value(differ)) + ALPHA / 4 + Fraction(
                    1, 99
                )


class OneOfTwo(PrivateLearner[Any]):
    """One of two functions that are not in the class, by the exponential mechanism."""

    def __init__(self, H: Any, epsilon: object) -> None:
        self.hypotheses, self.mechanism = H, ExponentialMechanism(exact_epsilon(epsilon))
        self.rules = [function_of_labels(H.domain, [y] * 3) for y in (0, 1)]

    @property
    def event(self) -> ExponentialMechanism:
        mechanism: ExponentialMechanism = self.mechanism
        return mechanism

    def draw(self, sample: Any, *, receipt: Any) -> Any:
        return self.rules[
            self.mechanism.draw(ErrorRuns(errors(self.rules, sample)), receipt=receipt)
        ]

    def distribution(self, sample: Any) -> dict[Any, Fraction]:
        masses = self.mechanism.probabilities(errors(self.rules, sample))
        return dict(zip(self.rules, masses, strict=True))

    def plan(self, alpha: float, beta: float, *, setting: Any = "agnostic") -> None:
        return None


def holds(kind: type[Learner], *, teachers: bool) -> bool:
    """Whether the claim survives all neighbouring sequences; the order is that of the sequence."""
    xs = list(CODE.domain)[:2]
    tested = list(neighbours(tuple(product(xs, (0, 1))), 3))
    for epsilon, delta in (("1", "0.3"), ("3", "0.02")):
        goal: dict[str, Any] = {"budget": Budget(epsilon, delta)}
        improper: Any = OneOfTwo(CODE, epsilon)
        if teachers:
            improper = IrreducibleLearner(CODE, **goal, alpha="0.4", teachers=2, list_size=1)
        learner = kind(CODE, **goal, alpha="0.9", fresh="0.4", improper=improper)

        def distribution(data: Any, learner: Any = learner) -> Any:
            sample = Sample[Any].from_examples(CODE.domain, data)
            records = np.array([2 * sample.points.index(x) + y for x, y in data])
            return told(learner, sample, records)

        if not exact_audit(distribution, tested, learner.event).holds:
            return False
    return True


def told(learner: Any, sample: Sample[Any], records: Any) -> dict[Hashable, Fraction]:
    """The exact probability of the improper rule and the proper one, for one order of the records."""
    fresh, rest = learner.parts(sample, records)
    total: dict[Hashable, Fraction] = {}
    for f, chance in learner.improper.distribution(rest).items():
        near = learner.near(f)
        masses = learner.choice.probabilities(errors(near, fresh))
        for h, mass in zip(near, masses, strict=True):
            shown = f.words(), h.words()
            total[shown] = total.get(shown, Fraction(0)) + chance * mass
    return total


class ChoosesOnAllRecords(ProperLearner[Any]):
    """All records choose, also those that the improper learner saw."""

    def parts(self, sample: Sample[Any], records: Any) -> Any:
        return sample, super().parts(sample, records)[1]


class PositivesAreFresh(ProperLearner[Any]):
    """The fresh records are the first positive ones."""

    def parts(self, sample: Sample[Any], records: Any) -> Any:
        return super().parts(sample, np.array(sorted(records, key=lambda r: -(r % 2))))


class CloseOnTheSample(ProperLearner[Any]):
    """The hypotheses to choose from are those that are best on the fresh records."""

    def parts(self, sample: Sample[Any], records: Any) -> Any:
        self.seen, rest = super().parts(sample, records)
        return self.seen, rest

    def near(self, f: Hypothesis[Any]) -> list[Hypothesis[Any]]:
        found = super().near(f)
        wrong = errors(found, self.seen)
        return [h for h, often in zip(found, wrong, strict=True) if often == wrong.min()]


@pytest.mark.parametrize("teachers", [False, True])
def test_private_on_every_tiny_pair(teachers: bool) -> None:
    assert holds(ProperLearner, teachers=teachers)


@pytest.mark.parametrize("kind", [ChoosesOnAllRecords, PositivesAreFresh, CloseOnTheSample])
def test_a_broken_learner_is_caught(kind: type[Learner]) -> None:
    assert not holds(kind, teachers=False)


def draws_as_told(kind: type[Learner]) -> bool:
    """Whether `draw` itself, along every outcome of its random bits, has the law that is audited."""
    goal: dict[str, Any] = {"budget": Budget("3", "0.02")}
    learner = kind(CODE, **goal, alpha="0.9", fresh="0.4", improper=OneOfTwo(CODE, "3"))
    sample = Sample[Any].from_examples(CODE.domain, [("x0", 0), ("x0", 1), ("x1", 1)])
    receipt = cache(partial(receipt_for_trials, learner.event, 10**6))  # of one generator
    law, left_out = Draws().law(lambda rng: str(learner.draw(sample, receipt=receipt(rng)).words()))
    expected: dict[str, Fraction] = {}
    orders = list(permutations(list_records(sample)))
    for order in orders:
        law_of_order: Any = told(learner, sample, np.array(order))
        for (_, words), mass in law_of_order.items():
            expected[words] = expected.get(words, Fraction(0)) + mass / len(orders)
    return left_out == 0 and law == expected


class ChoosesAtAllOfEpsilonTwice(ProperLearner[Any]):
    """The choice is drawn with the base e^epsilon, and charged with e^(epsilon / 2)."""

    def draw(self, sample: Sample[Any], *, receipt: Any) -> Any:
        rng = receipt.redeem(self.choice)
        fresh, rest = self.parts(sample, shuffle_records(sample, rng))
        near = self.near(self.improper.draw(rest, receipt=receipt))
        return near[selection.draw_item(errors(near, fresh), None, self.choice.base**2, rng)]


def test_the_draw_has_the_law_that_is_audited() -> None:
    assert draws_as_told(ProperLearner)
    assert not draws_as_told(ChoosesAtAllOfEpsilonTwice)


@pytest.mark.parametrize(
    "text",
    [
        "points(id; integers, nonzero)",
        "subsets(id; exactly 2, integers)",
        "thresholds(x, 0..62)",
        "rules(a, b; at most 1, nonzero)",
        "conjunctions(a, b)",
    ],
)
def test_no_sample_raises_and_one_is_enough(text: str) -> None:
    H = parse_class(text)
    learner = ProperLearner(H, Budget(1, "1e-6"))
    for rows in ([], [(x, y) for x in H.domain.examples(3) for y in (0, 1)] * 40):
        sample = Sample[Any].from_examples(H.domain, [(next(iter(H.domain)), 1), *rows])
        with Ledger() as ledger:
            learner.fit(sample, ledger=ledger, dataset="d", rng=seeded_generator(1))


def test_the_set_that_labels_the_records_is_found() -> None:
    H = Subsets(Integers(), 2, exactly=True)
    learner = ProperLearner(H, Budget(1, "1e-6"))
    rows = [(7, 1)] * 1200 + [(9, 1)] * 800 + [(1000 + i, 0) for i in range(4000)]
    sample = Sample[Any].from_examples(H.domain, rows)
    with Ledger() as ledger:
        found = learner.fit(sample, ledger=ledger, dataset="d", rng=seeded_generator(1))
    assert found.hypothesis.words() == "x is one of 7, 9"


def test_a_used_receipt_draws_nothing() -> None:
    class Untouched(random.Random):
        def getrandbits(self, k: int) -> int:
            raise AssertionError("a random bit was read")

    learner = ProperLearner(CODE, Budget(1, "1e-6"))
    sample = Sample[Any].from_examples(CODE.domain, [("x0", 1)] * 10)
    with Ledger() as ledger:
        receipt = ledger.spend(learner.event, dataset="d", what="test", rng=Untouched())
        receipt.redeem(learner.choice)
        with pytest.raises(LedgerError):
            learner.draw(sample, receipt=receipt)


def test_refusals() -> None:
    goal: dict[str, Any] = {"budget": Budget(1, "1e-6")}
    with pytest.raises(DeclarationError, match="no way is known"):
        ProperLearner(parse_class("parities(a, b, c)"), **goal)
    with pytest.raises(DeclarationError, match="the improper learner learns"):
        ProperLearner(CODE, improper=IrreducibleLearner(Points(Integers()), **goal), **goal)
    refused: tuple[dict[str, Any], ...] = ({"alpha": 0}, {"alpha": 1}, {"fresh": 1})
    for wrong in refused:
        with pytest.raises(DeclarationError, match=next(iter(wrong))):
            ProperLearner(CODE, **goal, **wrong)
    large = FiniteClass.from_array(np.tri(1200, 1200, dtype=int))
    with pytest.raises(DeclarationError, match="entries"):
        ProperLearner(large, **goal)
    assert ProperLearner(CODE, **goal).plan(0.1, 0.05) is None


@pytest.mark.parametrize(
    "H",
    [
        CODE,
        Subsets(Integers(), 2, exactly=True),
        EqualityRules.over_columns("a", max_literals=1, zero=False),
    ],
    ids=str,
)
def test_the_proved_size(H: Any) -> None:
    goal: dict[str, Any] = {"alpha": 0.2, "beta": 0.1}
    learner = ProperLearner.with_proved_bound(H, Budget(1, "1e-6"), **goal)
    bound = learner.plan(**goal, setting="realizable")
    assert bound is not None
    fresh = int(learner.fresh * bound.n)
    improper = learner.improper.plan(0.05, 0.05, setting="realizable")
    assert improper is not None
    assert bound.n - fresh >= improper.n
    # err <= alpha / 2 for the best of H_f, and more than alpha for all others, which err as it does.
    most, base = H.most_mixed(learner.alpha / 4), float(learner.choice.base)
    tilt = min(np.log(base), np.log(2) / 2)
    q = 1 - 0.2 * (1 - np.exp(-tilt)) + 0.1 * (np.exp(tilt) - 1)
    assert most * q**fresh <= 0.05
    assert learner.plan(**goal) is None
    assert learner.plan(0.1, 0.1, setting="realizable") is None


def test_no_more_hypotheses_are_mixed_than_is_promised() -> None:
    classes: list[Any] = [CODE, Points(Integers(), exactly=True)]
    for H in [*classes, EqualityRules.over_columns(*"ab", max_literals=1)]:
        for f in releasable(H, list(H.domain.examples(3))[:3], 1):
            assert len(set(H.mixture(f, ALPHA))) <= H.most_mixed(ALPHA)
    assert FiniteClass.from_array(np.eye(5000, dtype=int)[:2]).most_mixed(ALPHA) is None
