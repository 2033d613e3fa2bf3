"""``littlestone classes``: nothing else lists what can be learned."""

from __future__ import annotations

from littlestone.classes.text.catalogue import catalogue
from littlestone.cli.console import out, print_columns, print_json
from littlestone.cli.options import JsonOption

_GROUPS = (
    "ordinary tables",
    "ranges",
    "open vocabularies",
    "columns of bits",
    "algebraic",
    "tables of your own",
    "combinations",
)


def classes(
    as_json: JsonOption = False,
) -> None:
    """List every class with its text form, an example and what it is."""
    rows = sorted(catalogue(), key=lambda row: (*_place(row["group"]), row["class"]))
    if as_json:
        print_json(rows)
        return
    for group in dict.fromkeys(row["group"] for row in rows):
        out.print(group.capitalize())
        for row in rows:
            if row["group"] == group:
                print_columns([[row["form"]]], indent=2)
                print_columns([[row["functions"]]], indent=6)
                if row["example"]:
                    print_columns([[f"Example: {row['example']}"]], indent=6)


def _place(group: str) -> tuple[int, str]:
    """Where a group stands: the groups of other packages follow ours, by their names."""
    return _GROUPS.index(group) if group in _GROUPS else len(_GROUPS), group
