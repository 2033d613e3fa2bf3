"""Sessions of threshold tests that an adaptive adversary interleaves: exact laws, and their cost.

Each test is answered by the session's own code; the adversary chooses, by all answers so far, whose
turn it is and which values the two data sets have.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator
from fractions import Fraction
from functools import cache, cached_property
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from threshold_audit import tail

from littlestone.base.discovery import modules
from littlestone.privacy import Budget
from littlestone.privacy.accounting.composed import Composition, accounts
from littlestone.privacy.cost import PrivacyCost
from littlestone.privacy.event import Event, Guarantee
from littlestone.privacy.mechanisms import threshold_tests
from littlestone.privacy.mechanisms.above_threshold import AboveThreshold
from littlestone.privacy.rational import exp_below, log_above
from littlestone.prove.audit.choices import Choices
from littlestone.prove.audit.claims import ratio_below, renyi_moment
from littlestone.prove.audit.subjects.composed import RandomizedResponse

ONE = Fraction(1)
Law = frozenset[tuple[Fraction, Fraction]]  # of likelihood ratios Q / P: each, and its mass P
Left = tuple[int, ...]  # hits that each session has left, and draws of a response


class Short(AboveThreshold):
    """One whose tests have the ratio 3/2."""

    @cached_property
    def query_epsilon(self) -> Fraction:
        return log_above(Fraction(3, 2), 256)

    def noises(self) -> tuple[Fraction, Fraction]:
        return Fraction(0), Fraction(2, 3)


def session_of(hits: int) -> Short:
    return Short(budget=Budget(4, Fraction(1, 50)), threshold=0, hits=hits)


RESPONSE = RandomizedResponse(Fraction(1, 2))
SESSIONS = session_of(1), session_of(2)
MOVES = (0, -1), (-1, 0), (-1, -2)  # values on the two data sets


@pytest.fixture(autouse=True)
def exact_coins(monkeypatch: pytest.MonkeyPatch) -> None:
    """A coin of the sessions is a choice of exact weights."""
    monkeypatch.setattr(threshold_tests, "laplace_at_least", tail)
    monkeypatch.setattr(
        threshold_tests, "bernoulli", lambda p, choices: bool(choices.choose([1 - p, p]))
    )


@cache
def answered(value: int, left: int) -> dict[int, Fraction]:
    """How many hits are left after a test of the value, by the session's code."""
    choices = Choices()

    def run() -> int:
        session = threshold_tests.Session(Fraction(2, 3), 0, left, False, choices)  # type: ignore[arg-type]
        session.test(value)
        return session._left

    return choices.explore(run)


def steps(
    left: Left, moves: tuple[tuple[int, int], ...]
) -> Iterator[list[tuple[Fraction, Fraction, Left]]]:
    """All that an adversary may do next: each outcome with its two masses, and what is left."""
    *hits, responses = left
    for i, (value, other) in product(range(len(hits)), moves):
        if hits[i]:
            p, q = answered(value, hits[i]), answered(other, hits[i])
            yield [(p[h], q[h], (*left[:i], h, *left[i + 1 :])) for h in p]
    if responses:
        one, two = (RESPONSE.distribution(bit) for bit in (0, 1))
        yield [(one[bit], two[bit], (*hits, responses - 1)) for bit in one]


@cache
def laws(left: Left, tests: int) -> frozenset[Law]:
    """Of all adaptive adversaries, what they can make: outputs of one ratio count as one."""
    found = {frozenset({(ONE, ONE)})}
    if tests:
        for outcomes in steps(left, MOVES[:2]):
            for later in product(*(laws(rest, tests - 1) for _, _, rest in outcomes)):
                law: dict[Fraction, Fraction] = {}
                for (p, q, _), then in zip(outcomes, later, strict=True):
                    for ratio, mass in then:
                        law[q / p * ratio] = law.get(q / p * ratio, Fraction(0)) + p * mass
                found.add(frozenset(law.items()))
    return frozenset(found)


def holds(rho: Fraction, delta: Fraction, left: Left, tests: int) -> bool:
    """Whether no adversary has a moment above that of rho, outside of delta."""
    for law in laws(left, tests):
        p: dict[Hashable, Fraction] = dict(law)
        q: dict[Hashable, Fraction] = {ratio: ratio * mass for ratio, mass in law}
        for order, (one, other) in product((2, 4, 16), ((p, q), (q, p))):
            moment = renyi_moment(one, other, order, delta)
            if moment is None or moment > ratio_below(rho * order * (order - 1)):
                return False
    return True


