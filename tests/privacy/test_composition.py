"""What composition certifies holds for exact laws, and every plausible wrong theorem is caught."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from math import log, sqrt
from random import Random
from typing import Any

import pytest
from composing import Pair, adaptive, excess, response, together
from spending import Answer

from littlestone.base.errors import DeclarationError, LedgerError
from littlestone.privacy.accounting.composed import (
    Composition,
    accounts,
    renyi_epsilon,
    zcdp_epsilon,
)
from littlestone.privacy.cost import PrivacyCost
from littlestone.privacy.event import Guarantee
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.mechanisms.exponential import ExponentialMechanism

Pieces = Sequence[tuple[Guarantee, int]]
Theorem = Callable[[Pieces, Fraction], Fraction]

MILLIONTH = Fraction(1, 10**6)
DELTAS = [Fraction(1, 3), Fraction(1, 20), Fraction(1, 1000), MILLIONTH]


def instances() -> Iterator[tuple[Pieces, Fraction, Pair]]:
    """Guarantees, the sum of their deltas, and the exact joint laws of events that have them."""
    for epsilon in (Fraction(1, 10), Fraction(1), Fraction(3)):
        for k in (1, 2, 4):
            yield [(Guarantee.pure(epsilon), k)], Fraction(0), together(*[response(epsilon)] * k)
    half, third = Fraction(1, 2), Fraction(1, 3)
    several = [half, half, third, Fraction(1, 7)]
    yield (
        [(Guarantee.pure(half), 2), (Guarantee.pure(third), 1), (Guarantee.pure(several[-1]), 1)],
        Fraction(0),
        together(*map(response, several)),
    )
    some = Fraction(1, 100)
    yield [(Guarantee.pure(half, some), 3)], 3 * some, together(*[response(half, some)] * 3)
    rng = Random(1)
    for epsilon in (Fraction(1), Fraction(4)):
        for _ in range(5):
            yield [(Guarantee.bounded_range(epsilon), 3)], Fraction(0), adaptive(epsilon, 3, rng)


INSTANCES = list(instances())


def violations(theorem: Theorem) -> int:
    """How often the true delta at the theorem's epsilon is larger than the one it was given."""
    wrong = 0
    for pieces, own, pair in INSTANCES:
        for delta in DELTAS:
            epsilon = theorem(pieces, delta)
            wrong += excess(pair, epsilon) > own + (1 - own) * delta
    return wrong


def basic(pieces: Pieces, delta: Fraction) -> Fraction:
    return sum((n * piece.epsilon for piece, n in pieces), Fraction(0))


def zcdp(pieces: Pieces, delta: Fraction) -> Fraction:
    return zcdp_epsilon(sum((n * piece.rho for piece, n in pieces), Fraction(0)), delta)


@pytest.mark.parametrize("theorem", [basic, zcdp, renyi_epsilon])
def test_the_theorem_holds(theorem: Theorem) -> None:
    assert violations(theorem) == 0


def one_too_few(pieces: Pieces, delta: Fraction) -> Fraction:
    """k - 1 events in place of k."""
    first, n = pieces[0]
    return renyi_epsilon([(first, max(n - 1, 1)), *pieces[1:]], delta)


def half_the_deviation(pieces: Pieces, delta: Fraction) -> Fraction:
    """rho + sqrt(rho ln(1/delta)), where the theorem has 2 sqrt(...)."""
    rho = sum(n * float(piece.rho) for piece, n in pieces)
    return Fraction(rho + sqrt(rho * log(1 / delta)))


def root_of_the_number(pieces: Pieces, delta: Fraction) -> Fraction:
    """Losses add up like standard deviations, and nothing is left for the tail."""
    return Fraction(sqrt(sum(n * float(piece.epsilon) ** 2 for piece, n in pieces)))


def the_largest(pieces: Pieces, delta: Fraction) -> Fraction:
    return max(piece.epsilon for piece, _ in pieces)


def ten_times_the_delta(pieces: Pieces, delta: Fraction) -> Fraction:
    return renyi_epsilon(pieces, min(10 * delta, Fraction(9, 10)))


@pytest.mark.parametrize(
    "plant",
    [
        one_too_few,
        half_the_deviation,
        root_of_the_number,
        the_largest,
        ten_times_the_delta,
    ],
)
def test_a_wrong_theorem_is_caught(plant: Theorem) -> None:
    assert violations(plant) > 0


def test_the_deltas_of_the_parts_count() -> None:
    """Three events of delta 1/100 at a total of 1/20, exactly."""
    half, some, total = Fraction(1, 2), Fraction(1, 100), Fraction(1, 20)
    pair = together(*[response(half, some)] * 3)
    for account in accounts(Composition([(Answer(half, some), 3)], total), total):
        assert excess(pair, account.epsilon) <= account.delta


