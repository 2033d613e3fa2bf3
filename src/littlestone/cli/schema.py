"""``littlestone schema``: a draft of what is public about a table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from littlestone.cli.arguments import TABLE_HELP, SeparatorOption
from littlestone.data import open_table
from littlestone.data.drafting import draft_schema


def schema(
    table: Annotated[Path, typer.Argument(help=TABLE_HELP)],
    separator: SeparatorOption = None,
) -> None:
    """Draft a schema of TABLE from names and declared types; no record is read.

    Write the draft to a file, fill in the ranges and the lists of values that you know, and give the
    file to `fit --schema`.  Nothing is guessed from records.
    """
    typer.echo(draft_schema(open_table(table, separator=separator)), nl=False)
