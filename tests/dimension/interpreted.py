"""The compiled writer of certificates as plain Python, with a fault planted in their text.

Numba would take half a minute for each fault.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

PROOF = "littlestone.dimension.proof"
COMPILING = "littlestone.dimension.engine.compiling"
MODULES = ("format", "symmetries", "frames", "looking", "writing")


def _as_it_is(*_: Any, **__: Any) -> Callable[[Any], Any]:
    return lambda function: function


@contextmanager
def interpreted(module: str = "", old: str = "", new: str = "") -> Iterator[Any]:
    """`GraphWriter`; in ``module`` the text ``old`` has become ``new``."""
    plain = ModuleType("interpreted.compiling")
    vars(plain).update(
        compiled=_as_it_is,
        part=_as_it_is,
        popcount=lambda word: np.uint64(int(word).bit_count()),
        trailing_zeros=lambda word: np.uint64((int(word) & -int(word)).bit_length() - 1),
        Index=Any,
        Word=Any,
    )
    made = {plain.__name__: plain}
    sys.modules.update(made)
    try:
        for name in MODULES:
            spec = find_spec(f"{PROOF}.{name}")
            assert spec is not None
            text = Path(str(spec.origin)).read_text(encoding="utf-8")
            if name == module:
                assert text.count(old) == 1, f"{name} has {text.count(old)}: {old}"
                text = text.replace(old, new)
            text = text.replace(COMPILING, "interpreted.compiling")
            for other in MODULES:
                text = text.replace(f"{PROOF}.{other} import", f"interpreted.{other} import")
            made[f"interpreted.{name}"] = sys.modules[f"interpreted.{name}"] = ModuleType(name)
            exec(compile(text, name, "exec"), vars(made[f"interpreted.{name}"]))
        with np.errstate(over="ignore"):
            yield made["interpreted.writing"].GraphWriter
    finally:
        for name in made:
            sys.modules.pop(name, None)
