"""What random declarations are made of: usual values, the ends of what is legal, and nonsense."""

from __future__ import annotations


def _words(text: str) -> list[str]:
    return text.split()


DIGITS = "9" * 5000

NAMES = [
    *("x", "a", "dep delay", "Größe", "列", "'it''s'", '"a, b"', "e\u0301", "\u202eabc"),
    *("\U0001f600", "1", "", "step", "\x00", "..", "a\nb"),
]
NUMBERS = [
    *[
        "0",
        "1",
        "2",
        "3",
        "5",
        "10",
        "16",
        "20",
        "24",
        "40",
        "64",
        "100",
        "999",
        "1000",
        "4096",
        "65536",
        "100000",
        "999999999",
        "9999999999",
    ],
    *_words("-1 1e400 1e9 inf nan 0.5 ٣ 1/3 +2 1_000 0x10"),
    *("", "9" * 25, DIGITS),
]
SMALL = _words("0 1 2 3 4 5 6 8 10 12 16 20 32 64 100")
ENDS = [
    *[
        "-1",
        "0",
        "1",
        "3",
        "7",
        "9",
        "15",
        "23",
        "100",
        "1440",
        "4095",
        "65535",
        "1000000",
        "1e400",
        "-1e9",
        "0.5",
        "1e-30",
        "nan",
        "inf",
        "x",
    ],
    *map(str, (2**32, 2**64 - 1, 2**64, 2**65)),
    *("", DIGITS),
]
ORDERS = [
    *[
        "2",
        "3",
        "4",
        "5",
        "7",
        "8",
        "9",
        "16",
        "25",
        "27",
        "6",
        "1",
        "0",
        "101",
        "256",
        "65537",
        "999999999989",
        "99999999977",
    ],
    *map(str, (2**31 - 1, 2**61 - 1, 2**61, 10**23, 10**24 - 1)),
]
OPTIONS = [
    *("", "; affine", "; nonzero", "; integers", "; monotone", "; k 1", "; k 3", "; k 7"),
    *("; step 1", "; step 0.01", "; step 1e-30", "; step 0", "; other v1", "; bogus"),
    *(";", "; at most", "; ;", "; exactly 2"),
]
MIXED_OPTIONS = [
    *(
        "",
        "",
        ", any of",
        ", either",
        ", between",
        ", either, between",
        ", bogus",
        ", any of, any of",
    ),
]
LISTS = [
    *(
        "",
        "a",
        "a, a",
        "a, b, c",
        "0, 1, 2",
        "-1, 0.5",
        "'x, y', z",
        "1e400",
        "nan",
        "}, {",
        "0, 0.0",
    ),
    ", ".join(map(str, range(300))),
    ", ".join(map(str, range(9000))),
]
FILES = [
    *[
        "/dev/zero",
        "/dev/null",
        "/dev/random",
        "/dev/stdin",
        "/",
        ".",
        "/proc/self/mem",
        "no.csv",
        "no.npy",
    ],
    *("", "a\x00b", "x" * 5000),
]
EPSILONS = [
    *[
        "1",
        "0.1",
        ".5",
        "1e-9",
        "1e-6",
        "1e-3",
        ".01",
        "3",
        "10",
        "40",
        "100",
        "700",
        "709.8",
        "710",
        "1000",
        "1/3",
    ],
    "0." + "1" * 50,
    "999." + "9" * 50,
]
"""Legal ones; so are `DELTAS`."""
ILLEGAL_EPSILONS = [
    *_words("1e-10 1001 0 -1 nan inf 1e999 x 1/0 1e-9000"),
    "",
    "9" * 401,
]
DELTAS = [
    *[
        "0",
        "0",
        "1e-6",
        "1e-6",
        "1e-6",
        "1e-12",
        "1e-15",
        "1e-300",
        "1e-400",
        ".01",
        ".5",
        ".99",
        "1/3",
    ],
    "0." + "9" * 50,
]
ILLEGAL_DELTAS = [*_words("1 -1e-9 nan 1e-1000 x"), ""]
ALPHAS = [0.1, 0.1, 0.1, 0.05, 0.01, 1e-3, 1e-6, 0.5, 0.9, 0.999999]
ILLEGAL_ALPHAS = [1e-12, 1e-300, 1 - 1e-16, 0.0, 1.0, -1.0, float("nan"), float("inf")]
HORIZONS = [1, 2, 7, 50, 1000, 200_000, 10**9, 10**12, 10**18, 2**64, 10**400, 0, -1]
LABELS = [
    *("a,b", "a,b,c", "a,b,c,d,e", "a,a", "a", "", ",", '"a,b",c', "a\x00,b", "é,e\u0301"),
    *(",".join(f"l{i}" for i in range(count)) for count in (300, 5000)),
]
SIZES = [None, None, 1, 100, 10**6, 10**18, 10**400, 0, -5]

DAMAGE: list[object] = [
    *(None, [], {}, [[]], "", "x", 0, -1, 1, 10**30, 1.5, True, float("nan"), float("inf")),
    *([0], [None], [[], []], {"kind": []}, DIGITS, "1e999999", 1e308),
]
"""What takes the place of a part of a model."""
