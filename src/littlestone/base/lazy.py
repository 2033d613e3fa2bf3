"""Packages that import a name when it is first used (PEP 562)."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any


def lazily(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """``__getattr__``, ``__dir__`` and ``__all__`` of a package whose stub says where its names are.

    The stub is the file ``__init__.pyi`` beside the package's ``__init__.py``.  It imports each name
    from its module, as type checkers read it; a name is imported from there when it is first used.  No
    name may be that of a module beside it, which importing the module would put in its place.

    >>> getattribute, names, public = lazily("littlestone.learn")
    >>> "Release" in public, getattribute("Release").__name__
    (True, 'Release')
    """
    folder = sys.modules[package].__path__[0]
    stub = ast.parse(Path(folder, "__init__.pyi").read_text(encoding="utf-8"))
    where = {
        name.name: line.module
        for line in stub.body
        if isinstance(line, ast.ImportFrom) and line.module
        for name in line.names
    }

    def getattribute(name: str) -> Any:
        if name not in where:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(where[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    def names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *where})

    return getattribute, names, sorted(where)
