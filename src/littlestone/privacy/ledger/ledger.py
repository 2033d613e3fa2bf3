"""A durable record of privacy costs, written before the draws that they pay for.

`Ledger.spend` returns only once its entry is on disk, and a mechanism draws only against the
`Receipt` that it returns; so any draw that ever left the process has its entry, and a crash between
the two wastes budget but never hides a draw.

What the ledger cannot see: a store restored from an older copy has forgotten the spends since, and
a network drive whose locks do not work cannot keep two machines apart.  Keep a file on a local disk,
and use a PostgreSQL server for several machines.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from types import TracebackType
from typing import NoReturn, Self

from littlestone.errors import BudgetExceededError, LedgerError
from littlestone.privacy.cost import PrivacyCost
from littlestone.privacy.event import Event
from littlestone.privacy.ledger import rows
from littlestone.privacy.ledger.declared import checked, named
from littlestone.privacy.ledger.file import LedgerFile
from littlestone.privacy.ledger.parts import Part, Spending
from littlestone.privacy.ledger.receipt import SEAL, Entry, Receipt, lines
from littlestone.privacy.ledger.server import LedgerServer, is_address
from littlestone.privacy.ledger.store import Connection, Store


@dataclass(frozen=True)
class Preview:
    """What a spend of ``cost`` would do: the data set's total before and after it, and the limit."""

    cost: PrivacyCost
    before: PrivacyCost
    after: PrivacyCost
    limit: PrivacyCost | None

    @property
    def refused(self) -> bool:
        """Whether the spend would pass the limit."""
        after, limit = self.after, self.limit
        if limit is None:
            return False
        return after.neighboring is not limit.neighboring or not after.within(limit)


