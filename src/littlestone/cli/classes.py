"""``littlestone classes``: nothing else lists what can be learned."""

from __future__ import annotations

from typing import Any, cast

from littlestone.classes import HypothesisClass
from littlestone.classes.declared import Declared, declaration, declared_kinds
from littlestone.classes.spec import Spec
from littlestone.cli.console import out, print_columns, print_json
from littlestone.cli.options import JsonOption
from littlestone.errors import DeclarationError

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
    kinds = [kind for kind in declared_kinds().values() if kind.group]
    kinds.sort(key=lambda kind: (*_place(kind), kind.keyword))
    if as_json:
        print_json(
            [
                {
                    "class": kind.keyword,
                    "group": kind.group,
                    "form": _form(kind),
                    "example": _example(kind),
                    "functions": _summary(kind),
                    "several labels": kind.several,
                }
                for kind in kinds
            ]
        )
        return
    for group in dict.fromkeys(kind.group for kind in kinds):
        out.print(group.capitalize())
        for kind in kinds:
            if kind.group == group:
                print_columns([[_form(kind)]], indent=2)
                print_columns([[_summary(kind)]], indent=6)
                example = _example(kind)
                if example:
                    print_columns([[f"Example: {example}"]], indent=6)


def _place(kind: type[Declared]) -> tuple[int, str]:
    known = kind.group in _GROUPS
    return _GROUPS.index(kind.group) if known else len(_GROUPS), kind.group


def _form(kind: type[Declared]) -> str:
    """The legal form of its text, as the class itself shows it when it refuses a text without one."""
    try:
        kind.parse(Spec(kind.keyword, ()))
    except DeclarationError as error:
        return error.fix.removeprefix("write ")
    return f"{kind.keyword}()"


def _example(kind: type[Declared]) -> str:
    """A typical text, or the longest of its examples; empty if there is none."""
    texts = (
        ()
        if kind.typical
        else map(declaration, cast("list[HypothesisClass[Any]]", kind.examples()))
    )
    return kind.typical or max(texts, key=len, default="")


def _summary(kind: type[Declared]) -> str:
    """The first line of what its documentation says."""
    return (kind.__doc__ or "").strip().partition("\n")[0].replace("`", "")
