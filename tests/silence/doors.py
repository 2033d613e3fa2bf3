"""Every way from a table to what is seen of it: forms of tables, commands, functions and shells."""

from __future__ import annotations

import contextlib
import io
import json
import re
import sys
import tempfile
from collections.abc import Callable, Mapping
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from private_tables import Cells, Records, plain

from littlestone.cli import _MODULES

SHARED = ("numpy", "pytest", "rich.console", "littlestone.cli")
"""What every act begins with: of the package, what all doors share."""

Form = Callable[[Path, Cells], object]
Does = Callable[[], object]


# How a table is written.  What a door is given is a path or a frame.


def csv(home: Path, cells: Cells) -> str:
    """A cell is written as it is, unless that would make another line or another cell of it."""
    lines = [",".join(map(_cell, row)) for row in zip(*cells.values(), strict=True)]
    text = "\n".join([",".join(cells), *lines, ""])
    (home / "table.csv").write_bytes(text.encode("utf-8", "surrogatepass"))
    return "table.csv"


def _cell(text: str) -> str:
    return f'"{text}"' if "," in text else text


def gz(home: Path, cells: Cells) -> str:
    import gzip

    written = home / csv(home, cells)
    (home / "table.csv.gz").write_bytes(gzip.compress(written.read_bytes()))
    written.unlink()
    return "table.csv.gz"


def pandas_texts(home: Path, cells: Mapping[str, list[Any]]) -> Any:
    import pandas as pd

    return pd.DataFrame({name: pd.Series(column, dtype=object) for name, column in cells.items()})


_OBJECTS: list[Any] = [
    None, float("nan"), float("inf"), 10**5000, -(2**63) - 1, True, 1, 1.0, "1", b"\xff", 1j, [], [1],
    {"a": 1}, object, ("a",), np.float32(0.1), np.int8(-1), np.datetime64("NaT"), ...,
]  # fmt: skip


def pandas_objects(home: Path, cells: Cells) -> Any:
    """A cell of no plain number or word becomes an object of some other kind."""

    def value(i: int, text: str) -> Any:
        return text if text.isalnum() else _OBJECTS[i % len(_OBJECTS)]

    columns = {name: [value(*pair) for pair in enumerate(column)] for name, column in cells.items()}
    return pandas_texts(
        home, {**columns, "id": [*cells["id"]]}
    )  # how many units there are is public


