"""Receipts: what a mechanism needs before it may draw, and the entry that each one proves."""

from __future__ import annotations

import os
import threading
from dataclasses import InitVar, dataclass, field
from typing import NoReturn

from littlestone.errors import LedgerError
from littlestone.privacy.cost import Event, PrivacyCost

SEAL = object()  # what `Ledger.spend` signs receipts with; nothing else should touch it


@dataclass(frozen=True)
class Entry:
    """One line of the ledger: spend ``number`` paid ``cost`` for ``what`` on ``dataset``.

    ``mechanism`` is the event's text and ``at`` the time in UTC, ISO 8601 to the second.
    """

    number: int
    dataset: str
    what: str
    mechanism: str
    cost: PrivacyCost
    at: str


@dataclass(frozen=True, eq=False)
class Receipt:
    """Proof that the cost of ``event`` is durably recorded; it pays for one draw.

    Only `Ledger.spend` makes one.  A receipt cannot be copied, pickled or used in another process:
    a second copy would pay for a second draw.
    """

    event: Event
    entry: Entry
    seal: InitVar[object] = None
    _process: int = field(default_factory=os.getpid, init=False, repr=False)
    # Taken once and never given back, so that of two threads exactly one draws.
    _unused: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)

    def __post_init__(self, seal: object) -> None:
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

    def redeem(self, event: Event) -> None:
        """Use the receipt up; a mechanism calls this immediately before it draws.

        Raises `LedgerError`, and then nothing may be drawn, when ``event`` is not the one paid for
        (as recorded, should the event have changed since), when the receipt was redeemed before,
        and in any process but the one that spent.
        """
        asked = f"draw from {event} on receipt {self.number}"
        paid = self.entry
        if event != self.event or (str(event), event.cost()) != (paid.mechanism, paid.cost):
            self._refuse(asked, f"it pays for {paid.mechanism}, {paid.cost}", "spend for this draw")
        if os.getpid() != self._process:
            self._refuse(asked, "another process spent for it", "spend in the process that draws")
        if not self._unused.acquire(blocking=False):
            self._refuse(asked, "it has paid for a draw already", "spend once for every draw")

    def __reduce__(self) -> NoReturn:
        self._refuse("copy a receipt", "it pays for one draw", "spend once for every draw")

    @staticmethod
    def _refuse(asked: str, found: str, fix: str) -> NoReturn:
        raise LedgerError(asked, found=found, fix=fix)
