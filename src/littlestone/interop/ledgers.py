"""The ledger parameter of a shell, which keeps one place if the program changes directory."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from littlestone.base.errors import DeclarationError, LedgerError
from littlestone.privacy.ledger import Ledger, conninfo, is_address, show_address


class LedgerPlace:
    """The parameter ``ledger`` of a shell; a relative path is made absolute once, when it is set.

    A change of directory, a clone or a worker process in another directory then finds the same ledger.
    Any other object is kept unchanged, because hosts require it.  Raises `LedgerError` for an address
    with a password, because no password may be kept or shown.  Raises it also for a text that may be a
    misspelled address, because as a path it would be another ledger.

    >>> class Shell:
    ...     ledger = LedgerPlace()
    >>> shell = Shell()
    >>> shell.ledger = "budget.ledger"
    >>> shell.ledger == os.path.abspath("budget.ledger")
    True
    """

    def __get__(self, shell: object, kind: type[object]) -> Any:
        return self if shell is None else vars(shell)["ledger"]

    def __set__(self, shell: object, ledger: object) -> None:
        vars(shell)["ledger"] = _resolve(ledger)


class _Address(str):
    """The address of a server, printed without its options, which may be confidential."""

    __slots__ = ()

    def __str__(self) -> str:
        return show_address(self[:])

    def __repr__(self) -> str:
        return repr(str(self))

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)


def _resolve(ledger: object) -> object:
    if isinstance(ledger, bytes | bytearray):
        raise LedgerError(
            "open the ledger",
            found="its place is given as bytes, which may be an address and would be shown",
            fix="give it as text: a path, or postgresql://USER@HOST/DATABASE",
        )
    if not isinstance(ledger, str | os.PathLike):
        return ledger
    text = os.fsdecode(ledger)
    if is_address(text):
        conninfo(text)
        return (
            ledger if show_address(text) == text or isinstance(ledger, _Address) else _Address(text)
        )
    return ledger if os.path.isabs(text) else os.path.abspath(text)


def open_ledger(ledger: object, *, create: bool) -> AbstractContextManager[Ledger]:
    """The given ledger, which stays open, or the ledger at a path or address, opened for the spend.

    Raises `LedgerError` if there is no ledger and ``create`` is false: a ledger made by accident knows
    no limit and no earlier spend.
    """
    if isinstance(ledger, Ledger):
        return nullcontext(ledger)
    if not isinstance(ledger, str | os.PathLike):
        raise DeclarationError(
            f"spend on a ledger of type {type(ledger).__name__}",
            found="it is neither a Ledger nor the path or address of one",
            fix="give a path, so that it outlives the program; Ledger() for a simulation",
        )
    try:
        return Ledger(ledger, create=create)
    except LedgerError as error:
        if create:
            raise
        raise LedgerError(
            error.asked,
            found=error.found,
            fix=f"{error.fix}; create_ledger=True makes a new ledger, where nothing is spent yet",
        ) from None
