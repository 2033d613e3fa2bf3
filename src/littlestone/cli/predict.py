"""``littlestone predict``: nothing else labels the records of a table with a released rule."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from littlestone.base.errors import ModelError
from littlestone.cli.console import require_encoding
from littlestone.cli.options import MultilineOption, NameOption, SeparatorOption
from littlestone.data import read_mapped
from littlestone.data.opening import refuse_database
from littlestone.learn import Release
from littlestone.learn.results.risks import DIGITS
from littlestone.rules.base import numbers
from littlestone.show.files import PREDICTIONS, require_different, reserve

if TYPE_CHECKING:
    from littlestone.show.pages.stream import Run


def predict(
    model: Annotated[
        Path,
        typer.Argument(
            help="A model file that `littlestone fit --out` wrote, or the lines that `stream` printed: "
            "then the last rule is taken."
        ),
    ],
    table: Annotated[
        str,
        typer.Argument(help="A CSV, Parquet or Excel file with the columns that the rule tests."),
    ],
    sheet: NameOption = None,
    separator: SeparatorOption = None,
    multiline: MultilineOption = False,
    risk: Annotated[
        bool,
        typer.Option("--risk", help="Add the risk of the label 1, or a column for each label."),
    ] = False,
    out: Annotated[
        Path | None, typer.Option(help="Write to this file, not to the terminal.")
    ] = None,
) -> None:
    """Print the predicted label of each record of TABLE, in order, as a CSV of one column.

    A prediction is 0 or 1, or the text of a label if there are several.  --risk adds the risk at the
    record's place in the rule, such as a leaf, if the model has risks.

    The rule protects the records it was learned from.  Its predictions on TABLE reveal the records of
    TABLE, so show them only to people who may see those records.
    """
    refuse_database(table, "label the records of a table in their order")
    for what, path in (("the model", model), ("the table", Path(table))):
        require_different({what: [path], "--out": [out]})
    release = _load_release_or_run(model)
    rule = release.hypothesis
    names = release.labels or numbers(rule.labels)
    head, shown, line = "prediction\n", _csv_lines([[name] for name in names]), rule.__call__
    if risk:
        (head, shown), line = _with_risks(release, names), rule.place
    opened = release.open(table, sheet, separator=separator, multiline=multiline)
    lines = read_mapped(opened, rule.domain, lambda x: shown[line(x)], rule.tested_columns)
    if out is None:
        require_encoding("the predictions", "".join(shown))
        sys.stdout.write(head)
        sys.stdout.writelines(lines)
        return
    with reserve(out, PREDICTIONS) as write:
        write(head + "".join(lines))


def _load_release_or_run(path: Path) -> Release | Run:
    """The release in a model file, or the run whose lines are in the file."""
    try:
        return Release.load(path)
    except ModelError:
        from littlestone.show.pages.stream import Run

        if (run := Run.load(path)) is None:
            raise
        return run


def _with_risks(release: Release | Run, names: Sequence[str]) -> tuple[str, list[str]]:
    """The head of a CSV file of predictions with risks, and the line of each place of the rule."""
    if not isinstance(release, Release):
        raise ModelError(
            "say the risks of a stream's rule",
            found="a stream publishes rules alone",
            fix="learn from a table: littlestone fit ... --risk",
        )
    ys = [1] if len(names) == 2 else range(len(names))
    head = ["prediction", *(f"risk of {names[y]}" if len(ys) > 1 else "risk" for y in ys)]
    rows = [
        [names[place.label], *(f"{rates[y]:.{DIGITS}f}" for y in ys)]
        for place, rates in zip(release.hypothesis.places, release.rates, strict=True)
    ]
    first, *lines = _csv_lines([head, *rows])
    return first, lines


def _csv_lines(rows: Sequence[Sequence[str]]) -> list[str]:
    """Each row as a line of a CSV file."""
    lines = []
    for row in rows:
        line = io.StringIO()
        csv.writer(line, lineterminator="\n").writerow(row)
        lines.append(line.getvalue())
    return lines