def test_what_is_claimed_holds_however_they_are_interleaved() -> None:
    """Two sessions, and a response: 3 steps of all adversaries, and 4 of those with one session."""
    first, second, response = (event.guarantee() for event in (*SESSIONS, RESPONSE))
    assert holds(first.rho, first.delta, (1, 0), 5)
    assert holds(first.rho + response.rho, first.delta, (1, 1), 4)
    both = first.rho + second.rho
    assert holds(both, first.delta + second.delta, (1, 2, 0), 3)
    assert holds(both + response.rho, first.delta + second.delta, (1, 2, 1), 3)


@pytest.mark.parametrize(
    ("left", "claimed"),
    [
        ((1, 0), lambda first, response: first / RESPONSES),
        ((1, 1), lambda first, response: first / RESPONSES + response),
        ((1, 1), lambda first, response: response),
    ],
    ids=["a response a hit", "a response a hit beside another event", "the largest is enough"],
)
def test_a_rho_that_is_too_small_is_caught(left: Left, claimed: Callable[..., Fraction]) -> None:
    first = session_of(1).guarantee()
    rho = claimed(first.rho, RESPONSE.guarantee().rho)
    assert not holds(rho, first.delta, left, 4)


RESPONSES = 8  # of which a session of one hit makes more with a probability below 1/50


def test_how_many_responses_are_made() -> None:
    one = Guarantee.pure(log_above(Fraction(3, 2), 256)).rho
    assert session_of(1).guarantee().rho == RESPONSES * one
    assert Fraction(3, 5) ** RESPONSES <= Fraction(1, 50) < Fraction(3, 5) ** (RESPONSES - 1)


@cache
def gain(left: Left, ratio: Fraction, gamma: Fraction, tests: int) -> Fraction:
    """The largest hockey-stick divergence per unit of P, by adversaries who may stop at any time."""
    best = max(Fraction(0), 1 - gamma * ratio)
    if tests:
        for outcomes in steps(left, MOVES):
            values = (p * gain(rest, ratio * q / p, gamma, tests - 1) for p, q, rest in outcomes)
            best = max(best, sum(values, Fraction(0)))
    return best


def exceeds(left: Left, cost: PrivacyCost) -> bool:
    """Whether some adversary of 6 steps has a larger delta at that epsilon."""
    gamma = Fraction(int(exp_below(cost.epsilon) * 1000), 1000)
    return gain(left, ONE, gamma, 6) > cost.delta


def test_no_account_of_the_whole_is_exceeded() -> None:
    """By each theorem of composition, at three deltas; the sessions' own are counted."""
    for more in (Fraction(1, 100), Fraction(1, 10), Fraction(1, 2)):
        parts = [(event, 1) for event in (*SESSIONS, RESPONSE)]
        whole = Composition(parts, Fraction(1, 25) + more)
        for account in accounts(whole, whole.delta):
            assert not exceeds((1, 2, 1), PrivacyCost(account.epsilon, account.delta))


def test_a_session_that_is_forgotten_is_caught() -> None:
    rest = Composition([(session_of(1), 1), (RESPONSE, 1)], Fraction(1, 25))
    assert not exceeds((1, 1), PrivacyCost(RESPONSE.epsilon, Fraction(1, 2)))
    assert exceeds((1, 1), PrivacyCost(RESPONSE.epsilon, rest.delta))


def test_every_event_with_a_guarantee_of_its_own_has_its_reason() -> None:
    """The page on composition says of each why its rho holds when other events come in between."""
    for part in ("privacy", "learn"):
        assert list(modules(f"littlestone.{part}"))
    own, kinds = set[str](), list[Any]([Event])
    while kinds:
        kind = kinds.pop()
        kinds += kind.__subclasses__()
        if "guarantee" in vars(kind) and kind.__module__.startswith("littlestone."):
            own.add(kind.__name__)
    page = Path(__file__).parents[2] / "docs" / "proofs" / "composition.md"
    named = set(re.findall(r"^\| `(\w+)` \|", page.read_text(encoding="utf-8"), re.MULTILINE))
    assert own - {"Event"} == named
