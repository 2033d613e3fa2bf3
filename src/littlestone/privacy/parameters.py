"""Public parameters of mechanisms, checked when they are declared: later, budget would be spent."""

from __future__ import annotations

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