def _float(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")


def pandas_numbers(home: Path, cells: Cells) -> Any:
    """x and the label are floats; the rest are texts of pandas' own kind."""
    import pandas as pd

    numbers = {name: np.array(list(map(_float, cells[name]))) for name in ("x", "y")}
    return pd.DataFrame({**{name: _clean(cells[name]) for name in cells}, **numbers})


def _clean(cells: list[str]) -> list[str]:
    """Texts that can be encoded."""
    return [cell.encode("utf-8", "replace").decode() for cell in cells]


def _typed(cells: Cells) -> Any:
    import pyarrow as pa

    numbers = {name: pa.array(list(map(_float, cells[name])), pa.float64()) for name in ("x", "y")}
    texts = {
        name: pa.array([c or None for c in _clean(cells[name])], pa.string()) for name in cells
    }
    return pa.table({**texts, **numbers})


def arrow(home: Path, cells: Cells) -> Any:
    return _typed(cells)


def polars(home: Path, cells: Cells) -> Any:
    import polars as pl

    return pl.DataFrame(_typed(cells))


def polars_lazy(home: Path, cells: Cells) -> Any:
    return polars(home, cells).lazy()


def parquet_file(home: Path, cells: Cells) -> str:
    from pyarrow import parquet

    parquet.write_table(_typed(cells), home / "table.parquet")
    return "table.parquet"


def sqlite(home: Path, cells: Cells) -> str:
    """Columns without a type, so that texts, numbers, bytes and NULL may stand in each."""
    import sqlite3

    connection = sqlite3.connect(home / "table.db")
    connection.execute(f"CREATE TABLE visits ({', '.join(cells)})")
    values = ["?"] * len(cells)
    # Names of units stay apart: how many there are is public.
    columns = [map(_name if name == "id" else _stored, enumerate(cells[name])) for name in cells]
    rows = zip(*columns, strict=True)
    connection.executemany(f"INSERT INTO visits VALUES ({', '.join(values)})", rows)
    connection.commit()
    connection.close()
    return "table.db"


def _name(pair: tuple[int, str]) -> str:
    return pair[1].encode("utf-8", "replace").decode()


def _stored(pair: tuple[int, str]) -> object:
    i, text = pair
    if text.isalnum():
        return text
    return [None, float("inf"), 2**63 - 1, b"\xff", text.encode("utf-8", "replace").decode()][i % 5]


def duckdb(home: Path, cells: Cells) -> str:
    import duckdb as engine

    typed = _typed(cells)  # noqa: F841, which the query names
    connection = engine.connect(str(home / "table.duckdb"))
    connection.execute("CREATE TABLE visits AS SELECT * FROM typed")
    connection.close()
    return "table.duckdb"


# What is done with it.


def as_printed(out: bytes) -> bytes:
    return out


def without_rules(out: bytes) -> bytes:
    """What a stream prints, but the lines of rules: these and their steps are the release."""
    return b"\n".join(line for line in out.split(b"\n") if b'"rule"' not in line)


def without_labels(out: bytes) -> bytes:
    """Predictions are for those who may see the records; that there is one of each is public."""
    return re.sub(rb"^[01]$", b"-", out, flags=re.MULTILINE)


@dataclass(frozen=True)
class Command:
    """``littlestone`` with these arguments, in which TABLE is the table."""

    name: str
    arguments: tuple[str, ...]
    form: Form = csv
    shows: Callable[[bytes], bytes] = as_printed
    beside: Mapping[str, bytes] = field(default_factory=dict)
    secret: tuple[str, ...] = ()
    """Files that are as secret as the records."""

    def loads(self) -> tuple[str, ...]:
        command = self.arguments[0]
        return (*SHARED, f"littlestone.cli.{_MODULES.get(command, command)}")

    def begin(self) -> None:
        """Do what is done before a table is read: that loads what declarations alone need."""
        if self.arguments[0] in ("fit", "subgroup"):
            with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
                ends = self(Path(folder), plain, "--dry-run")
                with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
                    ends()

    def __call__(self, home: Path, records: Records, *more: str) -> Does:
        table = str(self.form(home, records()))
        for name, content in self.beside.items():
            (home / name).write_bytes(content)
        arguments = [table if one == "TABLE" else one for one in [*self.arguments, *more]]

        def does() -> object:
            from littlestone.cli import main

            with patch.object(sys, "argv", ["littlestone", *arguments]):
                try:
                    main()
                except SystemExit as ended:
                    return ended.code or 0
            return 0

        return does


@dataclass(frozen=True)
class Function:
    """A function of (table, home, options), which returns what can be seen."""

    name: str
    call: Callable[..., object]
    options: Mapping[str, Any]
    form: Form = pandas_texts
    shows: Callable[[bytes], bytes] = as_printed
    secret: tuple[str, ...] = ()
    module: str = "littlestone.front"

    def loads(self) -> tuple[str, ...]:
        """What frames and the function are made of; a fork of threads at work would hang."""
        return (*SHARED, "pandas", "polars", "pyarrow.parquet", self.module)

    def begin(self) -> None:
        """Do nothing: all is loaded."""

    def __call__(self, home: Path, records: Records) -> Does:
        table = self.form(home, records())
        return lambda: self.call(table, home, **self.options)


Door = Command | Function


def front_fit(table: object, home: Path, **options: Any) -> object:
    import littlestone

    release = littlestone.fit(table, "y", ledger=home / "of.ledger", create_ledger=True, **options)
    shown = [repr(release), str(release), release._repr_html_(), littlestone.page(release)]
    return [*shown, json.dumps(release.to_json())]


def front_subgroup(table: object, home: Path, **options: Any) -> object:
    import littlestone

    group = littlestone.subgroup(
        table, "y", ledger=home / "of.ledger", create_ledger=True, **options
    )
    return [repr(group), str(group), group.words(), littlestone.page(group)]


def scikit_fit(table: Any, home: Path, **options: Any) -> object:
    from littlestone.interop.scikit_learn import LittlestoneClassifier

    model = LittlestoneClassifier(
        ledger=home / "of.ledger", create_ledger=True, dataset="visits", **options
    )
    fitted = model.fit(table[["x", "a"]], table["y"])
    return [repr(fitted), sorted(vars(fitted)), json.dumps(fitted.release_.to_json())]
