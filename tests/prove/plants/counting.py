"""Mistakes in counting hypotheses by their errors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from littlestone.classes import AffineSubspaces, Intervals, PolynomialZeros, parse_class
from littlestone.classes.base import ScoredClass
from littlestone.classes.decision_lists import CountedLists, Item, ListCounts
from littlestone.classes.juntas import CountedJuntas, Junta
from littlestone.classes.promises.tabled import bits
from littlestone.data.sample import Sample
from littlestone.learn import ExponentialLearner
from littlestone.points import Monomials
from littlestone.privacy import Budget
from littlestone.privacy.scores import ErrorRuns, ErrorSums, Scores
from littlestone.prove.audit import Subject, find_subject
from littlestone.prove.audit.subjects.whole_learners import Records, released_text
from littlestone.rules import Hypothesis
from plants.harness import Masses, Plant, is_private, weighted

ONE = Fraction(1)
Change = Callable[[Scores], Scores]

LINES = AffineSubspaces.over(["x", "y"], 5, 1)
RANGE = Intervals.on(0, 6)
SUM: Any = parse_class("direct_sum(thresholds(x, 0..3), intervals(y, 0..2))")


def law(H: ScoredClass[Any], change: Change) -> Callable[[Records], Masses]:
    """The law of the learner's draw, from scores that are changed."""
    learner = ExponentialLearner(H, Budget(1))
    mechanism = learner.mechanism

    def drawn(records: Records) -> Masses:
        scores = change(learner.scores(Sample.from_examples(H.domain, records)))
        is_sum = isinstance(scores, ErrorSums)
        items: Any = (mechanism.distribution_of_sums if is_sum else mechanism.distribution)(scores)
        found: Masses = {}
        for place, mass in items.items():
            text = released_text(H.hypothesis_of_item(scores.item(place)))
            found[text] = found.get(text, Fraction(0)) + mass
        return found

    return drawn


Own = Callable[[Any], Any]
"""The place that a place of changed scores stands for."""


def of_runs(weigh: Callable[[int], int], stand_for: Callable[[int, int], int]) -> Change:
    """Each run of ``length`` items has weigh(length); number i is its item stand_for(length, i)."""

    def changed(scores: Any) -> tuple[Any, Own]:
        if isinstance(scores, ErrorSums):
            groups = [[changed(part) for part in parts] for parts in scores.groups]

            def own(place: Any) -> Any:
                g, *places = place
                return g, *(to(i) for (_, to), i in zip(groups[g], places, strict=True))

            return ErrorSums([[part for part, _ in parts] for parts in groups]), own
        if not isinstance(scores, ErrorRuns) or scores.lengths is None:
            return scores, lambda place: place
        lengths = [int(length) for length in scores.lengths]
        weights = [weigh(length) for length in lengths]

        def place_of(number: int) -> int:
            run = 0
            while number >= weights[run]:
                number -= weights[run]
                run += 1
            return sum(lengths[:run]) + stand_for(lengths[run], number)

        return ErrorRuns(scores.errors, weights), place_of

    def change(scores: Scores) -> Scores:
        found: Scores
        found, own = changed(scores)
        return replace(found, named=lambda place: scores.item(own(place)))

    return change


once = of_runs(lambda length: 1, lambda length, i: 0)
off_by_one = of_runs(lambda length: length + 1, lambda length, i: min(i, length - 1))
the_first = of_runs(lambda length: length, lambda length, i: 0)


def first_group(scores: Scores) -> Scores:
    """Only the groups of the first two."""
    return ErrorSums(scores.groups[:2], scores.named) if isinstance(scores, ErrorSums) else scores


RECORDS: tuple[Records, ...] = (
    (),
    (((0, 0), 1), ((1, 1), 1), ((2, 2), 0), ((0, 3), 1)),
)


def is_the_law_of_the_class(
    claim: tuple[Any, Callable[[Records], Masses], tuple[Records, ...]],
) -> bool:
    """Whether each hypothesis has its share, by the definition."""
    H, drawn, tables = claim
    base = ExponentialLearner(H, Budget(1)).mechanism.base
    for records in tables:
        found = every(H)
        weights = {released_text(h): base ** -sum(h(x) != y for x, y in records) for h in found}
        if drawn(records) != weighted(weights):
            return False
    return True


def every(H: Any) -> list[Hypothesis[Any]]:
    """All hypotheses: those that the draw finds without records, each of which is checked to be new."""
    sample = Sample.from_examples(H.domain, ())
    found = list(ExponentialLearner(H, Budget(1)).distribution(sample))
    assert len(found) == H.size
    return found


def exactly(name: str, mistake: str, H: Any, change: Change, tables: Any) -> Plant:
    honest = H, law(H, lambda scores: scores), tables
    return Plant(name, mistake, is_the_law_of_the_class, honest, (H, law(H, change), tables))


