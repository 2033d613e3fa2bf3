"""``littlestone predict``: nothing else applies a released rule to records here."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from littlestone.base.errors import ModelError
from littlestone.cli.console import err, require_encoding
from littlestone.data import read_mapped
from littlestone.data.opening import refuse_database
from littlestone.learn import Release
from littlestone.learn.declared.checking import UnreadCells
from littlestone.learn.results.risks import DIGITS
from littlestone.rules.base import numbers
from littlestone.show.files import PREDICTIONS, require_different, reserve


def predict(
    model: Path,
    table: str,
    sheet: str | None = None,
    separator: str | None = None,
    multiline: bool = False,
    risk: bool = False,
    reasons: bool = False,
    out: Path | None = None,
) -> None:
    """Print the predicted label of each record of TABLE, in order, as a CSV of one column.

    A prediction is 0 or 1, or the text of a label if there are several.  --risk adds the risk at the
    record's place in the rule, such as a leaf, if the model has risks.  --reasons adds this place.

    The rule protects the records it was learned from.  Its predictions on TABLE reveal the records of
    TABLE, so show them only to people who may see those records. Standard error says how many cells
    of TABLE the rule could not read.

    model: A model file that `littlestone fit --out` wrote, or the lines that `stream` printed: then
        the last rule is taken.
    table: A CSV, Parquet or Excel file with the columns that the rule tests.
    risk: Add the risk of the label 1, or a column for each label.
    reasons: Add what of the rule holds of the record, in words.
    out: Write to this file, not to the terminal.
    """
    refuse_database(table, "label the records of a table in their order")
    for what, path in (("the model", model), ("the table", Path(table))):
        require_different({what: [path], "--out": [out]})
    release = load_rule(model)
    rule = release.hypothesis
    names = release.labels or numbers(rule.labels)
    ys = ([1] if len(names) == 2 else list(range(len(names)))) if risk else []
    rates = release.rates if risk else ()
    head = ["prediction", *(f"risk of {names[y]}" if len(ys) > 1 else "risk" for y in ys)]
    head += ["reason"] if reasons else []

    said = [
        [names[place.label], *(f"{rates[i][y]:.{DIGITS}f}" for y in ys)]
        for i, place in enumerate(rule.places)
    ]

    def lines_of(points: Sequence[Any]) -> list[str]:
        places = rule.places_of(points).tolist()
        if not reasons:
            return [plain[i] for i in places]
        pairs = zip(places, points, strict=True)
        return [_csv_line([*said[i], rule.reason(x)]) for i, x in pairs]

    plain = [_csv_line(row) for row in said]
    opened = UnreadCells(
        release.open(table, sheet, separator=separator, multiline=multiline),
        rule.domain,
        release.reading.columns,
    )
    lines = read_mapped(opened, rule.domain, lines_of, rule.tested_columns)
    if out is None:
        # All that can be written, before any of it: a line stands for many records.
        shown = [*names, *(place.words for place in rule.places if reasons)]
        require_encoding("the predictions", "".join(shown))
        sys.stdout.write(_csv_line(head))
        sys.stdout.writelines(lines)
        sys.stdout.flush()
    else:
        with reserve(out, PREDICTIONS) as write:
            write(_csv_line(head) + "".join(lines))
    # The predictions are for people who may see the records, and so is what was not read of them.
    for words in opened.words():
        err.print(words)


def load_rule(path: Path) -> Release:
    """The release in a model file, or that of the last rule of the run whose lines are in the file."""
    try:
        return Release.load(path)
    except ModelError:
        from littlestone.show.pages.stream import Run

        if (run := Run.load(path)) is None:
            raise
        return run.release


def _csv_line(row: Sequence[str]) -> str:
    """A line of a CSV file."""
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(row)
    return line.getvalue()
