"""``littlestone schema``: a draft of what is public about a table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from littlestone.data.drafting import draft_schema


def schema(
    table: Annotated[Path, typer.Argument(help="A CSV (.csv, .csv.gz, .csv.zip) or Parquet file.")],
) -> None:
    """Draft a schema of TABLE from names and declared types; no record is read.

    Write the draft to a file, fill in the ranges and the lists of values that you know, and give the
    file to `fit --schema`.  Nothing is guessed from records.
    """
    typer.echo(draft_schema(table), nl=False)
