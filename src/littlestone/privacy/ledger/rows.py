"""Reading and writing the rows of a ledger's tables, with the same SQL for every store."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from fractions import Fraction

from littlestone.base.errors import LedgerError
from littlestone.points.units import Unit
from littlestone.privacy.cost import NeighboringRelation, PrivacyCost
from littlestone.privacy.ledger.counts import Most, Paid, Part
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


def entry_costs(connection: Connection, names: Sequence[str]) -> list[Paid]:
    """The costs of the data set's entries; equal ones once, with their number."""
    found = list[Paid]()
    for name in names:
        for *place, epsilon, delta, neighboring, times in connection.execute(
            f"SELECT {_PART}, {_COST}, COUNT(*) FROM entries WHERE dataset = :dataset"
            f" GROUP BY {_PART}, {_COST}",
            {"dataset": name},
        ):
            cost = _cost(name, epsilon, delta, neighboring)
            found.append((name, _part(name, *place), cost, times))
    return found


def declare_most(connection: Connection, dataset: str, unit: Unit) -> None:
    """Note that the data set has at most ``unit.most`` records of each unit, and after which entry."""
    connection.execute(
        "INSERT INTO units (dataset, unit, most, entries, at)"
        " SELECT :dataset, :unit, :most, coalesce(max(number), 0), :at FROM entries",
        {"dataset": dataset, "unit": unit.column, "most": unit.most, "at": _now()},
    )


def most(connection: Connection, names: Sequence[str]) -> dict[str, Most]:
    """The declared maximum of records for each unit column: of several, the largest."""
    found: dict[str, Most] = {}
    for name in names:
        for unit, records, after in connection.execute(
            "SELECT unit, most, entries FROM units WHERE dataset = :dataset", {"dataset": name}
        ):
            if not (isinstance(unit, str) and type(records) is int and records >= 1):
                raise _foreign(name, "a number of records")
            if unit not in found or found[unit].records < records:
                late = _spent_before(connection, names, after)
                found[unit] = Most(records, late)
    return found


def _spent_before(connection: Connection, names: Sequence[str], last: int) -> bool:
    return any(
        connection.execute(
            "SELECT 1 FROM entries WHERE dataset = :dataset AND number <= :last LIMIT 1",
            {"dataset": name, "last": last},
        ).fetchone()
        for name in names
    )


def set_limit(
    connection: Connection, dataset: str, limit: PrivacyCost, names: Sequence[str] = ()
) -> None:
    """Replace any earlier limit of the data set for these neighbours, under whichever of its names."""
    for name in {dataset, *names}:
        connection.execute(
            "DELETE FROM limits WHERE dataset = :dataset AND neighboring = :neighboring",
            {"dataset": name, "neighboring": str(limit.neighboring)},
        )
    connection.execute(
        f"INSERT INTO limits (dataset, {_COST}) VALUES (:dataset, :epsilon, :delta, :neighboring)",
        {"dataset": dataset} | _texts(limit),
    )


def limits(connection: Connection, names: Sequence[str]) -> dict[NeighboringRelation, PrivacyCost]:
    """The least limit of the names for each relation, in epsilon and in delta separately."""
    found: dict[NeighboringRelation, PrivacyCost] = {}
    for name in names:
        for row in connection.execute(
            f"SELECT {_COST} FROM limits WHERE dataset = :dataset", {"dataset": name}
        ):
            own = _cost(name, *row)
            # The stricter limit of two names binds, in epsilon and in delta separately.
            found[own.neighboring] = own.least(found.get(own.neighboring, own))
    return found


def names(connection: Connection, dataset: str) -> list[str]:
    """All names of the data set, its own included, sorted."""
    return _group(_neighbours(connection), dataset)


def joined_names(connection: Connection) -> dict[str, list[str]]:
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


def names_by_shape(connection: Connection) -> dict[tuple[str, int], list[str]]:
    """The names under which a table of each schema and n was seen, sorted."""
    found: dict[tuple[str, int], list[str]] = {}
    for name, *table in connection.execute("SELECT dataset, table_schema, n FROM seen"):
        found.setdefault((table[0], table[1]), []).append(name)
    return {table: sorted(owners) for table, owners in found.items()}


def datasets(connection: Connection) -> list[str]:
    """All names of data sets with an entry, a limit or a unit, sorted."""
    rows = connection.execute(
        "SELECT dataset FROM entries UNION SELECT dataset FROM limits"
        " UNION SELECT name FROM aliases UNION SELECT same_as FROM aliases"
        " UNION SELECT dataset FROM units"
    )
    # SQLite keeps whatever other programs once wrote, even bytes.
    return sorted({name if isinstance(name, str) else repr(name) for (name,) in rows})


def _texts(cost: PrivacyCost) -> dict[str, str]:
    numbers = {"epsilon": cost.epsilon, "delta": cost.delta}
    texts = {name: f"{part.numerator}/{part.denominator}" for name, part in numbers.items()}
    return {**texts, "neighboring": str(cost.neighboring)}


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _cost(name: str, epsilon: str, delta: str, neighboring: str) -> PrivacyCost:
    try:
        cost = PrivacyCost(Fraction(epsilon), Fraction(delta), NeighboringRelation(neighboring))
        if min(cost.epsilon, cost.delta) < 0:
            raise ValueError
        return cost
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
