"""Laws of classes of unions of few elements, where few elements cover any one point."""

from __future__ import annotations

import random
from itertools import combinations
from typing import Any

from littlestone.classes.promises.covering import Covering
from littlestone.data.sample import Sample
from littlestone.privacy.scores import Elements
from littlestone.prove.laws.core import Class, cells, expect, labels, points
from littlestone.rules import Hypothesis

LISTED = 40  # the most elements of a sample that are checked one by one
UNIONS = 400  # the most unions that are checked


def _has(H: Class, h: Hypothesis[Any], tried: list[Any]) -> bool:
    """Whether some function of H gives the points the same labels as h."""
    V = H
    for x in tried:
        V = V.restrict(x, h(x))
    return not V.is_empty()


def _of_unions(H: Class, tried: list[Any]) -> bool:
    """Whether every union of elements may be in H, even the empty one: H has no positive example."""
    V = H
    for x in tried:
        V = V.restrict(x, 0)
    return not V.is_empty()


def _samples(H: Class, tried: list[Any]) -> list[Sample[Any]]:
    rng, made = random.Random(9), list[Sample[Any]]()
    for n in (0, 1, 6, 20):
        some = rng.sample(tried, min(6, len(tried)))
        pairs = [(rng.choice(some), rng.choice(labels(H))) for _ in range(n)]
        made.append(Sample.from_examples(H.domain, pairs))
    return made


def elements_are_counted(H: Covering[Any]) -> None:
    """`elements` lists each element once, with the points and the examples that it covers."""
    for sample in _samples(H, points(H)):
        found, counts = H.elements(sample), sample.counts
        at = {"points": list(sample.points), "counts": counts.tolist()}
        positives, negatives = map(found.of_each, (found.positives, found.negatives))
        lengths = {len(positives), len(negatives)}
        expect(len(lengths) == 1, "every element has two counts", **at, lengths=lengths)
        listed = [found.element(i) for i in range(found.size)][:LISTED]
        expect(len(set(listed)) == len(listed), "elements are distinct", **at)
        for i, h in enumerate(listed):
            inside = [j for j, x in enumerate(sample.points) if h(x)]
            covered = sorted(int(j) for j in found.covered(i))
            expect(covered == inside, "covered(i) are the points of element i", **at, i=i, h=h)
            given = negatives[i], positives[i]
            law = "element i covers as many negatives and positives as its run says"
            true = tuple(int(counts[inside, y].sum()) for y in (0, 1))
            expect(given == true, law, **at, h=h, found=given, true=true)
            expect(given[1] >= 1, "a listed element covers a positive example", **at, h=h)


def few_elements_cover_a_point(H: Covering[Any]) -> None:
    """At most `elements_per_point` elements are listed for a single positive point."""
    for x in points(H):
        found = H.elements(Sample.from_examples(H.domain, [(x, 1)]))
        n = found.size
        expect(
            n <= H.elements_per_point,
            "at most `elements_per_point` elements cover a point",
            x=x,
            n=n,
            growth=H.elements_per_point,
        )


def unions_are_members(H: Covering[Any]) -> None:
    """Unions of at most `parts` elements are in H, and H labels positive points in no other way."""
    tried = points(H)
    # The first points of a domain of records share many of their values.
    first = Sample.from_examples(H.domain, [(x, 1) for x in H.domain.examples(8)])
    for sample in [first, *_samples(H, tried)] if _of_unions(H, tried) else []:
        positive = [(x, 1) for x in sample.points]
        found = H.elements(Sample.from_examples(H.domain, positive))
        seen, ways = [x for x, _ in positive], set[tuple[int, ...]]()
        choices = _choices(H, found)
        for chosen in choices:
            h = H.union([found.element(i) for i in chosen])
            union = {j for i in chosen for j in found.covered(i).tolist()}
            at = {"points": seen, "elements": chosen, "h": h}
            given = tuple(h(x) for x in seen)
            expected = tuple(int(j in union) for j in range(len(seen)))
            expect(given == expected, "union(E) is 1 where an element of E is", **at)
            expect(h.domain == H.domain, "a union is on the domain of the class", **at)
            expect(_has(H, h, tried), "a union of at most `parts` elements is in the class", **at)
            ways.add(given)
        for given in cells(H, seen) if len(choices) < UNIONS else ():
            law = "what is 1 at positive points is a union of listed elements"
            expect(given in ways, law, points=seen, labels=given)


def _choices(H: Covering[Any], found: Elements) -> list[tuple[int, ...]]:
    """Sets of at most `parts` elements: all of them, or the first `UNIONS`."""
    chosen: list[tuple[int, ...]] = [()]
    for k in range(1, H.parts + 1):
        for some in combinations(range(found.size), k):
            if len(chosen) == UNIONS:
                return chosen
            chosen.append(some)
    return chosen
