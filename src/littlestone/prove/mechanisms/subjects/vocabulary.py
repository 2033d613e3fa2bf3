"""The learner that releases the values of open columns first, as a whole."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

from littlestone.classes import parse_class
from littlestone.learn.vocabulary import VocabularyLearner
from littlestone.privacy.budget import Budget
from littlestone.prove.mechanisms.neighbours import neighbours
from littlestone.prove.mechanisms.subject import Subject, subject
from littlestone.prove.mechanisms.subjects.exponential_learner import Records
from littlestone.prove.mechanisms.subjects.learners import crowd, half_way, whole
from littlestone.prove.mechanisms.subjects.mixed_tables import by_learner

WORDS: Records = tuple(product([("u",), ("v",), ("",)], (0, 1)))


def made(
    epsilon: Fraction, delta: Fraction, cost: tuple[int, int] = (1, 1)
) -> VocabularyLearner[Any]:
    """The learner of trees of depth 1 on one open column."""
    H: Any = parse_class("trees(w; depth 1)")
    return VocabularyLearner(H, Budget(epsilon, delta), cost=cost)


@subject(
    "vocabulary-learner",
    id="Mixed tables",
    code="learn.vocabulary",
    proof="proofs/vocabulary.md#theorem-1-privacy",
)
def vocabulary(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The learner of trees with an open column; needs a delta."""
    return on_words(made(epsilon, delta))


@subject("vocabulary-learner-costs")
def vocabulary_costs(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The same, where a missed positive costs 3 and a false alarm 1; needs a delta."""
    return on_words(made(epsilon, delta, cost=(3, 1)))


def on_words(learner: VocabularyLearner[Any]) -> Subject[Records]:
    """The learner on all tiny tables of words, and around a word that is selected half of the time."""
    # Around as many records of one value as select it half of the time, one record decides most.
    half = half_way(learner.selection.curve)
    crowded = list(crowd(half, WORDS))
    if not learner.mistakes.equal:  # exact laws of large costs have numbers of many digits
        crowded = crowded[-3:]
    pairs = [*neighbours(WORDS, 2, ordered=False), *crowded]
    return whole(learner, by_learner(learner), pairs, around=300)
