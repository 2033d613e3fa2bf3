"""Error balls of classes over open vocabularies: by counting, and by the walk of the base class.

The walk branches on every distinct point, so it is shown on 60 examples only; there both must find
the same version spaces.  On 5,000 rows the ball must have the planted rule, with its errors.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

from benchmarks.harness import Case, Contender, require
from littlestone.classes import EqualityRules, HypothesisClass, Subsets
from littlestone.domains import Strings
from littlestone.hypotheses import Hypothesis
from littlestone.sample import Sample

Ball = list[tuple[Any, int]]
ROWS, FEW, NOISE = 5000, 60, 0.01


def cases() -> Iterator[Case]:
    """Rules over five columns and sets of five elements, on few examples and on many."""
    rules = EqualityRules.of("carrier", "origin", "dest", "tailnum", "hour", max_literals=2)
    subsets = Subsets(Strings("merchant"), 5)
    for H, make, name in [
        (rules, flights, "rules of at most 2 of 5 columns"),
        (subsets, payments, "sets of at most 5 merchants"),
    ]:
        few, budget = make(FEW, 0), 2
        yield Case(
            f"{name}, {len(few.points)} distinct points, at most {budget} errors",
            Contender(
                "littlestone: error_ball", ball(H, few, budget), same_as_walk(H, few, budget)
            ),
            [Contender("walk over the points", walk(H, few, budget), same_as_walk(H, few, budget))],
        )
        many = make(ROWS, NOISE)
        errors = mistakes(PLANTED[type(H)](H), many)
        for most in (errors, 2 * errors):
            spaces = len(H.error_ball(many, most))
            yield Case(
                f"{name}, {ROWS:,} rows, {len(many.points):,} distinct points, at most {most} errors; "
                f"size of the ball {spaces:,}",
                Contender("littlestone: error_ball", ball(H, many, most), planted(H, many, errors)),
            )


def flights(rows: int, noise: float) -> Sample[Any]:
    """Distinct records of columns with 20, 5, 100, 4,000 and 24 values; a rule of two is positive."""
    rng = random.Random(4)
    counts: dict[Any, list[int]] = {}
    while len(counts) < rows:
        sizes = (20, 5, 100, 4000, 24)
        x = tuple(f"v{int(rng.paretovariate(0.7)) % size}" for size in sizes)
        y = (x[0] == "v1" and x[2] == "v2") != (rng.random() < noise)
        counts.setdefault(x, [int(not y), int(y)])
    return Sample.from_counts(EqualityRules.of(*NAMES, max_literals=2).domain, counts)


NAMES = ("carrier", "origin", "dest", "tailnum", "hour")


def payments(rows: int, noise: float) -> Sample[Any]:
    """Payments to thousands of merchants, most of them rare, of which five are bad."""
    rng = random.Random(5)
    counts: dict[Any, list[int]] = {}
    for _ in range(rows):
        i = rng.randrange(50) if rng.random() < 0.3 else rng.randrange(10**6)
        counts.setdefault(f"m{i}", [0, 0])[int((i < 5) != (rng.random() < noise))] += 1
    return Sample.from_counts(Strings("merchant"), counts)


def planted_rule(H: Any) -> Hypothesis[Any]:
    """The rule that labels `flights`."""
    agreeing = ("v1", "x", "v2", "x", "x"), ("v1", "y", "v2", "y", "y")
    V: EqualityRules = H.restrict(agreeing[0], 1).restrict(agreeing[1], 1)
    return V.restrict(("v1", *"xxxx"), 0).restrict(("x", "x", "v2", "x", "x"), 0).soa()


def planted_set(H: Any) -> Hypothesis[Any]:
    """The set that labels `payments`."""
    V: Subsets = H
    for i in range(5):
        V = V.restrict(f"m{i}", 1)
    return V.soa()


PLANTED: dict[type, Callable[[Any], Hypothesis[Any]]] = {
    EqualityRules: planted_rule,
    Subsets: planted_set,
}


def mistakes(h: Hypothesis[Any], sample: Sample[Any]) -> int:
    """How many examples h labels wrongly, point by point."""
    counts = zip(sample.points, sample.negatives.tolist(), sample.positives.tolist(), strict=True)
    return sum(zeros if h(x) else ones for x, zeros, ones in counts)


def ball(H: HypothesisClass[Any], sample: Sample[Any], most: int) -> Callable[[], Ball]:
    """The ball as the class finds it."""
    return lambda: H.error_ball(sample, most)


def walk(H: HypothesisClass[Any], sample: Sample[Any], most: int) -> Callable[[], Ball]:
    """The ball as the base class finds it."""
    return lambda: HypothesisClass.error_ball(H, sample, most)


def same_as_walk(H: HypothesisClass[Any], sample: Sample[Any], most: int) -> Callable[[Ball], None]:
    """The version spaces and errors are those of the walk."""
    expected = set(HypothesisClass.error_ball(H, sample, most))
    require(expected, "the ball is empty")

    def check(found: Ball) -> None:
        require(len(found) == len(expected) and set(found) == expected, "another ball")

    return check


def planted(H: Any, sample: Sample[Any], errors: int) -> Callable[[Ball], None]:
    """The planted function is in the ball with its errors; each error is that of the SOA's labels."""
    target = PLANTED[type(H)](H)

    def check(found: Ball) -> None:
        require((target, errors) in [(V.soa(), e) for V, e in found], "the target is missing")
        for V, e in found[:20]:
            require(mistakes(V.soa(), sample) == e or not V.size, f"not {e} errors")

    return check
