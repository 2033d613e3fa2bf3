"""A durable record of privacy costs, written before the draws that they pay for.

`Ledger.spend` returns only once its entry is on disk, and a mechanism draws only against the
`Receipt` that it returns; so any draw that ever left the process has its entry, and a crash between
the two wastes budget but never hides a draw.

What the ledger cannot see: a file restored from an older copy has forgotten the spends since, and
a network drive whose locks do not work cannot keep two machines apart.  Keep it on a local disk.
"""

from __future__ import annotations

import os
import sqlite3
import unicodedata
from datetime import UTC, datetime
from fractions import Fraction
from numbers import Rational
from types import TracebackType
from typing import Self

from littlestone.errors import BudgetExceededError, DeclarationError, LedgerError
from littlestone.privacy.cost import NeighboringRelation, PrivacyCost
from littlestone.privacy.event import Event
from littlestone.privacy.ledger.file import LedgerFile
from littlestone.privacy.ledger.receipt import SEAL, Entry, Receipt, lines

# Characters that are printable to Python and invisible to people.
_BLANKS = frozenset("\u115f\u1160\u2800\u3164\uffa0") | {chr(c) for c in range(0xFE00, 0xFE10)}

_COST = "epsilon, delta, neighboring"


class Ledger:
    """The privacy budget of every data set: limits, and costs added up by basic composition.

    ``path`` is the ledger's file, made if it is missing unless ``create`` is false; ``None`` keeps
    the ledger in memory, for tests and simulations.  Costs are exact rationals throughout.

    Any number of processes, and of threads that share one ledger, may spend at once: each spend is
    a transaction that no other can interleave with.  After a fork the child opens the file anew; a
    ledger in memory stays with the process that made it.

    Raises `LedgerError` at once when the file cannot be opened or written, or is not a ledger.
    Cost of a spend: one durable write, milliseconds on a local disk, and one pass over the data
    set's part of an index.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Answer(Event):
    ...     epsilon: Fraction
    ...
    ...     def cost(self) -> PrivacyCost:
    ...         return PrivacyCost(self.epsilon)
    ...
    ...     def __str__(self) -> str:
    ...         return f"answer({self.epsilon})"
    >>> event = Answer(Fraction(1, 10))
    >>> with Ledger() as ledger:
    ...     ledger.set_limit("census", PrivacyCost(Fraction(1)))
    ...     receipt = ledger.spend(event, dataset="census", what="a first look")
    ...     receipt.redeem(event)
    ...     ledger.total("census").epsilon
    Fraction(1, 10)
    """

    def __init__(self, path: str | os.PathLike[str] | None = None, *, create: bool = True) -> None:
        self._file = LedgerFile(path, create=create)

    @property
    def path(self) -> str | None:
        """The absolute path of the file, ``None`` in memory."""
        return self._file.path

    def spend(self, event: Event, *, dataset: str, what: str) -> Receipt:
        """Record the cost of ``event`` against ``dataset`` and return the receipt, durable by then.

        ``what`` says in a few public words what the draw is for.  Raises `BudgetExceededError` when
        the total would pass the data set's limit, `DeclarationError` for a negative or inexact
        cost or an illegal name, and `LedgerError` when the file cannot be written.  After an
        error there is no receipt, hence no draw; after the first two nothing is recorded either.
        """
        # The event's own code runs once, and before the file is locked.
        cost, mechanism = _checked(event.cost()), _named(str(event), "an event")
        pays_for = lines(event, mechanism, cost)
        dataset, what = _named(dataset, "a data set"), _named(what, "a purpose")
        asked = f"spend {cost} on data set {dataset!r}"
        with self._file.transaction(asked) as connection:
            self._refuse_over_limit(connection, asked, dataset, cost)
            entry = _insert(connection, dataset, what, mechanism, cost)
        return Receipt(event, entry, pays_for, SEAL)

    def set_limit(self, dataset: str, limit: PrivacyCost) -> None:
        """Declare the most that ``dataset`` may ever cost, in place of any earlier limit.

        A limit below what is already spent is accepted: nothing can be unspent, and every further
        spend is refused.  Raises `DeclarationError` when epsilon or delta is negative or inexact.
        """
        row = (_named(dataset, "a data set"), *_texts(_checked(limit)))
        with self._file.transaction(f"limit data set {dataset!r} to {limit}") as connection:
            connection.execute(
                f"INSERT OR REPLACE INTO limits (dataset, {_COST}) VALUES (?, ?, ?, ?)", row
            )

    def limit(self, dataset: str) -> PrivacyCost | None:
        """The limit declared for ``dataset``, ``None`` when there is none."""
        with self._file.transaction("read a limit") as connection:
            return _limit(connection, _named(dataset, "a data set"))

    def total(self, dataset: str) -> PrivacyCost:
        """The sum of all costs of ``dataset`` (basic composition), zero when it has no entry."""
        with self._file.transaction("read a total") as connection:
            paid = _paid(connection, _named(dataset, "a data set"))
        return sum(paid[1:], start=paid[0]) if paid else PrivacyCost(Fraction(0))

    def entries(self, dataset: str | None = None) -> list[Entry]:
        """The entries of ``dataset``, or of all data sets, in the order they were spent."""
        with self._file.transaction("read the entries") as connection:
            rows = connection.execute(
                f"SELECT number, dataset, what, mechanism, at, {_COST} FROM entries"
                " WHERE ?1 IS NULL OR dataset = ?1 ORDER BY number",
                (None if dataset is None else _named(dataset, "a data set"),),
            ).fetchall()
        return [
            Entry(number, name, what, mechanism, _cost(*cost), at)
            for number, name, what, mechanism, at, *cost in rows
        ]

    def datasets(self) -> list[str]:
        """The names of all data sets with an entry or a limit, sorted."""
        with self._file.transaction("read the data sets") as connection:
            rows = connection.execute(
                "SELECT dataset FROM entries UNION SELECT dataset FROM limits"
            )
            return sorted(name for (name,) in rows)

    def close(self) -> None:
        """Close the file; a closed ledger refuses every use, and closing twice is harmless."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _refuse_over_limit(
        self, connection: sqlite3.Connection, asked: str, dataset: str, cost: PrivacyCost
    ) -> None:
        limit, after = _limit(connection, dataset), sum(_paid(connection, dataset), start=cost)
        if limit is None or (after.neighboring is limit.neighboring and after.within(limit)):
            return
        raise BudgetExceededError(
            asked,
            found=f"the total would be {after} and the limit is {limit}",
            fix="spend less, or use other data; raise the limit only if those who set it agree",
        )


def _paid(connection: sqlite3.Connection, dataset: str) -> list[PrivacyCost]:
    """The costs of the data set's entries; equal ones come as one, multiplied by their number."""
    rows = connection.execute(
        f"SELECT {_COST}, COUNT(*) FROM entries WHERE dataset = ? GROUP BY {_COST}", (dataset,)
    )
    return [_cost(*row) for row in rows]


