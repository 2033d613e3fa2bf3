"""Find every class, learner and statement by walking the package, without a registry.

Your own module is walked too if its package names it as an entry point of the group
``littlestone``; see docs/how-to/add-a-class.md.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from functools import cache
from importlib.metadata import entry_points
from types import ModuleType
from typing import TypeVar

Base = TypeVar("Base")

GROUP = "littlestone"
"""The group of entry points that name the modules of other packages."""


def modules(package: str) -> list[ModuleType]:
    """The module ``package`` and every module beneath it, imported, in the order of their names.

    The modules that other packages name as entry points of the group `GROUP` come last.
    """
    return [*_walked(package), *_others()]


@cache
def _others() -> tuple[ModuleType, ...]:
    found = {point.module for point in entry_points(group=GROUP)}
    return tuple(importlib.import_module(name) for name in sorted(found))


@cache  # a walk takes milliseconds, and reading a hypothesis from a file needs one
def _walked(package: str) -> tuple[ModuleType, ...]:
    root = importlib.import_module(package)
    inside = pkgutil.walk_packages(getattr(root, "__path__", []), prefix=f"{package}.")
    return root, *(importlib.import_module(found.name) for found in inside)


def concrete(base: type[Base], package: str) -> list[type[Base]]:
    """The concrete subclasses of ``base`` in ``package`` and in other packages, ordered by name.

    >>> from littlestone.classes.base import HypothesisClass
    >>> "Thresholds" in [found.__name__ for found in concrete(HypothesisClass, "littlestone.classes")]
    True
    """
    found = {
        member
        for module in modules(package)
        for member in vars(module).values()
        if inspect.isclass(member)
        and issubclass(member, base)
        and not inspect.isabstract(member)
        and member.__module__ == module.__name__
    }
    return sorted(found, key=lambda member: member.__name__)
