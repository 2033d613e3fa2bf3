"""Find every class, learner and statement by walking the package, without a registry; other packages.

Whether they are there, and their errors, are asked here too.
Your own module is walked too if its package names it as an entry point of the group
``littlestone``; see docs/how-to/add-a-class.md.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any, TypeVar

from littlestone.base.errors import DeclarationError, LittlestoneError, OutputError, install_command

Base = TypeVar("Base")

GROUP = "littlestone"
"""The group of entry points that name the modules of other packages."""

_ENTRY = re.compile(r"[a-z_]+( --[a-z-]+)?( [A-Z]\S*)?: ")


def modules(package: str, *rooms: str) -> list[ModuleType]:
    """The module ``package`` and every module beneath it, imported, in the order of their names.

    With ``rooms``, packages beneath it, only its own modules and theirs, none in other packages.
    The modules that other packages name as entry points of the group `GROUP` come last.
    """
    return [*_walk(package, *rooms), *others()]


@cache
def others() -> tuple[ModuleType, ...]:
    """The modules that other packages name as entry points of the group `GROUP`, imported."""
    from importlib.metadata import entry_points  # as dear to import as typer

    found = {point.module: point.name for point in entry_points(group=GROUP)}
    return tuple(_import(module, name) for module, name in sorted(found.items()))


def _import(module: str, name: str) -> ModuleType:
    try:
        return importlib.import_module(module)
    except Exception as error:  # whatever the module's own code raises; no record is read by then
        raise DeclarationError(
            f"import the module {module}, the entry point {name!r} of the group {GROUP}",
            found=f"it raises {type(error).__name__}: {error}",
            fix="mend or uninstall the package that names it",
        ) from error


@cache  # a walk takes milliseconds, and reading a hypothesis from a file needs one
def _walk(package: str, *rooms: str) -> tuple[ModuleType, ...]:
    roots = [*map(importlib.import_module, (package, *(f"{package}.{room}" for room in rooms)))]
    look = pkgutil.iter_modules if rooms else pkgutil.walk_packages
    inside = [
        found.name
        for root in roots
        for found in look(getattr(root, "__path__", []), prefix=f"{root.__name__}.")
        if not (rooms and found.ispkg)
    ]
    return *roots, *map(importlib.import_module, inside)


def kind_of_name(base: type[Base], package: str, attribute: str, name: str) -> type[Base] | None:
    """The concrete subclass of ``base`` whose ``attribute`` is ``name``, in the module of that name.

    Only this module of the ``package`` is imported.  None if there is no such module or class; then
    `concrete` may know another.

    >>> from littlestone.classes.text.declared import DeclaredClass
    >>> kind_of_name(DeclaredClass, "littlestone.classes", "keyword", "thresholds").__name__
    'Thresholds'
    >>> kind_of_name(DeclaredClass, "littlestone.classes", "keyword", "affine")  # of another module
    """
    path = f"{package}.{name}"
    if not name.isidentifier() or find_spec(path) is None:
        return None
    for member in vars(importlib.import_module(path)).values():
        own = inspect.isclass(member) and member.__module__ == path and issubclass(member, base)
        if own and not inspect.isabstract(member) and vars(member).get(attribute) == name:
            return member  # type: ignore[no-any-return]
    return None


def concrete(base: type[Base], package: str, *rooms: str) -> list[type[Base]]:
    """The concrete subclasses of ``base`` in `modules` and in other packages, ordered by name.

    Raises `DeclarationError` if a module of another package cannot be imported, or has a class that is
    named like a concrete one and lacks some of its methods.

    >>> from littlestone.classes.base import HypothesisClass
    >>> "Thresholds" in [found.__name__ for found in concrete(HypothesisClass, "littlestone.classes")]
    True
    """
    defined = [
        member
        for module in modules(package, *rooms)
        for member in vars(module).values()
        if inspect.isclass(member)
        and issubclass(member, base)
        and member.__module__ == module.__name__
    ]
    theirs = {module.__name__ for module in others()}
    for member in defined:
        if member.__module__ in theirs:
            _require_complete(member, base)
    found = {member for member in defined if not inspect.isabstract(member)}
    return sorted(found, key=lambda member: member.__name__)


def _require_complete(member: type, base: type) -> None:
    """Raise `DeclarationError` for a class that has a name, for use, but lacks methods."""
    names = [name for name in base.__annotations__ if not hasattr(base, name)]
    lacking = sorted(getattr(member, "__abstractmethods__", ()))
    if lacking and any(name in vars(member) for name in names):
        raise DeclarationError(
            f"use the class {member.__module__}.{member.__qualname__}",
            found=f"it lacks {', '.join(lacking)}",
            fix=f"write what is missing; in a base class, leave out {' and '.join(names)}",
        )


def read_words(docstring: str | None) -> tuple[str, dict[str, str]]:
    r"""`read_entries` of a check; `DeclarationError` where Python removed all docstrings.

    >>> read_words("A row.\n\nsays: All is well.")
    ('A row.', {'says': 'All is well.'})
    """
    if sys.flags.optimize > 1:
        raise DeclarationError(
            "read what a check says of itself",
            found="it has no docstring; python -OO removes them",
            fix="run python without -OO",
        )
    return read_entries(docstring)


def read_entries(docstring: str | None) -> tuple[str, dict[str, str]]:
    r"""The prose of a docstring, and what its last paragraph says of each name.

    A line of that paragraph is ``name: text`` and goes on in lines that are indented.  An option of a
    command and what it takes may stand behind the name.  Otherwise the paragraph is prose.

    >>> read_entries("Measure it.\n\nfile --out PATH: Where to\n    write.\nn: How many.")
    ('Measure it.', {'file --out PATH': 'Where to write.', 'n': 'How many.'})
    """
    text = inspect.cleandoc(docstring or "")
    prose, _, last = text.rpartition("\n\n")
    lines = re.sub(r"\n +", " ", last).split("\n")
    if not all(map(_ENTRY.match, lines)):
        return text, {}
    return prose, dict(line.split(": ", 1) for line in lines)


def require_package(
    module: str, asked: str, extra: str, error: type[LittlestoneError] = OutputError
) -> None:
    """Raise an ``error`` about what was ``asked`` unless a package is there; ``extra`` installs it.

    >>> require_package("json", "write a list", "plot")
    """
    try:
        import_module(module)
    except ImportError:
        fix = f"install it: {install_command(extra)}"
        raise error(asked, found=f"the package {module} is not installed", fix=fix) from None


@contextmanager
def replace_errors(
    kinds: type[BaseException] | tuple[type[BaseException], ...],
    ours: Callable[[Any], LittlestoneError],
) -> Iterator[None]:
    """Raise ``ours(error)`` in place of an error of these ``kinds``, and keep nothing of that one.

    After ``raise ... from None`` an error still has the other one as its context, which debuggers and
    reports of crashes show.  Our own errors and those that end the program pass.

    >>> from littlestone.base.errors import TableError
    >>> try:
    ...     with replace_errors(ZeroDivisionError, lambda _: TableError("go on", found="0", fix="1")):
    ...         1 / 0
    ... except TableError as error:
    ...     print(error.__context__, error.__cause__)
    None None
    """
    try:
        yield
    except (LittlestoneError, KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except kinds as error:
        replaced = ours(error)
        try:
            raise replaced from None
        finally:
            # The raise has set it; nothing sets it again on the way out.
            replaced.__context__ = None
