"""The rows of a ledger's tables, written and read; the same SQL for every store."""

from __future__ import annotations

from datetime import UTC, datetime
from fractions import Fraction

from littlestone.errors import LedgerError
from littlestone.privacy.cost import NeighboringRelation, PrivacyCost
from littlestone.privacy.ledger.parts import Part, Spending
from littlestone.privacy.ledger.receipt import Entry
from littlestone.privacy.ledger.store import Connection

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
    at = datetime.now(UTC).isoformat(timespec="seconds")
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
    return [
        Entry(number, name, what, mechanism, _cost(*rest[3:]), at, _part(*rest[:3]))
        for number, name, what, mechanism, at, *rest in rows
    ]


def spending(connection: Connection, dataset: str) -> Spending:
    """What the data set has spent; equal entries come as one, multiplied by their number."""
    spent = Spending()
    for *place, epsilon, delta, neighboring, times in connection.execute(
        f"SELECT {_PART}, {_COST}, COUNT(*) FROM entries WHERE dataset = :dataset"
        f" GROUP BY {_PART}, {_COST}",
        {"dataset": dataset},
    ):
        spent.add(_cost(epsilon, delta, neighboring, times), _part(*place))
    return spent


def set_limit(connection: Connection, dataset: str, limit: PrivacyCost) -> None:
    """Put a limit in place of any earlier one."""
    connection.execute(
        f"INSERT INTO limits (dataset, {_COST}) VALUES (:dataset, :epsilon, :delta, :neighboring)"
        " ON CONFLICT (dataset) DO UPDATE SET epsilon = excluded.epsilon, delta = excluded.delta,"
        " neighboring = excluded.neighboring",
        {"dataset": dataset} | _texts(limit),
    )


def limit(connection: Connection, dataset: str) -> PrivacyCost | None:
    """The limit of the data set, None when there is none."""
    row = connection.execute(
        f"SELECT {_COST} FROM limits WHERE dataset = :dataset", {"dataset": dataset}
    ).fetchone()
    return None if row is None else _cost(*row)


def datasets(connection: Connection) -> list[str]:
    """The names of all data sets with an entry or a limit, sorted."""
    rows = connection.execute("SELECT dataset FROM entries UNION SELECT dataset FROM limits")
    return sorted(name for (name,) in rows)


def _texts(cost: PrivacyCost) -> dict[str, str]:
    numbers = {"epsilon": cost.epsilon, "delta": cost.delta}
    texts = {name: f"{part.numerator}/{part.denominator}" for name, part in numbers.items()}
    return {**texts, "neighboring": cost.neighboring.value}


def _cost(epsilon: str, delta: str, neighboring: str, times: int = 1) -> PrivacyCost:
    try:
        cost = PrivacyCost(Fraction(epsilon), Fraction(delta), NeighboringRelation(neighboring))
        if min(cost.epsilon, cost.delta) < 0:
            raise ValueError
        return PrivacyCost(cost.epsilon * times, cost.delta * times, cost.neighboring)
    except (TypeError, ValueError, ZeroDivisionError) as error:
        raise _foreign("a cost") from error


def _part(partition: str, index: int, of: int) -> Part | None:
    try:
        return None if (partition, index, of) == ("", 0, 0) else Part(partition, index, of)
    except ValueError as error:
        raise _foreign("a part") from error


def _foreign(what: str) -> LedgerError:
    return LedgerError(
        "read the ledger",
        found=f"it holds {what} that this package did not write",
        fix="restore a copy of the ledger, and add to it what was spent since",
    )
