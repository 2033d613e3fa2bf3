"""Check what a declaration reads of a table, before anything is learned from it.

The counts are those of the records: NOT PRIVATE.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from littlestone.base.errors import DeclarationError, TableError, visible
from littlestone.classes.text.mixed_columns import parse_mixed
from littlestone.classes.text.scales import COARSEST, TYPED
from littlestone.classes.text.spec import A_RANGE_OF_DAYS, HOW_TO_DECLARE
from littlestone.data import Table, open_table
from littlestone.data.csv import CsvTable
from littlestone.data.label import Label
from littlestone.data.opening import open_dataset
from littlestone.data.table import DAYS
from littlestone.learn.declared.advice import about_cells, about_labels, without_range
from littlestone.learn.declared.checking import (
    MISSING,
    OTHER,
    READ,
    Counts,
    count_cells,
)
from littlestone.learn.declared.column_types import require_columns, require_label
from littlestone.learn.declared.declaring import (
    OneOrMore,
    declare_class,
    declare_label,
    open_schema,
    refuse_as_feature,
)
from littlestone.learn.declared.schema import Schema
from littlestone.learn.declared.task import without_values
from littlestone.learn.declared.written_forms import Lines, read_lines
from littlestone.learn.results.estimate import UnreadCounts, count_unread, unread_event
from littlestone.points import Domain
from littlestone.points.columns import columns_of, days_of
from littlestone.privacy.cost import exact_epsilon
from littlestone.privacy.ledger import Ledger


def check(
    table: object,
    target: str | None = None,
    *,
    hypotheses: OneOrMore | None = None,
    positive: object = None,
    labels: str | Sequence[str] | None = None,
    default: str | None = None,
    schema: Any = None,
    name: str | None = None,
    separator: str | None = None,
    multiline: bool = False,
) -> TableCheck:
    """Count what the declarations can read in a table, and suggest fixes.  NOT PRIVATE.

    The arguments are those of `fit`; ``name`` is the table of a database.  With ``hypotheses`` it reads
    what `fit` would read.  Without, it reads all columns of the ``schema``.  No value of a record is
    kept or shown; the counts are exact, so show them only to people who may see the table.

    Raises `DeclarationError` for illegal declarations or if there is nothing to check, and `TableError`
    for a missing column.  It takes one pass over the cells, and one over the lines of a CSV file.

    >>> import littlestone, polars
    >>> frame = polars.DataFrame({"sex": ["F", "x", None], "ill": ["Ja", "ja", "Nein"]})
    >>> found = littlestone.check(
    ...     frame, "ill", positive="Ja", hypotheses="conditions(sex in {F, M}; at most 1)"
    ... )
    >>> found.columns[0].faults, found.labels.unread, found.ok
    ({'not on the list': 1}, 1, False)
    """
    declared = open_schema(schema)
    meant = {"positive": positive, "labels": labels, "default": default}
    columns, label = _columns_and_label(declared, target, hypotheses, **meant)
    raw = None if declared is None else declared.files
    opened = open_table(table, name, separator=separator, multiline=multiline, reading=raw)
    lines = None
    if isinstance(opened, CsvTable):  # a stream is read once
        opened, lines = read_lines(opened)
        needed = [*(column.name for column in columns), *([label.column] if label else [])]
        if lines.separator != lines.declared and not {*needed} <= {*opened.columns}:
            return TableCheck(0, (), None, lines, label)
    _require_readable(opened, columns, label, declared)
    n, counts = count_cells(opened, columns, label, declared)
    last = counts.pop() if label is not None else None
    undeclared: tuple[str, ...] = ()
    if declared is not None and label is not None and hypotheses is None:
        undeclared = tuple(_what_is_open(declared, label))
    cuts: Sequence[Domain[Any]] = columns
    lists: Sequence[Domain[Any]] = ()
    if declared is not None and label is not None and hypotheses is None and not undeclared:
        # What a class of all columns would read.
        known = declared.class_columns(label.column)
        lists = [column for column in columns if column.name in known.all]
        texts = [known.texts[name] for name in known.all]
        cuts = [parse_mixed(text, COARSEST) for text in texts if TYPED.fullmatch(text)]
    open_ones = "" if label is None or label.labels > 2 else without_values(lists)
    return TableCheck(
        n, tuple(counts), last, lines, label, without_range(cuts), undeclared, open_ones
    )


def _what_is_open(schema: Schema, label: Label) -> Iterator[str]:
    """What to write into the schema about the columns that it leaves open: no rule can read them."""
    known = schema.class_columns(label.column)
    bare = [one for one in schema.columns if one.name in known.all and not one.text]
    days = ", ".join(one.name for one in bare if one.kind in DAYS)
    if days:
        yield f"the schema gives no range for {days}: {A_RANGE_OF_DAYS}; or delete it there"
    if others := ", ".join(one.name for one in bare if one.kind not in DAYS):
        yield (
            f"the schema gives no range and no values for {others}: add a line to each such column, "
            f"such as {HOW_TO_DECLARE}; or delete it there"
        )


def check_private(
    table: object,
    target: str | None = None,
    *,
    epsilon: object,
    ledger: Ledger,
    dataset: str | None = None,
    schema: Any = None,
    name: str | None = None,
    separator: str | None = None,
    multiline: bool = False,
    rng: Random | None = None,
    **told: Any,
) -> UnreadCounts:
    """Private counts of the cells and labels that the declarations cannot read, for ``epsilon``.

    The other arguments, with ``told``, are those of `check` and of `fit`.  Empty cells are not
    counted.  The ledger records the spend under the name ``dataset`` before anything is drawn.  No
    error depends on a record.

    >>> import littlestone, polars
    >>> frame = polars.DataFrame({"sex": ["F", "x"] * 500, "ill": ["yes", "no"] * 500})
    >>> found = check_private(
    ...     frame, "ill", positive="Ja", hypotheses="conditions(sex in {F, M}; at most 1)",
    ...     epsilon=4, ledger=littlestone.Ledger(), dataset="doc",
    ... )
    >>> found.names, round(float(found.share(0).middle), 1)
    (('column sex', 'labels'), 0.5)
    """
    declared = open_schema(schema)
    if declared is not None:
        declared.refuse_unit()
    columns, label = _columns_and_label(declared, target, **told)
    names = [*(f"column {column.name}" for column in columns), *(["labels"] if label else [])]
    event = unread_event(exact_epsilon(epsilon), len(names))
    needed = [*(column.name for column in columns), *([label.column] if label else [])]
    raw = None if declared is None else declared.files
    days = frozenset[str]().union(*map(days_of, columns))
    found, called = open_dataset(
        table,
        needed,
        dataset,
        name,
        separator=separator,
        multiline=multiline,
        reading=raw,
        days=days,
    )
    _require_readable(found, columns, label, declared)
    n, counts = count_cells(found, columns, label, declared)
    if not n:
        raise TableError(
            f"count in {found.name}", found="it has no rows", fix="give a table with records"
        )
    unread = [one.unread for one in counts]
    paid: dict[str, Any] = {"ledger": ledger, "dataset": called, "rng": rng}
    return count_unread(event, names, unread, n, spanning=found.spanning, **paid)


def _require_readable(
    opened: Table, columns: Sequence[Domain[Any]], label: Label | None, declared: Schema | None
) -> None:
    """Raise an error unless the names and declared types of the table go with the declarations."""
    decoded = opened if declared is None else declared.reading(label).apply(opened)
    if declared is not None:
        declared.require_table(decoded)
    for column in columns:
        decoded.require_all([column.name], days_of(column))
        require_columns(column, decoded.kind, decoded.name)
    if label is not None:
        decoded.require(label.column)
        require_label(label, decoded.kind(label.column), decoded.name)


def _columns_and_label(
    schema: Schema | None,
    target: str | None,
    hypotheses: OneOrMore | None = None,
    **meaning: Any,
) -> tuple[list[Domain[Any]], Label | None]:
    """The columns and the label that are read."""
    label = None
    meant = schema is not None and (schema.positive is not None or bool(schema.labels))
    given = any(meaning.get(name) is not None for name in ("positive", "labels"))
    if target is not None or given or meant:
        label = declare_label(schema, target, **meaning)
    if hypotheses is not None:
        own = None if label is None else label.column
        H = declare_class(hypotheses, 2 if label is None else label.labels, schema, own)
        if label is not None:
            refuse_as_feature(label, H)
        return list(columns_of(H.domain)), label
    if schema is None and label is None:
        raise DeclarationError(
            "check a table",
            found="nothing is declared about it",
            fix="give a schema, as `littlestone schema TABLE` drafts it, or a class and a target",
        )
    known = [] if schema is None else [column.domain for column in schema.columns]
    return [c for c in known if label is None or c.name != label.column], label


TITLE = "What is read of the table: NOT PRIVATE, for people who may see it"

_ENCODING = (
    'write in the schema the encoding of the file, such as encoding = "latin-1"; `littlestone schema '
    "TABLE --encoding latin-1` drafts a schema that has it"
)


@dataclass(frozen=True)
class TableCheck:
    """How a table of ``n`` records is read by a declaration.  NOT PRIVATE.

    ``columns`` counts the cells of each column, and ``labels`` the labels; None if there is no label to
    check.  ``lines`` is about the file; None for anything but a CSV file.  If another separator fits
    better, or quoted cells hold line breaks, the cells are counted as if that were declared.  If the
    columns are not there even so, nothing else is read, and ``n`` is 0.  ``unbounded`` is what to know
    of columns of numbers without a range (`without_range`), ``undeclared`` says what the schema lacks
    of columns that no rule can read as they are declared, and ``unlisted`` which lists of values a tree
    with points would need (`without_values`).
    """

    n: int
    columns: tuple[Counts, ...]
    labels: Counts | None
    lines: Lines | None
    label: Label | None = None
    unbounded: str = ""
    undeclared: tuple[str, ...] = ()
    unlisted: str = ""

    @property
    def ok(self) -> bool:
        """Whether the declaration reads all that it should."""
        return not self.advice

    @property
    def advice(self) -> tuple[str, ...]:
        """Each line that would help: an option, or what to change in the file or in a column."""
        return tuple(dict.fromkeys(self._advice()))

    def _advice(self) -> Iterator[str]:
        lines = self.lines
        if lines is not None:
            if lines.separator != lines.declared:
                option = _option(lines.separator)
                yield f"give --separator {option}, or write it in the schema: separator = ..."
            if lines.has_broken_cells:
                yield (
                    "write in the schema multiline = true, or give --multiline: quoted cells seem to "
                    "hold line breaks"
                )
            if lines.undecoded:
                yield _ENCODING
        if self.labels is not None and self.label is not None:
            found = about_labels(self.labels, self.label)
            yield from (f"column {self.labels.column}: {words}" for words in found)
        for counts in sorted(self.columns, key=lambda c: -c.unread):
            yield from (f"column {counts.column}: {a}" for a in about_cells(counts))
        yield from self.undeclared
        if lines is not None and lines.ragged:
            yield "quote values that hold the separator, and write a cell for each column"
        if lines is not None and lines.unclosed:
            yield "close the quotes that stay open: a quoted value ends in a quote, and doubles others"

    def rows(self) -> list[tuple[str, str]]:
        """What was found, as pairs (heading, sentence); no value of a record is among them."""
        found = list[tuple[str, str]]()
        lines = self.lines
        if lines is not None:
            found.append(("separator", self._separator(lines)))
            wrong = f"; NOT SO in {lines.undecoded:,} lines" if lines.undecoded else ""
            found += [("encoding", lines.encoding + wrong), ("lines", self._lines(lines))]
        if self.n:
            records = f"{self.n:,}"
            if lines is not None and lines.has_broken_cells:
                records = (
                    f"{lines.lines:,}; {self.n:,} if quoted values may hold line breaks, as here"
                )
            found.append(("records", records))
        found += [(f"column {c.column}", _show_cells(c)) for c in self.columns]
        if self.labels is not None:
            found.append(
                (f"label {self.label or self.labels.column}", _labels(self.labels, self.label))
            )
        found += [("no range", self.unbounded)] if self.unbounded else []
        found += (
            [("with --risk", f"for a tree with points, {self.unlisted}")] if self.unlisted else []
        )
        return [*found, *(("advice", line) for line in self.advice or ["none: all is read"])]

    def _separator(self, lines: Lines) -> str:
        used = f"{_name(lines.declared)} is used"
        if lines.separator == lines.declared:
            return used
        return f"{used}, and it LOOKS WRONG: {_name(lines.separator)} gives more columns"

    def _lines(self, lines: Lines) -> str:
        more = [
            f"{count:,} {words}"
            for count, words in (
                (lines.open, "end within quotes"),
                (lines.ragged, "have more or fewer cells than the header"),
            )
            if count
        ]
        return f"{lines.lines:,} after the header" + "".join(f"; {words}" for words in more)

    def to_json(self) -> dict[str, Any]:
        """The counts as plain JSON values, marked as not private."""
        data: dict[str, Any] = {"NOT PRIVATE": True, "ok": self.ok, "records": self.n}
        if self.lines is not None:
            data |= {
                "separator": self.lines.declared,
                "separator_found": self.lines.separator,
                "lines": self.lines.lines,
                "lines_in_quotes": self.lines.open,
                "lines_ragged": self.lines.ragged,
                "encoding": self.lines.encoding,
                "lines_undecoded": self.lines.undecoded,
                "records_multiline": self.lines.spanning,
            }
        data["columns"] = {c.column: dict(c.cells) for c in self.columns}
        data["labels"] = None if self.labels is None else dict(self.labels.cells)
        data["positive"] = None if self.labels is None else self.labels.positive
        data["label_kinds"] = {} if self.labels is None else dict(self.labels.kinds)
        return {**data, "advice": list(self.advice)}

    def __str__(self) -> str:
        rows = self.rows()
        width = max(len(heading) for heading, _ in rows)
        return "\n".join(
            [
                TITLE,
                *(f"  {visible(heading):<{width}}  {visible(words)}" for heading, words in rows),
            ]
        )


def _show_cells(counts: Counts) -> str:
    total = sum(counts.cells.values())
    missing = counts.cells.get(MISSING, 0)
    read = counts.cells.get(READ, 0) + counts.outside
    words = [f"{read:,} of {total:,} cells read"]
    words += [f"{missing:,} missing"] if missing else []
    if counts.outside:
        words.append(f"{counts.outside:,} outside the range, which count as its ends")
    words += [f"{n:,} NOT READ: {why}" for why, n in counts.faults.items()]
    return "; ".join(words)


def _labels(counts: Counts, label: Label | None) -> str:
    other = counts.cells.get(OTHER, 0)
    words = [f"{counts.cells.get(READ, 0):,} show a declared value"]
    if other:
        several = counts.kinds.get(OTHER, 0)
        kinds = f", of {several:,} kinds," if several > 1 else ""
        condition = None if label is None else label.condition
        counts_as = "positive" if condition and condition.relation == "!=" else "not positive"
        words.append(f"{other:,} show another value{kinds} and count as {counts_as}")
    missing = counts.cells.get(MISSING, 0)
    words += [f"{missing:,} are missing and count as the default"] if missing else []
    for why, n in counts.faults.items():
        several = counts.kinds.get(why, 0)
        kinds = f" ({several:,} kinds)" if several > 1 else ""
        words.append(f"{n:,} of NO DECLARED KIND: {why}{kinds}")
    words += [f"in all, {counts.positive:,} are positive"] if counts.positive is not None else []
    return "; ".join(words)


def _name(separator: str) -> str:
    return "a tab" if separator == "\t" else f"'{separator}'"


def _option(separator: str) -> str:
    return "tab" if separator == "\t" else f"'{separator}'"
