"""``littlestone predict`` and ``export``: nothing else applies a released rule, here or elsewhere."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Iterable, Sequence
from enum import StrEnum
from itertools import chain, repeat
from pathlib import Path
from typing import Annotated, Any

import typer

from littlestone.base.errors import ModelError, OutputError, visible
from littlestone.cli.console import err, require_encoding
from littlestone.cli.console import out as console
from littlestone.cli.options import REQUIRED
from littlestone.data import read_mapped
from littlestone.data.opening import refuse_database
from littlestone.learn import Release
from littlestone.learn.declared.checking import UnreadCells
from littlestone.learn.results.risks import DIGITS
from littlestone.pictures.canvas import suffix_of
from littlestone.rules.base import numbers
from littlestone.rules.sheet import ScoreSheet
from littlestone.show.files import NEVER, PREDICTIONS, require_different, reserve


def predict(
    model: Path,
    table: str,
    sheet: str | None = None,
    separator: str | None = None,
    multiline: bool = False,
    risk: bool = False,
    reasons: bool = False,
    keep: list[str] | None = None,
    out: Path | None = None,
) -> None:
    """Print the predicted label of each record of TABLE, in order, as a CSV of one column.

    A prediction is 0 or 1, or the text of a label if there are several.  --risk adds the risk at the
    record's place in the rule, such as a leaf, if the model has risks.  --reasons adds this place.
    --keep puts a column of TABLE, such as a number of the record, before the prediction.

    The rule protects the records it was learned from.  Its predictions on TABLE reveal the records of
    TABLE, so show them only to people who may see those records. Standard error says how many cells
    of TABLE the rule could not read.

    model: A model file that `littlestone fit --out` wrote, or the lines that `stream` printed: then
        the last rule is taken.
    table: A CSV, Parquet or Excel file with the columns that the rule tests.
    risk: Add the risk of the label 1, or a column for each label.
    reasons: Add what of the rule holds of the record, in words.
    keep: Put this column of TABLE before the prediction; give it once for each column.
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
    kept = keep or []
    head = [*kept, "prediction", *(f"risk of {names[y]}" if len(ys) > 1 else "risk" for y in ys)]
    head += ["reason"] if reasons else []

    said = [
        [names[place.label], *(f"{rates[i][y]:.{DIGITS}f}" for y in ys)]
        for i, place in enumerate(rule.places)
    ]

    def lines_of(points: Sequence[Any], cells: Iterable[Sequence[str]] = repeat(())) -> list[str]:
        places = rule.places_of(points).tolist()
        if not (reasons or kept):
            return [plain[i] for i in places]
        why = ([rule.reason(x)] for x in points) if reasons else repeat([])
        rows = zip(places, cells, why, strict=False)
        return [_csv_line([*own, *said[i], *words]) for i, own, words in rows]

    plain = [_csv_line(row) for row in said]
    opened = UnreadCells(
        release.open(table, sheet, separator=separator, multiline=multiline),
        rule.domain,
        release.reading.columns,
    )
    lines = read_mapped(opened, rule.domain, lines_of, rule.tested_columns, kept)
    if out is None:
        # All that can be written, before any of it: a line stands for many records.
        shown = [*names, *(place.words for place in rule.places if reasons)]
        # A cell that is kept may have any character.
        require_encoding("the predictions", "".join([*shown, *(chr(0x10FFFF) for _ in kept)]))
        lines = chain([_csv_line(head)], lines)
        if kept and _is_terminal():  # which would obey control characters
            lines = (visible(line, keep="\n") for line in lines)
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
    # Python before 3.13 quotes a carriage return only if lines end in one.
    csv.writer(line, lineterminator="\r\n").writerow(row)
    return line.getvalue()[:-2] + "\n"


class Form(StrEnum):
    """The languages that a rule can be written in."""

    SQL = "sql"
    POLARS = "polars"
    PANDAS = "pandas"
    PMML = "pmml"
    EXCEL = "excel"
    CARD = "card"


LANGUAGES = Form.SQL, Form.POLARS, Form.PANDAS
"""Those that compute on the records of a table."""


