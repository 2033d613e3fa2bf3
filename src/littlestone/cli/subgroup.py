"""``littlestone subgroup``: from a table to the group of records with the highest rate."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from littlestone.cli.arguments import (
    DEFAULT_LEDGER,
    DatasetOption,
    LedgerOption,
    MultilineOption,
    NameOption,
    SchemaOption,
    SeparatorOption,
    TableArgument,
    label_from,
)
from littlestone.cli.bars import bar
from littlestone.cli.fit import Form, released
from littlestone.data.schema import opened_schema
from littlestone.learners import Release
from littlestone.privacy.budget import Budget
from littlestone.report.group import Group
from littlestone.tasks import Task


def subgroup(
    source: TableArgument,
    hypotheses: Annotated[
        str,
        typer.Option("--class", help="The groups, such as 'rules(carrier, origin; at most 2)'."),
    ],
    above: Annotated[
        str, typer.Option(help="The rate above which a group counts, such as 0.3 or 1/3.")
    ],
    epsilon: Annotated[
        str, typer.Option(help="The privacy loss in all, greater than 0, such as 1.")
    ],
    target: Annotated[
        str | None,
        typer.Option(help="The column that holds the label; by default that of the schema."),
    ] = None,
    positive: Annotated[
        str | None, typer.Option(help="The values that count as 1: HA, '> 15' or 'in {HA, AA}'.")
    ] = None,
    table: NameOption = None,
    schema: SchemaOption = None,
    delta: Annotated[
        str, typer.Option(help="The delta you allow, such as 1e-6; some classes need one.")
    ] = "0",
    estimate: Annotated[
        str | None,
        typer.Option(help="The part of epsilon for the size and the rate; by default a tenth."),
    ] = None,
    method: Annotated[
        str, typer.Option(help="auto, or a method that `littlestone plan CLASS --cost 5:1` lists.")
    ] = "auto",
    separator: SeparatorOption = None,
    multiline: MultilineOption = False,
    ledger: LedgerOption = DEFAULT_LEDGER,
    dataset: DatasetOption = None,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Show the cost only: no record is read, nothing is spent."),
    ] = False,
    out: Annotated[Path | None, typer.Option(help="Where to write the model, as JSON.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
    evaluate: Annotated[
        bool, typer.Option("--evaluate", help="Add figures that depend on the data: NOT PRIVATE.")
    ] = False,
    seed: Annotated[
        int | None, typer.Option(help="Draw from a seeded generator: a simulation, NOT PRIVATE.")
    ] = None,
) -> None:
    """Find the group of records in TABLE with the highest rate, with differential privacy.

    The command draws a group of CLASS with nearly the largest value of positives - ABOVE x records.
    It estimates the size and the rate of the group under the same budget, by one entry of the ledger.
    """
    public = opened_schema(schema)
    with bar("choosing a method"):
        task = Task.subgroup(
            label_from(public, target, positive),
            hypotheses,
            Budget(epsilon, delta),
            above=above,
            method=method,
            estimate=estimate,
            schema=public,
        )
    form = Form(_rows, lambda release: Group(release).to_json())
    released(
        task,
        source,
        form,
        table=table,
        ledger=ledger,
        dataset=dataset,
        dry_run=dry_run,
        out=out,
        as_json=as_json,
        evaluate=evaluate,
        seed=seed,
        schema=schema,
        separator=separator,
        multiline=multiline,
    )


def _rows(release: Release) -> list[tuple[str, str]]:
    return [*Group(release).rows(), ("accuracy", release.accuracy), *release.warning()]
