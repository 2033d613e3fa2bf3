"""What several commands make of the ledger in their arguments."""

from __future__ import annotations

import os
from fractions import Fraction
from pathlib import Path

from littlestone.privacy.cost import PrivacyCost, decimal_text
from littlestone.privacy.ledger import Ledger, is_address

_NOTHING = PrivacyCost(Fraction(0))


def ledger_name(text: str, ledger: Ledger) -> str:
    """The name of the ledger ``text`` in output: a path as it was given, an address without password.

    >>> ledger_name("here.ledger", Ledger())
    'here.ledger'
    """
    return str(ledger.path) if is_address(text) else text


def new_ledger(name: str, total: PrivacyCost = _NOTHING) -> str:
    """What commands say of a ledger that they made, in case its name was misspelled.

    >>> new_ledger("littlestone.ledger", PrivacyCost(Fraction(1)))
    'littlestone.ledger: new ledger. Total so far: epsilon 1. No limit set.'
    """
    delta = f", delta {decimal_text(total.delta)}" if total.delta else ""
    spent = f"epsilon {decimal_text(total.epsilon)}{delta}"
    return f"{name}: new ledger. Total so far: {spent}. No limit set."


def no_ledger(text: str) -> bool:
    """Whether there is no file, or an empty one, where the ledger should be.

    >>> no_ledger("no/such/ledger"), no_ledger("postgresql://me@here/budgets")
    (True, False)
    """
    return not is_address(text) and not (os.path.exists(text) and os.path.getsize(text))


def files_of(ledger: str) -> list[Path]:
    """The ledger's file and the files that SQLite keeps beside it; none for a ledger on a server."""
    if is_address(ledger):
        return []
    real = os.path.realpath(ledger)
    return [Path(f"{real}{end}") for end in ("", "-journal", "-wal", "-shm")]
