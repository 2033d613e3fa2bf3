"""Mistakes in boosting: which records a weak learner sees, and what is told of them.

The honest learner is audited with all its votes told and the places of the records known; or by its
second round alone, in a larger part.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import combinations, combinations_with_replacement
from typing import Any

from littlestone.classes import Thresholds
from littlestone.data.sample import Sample
from littlestone.privacy import Budget
from littlestone.prove.audit import Subject, find_subject, neighbours
from littlestone.prove.audit.subjects.reductions import (
    RECORDS,
    Learner,
    law_of_vote,
    tiny,
    votes_in_order,
)
from littlestone.prove.audit.subjects.whole_learners import all_records
from plants.harness import Masses, Plant, is_private

EPSILON = Fraction(1)
PAIRS = tuple(pair for pair in neighbours(RECORDS, 9) if len({*pair[0][2:7]}) == 1)
H = Thresholds.on(0, 1)
POINTS = all_records(H)
IN_A_PART = tuple(
    ((*rest, *rest, one), (*rest, *rest, other))
    for rest in combinations_with_replacement(POINTS, 2)
    for one, other in combinations(POINTS, 2)
)


class WeightsNormalised(Learner):
    """Weights are scaled so that the heaviest record of the part is sure to pass."""

    def chances(self, part: Any, votes: Any) -> list[Fraction]:
        found = super().chances(part, votes)
        return [p / (max(found) or 1) for p in found]


class ChancesOfOthers(Learner):
    """A record passes only if most records of the part have its label, to drop wrong labels."""

    def chances(self, part: Any, votes: Any) -> list[Fraction]:
        often = int(2 * sum(y for _, y in part) > len(part))
        return [
            p * (y == often) for p, (_, y) in zip(super().chances(part, votes), part, strict=True)
        ]


class PartsOverlap(Learner):
    """Each part is made larger by the records of the next one."""

    def parts(self, records: Any) -> list[Any]:
        found = super().parts(records)
        later = [*found[1:], found[0]]
        return [[*part, *more] for part, more in zip(found, later, strict=True)]


class AllRecordsInEachRound(Learner):
    """All rounds learn from all records, and one of them is paid for."""

    def parts(self, records: Any) -> list[Any]:
        return [records[:6]] * self.walk.rounds


class FilledWithCopies(Learner):
    """Copies of the first record that passed fill the sample."""

    def fill_sample(self, passed: Any, size: int) -> Sample[Any]:
        return super().fill_sample([*passed, *passed[:1] * size], size)


class RareLabelsFirst(Learner):
    """The records that pass are sorted, so that those with the rare label are seen first."""

    def fill_sample(self, passed: Any, size: int) -> Sample[Any]:
        labels = [y for _, y in passed]
        return super().fill_sample(sorted(passed, key=lambda z: labels.count(z[1])), size)


def _subject(law: Any, pairs: Any) -> Subject[Any]:
    honest = find_subject("boosting-learner").make(EPSILON, Fraction(0))
    return replace(honest, distribution=law, pairs=pairs)


def _run(kind: type[Learner] = Learner, *, counted: bool = False) -> Subject[Any]:
    return _subject(votes_in_order(tiny(EPSILON, kind), counted=counted), PAIRS)


def _round(kind: type[Learner], kept: str, *votes: Any) -> Subject[Any]:
    """One round after these votes, in a part of five records."""
    learner = kind(H, Budget(EPSILON), alpha=Fraction(1, 3), kept=kept)

    def law(part: Any) -> Masses:
        masses: Masses = {}
        for (h, _), p in law_of_vote(learner, part, votes).items():
            masses[h] = masses.get(h, Fraction(0)) + p
        return masses

    return _subject(law, IN_A_PART)


def _named(kind: type[Any], honest: Subject[Any], broken: Subject[Any]) -> Plant:
    mistake = (kind.__doc__ or "").partition("\n")[0]
    return Plant(f"boosting_{kind.__name__}", mistake, is_private, honest, broken)


RUN = _run()
AFTER_ONE = "4/5", H.hypothesis(0)

PLANTS = [
    *(_named(kind, RUN, _run(kind))
      for kind in (PartsOverlap, AllRecordsInEachRound)),
    *(_named(kind, _round(Learner, *AFTER_ONE), _round(kind, *AFTER_ONE))
      for kind in (WeightsNormalised, ChancesOfOthers, FilledWithCopies)),
    _named(RareLabelsFirst, _round(Learner, "2/5"), _round(RareLabelsFirst, "2/5")),
    Plant("boosting_counts_told", "The number of records that passed in each round is published.",
          is_private, RUN, _run(counted=True)),
]  # fmt: skip
