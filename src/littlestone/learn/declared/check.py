"""Check what a declaration reads of a table, before anything is learned from it."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from littlestone.base.errors import DeclarationError, TableError
from littlestone.data import Label, Table, open_table
from littlestone.data.csv import CsvText
from littlestone.data.opening import open_dataset
from littlestone.learn.declared.checked import TableCheck
from littlestone.learn.declared.checking import count_cells, read_lines
from littlestone.learn.declared.declaring import (
    OneOrMore,
    declare_class,
    declare_label,
    open_schema,
    refuse_as_feature,
)
from littlestone.learn.results.unread import UnreadCounts, count_unread, unread_event
from littlestone.learn.schema.column_types import require_columns, require_label
from littlestone.learn.schema.schema import Schema
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
    if isinstance(opened, CsvText):
        opened, lines = read_lines(opened)
        needed = [*(column.name for column in columns), *([label.column] if label else [])]
        if lines.separator != lines.declared and not {*needed} <= {*opened.columns}:
            return TableCheck(0, (), None, lines, label)
    _require_readable(opened, columns, label, declared)
    n, counts = count_cells(opened, columns, label, declared)
    last = counts.pop() if label is not None else None
    return TableCheck(n, tuple(counts), last, lines, label)


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
    >>> frame = polars.DataFrame({"sex": ["F", "x"] * 500, "ill": ["Ja", "Nein"] * 500})
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
