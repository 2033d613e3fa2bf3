"""Learners of mixed tables: rules, trees, lists and vocabularies."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

from littlestone.classes import parse_class
from littlestone.learn.base import PrivateLearner
from littlestone.learn.choosing import ChoosingLearner
from littlestone.learn.exponential import ExponentialLearner
from littlestone.learn.regrown import RegrownLearner
from littlestone.learn.rounds import RoundsLearner, VocabularyLearner
from littlestone.privacy.cost import Budget
from littlestone.prove.audit.claims import neighbours
from littlestone.prove.audit.subject import Subject, subject
from littlestone.prove.audit.subjects.whole_learners import (
    Records,
    by_sample,
    crowd,
    half_way,
    subject_of_learner,
)

CONDITIONS = "x at {0, 5}, s in {a}; at most 2"
CHECKLIST = "x at {0}, y at {0}, s in {a}; at most 3"
TREES = "trees(x at {0}, y at {0, 5}; depth 2)"
DEEP = "trees(x at {0}; depth 3)"
TREES_OF_THREE = "trees(x at {0}, y at {0}; depth 2)"
REGROWN = "trees(x at {0}, y at {0}; depth 1)"
TYPED = "conditions(x: number with 1 cut a decade; at most 1)"

# Raw values: a replaced record changes both columns, a value may be missing, or not on its list.
ON_A_LIST: Records = tuple(product([("0", "a"), ("7.5", "other"), ("n/a", "a"), ("5", "")], (0, 1)))
FEW = ON_A_LIST[:3] + ON_A_LIST[5:6]
OF_FOUR: Records = tuple(product([("1", "", "a"), ("", "1", "a"), ("1", "1", "b")], (0, 1)))
OF_NUMBERS: Records = tuple(product([("3", "0"), ("", "7"), ("n/a", "")], (0, 1)))
ONE_OR_NONE: Records = tuple(product([("1", "1"), ("", ""), ("1", "")], (0, 1)))
OF_ONE: Records = tuple(product([("1",), ("",)], (0, 1)))
OF_ANY_SIZE: Records = tuple(product([("-1e15",), ("0.3",), ("7e9",)], (0, 1)))
OF_THREE: Records = tuple(product([("1", "1"), ("", "")], range(3)))
OPEN: Records = tuple(product([("u", "0"), ("v", "5"), ("", "n/a")], (0, 1)))
# Around many of these, few rules are likely, so that runs can be compared with the law.
STEP: Records = tuple(((x, "a"), int(x == "5")) for x in ("", "0", "5"))
PARITY: Records = tuple(((x, y), int(bool(x) != bool(y))) for x in ("", "0") for y in ("", "0"))
MISSING: Records = tuple(((x, y), int(not x)) for x in ("", "0") for y in ("", "0"))
SHARES: Records = ((("", ""), 2), (("", "0"), 0), (("0", ""), 1), (("0", "0"), 2))


def on_tables(
    learner: PrivateLearner[Any],
    records: Records,
    likely: Records,
    changed: tuple[int, int] = (0, -1),
    *,
    n: int = 2,
    times: int = 50,
) -> Subject[Records]:
    """The learner on all neighbouring tables of n of the records, and around ``likely`` ones.

    ``changed`` are the two records that differ in the large tables.
    """
    rest, (one, other) = likely * times, (records[i] for i in changed)
    pairs = [*neighbours(records, n, ordered=False), ((*rest, one), (*rest, other))]
    return subject_of_learner(learner, by_sample(learner), pairs, around=300)


@subject("conditions-learner", id="Mixed tables")
def conditions(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The learner of conjunctions and disjunctions over a mixed table; spends no delta.

    code: learn.ExponentialLearner
    proof: proofs/exponential-mechanism.md#theorem-6-sums-of-errors
    """
    learner = exponential(f"conditions({CONDITIONS}, either)", epsilon)
    return on_tables(learner, ON_A_LIST, STEP)


