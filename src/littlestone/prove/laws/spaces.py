"""Laws of version spaces: `restrict`, size, dimension and equality; the SOA, and points that reduce.

Also of what is read of table values, and of errors on samples.
"""

from __future__ import annotations

import json
import math
import pickle
import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import combinations, pairwise, product
from typing import Any

import numpy as np

from littlestone.base.errors import (
    DeclarationError,
    EmptyClassError,
    InfiniteDimensionError,
    LittlestoneError,
    TooLargeError,
)
from littlestone.classes.base import DEEP, Enumerable
from littlestone.classes.text.declared import DeclaredClass
from littlestone.classes.text.spec import Spec
from littlestone.data.sample import Sample
from littlestone.prove.laws.domains import AWKWARD_VALUES, disguises
from littlestone.prove.laws.law import Class, cells, expect, label_range, points, version_spaces
from littlestone.rules import Hypothesis, disagreement


def pickle_round_trip(H: Class) -> None:
    """Unpickling gives an equal class, which multiprocessing needs."""
    for V in version_spaces(H, most=6):
        expect(pickle.loads(pickle.dumps(V)) == V, "unpickling gives an equal class", V=V)


def restrict_is_pure(H: Class) -> None:
    """`restrict` does not change its class, and gives equal classes for equal examples."""
    copy = pickle.loads(pickle.dumps(H))
    before = (str(H), H.size, H.is_empty(), H.littlestone_dimension())
    for x in points(H, few=4):
        for y in range(H.labels):
            V = H.restrict(x, y)
            expect(H.restrict(x, y) == V, "H|(x,y) = H|(x,y), asked twice", x=x, y=y)
            expect(type(V) is type(H), "a version space is a class of the same kind", x=x, y=y)
            expect(V.domain == H.domain, "a version space has the domain of its class", x=x, y=y)
    expect(copy == H, "restrict leaves its class as it was")
    after = (str(H), H.size, H.is_empty(), H.littlestone_dimension())
    expect(before == after, "restrict leaves its class as it was", before=before, after=after)


def restrict_partitions(H: Class) -> None:
    """H is the disjoint union of the H|(x,y), y = 0, ..., k."""
    for V in version_spaces(H, most=8):
        for x in points(V, few=4):
            parts = [V.restrict(x, y) for y in range(V.labels)]
            empty = all(W.is_empty() for W in parts)
            expect(empty == V.is_empty(), "V is empty iff all V|(x,y) are", V=V, x=x)
            sizes = [W.size for W in parts if W.size is not None]
            if V.size is not None and len(sizes) == len(parts):
                expect(V.size == sum(sizes), "|V| = the sum of |V|(x,y)|", V=V, x=x)
            for y, W in enumerate(parts):
                others = (W.restrict(x, z) for z in range(V.labels) if z != y)
                alone = all(U.is_empty() for U in others)
                expect(alone, "V|(x,y)|(x,z) is empty for z != y", V=V, x=x, y=y)
                expect(_same(W, W.restrict(x, y)), "V|(x,y)|(x,y) = V|(x,y)", V=V, x=x, y=y)
                expect(
                    W.size is None or V.size is None or W.size <= V.size,
                    "a version space has no more hypotheses",
                    V=V,
                    x=x,
                    y=y,
                )


def restrictions_commute(H: Class) -> None:
    """H|(a,y)|(b,z) = H|(b,z)|(a,y), so a version space depends on the set of examples only."""
    tried = points(H, few=2, all_up_to=6)
    for a, b in pairwise(tried):
        for y, z in product(range(H.labels), repeat=2):
            same = _same(H.restrict(a, y).restrict(b, z), H.restrict(b, z).restrict(a, y))
            expect(same, "H|(a,y)|(b,z) = H|(b,z)|(a,y)", a=a, y=y, b=b, z=z)


def _same(V: Class, W: Class) -> bool:
    """Whether two version spaces look the same to a learner."""
    if V.is_empty() or W.is_empty():
        return V.is_empty() and W.is_empty()
    if (V.size, V.littlestone_dimension()) != (W.size, W.littlestone_dimension()):
        return False
    return math.isinf(V.littlestone_dimension()) or V.soa() == W.soa()


