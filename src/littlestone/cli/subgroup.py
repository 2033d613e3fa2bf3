"""``littlestone subgroup``: nothing else finds the group of records with the highest rate."""

from __future__ import annotations

from typing import Annotated

import typer

from littlestone.cli import options
from littlestone.cli.fit import Form, Run, release_task
from littlestone.learn import Release
from littlestone.learn.declared.declaration import Declaration
from littlestone.learn.declared.missing import OPTIONS
from littlestone.learn.results.group import Group
from littlestone.show.words import rows_of_group, warning


def subgroup(
    source: options.TableArgument,
    hypotheses: Annotated[
        str | None,
        typer.Option(
            "--class",
            help="The groups, such as 'rules(carrier, origin; at most 2)'. With a schema it may be "
            "left out.",
        ),
    ] = None,
    above: Annotated[
        str | None, typer.Option(help="The rate above which a group counts, such as 0.3 or 1/3.")
    ] = None,
    epsilon: Annotated[
        str | None, typer.Option(help="The privacy loss in all, greater than 0, such as 1.")
    ] = None,
    target: options.TargetOption = None,
    positive: options.PositiveOption = None,
    table: options.NameOption = None,
    schema: options.SchemaOption = None,
    delta: options.DeltaOption = "0",
    estimate: Annotated[
        str | None,
        typer.Option(help="The part of epsilon for the size and the rate; by default a tenth."),
    ] = None,
    method: Annotated[
        str, typer.Option(help="auto, or a method that `littlestone plan CLASS --cost 5:1` lists.")
    ] = "auto",
    unit: options.UnitOption = None,
    max_records: options.MaxRecordsOption = None,
    separator: options.SeparatorOption = None,
    multiline: options.MultilineOption = False,
    ledger: options.LedgerOption = options.DEFAULT_LEDGER,
    dataset: options.DatasetOption = None,
    dry_run: options.DryRunOption = False,
    out: options.ModelOption = None,
    as_json: options.JsonOption = False,
    evaluate: options.EvaluateOption = False,
    seed: options.SeedOption = None,
) -> None:
    """Find the group of records in TABLE with the highest rate, with differential privacy.

    The command draws a group of CLASS with nearly the largest value of positives - ABOVE x records.
    It estimates the size and the rate of the group under the same budget, by one entry of the ledger.
    """
    declaration = Declaration.parse(
        target,
        hypotheses,
        group=True,
        above=above,
        epsilon=epsilon,
        delta=delta,
        positive=positive,
        schema=schema,
        method=method,
        estimate=estimate,
        unit=unit,
        max_records=max_records,
        separator=separator,
        multiline=multiline,
        examples=OPTIONS,
    )
    form = Form(_rows, lambda release: Group(release).to_json())
    run = Run(source, table, schema, ledger, dataset, dry_run, out, as_json, evaluate, seed)
    release_task(declaration, run, form)


def _rows(release: Release) -> list[tuple[str, str]]:
    return [*rows_of_group(Group(release)), ("accuracy", release.accuracy), *warning(release)]
