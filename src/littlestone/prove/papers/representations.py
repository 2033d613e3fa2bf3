"""Lecture 5, Insight 1: representation dimensions, by the definition of Beimel, Nissim and Stemmer."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import combinations, product
from math import comb

from littlestone.classes import FiniteClass
from littlestone.dimension import is_representation, representation
from littlestone.prove.papers.families import unordered_classes
from littlestone.prove.papers.statement import Outcome, Trial, statement

PARTS = 12


@cache
def families(c: tuple[int, ...]) -> frozenset[frozenset[tuple[int, ...]]]:
    """For every distribution in steps of 1/12, the functions with Pr[h(x) != c(x)] <= 1/4."""
    k = len(c)
    functions = list(product((0, 1), repeat=k))
    return frozenset(
        frozenset(
            h
            for h in functions
            if 4 * sum(w for w, a, b in zip(weights, h, c, strict=True) if a != b) <= PARTS
        )
        for weights in product(range(PARTS + 1), repeat=k)
        if sum(weights) == PARTS
    )


def hit(family: frozenset[tuple[int, ...]], cover: set[tuple[int, ...]], s: int) -> Fraction:
    """The probability that s functions drawn from the cover have one of the family."""
    missed = comb(len(cover) - len(family & cover), s)
    return 1 - Fraction(missed, comb(len(cover), s))


@statement(
    id="L5 Insight 1",
    says="probabilistic representation dimensions of classes over up to four points, exactly",
    code="dimension.representation, dimension.is_representation",
    scope="all classes over 3 points in one order, 100 random ones over 4; distributions of steps 1/12",
    deep="all classes over 4 points in one order",
    status="as stated",
    proof="proofs/representation.md#theorem-1-at-most-four-points",
)
def representations(trial: Trial) -> Outcome:
    """Drawn sets represent c with probability 3/4, and tests that share no function bound s."""
    rng = trial.draws(12)
    rows = list(product((0, 1), repeat=4))
    classes = [*unordered_classes(3)]
    if trial.deep:
        classes += unordered_classes(4)
    else:
        classes += [
            FiniteClass.from_array(rng.sample(rows, rng.randint(1, 16))) for _ in range(100)
        ]
    wrong = smaller = tried = 0
    sizes: dict[int, set[int]] = {}
    for H in classes:
        table = [[h(x) for x in H.domain] for h in H]
        found = representation(table)
        m, s = found.deterministic, found.probabilistic
        functions = [tuple(row[x] for x in found.columns) for row in table]
        asked = {family for c in functions for family in families(c)}
        wrong += not is_representation(table, found) or 4 * (s - 1) >= 3 * m
        wrong += any(hit(family, {*found.cover}, s) < Fraction(3, 4) for family in asked)
        if m <= 5:  # by force: no smaller set of functions represents the class
            tried += 1
            every = product((0, 1), repeat=len(found.columns))
            smaller += any(
                all(family & {*chosen} for family in asked) for chosen in combinations(every, m - 1)
            )
        sizes.setdefault(H.littlestone_dimension(), set()).add(s)
    shown = ", ".join(f"{d}: {min(s)} to {max(s)}" for d, s in sorted(sizes.items()))
    return Outcome(
        "e^RepDim functions, drawn at random, are enough, and fewer are not",
        f"{wrong + smaller} failures in {len(classes)} classes, {tried} of them by force; e^RepDim by "
        f"LDim: {shown}",
        wrong + smaller == 0 and len(sizes) == 5,
    )