def emptiness(H: Class) -> None:
    """V is empty iff LDim(V) = -1 iff |V| = 0."""
    for V in version_spaces(H):
        expect((V.littlestone_dimension() == -1) == V.is_empty(), "empty iff LDim = -1", V=V)
        expect((V.size == 0) == V.is_empty(), "empty iff size = 0", V=V)


def dimension_and_size(H: Class) -> None:
    """LDim(V) <= floor(log2 |V|), and LDim(V) = 0 iff |V| = 1 (lecture 5, Example 1)."""
    for V in version_spaces(H):
        d, size = V.littlestone_dimension(), V.size
        expect(d == math.inf or type(d) is int, "LDim is an int or math.inf", V=V, LDim=repr(d))
        if size is None:
            expect(d >= 1, "hypotheses that are not counted have LDim >= 1", V=V, LDim=d)
        else:
            expect(d <= size.bit_length() - 1, "LDim <= floor(log2 size)", V=V, LDim=d, size=size)
            expect((d == 0) == (size == 1), "LDim = 0 iff size = 1", V=V, LDim=d, size=size)


def dimension_under_restriction(H: Class) -> None:
    """LDim(V|(x,y)) <= LDim(V), with equality for at most one y if finite (lecture 5, Lemma 1)."""
    for V in version_spaces(H, most=8):
        d = V.littlestone_dimension()
        for x in points(V, few=6):
            below = [V.restrict(x, y).littlestone_dimension() for y in range(V.labels)]
            expect(max(below) <= d, "LDim(V|(x,y)) <= LDim(V)", V=V, x=x, LDims=below)
            if 0 <= d < math.inf:
                law = "LDim(V|(x,y)) < LDim(V) for all labels but one"
                expect(below.count(d) <= 1, law, V=V, x=x, LDims=below)


def mistake_points(H: Class) -> None:
    """`mistake_point` is None iff LDim(V) <= 0; otherwise LDim(V|(x,y)) >= LDim(V) - 1 for two y."""
    for V in version_spaces(H):
        d, x = V.littlestone_dimension(), V.mistake_point()
        expect((x is None) == (d <= 0), "mistake_point is None iff LDim <= 0", V=V, LDim=d, x=x)
        if x is not None:
            expect(x in V.domain, "mistake_point is in the domain", V=V, x=x)
            below = [V.restrict(x, y).littlestone_dimension() for y in range(V.labels)]
            law = "LDim(V|(x,y)) >= LDim(V) - 1 for two y at x = mistake_point"
            least = d - 1 if d < math.inf or V.has_infinite_tree() else DEEP
            expect(sorted(below)[-2] >= least, law, V=V, x=x, LDim=d, LDims=below)
            expect(max(below) >= d - 1, "one of them keeps an infinite LDim", V=V, x=x, LDims=below)


def mistake_tree(H: Class, depth: int = 4) -> None:
    """The mistake points below H make a shattered tree of depth min(LDim(H), ``depth``)."""
    level = [H]
    for below in range(int(min(H.littlestone_dimension(), depth))):
        children = []
        for V in level:
            x = V.mistake_point()
            expect(x is not None, "the mistake tree is complete", V=V, level=below)
            sides = [V.restrict(x, y) for y in range(V.labels)]
            if len(sides) > 2:  # the two labels with the largest dimension
                sides = sorted(sides, key=lambda W: W.littlestone_dimension())[-2:]
            children += sides
        level = children
        for V in level:
            expect(not V.is_empty(), "the mistake tree is shattered", V=V, level=below + 1)


FULLY_COMPARED = 12  # version spaces on up to this many points are compared as sets of functions


def _paths(H: Class) -> Iterator[Class]:
    """Version spaces of H: those of random walks, and those after many examples of one label."""
    yield from version_spaces(H, most=8)
    for y in label_range(H):
        V = H
        for x in points(H)[:8]:
            V = V.restrict(x, y)
            yield V


