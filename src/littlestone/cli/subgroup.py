"""``littlestone subgroup``: nothing else finds the group of records with the highest rate."""

from __future__ import annotations

from pathlib import Path

from littlestone.cli import options
from littlestone.cli.fit import Form, Run, release_task
from littlestone.learn import Release
from littlestone.learn.declared.declaration import Declaration
from littlestone.learn.declared.declaring import OPTIONS
from littlestone.learn.results.group import Group
from littlestone.show.words import rows_of_group, warning


def subgroup(
    source: str,
    hypotheses: str | None = None,
    above: str | None = None,
    epsilon: str | None = None,
    target: str | None = None,
    positive: str | None = None,
    sheet: str | None = None,
    schema: Path | None = None,
    delta: str = "0",
    estimate: str | None = None,
    method: str = "auto",
    unit: str | None = None,
    max_records: int | None = None,
    separator: str | None = None,
    multiline: bool = False,
    ledger: str = options.DEFAULT_LEDGER,
    dataset: str | None = None,
    dry_run: bool = False,
    out: Path | None = None,
    as_json: bool = False,
    evaluate: bool = False,
    seed: int | None = None,
) -> None:
    """Find the group of records in TABLE with the highest rate, with differential privacy.

    The command draws a group of CLASS with nearly the largest value of positives - ABOVE x records.
    It estimates the size and the rate of the group under the same budget, by one entry of the ledger.

    hypotheses --class: The groups, such as 'rules(carrier, origin; at most 2)'. With a schema it
        may be left out.
    above: The rate above which a group counts, such as 0.3 or 1/3.
    epsilon: The privacy loss in all, greater than 0, such as 1.
    estimate: The part of epsilon for the size and the rate; by default a tenth.
    method: auto, or a method that `littlestone plan CLASS --cost 5:1` lists.
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
    run = Run(source, sheet, schema, ledger, dataset, dry_run, out, as_json, evaluate, seed)
    release_task(declaration, run, form)


def _rows(release: Release) -> list[tuple[str, str]]:
    return [*rows_of_group(Group(release)), ("accuracy", release.accuracy), *warning(release)]
