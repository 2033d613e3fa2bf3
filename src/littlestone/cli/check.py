"""``littlestone check`` and ``schema``: nothing else counts what a declaration reads, or drafts one."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typer

from littlestone.base.errors import DeclarationError
from littlestone.cli import options
from littlestone.cli.console import bar, out, print_json, print_pairs
from littlestone.cli.fit import row_of_ledger
from littlestone.cli.options import files_of, ledger_name
from littlestone.data import open_table
from littlestone.data.csv import UTF_8
from littlestone.data.forms import Reading
from littlestone.data.opening import file_of, is_file
from littlestone.learn.declared.check import TITLE, check_private
from littlestone.learn.declared.check import check as checked
from littlestone.learn.declared.declaration import Declaration
from littlestone.learn.declared.declaring import OPTIONS
from littlestone.learn.declared.drafting import draft_schema
from littlestone.learn.declared.task import Task
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.randomness import generator
from littlestone.show.files import NEVER, hold_interrupts, require_different, reserve


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
    table. The status is 0 if all is read, and 1 if the declarations read less than they should. Then
    it says how to go on: the line that learns from the table, or what `fit` would still ask for.

    With --epsilon it prints private counts only, and the status is 0 whatever they are.

    hypotheses --class: Check what `fit` would read for this class.
    labels: The labels to predict: AA,UA,DL; or give --positive.
    default: One of --labels, for all other values.
    epsilon: Print private counts instead, which spend this epsilon of the ledger.
    """
    paid = files_of(ledger) if epsilon is not None else []
    require_different({"the table": [file_of(source)], "the schema": [schema], "the ledger": paid})
    declared: dict[str, Any] = {
        "hypotheses": hypotheses or None,
        "positive": positive,
        "labels": labels,
        "default": default,
        "schema": schema,
    }
    asked = {**declared, "name": sheet, "separator": separator, "multiline": multiline}
    if epsilon is not None:
        rng = generator(seed)
        with (
            Ledger(ledger, create=True) as book,
            hold_interrupts(book, name=ledger_name(ledger, book)),
        ):
            noisy = check_private(
                source, target, epsilon=epsilon, ledger=book, dataset=dataset, rng=rng, **asked
            )
            if as_json:
                print_json(noisy.to_json())
            else:
                title = "Private counts" if noisy.private else "Simulated counts: NOT PRIVATE"
                spent = row_of_ledger(ledger, book, noisy.total, noisy.limit)
                print_pairs([*noisy.share_rows(), spent], title=title)
        return
    with bar("reading the table"):
        found = checked(source, target, **asked)
    # The ledger takes no name from a database or a folder.
    name = None if is_file(source, sheet) else (sheet or Path(source).stem).rpartition(".")[2]
    written = {
        "sheet": sheet,
        "separator": separator,
        "multiline": multiline,
        "dataset": dataset or name,
    }
    command, lacking = (
        ([], "") if found.advice else _next(source, {"target": target, **declared}, written)
    )
    if as_json:
        print_json({**found.to_json(), "next": command, "lacking": lacking})
    else:
        print_pairs(found.rows(), title=TITLE)
        if step := lacking or shlex.join(command):  # it may be copied whole
            out.print(f"{'fit cannot learn yet' if lacking else 'next'}: {step}", soft_wrap=True)
    if not found.ok:
        raise typer.Exit(1)


def _next(
    source: str, declared: Mapping[str, Any], written: Mapping[str, Any]
) -> tuple[list[str], str]:
    """The command that learns what is declared, with a delta if it needs one; or what is lacking."""
    lacking = ""
    for delta in ("0", "1e-6"):
        try:
            Task.choose(Declaration.parse(**declared, epsilon=1, delta=delta, examples=OPTIONS))
        except DeclarationError as error:
            lacking = f"{error.found}; {error.fix}"
            continue
        command = ["littlestone", "fit", source]
        for name, value in {**declared, **written}.items():
            option = _OPTION.get(name, f"--{name}")
            if value is True:
                command.append(option)
            elif value:
                each = value if isinstance(value, list) else [str(value)]
                command += [word for one in each for word in (option, one)]
        command += ["--epsilon", "1", *(["--delta", delta] if delta != "0" else [])]
        return [*command, "--out", "rule.json"], ""
    return [], lacking


_OPTION = {"hypotheses": "--class", "sheet": "--table"}


def schema(
    source: str,
    sheet: str | None = None,
    separator: str | None = None,
    encoding: str | None = None,
    dictionary: Path | None = None,
    to: Path | None = None,
) -> None:
    """Draft a schema of TABLE from names, types and a data dictionary; no record is read.

    Write the draft to a file, fill in the ranges and the lists of values that you know, and give the
    file to `fit --schema`.  Nothing is guessed from records.

    encoding: That of a CSV file which is not UTF-8: latin-1 or cp1252.
    dictionary: A CSV file with a line for each column: name, type, low, high, step, values, unit.
    to --out: Write to this new file, not to the terminal.
    """
    require_different({"the table": [Path(source)], "--dictionary": [dictionary], "--out": [to]})
    reading = Reading(separator, encoding or UTF_8)
    opened = open_table(source, sheet, separator=separator, reading=reading)
    draft = draft_schema(opened, dictionary, reading=reading)
    if to is None:
        typer.echo(draft, nl=False)
        return
    # The file may be filled in by now, and nobody writes that again.
    with reserve(to, NEVER) as write:
        write(draft)
    out.print(f"written to {to}")