def export(
    model: Path,
    to: Annotated[Form, REQUIRED],
    dialect: str | None = None,
    types: list[str] | None = None,
    label: str | None = None,
    risk: bool = False,
    out: Annotated[Path | None, typer.Option(help="For excel: the .xlsx file to write.")] = None,
) -> None:
    """Print a released rule as SQL, for polars or pandas, as PMML, for Excel, or as a card.

    SQL is an expression for the label of a row: SELECT ... FROM your_table.  It predicts what
    `littlestone predict` does.  A polars expression is printed as JSON for Expr.deserialize.  --risk
    writes the risk in place of the label, if the model has risks; for pandas as Python code for a
    frame df.

    model: A model file that `littlestone fit --out` wrote, or the lines that `stream` printed: then
        the last rule is taken. They have no card, but `littlestone report` writes a page.
    to: What to write the rule as; pmml and excel are for score sheets.
    dialect: For sql: postgres, duckdb or sqlite.
    types --type COLUMN=TYPE: What a column holds: text, integer, decimal, double, real, boolean or
        date.
    label: For pandas: the label whose rows the query selects. With --risk: whose risk. Of two labels
        it is the second by default.
    risk: For sql, polars and pandas: the risk of --label in place of the label.
    """
    given = dict(_parse_type(text) for text in types or ())
    if (dialect is None) == (to is Form.SQL):
        raise typer.BadParameter(
            "say which SQL: postgres, duckdb or sqlite" if dialect is None else "is for --to sql",
            param_hint="--dialect",
        )
    if (out is None) == (to is Form.EXCEL):
        found = (
            "say which file to write: --out sheet.xlsx"
            if out is None
            else "is for --to excel; for other forms write > FILE behind the command"
        )
        raise typer.BadParameter(found, param_hint="--out")
    for option, value, forms in (
        ("--risk", risk, LANGUAGES),
        ("--label", label, LANGUAGES if risk else (Form.PANDAS,)),
        ("--type", types, LANGUAGES),
    ):  # fmt: skip
        if value and to not in forms:
            raise typer.BadParameter(f"is not for --to {to}", param_hint=option)
    if out is not None:
        require_different({"the model": [model], "--out": [out]})
        suffix_of(out, ("xlsx",))
        with reserve(out, NEVER) as write:
            write(load_rule(model).to_excel())
        console.print(f"written to {out}")
        return
    release = Release.load(model) if to is Form.CARD else load_rule(model)
    text = _export(release, to, dialect, given, label, risk=risk).rstrip("\n") + "\n"
    if _is_terminal() and visible(text, keep="\n\t") != text:
        # Escaped, it would be another rule; as it is, a terminal would obey it.
        raise OutputError(
            "show the rule in a terminal",
            found="it contains control characters or marks of direction",
            fix=f"write it to a file: littlestone export {model} ... > rule.{to}",
        )
    require_encoding("the rule", text)
    sys.stdout.write(text)


def _is_terminal() -> bool:
    return sys.stdout.isatty()


def _parse_type(text: str) -> tuple[str, str]:
    """The column and its type, which follows the last equals sign."""
    column, sign, kind = text.rpartition("=")
    if not sign:
        raise typer.BadParameter("write COLUMN=TYPE, such as age=integer", param_hint="--type")
    return column, kind


def _export(
    release: Release,
    to: Form,
    dialect: str | None,
    types: dict[str, str],
    label: str | None,
    *,
    risk: bool,
) -> str:
    numbered = label is not None and not release.labels and label in ("0", "1")
    named = int(label) if numbered and label else label
    whose = (True if named is None else named) if risk else None
    if dialect is not None:
        return release.to_sql(dialect, types=types, risk=whose)
    if to is Form.POLARS:
        return release.to_polars(types=types, risk=whose).meta.serialize(format="json")
    if to is Form.PMML:
        return release.to_pmml()
    # Sums of points are no query.
    sheet = isinstance(release.hypothesis, ScoreSheet) and label is None
    if to is Form.PANDAS and (whose is not None or sheet):
        return release.to_pandas(types=types, risk=whose)
    if to is Form.PANDAS:
        return release.to_pandas_query(named, types=types)
    return release.card()
