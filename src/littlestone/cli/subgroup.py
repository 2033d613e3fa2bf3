"""``littlestone subgroup``: nothing else finds the group of records with the highest rate."""

from __future__ import annotations

from littlestone.cli.fit import Form, Run, release_task
from littlestone.cli.options import DeclaredOptions
from littlestone.learn import Release
from littlestone.learn.declared.declaration import Declaration
from littlestone.learn.declared.declaring import OPTIONS
from littlestone.learn.results.group import Group
from littlestone.show.words import rows_of_group, warning


def subgroup(
    *,
    hypotheses: str | None = None,
    above: str | None = None,
    epsilon: str | None = None,
    declared: DeclaredOptions,
    estimate: str | None = None,
    method: str = "auto",
    run: Run,
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
        hypotheses=hypotheses,
        group=True,
        above=above,
        epsilon=epsilon,
        method=method,
        estimate=estimate,
        examples=OPTIONS,
        **declared._asdict(),
    )
    form = Form(_rows, lambda release: Group(release).to_json())
    release_task(declaration, run, form, declared.schema)


def _rows(release: Release) -> list[tuple[str, str]]:
    return [*rows_of_group(Group(release)), ("accuracy", release.accuracy), *warning(release)]