def test_a_hundred_exponential_mechanisms() -> None:
    event = Composition([(ExponentialMechanism(Fraction(1, 10)), 100)], MILLIONTH)
    assert event.account.method == "Renyi divergences"
    assert event.cost().epsilon <= Fraction("2.42")
    assert event.cost().delta == MILLIONTH


def test_compositions_are_taken_apart() -> None:
    one = ExponentialMechanism(Fraction(1, 10))
    flat = Composition([(one, 8)], MILLIONTH)
    nested = Composition([(Composition([(one, 3)], MILLIONTH), 2), (one, 2)], MILLIONTH)
    assert nested.cost() == flat.cost()
    assert nested.uses() == flat.uses() == [(one, 8)]
    assert Composition([(one, 1)]).cost() == one.cost()


def test_mixed_events_take_the_best_of_both() -> None:
    """Two large epsilons are counted as such, the many small ones by their divergences."""
    large, small = Answer(Fraction(1)), ExponentialMechanism(Fraction(1, 20))
    event = Composition([(large, 2), (small, 50)], MILLIONTH)
    alone = Composition([(small, 50)], MILLIONTH).cost().epsilon
    by_method = {account.method: account.epsilon for account in accounts(event, MILLIONTH)}
    assert by_method["Renyi divergences"] < min(by_method["zCDP"], alone + 2)
    assert event.cost().epsilon == min(by_method.values())


def test_delta_zero_is_basic_composition() -> None:
    event = Composition([(Answer(Fraction(1, 10)), 7), (Answer(Fraction(1, 3)), 1)])
    assert event.account.method == "basic composition"
    assert event.cost().epsilon == Fraction(7, 10) + Fraction(1, 3)
    assert event.cost().delta == 0


class CostOfThePartsAtAnyDelta(Composition):
    """Planted bug: the parts' own costs are added up, whether or not their deltas are allowed."""

    def cost(self) -> PrivacyCost:
        costs = [part.cost() for part, n in self.parts for _ in range(n)]
        epsilon = min(super().cost().epsilon, sum((c.epsilon for c in costs), Fraction(0)))
        return replace(super().cost(), epsilon=epsilon)


def below_the_truth(kind: type[Composition]) -> bool:
    """Whether a composition of compositions claims less than randomized responses cost.

    Each inner one saves epsilon by a delta, which the outer one may be too small to pay.
    """
    eighth, half = Fraction(1, 8), Fraction(1, 2)
    pair = together(*[response(half)] * 6)
    inner = Composition([(Answer(half), 3)], eighth)
    assert inner.cost().epsilon < 3 * half
    costs = (kind([(inner, 2)], delta).cost() for delta in (Fraction(0), eighth, 2 * eighth))
    return any(excess(pair, cost.epsilon) > cost.delta for cost in costs)


def test_a_delta_that_parts_spend_for_epsilon_is_paid() -> None:
    assert not below_the_truth(Composition)
    assert below_the_truth(CostOfThePartsAtAnyDelta)


def test_what_composed_states_may_be_composed_again() -> None:
    part = Composition([(Answer(Fraction(1, 10), MILLIONTH), 10)], 20 * MILLIONTH)
    guarantee = part.guarantee()
    assert (guarantee.epsilon, guarantee.delta) == (part.cost().epsilon, part.cost().delta)
    assert guarantee.delta >= 10 * MILLIONTH
    assert guarantee.rho == 10 * Guarantee.pure(Fraction(1, 10)).rho


def test_one_receipt_pays_for_every_part() -> None:
    first, second = Answer(Fraction(1, 10)), Answer(Fraction(1, 5))
    event = Composition([(first, 2), (second, 1), (Composition([(first, 1)]), 1)])
    with Ledger() as ledger:
        receipt = ledger.spend(event, dataset="d", what="test")
        for draw in (first, second, first, first):
            receipt.redeem(draw)
        for draw in (first, second):
            with pytest.raises(LedgerError):
                receipt.redeem(draw)
        assert ledger.total("d") == event.cost()


@pytest.mark.parametrize(
    ("parts", "delta", "words"),
    [
        ([], Fraction(0), "at least one event"),
        ([(Answer(), 0)], Fraction(0), "at least 1"),
        ([(Answer(), True)], Fraction(0), "at least 1"),
        ([(Answer(delta=MILLIONTH), 3)], 2 * MILLIONTH, "a delta of at least 0.000003"),
        ([Answer()], Fraction(0), "a pair of an event"),
    ],
)
def test_what_is_refused(parts: list[Any], delta: Fraction, words: str) -> None:
    with pytest.raises(DeclarationError, match=words):
        Composition(parts, delta)
