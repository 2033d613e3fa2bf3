"""``littlestone schema``: a draft of what is public about a table."""

from __future__ import annotations

import typer

from littlestone.cli.arguments import NameOption, SeparatorOption, TableArgument
from littlestone.data import open_table
from littlestone.data.drafting import draft_schema


def schema(
    source: TableArgument, table: NameOption = None, separator: SeparatorOption = None
) -> None:
    """Draft a schema of TABLE from names and declared types; no record is read.

    Write the draft to a file, fill in the ranges and the lists of values that you know, and give the
    file to `fit --schema`.  Nothing is guessed from records.
    """
    typer.echo(draft_schema(open_table(source, table, separator=separator)), nl=False)