class Ledger:
    """The privacy budget of every data set: limits, and costs added up by basic composition.

    ``path`` is the ledger's file, or the address of a PostgreSQL database that a team shares, as in
    ``"postgresql://user@host/database"`` (needs the extra ``littlestone[postgresql]``).  The tables
    are made if they are missing, unless ``create`` is false; ``None`` keeps the ledger in memory, for
    tests and simulations.  Costs are exact rationals throughout.

    Any number of processes, and of threads that share one ledger, may spend at once: each spend is
    a transaction that no other can interleave with.  After a fork the child opens the ledger anew; a
    ledger in memory stays with the process that made it.

    Raises `LedgerError` at once when the ledger cannot be opened or written, or is not a ledger.
    Cost of a spend: one durable write, milliseconds on a local disk, and one pass over the data
    set's part of an index.

    >>> from dataclasses import dataclass
    >>> from fractions import Fraction
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
        self._store: Store
        if isinstance(path, str) and is_address(path):
            self._store = LedgerServer(path, create=create)
        else:
            self._store = LedgerFile(path, create=create)

    @property
    def path(self) -> str | None:
        """The absolute path of the file, or the address without a password; ``None`` in memory."""
        return self._store.path

    def spend(self, event: Event, *, dataset: str, what: str, part: Part | None = None) -> Receipt:
        """Record the cost of ``event`` against ``dataset`` and return the receipt, durable by then.

        ``what`` says in a few public words what the draw is for.  ``part`` promises that the draw
        reads no record outside of that part; parts of one partition are charged in parallel.  Raises
        `BudgetExceededError` when the total would pass the data set's limit, `DeclarationError` for
        a negative or inexact cost or an illegal name, and `LedgerError` when the ledger cannot be
        written.  After an error there is no receipt, hence no draw; after the first two nothing is
        recorded either.
        """
        # The event's own code runs once, and before the ledger is locked.
        cost, mechanism = checked(event.cost()), named(str(event), "an event")
        pays_for = lines(event, mechanism, cost)
        dataset, what = named(dataset, "a data set"), named(what, "a purpose")
        place = f"part {part} of " if part else ""
        asked = f"spend {cost} on {place}data set {dataset!r}"
        with self._store.transaction(asked) as connection:
            preview = _preview(connection, dataset, cost, part)
            if preview.refused:
                raise BudgetExceededError(
                    asked,
                    found=f"the total would be {preview.after} and the limit is {preview.limit}",
                    fix="spend less, or use other data; raise the limit only if those who set it "
                    "agree",
                )
            entry = rows.insert(connection, dataset, what, mechanism, cost, part)
        return Receipt(event, entry, preview.after, preview.limit, pays_for, SEAL)

    def preview(self, event: Event, *, dataset: str, part: Part | None = None) -> Preview:
        """What `spend` would do now, with nothing recorded; another spend may come in between.

        >>> from fractions import Fraction
        >>> from littlestone.privacy.mechanisms.exponential import ExponentialMechanism
        >>> ledger = Ledger()
        >>> ledger.set_limit("census", PrivacyCost(Fraction(1)))
        >>> preview = ledger.preview(ExponentialMechanism(Fraction(3, 2)), dataset="census")
        >>> str(preview.after), preview.refused
        ('epsilon 1.5, delta 0 (replace-one)', True)
        """
        cost, dataset = checked(event.cost()), named(dataset, "a data set")
        with self._store.transaction("preview a spend") as connection:
            return _preview(connection, dataset, cost, part)

    def set_limit(self, dataset: str, limit: PrivacyCost) -> None:
        """Declare the most that ``dataset`` may ever cost, in place of any earlier limit.

        A limit below what is already spent is accepted: nothing can be unspent, and every further
        spend is refused.  Raises `DeclarationError` when epsilon or delta is negative or inexact.
        """
        dataset, limit = named(dataset, "a data set"), checked(limit)
        with self._store.transaction(f"limit data set {dataset!r} to {limit}") as connection:
            rows.set_limit(connection, dataset, limit)

    def limit(self, dataset: str) -> PrivacyCost | None:
        """The limit declared for ``dataset``, ``None`` when there is none."""
        dataset = named(dataset, "a data set")
        with self._store.transaction("read a limit") as connection:
            return rows.limit(connection, dataset)

    def total(self, dataset: str) -> PrivacyCost:
        """What ``dataset`` has spent, zero when it has no entry.

        Basic composition, in parallel over the parts of each partition (see `Spending`).
        """
        dataset = named(dataset, "a data set")
        with self._store.transaction("read a total") as connection:
            return rows.spending(connection, dataset).total

    def entries(self, dataset: str | None = None) -> list[Entry]:
        """The entries of ``dataset``, or of all data sets, in the order they were spent."""
        if dataset is not None:
            named(dataset, "a data set")
        with self._store.transaction("read the entries") as connection:
            return rows.entries(connection, dataset)

    def history(self, dataset: str | None = None) -> list[tuple[Entry, PrivacyCost]]:
        """The same entries, each with the total of its data set right after it."""
        spent: dict[str, Spending] = {}
        totals = []
        for entry in self.entries(dataset):
            spending = spent.setdefault(entry.dataset, Spending())
            spending.add(entry.cost, entry.part)
            totals.append((entry, spending.total))
        return totals

    def datasets(self) -> list[str]:
        """The names of all data sets with an entry or a limit, sorted."""
        with self._store.transaction("read the data sets") as connection:
            return rows.datasets(connection)

    def close(self) -> None:
        """Close the file; a closed ledger refuses every use, and closing twice is harmless."""
        self._store.close()

    # A copy would not know of what is spent on the other: whoever copies shares the ledger.
    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __reduce__(self) -> NoReturn:
        raise LedgerError(
            "pickle a ledger",
            found="a copy in another process would not know of what is spent on this one",
            fix="give the path or the address of the ledger in its place",
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


def _preview(connection: Connection, dataset: str, cost: PrivacyCost, part: Part | None) -> Preview:
    spent = rows.spending(connection, dataset)
    before = spent.total
    spent.add(cost, part)
    return Preview(cost, before, spent.total, rows.limit(connection, dataset))
