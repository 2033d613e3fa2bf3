"""No word of an engine about a value of a record passes a snapshot, also after a spend."""

from __future__ import annotations

import traceback
from typing import Any

import numpy as np
import pytest

from littlestone.base.errors import TableError
from littlestone.data import Label, open_table
from littlestone.data.stored import StoredSample, store_sample
from littlestone.points import Cells, Product
from planting import Fault, turns_red
from servers import Server

DOMAIN = Product((Cells(("0", "5"), "x"),))
TABLES = (
    "CREATE TABLE t AS SELECT CAST(1 AS INTEGER) AS x, CAST('yes' AS TEXT) AS y",
    "CREATE TABLE given AS SELECT CAST('SECRET' AS TEXT) AS x, CAST('no' AS TEXT) AS y",
)
QUERY = "SELECT CAST(x AS INTEGER) AS x, y FROM given"


def failing(server: Server | None) -> StoredSample:
    """A sample of DuckDB or of a server whose next question fails at the value of a record."""
    if server is None:
        connection = pytest.importorskip("duckdb").connect()
        for statement in TABLES:
            connection.execute(statement)
        table = open_table(connection.table("t"))
    else:
        pytest.importorskip("sqlalchemy")
        address = server.database()
        with pytest.importorskip("psycopg").connect(address) as connected:
            for statement in TABLES:
                connected.execute(statement)
        table = open_table(address, "t")
    found = store_sample(table, DOMAIN, Label.parse("y", "yes"))
    assert found is not None
    snapshot: Any = found.cells.snapshot
    if server is None:
        snapshot._table = connection.sql(QUERY)
    else:
        snapshot._rows = f"({QUERY}) AS t"
    return found


def is_silent(server: Server | None) -> None:
    sample = failing(server)
    try:
        sample.cells.totals((0,), [np.arange(sample.cells.sizes[0])], (1,))
    except Exception as error:
        said = "".join(traceback.format_exception(error))
        told = isinstance(error, TableError)
    finally:
        sample.close()
    assert told
    assert "SECRET" not in said
    assert "nothing is released" in said


FAULTS = [
    Fault("littlestone.data.snapshots:DuckDbSnapshot.query", "with self._errors():", "if True:",
          "an error of DuckDB is raised as it is"),
    Fault("littlestone.data.snapshots:PostgreSqlSnapshot.query", "with self._errors():", "if True:",
          "an error of PostgreSQL is raised as it is"),
]  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.mistake)
def test_a_question_that_fails_at_a_record_does_not_tell_its_value(
    fault: Fault, running_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns_red(fault, is_silent, monkeypatch, None if "DuckDb" in fault.place else running_server)
