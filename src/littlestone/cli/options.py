"""What the commands' options have in common: their help, and how a docstring gives them theirs.

The last lines of a command's docstring are about its parameters: the name, then the option if it is
called otherwise or, in capitals, what it takes.  Options that several commands have are here.

as_json --json: Print JSON, for programs.
cost: What a missed positive and a false alarm cost, such as 5:1 (by default 1:1).
dataset: The data set's name in the ledger; by default the table's full path, if it is one file.
delta: The delta you allow, such as 1e-6; some classes need one.
dry_run: Show the cost only: no record is read, nothing is spent.
evaluate: Add figures that depend on the data: NOT PRIVATE.
jobs: Processes that share the work; all cores by default.
ledger: The ledger: a file, or postgresql://USER@HOST/DATABASE.
max_records: With --unit: use at most this many records of each.
multiline: Quoted values in the CSV file may hold line breaks. A record then spans lines, and an
    unclosed quote joins records. By default a record is one line.
out: Where to write the model, as JSON.
positive: The values that count as 1: HA, '> 15' or 'in {HA, AA}'.
replace: Let --out replace a model of that name, whose release is then lost.
schema: What is public about the table, as `schema` drafts it.
seed: Draw from a seeded generator: a simulation, NOT PRIVATE.
separator: What is between the cells of a CSV file: one character, or tab. By default a comma, and a tab
    in a .tsv file.
sheet --table: The table of a database, such as public.visits, or a sheet.
source TABLE: A CSV (.csv or .tsv, also .gz, .zip or .zst) or Parquet file, a folder or a 'pattern*.csv'
    of such files, an Excel file (.xlsx), or with --table a database: a SQLite or DuckDB file, or
    postgresql://USER@HOST/DATABASE.
target: The column that holds the label; by default that of the schema.
unit: Protect each value of this column, such as patient_id, not each record.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from copy import copy
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, get_args, get_origin, get_type_hints

import typer
from typer.models import OptionInfo

from littlestone.base.discovery import read_entries
from littlestone.privacy.cost import PrivacyCost, decimal_text
from littlestone.privacy.ledger import is_address

if TYPE_CHECKING:
    from littlestone.privacy.ledger import Ledger

DEFAULT_LEDGER = "littlestone.ledger"

REQUIRED = typer.Option()
"""Marks an option without a default; a parameter without one is an argument otherwise."""

Jobs = Annotated[int | None, typer.Option(min=1, envvar="LITTLESTONE_JOBS")]
Seconds = Annotated[float | None, typer.Option(min=0)]
Levels = Annotated[int, typer.Option(min=1, max=8)]


class DeclaredOptions(NamedTuple):
    """What `fit`, `subgroup` and `stream` declare alike: arguments of `Declaration.parse`."""

    target: str | None = None
    positive: str | None = None
    schema: Path | None = None
    delta: str = "0"
    unit: str | None = None
    max_records: int | None = None
    separator: str | None = None
    multiline: bool = False


def describe(command: Callable[..., None]) -> Callable[..., None]:
    """The command for typer: each parameter as an option or argument, with the help of its entry.

    A parameter that is a named tuple stands for all of its fields.
    """
    prose, own = read_entries(command.__doc__)
    heads = read_entries(__doc__)[1] | own
    entries = {head.split()[0]: (head.split()[1:], text) for head, text in heads.items()}
    hints, groups = get_type_hints(command, include_extras=True), dict[str, Any]()
    given = dict[str, Any]()
    for name, one in inspect.signature(command).parameters.items():
        if hasattr(kind := hints[name], "_fields"):
            groups[name] = kind
            hints |= get_type_hints(kind, include_extras=True)
            given |= {field: kind._field_defaults.get(field, one.default) for field in kind._fields}
        else:
            given[name] = one.default

    @wraps(command)
    def run(**told: Any) -> None:
        for name, kind in groups.items():
            told[name] = kind(**{field: told.pop(field) for field in kind._fields})
        command(**told)

    parameters = []
    for name, default in given.items():
        hint = hints[name]
        kind, *known = get_args(hint) if get_origin(hint) is Annotated else (hint,)
        usual = typer.Argument() if default is inspect.Parameter.empty else typer.Option()
        info = copy(known[0] if known else usual)
        if name in entries and not info.help:
            words, info.help = entries[name]
            info.metavar = next((word for word in words if not word.startswith("--")), None)
            if isinstance(info, OptionInfo):
                option = f"--{name.replace('_', '-')}"
                info.param_decls = (next((word for word in words if word != info.metavar), option),)
        hint = Annotated[kind, info]
        only = inspect.Parameter.KEYWORD_ONLY
        parameters.append(inspect.Parameter(name, only, default=default, annotation=hint))
    run.__doc__ = prose
    run.__annotations__ = {one.name: one.annotation for one in parameters}
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return run


def ledger_name(text: str, ledger: Ledger) -> str:
    """The name of the ledger ``text`` in output: a path as it was given, an address without password.

    >>> from littlestone.privacy.ledger import Ledger
    >>> ledger_name("here.ledger", Ledger())
    'here.ledger'
    """
    return str(ledger.path) if is_address(text) else text


def new_ledger(
    name: str, ledger: Ledger, total: PrivacyCost | None, limit: PrivacyCost | None
) -> str:
    """What commands say of a ledger whose first entry they wrote, in case its name was misspelled.

    It is empty for any other ledger, and if there is a limit.

    >>> from fractions import Fraction
    >>> from littlestone.privacy.ledger import Ledger
    >>> from littlestone.privacy.mechanisms.exponential import ExponentialMechanism
    >>> book, total = Ledger(), PrivacyCost(Fraction(1))
    >>> _ = book.spend(ExponentialMechanism(Fraction(1)), dataset="visits", what="a look")
    >>> new_ledger("littlestone.ledger", book, total, None)
    'littlestone.ledger: new ledger. Total so far: epsilon 1. No limit set.'
    """
    if not ledger.has_first_entry or total is None or limit is not None:
        return ""
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
