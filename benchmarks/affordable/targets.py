"""Examples of one hypothesis, of which a search gives some a weight."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

from benchmarks.affordable.laws import Example
from littlestone.base.errors import TooLargeError
from littlestone.classes import HypothesisClass
from littlestone.data.sample import Sample
from littlestone.learn import ChoosingLearner, ExponentialLearner, PrivateLearner
from littlestone.points import Disjoint, Domain, Grid, Product
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.randomness import seeded_generator

LONGEST = 150  # path
OTHERS = 4  # examples that may hold the rest of the records

Labelling = Callable[[Any], int]


def pools(
    learner: PrivateLearner[Any], targets: int, most: int, rng: random.Random
) -> Iterator[list[Example]]:
    """For each target at most ``most`` examples of it, those that matter most first.

    A target is the end of a path down a mistake tree of the class, and the last examples of the path
    come first; or a hypothesis drawn at random, and the pairs of neighbouring points that it labels
    differently come first.  So the points on both sides of a cut are there, or of each edge of a box.
    """
    H = learner.hypotheses
    try:
        ways = [
            [True] * most,
            *([rng.random() < 0.5 for _ in range(LONGEST)] for _ in range(targets)),
        ]
        for wrong in ways:
            found = _path(H, wrong)[::-1]
            V = H
            for x, y in found:
                V = V.restrict(x, y)
            h = V.soa()
            # Many of a long path are points that hardly matter.
            found = found[: max(2, most - OTHERS)]
            others = [(x, h(x)) for x in _others(H.domain, rng)]
            yield _once([*found, *(e for e in others if not V.restrict(*e).is_empty())], most)
    except TooLargeError:
        pass  # its version spaces are not known
    for i in range(targets):
        drawn, x = _random(learner, i)
        if drawn is not None:
            points = [*_edges(H.domain, drawn, x, rng)][: most - OTHERS] + _others(H.domain, rng)
            yield _once([(x, drawn(x)) for x in points], most)


def _once(examples: list[Example], most: int) -> list[Example]:
    return list(dict.fromkeys(examples))[:most]


def _others(domain: Domain[Any], rng: random.Random) -> list[Any]:
    """Two points at ends of the ranges, one far down the list, and random ones."""
    far = domain.examples(2 * LONGEST)[-1]
    ends = [_corner(domain, rng) for _ in range(2)]
    return [*ends, far, *(domain.random_point(rng) for _ in range(OTHERS))]


def _path(H: HypothesisClass[Any], wrong: list[bool]) -> list[Example]:
    """A path down a mistake tree; ``wrong`` says where the SOA is."""
    found: list[Example] = []
    for forced in wrong:
        x = H.mistake_point()
        if x is None:
            break
        y = H.soa()(x)
        if forced:
            y = next(z for z in range(H.labels) if z != y and not H.restrict(x, z).is_empty())
        found.append((x, y))
        H = H.restrict(x, y)
    return found


def _random(learner: PrivateLearner[Any], seed: int) -> tuple[Labelling | None, Any]:
    """A random hypothesis, or an element that covers a random point; and that point.

    Every other hypothesis is surely 1 at the point.
    """
    H, rng = learner.hypotheses, random.Random(seed)
    x = H.domain.random_point(rng)
    sample = Sample.from_examples(H.domain, [(x, 1)] * (1000 if seed % 2 else 1))
    if isinstance(learner, ExponentialLearner):
        with Ledger() as ledger:
            made = learner.fit(sample, ledger=ledger, dataset="d", rng=seeded_generator(seed))
        return made.hypothesis, x
    if isinstance(learner, ChoosingLearner):
        found = learner.covering.elements(sample)
        return found.element(rng.randrange(len(found.positives))), x
    return None, x


def _edges(domain: Domain[Any], h: Labelling, x: Any, rng: random.Random) -> Iterator[Any]:
    """Neighbours that h labels differently: from a point of each label in every direction."""
    for label in (1, 0):
        tried = (x, *(domain.random_point(rng) for _ in range(1000)))
        base = next((z for z in tried if h(z) == label), None)
        if base is None:
            continue
        for far in _directions(domain, base, rng):
            if h(far) != label:
                yield from _change(domain, h, base, far)
            else:
                yield far


def _directions(domain: Domain[Any], x: Any, rng: random.Random) -> Iterator[Any]:
    """Points that differ from x in one column, at the end of its range."""
    match domain:
        case Grid():
            yield from (domain.low, domain.high)
        case Product():
            for i, column in enumerate(domain.columns):
                for value in _directions(column, x[i], rng):
                    yield (*x[:i], value, *x[i + 1 :])
        case Disjoint():
            for j, column in enumerate(domain.columns):
                start = x[1] if j == x[0] else column.random_point(rng)
                yield from ((j, value) for value in _directions(column, start, rng))
        case _:
            yield from (y for y in (domain.random_point(rng) for _ in range(4)) if y != x)


def _change(domain: Domain[Any], h: Labelling, x: Any, y: Any) -> tuple[Any, Any]:
    """Neighbours between x and y, which h labels differently."""
    match domain:
        case Grid():
            while abs(x - y) > 1:
                middle = (x + y) // 2
                x, y = (middle, y) if h(middle) == h(x) else (x, middle)
        case Product():
            for i, column in enumerate(domain.columns):
                moved = (*x[:i], y[i], *x[i + 1 :])
                if h(moved) != h(x):
                    return _change_in_column(column, h, x, i, y[i])
                x = moved
        case Disjoint() if x[0] == y[0]:
            j = x[0]
            inner = _change(domain.columns[j], lambda v: h((j, v)), x[1], y[1])
            return (j, inner[0]), (j, inner[1])
    return x, y


def _change_in_column(column: Domain[Any], h: Labelling, x: Any, i: int, y: Any) -> tuple[Any, Any]:
    """Neighbours that differ in column i, between x and x with the value y there."""

    def moved(value: Any) -> Any:
        return (*x[:i], value, *x[i + 1 :])

    inner = _change(column, lambda value: h(moved(value)), x[i], y)
    return moved(inner[0]), moved(inner[1])


def _corner(domain: Domain[Any], rng: random.Random) -> Any:
    """A point each of whose columns is at an end of its range, if it has one."""
    match domain:
        case Grid():
            return rng.choice((domain.low, domain.high))
        case Product():
            return tuple(_corner(column, rng) for column in domain.columns)
        case Disjoint():
            j = rng.randrange(len(domain.columns))
            return j, _corner(domain.columns[j], rng)
    return domain.random_point(rng)
