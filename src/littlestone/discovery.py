"""Finding every class, learner and statement by walking the package: no registry to keep by hand."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from functools import cache
from types import ModuleType
from typing import TypeVar

Base = TypeVar("Base")


def modules(package: str) -> list[ModuleType]:
    """The module ``package`` and every module beneath it, imported, in the order of their names."""
    return list(_walked(package))


@cache  # a walk takes milliseconds, and every hypothesis that is read from a file asks for one
def _walked(package: str) -> tuple[ModuleType, ...]:
    root = importlib.import_module(package)
    inside = pkgutil.walk_packages(getattr(root, "__path__", []), prefix=f"{package}.")
    return root, *(importlib.import_module(found.name) for found in inside)


def concrete(base: type[Base], package: str) -> list[type[Base]]:
    """The concrete subclasses of ``base`` defined in ``package``, in the order of their names.

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