def counted_once() -> Plant:
    """Against privacy: a moved record moves hypotheses between groups of very different sizes."""
    pairs = ((((0, 0), 1), ((0, 0), 1)), (((0, 0), 1), ((0, 0), 0)))
    honest: Subject[Any] = find_subject("exponential-learner-lines").make(ONE, Fraction(0))
    honest = replace(honest, pairs=(pairs,), distribution=law(LINES, lambda scores: scores))
    return Plant(
        "counting_groups_once",
        "A group of hypotheses with equal errors weighs as much as one of them.",
        is_private,
        honest,
        replace(honest, distribution=law(LINES, once)),
    )


def other(name: str, mistake: str, H: Any, wrong: Any, tables: Any) -> Plant:
    """A class whose own counting is wrong."""
    honest = H, law(H, lambda scores: scores), tables
    return Plant(
        name,
        mistake,
        is_the_law_of_the_class,
        honest,
        (H, law(wrong, lambda scores: scores), tables),
    )


class EverySet(CountedJuntas):
    def scores(self, sample: Sample[Any]) -> Scores:
        n, cells = len(self.domain.columns), list(product((0, 1), repeat=self.k))
        items = [
            Junta(chosen, labels)
            for chosen in combinations(range(n), self.k)
            for labels in product((0, 1), repeat=len(cells))
        ]
        errors = [
            sum(
                counts[1 - item.labels[cells.index(tuple(x[j] for j in item.columns))]]
                for x, counts in zip(sample.points, sample.counts.tolist(), strict=True)
            )
            for item in items
        ]
        return ErrorRuns(np.array(errors, dtype=np.int64), named=items.__getitem__)


class LiteralsTwice(CountedLists):
    def scores(self, sample: Sample[Any]) -> Scores:
        counts = np.zeros((2, self.domain.size or 0), dtype=np.int64)
        counts[:, [self.domain.index(x) for x in sample.points]] = sample.counts.T
        return BothWays(counts.reshape(2, *(2,) * len(self.domain.columns))).runs()


class BothWays(ListCounts):
    def _short(self) -> Iterator[tuple[Item, int]]:
        for item, errors in super()._short():
            yield item, errors
            blocks, says = item
            if blocks:
                ((j, v),) = blocks[0].items()
                yield (({j: 1 - v},), 1 - says), errors


@dataclass(frozen=True)
class OneEquation(PolynomialZeros):
    @property
    def _sets(self) -> NDArray[np.uint8]:
        monomials, points = Monomials(3, 2, self.degree), list(self.domain)
        values = np.array([monomials.at(x) for x in points])
        zeros = np.zeros(1 << len(points), dtype=bool)
        for p in product(range(3), repeat=len(monomials)):
            zeros[int(((values @ np.array(p)) % 3 == 0) @ (1 << np.arange(len(points))))] = True
        return np.packbits(zeros, bitorder="little")


CONICS = PolynomialZeros.over(["x", "y"], 3, 2)
TWO = bits("ab")
ROWS: tuple[Records, ...] = ((), (((0, 0), 1), ((0, 1), 1), ((1, 1), 0), ((1, 1), 1)))

PLACES: tuple[Records, ...] = ((), ((1, 1), (2, 1), (4, 0), (6, 1)))
PARTS: tuple[Records, ...] = ((), (((0, 1), 1), ((1, 1), 0), ((1, 2), 1)))

PLANTS = [
    counted_once(),
    exactly(
        "counting_off_by_one",
        "A group has one hypothesis more than it holds, and the last one stands in for it.",
        LINES,
        off_by_one,
        RECORDS,
    ),
    exactly(
        "counting_draws_the_first",
        "A group weighs as much as it should, but its first hypothesis is always drawn.",
        LINES,
        the_first,
        RECORDS,
    ),
    exactly(
        "counting_ends_once",
        "Runs of ends of intervals count once.",
        RANGE,
        once,
        PLACES,
    ),
    exactly(
        "counting_ends_off_by_one",
        "A run of ends of intervals has one too many.",
        RANGE,
        off_by_one,
        PLACES,
    ),
    exactly(
        "counting_few_groups", "Some groups of intervals are left out.", RANGE, first_group, PLACES
    ),
    exactly(
        "counting_parts_once",
        "In a direct sum, equal thresholds of a part count once.",
        SUM,
        once,
        PARTS,
    ),
    other(
        "counting_juntas_at_every_set",
        "A function of fewer than k columns is counted at each set of k columns that holds them.",
        CountedJuntas(TWO, "juntas", 1),
        EverySet(TWO, "juntas", 1),
        ROWS,
    ),
    other(
        "counting_literals_twice",
        "A decision list of one literal is counted for each of its two forms.",
        CountedLists(TWO, "lists"),
        LiteralsTwice(TWO, "lists"),
        ROWS,
    ),
    other(
        "counting_one_equation",
        "The zero sets of systems of polynomials are those of single polynomials.",
        CONICS,
        OneEquation.over(["x", "y"], 3, 2),
        RECORDS[:1],
    ),
]
