"""One test of many values under one id: a failure says for which value."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from inspect import Parameter, signature
from typing import Any

import pytest

Values = Iterable[Any] | Callable[[], Iterable[Any]]
Ids = Callable[[Any], object] | Iterable[object]
SPEEDS = ["quick", pytest.param("others", marks=pytest.mark.deep)]


def in_turn(values: Iterable[Any], quick: int) -> list[Any]:
    """For ``parametrize``: `make test` takes the first of every ``quick``, `make deep` the others."""
    return [
        pytest.param(value, marks=[pytest.mark.deep] * (place % quick > 0))
        for place, value in enumerate(values)
    ]


def each(
    names: str | tuple[str, ...], values: Values, ids: Ids = str, *, quick: int = 1
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Written like ``pytest.mark.parametrize``, but the values are taken in turn by one test.

    All of them share its fixtures.  The first value that fails ends the test, and its id is noted on
    the exception.  A test that skips all values is skipped.  A function of no arguments in place of
    the values is called when the test runs, so that collecting does not wait for it.  `make test`
    takes the first of every ``quick`` values, and `make deep` the others.
    """
    given = (names,) if isinstance(names, str) else names
    turn = f"speed_of_{given[0]}"

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @wraps(test)
        def run(**fixtures: Any) -> None:
            part = fixtures.pop(turn, None)
            every = [*(values() if callable(values) else values)]
            rows = [
                pair
                for place, pair in enumerate(zip(every, _names(every, ids), strict=True))
                if part is None or (part == "quick") == (place % quick == 0)
            ]
            assert rows, f"no value of {names}"
            ended: list[BaseException] = []
            for row, name in rows:
                parts = (row,) if isinstance(names, str) else row
                try:
                    test(**fixtures, **dict(zip(given, parts, strict=True)))
                except pytest.skip.Exception as skipped:
                    ended.append(skipped)
                except (Exception, pytest.fail.Exception) as error:
                    error.add_note(f"with {', '.join(given)} = {name}")
                    raise
            if len(ended) == len(rows):
                raise ended[0]

        whole = signature(test)
        left = [part for name, part in whole.parameters.items() if name not in given]
        if quick > 1:
            left.append(Parameter(turn, Parameter.KEYWORD_ONLY))
            run = pytest.mark.parametrize(turn, SPEEDS)(run)
        run.__signature__ = whole.replace(parameters=left)  # type: ignore[attr-defined]
        return run

    return decorate


def _names(rows: list[Any], ids: Ids) -> Iterable[object]:
    if not callable(ids):
        return ids
    return (", ".join(map(str, map(ids, r))) if isinstance(r, tuple) else ids(r) for r in rows)
