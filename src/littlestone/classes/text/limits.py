"""Limits on the text of a class: how long, how deep and how wide it may be.

Each limit is far above what people write, and low enough that every text is read quickly.  A class
that needs a lower limit states it in its own file.
"""

from __future__ import annotations

from littlestone.base.errors import TooLargeError

MOST_CHARACTERS = 20_000
MOST_DEPTH = 16
"""Nested parentheses, including those of the class itself."""
MOST_ARGUMENTS = 1_000
"""Columns or classes in one pair of parentheses."""

_SHOWN = 60


def require_at_most(most: int, found: int, what: str, text: str, fix: str) -> None:
    """Raise `TooLargeError` if a text has ``found`` > ``most`` of ``what``.

    >>> require_at_most(2, 2, "columns", "points(a, b)", "name fewer")
    """
    if found > most:
        shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
        raise TooLargeError(
            f"read the class {shown!r}",
            found=f"it has {found:,} {what}, at most {most:,} are read",
            fix=fix,
        )


def in_digits(number: int) -> str:
    """A whole number in digits, or its power of two, because Python writes at most 4,300 digits.

    >>> in_digits(1001), in_digits(2**500 + 1)
    ('1,001', 'about 2^500')
    """
    return f"{number:,}" if abs(number) < 2**128 else f"about 2^{number.bit_length() - 1}"