def examples_that_say_nothing(H: Class) -> None:
    """V|(x,y) = V if all of V gives x the label y, and V|(a,y)|(b,z) = V|(b,z)|(a,y), as objects."""
    for y in label_range(H):
        first = points(H)[:8]
        for x in first:
            V = H
            for z in first:
                V = V if z == x else V.restrict(z, y)
            if not V.is_empty() and all(
                V.restrict(x, z).is_empty() for z in label_range(V) if z != y
            ):
                law = "V|(x,y) = V if no other label is left at x"
                _expect_equal(V.restrict(x, y), V, law, V=V, x=x, y=y)
    for V in _paths(H):
        tried = points(V, few=4)[:8]
        for x in tried:
            left = [V.restrict(x, y) for y in label_range(V)]
            kept = [y for y, W in enumerate(left) if not W.is_empty()]
            for y in kept:
                law = "V|(x,y)|(x,y) = V|(x,y)"
                _expect_equal(left[y].restrict(x, y), left[y], law, V=V, x=x, y=y)
            if len(kept) == 1:
                law = "V|(x,y) = V if no other label is left at x"
                _expect_equal(left[kept[0]], V, law, V=V, x=x, y=kept[0])
        for a, b in pairwise(tried[:5]):
            for y in label_range(V):
                for z in label_range(V):
                    one, other = (V.restrict(a, y).restrict(b, z), V.restrict(b, z).restrict(a, y))
                    law = "V|(a,y)|(b,z) = V|(b,z)|(a,y)"
                    _expect_equal(one, other, law, V=V, a=a, y=y, b=b, z=z)


def empty_version_spaces(H: Class) -> None:
    """All examples that contradict H lead to equal objects: the empty class."""
    empty: list[Class] = []
    for V in _paths(H):
        empty += [V] if V.is_empty() else []
        for x in points(V, few=2)[:4]:
            empty += [W for y in label_range(V) if (W := V.restrict(x, y)).is_empty()]
            empty += [
                V.restrict(x, y).restrict(x, z)
                for y in label_range(V)
                for z in label_range(V)
                if y != z
            ]
    for V in empty:
        _expect_equal(V, empty[0], "two empty version spaces are equal")


def equality_as_sets(H: Class) -> None:
    """Equal version spaces label points in the same ways; on few points, the converse holds too."""
    whole = H.domain.size is not None and H.domain.size <= FULLY_COMPARED
    tried = list(H.domain) if whole else points(H, few=3)[:5]
    met: list[tuple[Class, frozenset[tuple[int, ...]]]] = []
    for V in _paths(H):
        ways = frozenset(cells(V, tried))
        for W, other in met:
            if V == W:
                expect(ways == other, "equal version spaces label alike", V=V, W=W)
            elif whole:
                expect(ways != other, "version spaces of the same functions are equal", V=V, W=W)
        met.append((V, ways))


def _expect_equal(left: Class, right: Class, law: str, /, **witness: object) -> None:
    expect(left == right and right == left, law, **witness, left=repr(left), right=repr(right))
    expect(hash(left) == hash(right), f"equal classes have one hash: {law}", **witness)


def equal_objects_restrict_alike(H: Class) -> None:
    """An object that equals a point or a label has the same effect as it, or is refused.

    Examples are True, 1.0, numpy's numbers and texts of derived types.  The version space must not keep
    them, because it would reveal which of several equal objects a record had.
    """
    for V in version_spaces(H, most=3):
        for x in points(V, few=3)[:4]:
            for y in label_range(V):
                W = V.restrict(x, y)
                given = [(other, y) for other in disguises(x, harsh=False)]
                given += [(x, label) for label in _equal_labels(y)]
                for other, label in given:
                    try:
                        found = V.restrict(other, label)
                    except DeclarationError:
                        continue
                    at = {"V": V, "x": repr(other), "y": repr(label)}
                    _expect_equal(found, W, "equal objects are one example", **at)
                    law = "a version space keeps no object of another type"
                    expect(repr(found) == repr(W), law, **at, found=repr(found))


def _equal_labels(y: int) -> list[Any]:
    return [bool(y), float(y), np.int64(y), np.bool_(y)] if y < 2 else [float(y), np.int64(y)]


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
