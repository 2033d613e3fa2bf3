"""Receipts: the permission that a mechanism needs to draw, and the entry that each one proves."""

from __future__ import annotations

import os
import random
import threading
from dataclasses import InitVar, dataclass, field
from typing import NoReturn

from littlestone.base.errors import LedgerError
from littlestone.privacy.cost import PrivacyCost
from littlestone.privacy.event import Event
from littlestone.privacy.ledger.counts import Part
from littlestone.privacy.randomness import is_cryptographic

SEAL = object()  # `Ledger.spend` signs receipts with it; nothing else should touch it


@dataclass(frozen=True)
class Entry:
    """One line of the ledger: spend ``number`` paid ``cost`` for ``what`` on ``dataset``.

    ``mechanism`` is the event's text, ``at`` the time in UTC, ISO 8601 to the second, and ``part``
    the part of the data set that was read, None for the whole.
    """

    number: int
    dataset: str
    what: str
    mechanism: str
    cost: PrivacyCost
    at: str
    part: Part | None = None


@dataclass
class Line:
    """The remaining draws of ``event``, with its text and cost at the time of payment."""

    event: Event
    text: str
    cost: PrivacyCost
    left: int


def lines(event: Event, text: str, cost: PrivacyCost) -> list[Line]:
    """The lines that a receipt for ``event`` pays for; ``text`` and ``cost`` are as recorded."""
    return [
        Line(use, text, cost, times) if use is event else Line(use, str(use), use.cost(), times)
        for use, times in event.uses()
    ]


@dataclass(frozen=True, eq=False)
class Receipt:
    """Proof that the cost of ``event`` is durably recorded; it pays for the draws of its `uses`.

    That is one draw of a mechanism, or of each part of a composed event as often as the event says.  A
    receipt holds the generator for these draws, and hands it out against one of them.  ``total`` is
    what the data set had spent right after this spend, and ``limit`` its limit then, so nothing has to
    be read again before the draw is shown.  The total is None if it has no bound.

    Only `Ledger.spend` makes one.  A receipt cannot be copied, pickled or used in another process: a
    second copy would pay for a second draw.
    """

    event: Event
    entry: Entry
    total: PrivacyCost | None
    limit: PrivacyCost | None
    _rng: random.Random = field(repr=False)
    _lines: list[Line] = field(default_factory=list, repr=False)
    _orders: list[tuple[Event, Event]] = field(default_factory=list, repr=False)
    seal: InitVar[object] = None
    _process: int = field(default_factory=os.getpid, init=False, repr=False)
    # Draws are taken one at a time and never given back, so two threads never share one.
    _taking: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)

    def __post_init__(self, seal: object) -> None:
        # The one lock on all draws: mechanisms take a generator from receipts alone, and only
        # `spend` has the seal.
        if seal is not SEAL:
            self._refuse("make a receipt", "only a recorded spend makes one", "call Ledger.spend")

    @property
    def number(self) -> int:
        """The number of the ledger's entry."""
        return self.entry.number

    @property
    def dataset(self) -> str:
        """The data set whose budget paid."""
        return self.entry.dataset

    @property
    def private(self) -> bool:
        """Whether the draws are private: False with a seeded generator, which can be replayed."""
        return is_cryptographic(self._rng)

    def redeem(self, event: Event) -> random.Random:
        """Take one draw of ``event`` and return its generator; a mechanism gets one in no other way.

        Raises `LedgerError`, and then nothing may be drawn, in four cases: ``event`` is not among those
        paid for (as recorded, even if one has changed since), all its draws are taken, a draw that must
        come before it is not taken (`Event.orders`), or this is not the process that spent.
        """
        asked = f"draw from {event} on receipt {self.number}"
        # An event that was changed after payment has another text or cost, and gets nothing.
        text, cost = str(event), event.cost()
        paid_for = [line for line in self._lines if line.event == event]
        if not paid_for or any((line.text, line.cost) != (text, cost) for line in paid_for):
            paid = self.entry
            self._refuse(asked, f"it pays for {paid.mechanism}, {paid.cost}", "spend for this draw")
        # After a fork there are two copies of this receipt, and only one of them was paid for.
        if os.getpid() != self._process:
            self._refuse(asked, "another process spent for it", "spend in the process that draws")
        with self._taking:
            before = [first for first, then in self._orders if then == event]
            if any(line.left > 0 for line in self._lines if line.event in before):
                self._refuse(
                    asked, "another draw must come first", "draw in the order of its event"
                )
            line = next((line for line in paid_for if line.left > 0), None)
            if line is None:
                found = "it has paid for a draw already"
                self._refuse(asked, found, "spend once for every draw")
            # Counted before the generator leaves, and never given back: not even a failed draw may
            # be repeated.
            line.left -= 1
        return self._rng

    def __reduce__(self) -> NoReturn:
        self._refuse("copy a receipt", "it pays for one draw", "spend once for every draw")

    @staticmethod
    def _refuse(asked: str, found: str, fix: str) -> NoReturn:
        raise LedgerError(asked, found=found, fix=fix)
