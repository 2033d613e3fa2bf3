"""``littlestone check``: what a declaration reads of a table, for people who may see it."""

from __future__ import annotations

from typing import Annotated

import typer

from littlestone.checked import check as checked
from littlestone.cli.bars import bar
from littlestone.cli.console import print_json, print_pairs
from littlestone.cli.options import (
    JsonOption,
    MultilineOption,
    NameOption,
    PositiveOption,
    SchemaOption,
    SeparatorOption,
    TableArgument,
    TargetOption,
)
from littlestone.data.opening import file_of
from littlestone.report.check import TITLE
from littlestone.report.files import require_different


def check(
    source: TableArgument,
    hypotheses: Annotated[
        list[str] | None,
        typer.Option("--class", help="Check what `fit` would read for this class."),
    ] = None,
    target: TargetOption = None,
    positive: PositiveOption = None,
    labels: Annotated[
        str | None, typer.Option(help="The labels to predict: AA,UA,DL; or give --positive.")
    ] = None,
    default: Annotated[
        str | None, typer.Option(help="One of --labels, for all other values.")
    ] = None,
    table: NameOption = None,
    schema: SchemaOption = None,
    separator: SeparatorOption = None,
    multiline: MultilineOption = False,
    as_json: JsonOption = False,
) -> None:
    """Count the records, cells and labels of TABLE that the declarations read: NOT PRIVATE.

    It shows no value of a record, but its counts are exact: show them only to people who may see the
    table. The status is 0 if all is read, and 1 if the declarations read less than they should.
    """
    require_different({"the table": [file_of(source)], "the schema": [schema]})
    with bar("reading the table"):
        found = checked(
            source,
            target,
            hypotheses=hypotheses or None,
            positive=positive,
            labels=labels,
            default=default,
            schema=schema,
            name=table,
            separator=separator,
            multiline=multiline,
        )
    if as_json:
        print_json(found.to_json())
    else:
        print_pairs(found.rows(), title=TITLE)
    if not found.ok:
        raise typer.Exit(1)
