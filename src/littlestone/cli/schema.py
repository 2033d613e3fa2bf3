"""``littlestone schema``: nothing else drafts what is public about a table, and reads no record."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from littlestone.cli.console import out
from littlestone.cli.options import NameOption, SeparatorOption, TableArgument
from littlestone.data import open_table
from littlestone.learn.schema.drafting import draft_schema
from littlestone.show.files import NEVER, require_different, reserve


def schema(
    source: TableArgument,
    table: NameOption = None,
    separator: SeparatorOption = None,
    dictionary: Annotated[
        Path | None,
        typer.Option(
            "--dictionary",
            help="A CSV file with a line for each column: name, type, low, high, step, values, unit.",
        ),
    ] = None,
    to: Annotated[
        Path | None, typer.Option("--out", help="Write to this new file, not to the terminal.")
    ] = None,
) -> None:
    """Draft a schema of TABLE from names, types and a data dictionary; no record is read.

    Write the draft to a file, fill in the ranges and the lists of values that you know, and give the
    file to `fit --schema`.  Nothing is guessed from records.
    """
    require_different({"the table": [Path(source)], "--dictionary": [dictionary], "--out": [to]})
    draft = draft_schema(open_table(source, table, separator=separator), dictionary)
    if to is None:
        typer.echo(draft, nl=False)
        return
    # The file may be filled in by now, and nobody writes that again.
    with reserve(to, NEVER) as write:
        write(draft)
    out.print(f"written to {to}")
