"""Reading and writing the rows of a ledger's tables, with the same SQL for every store."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from fractions import Fraction

from littlestone.errors import LedgerError
from littlestone.privacy.cost import NeighboringRelation, PrivacyCost
from littlestone.privacy.ledger.parts import Part, Spending
from littlestone.privacy.ledger.receipt import Entry
from littlestone.privacy.ledger.store import Connection


class UnsoundRowError(LedgerError):
    """A row of the ledger that another program wrote and that cannot be added up."""


_COST = "epsilon, delta, neighboring"
_PART = "partition, part, parts"


def insert(
    connection: Connection,
    dataset: str,
    what: str,
    mechanism: str,
    cost: PrivacyCost,
    part: Part | None,
) -> Entry:
    """Add an entry; the store gives it its number."""
    at = _now()
    values = {"dataset": dataset, "what": what, "mechanism": mechanism, "at": at}
    place = (part.partition, part.index, part.of) if part else ("", 0, 0)
    ((number,),) = connection.execute(
        f"INSERT INTO entries (dataset, what, mechanism, at, {_COST}, {_PART})"
        " VALUES (:dataset, :what, :mechanism, :at, :epsilon, :delta, :neighboring,"
        " :partition, :part, :parts) RETURNING number",
        values | _texts(cost) | dict(zip(_PART.split(", "), place, strict=True)),
    ).fetchall()
    return Entry(number, dataset, what, mechanism, cost, at, part)


def entries(connection: Connection, dataset: str | None) -> list[Entry]:
    """The entries of a data set, or of all, in the order of their numbers."""
    only = "" if dataset is None else " WHERE dataset = :dataset"
    rows = connection.execute(
        f"SELECT number, dataset, what, mechanism, at, {_PART}, {_COST} FROM entries{only}"
        " ORDER BY number",
        {} if dataset is None else {"dataset": dataset},
    )
    found = []
    for number, name, *words, index, of, epsilon, delta, neighboring in rows:
        if not all(isinstance(word, str) for word in words):
            raise _foreign(name, "a text")
        what, mechanism, at, partition = words
        cost = _cost(name, epsilon, delta, neighboring)
        place = _part(name, partition, index, of)
        found.append(Entry(number, name, what, mechanism, cost, at, place))
    return found


def spending(connection: Connection, names: Sequence[str]) -> Spending:
    """The spending of the data set of those names; equal entries are added once, times their count.

    If nothing is spent yet, the total is under the relation of the limit.
    """
    most = limit(connection, names)
    spent = Spending() if most is None else Spending(most.neighboring)
    for name in names:
        for *place, epsilon, delta, neighboring, times in connection.execute(
            f"SELECT {_PART}, {_COST}, COUNT(*) FROM entries WHERE dataset = :dataset"
            f" GROUP BY {_PART}, {_COST}",
            {"dataset": name},
        ):
            cost = _cost(name, epsilon, delta, neighboring, times)
            spent.add(cost, _part(name, *place), name=name)
    return spent


def relations(
    connection: Connection, names: Sequence[str], *, limits: bool = True
) -> set[NeighboringRelation]:
    """The relations of all costs of the data set, and of its ``limits``; no unknown ones."""
    found = set()
    for name in names:
        for table in ("entries", "limits") if limits else ("entries",):
            for (text,) in connection.execute(
                f"SELECT DISTINCT neighboring FROM {table} WHERE dataset = :dataset",
                {"dataset": name},
            ):
                with suppress(AttributeError, ValueError):  # as another program may have written it
                    found.add(NeighboringRelation(text))
    return found


def set_limit(
    connection: Connection, dataset: str, limit: PrivacyCost, names: Sequence[str] = ()
) -> None:
    """Replace any earlier limit of the data set, under whichever of its names."""
    for name in names:
        if name != dataset:
            connection.execute("DELETE FROM limits WHERE dataset = :dataset", {"dataset": name})
    connection.execute(
        f"INSERT INTO limits (dataset, {_COST}) VALUES (:dataset, :epsilon, :delta, :neighboring)"
        " ON CONFLICT (dataset) DO UPDATE SET epsilon = excluded.epsilon, delta = excluded.delta,"
        " neighboring = excluded.neighboring",
        {"dataset": dataset} | _texts(limit),
    )


def limit(connection: Connection, names: Sequence[str]) -> PrivacyCost | None:
    """The least limit of the names, in epsilon and in delta separately; None without any."""
    found: PrivacyCost | None = None
    for name in names:
        row = connection.execute(
            f"SELECT {_COST} FROM limits WHERE dataset = :dataset", {"dataset": name}
        ).fetchone()
        if row is not None:
            own = _cost(name, *row)
            found = own if found is None else found.least(own)
    return found


def names(connection: Connection, dataset: str) -> list[str]:
    """All names of the data set, its own included, sorted."""
    return _group(_neighbours(connection), dataset)


def joined(connection: Connection) -> dict[str, list[str]]:
    """All names of its data set, sorted, for each name that was ever joined to another."""
    near, groups = _neighbours(connection), dict[str, list[str]]()
    for name in near:
        if name not in groups:
            group = _group(near, name)
            groups.update(dict.fromkeys(group, group))
    return groups


def _neighbours(connection: Connection) -> dict[str, list[str]]:
    near: dict[str, list[str]] = {}
    for name, same_as in connection.execute("SELECT name, same_as FROM aliases"):
        near.setdefault(name, []).append(same_as)
        near.setdefault(same_as, []).append(name)
    return near


def _group(near: dict[str, list[str]], start: str) -> list[str]:
    found, waiting = {start}, [start]
    while waiting:
        # Each name waits once, so each alias is looked at twice.
        new = [name for name in near.get(waiting.pop(), ()) if name not in found]
        found.update(new)
        waiting.extend(new)
    return sorted(found)


def join(connection: Connection, name: str, same_as: str) -> None:
    """Note that two names mean one data set."""
    connection.execute(
        "INSERT INTO aliases (name, same_as, at) VALUES (:name, :same_as, :at)",
        {"name": name, "same_as": same_as, "at": _now()},
    )


def see(connection: Connection, dataset: str, table_schema: str, n: int) -> bool:
    """Note that a table of that schema and n has this name; True if that was not known yet."""
    return bool(
        connection.execute(
            "INSERT INTO seen (dataset, table_schema, n) VALUES (:dataset, :table_schema, :n)"
            " ON CONFLICT DO NOTHING RETURNING n",
            {"dataset": dataset, "table_schema": table_schema, "n": n},
        ).fetchall()
    )


def seen(connection: Connection) -> dict[tuple[str, int], list[str]]:
    """The names under which a table of each schema and n was seen, sorted."""
    found: dict[tuple[str, int], list[str]] = {}
    for name, *table in connection.execute("SELECT dataset, table_schema, n FROM seen"):
        found.setdefault((table[0], table[1]), []).append(name)
    return {table: sorted(owners) for table, owners in found.items()}


def datasets(connection: Connection) -> list[str]:
    """All names of data sets with an entry or a limit, sorted."""
    rows = connection.execute(
        "SELECT dataset FROM entries UNION SELECT dataset FROM limits"
        " UNION SELECT name FROM aliases UNION SELECT same_as FROM aliases"
    )
    # SQLite keeps whatever other programs once wrote, even bytes.
    return sorted({name if isinstance(name, str) else repr(name) for (name,) in rows})


def _texts(cost: PrivacyCost) -> dict[str, str]:
    numbers = {"epsilon": cost.epsilon, "delta": cost.delta}
    texts = {name: f"{part.numerator}/{part.denominator}" for name, part in numbers.items()}
    return {**texts, "neighboring": str(cost.neighboring)}


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _cost(name: str, epsilon: str, delta: str, neighboring: str, times: int = 1) -> PrivacyCost:
    try:
        cost = PrivacyCost(Fraction(epsilon), Fraction(delta), NeighboringRelation(neighboring))
        if min(cost.epsilon, cost.delta) < 0:
            raise ValueError
        return PrivacyCost(cost.epsilon * times, cost.delta * times, cost.neighboring)
    except (TypeError, ValueError, ZeroDivisionError) as error:
        raise _foreign(name, "a cost") from error


def _part(name: str, partition: str, index: int, of: int) -> Part | None:
    try:
        return None if (partition, index, of) == ("", 0, 0) else Part(partition, index, of)
    except ValueError as error:
        raise _foreign(name, "a part") from error


def _foreign(name: str, what: str) -> UnsoundRowError:
    return UnsoundRowError(
        f"read data set {name!r} in the ledger",
        found=f"it holds {what} that this package did not write",
        fix="let the ledger's owner look at its rows; until then nothing more is spent on it, and "
        "other data sets are not concerned",
    )
