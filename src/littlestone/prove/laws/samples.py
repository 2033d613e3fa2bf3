"""Laws of a class on samples: error balls, least errors and the growth function."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from littlestone.base.errors import LittlestoneError, TooLargeError
from littlestone.classes.base import Enumerable
from littlestone.data.sample import Sample
from littlestone.prove.laws.core import Class, cells, expect, labels, points, version_spaces

SIZES = (0, 1, 4, 11)  # numbers of examples in a sample
POINTS = 4  # the most distinct points of a sample
SHATTERED = 5  # the most points whose patterns are counted


def _samples(V: Class) -> Iterator[tuple[Sample[Any], list[Any]]]:
    """Samples of a few points, each with other points at which a wrong ball may show."""
    rng = random.Random(7)
    tried = points(V)
    for n in SIZES:
        few = rng.sample(tried, min(POINTS + 2, len(tried)))
        seen = few[:POINTS]
        examples = [(rng.choice(seen), rng.choice(labels(V))) for _ in range(n)]
        sample = Sample.from_examples(V.domain, examples, labels=V.labels)
        yield sample, [x for x in few if x not in sample.points]


def _errors(sample: Sample[Any], given: tuple[int, ...]) -> int:
    """The number of examples that a function with these labels at the points gets wrong."""
    counts = sample.counts
    right = sum(int(counts[j, y]) for j, y in enumerate(given[: len(counts)]))
    return int(counts.sum()) - right


def error_balls(H: Class) -> None:
    """`error_ball` is {h : h errs at most r times}, as disjoint version spaces with their errors."""
    for V in version_spaces(H, most=6):
        for sample, beside in _samples(V):
            seen = list(sample.points)
            all_errors = {given: _errors(sample, given) for given in cells(V, seen + beside)}
            for radius in sorted({-1, 0, *all_errors.values()}):
                expected = sorted((g, e) for g, e in all_errors.items() if e <= radius)
                ball, found = V.error_ball(sample, radius), []
                at = {"V": V, "points": seen, "counts": sample.counts.tolist(), "r": radius}
                for W, errors in ball:
                    inside = cells(W, seen + beside)
                    alike = len({given[: len(seen)] for given in inside}) == 1
                    expect(alike, "a version space of a ball labels the sample in one way", **at)
                    found += [(given, errors) for given in inside]
                law = "error_ball(S, r) has each h of at most r errors once, with its errors"
                expect(sorted(found) == expected, law, **at, found=found, expected=expected)
                if ball:
                    law = "error_ball looks at no more than `most` version spaces"
                    expect(_is_too_large(V, sample, radius, len(ball) - 1), law, **at)


def _is_too_large(V: Class, sample: Sample[Any], radius: int, most: int) -> bool:
    try:
        V.error_ball(sample, radius, most=most)
    except TooLargeError:
        return True
    return False


def least_errors(H: Class) -> None:
    """`least_errors` is the least number of errors of any h in V, if V is not empty."""
    for V in version_spaces(H, most=8):
        try:
            V.require_learnable()
            if isinstance(V, Enumerable):
                V.require_scorable()
        except LittlestoneError:
            continue
        for sample, _ in _samples(V):
            seen = list(sample.points)
            least = min(_errors(sample, given) for given in cells(V, seen))
            found, counts = V.least_errors(sample), sample.counts.tolist()
            law = "least_errors(S) = min_h errors of h"
            expect(found == least, law, V=V, points=seen, counts=counts, found=found, least=least)


def growth_function(H: Class) -> None:
    """At most `growth_function(m)` ways to label m points occur, and the bound grows with m."""
    for V in version_spaces(H, most=6):
        if V.is_empty():
            continue
        before, tried, chosen = 0, points(V)[:10], list[Any]()
        found = cells(V, [])
        while True:
            m, bound = len(chosen), V.growth_function(len(chosen))
            law = "m points are labelled in at most growth_function(m) ways"
            expect(len(found) <= bound, law, V=V, points=chosen, ways=len(found), most=bound)
            expect(before <= bound, "growth_function grows with m", V=V, m=m, most=bound)
            if m == SHATTERED or not tried:
                break
            # Take the point that adds the most patterns.
            root = next(iter(found.values())).mistake_point()
            tried += [root] if root is not None and root not in (*tried, *chosen) else []
            split = {i: _split(found, x) for i, x in enumerate(tried)}
            best = max(split, key=lambda i: len(split[i]))
            found, before = split[best], bound
            chosen.append(tried.pop(best))


def _split(found: dict[tuple[int, ...], Class], x: Any) -> dict[tuple[int, ...], Class]:
    return {(*given, *more): W for given, U in found.items() for more, W in cells(U, [x]).items()}
