"""Mistakes in learning three labels at once: in counting errors, and in the lists of teachers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from typing import Any

from littlestone.base.errors import RealizabilityError
from littlestone.classes import FiniteClass
from littlestone.data.sample import Sample
from littlestone.learn import ExponentialLearner, IrreducibleLearner
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Receipt
from littlestone.privacy.rational import exp_below
from littlestone.prove.audit import Subject, find_subject
from littlestone.prove.audit.subjects.whole_learners import (
    NAMED,
    NAMED_RECORDS,
    Records,
    fits,
    pair_of_teachers,
    released_text,
)
from littlestone.rules import Hypothesis
from plants.harness import Masses, Plant, draws_as_it_says, is_private, never_raises, weighted
from plants.learners import merged

ONE = Fraction(1)
BASE = exp_below(ONE / 2)

# The exponential learner.

SCORED = find_subject("exponential-learner-labels").make(ONE, Fraction(0))
H = FiniteClass.from_array([[0, 1], [1, 2], [2, 0]], labels=3)
BUDGET_OF_ONE = Budget(ONE)
Errors = Callable[[Hypothesis[Any], Records], int]


def drawn(errors: Errors, among: Callable[[Records], Sequence[Any]] = lambda _: list(H)) -> Any:
    """The law of a learner that counts errors in this way, among these functions."""

    def distribution(records: Records) -> Masses:
        return weighted({released_text(h): BASE ** -errors(h, records) for h in among(records)})

    return distribution


def wrong(h: Hypothesis[Any], records: Records) -> int:
    return sum(h(x) != y for x, y in records)


def wrong_for_each_label(h: Hypothesis[Any], records: Records) -> int:
    """As one-vs-rest counts: a wrong record is wrong for its own label and for the other."""
    return sum((h(x) == label) != (y == label) for x, y in records for label in range(3))


def wrong_by_distance(h: Hypothesis[Any], records: Records) -> int:
    return sum(abs(h(x) - y) for x, y in records)


def wrong_by_rarity(h: Hypothesis[Any], records: Records) -> int:
    often = Counter(y for _, y in records)
    return sum(len(records) // often[y] for x, y in records if h(x) != y)


def with_labels_that_occur(records: Records) -> list[Hypothesis[Any]]:
    seen = {y for _, y in records}
    return [h for h in H if {h(x) for x in H.domain} <= seen] or list(H)


class TwoIsZero(ExponentialLearner[Any]):
    def draw(self, sample: Sample[Any], *, receipt: Receipt) -> Hypothesis[Any]:
        counts = sample.counts.copy()
        counts[:, 0] += counts[:, 2]
        counts[:, 2] = 0
        return super().draw(sample.with_counts(sample.points, counts), receipt=receipt)


class AsksForPositives(ExponentialLearner[Any]):
    def draw(self, sample: Sample[Any], *, receipt: Receipt) -> Hypothesis[Any]:
        if sample.counts[:, 2].any():
            sample.positives.sum()
        return super().draw(sample, receipt=receipt)


# The learner of teachers.

Learner = IrreducibleLearner[Any]
DELTA = Fraction(1, 1000)


def votes(epsilon: Fraction) -> tuple[Subject[Records], Learner]:
    """The subject in which each teacher has a record, and the learner that it is about."""
    subject = find_subject("irreducible-learner-label-votes").make(epsilon, DELTA)
    teachers = len(subject.pairs[0][0])
    budget = Budget(epsilon, DELTA)
    return subject, IrreducibleLearner(NAMED, budget, teachers=teachers, list_size=1)


VOTES, VOTERS = votes(ONE)
SLOW, SLOW_VOTERS = votes(Fraction(1, 10))
BUDGET = Budget(1, Fraction(3, 10))
PAIR = find_subject("irreducible-learner-labels").make(BUDGET.epsilon, BUDGET.delta)
PAIR_VOTERS = pair_of_teachers(BUDGET)


def by_votes(learner: Learner, lists: Sequence[Sequence[Hypothesis[Any]]]) -> Masses:
    counts = Counter(h for found in lists for h in found)
    found = learner.mechanism.chances(counts)
    return merged(found, lambda h: released_text(NAMED.soa() if h is None else h))


def list_of(records: Records) -> list[Hypothesis[Any]]:
    return VOTERS.hypotheses_of_teacher(Sample.from_examples(NAMED.domain, records, labels=3))


LISTS = {record: list_of((record,)) for record in NAMED_RECORDS}


def reads_the_next_chunk(records: Records) -> Masses:
    """The leaves of a teacher's tree are those of its own chunk and of its neighbour's."""
    following = [*records[1:], records[0]]
    pairs = zip(records, following, strict=True)
    return by_votes(VOTERS, [list(dict.fromkeys(LISTS[a] + LISTS[b])) for a, b in pairs])


def one_for_each_label(records: Records) -> Masses:
    """Lists of three functions, of a mechanism that was told of one."""
    return by_votes(SLOW_VOTERS, [[h for y in range(3) for h in LISTS[x, y]] for x, _ in records])


def falls_back_on_the_plurality(records: Records) -> Masses:
    ((often, _),) = Counter(y for _, y in records).most_common(1)
    nothing = released_text(NAMED.soa())
    return merged(
        VOTES.distribution(records), lambda text: f"always {often}" if text == nothing else text
    )


class WalksZeroAndOne(IrreducibleLearner[Any]):
    def hypotheses_of_teacher(self, chunk: Sample[Any]) -> list[Hypothesis[Any]]:
        counts = chunk.counts.copy()
        counts[:, 2] = 0
        return super().hypotheses_of_teacher(chunk.with_counts(chunk.points, counts))


class RefusesTheImpossible(IrreducibleLearner[Any]):
    def hypotheses_of_teacher(self, chunk: Sample[Any]) -> list[Hypothesis[Any]]:
        V = self.hypotheses
        for j, x in enumerate(chunk.points):
            for y in range(chunk.labels):
                if chunk.counts[j, y]:
                    V = V.restrict(x, y)
        if V.is_empty():
            raise RealizabilityError(
                "teach from a chunk",
                found="no function of the class labels it so",
                fix="look at the records",
            )
        return super().hypotheses_of_teacher(chunk)


def dealt_by_label(records: Records) -> Masses:
    """The chunks of two teachers of two records each."""
    ordered = sorted(records, key=lambda record: record[1])
    return by_votes(PAIR_VOTERS, [list_with_errors(ordered[:2]), list_with_errors(ordered[2:])])


def list_with_errors(records: Sequence[tuple[Any, int]]) -> list[Hypothesis[Any]]:
    return PAIR_VOTERS.hypotheses_of_teacher(Sample.from_examples(NAMED.domain, records, labels=3))


def run_by(kind: type[Learner]) -> Subject[Records]:
    """The voters' subject on records of label 2, drawn by a learner of this kind."""
    k = VOTERS.teachers
    only_two = (NAMED_RECORDS[2],) * k
    learner = kind(NAMED, Budget(ONE, DELTA), teachers=k, list_size=1)
    return replace(VOTES, pairs=((only_two, only_two),), runs=fits(learner))


