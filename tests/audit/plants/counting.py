"""Mistakes in counting hypotheses by their errors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

from littlestone.audit import Subject, find_subject
from littlestone.audit.subjects.exponential_learner import Records, released_text
from littlestone.classes import AffineSubspaces, Intervals, parse_class
from littlestone.classes.base import ErrorRuns, ErrorSums, Scored, Scores
from littlestone.hypotheses import Hypothesis
from littlestone.learners import ExponentialLearner
from littlestone.privacy import Budget
from littlestone.sample import Sample
from plants.harness import Masses, Plant, is_private, weighted

ONE = Fraction(1)
Change = Callable[[Scores], Scores]

LINES = AffineSubspaces.over(["x", "y"], 5, 1)
RANGE = Intervals.on(0, 6)
SUM: Any = parse_class("direct_sum(thresholds(x, 0..3), intervals(y, 0..2))")


def law(H: Scored[Any], change: Change) -> Callable[[Records], Masses]:
    """The law of the learner's draw, from scores that are changed."""
    learner = ExponentialLearner(H, Budget(1))
    mechanism = learner.mechanism

    def drawn(records: Records) -> Masses:
        scores = change(learner.scores(Sample.from_examples(H.domain, records)))
        is_sum = isinstance(scores, ErrorSums)
        items: Any = (mechanism.distribution_of_sums if is_sum else mechanism.distribution)(scores)  # type: ignore[arg-type]
        found: Masses = {}
        for place, mass in items.items():
            text = released_text(H.written(scores.item(place)))
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
]
