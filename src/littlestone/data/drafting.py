"""Draft the schema of a table from the names and the declared types of its columns."""

from __future__ import annotations

from collections import Counter

from littlestone.data.opening import open_table
from littlestone.data.schema_columns import heading
from littlestone.data.tables import Table, separated
from littlestone.domains import text
from littlestone.errors import TableError
from littlestone.visible import visible

_HEAD = """\
# What is public about {table}, drafted from {source}.
# No record was read. Fill in what you know without looking at the records, from a
# code book or a law, because all of it is published with the rule. Ranges and lists
# that are read off the records may tell about a single one. Delete columns that no
# rule should read.

# target = "COLUMN"         # fill in: the column to predict
# positive = "> 15"         # which of its values count as 1: "> 15", "yes" or "in {{A, B}}"
# labels = ["on time", "late", "cancelled"]   # or, in place of positive, all labels;
# default = "on time"       # and the label of every other value
# unit = "COLUMN"           # whose record it is, to protect each person as a whole
# max_records = 3           # and how many records of each are used
"""

_NUMBER = """\
# range = [LOW, HIGH]       # fill in: the numbers that {name} may have
# step = 1                  # rules cut the range at each step;
# log_steps = 30            # or in so many steps of equal ratios
"""

_TEXT = """\
# values = ["A", "B"]       # fill in if all values are on a public list;
#                           # without it, any text counts
"""

_LINES = {
    "boolean": "",
    "integer": _NUMBER,
    "number": _NUMBER,
    "text": _TEXT,
}

_UNTYPED = """\
# type = "TYPE"             # fill in: boolean, integer, number or text;
# range = [LOW, HIGH]       # of numbers also the range,
# step = 1                  # and where rules may cut it;
# values = ["A", "B"]       # of texts the list, if it is public
"""


def draft_schema(table: object) -> str:
    """A draft of the `Schema` of a table, in TOML with comments that say what to fill in.

    ``table`` is what `open_table` takes or opened, such as the path of a CSV file.  Only the names
    and the declared types of its columns are used, and no record is read: ranges and lists of values
    are never guessed.  A CSV file declares no types.  If it has no header, its first record is taken
    for the names.  Raises `TableError` if the table cannot be opened.

    >>> import polars
    >>> draft = draft_schema(polars.DataFrame({"age": [31, 74], "sex": ["F", "M"]}))
    >>> [line for line in draft.splitlines() if line and not line.startswith("#")]
    ['[columns.age]', 'type = "integer"', '[columns.sex]', 'type = "text"']
    """
    source = open_table(table)
    if source.unseparated and not source.declared:
        raise TableError(
            f"draft a schema of {source.name}",
            found="its first line is one name, and has a semicolon or a bar in it",
            fix=separated(source.unseparated),
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
    return "\n".join(parts + [_column(source, name) for name in names])


def _usable(name: object) -> bool:
    """Whether it is a name that a file can hold; columns of a frame may be called by anything."""
    return isinstance(name, str) and bool(name.strip()) and text(name) == name


def _column(table: Table, name: str) -> str:
    try:
        table.require(name)
    except TableError as error:
        return f"# {heading(name)}  left out: {error.found}\n"
    kind = table.kind(name)
    if kind is None:
        return f"{heading(name)}\n{_UNTYPED}"
    return f'{heading(name)}\ntype = "{kind}"\n' + _LINES[kind].format(name=visible(name))
