"""Random calls of the package's front door with values of wrong types: START CALLS.

Every call is answered or refused by an error of the package.  No refusal quotes a record: the values
that stand for records hold a marked text.
"""

from __future__ import annotations

import inspect
import random
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout
from io import StringIO
from typing import Any

import numpy as np
import pandas

import littlestone
from littlestone.base.errors import LittlestoneError

SECRET = "s3cr3t"
RIGHT: dict[str, list[Any]] = {
    "hypotheses": ["thresholds(x, 0..9)", "points(x)"],
    "target": ["y"],
    "epsilon": [1, "0.5"],
    "delta": [0, "1e-6"],
    "table": [pandas.DataFrame({"x": [1, 2, 3], "y": [0, 1, 1]})],
    "source": [pandas.DataFrame({"x": [1, 2, 3], "y": [0, 1, 1]})],
    "positive": [1, "> 0"],
    "dataset": ["d"],
}
WRONG: list[Any] = [
    None, True, 0, -1, 1.5, float("nan"), float("inf"), 10**40, "", SECRET, b"x", [], [SECRET],
    (SECRET, 1), {}, {SECRET: 1}, {1, 2}, object(), object, len, np.int64(3), np.array([1, 2]),
    pandas.Series([SECRET], name="x"), pandas.DataFrame({SECRET: [SECRET]}), 1j, range(3),
]  # fmt: skip
_RECORDS = (pandas.Series, pandas.DataFrame, dict, list)


def doors() -> Iterator[tuple[str, Callable[..., Any]]]:
    """The public functions and classes of the package, by name."""
    for name in sorted(littlestone.__all__):
        found = getattr(littlestone, name)
        if callable(found) and not inspect.isabstract(found) and not _is_error(found):
            yield name, found


def _is_error(found: object) -> bool:
    return inspect.isclass(found) and issubclass(found, BaseException)


def arguments(door: Callable[..., Any], rng: random.Random) -> dict[str, Any]:
    """Values for the parameters of a function: some right, some wrong, some left out."""
    given = {}
    for name, parameter in inspect.signature(door).parameters.items():
        if parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
            continue
        if parameter.default is not parameter.empty and rng.random() < 0.6:
            continue
        right = RIGHT.get(name, [])
        given[name] = rng.choice(right if right and rng.random() < 0.6 else WRONG)
    return given


def call(name: str, door: Callable[..., Any], given: dict[str, Any]) -> str:
    """What is wrong with the call's answer; nothing if it is answered or refused by name."""
    parameters = inspect.signature(door).parameters
    positional = [
        given[key]
        for key, one in parameters.items()
        if one.kind == one.POSITIONAL_ONLY and key in given
    ]
    named = {k: v for k, v in given.items() if parameters[k].kind != parameters[k].POSITIONAL_ONLY}
    try:
        with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
            door(*positional, **named)
    except LittlestoneError as error:
        held = [value for value in given.values() if isinstance(value, _RECORDS)]
        texts = [value for value in given.values() if isinstance(value, str | tuple)]
        quoted = held and not texts and SECRET in str(error)
        return f"{name} quotes {str(error)[:90]!r}" if quoted else ""
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{place.filename.rpartition('littlestone/')[2]}:{place.lineno}"
        return f"{name} {where} {type(error).__name__}: {str(error)[:80]}"
    return ""


def faults(start: int, calls: int) -> Counter[str]:
    """The wrong answers of so many calls, each with its number of times."""
    found: Counter[str] = Counter()
    every = list(doors())
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        for number in range(start, start + calls):
            rng = random.Random(number)
            name, door = rng.choice(every)
            if wrong := call(name, door, arguments(door, rng)):
                found[wrong] += 1
    return found


if __name__ == "__main__":
    start, calls = map(int, sys.argv[1:] or ("0", "2000"))
    for words, times in faults(start, calls).most_common():
        sys.stdout.write(f"{times:5}  {words}\n")
