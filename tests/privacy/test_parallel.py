"""Events on disjoint parts cost the largest, if the parts are chosen by position."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import permutations, product

import pytest
from composing import Pair, excess, response, together
from spending import Answer

from littlestone.base.errors import DeclarationError
from littlestone.privacy.accounting.composed import Composition
from littlestone.privacy.accounting.subsampled import Parallel
from littlestone.privacy.cost import PrivacyCost
from littlestone.privacy.event import Guarantee
from littlestone.privacy.mechanisms.exponential import ExponentialMechanism

EPSILONS = [Fraction(1), Fraction(1, 2), Fraction(1, 3)]
Parts = Callable[[Sequence[int]], list[list[int]]]


def by_position(records: Sequence[int]) -> list[list[int]]:
    return [[record] for record in records]


def by_value(records: Sequence[int]) -> list[list[int]]:
    """Part v has the records of value v: a replaced record leaves one part and enters another."""
    return [[record for record in records if record == value] for value in range(3)]


def laws(parts: Parts, one: Sequence[int], other: Sequence[int]) -> Pair:
    """Part i is asked, through a response of the i-th epsilon, whether its records add up to > 0.

    Its answer is "yes" or "no", truly or not; one replaced record moves it, or does not.
    """
    asked = [[sum(part) + len(part) > 1 for part in parts(records)] for records in (one, other)]
    pairs = []
    for epsilon, before, after in zip(EPSILONS, *asked, strict=True):
        p, q = response(epsilon)
        if before == after:
            pairs.append((p, p))
        else:
            pairs.append((p, q) if before else (q, p))
    return together(*pairs)


def worst(parts: Parts, epsilon: Fraction) -> Fraction:
    """The largest delta at epsilon, over all neighbouring data of three records of three values."""
    return max(
        excess(laws(parts, one, (*one[:i], value, *one[i + 1 :])), epsilon)
        for one in product(range(3), repeat=3)
        for i in range(3)
        for value in range(3)
    )


def test_parts_by_position_cost_the_largest() -> None:
    event = Parallel([Answer(epsilon) for epsilon in EPSILONS])
    assert event.cost().epsilon == 1
    assert worst(by_position, event.cost().epsilon) == 0
    assert worst(by_position, event.cost().epsilon * Fraction(9, 10)) > 0


def test_parts_by_value_cost_the_two_largest() -> None:
    """The maximum is a plant of the audits' catalogue; the sum of the two largest is right."""
    assert worst(by_value, sum(EPSILONS[:2], Fraction(0))) == 0


def test_each_number_is_the_largest_of_its_kind() -> None:
    millionth = Fraction(1, 10**6)
    exponential, other = ExponentialMechanism(Fraction(2)), Answer(Fraction(1), millionth)
    event = Parallel([exponential, other])
    assert event.cost() == PrivacyCost(Fraction(2), millionth)
    assert event.guarantee().rho == max(exponential.guarantee().rho, other.guarantee().rho)
    assert event.uses() == [(exponential, 1), (other, 1)]
    for parts in permutations([exponential, other]):
        guarantee = Parallel(parts).guarantee()
        assert (guarantee.epsilon, guarantee.delta) == (Fraction(2), millionth)


class DeltaOfTheFirst(Parallel):
    """Planted bug: composition is told the delta of the first part."""

    def guarantee(self) -> Guarantee:
        return replace(super().guarantee(), delta=self.events[0].guarantee().delta)


def understated(kind: type[Parallel]) -> bool:
    """Whether a composition claims less delta than a part that tells all with that probability."""
    some = Fraction(1, 10)
    parts = Answer(Fraction(1)), Answer(Fraction(1), some)
    claims = (Composition([(kind(order), 2)], 3 * some).account for order in permutations(parts))
    worst = together(*[response(Fraction(1), some)] * 2)
    return any(excess(worst, claim.epsilon) > claim.delta for claim in claims)


def test_the_largest_delta_is_composed_wherever_it_stands() -> None:
    assert not understated(Parallel)
    assert understated(DeltaOfTheFirst)


def test_parallel_events_compose() -> None:
    """Two rounds over the same chunks: each record is in one chunk a round."""
    exponential = ExponentialMechanism(Fraction(1, 10))
    rounds = Composition([(Parallel([exponential] * 7), 50)], Fraction(1, 10**6))
    assert rounds.cost() == Composition([(exponential, 50)], Fraction(1, 10**6)).cost()
    assert rounds.uses() == [(exponential, 350)]
    assert "7 x [exponential mechanism" in str(rounds)
    once = Composition([(exponential, 1), (ExponentialMechanism(Fraction(1, 2)), 1)])
    assert str(once).startswith("[exponential mechanism on error counts, epsilon 0.1] and [")


def test_no_events_are_refused() -> None:
    with pytest.raises(DeclarationError, match="at least one event"):
        Parallel([])
