"""Mistakes in what a learner makes of its mechanism's draw, and in what it hands to it.

The honest learner is the choosing learner of single points, around samples in which one point is as
likely as no point at all; or that of sets, for the order of what it lists.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from littlestone.classes import Points
from littlestone.learn import ChoosingLearner, SingleKeyLearner
from littlestone.learn.papers.teachers import restrict_where_consistent
from littlestone.points import Integers
from littlestone.privacy import Budget
from littlestone.prove.audit import Subject, find_subject
from littlestone.prove.audit.subjects.whole_learners import NAMED, Records, released_text
from littlestone.rules import FiniteSet
from plants.harness import Masses, Plant, is_private

CLAIM = Fraction(1), Fraction(1, 100)
HONEST = find_subject("choosing-learner").make(*CLAIM)
SETS = find_subject("partition-learner").make(*CLAIM)
H = Points(Integers())
LEARNER = ChoosingLearner[Any](H, Budget(CLAIM[0], CLAIM[1]))

LABELS = SingleKeyLearner[Any](NAMED, Budget(CLAIM[0], CLAIM[1]))
"""Of three labels; a record with another label than that of the SOA names one function."""

NOTHING = released_text(FiniteSet(H.domain, frozenset()))


def rule(x: Any) -> str:
    return released_text(FiniteSet(H.domain, frozenset([x])))


def merged(masses: Mapping[Any, Fraction], show: Callable[[Any], Any]) -> Masses:
    total: Masses = {}
    for output, mass in masses.items():
        total[show(output)] = total.get(show(output), Fraction(0)) + mass
    return total


def carries_its_records(records: Records) -> Masses:
    """The rule keeps how many records it covered, for the user's information."""
    covered = {rule(x): sum(a == x for a, _ in records) for x, _ in records}
    return merged(HONEST.distribution(records), lambda text: (text, covered.get(text, 0)))


def falls_back_on_the_majority(records: Records) -> Masses:
    often = 2 * sum(y for _, y in records) > len(records)
    return merged(
        HONEST.distribution(records), lambda text: "always 1" if text == NOTHING and often else text
    )


def _chosen(scores: dict[Any, int]) -> Masses:
    drawn = LEARNER.mechanism.chances(scores)
    return {NOTHING if x is None else rule(x): mass for x, mass in drawn.items()}


def _scores(records: Records) -> dict[Any, int]:
    positive = dict.fromkeys(x for x, y in records if y)
    return {x: sum(1 if y else -1 for a, y in records if a == x) for x in positive}


def candidates_cut_by_the_best(records: Records) -> Masses:
    """As pruning does: a point is left out if another has more than twice its score."""
    scores = _scores(records)
    best = max(scores.values(), default=0)
    return _chosen({x: s for x, s in scores.items() if 2 * s > best})


def scores_in_floats(records: Records) -> Masses:
    """The score is n times a rate, and is cut to a whole number."""
    n = len(records)
    return _chosen({x: int(n * (s / n)) for x, s in _scores(records).items()})


def drawn_again_until_it_fits(records: Records) -> Masses:
    """A rule that misses most of the positives is drawn again, on the same receipt."""
    masses = HONEST.distribution(records)
    positives = sum(y for _, y in records)
    good = {x for x, _ in records if 2 * sum(y for a, y in records if a == x) > positives}
    kept = {text: mass for text, mass in masses.items() if text in set(map(rule, good))}
    total = sum(kept.values(), Fraction(0))
    return {text: mass / total for text, mass in kept.items()} if total else dict(masses)


def in_the_order_of_the_records(records: Records) -> Masses:
    """The set is equal, but is written down as the records came."""
    order = list(dict.fromkeys(str(x) for x, _ in records))
    return merged(SETS.distribution(records), lambda text: (text, tuple(order)))


def named_by_what_is_left(records: Records) -> Masses:
    """The records that agree in name nothing, as the SOA is that of their version space."""
    H, counts = LABELS.hypotheses, dict[Any, int]()
    left = restrict_where_consistent(H, sorted(records)).soa()
    for x, y in records:
        if left(x) != y and not (V := H.restrict(x, y)).is_empty():
            counts[V.soa()] = counts.get(V.soa(), 0) + 1
    drawn = LABELS.mechanism._distribution(counts)
    return {released_text(left if h is None else h): mass for h, mass in drawn.items()}


def float_pairs() -> list[tuple[Records, Records]]:
    """Sizes at which n (s / n) is not s, with negatives elsewhere to reach them."""
    found = []
    for n in range(20, 120):
        for positives in range(LEARNER.mechanism.bottom, n - 1):
            scores = [int(n * (s / n)) for s in (positives + 1, positives - 1)]
            if scores != [positives + 1, positives - 1]:
                rest = ((0, 1),) * positives + ((9, 0),) * (n - positives - 1)
                found.append((((0, 1), *rest), ((0, 0), *rest)))
    return found


def _plant(broken: Callable[[Records], Any], mistake: str, honest: Subject[Any] = HONEST) -> Plant:
    name = f"learner_{broken.__name__}"
    return Plant(name, mistake, is_private, honest, replace(honest, distribution=broken))


def between(ratio: int) -> tuple[tuple[Records, Records], ...]:
    """Samples in which a point has ``ratio`` times the positives of another, and one record moves."""
    return tuple(
        (((0, 1), *rest), ((1, 1), *rest))
        for times in (5, 10, 20)
        for rest in [((0, 1),) * times + ((1, 1),) * (ratio * times)]
    )


PLANTS = [
    _plant(carries_its_records, "The rule carries the number of records that it covers."),
    _plant(falls_back_on_the_majority, "If nothing is drawn, the majority label is released."),
    _plant(
        candidates_cut_by_the_best,
        "A candidate is left out because another one is better.",
        replace(HONEST, pairs=between(2)),
    ),
    _plant(
        scores_in_floats,
        "A score is a rate times n in floats, cut to a whole number.",
        replace(HONEST, pairs=tuple(float_pairs()[:4])),
    ),
    _plant(
        drawn_again_until_it_fits,
        "A rule that misses most positives is drawn again, and paid for once.",
        replace(HONEST, pairs=between(1)),
    ),
    _plant(
        named_by_what_is_left,
        "Records name functions by where they leave the SOA of what is left by all records.",
        find_subject("single-key-learner-labels").make(*CLAIM),
    ),
    _plant(
        in_the_order_of_the_records,
        "A set is written in the order in which its points first occur in the records.",
        SETS,
    ),
]
