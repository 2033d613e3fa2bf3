"""Options and arguments that several commands take, each with its help."""

from __future__ import annotations

import os
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from littlestone.privacy.cost import PrivacyCost, decimal_text
from littlestone.privacy.ledger import is_address

if TYPE_CHECKING:
    from littlestone.privacy.ledger import Ledger

DEFAULT_LEDGER = "littlestone.ledger"

LedgerOption = Annotated[
    str,
    typer.Option("--ledger", help="The ledger: a file, or postgresql://USER@HOST/DATABASE."),
]

CostOption = Annotated[
    str | None,
    typer.Option(
        "--cost",
        help="What a missed positive and a false alarm cost, such as 5:1 (by default 1:1).",
    ),
]

SchemaOption = Annotated[
    Path | None,
    typer.Option("--schema", help="What is public about the table, as `schema` drafts it."),
]

UnitOption = Annotated[
    str | None,
    typer.Option(
        "--unit", help="Protect each value of this column, such as patient_id, not each record."
    ),
]

MaxRecordsOption = Annotated[
    int | None,
    typer.Option("--max-records", help="With --unit: use at most this many records of each."),
]

SeparatorOption = Annotated[
    str | None,
    typer.Option(
        "--separator",
        help="What is between the cells of a CSV file: one character, or tab. By default a comma, and "
        "a tab in a .tsv file.",
    ),
]

MultilineOption = Annotated[
    bool,
    typer.Option(
        "--multiline",
        help="Quoted values in the CSV file may hold line breaks. A record then spans lines, and an "
        "unclosed quote joins records. By default a record is one line.",
    ),
]

TableArgument = Annotated[
    str,
    typer.Argument(
        metavar="TABLE",
        help="A CSV (.csv or .tsv, also .gz, .zip or .zst) or Parquet file, a folder or a "
        "'pattern*.csv' of such files, an Excel file (.xlsx), or with --table a database: a SQLite or "
        "DuckDB file, or postgresql://USER@HOST/DATABASE.",
    ),
]

NameOption = Annotated[
    str | None,
    typer.Option("--table", help="The table of a database, such as public.visits, or a sheet."),
]

DatasetOption = Annotated[
    str | None,
    typer.Option(
        "--dataset",
        help="The data set's name in the ledger; by default the table's full path, if it is one file.",
    ),
]

TargetOption = Annotated[
    str | None,
    typer.Option(
        "--target", help="The column that holds the label; by default that of the schema."
    ),
]

PositiveOption = Annotated[
    str | None,
    typer.Option("--positive", help="The values that count as 1: HA, '> 15' or 'in {HA, AA}'."),
]

DeltaOption = Annotated[
    str, typer.Option("--delta", help="The delta you allow, such as 1e-6; some classes need one.")
]

DryRunOption = Annotated[
    bool,
    typer.Option("--dry-run", help="Show the cost only: no record is read, nothing is spent."),
]

ModelOption = Annotated[
    Path | None, typer.Option("--out", help="Where to write the model, as JSON.")
]

EvaluateOption = Annotated[
    bool, typer.Option("--evaluate", help="Add figures that depend on the data: NOT PRIVATE.")
]

SeedOption = Annotated[
    int | None,
    typer.Option("--seed", help="Draw from a seeded generator: a simulation, NOT PRIVATE."),
]

JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]

JobsOption = Annotated[
    int | None,
    typer.Option(
        "--jobs",
        min=1,
        envvar="LITTLESTONE_JOBS",
        help="Processes that share the work; all cores by default.",
    ),
]


_NOTHING = PrivacyCost(Fraction(0))


def ledger_name(text: str, ledger: Ledger) -> str:
    """The name of the ledger ``text`` in output: a path as it was given, an address without password.

    >>> from littlestone.privacy.ledger import Ledger
    >>> ledger_name("here.ledger", Ledger())
    'here.ledger'
    """
    return str(ledger.path) if is_address(text) else text


def new_ledger(name: str, total: PrivacyCost = _NOTHING) -> str:
    """What commands say of a ledger that they made, in case its name was misspelled.

    >>> new_ledger("littlestone.ledger", PrivacyCost(Fraction(1)))
    'littlestone.ledger: new ledger. Total so far: epsilon 1. No limit set.'
    """
    delta = f", delta {decimal_text(total.delta)}" if total.delta else ""
    spent = f"epsilon {decimal_text(total.epsilon)}{delta}"
    return f"{name}: new ledger. Total so far: {spent}. No limit set."


def no_ledger(text: str) -> bool:
    """Whether there is no file, or an empty one, where the ledger should be.

    >>> no_ledger("no/such/ledger"), no_ledger("postgresql://me@here/budgets")
    (True, False)
    """
    return not is_address(text) and not (os.path.exists(text) and os.path.getsize(text))


def files_of(ledger: str) -> list[Path]:
    """The ledger's file and the files that SQLite keeps beside it; none for a ledger on a server."""
    if is_address(ledger):
        return []
    real = os.path.realpath(ledger)
    return [Path(f"{real}{end}") for end in ("", "-journal", "-wal", "-shm")]
