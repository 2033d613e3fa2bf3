"""Sheets and trees learned in DuckDB, PostgreSQL and Spark, beside the local fit and an own query.

``python -m benchmarks.sheets_in_engines ROWS [ENGINE [KIND]]`` prints the lines of one number of rows,
where KIND is sheet, tree or tree_sheet, and ``python -m benchmarks sheets_in_engines`` those of all
kinds at 1e6 and 1e7 (docs/benchmarks/sheets-in-engines.md).  Each run is a process of its own.  All
fits of one table have one seed and must release one rule, and the engine's own query, which counts the
cells of all columns by label, or of all pairs of columns, must count as many records.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
import warnings
from contextlib import ExitStack
from hashlib import sha256
from importlib.util import find_spec
from itertools import combinations, product
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.harness import require
from benchmarks.large_tables import Run, Started, _peak, _session, cpu_of, postgresql

ON_REQUEST = True

COLUMNS = (
    "age: 0..100 step 5, weight: 0..200 step 10, sodium: 120..160 step 2, "
    "dose: 0..1 step 0.05, visits: 0..50 step 2, ward in {A, B, C, D, E, F, G, H}, sex in {F, M}"
)
KINDS: dict[str, tuple[str, dict[str, Any], int]] = {
    "sheet": (f"score_sheet({COLUMNS}; at most 8)", {}, 1),
    "tree": (f"trees({COLUMNS}; depth 2)", {}, 2),
    "tree_sheet": (f"trees({COLUMNS}; depth 1 to 3)", {"method": "tree_sheet", "risk": True}, 2),
}
"""The class, more arguments of `fit`, and the columns that the engine's own query counts at once.

