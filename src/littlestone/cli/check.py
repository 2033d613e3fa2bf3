"""``littlestone check`` and ``schema``: nothing else counts what a declaration reads, or drafts one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from littlestone.cli import options
from littlestone.cli.console import bar, out, print_json, print_pairs
from littlestone.cli.options import files_of
from littlestone.data import open_table
from littlestone.data.opening import file_of
from littlestone.learn.declared.check import TITLE, check_private
from littlestone.learn.declared.check import check as checked
from littlestone.learn.declared.drafting import draft_schema
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.randomness import generator
from littlestone.show.files import NEVER, require_different, reserve


def check(
    source: str,
    hypotheses: list[str] | None = None,
    target: str | None = None,
    positive: str | None = None,
    labels: str | None = None,
    default: str | None = None,
    sheet: str | None = None,
    schema: Path | None = None,
    separator: str | None = None,
    multiline: bool = False,
    epsilon: str | None = None,
    ledger: str = options.DEFAULT_LEDGER,
    dataset: str | None = None,
    seed: int | None = None,
    as_json: bool = False,
) -> None:
    """Count the records, cells and labels of TABLE that the declarations read: NOT PRIVATE.

    It shows no value of a record, but its counts are exact: show them only to people who may see the
    table. The status is 0 if all is read, and 1 if the declarations read less than they should.

    With --epsilon it prints private counts only, and the status is 0 whatever they are.

    hypotheses --class: Check what `fit` would read for this class.
    labels: The labels to predict: AA,UA,DL; or give --positive.
    default: One of --labels, for all other values.
    epsilon: Print private counts instead, which spend this epsilon of the ledger.
    """
    paid = files_of(ledger) if epsilon is not None else []
    require_different({"the table": [file_of(source)], "the schema": [schema], "the ledger": paid})
    asked: dict[str, Any] = {
        "hypotheses": hypotheses or None,
        "positive": positive,
        "labels": labels,
        "default": default,
        "schema": schema,
        "name": sheet,
        "separator": separator,
        "multiline": multiline,
    }
    if epsilon is not None:
        rng = generator(seed)
        with Ledger(ledger, create=True) as book:
            noisy = check_private(
                source, target, epsilon=epsilon, ledger=book, dataset=dataset, rng=rng, **asked
            )
        if as_json:
            print_json(noisy.to_json())
        else:
            title = "Private counts" if noisy.private else "Simulated counts: NOT PRIVATE"
            print_pairs(noisy.share_rows(), title=title)
        return
    with bar("reading the table"):
        found = checked(source, target, **asked)
    if as_json:
        print_json(found.to_json())
    else:
        print_pairs(found.rows(), title=TITLE)
    if not found.ok:
        raise typer.Exit(1)


def schema(
    source: str,
    sheet: str | None = None,
    separator: str | None = None,
    dictionary: Path | None = None,
    to: Path | None = None,
) -> None:
    """Draft a schema of TABLE from names, types and a data dictionary; no record is read.

    Write the draft to a file, fill in the ranges and the lists of values that you know, and give the
    file to `fit --schema`.  Nothing is guessed from records.

    dictionary: A CSV file with a line for each column: name, type, low, high, step, values, unit.
    to --out: Write to this new file, not to the terminal.
    """
    require_different({"the table": [Path(source)], "--dictionary": [dictionary], "--out": [to]})
    draft = draft_schema(open_table(source, sheet, separator=separator), dictionary)
    if to is None:
        typer.echo(draft, nl=False)
        return
    # The file may be filled in by now, and nobody writes that again.
    with reserve(to, NEVER) as write:
        write(draft)
    out.print(f"written to {to}")
