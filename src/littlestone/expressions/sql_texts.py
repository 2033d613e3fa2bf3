"""Patterns of texts that show numbers, as `domains.number` reads them."""

from __future__ import annotations

NUMBER = r"[-+]?(\d+\.?\d*|\.\d+)"
"""A number in digits."""
MOST_CHARACTERS = 15
SHORT_NUMBER = rf"[-+]?[\d.]{{1,{MOST_CHARACTERS}}}"
"""A number of so few digits that a float compares like it; or points that no cast takes for one."""
LETTERS = "[a-zA-Z]+"
WORDS = ("false", "true")
"""The words for 0 and 1, in any case."""


def alone(core: str) -> str:
    r"""Texts of the pattern ``core`` and white space around it; the first group is the core.

    >>> print(alone("[0-9]+"))
    ^\s*([0-9]+)\s*$
    """
    return rf"^\s*({core})\s*$"


_LIKE_NUMBERS = r"([^ -~]|[-+. \d_efilnrstuy]|fa)*"
"""What ``1e5``, ``1_000``, ``infinity``, ``true`` and ``false`` are made of, and all beyond ASCII.

An ``a`` stands after an ``f`` alone, so that few other words are made of it.
"""


def unsure(digits: int) -> str:
    """Lines of text that may be numbers written in other ways than SQL reads, in any case.

    They have an exponent, an infinity, ``digits`` digits, an underscore, or a character beyond
    printable ASCII and the white space that SQL knows; and nothing that is never part of a number.
    """
    strange = rf"[^\s!-^`-~]|\d\.?e[-+]?\d|inf|[\d.]{{{digits}}}"
    return f"(?im)^{_LIKE_NUMBERS}({strange}){_LIKE_NUMBERS}$"


# The same for SQLite, which has no regular expressions.
SPACES = "090A0B0C0D20"
"""The white space that it knows, in bytes."""
NEVER = "[!-*,/:-^`-dghjkmo-qv-xz{-~]"
"""What is never part of a number, where the text is in lower case and without ``fa``."""
STRANGE = "[^ -^`-~]"
