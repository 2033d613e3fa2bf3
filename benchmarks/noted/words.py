"""Numbers as the note writes them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

Values = Mapping[str, str]
"""The texts that fill the gaps of the note, by the names of the gaps."""


def whole(n: int) -> str:
    """A whole number, with commas.

    >>> whole(56511443)
    '56,511,443'
    """
    return f"{n:,}"


def powered(x: float) -> str:
    """A large number by two digits and a power of ten.

    >>> powered(67300193848)
    '6.7 * 10^10'
    """
    digits, _, power = f"{x:.1e}".partition("e")
    return f"{digits} * 10^{int(power)}"


def share(p: Fraction | float, digits: int = 4) -> str:
    """A probability; a fraction as it is if it is short.

    >>> share(Fraction(2, 9)), share(Fraction(12345, 67890))
    ('2/9', '0.1818')
    """
    if isinstance(p, Fraction) and p.denominator < 1000:
        return str(p)
    return f"{float(p):.{digits}f}"


def table(names: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """A table in Markdown."""
    heads = list(names)
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(map(str, cells))} |" for cells in lines)