def _limit(connection: sqlite3.Connection, dataset: str) -> PrivacyCost | None:
    row = connection.execute(f"SELECT {_COST} FROM limits WHERE dataset = ?", (dataset,)).fetchone()
    return None if row is None else _cost(*row)


def _insert(
    connection: sqlite3.Connection, dataset: str, what: str, mechanism: str, cost: PrivacyCost
) -> Entry:
    at = datetime.now(UTC).isoformat(timespec="seconds")
    number = connection.execute(
        f"INSERT INTO entries (dataset, what, mechanism, at, {_COST}) VALUES (?, ?, ?, ?, ?, ?, ?)",
        (dataset, what, mechanism, at, *_texts(cost)),
    ).lastrowid
    if number is None:  # cannot be, after an insert; the types do not know
        raise LedgerError("number an entry", found="SQLite gave none", fix="report this error")
    return Entry(number, dataset, what, mechanism, cost, at)


def _texts(cost: PrivacyCost) -> tuple[str, str, str]:
    epsilon, delta = (f"{part.numerator}/{part.denominator}" for part in (cost.epsilon, cost.delta))
    return epsilon, delta, cost.neighboring.value


def _cost(epsilon: str, delta: str, neighboring: str, times: int = 1) -> PrivacyCost:
    try:
        cost = PrivacyCost(Fraction(epsilon), Fraction(delta), NeighboringRelation(neighboring))
        if min(cost.epsilon, cost.delta) < 0:
            raise ValueError
        return PrivacyCost(cost.epsilon * times, cost.delta * times, cost.neighboring)
    except (TypeError, ValueError, ZeroDivisionError) as error:
        raise LedgerError(
            "read the ledger",
            found="it holds a cost that this package did not write",
            fix="restore a copy of the file, and add to it what was spent since",
        ) from error


def _checked(cost: PrivacyCost) -> PrivacyCost:
    for name, part in (("epsilon", cost.epsilon), ("delta", cost.delta)):
        rational = isinstance(part, Rational) and part >= 0
        # Sums of fractions without a common denominator would grow beyond what can be printed.
        if not rational or max(part.numerator, part.denominator).bit_length() > 4096:
            raise DeclarationError(
                f"use {name} = {part} in the ledger",
                found="it is not an exact rational number of at least 0 and of at most 4096 bits",
                fix="give a Fraction; littlestone.privacy.cost.exact reads 0.1 as 1/10",
            )
    return cost


def _named(text: str, what: str) -> str:
    # Line breaks and invisible characters could pass one data set off as another.
    plain = isinstance(text, str) and bool(text) and text == text.strip() and text.isprintable()
    if not plain or not unicodedata.is_normalized("NFC", text) or _BLANKS & set(text):
        raise DeclarationError(
            f"use {text!r} as the name of {what}",
            found="it is no text, is empty, has spaces around it, or has characters that cannot be "
            "seen or told from others",
            fix="use plain words on one line",
        )
    return text
