"""Tables that agree in all that is public, and differ in their records.

A function makes `N` records of the columns `COLUMNS`, as cells of text.  `UNITS` are tables of the same
`PEOPLE`, whose number of records is private.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import cycle, islice

N = 1_210
COLUMNS = ("id", "x", "a", "b", "y")
PEOPLE = 1_200

Cells = dict[str, list[str]]
Records = Callable[[], Cells]

# What a reader might refuse, form_error or print.
HOSTILE = [
    "", " ", "?", "NaN", "nan", "inf", "-inf", "Infinity", "1e999999999", "-1e-999999999", "1" * 5000,
    "2147483648", "-9223372036854775809", "18446744073709551616", "1e308", "5e-324", "-0", "0x10",
    "1", "1.0", "True", "true", "01", "1_000", "1,5", "5.", "\x00", "\x1b[31m", "\x7f", "\u202e",
    "'", '"', '""', '"x', 'x"', '"a""b"', "\\", "%s", "{0}", "[red]", "=1+1", "NULL", "None", "\ufeff",
    "e\u0301", "\U0001f600", "\ud83d", "\u2028", "\x85", "a;b", "\t", "é" * 3000,
]  # fmt: skip


def _table(
    x: Sequence[str] = ("1", "5"),
    a: Sequence[str] = ("u", "v"),
    b: Sequence[str] = ("u", "v", "w"),
    y: Sequence[str] = ("0", "1"),
    ids: Sequence[str] = ("p", "q", "r"),
    n: int = N,
) -> Cells:
    """Each column repeats its cells."""
    rows = zip(COLUMNS, (ids, x, a, b, y), strict=True)
    return {name: list(islice(cycle(cells), n)) for name, cells in rows}


def plain() -> Cells:
    return _table()


def all_negative() -> Cells:
    return _table(y=["0"])


def all_positive() -> Cells:
    return _table(y=["1"])


def one_positive() -> Cells:
    return _table(y=["1"] + ["0"] * (N - 1))


def one_negative() -> Cells:
    return _table(y=["0"] + ["1"] * (N - 1))


def just_half_positive() -> Cells:
    return _table(y=["1"] * (N // 2 + 1) + ["0"] * (N // 2 - 1))


def labels_unreadable() -> Cells:
    return _table(y=["?", "", "maybe"])


def labels_hostile() -> Cells:
    return _table(y=HOSTILE)


def all_missing() -> Cells:
    return _table(x=[""], a=[""], b=[""], y=[""])


def one_missing() -> Cells:
    return _table(x=["", *["5"] * (N - 1)], a=["", *["u"] * (N - 1)])


def all_equal() -> Cells:
    return _table(x=["7"], a=["u"], b=["u"], y=["1"])


def all_different() -> Cells:
    """More distinct points than any branch in the code counts up to."""
    return _table(
        x=[str(i / 128) for i in range(N)], a=[f"k{i}" for i in range(N)],
        b=[f"m{i}" for i in range(N)], y=["1"],
    )  # fmt: skip


def all_different_and_negative() -> Cells:
    return {**all_different(), "y": ["0"] * N}


def hostile() -> Cells:
    return _table(x=HOSTILE, a=HOSTILE[::-1], b=HOSTILE[3:] + HOSTILE[:3], y=["1", "0"])


def hostile_everywhere() -> Cells:
    return _table(x=HOSTILE, a=HOSTILE, b=HOSTILE, y=HOSTILE, ids=HOSTILE)


def outside() -> Cells:
    """Values beyond every declared range and list."""
    return _table(x=["1e30", "-1e30"], a=["other"], b=["another"])


def huge() -> Cells:
    """One record far longer than all others together."""
    return _table(a=["u" * 3_000_000, *["v"] * (N - 1)])


def ordered() -> Cells:
    return _table(
        x=[str(10 * i // N) for i in range(N)], y=[str(int(2 * i >= N)) for i in range(N)]
    )


RECORDS: list[Records] = [
    plain, all_negative, all_positive, one_positive, one_negative, just_half_positive,
    labels_unreadable, labels_hostile, all_missing, one_missing, all_equal, all_different,
    all_different_and_negative, hostile, hostile_everywhere, outside, huge, ordered,
]  # fmt: skip

# Those that tell most, for the many doors of one kind.
FEW_RECORDS: list[Records] = [plain, one_positive, all_different, hostile_everywhere, huge]


def _people(records: int, **cells: Sequence[str]) -> Cells:
    return _table(ids=[f"p{i}" for i in range(PEOPLE)], n=records, **cells)


def two_each() -> Cells:
    return _people(2 * PEOPLE)


def one_place_void() -> Cells:
    return _people(2 * PEOPLE - 1)


def one_each() -> Cells:
    return _people(PEOPLE)


def one_has_most() -> Cells:
    few = _people(PEOPLE)
    return {name: few[name] + [few[name][0]] * 5000 for name in few}


def twenty_each() -> Cells:
    return _people(20 * PEOPLE)


def people_positive() -> Cells:
    return _people(2 * PEOPLE - 1, y=["1"])


def people_different() -> Cells:
    different = [f"k{i}" for i in range(3 * PEOPLE)]
    return _people(3 * PEOPLE, a=different, b=different, y=["1"])


def people_hostile() -> Cells:
    return _people(3 * PEOPLE, x=HOSTILE, a=HOSTILE, b=HOSTILE, y=HOSTILE)


def people_of_other_names() -> Cells:
    """The column of the unit is protected, too."""
    names = [f"{HOSTILE[i % len(HOSTILE)].strip()}{i}" for i in range(PEOPLE)]
    return _table(ids=names, n=2 * PEOPLE)


UNITS: list[Records] = [
    two_each, one_place_void, one_each, one_has_most, twenty_each, people_positive, people_different,
    people_hostile, people_of_other_names,
]  # fmt: skip
FEW_UNITS: list[Records] = [two_each, one_place_void, one_has_most, people_hostile]
