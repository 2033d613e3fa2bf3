"""Opening a ledger by its path or address, and reading what it holds."""

from __future__ import annotations

import hashlib
import json
import os
import warnings
from collections.abc import Sequence
from dataclasses import replace

from littlestone.base.addresses import is_address
from littlestone.base.errors import DeclarationError, show_value
from littlestone.privacy.cost import PrivacyCost
from littlestone.privacy.ledger import rows
from littlestone.privacy.ledger.common_tables import MOST, check_name
from littlestone.privacy.ledger.counts import Spending
from littlestone.privacy.ledger.file import LedgerFile
from littlestone.privacy.ledger.ledger import BaseLedger, Books
from littlestone.privacy.ledger.receipt import Entry
from littlestone.privacy.ledger.store import Store


class Ledger(BaseLedger):
    """The privacy budget of every data set: limits, and costs added up by basic composition.

    ``path`` is the ledger's file, or the address of a PostgreSQL database that a team shares, as in
    ``"postgresql://user@host/database"`` (needs the extra ``postgresql``).  The tables
    are made if they are missing.  A misspelled name would then be a new ledger that knows of no earlier
    spend, so a warning tells if one was made, unless ``create`` is true; if it is false, none is made.
    A ``path`` of ``None`` keeps the ledger in memory, for tests and simulations.  Costs are exact
    rationals throughout.

    Any number of processes, and of threads that share one ledger, may spend at once: each spend is a
    transaction that no other can interleave with.  After a fork the child opens the ledger anew; a
    ledger in memory stays with the process that made it.

    Raises `LedgerError` at once if the ledger cannot be opened or written, or is not a ledger.  A spend
    takes one durable write, milliseconds on a local disk, and one pass over the data set's part of an
    index.

    >>> from dataclasses import dataclass, replace
    >>> from fractions import Fraction
    >>> from littlestone.privacy.event import Event
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
    ...     generator = receipt.redeem(event)
    ...     ledger.total("census").epsilon
    Fraction(1, 10)
    """

    def __init__(
        self, path: str | os.PathLike[str] | None = None, *, create: bool | None = None
    ) -> None:
        place = None if path is None else _place(path)
        super().__init__(_store(place, create=create is None or create))
        if self.is_new and place is not None and not create:
            warnings.warn(
                f"new ledger {self.path}: nothing is spent in it, and no limit is set. If you meant "
                "another one, check the path; if not, write Ledger(..., create=True)",
                stacklevel=2,
            )

    def __repr__(self) -> str:
        return f"ledger {'in memory' if self.path is None else self.path}"

    def _repr_html_(self) -> str:
        """What each data set has spent and may still spend, for a notebook."""
        from littlestone.base.markup import grid, tag

        rows, done = [], set[str]()
        for name in self.datasets():
            if name not in done:
                names, total, limit = self.names(name), self.total(name), self.limit(name)
                done.update(names)
                left = "" if limit is None else str(total.left(limit))
                rows.append([" = ".join(names), str(total), str(limit or ""), left])
        return tag("p", str(self)) + grid(["data set", "spent", "limit", "left"], rows)

    @property
    def connection(self) -> str | None:
        """The encryption of the connection to the server, in words; ``None`` without a server."""
        return self._store.connection

    def entries(self, dataset: str | None = None) -> list[Entry]:
        """The entries of ``dataset``, or of all data sets, in the order they were spent."""
        if dataset is not None:
            check_name(dataset, "a data set")
        with self._store.transaction("read the entries") as connection:
            return rows.entries(connection, dataset)

    def history(self, dataset: str | None = None) -> list[tuple[Entry, PrivacyCost]]:
        """The entries of ``dataset`` under all its names, or of all data sets, each with a total.

        The total is that of the entry's data set right after it, as if its names had always been one,
        for the neighbours of `total`.
        """
        if dataset is not None:
            check_name(dataset, "a data set")
        with self._store.transaction("read the history") as connection:
            owners = rows.joined_names(connection)
            names = [None] if dataset is None else owners.get(dataset, [dataset])
            entries = [entry for name in names for entry in rows.entries(connection, name)]
            groups = {
                entry.dataset: owners.get(entry.dataset, [entry.dataset]) for entry in entries
            }
            relations = {
                group[0]: Books.load(connection, group).relation for group in groups.values()
            }
        spent = {owner: Spending(relation) for owner, relation in relations.items()}
        totals = []
        for entry in sorted(entries, key=lambda entry: entry.number):
            owner = groups[entry.dataset][0]
            cost = replace(entry.cost, neighboring=relations[owner])
            spent[owner].add(cost, entry.part, name=entry.dataset)
            totals.append((entry, spent[owner].total))
        return totals

    def datasets(self) -> list[str]:
        """All names of the data sets with an entry or a limit, sorted."""
        with self._store.transaction("read the data sets") as connection:
            return rows.datasets(connection)

    def note_shape(self, dataset: str, *, columns: Sequence[str], n: int) -> list[str]:
        """Note the public shape of a table; return other data sets with the same shape, once.

        The shape is the columns' names, in order, and the number of records, which is public under
        replace-one neighbours.  The result leaves out other names of the same data set, and is empty
        for a table that was noted before.  It proves nothing, but may point to a copy, whose budget
        `alias` joins.

        >>> ledger = Ledger()
        >>> ledger.note_shape("visits", columns=["age", "visits"], n=1000)
        []
        >>> ledger.note_shape("copy of visits", columns=["age", "visits"], n=1000)
        ['visits']
        """
        dataset = check_name(dataset, "a data set", most=MOST)
        # Column names may be of any length and number.
        looks = hashlib.sha256(json.dumps(list(columns)).encode()).hexdigest()
        with self._store.transaction(f"note the columns of {dataset!r}") as connection:
            if not rows.see(connection, dataset, looks, n):
                return []
            names = rows.names_by_shape(connection)[looks, n]
            _, *others = _apart([dataset, *names], rows.joined_names(connection))
            return others

    def lookalikes(self) -> list[list[str]]:
        """Groups of data sets whose tables had the same shape when `note_shape`, each by one name."""
        with self._store.transaction("read the columns") as connection:
            owners, seen = rows.joined_names(connection), rows.names_by_shape(connection)
        alike = {tuple(_apart(names, owners)) for names in seen.values()}
        return [list(names) for names in sorted(alike) if names[1:]]


def _apart(names: Sequence[str], owners: dict[str, list[str]]) -> list[str]:
    """The first name of each data set among ``names``."""
    first: dict[str, str] = {}
    for name in names:
        first.setdefault(owners.get(name, [name])[0], name)
    return list(first.values())


def _store(place: str | None, *, create: bool) -> Store:
    if place is not None and is_address(place):
        from littlestone.privacy.ledger.server import LedgerServer

        return LedgerServer(place, create=create)
    return LedgerFile(place, create=create)


def _place(path: object) -> str:
    try:
        place = os.fspath(path)  # type: ignore[call-overload]
    except TypeError:
        place = None
    if not isinstance(place, str):
        raise DeclarationError(
            f"open the ledger {show_value(path)}",
            found="it is neither a path nor an address",
            fix="give the path of a file, such as 'visits.ledger', or leave it out for one in memory",
        )
    return place