@subject("checklists-learner")
def checklists(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The learner of "at least M of at most 3 conditions"; spends no delta."""
    learner = exponential(f"conditions({CHECKLIST}, checklist)", epsilon)
    return on_tables(learner, OF_FOUR, OF_FOUR[:2], n=1)


@subject("trees-learner", id="Mixed tables")
def trees(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The learner of trees over a mixed table; spends no delta.

    code: learn.ExponentialLearner
    proof: proofs/exponential-mechanism.md#theorem-6-sums-of-errors
    """
    return on_tables(exponential(TREES, epsilon), OF_NUMBERS[:3] + OF_NUMBERS[5:], PARITY)


@subject("trees-learner-deep")
def deep_trees(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The learner of trees of depth 3 over a mixed table; spends no delta."""
    # One column has 256 trees already; two have 32,768.
    return on_tables(exponential(DEEP, epsilon), OF_ONE, ((("",), 1), (("1",), 0)))


@subject("typed-columns-learner")
def typed_columns(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The learner of conditions on a column with a type alone; spends no delta."""
    # Ten cuts lie between the large number and the others, and ten rules make no error.
    likely = tuple(OF_ANY_SIZE[i] for i in (0, 2, 5))
    return on_tables(exponential(TYPED, epsilon), OF_ANY_SIZE, likely, (0, 5))


@subject("trees-learner-prior")
def trees_of_each_depth(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The learner of trees with a prior over their depths; spends no delta."""
    learner = exponential(DEEP.replace("depth 3", "depth 1 to 3"), epsilon)
    return on_tables(learner, OF_ONE, ((("",), 1), (("1",), 0)), n=1)


@subject("trees-learner-labels")
def trees_of_labels(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The learner of trees with three labels over a mixed table; spends no delta."""
    return on_tables(exponential(TREES_OF_THREE, epsilon, labels=3), OF_THREE, SHARES, n=1)


@subject("open-conditions-learner", id="Mixed tables")
def open_conditions(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The choosing learner of conjunctions with an open column; needs a delta.

    code: learn.ChoosingLearner
    proof: proofs/choosing.md#theorem-1-privacy
    """
    H: Any = parse_class("conditions(w, x at {0, 5}; at most 2)")
    learner = ChoosingLearner(H, Budget(epsilon, delta))
    pairs = [*neighbours(OPEN, 2, ordered=False), *crowd(learner.mechanism.bottom, OPEN[:4])]
    return subject_of_learner(learner, by_sample(learner), pairs, around=300)


@subject("rule-list-learner", id="Mixed tables")
def rule_list(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The learner of lists of two rules, in two rounds; spends no delta.

    code: learn.rounds.RoundsLearner
    proof: proofs/rounds.md#theorem-1-privacy
    """
    H: Any = parse_class("rule_list(x at {0, 5}, s in {a}; at most 2)")
    return on_tables(RoundsLearner(H, Budget(epsilon)), FEW, STEP)


@subject("rule-sets-learner")
def rule_sets(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The learner of unions of two rules, in two rounds; spends no delta."""
    H: Any = parse_class(f"rule_sets({CONDITIONS} rules of 2)")
    return on_tables(RoundsLearner(H, Budget(epsilon)), FEW, STEP)


@subject("rule-list-learner-costs")
def rule_list_costs(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The learner of lists, where a missed positive costs 3 and a false alarm 2; spends no delta."""
    H: Any = parse_class("rule_list(x at {0}; at most 2)")
    learner = RoundsLearner(H, Budget(epsilon), cost=(3, 2))
    return on_tables(learner, ((("5",), 0), (("5",), 1), (("",), 1)), ((("",), 0), (("5",), 1)))


@subject("regrown-learner-costs")
def regrown_costs(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The same, where a missed positive costs 1 and a false alarm 3; spends no delta."""
    H: Any = parse_class(REGROWN)
    learner = RegrownLearner(H, Budget(epsilon), cost=(1, 3))
    return on_tables(learner, ONE_OR_NONE, MISSING, (2, 3), n=1, times=12)


@subject("regrown-learner", id="Mixed tables")
def regrown_tree(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The learner of a tree whose leaves are split once more; spends no delta.

    code: learn.regrown.RegrownLearner
    proof: proofs/regrown.md#theorem-1-disjoint-leaves-share-one-budget
    """
    H: Any = parse_class(REGROWN)
    return on_tables(RegrownLearner(H, Budget(epsilon)), ONE_OR_NONE, MISSING, (2, 3))


def exponential(text: str, epsilon: Fraction, labels: int = 2) -> ExponentialLearner[Any]:
    """The exponential learner of a class that a text declares."""
    H: Any = parse_class(text, labels=labels)
    return ExponentialLearner(H, Budget(epsilon))


WORDS: Records = tuple(product([("u",), ("v",), ("",)], (0, 1)))


def vocabulary_learner(
    epsilon: Fraction, delta: Fraction, cost: tuple[int, int] = (1, 1)
) -> VocabularyLearner[Any]:
    """The learner of trees of depth 1 on one open column."""
    H: Any = parse_class("trees(w; depth 1)")
    return VocabularyLearner(H, Budget(epsilon, delta), cost=cost)


@subject("vocabulary-learner", id="Mixed tables")
def vocabulary(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The learner of trees with an open column; needs a delta.

    code: learn.rounds
    proof: proofs/vocabulary.md#theorem-1-privacy
    """
    return on_words(vocabulary_learner(epsilon, delta))


@subject("vocabulary-learner-costs")
def vocabulary_costs(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The same, where a missed positive costs 3 and a false alarm 1; needs a delta."""
    return on_words(vocabulary_learner(epsilon, delta, cost=(3, 1)))


def on_words(learner: VocabularyLearner[Any]) -> Subject[Records]:
    """The learner on all tiny tables of words, and around a word that is selected half of the time."""
    # Around as many records of one value as select it half of the time, one record decides most.
    half = half_way(learner.selection.curve)
    crowded = list(crowd(half, WORDS))
    if not learner.mistakes.equal:  # exact laws of large costs have numbers of many digits
        crowded = crowded[-3:]
    pairs = [*neighbours(WORDS, 2, ordered=False), *crowded]
    return subject_of_learner(learner, by_sample(learner), pairs, around=300)
