"""What stays: nothing that nobody chooses, no paper names, and that does nothing by itself.

A learner stays if `auto` takes it for an example of a class, or a line of a paper names it.  A
mechanism or an accountant stays if something that stays draws or pays with it.  Anything else says in
a line of its docstring, with "nothing else", what a person can do with it alone.  So does each command,
and each module that writes a file in a format of ours.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from littlestone.base.discovery import concrete, modules
from littlestone.base.errors import LittlestoneError
from littlestone.classes.text.declared import DeclaredClass
from littlestone.cli import _COMMANDS, _MODULES, _THEORY
from littlestone.learn import ExponentialLearner
from littlestone.learn.base import PrivateLearner
from littlestone.learn.plan import choose_learner
from littlestone.learn.stream import choose_online_learner
from littlestone.learn.stream.base import PrivateOnlineLearner
from littlestone.privacy import Budget
from littlestone.privacy.event import Event
from littlestone.prove.papers.statement import papers, statements

pytestmark = pytest.mark.deep

BUDGETS = Budget(1), Budget(1, "1e-6")
USERS = ("learn", "front", "interop", "privacy.ledger")


def learners() -> list[type[Any]]:
    bases: list[tuple[Any, str]] = [(PrivateLearner, ""), (PrivateOnlineLearner, ".stream")]
    return [kind for base, part in bases for kind in concrete(base, f"littlestone.learn{part}")]


@cache
def chosen() -> frozenset[type[Any]]:
    """The kinds of learners that `auto` takes for the examples of all classes."""
    return frozenset(type(learner) for learner in _choices())


def _choices() -> Iterator[Any]:
    kinds: Any = concrete(DeclaredClass, "littlestone.classes")
    for H in (H for kind in kinds for H in kind.examples()):
        for budget in BUDGETS:
            for choose, options in (
                (choose_learner, {"setting": "agnostic"}),
                (choose_learner, {"setting": "realizable"}),
                (choose_online_learner, {"horizon": 200_000}),
            ):
                try:
                    found: Any = choose(H, budget, **options)
                except LittlestoneError:
                    continue
                yield found[0] if isinstance(found, tuple) else found


@cache
def named_by_papers() -> frozenset[str]:
    lines = (line for paper in papers(statements()) for line in paper.lines)
    return frozenset(part for line in lines for name in line.code for part in name.split("."))


def says_why(thing: Any) -> bool:
    return "nothing else " in (vars(thing).get("__doc__") or "").lower()


def has_reason(kind: type[Any]) -> bool:
    return kind.__name__ in named_by_papers() or says_why(kind)


def idle(kinds: Iterable[type[Any]]) -> set[str]:
    """The learners that neither `auto` nor a paper nor a person needs."""
    return {kind.__name__ for kind in kinds if kind not in chosen() and not has_reason(kind)}


@cache
def imported(module: ModuleType) -> frozenset[str]:
    """The modules from which a module of ours imports, within functions too."""
    path = Path(str(getattr(module, "__file__", "")))
    if path.suffix != ".py" or not module.__name__.startswith("littlestone"):
        return frozenset()
    lines = ast.walk(ast.parse(path.read_text()))
    return frozenset(str(line.module) for line in lines if isinstance(line, ast.ImportFrom))


def unused(kinds: Iterable[type[Any]]) -> set[str]:
    """The mechanisms and accountants that nothing that stays draws or pays with."""
    users = {module for user in USERS for module in modules(f"littlestone.{user}")}
    needed = {found for module in users for found in imported(module)}
    left = set(kinds)
    while found := {kind for kind in left if kind.__module__ in needed or has_reason(kind)}:
        left -= found
        for base in {base for kind in found for base in kind.__mro__}:
            needed |= {base.__module__, *imported(import_module(base.__module__))}
    return {kind.__name__ for kind in left}


def test_every_learner_mechanism_and_accountant_is_needed() -> None:
    """In one test, because all of them ask for the choices of all classes, which takes a minute."""
    assert idle(learners()) == set()
    assert idle([Idle, Alone]) == {"Idle"}
    assert unused(concrete(Event, "littlestone.privacy")) == set()
    assert unused([Unpaid]) == {"Unpaid"}


def test_every_command_says_what_nothing_else_does() -> None:
    names = (_COMMANDS.keys() | _THEORY.keys()) - {"theory"}
    places = {name: f"littlestone.cli.{_MODULES.get(name, name)}" for name in names}
    commands = {name: import_module(module) for name, module in places.items()}
    assert [name for name, module in commands.items() if not says_why(module)] == []


def test_every_format_says_what_nothing_else_keeps() -> None:
    written = re.compile(rb"^(FORMAT|MAGIC) =", re.MULTILINE)
    found = [
        m for m in modules("littlestone") if written.search(Path(str(m.__file__)).read_bytes())
    ]
    assert len(found) > 2
    assert [m.__name__ for m in found if not says_why(m)] == []


class Idle(ExponentialLearner[Any]):
    """It draws as `ExponentialLearner` does."""


class Alone(ExponentialLearner[Any]):
    """Learn in the dark.

    Nothing else learns in the dark.
    """


class Unpaid(Event):
    """An event that nobody draws."""
