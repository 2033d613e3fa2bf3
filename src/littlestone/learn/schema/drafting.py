"""Draft the schema of a table from the names and the declared types of its columns."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence

from littlestone.base.errors import TableError, visible
from littlestone.data.opening import open_table
from littlestone.data.table import Table, suggest_separator
from littlestone.learn.schema.dictionary import read_dictionary
from littlestone.learn.schema.schema_columns import heading
from littlestone.points import text

_HEAD = """\
# What is public about {table}, drafted from {source}.
# No record was read. Fill in what you know without looking at the records, from a
# code book or a law, because all of it is published with the rule. Ranges and lists
# that are read off the records may tell about a single one. Delete columns that no
# rule should read, or that this file need not know.
#
# Of the file:
#   target = "COLUMN"        the column to predict, and which of its values count as 1:
#   positive = "> 15"        or "yes", or ["Ja", "ja", "J"]; for several labels instead
#                            labels = ["on time", "late"] and default = "on time"
#   unit = "COLUMN"          whose record it is, and max_records = 3 of each
#   separator = ";"          of a CSV file; encoding = "latin-1" if it is not UTF-8
#   multiline = true         if quoted cells of it hold line breaks
#   decimal = ","            in numbers; thousands = "." between groups of digits
# Of a column:
#   type = "number"          or "integer", "boolean", "text", "date", "datetime"
#   range = [0, 120]         of numbers, with step = 5, steps = 30 or log_steps = 30; without
#                            a range they are cut at round numbers, the same for every table
#   values = ["F", "M"]      if all values are on a public list; else any text counts
#   format = "%d.%m.%Y"      of days, with range = [2021-01-01, 2021-12-01], step = "1 month"
#   unit = "€"               beside numbers; of texts ignore_case = true
"""


def draft_schema(table: object, dictionary: str | os.PathLike[str] | None = None) -> str:
    """A draft of the `Schema` of a table, in TOML with a comment that says what to fill in.

    ``table`` is what `open_table` takes or opened, such as the path of a CSV file.  Only the names
    and the declared types of its columns are used, and no record is read: ranges and lists of values
    are never guessed.  A CSV file declares no types.  If it has no header, its first record is taken
    for the names.  Raises `TableError` if the table cannot be opened.

    ``dictionary`` is a CSV file that says what columns hold, as `read_dictionary` reads it.  Raises
    `DeclarationError` if it is wrong, or if the table lacks one of its columns.

    >>> import polars
    >>> draft = draft_schema(polars.DataFrame({"age": [31, 74], "sex": ["F", "M"]}))
    >>> [line for line in draft.splitlines() if line and not line.startswith("#")]
    ['[columns.age]', 'type = "integer"', '[columns.sex]', 'type = "text"']
    """
    source = open_table(table)
    known = {} if dictionary is None else read_dictionary(dictionary)
    for name in known:
        source.require(name, "rename the line of the dictionary, or delete it")
    if source.likely_separator and not source.declared:
        raise TableError(
            f"draft a schema of {source.name}",
            found="its first line is one name, and has a semicolon or a bar in it",
            fix=suggest_separator(source.likely_separator),
        )
    kind = "the names and declared types of its columns"
    if not source.declared:
        kind = "its first line alone"
    parts = [_HEAD.format(table=visible(source.name), source=kind)]
    if not source.declared:
        parts[0] += (
            "# CHECK that the first line of the file is a header: a record would be below.\n"
        )
    often = Counter(filter(_usable, source.columns))
    names = [name for name, times in often.items() if times == 1]
    if left := len(source.columns) - len(names):
        parts[0] += f"# Left out: {left} without a name, or with a name that others have too.\n"
    return "\n".join(parts + [_column(source, name, known.get(name)) for name in names])


def _usable(name: object) -> bool:
    """Whether it is a name that a file can hold; columns of a frame may be called by anything."""
    return isinstance(name, str) and bool(name.strip()) and text(name) == name


def _column(table: Table, name: str, known: Sequence[str] | None) -> str:
    """The lines of a column, those of a dictionary if it has some."""
    try:
        table.require(name)
    except TableError as error:
        return f"# {heading(name)}  left out: {error.found}\n"
    kind = table.kind(name)
    lines = [f'type = "{kind}"'] if kind is not None and not known else known or []
    return "\n".join([heading(name), *lines, ""])
