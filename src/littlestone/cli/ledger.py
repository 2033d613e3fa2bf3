"""``littlestone ledger``: what every data set has spent, its limit, and all of it for the owner."""

from __future__ import annotations

import csv
import io
import json
import os
import sys
from contextlib import nullcontext
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from littlestone.cli.arguments import (
    DEFAULT_LEDGER,
    LedgerOption,
    dataset_name,
    files_of,
    ledger_name,
)
from littlestone.cli.console import cost_json, out, print_json, print_table
from littlestone.errors import DeclarationError
from littlestone.privacy.cost import PrivacyCost, exact, exact_delta
from littlestone.privacy.ledger import Entry, Ledger, is_address
from littlestone.report.files import HISTORY, require_different, reserved
from littlestone.report.fit import budget

app = typer.Typer(help="Show what has been spent, and set limits.", no_args_is_help=True)

Dataset = Annotated[str | None, typer.Argument(help="Only this data set.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]


class Format(StrEnum):
    """What `export` writes."""

    CSV = "csv"
    JSON = "json"


@app.command()
def show(
    dataset: Dataset = None, ledger: LedgerOption = DEFAULT_LEDGER, as_json: AsJson = False
) -> None:
    """Show every entry, and the total and limit of every data set."""
    with Ledger(ledger, create=False) as book:
        only = _known(dataset, book, ledger)
        names = book.datasets() if only is None else [only]
        entries = book.entries(only)
        totals = {name: (book.total(name), book.limit(name)) for name in names}
    if as_json:
        print_json(
            {
                "entries": [_entry_json(entry) for entry in entries],
                "totals": {
                    name: {**cost_json(total), "limit": limit and cost_json(limit)}
                    for name, (total, limit) in totals.items()
                },
            }
        )
        return
    for name, (total, limit) in totals.items():
        out.print(f"{name}: {budget(total, limit)}")
        rows = [
            [f"  {entry.number}", entry.at, *cost_json(entry.cost).values(), _what(entry)]
            for entry in entries
            if entry.dataset == name
        ]
        print_table(["  entry", "at (UTC)", "epsilon", "delta", "what"], rows)


@app.command()
def history(
    dataset: Dataset = None, ledger: LedgerOption = DEFAULT_LEDGER, as_json: AsJson = False
) -> None:
    """Show the entries in order, each with its data set's total right after it."""
    lines = _history(dataset, ledger)
    if as_json:
        print_json([_line_json(entry, total) for entry, total in lines])
        return
    headings = ["entry", "at (UTC)", "epsilon", "delta", "total", "delta", "data set", "what"]
    rows = [
        [
            str(entry.number),
            entry.at,
            *cost_json(entry.cost).values(),
            *cost_json(total).values(),
            entry.dataset,
            _what(entry),
        ]
        for entry, total in lines
    ]
    print_table(headings, rows)


@app.command()
def export(
    dataset: Dataset = None,
    ledger: LedgerOption = DEFAULT_LEDGER,
    style: Annotated[Format, typer.Option("--format", help="CSV or JSON.")] = Format.CSV,
    to: Annotated[Path | None, typer.Option("--out", help="A file; else it is printed.")] = None,
) -> None:
    """Write the history with exact numbers; it holds no data, but names, purposes and costs."""
    require_different({"the ledger": files_of(ledger), "--out": [to]})
    with reserved(to, HISTORY) if to is not None else nullcontext(sys.stdout.write) as write:
        lines = [_line_json(entry, total) for entry, total in _history(dataset, ledger)]
        if style is Format.JSON:
            write(json.dumps(lines, indent=2, ensure_ascii=False) + "\n")
            return
        text = io.StringIO()
        writer = csv.DictWriter(text, _FIELDS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines)
        write(text.getvalue())


@app.command()
def limit(
    dataset: Annotated[
        str, typer.Argument(help="The data set's name, as `ledger show` prints it.")
    ],
    epsilon: Annotated[str, typer.Option(help="The most epsilon it may ever spend.")],
    delta: Annotated[str, typer.Option(help="The most delta it may ever spend.")] = "0",
    ledger: LedgerOption = DEFAULT_LEDGER,
) -> None:
    """Declare the most that a data set may ever spend; what would pass it is refused undrawn."""
    # 0 is legal here, and freezes the data set.
    most = PrivacyCost(exact(epsilon, what="epsilon"), exact_delta(delta))
    name, made = dataset_name(dataset), not is_address(ledger) and not os.path.exists(ledger)
    with Ledger(ledger) as book:
        book.set_limit(name, most)
        total = book.total(name)
    if made:
        out.print(f"made the ledger {ledger}")
    out.print(f"{name}: {budget(total, most)}")
    if Path(name).is_absolute() and not Path(name).exists():
        out.print("there is no such file yet; the limit binds whatever is put there")
    if not total.within(most):
        out.print("more than that is already spent, so nothing more will be")


def _known(dataset: str | None, book: Ledger, ledger: str) -> str | None:
    """The data set's name in the ledger; raises `DeclarationError` when the ledger has no such."""
    if dataset is None:
        return None
    name, names = dataset_name(dataset), book.datasets()
    if name not in names:
        raise DeclarationError(
            f"show data set {name!r}",
            found=f"the ledger {ledger_name(ledger, book)} knows {len(names)} others and not this "
            "one",
            fix="use a name that `littlestone ledger show` prints",
        )
    return name


def _history(dataset: str | None, ledger: str) -> list[tuple[Entry, PrivacyCost]]:
    with Ledger(ledger, create=False) as book:
        return book.history(_known(dataset, book, ledger))


def _what(entry: Entry) -> str:
    return entry.what if entry.part is None else f"{entry.what} [part {entry.part}]"


def _entry_json(entry: Entry) -> dict[str, object]:
    return {
        "number": entry.number,
        "at": entry.at,
        "dataset": entry.dataset,
        "part": entry.part and str(entry.part),
        "what": entry.what,
        "mechanism": entry.mechanism,
        **cost_json(entry.cost),
        "neighboring": str(entry.cost.neighboring),
    }


def _line_json(entry: Entry, total: PrivacyCost) -> dict[str, object]:
    after = {f"total {name}": number for name, number in cost_json(total).items()}
    return _entry_json(entry) | after


_FIELDS = (
    "number", "at", "dataset", "part", "what", "mechanism", "epsilon", "delta", "neighboring",
    "total epsilon", "total delta",
)  # fmt: skip
