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


_MONTHS = (
    r"\d{4}-(0[13578]|1[02])-(0[1-9]|[12]\d|3[01])",
    r"\d{4}-(0[469]|11)-(0[1-9]|[12]\d|30)",
    r"\d{4}-02-(0[1-9]|1\d|2[0-8])",
    r"(\d\d(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29",
)
"""The days of the calendar, as ISO 8601 writes them; of the year 0 too."""
_BLANKS = (
    (0x9, 0xD), (0x1C, 0x20), (0x85, 0x85), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A),
    (0x2028, 0x2029), (0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000),
)  # fmt: skip
"""White space, as Python's `str.strip` takes it: the first and the last character of each run."""
BLANKS = tuple(code for first, last in _BLANKS for code in range(first, last + 1))


def day(code: str) -> str:
    r"""Texts that `domains.day` reads; the first group is the day.

    ``code`` is how a pattern writes a character by its number, such as ``\u{:04x}``.
    """
    blank = "".join(
        code.format(first) + (f"-{code.format(last)}" if last > first else "")
        for first, last in _BLANKS
    )
    return f"^[{blank}]*({'|'.join(_MONTHS)})([T ]|[{blank}]*$)"


# The same for SQLite, which has no regular expressions.
SPACES = "090A0B0C0D20"
"""The white space that it knows, in bytes."""
NEVER = "[!-*,/:-^`-dghjkmo-qv-xz{-~]"
"""What is never part of a number, where the text is in lower case and without ``fa``."""
STRANGE = "[^ -^`-~]"
