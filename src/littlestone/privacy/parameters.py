"""Public parameters of mechanisms: the search for one, and checks before any budget is spent."""

from __future__ import annotations

from collections.abc import Callable

from littlestone.errors import DeclarationError


def whole(name: str, value: object, least: int | None = None) -> None:
    """Raise `DeclarationError` unless ``value`` is an integer, of at least ``least``.

    >>> whole("hits", 3, least=1)
    """
    if isinstance(value, int) and not isinstance(value, bool) and (least is None or value >= least):
        return
    bound = "" if least is None else f" of at least {least}"
    raise DeclarationError(
        f"use {value!r} as {name} of a mechanism",
        found=f"{name} must be an integer{bound}",
        fix=f"give {name} as an integer{bound}",
    )


def least(holds: Callable[[int], bool]) -> int:
    """The least n >= 1 for which ``holds``, which stays true once it is.

    >>> least(lambda n: n * n >= 50)
    8
    """
    high = 1
    while not holds(high):
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high
