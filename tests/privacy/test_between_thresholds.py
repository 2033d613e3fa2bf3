"""Votes on questions: the bound of an uncertain answer, the whole, and what the sampler draws."""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from littlestone.audit.exact import exact_audit
from littlestone.errors import DeclarationError
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.mechanisms.between_thresholds import BetweenThresholds, moment_per_hit

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


@pytest.mark.parametrize(("voters", "threshold"), [(3, 2), (4, 3), (9, 8), (40, 25), (81, 60)])
def test_an_uncertain_answer_costs_no_more_than_its_bound(voters: int, threshold: int) -> None:
    for N, order in product((3, 12, 30), (2, 3, 5)):
        mechanism = Steep(
            budget=Budget(1, Fraction(1, 10)), voters=voters, threshold=threshold, hits=1,
            horizon=1,
        )  # fmt: skip
        mechanism.__dict__["N"] = N
        bound = moment_per_hit(Fraction(N + 1, N), order, threshold - voters // 2)
        if bound is None:
            continue
        laws = [mechanism.probabilities(n) for n in range(voters + 1)]
        for p, q in [*zip(laws, laws[1:]), *zip(laws[1:], laws)]:  # noqa: RUF007, B905
            moments = {a: p[a] ** order * q[a] ** (1 - order) for a in p}
            certain = sum(moment for (_, certain), moment in moments.items() if certain)
            assert sum(moments.values()) - certain <= bound * (1 - certain)


def law(mechanism: BetweenThresholds) -> Any:
    return mechanism.distribution


def neighbours(voters: int, length: int) -> Iterator[tuple[Votes, Votes]]:
    for one in product(range(voters + 1), repeat=length):
        for moves in product((-1, 0, 1), repeat=length):
            other = tuple(n + move for n, move in zip(one, moves, strict=True))
            if one < other and min(other) >= 0 and max(other) <= voters:
                yield one, other


@pytest.mark.slow
@pytest.mark.parametrize("voters", [2, 3])
def test_private_on_all_neighbouring_votes(voters: int) -> None:
    mechanism = votes(voters)
    assert exact_audit(law(mechanism), neighbours(voters, 2), mechanism).holds


def test_the_bound_of_a_hit_is_never_rounded_down() -> None:
    """With its powers in full, and the weight of certain answers at this margin, rounded up."""
    h = Fraction(1, 1 << 64)
    for r, order in product((Fraction(21, 20), Fraction(101, 100), Fraction(3, 2)), (2, 3, 7)):
        b, found = order - 1, moment_per_hit(r, order, 10**6)
        least = min(
            s**b * (1 - b * (s - 1)) - h * max(Fraction(0), s**-b - s**b * (1 - b * (s * s - 1)))
            for s in (r, 1 / r)
        )
        if least <= 0:
            assert found is None
            continue
        t = r**-b
        w = (t + b * r - order) / (r + b * t - order * r * t)
        exactly = (1 + w * t) * (1 + r * w) ** b / (1 + w) ** order / least
        assert found is not None
        assert exactly <= found <= exactly + Fraction(1, 1 << 300)


@pytest.mark.slow
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
