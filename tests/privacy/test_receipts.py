"""Receipts for events composed of several draws: each part as often as was paid for, no draw more.

One checker redeems in every way it knows and returns what it found wrong; it must find nothing in
`Receipt` and something in each receipt with a planted bug.
"""

from __future__ import annotations

import os
import random
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction

import pytest
from spending import Answer, fork, status_of

from littlestone.base.errors import LedgerError
from littlestone.points.units import Unit
from littlestone.privacy import Budget
from littlestone.privacy.accounting.composed import Composition
from littlestone.privacy.accounting.groups import UnitEvent
from littlestone.privacy.cost import PrivacyCost
from littlestone.privacy.event import Event
from littlestone.privacy.ledger import Ledger, Receipt
from littlestone.privacy.ledger.receipt import SEAL, lines
from littlestone.privacy.mechanisms.exponential import ExponentialMechanism
from littlestone.privacy.mechanisms.noisy_sums import DrawThenSums, SumStep
from planting import Fault, turns_red

ONE, TWO, THREE = (Answer(Fraction(k, 10)) for k in (1, 2, 3))


@dataclass
class Several(Event):
    """Draws of several mechanisms under one receipt; a list, so that a bug may see it change."""

    parts: list[tuple[Answer, int]] = field(default_factory=lambda: [(ONE, 3), (TWO, 1)])

    def cost(self) -> PrivacyCost:
        return sum(
            (part.cost() for part, times in self.parts for _ in range(times)),
            start=PrivacyCost(Fraction(0)),
        )

    def uses(self) -> list[tuple[Event, int]]:
        return list(self.parts)

    def __str__(self) -> str:
        return "several answers"


Spend = Callable[[Several], Receipt]


def honest(event: Several) -> Receipt:
    return Ledger().spend(event, dataset="people", what="several looks")


def draws(receipt: Receipt, tries: int = 8) -> Counter[Event]:
    """How many draws of each part eight threads get, each trying each part eight times."""
    start, got = threading.Barrier(8), list[Event]()

    def work() -> None:
        start.wait()
        for _ in range(tries):
            for part in (ONE, TWO, THREE):
                try:
                    receipt.redeem(part)
                except LedgerError:
                    continue
                got.append(part)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return Counter(got)


def faults(spend: Spend) -> list[str]:
    """What a receipt for three draws of ONE and one of TWO pays for beyond or short of these."""
    found = []
    event = Several()
    if (got := draws(spend(event))) != {ONE: 3, TWO: 1}:
        found.append(f"it paid for {got}")
    receipt = spend(event)
    event.parts += [(THREE, 1), (ONE, 5)]
    if (got := draws(receipt)) != {ONE: 3, TWO: 1}:
        found.append(f"it paid for {got} after its event had grown")
    if (got := draws(spend(Several([(ONE, 1), (ONE, 1)])))) != {ONE: 2}:
        found.append(f"it paid for {got} of a part that is listed twice")
    return found


class NeverCountsDown(Receipt):
    """Planted bug: whatever was paid for once may be drawn for ever."""

    def redeem(self, event: Event) -> random.Random:
        if all(line.event != event for line in self._lines):
            raise LedgerError("draw", found="not paid", fix="pay")
        return self._rng


class AsksAgain(Receipt):
    """Planted bug: the parts are read off the event at each draw, and may have changed since."""

    def redeem(self, event: Event) -> random.Random:
        taken = self.__dict__.setdefault("taken", Counter())
        with self._taking:
            taken[event] += 1
            if taken[event] > sum(times for use, times in self.event.uses() if use == event):
                raise LedgerError("draw", found="not paid", fix="pay")
        return self._rng


class OneForAll(Receipt):
    """Planted bug: the draws are counted together, so a cheap part pays for a dear one."""

    def redeem(self, event: Event) -> random.Random:
        line = next((line for line in self._lines if line.left > 0), None)
        if line is None or all(line.event != event for line in self._lines):
            raise LedgerError("draw", found="not paid", fix="pay")
        with self._taking:
            line.left -= 1
        return self._rng


def planted(bug: type[Receipt]) -> Spend:
    def spend(event: Several) -> Receipt:
        paid = honest(event)
        pays_for = lines(event, str(event), event.cost())
        return bug(event, paid.entry, paid.total, paid.limit, paid._rng, pays_for, [], SEAL)

    return spend


def test_each_part_is_drawn_as_often_as_was_paid_for() -> None:
    assert faults(honest) == []


@pytest.mark.parametrize("bug", [NeverCountsDown, AsksAgain, OneForAll])
def test_a_receipt_that_pays_for_more_would_be_caught(bug: type[Receipt]) -> None:
    assert faults(planted(bug)) != []


def test_the_whole_event_is_not_drawn_beside_its_parts() -> None:
    event = Several()
    with pytest.raises(LedgerError, match=r"it pays for several answers, epsilon 0\.5"):
        honest(event).redeem(event)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_child_draws_nothing_and_takes_nothing() -> None:
    receipt = honest(Several())
    receipt.redeem(ONE)
    children = [fork(lambda: sum(draws(receipt).values())) for _ in range(2)]
    assert [status_of(child) for child in children] == [0, 0]
    assert draws(receipt) == {ONE: 2, TWO: 1}


@dataclass
class Named(Event):
    """Costs the same whatever it is called, and is equal to itself under another name."""

    name: str = field(default="one answer", compare=False)

    def cost(self) -> PrivacyCost:
        return ONE.cost()

    def __str__(self) -> str:
        return self.name


def test_an_event_of_another_text_than_was_recorded_draws_nothing() -> None:
    event = Named()
    receipt = Ledger().spend(event, dataset="people", what="a look")
    event.name = "another answer"
    with pytest.raises(LedgerError, match="it pays for one answer"):
        receipt.redeem(event)
    event.name = "one answer"
    receipt.redeem(event)


STEP = SumStep(count=1, l1=1, squared=1, share=Fraction(1))
DRAWN = DrawThenSums(Budget(1, "1e-6"), ExponentialMechanism(Fraction(1, 2)), (STEP,))


def sums_wait_for_their_draw() -> None:
    """Alone, in a composition and for units; docs/proofs/gaussian.md says why the draw comes first."""
    answer = Answer(Fraction(1, 10))
    for event in (DRAWN, Composition([(DRAWN, 1), (answer, 1)], Fraction(1, 10**6))):
        with Ledger() as ledger:
            receipt = ledger.spend(event, dataset="d", what="test")
            with pytest.raises(LedgerError, match="another draw must come first"):
                receipt.redeem(DRAWN.sums)
            receipt.redeem(DRAWN.mechanism)
            receipt.redeem(DRAWN.sums)
    assert UnitEvent(DRAWN, Unit("id", 1)).orders() == [(DRAWN.mechanism, DRAWN.sums)]


def test_sums_wait_for_their_draw() -> None:
    sums_wait_for_their_draw()


def test_sums_that_do_not_wait_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    fault = Fault(
        "littlestone.privacy.ledger.receipt:Receipt.redeem",
        "if any(line.left > 0 for line in self._lines if line.event in before):",
        "if any(line.left > 1 for line in self._lines if line.event in before):",
        "sums may come before their draw",
    )
    turns_red(fault, sums_wait_for_their_draw, monkeypatch)
