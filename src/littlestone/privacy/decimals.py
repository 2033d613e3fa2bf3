"""Decimal arithmetic with directed rounding and unbounded exponents."""

from __future__ import annotations

from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal


def directed_contexts(digits: int) -> tuple[Context, Context]:
    """Contexts of that precision, one that rounds up and one that rounds down.

    >>> up, down = directed_contexts(3)
    >>> up.divide(1, 3), down.divide(1, 3)
    (Decimal('0.334'), Decimal('0.333'))
    """
    up, down = (
        Context(prec=digits, rounding=rounding, Emin=MIN_EMIN, Emax=MAX_EMAX)
        for rounding in (ROUND_CEILING, ROUND_FLOOR)
    )
    return up, down


def power(x: Decimal, n: int, context: Context) -> Decimal:
    """x^n >= 0 by O(log n) products, each rounded as the context says, unlike Decimal's powers.

    >>> up, down = directed_contexts(3)
    >>> power(Decimal("1.01"), 3, up), power(Decimal("1.01"), 3, down)
    (Decimal('1.05'), Decimal('1.03'))
    """
    result = Decimal(1)
    for digit in f"{n:b}":
        result = context.multiply(result, result)
        if digit == "1":
            result = context.multiply(result, x)
    return result
