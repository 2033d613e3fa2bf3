"""Plant a fault: the code of a function, with one piece of its text replaced."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from textwrap import dedent, indent
from typing import Any

import pytest


@dataclass(frozen=True)
class Fault:
    """In ``place``, "module:function" or "module:Class.method", ``old`` becomes ``new``."""

    place: str
    old: str
    new: str
    mistake: str


def plant(fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    """Until the test ends, the function does as the fault has it, whoever has imported it.

    What the package has cached is forgotten before and after.
    """
    function, source = find_place(fault.place)
    assert source.count(fault.old) == 1, f"{fault.place} has {source.count(fault.old)}: {fault.old}"
    changed = source.replace(fault.old, fault.new)
    changed = changed[changed.index("def ") :]  # without its decorators
    name = function.__name__
    free = function.__code__.co_freevars
    outer = f"def outer({', '.join(free)}):\n{indent(changed, '    ')}\n    return {name}\n"
    made: dict[str, Any] = {**function.__globals__}
    header = "from __future__ import annotations\n"
    exec(compile(header + outer, f"<{fault.mistake}>", "exec"), made)
    code = made["outer"](*free).__code__
    forget()
    monkeypatch.setattr(function, "__code__", code)


def turns_red(
    fault: Fault, test: Callable[..., None], monkeypatch: pytest.MonkeyPatch, *given: object
) -> None:
    """Plant the fault, run the test on what is ``given``, and expect that it fails."""
    test(*given)
    plant(fault, monkeypatch)
    try:
        with pytest.raises((AssertionError, pytest.fail.Exception)):
            test(*given)
    finally:
        monkeypatch.undo()
        forget()


def find_place(place: str) -> tuple[Any, str]:
    """The function at a place, and its text."""
    module, _, path = place.partition(":")
    function = _function(module, path)
    return function, dedent(inspect.getsource(function))


def _function(module: str, path: str) -> Any:
    owner: Any = import_module(module)
    for part in path.split("."):
        owner = inspect.getattr_static(owner, part)
    for inner in ("fget", "func", "__func__", "run"):
        owner = getattr(owner, inner, owner) if not inspect.isfunction(owner) else owner
    return inspect.unwrap(owner)


def forget() -> None:
    """Clear the caches of all functions and methods of the package."""
    for clear in {id(found): found for found in _caches()}.values():
        clear()


def _caches() -> list[Callable[[], None]]:
    ours = [module for name, module in [*sys.modules.items()] if re.match(r"littlestone\b", name)]
    members = {id(member): member for module in ours for member in vars(module).values()}
    classes = filter(inspect.isclass, [*members.values()])
    members |= {id(member): member for owner in classes for member in vars(owner).values()}
    found = []
    for member in members.values():
        while not hasattr(member, "cache_clear") and hasattr(member, "__wrapped__"):
            member = member.__wrapped__
        clear = getattr(member, "cache_clear", None)
        if callable(clear):
            found.append(clear)
    return found
