"""Votes on questions: the bound of an uncertain answer, the whole, and what the sampler draws."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from itertools import pairwise, product
from typing import Any

import pytest

from littlestone.base.errors import DeclarationError
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.mechanisms.between_thresholds import BetweenThresholds
from littlestone.privacy.mechanisms.uncertain_votes import _Question, moment_per_hit
from littlestone.prove.audit.claims import exact_audit

Votes = tuple[int, ...]


def votes(voters: int, **declared: Any) -> BetweenThresholds:
    options: dict[str, Any] = {
        "budget": Budget(1, "0.1"),
        "threshold": voters // 2 + 1,
        "hits": 1,
        "horizon": 3,
    }
    return BetweenThresholds(voters=voters, **options | declared)


class Steep(BetweenThresholds):
    """With r = 1 + 1 / N for a given N."""

    N = 1

    @property
    def steepness(self) -> int:
        return self.N


VOTERS = [(3, 2), (4, 3), (9, 8), (40, 25), (81, 60)]
# N, order, voters, threshold; the last two have votes beyond 32 N.
QUESTIONS = [
    *((N, a, *k) for k in VOTERS for N in (3, 12, 30) for a in (2, 5)),
    (4, 3, 291, 150),
    (3, 2, 270, 170),
]


@cache
def factors(N: int, order: int, voters: int, threshold: int) -> list[Fraction | None]:
    """What an uncertain answer costs at each vote, by the laws themselves; None if without a bound."""
    mechanism = Steep(
        budget=Budget(1, Fraction(1, 10)), voters=voters, threshold=threshold, hits=1, horizon=1
    )
    mechanism.__dict__["N"] = N
    laws = [mechanism.probabilities(n) for n in range(voters + 1)]
    found: list[Fraction | None] = []
    for p, q in [*pairwise(laws), *pairwise(laws[::-1])]:
        moments = {a: p[a] ** order * q[a] ** (1 - order) for a in p}
        certain = moments[0, True] + moments[1, True]
        unsure = moments[0, False] + moments[1, False]
        found.append(unsure / (1 - certain) if certain < 1 else None)
    return found


def bound(N: int, order: int, voters: int, threshold: int) -> Fraction | None:
    return moment_per_hit(Fraction(N + 1, N), order, voters, threshold)


def exceeded() -> int:
    """In how many questions some vote costs more than the bound."""
    found = 0
    for question in QUESTIONS:
        most = bound(*question)
        found += most is not None and any(f is None or f > most for f in factors(*question))
    return found


def test_an_uncertain_answer_costs_the_largest_factor_of_all_votes() -> None:
    assert exceeded() == 0
    for question in QUESTIONS:
        most, exactly = bound(*question), factors(*question)
        if most is None:
            assert None in exactly
        else:
            largest = max(f for f in exactly if f is not None)
            assert most - 1 <= Fraction(258, 256) * (largest - 1)


def without_labels(patch: pytest.MonkeyPatch) -> None:
    """The label of an uncertain answer is taken to cost nothing."""
    patch.setattr(_Question, "_moment_of_label", lambda self, low, high: self._one)


def begun(change: Callable[[Any], None]) -> Callable[[pytest.MonkeyPatch], None]:
    honest = _Question.__init__

    def begin(self: Any, *question: Any) -> None:
        honest(self, *question)
        change(self)

    return lambda patch: patch.setattr(_Question, "__init__", begin)


def balanced(question: Any) -> None:
    """Only votes that are nearly equal are looked at."""
    question.least, question.most = -1, 0


def few(question: Any) -> None:
    """Votes at which nearly all copies agree are not looked at."""
    question.least, question.most = -(-question.least // 2), question.most // 2


def even(question: Any) -> None:
    """An odd number of voters is taken for an even one."""
    question._odd, question._against = 0, question._for


def middles(patch: pytest.MonkeyPatch) -> None:
    """A range of votes has the factor of its middle."""
    honest = _Question.bound

    def middle(self: Any, first: int, last: int) -> Fraction | None:
        return honest(self, (first + last) // 2, (first + last) // 2)

    patch.setattr(_Question, "bound", middle)


PLANTS = {
    "without labels": without_labels,
    "balanced votes": begun(balanced),
    "few votes": begun(few),
    "even": begun(even),
    "middles": middles,
}


@pytest.mark.parametrize("plant", PLANTS.values(), ids=PLANTS)
def test_bounds_that_are_too_small_are_caught(
    plant: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch)
    assert exceeded() > 0


def test_a_range_costs_at_least_what_each_of_its_votes_does() -> None:
    rng = random.Random(2)
    for voters, order in product((400, 401), (2, 9)):
        question = _Question(Fraction(31, 30), order, voters, voters // 2 + 20)
        for _ in range(40):
            first = rng.randint(question.least, question.most)
            last = rng.randint(first, min(question.most, first + 30))
            most = question.bound(first, last)
            if most is not None:
                single = [question.bound(j, j) for j in range(first, last + 1)]
                assert all(found is not None and found <= most for found in single)


@pytest.mark.parametrize("N", [1, 20, 10**9, 10**40])
def test_a_bound_is_never_rounded_down(N: int) -> None:
    """Of single votes, against exact powers."""
    r = Fraction(N + 1, N)
    for order in (2, 3, 7):
        b, question = order - 1, _Question(r, order, 6, 5)
        for j in range(question.least, question.most + 1):
            o = r**j
            u, w = o**-1 * r**-2, o * r**-2
            rest = (1 + u + w) ** order / (1 + u / r + r * w) ** b - u * r**b - w * r**-b
            found = question.bound(j, j)
            if rest <= 0:
                assert found is None
                continue
            exactly = (1 + o * r**-b) * (1 + r * o) ** b / (1 + o) ** order / rest
            assert found is not None
            assert exactly <= found <= exactly + (exactly - 1) / 2**60 + Fraction(1, 2**120)


def law(mechanism: BetweenThresholds) -> Any:
    return mechanism.distribution


def neighbours(voters: int, length: int) -> Iterator[tuple[Votes, Votes]]:
    for one in product(range(voters + 1), repeat=length):
        for moves in product((-1, 0, 1), repeat=length):
            other = tuple(n + move for n, move in zip(one, moves, strict=True))
            if one < other and min(other) >= 0 and max(other) <= voters:
                yield one, other


@pytest.mark.parametrize("voters", [2, 3])
def test_private_on_all_neighbouring_votes(voters: int) -> None:
    mechanism = votes(voters)
    assert exact_audit(law(mechanism), neighbours(voters, 2), mechanism).holds


def test_votes_that_are_too_steep_are_caught() -> None:
    claimed = votes(2)
    planted = Steep(budget=Budget(1, "0.1"), voters=2, threshold=2, hits=1, horizon=3)
    planted.__dict__["N"] = Fraction(1, 3)
    assert not exact_audit(law(planted), neighbours(2, 2), claimed).holds


def test_the_sampler_has_these_probabilities() -> None:
    mechanism = votes(30, budget=Budget(3, "0.1"))
    for n in range(31):
        law = mechanism.probabilities(n)
        zero, unsure, one = (real.enclose(60) for real in mechanism._bounds(n))
        label = law[1, False] / (law[0, False] + law[1, False])
        expected = law[0, True], 1 - law[1, True], label
        for (low, high), p in zip((zero, unsure, one), expected, strict=True):
            assert low <= p * 2**60 <= high < low + 100


def test_answers_are_drawn_from_the_law_of_the_mechanism() -> None:
    """Short of gates that end the session, which have tests of their own."""
    mechanism, counts = votes(5, hits=30, budget=Budget(5, "0.1")), dict[Any, int]()
    rng, law = random.Random(1), votes(5, hits=30, budget=Budget(5, "0.1")).probabilities(3)
    for _ in range(4000):
        answer = mechanism.answer(3, rng)
        counts[answer] = counts.get(answer, 0) + 1
    chi = sum(float((counts[a] - 4000 * p) ** 2 / (4000 * p)) for a, p in law.items())
    assert chi < 16.3  # 99.9% of three degrees of freedom


def test_a_session_ends_and_is_paid_for() -> None:
    mechanism = votes(3, horizon=400, budget=Budget(30, "0.1"))
    with Ledger() as ledger:
        receipt = ledger.spend(mechanism, dataset="d", what="test", rng=random.Random(0))
    answers = mechanism.draw([1, 2] * 300, receipt=receipt)
    assert 1 <= sum(not certain for _, certain in answers) < 5
    total = sum(mechanism.distribution([1, 2]).values())
    assert total == 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"budget": Budget(1)},
        {"threshold": 1},
        {"hits": 0},
        {"voters": 0},
        {"horizon": 0},
    ],
    ids=str,
)
def test_what_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(DeclarationError):
        votes(**{"voters": 3} | wrong)
