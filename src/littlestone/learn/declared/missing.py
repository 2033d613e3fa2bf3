"""What a declaration lacks: all of it at once, each with what to write."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from littlestone.base.errors import DeclarationError, LittlestoneError
from littlestone.classes.text.spec import quote_argument
from littlestone.data.opening import is_file, open_table
from littlestone.data.table import Table
from littlestone.learn.schema.schema_columns import NUMERIC

if TYPE_CHECKING:
    from littlestone.learn.schema.schema import Schema

OPTIONS = {
    "target": "--target readmitted",
    "positive": "--positive yes",
    "class": "--class 'trees(age: 0..120 step 5, ward in {ICU, ER}; depth 2)' "
    "or --schema schema.toml",
    "above": "--above 0.3",
    "epsilon": "--epsilon 1",
}
"""An example of each option that may be missing."""

_SCHEMA = 'schema="schema.toml"'

ARGUMENTS = {
    "target": 'target="readmitted"',
    "positive": 'positive="yes"',
    "class": f'hypotheses="trees(age: 0..120 step 5, ward in {{ICU, ER}}; depth 2)" or {_SCHEMA}',
    "above": "above=0.3",
    "epsilon": "epsilon=1",
    "ledger": 'ledger="visits.ledger", create_ledger=True',
    "dataset": 'dataset="visits"',
}
"""An example of each argument that may be missing."""


def require_told(
    asked: str,
    told: Mapping[str, object],
    examples: Mapping[str, str],
    source: object = None,
    target: object = None,
) -> None:
    """Raise one `DeclarationError` that names everything that is missing, each with an example.

    It also says what is wrong with the table ``source``, if that cannot be opened or has no column
    ``target``.  Nothing is opened if nothing is missing.

    >>> require_told("learn", {"epsilon": None}, {"epsilon": "--epsilon 1"})
    Traceback (most recent call last):
    littlestone.base.errors.DeclarationError: cannot learn: epsilon is missing
    to fix it: add --epsilon 1
    """
    missing = [name for name in examples if name in told and told[name] is None]
    if missing:
        *first, last = ("class or schema" if name == "class" else name for name in missing)
        found = f"{', '.join(first)} and {last} are missing" if first else f"{last} is missing"
        join = " " if examples is OPTIONS else ", "
        written = dict(examples)
        try:
            if source is not None:
                table = open_table(source)
                named = target if isinstance(target, str) else None
                written |= _own_examples(table, named)
                if named is not None:
                    table.require(named)
        except LittlestoneError as error:  # it depends on names and types alone
            found += f"; and it cannot {error.asked}: {error.found}"
            written[missing[-1]] += f"; {error.fix}"
        fix = f"add {join.join(written[name] for name in missing)}"
        raise DeclarationError(asked, found=found, fix=fix)


_MOST_SHOWN = 4  # columns of an example


def _own_examples(table: Table, target: str | None) -> dict[str, str]:
    """Examples that go with the declared types of the table's columns, as far as it has some."""
    kinds = {name: table.kind(name) for name in table.columns if isinstance(name, str)}
    columns = [
        f"{quote_argument(name)}: {'number' if kind == 'number' else 'integer'}"
        for name, kind in kinds.items()
        if kind in NUMERIC and name != target
    ]
    names, found = ", ".join(columns[:_MOST_SHOWN]), dict[str, str]()
    if names:
        found["class"] = f'hypotheses="trees({names}; depth 2)" or {_SCHEMA}'
    if target is not None and kinds.get(target) in NUMERIC:
        found["positive"] = "positive=1"
    return found


def has_name(source: object) -> bool:
    """Whether the ledger can call a table by the name of its file.

    >>> has_name("visits.csv"), has_name([1, 2])
    (True, False)
    """
    return source.path is not None if isinstance(source, Table) else is_file(source)


def label_told(schema: Schema | None, target: object, meaning: object) -> dict[str, object]:
    """The target and what says its meaning, as far as they are given or the ``schema`` has them."""
    column, says = target, meaning
    if schema is not None:
        column = schema.target if target is None else target
        if says is None and isinstance(column, str):
            if column == schema.target:
                says = schema.positive if schema.positive is not None else (schema.labels or None)
            elif column not in schema.class_columns().texts:
                says = column  # the schema itself says which names are alike
    return {"target": column, "positive": says}


SHELL = {
    "class": ARGUMENTS["class"],
    "classes": 'classes=("no", "yes")',
    "epsilon": "epsilon=1",
    "delta": 'delta="1e-6"',
    "horizon": "horizon=100_000",
    "ledger": ARGUMENTS["ledger"],
    "dataset": ARGUMENTS["dataset"],
}
"""An example of each parameter of a shell that may be missing."""
