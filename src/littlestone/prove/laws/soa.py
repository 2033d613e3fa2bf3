"""Laws of the SOA, of reducing points, of what is read of table values, and of errors on samples."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from decimal import Decimal
from itertools import combinations
from typing import Any

from littlestone.base.errors import (
    DeclarationError,
    EmptyClassError,
    InfiniteDimensionError,
    LittlestoneError,
    TooLargeError,
)
from littlestone.classes.base import Enumerable
from littlestone.classes.text.declared import DeclaredClass
from littlestone.classes.text.spec import Spec
from littlestone.data.sample import Sample
from littlestone.prove.laws.law import Class, cells, expect, label_range, points, version_spaces
from littlestone.rules import Hypothesis, disagreement

AWKWARD_VALUES: tuple[object, ...] = (
    *(None, "", " ", "x", b"x", object(), True, False, (), float("nan"), float("inf"), -math.inf),
    *("1e999999999", "-1e999999999", "1e-999999999", "1e999999999999999999999", "sNaN", "-0"),
    *(Decimal("NaN"), Decimal("sNaN"), Decimal("-Infinity"), 10**4000, -(2**64), 2.5, "\x00\ud800"),
    *("1" + "0" * 5000, "0." + "0" * 5000 + "1", 10**5000),
)
"""Values that a table may hold; none may cause an error, because an error would depend on data."""


def encode_is_total(H: Class) -> None:
    """`Domain.encode` maps every value to a point, and the SOA is defined there."""
    soa = H.soa() if 0 <= H.littlestone_dimension() < math.inf else None
    for value in (*AWKWARD_VALUES, *_missing()):
        # Others are shown by their type, because the text of a number of 5,000 digits raises.
        shown = repr(value) if isinstance(value, str | float) else type(value).__name__
        try:
            x = H.domain.encode(value)
        except Exception as error:
            raise AssertionError(
                f"encode never raises is false at value = {shown:.60}: {error!r}"
            ) from error
        expect(x in H.domain, "encode gives a point of the domain", value=shown)
        expect(
            soa is None or soa(x) in range(H.labels), "the SOA is defined everywhere", value=shown
        )
        all_empty = all(H.restrict(x, y).is_empty() for y in range(H.labels))
        law = "an encoded point restricts the class as any other"
        expect(all_empty == H.is_empty(), law, value=shown)


def _missing() -> list[object]:
    """The missing values of pandas, which may not be installed."""
    try:
        import pandas
    except ImportError:
        return []
    return [pandas.NA, pandas.NaT]


def soa_is_canonical(H: Class) -> None:
    """soa()(x) = soa_label(x) = the least y that keeps LDim(V), or the last y with a hypothesis."""
    for V in version_spaces(H, most=8):
        d = V.littlestone_dimension()
        if not 0 <= d < math.inf:
            continue
        soa = V.soa()
        expect(soa.domain == V.domain, "the SOA has the domain of its class", V=V)
        for x in points(V):
            below = [V.restrict(x, y).littlestone_dimension() for y in range(V.labels)]
            left = [y for y, dimension in enumerate(below) if dimension >= 0]
            label = below.index(d) if d in below else left[-1]
            expect(soa(x) == label, "soa()(x) = SOA_V(x)", V=V, x=x, definition=label)
            expect(V.soa_label(x) == label, "soa_label(x) = SOA_V(x)", V=V, x=x, definition=label)


def soa_is_a_value(H: Class) -> None:
    """The SOA of a version space is always the same hashable function, and is read back from JSON."""
    for V in version_spaces(H):
        if not 0 <= V.littlestone_dimension() < math.inf:
            continue
        soa, again = V.soa(), V.soa()
        expect(soa == again and hash(soa) == hash(again), "soa() = soa(), asked twice", V=V)
        back = Hypothesis.from_json(json.loads(json.dumps(soa.to_json())))
        expect(back == soa and hash(back) == hash(soa), "JSON brings the SOA back", V=V)
        expect(disagreement(back, soa) is None, "equal functions agree everywhere", V=V)
        expect(bool(soa.words()), "a hypothesis says itself in words", V=V)


def refusals(H: Class) -> None:
    """`soa` and `reducing_points` refuse an empty class and one of infinite dimension."""
    for V in version_spaces(H):
        d = V.littlestone_dimension()
        if not 0 <= d < math.inf:
            error = EmptyClassError if d == -1 else InfiniteDimensionError
            _raises(error, V.soa, "soa()", V)
            _raises(error, lambda V=V: V.reducing_points(1), "reducing_points(1)", V)  # type: ignore[misc]
            _raises(error, V.require_learnable, "require_learnable()", V)


def _raises(error: type[Exception], call: Callable[[], Any], name: str, V: Class) -> None:
    try:
        call()
    except error:
        return
    except Exception as other:
        expect(False, f"{name} raises {error.__name__}", V=V, raised=repr(other))
    expect(False, f"{name} raises {error.__name__}", V=V, raised="nothing")


def reducing_points_reduce(H: Class) -> None:
    """The SOA labels of `reducing_points(k)`, 1 to k points, lower LDim; larger k find some too."""
    for V in version_spaces(H, most=8):
        if not 0 <= V.littlestone_dimension() < math.inf:
            continue
        reducible = False
        for k in range(4):
            found = V.reducing_points(k)
            law = "what k points can reduce, more can"
            expect(not reducible or found is not None, law, V=V, k=k)
            if found is not None:
                reducible = True
                expect(1 <= len(found) <= k, "1 to k reducing points", V=V, k=k, found=found)
                inside = all(x in V.domain for x in found)
                expect(inside, "reducing points are in the domain", V=V, found=found)
                law = "the SOA labels of reducing points lower LDim"
                expect(_reduces(V, found), law, V=V, k=k, found=found)


def irreducibility(H: Class, most: int = 600) -> None:
    """If `reducing_points(k)` is None, no k points reduce V (Lyu25, Definition 4.1).

    On few points, all sets of k points are tried, and otherwise random ones.
    """
    rng = random.Random(2)
    for V in version_spaces(H, most=5):
        if not 0 <= V.littlestone_dimension() < math.inf:
            continue
        for k in (1, 2, 3):
            if V.reducing_points(k) is not None:
                break
            tried = points(V)
            subsets = list(combinations(tried, min(k, len(tried))))
            for chosen in subsets if len(subsets) <= most else rng.sample(subsets, most // 10):
                law = "without reducing_points(k), no k points reduce"
                expect(not _reduces(V, list(chosen)), law, V=V, k=k, points=chosen)


def _reduces(V: Class, chosen: list[Any]) -> bool:
    """Whether LDim(V|(x_1,SOA_V(x_1)),...) < LDim(V)."""
    W = V
    for x in chosen:
        W = W.restrict(x, V.soa_label(x))
    return W.littlestone_dimension() < V.littlestone_dimension()


def text_round_trip(H: Class) -> None:
    """If str(H) is the text of a declaration, parsing it gives H."""
    for V in version_spaces(H, most=6):
        try:
            spec = Spec.parse(str(V))
        except DeclarationError:
            continue
        if isinstance(V, DeclaredClass) and spec.keyword == V.keyword:
            spec = replace(spec, labels=V.labels)
            expect(type(V).parse(spec) == V, "parse(str(V)) = V", V=V)


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
        examples = [(rng.choice(seen), rng.choice(label_range(V))) for _ in range(n)]
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
