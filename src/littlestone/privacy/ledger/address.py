"""The location of a ledger: the path of a file or the address of a server, and nothing in between.

No address may hold a password (`addresses`).  A text that only looks like an address is refused,
because as a path it would make an empty ledger under that name.  No error quotes any of these, because
a password may stand anywhere in them.
"""

from __future__ import annotations

from typing import NoReturn

from littlestone.base.addresses import (
    PASSWORDS,
    flaw,
    for_libpq,
    is_postgresql,
    looks_like_address,
    public,
)
from littlestone.base.errors import LedgerError

_FIX = f"write postgresql://USER@HOST/DATABASE, and {PASSWORDS}; for a file of such a name write ./NAME"


def is_address(text: str) -> bool:
    """Whether ``text`` is the address of a server, and not the path of a file.

    Raises `LedgerError`, without quoting it, for a text that is not clearly one of them.

    >>> is_address("postgresql://ada@db.example/ledgers"), is_address("budget.ledger")
    (True, False)
    """
    if is_postgresql(text):
        return True
    if not text.strip():
        _refuse_address("its name is empty")
    if looks_like_address(text):
        _refuse_address("its name looks like an address but is not one")
    return False


def conninfo(address: str) -> str:
    """``address`` as libpq reads it; raises `LedgerError` if it holds a password or is damaged.

    >>> conninfo("postgresql+psycopg://ada@db.example/ledgers")
    'postgresql://ada@db.example/ledgers'
    """
    if found := flaw(address):
        _refuse_address(found)
    return for_libpq(address)


def show_address(text: str) -> str:
    """``text`` as anyone may see it: a path unchanged, an address with only host and port as options.

    A text that `is_address` or a ledger would refuse is shown as ``'***'``.

    >>> show_address("postgresql://ada@db.example/ledgers?sslmode=require")
    'postgresql://ada@db.example/ledgers'
    >>> show_address("postgresql://ada:secret@db.example/ledgers"), show_address("budget.ledger")
    ('***', 'budget.ledger')
    """
    try:
        return public(conninfo(text)) if is_address(text) else text
    except LedgerError:
        return "***"


def _refuse_address(found: str) -> NoReturn:
    raise LedgerError("open the ledger", found=found, fix=_FIX) from None