def _plant(broken: Callable[[Records], Any], mistake: str, honest: Subject[Any] = SCORED) -> Plant:
    name = f"several_{broken.__name__}"
    return Plant(name, mistake, is_private, honest, replace(honest, distribution=broken))


def few_draws_as_it_says(subject: Subject[Any]) -> bool:
    return draws_as_it_says(subject, trials=200)  # a whole fit takes milliseconds


ALONE = tuple(combinations([(record,) for record in NAMED_RECORDS], 2))
"""A record for the first teacher, and none for the others."""

EVEN = NAMED_RECORDS[1:3] * 5
NEARLY_TIED = (((NAMED_RECORDS[1], *EVEN), (NAMED_RECORDS[2], *EVEN)),)
"""Eleven records of two labels; the last one decides which is more frequent."""


def _scored(errors: Errors, mistake: str) -> Plant:
    broken = replace(SCORED, distribution=drawn(errors))
    return Plant(f"several_{errors.__name__}", mistake, is_private, SCORED, broken)


PLANTS = [
    _scored(wrong_for_each_label, "An error counts for the label said and for the label missed."),
    _scored(wrong_by_distance, "An error counts as often as the numbers of the labels differ."),
    _scored(wrong_by_rarity, "An error on a rare label counts more."),
    Plant(
        "several_labels_that_occur",
        "Only functions whose labels all occur in the sample are candidates.",
        is_private,
        SCORED,
        replace(SCORED, distribution=drawn(wrong, with_labels_that_occur)),
    ),
    Plant(
        "several_TwoIsZero",
        "After the spend, the label 2 is counted as 0.",
        draws_as_it_says,
        SCORED,
        replace(SCORED, runs=fits(TwoIsZero(H, BUDGET_OF_ONE))),
    ),
    Plant(
        "several_AsksForPositives",
        "After the spend, a sample with the label 2 is asked for its positive examples.",
        never_raises,
        SCORED,
        replace(SCORED, runs=fits(AsksForPositives(H, BUDGET_OF_ONE))),
    ),
    _plant(
        reads_the_next_chunk, "A teacher's list has the leaves of its neighbour's chunk too.", VOTES
    ),
    _plant(
        one_for_each_label,
        "A list has a function for each label, and one of them is paid for.",
        replace(SLOW, pairs=ALONE),
    ),
    _plant(
        falls_back_on_the_plurality,
        "If nothing is drawn, the most frequent label is released.",
        replace(VOTES, pairs=NEARLY_TIED),
    ),
    _plant(dealt_by_label, "Records are sorted by their labels before teachers get them.", PAIR),
    Plant(
        "several_WalksZeroAndOne",
        "A teacher's walk follows the labels 0 and 1 only, so records of the label 2 are not seen.",
        few_draws_as_it_says,
        run_by(IrreducibleLearner),
        run_by(WalksZeroAndOne),
    ),
    Plant(
        "several_RefusesTheImpossible",
        "A teacher raises if no function of the class gives its records their labels.",
        never_raises,
        PAIR,
        replace(
            PAIR,
            runs=fits(RefusesTheImpossible(NAMED, BUDGET, teachers=2, list_size=1, alpha="0.5")),
        ),
    ),
]
