"""The exponential mechanism on large finite classes, whose hypotheses are counted and not listed.

For each class: its size, the records proved to suffice (error 0.1 with probability 0.95 at epsilon 1,
clean labels), and the seconds of one core for planning and for a fit to 10,000 records.  Beside these
stands what scoring the hypotheses one by one would take, extrapolated from the released one.  First
the law of small classes of each kind is compared with its definition, as fractions.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.harness import require, steps
from littlestone.classes import parse_class
from littlestone.classes.decision_lists import CountedLists
from littlestone.classes.juntas import CountedJuntas
from littlestone.classes.promises.counted import CountedBoxes
from littlestone.classes.promises.tabled import bits
from littlestone.data.sample import Sample
from littlestone.learn import ExponentialLearner
from littlestone.learn.plan import choose_learner
from littlestone.points import Disjoint, Grid, Product
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.randomness import seeded_generator

RECORDS = 10_000
GOAL = {"alpha": 0.1, "beta": 0.05}
BITS = ", ".join(f"c{j}" for j in range(20))
SOME_BITS = ", ".join(f"c{j}" for j in range(10))
FEW_BITS = ", ".join(f"c{j}" for j in range(8))

Rule = Callable[[Any], bool]

CLASSES: list[tuple[str, Rule]] = [
    ("intervals(x, 0..1048575)", lambda x: 300_000 <= x < 600_000),
    ("intervals(x, 0..18446744073709551615)", lambda x: x >= 2**63),
    ("direct_sum(thresholds(x, 0..99), thresholds(y, 0..99))", lambda x: x[1] >= 40),
    ("direct_sum(intervals(x, 0..999), stumps(y 0..99, z 0..99))", lambda x: x[1] == 40),
    (f"parities({BITS})", lambda x: sum(x[::3]) % 2 == 1),
    ("stumps(a 0..99, b 0..99, c 0..99, d 0..99, e 0..99)", lambda x: x[2] >= 40),
    ("boxes(x 1..24, y 1..31)", lambda x: x[0] > 6 and x[1] > 10),
    ("boxes(x 1..10, y 1..10, z 1..10)", lambda x: 3 <= x[0] <= 8),
    (f"conjunctions({SOME_BITS})", lambda x: x[1] == 1 and x[3] == 0),
    (f"conjunctions({BITS})", lambda x: x[1] == 1 and x[3] == 0 and x[5] == 1),
    (f"conjunctions({BITS}; monotone)", lambda x: x[1] == x[3] == 1),
    ("linear(x, y, z; q 101, dimension 1)", lambda x: _on(x, 101)),
    ("linear(x, y, z; q 101, dimension 2)", lambda x: _on(x[:2], 101)),
    ("linear(w, x, y, z; q 101, dimension 1)", lambda x: _on(x, 101)),
    ("linear(w, x, y, z; q 101, dimension 2)", lambda x: _on(x[:3], 101)),
    ("linear(w, x, y, z; q 101, dimension 3)", lambda x: _on(x[:2], 101)),
    ("affine(x, y, z; q 101, dimension 1)", lambda x: _on(x, 101)),
    ("affine(x, y, z; q 101, dimension 2)", lambda x: _on(x[:2], 101)),
    ("affine(w, x, y, z; q 5, dimension 3)", lambda x: _on(x[:2], 5)),
    ("polynomial_zeros(x, y; q 101, degree 1)", lambda x: _on(x, 101)),
    ("polynomial_zeros(x, y; q 5, degree 2)", lambda x: (x[0] ** 2 + x[1]) % 5 == 0),
    ("polynomial_zeros(x, y; q 5, degree 3)", lambda x: (x[0] ** 3 + x[1] ** 2 + 1) % 5 == 0),
    ("polynomial_zeros(x, y; q 5, degree 4)", lambda x: (x[0] ** 4 + x[1] ** 3 + 1) % 5 == 0),
    ("polynomial_zeros(x; q 101, degree 2)", lambda x: x[0] in (3, 50)),
    ("polynomial_zeros(x; q 101, degree 3)", lambda x: x[0] in (3, 50, 77)),
    (f"juntas({BITS}; k 3)", lambda x: x[0] != x[1] or x[2] == 1),
    (f"juntas({BITS}; k 4)", lambda x: x[0] != x[1] or x[2] == x[3]),
    (f"decision_lists({FEW_BITS})", lambda x: x[0] == 0 and (x[2] == 1 or x[4] == 0)),
    (f"decision_lists({SOME_BITS})", lambda x: x[0] == 0 and (x[2] == 1 or x[4] == 0)),
    (f"union(juntas({BITS}; k 3), parities({BITS}))", lambda x: sum(x[::3]) % 2 == 1),
    (
        "combine(and, stumps(a 0..23, b 0..30, c 0..60), stumps(a 0..23, b 0..30, c 0..60))",
        lambda x: x[0] > 10 and x[2] < 30,
    ),
]

SMALL = [
    "intervals(x, 0..9)",
    "direct_sum(thresholds(x, 0..3), intervals(y, 0..3))",
    "linear(x, y, z; q 2, dimension 2)",
    "affine(x, y; q 3, dimension 1)",
    "polynomial_zeros(x, y; q 3, degree 1)",
    "polynomial_zeros(x; q 5, degree 2)",
    "polynomial_zeros(x, y; q 3, degree 3)",
]


def _on(x: tuple[int, ...], q: int) -> bool:
    """Whether x_j = (j + 2) x_0 for j > 0."""
    return all(v == (j + 2) * x[0] % q for j, v in enumerate(x[1:], start=1))


def show(console: Console) -> None:
    """Check the laws, and print the table."""
    checked = sum(check(H) for H in small())
    console.print(f"{checked} laws of small classes are exactly those of their definition.")
    heading = f"fit, {RECORDS:,} records"
    table = Table("class", "hypotheses", "proved n", "plan", heading, "one by one")
    for text, rule in steps(CLASSES, "counting", console):
        begun = time.process_time()
        H = parse_class(text)
        learner, _ = choose_learner(H, Budget(1, "1e-6"), setting="realizable")
        require(isinstance(learner, ExponentialLearner), f"{text} is learned by {learner.method}")
        bound = learner.plan(**GOAL, setting="realizable")
        planned = time.process_time() - begun
        sample = records(H, rule)
        for _ in range(2):  # the first fit may compile what later ones load
            begun = time.process_time()
            release = learner.fit(
                sample, ledger=Ledger(), dataset="made up", rng=seeded_generator(1)
            )
            fitted = time.process_time() - begun
        begun = time.process_time()
        wrong = sum(
            int(n[1 - release.hypothesis(x)])
            for x, n in zip(sample.points, sample.counts, strict=True)
        )
        one = (time.process_time() - begun) * learner.size  # type: ignore[attr-defined]
        require(wrong <= 0.1 * RECORDS, f"{text}: {wrong:,} errors")
        shown = text if len(text) < 60 else f"{text[:25]}...{text[-25:]}"
        size = f"{learner.size:,}"  # type: ignore[attr-defined]
        size = size if len(size) < 16 else f"{learner.size:.1e}"  # type: ignore[attr-defined]
        assert bound is not None
        row = (shown, size, f"{bound.n:,}", f"{planned:.2f} s", f"{fitted:.2f} s", long(one))
        table.add_row(*row)
    console.print(table)


def long(seconds: float) -> str:
    """A time in its unit."""
    for unit, length in (
        ("years", 31_557_600),
        ("days", 86_400),
        ("hours", 3_600),
        ("minutes", 60),
    ):
        if seconds >= length:
            many = seconds / length
            return f"{many:,.1f} {unit}" if many < 1e6 else f"{many:.0e} {unit}"
    return f"{seconds:.1f} s"


def records(H: Any, rule: Rule) -> Sample[Any]:
    """Random records; half of them obey the rule, if it holds for few points only."""
    rng, found = random.Random(1), list[tuple[Any, int]]()
    while len(found) < RECORDS:
        x = H.domain.random_point(rng)
        if len(found) % 2 and not isinstance(H.domain, (Grid, Disjoint)) and H.domain.size > 10**4:
            x = _near(x, rule, H.domain)
        found.append((x, int(rule(x))))
    return Sample.from_examples(H.domain, found)


def _near(x: tuple[int, ...], rule: Rule, domain: Product) -> tuple[int, ...]:
    """A point that obeys the rule if one is found by changing the coordinates after the first."""
    if rule(x):
        return x
    q = domain.columns[0].size or 0
    made = (x[0], *((j + 2) * x[0] % q for j in range(1, len(x))))
    return made if made in domain and rule(made) else x


def small() -> Iterator[Any]:
    """Classes whose functions can be listed."""
    yield from map(parse_class, SMALL)
    yield CountedBoxes(Product((Grid(0, 3, "x"), Grid(0, 4, "y"))), "boxes(x 0..3, y 0..4)")
    yield CountedBoxes(Product(tuple(Grid(0, 1, c) for c in "abcd")), "conjunctions(a, b, c, d)")
    yield CountedJuntas(bits("abcd"), "juntas(a, b, c, d; k 2)", 2)
    yield CountedLists(bits("abc"), "decision_lists(a, b, c)")


def check(H: Any) -> bool:
    """Each function of the class has the share of its errors among all."""
    rng = random.Random(2)
    examples = [(H.domain.random_point(rng), rng.randrange(2)) for _ in range(12)]
    learner = ExponentialLearner(H, Budget(1))
    law = learner.distribution(Sample.from_examples(H.domain, examples))
    base = learner.mechanism.base
    weights = {h: base ** -sum(h(x) != y for x, y in examples) for h in law}
    total = sum(weights.values(), Fraction(0))
    require(len({tuple(map(h, H.domain)) for h in law}) == H.size, f"{H} has other functions")
    require(law == {h: weight / total for h, weight in weights.items()}, f"another law of {H}")
    return True
