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
    out: Annotated[
        Path | None, typer.Option(help="Write to this file, not to the terminal.")
    ] = None,
) -> None:
    """Print the predicted label of each record of TABLE, in order, as a CSV of one column.

    A prediction is 0 or 1, or the text of a label if there are several.  The rule protects the
    records it was learned from.  Its predictions on TABLE reveal the records of TABLE, so show them
    only to people who may see those records.
    """
    refuse_database(table, "label the records of a table in their order")
    for what, path in (("the model", model), ("the table", Path(table))):
        require_different({what: [path], "--out": [out]})
    release = _load_release_or_run(model)
    rule = release.hypothesis
    shown = _csv_lines(release.labels or numbers(rule.labels))
    opened = release.open(table, sheet, separator=separator, multiline=multiline)
    lines = read_mapped(opened, rule.domain, lambda x: shown[rule(x)], rule.tested_columns)
    if out is None:
        require_encoding("the predictions", "".join(shown))
        sys.stdout.write("prediction\n")
        sys.stdout.writelines(lines)
        return
    with reserve(out, PREDICTIONS) as write:
        write("prediction\n" + "".join(lines))


def _load_release_or_run(path: Path) -> Release | Run:
    """The release in a model file, or the run whose lines are in the file."""
    try:
        return Release.load(path)
    except ModelError:
        from littlestone.show.pages.stream import Run

        if (run := Run.load(path)) is None:
            raise
        return run


def _csv_lines(labels: Sequence[str]) -> list[str]:
    """The line of each label in a CSV file of one column."""
    lines = []
    for label in labels:
        line = io.StringIO()
        csv.writer(line, lineterminator="\n").writerow([label])
        lines.append(line.getvalue())
    return lines