A tree of depth 2 is split once more, as `auto` does with so many records, and one with points is what
`auto` learns where risks are asked for.
"""
GRIDS = {"age": (0, 5, 20), "weight": (0, 10, 20), "sodium": (120, 2, 20), "dose": (0, 0.05, 20)}
GRIDS |= {"visits": (0, 2, 25)}
TYPES = {"age": "double precision", "weight": "double precision", "sodium": "real"}
TYPES |= {"dose": "numeric(4, 2)", "visits": "integer", "died": "integer"}
LOCAL = 10**7
"""The most rows that the local fit is given."""


def write(folder: Path, rows: int) -> None:
    """The table ``visits`` as a DuckDB file and as Parquet: five numbers, two texts, a label."""
    import duckdb

    with duckdb.connect(str(folder / "visits.duckdb")) as connection:
        connection.execute(
            f"""
            CREATE TABLE visits AS SELECT
                CASE WHEN h % 50 = 0 THEN NULL ELSE (h % 9901) / 100.0::DOUBLE END AS age,
                30 + (h >> 14) % 15001 / 100.0::DOUBLE AS weight,
                CAST(120 + (h >> 28) % 401 / 10.0 AS FLOAT) AS sodium,
                CAST((h >> 37) % 101 / 100.0 AS DECIMAL(4, 2)) AS dose,
                CAST((h >> 44) % 60 AS INTEGER) AS visits,
                chr(CAST(65 + (h >> 50) % 9 AS INTEGER)) AS ward,
                CASE (h >> 54) % 3 WHEN 0 THEN 'F' WHEN 1 THEN 'M' END AS sex,
                CAST((h >> 56) % 256 < 10 + (h % 9901) / 100 + (h >> 50) % 9 * 5 AS INTEGER) AS died
            FROM (SELECT hash(i) AS h FROM range({rows}) AS r(i))
            """
        )
        connection.execute(f"COPY visits TO '{folder / 'visits.parquet'}' (FORMAT parquet)")


def rule_of(run: Run) -> list[Any]:
    """The number of records and a digest of the rule, learned from what the contender opens."""
    import littlestone
    from littlestone.data import open_table

    warnings.simplefilter("ignore")
    source = Path(run.source, "visits.parquet")
    if run.contender == "littlestone in duckdb":
        opened: Any = open_table(Path(run.source, "visits.duckdb"), "visits")
    elif run.contender == "littlestone in postgresql":
        opened = open_table(run.source, "visits")
    elif run.contender == "littlestone in spark":
        opened = open_table(_session().read.parquet(str(source)))
    else:
        opened = open_table(source)
    text, more, _ = KINDS[run.task]
    release = littlestone.fit(
        opened, "died", positive=1, hypotheses=text, epsilon=1, delta="1e-9",
        ledger=littlestone.Ledger(), dataset="visits", simulation_seed=7, **more,
    )  # fmt: skip
    found = f"{release.hypothesis.form()} {release.risks}"
    return [release.n, sha256(found.encode()).hexdigest()]


def own_query(run: Run) -> list[Any]:
    """The number of records by the engine's own counts of all cells by label."""
    cells = [
        f"CAST(least(greatest(floor(({name} - {low}) / {step}), 0), {size}) AS INTEGER)"
        for name, (low, step, size) in GRIDS.items()
    ]
    names = [*(f"c{i}" for i in range(len(cells))), "ward", "sex"]
    terms = [*(f"{cell} AS c{i}" for i, cell in enumerate(cells)), "ward", "sex", "died"]
    subsets = list(combinations(names, KINDS[run.task][2]))
    sets = ", ".join(f"({', '.join(own)}, died)" for own in subsets)
    query = (
        f"SELECT {', '.join(names)}, died, count(*) AS n "
        f"FROM (SELECT {', '.join(terms)} FROM visits) AS t GROUP BY GROUPING SETS ({sets})"
    )
    if run.contender == "sql of duckdb":
        import duckdb

        with duckdb.connect(f"{run.source}/visits.duckdb", read_only=True) as connection:
            rows = connection.execute(query).fetchall()
    elif run.contender == "sql of postgresql":
        import psycopg

        with psycopg.connect(run.source) as server:
            rows = server.execute(query.encode()).fetchall()
    else:
        session = _session()
        session.read.parquet(f"{run.source}/visits.parquet").createOrReplaceTempView("visits")
        rows = session.sql(query).collect()
    return [sum(row[-1] for row in rows) // len(subsets), ""]


def alone(run: Run) -> dict[str, Any]:
    """One run: its CPU time, seconds and peak of memory, and what it found."""
    began, start = cpu_of(run), time.perf_counter()
    answer = (own_query if run.contender.startswith("sql") else rule_of)(run)
    return {
        "cpu": cpu_of(run) - began,
        "seconds": time.perf_counter() - start,
        "peak": _peak(),
        "answer": answer,
    }


def compare(console: Console, rows: int, engine: str = "", kind: str = "sheet") -> None:
    """The lines of a table of so many rows."""
    title = f"{kind}, {rows:.0e} rows".replace("e+0", "e")
    table = Table(title=title, title_justify="left", box=None)
    table.add_column("contender")
    for heading in ("CPU s", "seconds", "peak MB"):
        table.add_column(heading, justify="right")
    engines = [name for name in ("duckdb", "postgresql", "spark") if engine in ("", name)]
    names = [name for one in engines for name in (f"sql of {one}", f"littlestone in {one}")]
    if find_spec("pyspark") is None:
        names = [name for name in names if "spark" not in name]
    names += ["littlestone"] * (rows <= LOCAL)
    digests = set()
    server: Started = None
    with (
        tempfile.TemporaryDirectory(prefix="littlestone-benchmark-") as folder,
        ExitStack() as held,
    ):
        write(Path(folder), rows)
        if "postgresql" in engines:
            path = Path(folder, "visits.parquet")
            server = held.enter_context(postgresql(path, "visits", TYPES))
            names = [name for name in names if server or "postgresql" not in name]
        for name in names:
            source, process = server if server and "postgresql" in name else (folder, 0)
            run = json.dumps(Run(name, kind, source, process))
            command = [sys.executable, "-m", "benchmarks.sheets_in_engines", "--alone", run]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            require(done.returncode == 0, f"{name}: {done.stderr[-900:]}")
            found = json.loads(done.stdout.splitlines()[-1])
            n, digest = found["answer"]
            require(n == rows, f"{name} found {n} records of {rows}")
            digests |= {digest} - {""}
            require(len(digests) <= 1, f"{name} released another rule")
            figures = [f"{found['cpu']:.1f}", f"{found['seconds']:.1f}", f"{found['peak']:.0f}"]
            console.print(f"  {name}: {', '.join(figures)}", style="dim", highlight=False)
            table.add_row(name, *figures)
    console.print(table, highlight=False)


def show(console: Console) -> None:
    """The tables of 1e6 and of 1e7 rows."""
    for kind, rows in product(KINDS, (10**6, 10**7)):
        compare(console, rows, kind=kind)


if __name__ == "__main__":
    if sys.argv[1] == "--alone":
        print(json.dumps(alone(Run(*json.loads(sys.argv[2])))))
    else:
        compare(Console(width=100), int(float(sys.argv[1])), *sys.argv[2:])
