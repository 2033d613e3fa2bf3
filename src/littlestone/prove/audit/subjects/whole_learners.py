"""Learners by the law of what they draw: scores, keys, elements and votes; learners of mixed tables."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Hashable, Iterable, Mapping
from fractions import Fraction
from functools import cache, partial
from itertools import combinations, product
from typing import Any

from littlestone.classes import (
    AffineSubspaces,
    EqualityRules,
    FiniteClass,
    HypothesisClass,
    Intervals,
    LinearSubspaces,
    Points,
    PolynomialZeros,
    Subsets,
    Thresholds,
    parse_class,
)
from littlestone.classes.base import ScoredClass
from littlestone.classes.decision_lists import CountedLists
from littlestone.classes.juntas import CountedJuntas
from littlestone.classes.promises.counted import CountedBoxes
from littlestone.classes.promises.tabled import bits
from littlestone.classes.union import ScoredUnion
from littlestone.data.sample import Sample
from littlestone.learn import (
    ChoosingLearner,
    ExponentialLearner,
    GGKMLearner,
    IrreducibleLearner,
    PartitionLearner,
    PrivateLearner,
    Release,
    SingleKeyLearner,
)
from littlestone.learn.papers.voting import orders
from littlestone.learn.regrown import RegrownLearner
from littlestone.learn.rounds import RoundsLearner, VocabularyLearner
from littlestone.points import Grid, Integers, Product
from littlestone.privacy.cost import Budget
from littlestone.privacy.mechanisms.partition_selection import KeyRelease, ReleaseCurve
from littlestone.privacy.parameters import least
from littlestone.privacy.rational import sum_masses
from littlestone.prove.audit.claims import neighbours
from littlestone.prove.audit.subject import Run, Subject, runs_on_ledger, subject
from littlestone.rules import FiniteSet, Hypothesis

Records = tuple[tuple[Any, int], ...]


def all_records(H: ScoredClass[Any], points: int = 3) -> Records:
    """Records over a few points of the domain, with every label.

    >>> all_records(Thresholds.on(0, 1), points=2)
    ((0, 0), (0, 1), (1, 0), (1, 1))
    """
    return tuple(product(H.domain.examples(points), range(H.labels)))


def released_text(hypothesis: Hypothesis[Any]) -> str:
    """Everything that a model file holds of a hypothesis, so its form could not hide a leak.

    >>> released_text(Thresholds.on(0, 1).hypothesis(0))[:20]
    '["always 1", {"kind"'
    """
    return json.dumps([hypothesis.words(), hypothesis.to_json()])


def fits(
    learner: PrivateLearner[Any],
    read: Callable[[Any], Any] | None = None,
    shown: Callable[[Release], Hashable] | None = None,
    **paid: Any,
) -> Callable[[int, random.Random], Run[Records]]:
    """The runs of a learner's subject: whole fits, each with the text of what it releases.

    ``read`` makes the sample from the records; the default is `Sample` with the learner's domain.
    What is ``paid`` for besides is ``shown`` beside the text.
    """
    H = learner.hypotheses
    sample = cache(read or partial(Sample.from_examples, H.domain, labels=H.labels))

    def fit_once(data: Records, **spend: Any) -> Hashable:
        release = learner.fit(sample(data), **spend, **paid)
        text = released_text(release.hypothesis)
        return text if shown is None else (text, shown(release))

    return runs_on_ledger(fit_once)


def learner_subject(
    H: ScoredClass[Any], epsilon: Fraction, n: int, cost: tuple[int, int] = (1, 1)
) -> Subject[Records]:
    """The learner of H on all neighbouring samples of n records, and on one pair of a thousand."""
    learner = ExponentialLearner(H, Budget(epsilon), cost=cost)
    records = all_records(H)

    # Each label equally often at every point, so all hypotheses are equally good, except for the one
    # record whose change favours the only hypothesis that differs at the first point.
    many = records * (1000 // len(records))
    pairs = neighbours(records, n, ordered=False)
    large = many, (records[1], *many[1:])
    return subject_of_learner(learner, by_sample(learner), pairs, large=large)


@subject("exponential-learner-thresholds")
def thresholds(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The exponential learner of thresholds; spends no delta."""
    return learner_subject(Thresholds.on(0, 2), epsilon, n=3)


@subject("exponential-learner-table")
def table(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The exponential learner of a table of three hypotheses; spends no delta."""
    return learner_subject(FiniteClass.from_array([[0, 1, 1], [1, 0, 0], [1, 1, 0]]), epsilon, n=2)


@subject("exponential-learner-labels")
def labels(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The exponential learner of a table of three hypotheses with three labels; spends no delta."""
    table = FiniteClass.from_array([[0, 1], [1, 2], [2, 0]], labels=3)
    return learner_subject(table, epsilon, n=3)


@subject("exponential-learner-sums")
def sums(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The exponential learner of a direct sum, by sums of errors; spends no delta."""
    H: Any = parse_class("direct_sum(intervals(x, 0..2), thresholds(y, 0..1))")
    return learner_subject(H, epsilon, n=2)


@subject("exponential-learner-lines", id="Lines of a plane")
def lines(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The exponential learner of affine lines, by counts of cosets; spends no delta.

    code: learn.ExponentialLearner
    proof: proofs/exponential-mechanism.md#theorem-7-hypotheses-that-are-counted
    """
    return learner_subject(AffineSubspaces.over(["x", "y"], 3, 1), epsilon, n=2)


@subject("exponential-learner-boxes")
def boxes(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The exponential learner of boxes, by counts of boxes; spends no delta."""
    domain = Product((Grid(0, 2, "x"), Grid(0, 1, "y")))
    return learner_subject(CountedBoxes(domain, "boxes(x 0..2, y 0..1)"), epsilon, n=2)


@subject("exponential-learner-juntas")
def juntas(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The exponential learner of functions of one of two bits, by counts; spends no delta."""
    return learner_subject(CountedJuntas(bits("ab"), "juntas(a, b; k 1)", 1), epsilon, n=2)


@subject("exponential-learner-lists")
def lists(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The exponential learner of decision lists of two bits, by counts; spends no delta."""
    return learner_subject(CountedLists(bits("ab"), "decision_lists(a, b)"), epsilon, n=2)


@subject("exponential-learner-zeros")
def zeros(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The exponential learner of listed zero sets, by counts; spends no delta."""
    return learner_subject(PolynomialZeros.over(["x", "y"], 2, 2), epsilon, n=2)


@subject("exponential-learner-union")
def union(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The exponential learner of a union whose parts share functions; spends no delta."""
    parts = Thresholds.on(0, 2), Intervals.on(0, 2)
    return learner_subject(ScoredUnion(parts[0].domain, parts), epsilon, n=2)


@subject("exponential-learner-missed", id="KLN+11 Theorem 3.4")
def costly_misses(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The exponential learner, where a missed positive costs 3 and a false alarm 1; spends no delta.

    code: learn.ExponentialLearner
    proof: proofs/exponential-mechanism.md#theorem-5-mistakes-that-do-not-all-cost-the-same
    """
    return learner_subject(Thresholds.on(0, 2), epsilon, n=3, cost=(3, 1))


@subject("exponential-learner-alarms")
def alarms(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The exponential learner, where a missed positive costs 2 and a false alarm 5; spends no delta."""
    table = FiniteClass.from_array([[0, 1, 1], [1, 0, 0], [1, 1, 0]])
    return learner_subject(table, epsilon, n=2, cost=(2, 5))


Pairs = Iterable[tuple[Records, Records]]
Law = Callable[[Records], Mapping[Any, Fraction]]

RECORDS: Records = tuple(product(range(2), (0, 1)))


def subject_of_learner(
    learner: PrivateLearner[Any],
    law: Law,
    pairs: Pairs,
    *,
    release: Callable[[Any], Hypothesis[Any]] = lambda h: h,
    around: int = 0,
    large: tuple[Records, Records] | None = None,
) -> Subject[Records]:
    """The learner on ``pairs``, and with ``around`` more records on one pair for the runs.

    ``law`` gives the exact probabilities of each draw, and ``release`` makes the hypothesis from it.
    Hypotheses of different form count as different, even if they are equal as functions.
    """

    @cache
    def law_of_rules(data: Records) -> dict[Hashable, Fraction]:
        return sum_masses((released_text(release(h)), mass) for h, mass in law(data).items())

    listed = tuple(pairs)
    more = ((learner.hypotheses.domain.examples(5)[-1], 0),) * around
    one, other = listed[-1]
    large = large or ((*one, *more), (*other, *more))
    return Subject(learner.event, law_of_rules, listed, fits(learner), large)


def crowd(times: int, records: Records = RECORDS) -> Pairs:
    """Neighbours around ``times`` positive records of one point; the last pair differs in a label."""
    rest = (records[1],) * times
    for one, other in reversed(list(combinations(records, 2))):
        yield (*rest, one), (*rest, other)


def by_sample(learner: PrivateLearner[Any]) -> Law:
    """The learner's own distribution of the records."""
    H: Any = learner.hypotheses
    return lambda data: learner.distribution(Sample.from_examples(H.domain, data, labels=H.labels))


@subject("choosing-learner")
def choosing(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The choosing learner of single points; needs a delta."""
    learner = ChoosingLearner(Points(Integers()), Budget(epsilon, delta))
    pairs = [*neighbours(RECORDS, 3, ordered=False), *crowd(learner.mechanism.bottom)]
    return subject_of_learner(learner, by_sample(learner), pairs, around=300)


@subject("choosing-learner-rules")
def choosing_rules(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The choosing learner of equality rules on two columns; needs a delta."""
    H = EqualityRules.over_columns("a", "b", max_literals=2)
    learner = ChoosingLearner(H, Budget(epsilon, delta))
    records: Records = tuple(product(product("uv", "w"), (0, 1)))
    pairs = [*neighbours(records, 2, ordered=False), *crowd(learner.mechanism.bottom, records)]
    return subject_of_learner(learner, by_sample(learner), pairs, around=300)


def set_of(learner: PrivateLearner[Any]) -> Callable[[Iterable[Any] | None], FiniteSet]:
    """The rule that holds on the keys that are drawn, or everywhere."""
    domain = learner.hypotheses.domain
    return lambda keys: FiniteSet(domain, frozenset(keys or ()), int(keys is None))


def by_key(mechanism: KeyRelease[Any, Any]) -> Law:
    """The mechanism's own distribution, of records whose key is the point."""
    return lambda data: mechanism.distribution([(x, y == 1) for x, y in data])


def half_way(curve: ReleaseCurve) -> int:
    """The least score of a key that is released with probability 1/2 or more."""
    return least(lambda score: 2 * curve(score) >= 1)


@subject("partition-learner")
def partition(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The learner of sets of two points that releases each by itself; needs a delta."""
    learner = PartitionLearner(Subsets(Integers(), 2), Budget(epsilon, delta))
    half = half_way(learner.mechanism.curve)
    pairs = [*neighbours(RECORDS, 3, ordered=False), *crowd(half)]
    law, rule = by_key(learner.mechanism), set_of(learner)
    return subject_of_learner(learner, law, pairs, release=rule, around=300)


@subject("single-key-learner")
def single_key(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The learner of single points that reads positive records only; needs a delta."""
    learner = SingleKeyLearner(Points(Integers()), Budget(epsilon, delta))

    half = half_way(learner.mechanism.curve)
    pairs = [*neighbours(RECORDS, 3, ordered=False), *crowd(half)]
    return subject_of_learner(learner, by_sample(learner), pairs, around=300)


def votes(
    kind: type[IrreducibleLearner[Any]] | type[GGKMLearner[Any]],
    budget: Budget,
    H: HypothesisClass[Any],
    records: Records,
    list_size: int | None = None,
) -> Subject[Records]:
    """A learner of teachers with one record each; if all agree, their rule is as likely as none."""
    mechanism = kind(H, budget, list_size=list_size).mechanism
    k = mechanism.bottom + 1
    learner = kind(H, budget, teachers=k, list_size=list_size)

    @cache
    def votes_of_record(record: tuple[Any, int]) -> list[Hypothesis[Any]]:
        return learner.hypotheses_of_teacher(
            Sample.from_examples(H.domain, [record], labels=H.labels)
        )

    def law_of_votes(data: Records) -> dict[Any, Fraction]:
        """Whatever the order, each teacher has one record."""
        return mechanism.distribution([votes_of_record(record) for record in data])

    def rule(drawn: Hypothesis[Any] | None) -> Hypothesis[Any]:
        return H.soa() if drawn is None else drawn

    # From votes for one point to votes for another.
    pairs = [
        ((*records[-1:] * i, *one), (*records[-1:] * i, *other))
        for i in (k - 1, k // 2, 0)
        for one, other in crowd(k - 1 - i, records)
    ]
    return subject_of_learner(learner, law_of_votes, pairs, release=rule)


@subject("irreducible-learner", id="Lyu25 Corollary 5.1", status="changed")
def irreducible(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The learner of teachers, of single points and with a record for each; needs a delta.

    code: learn.IrreducibleLearner
    proof: proofs/irreducible.md#theorem-2-the-proved-size
    """
    return votes(IrreducibleLearner, Budget(epsilon, delta), Points(Integers()), RECORDS)


NAMED = FiniteClass.from_array(
    [[0] * 6, *([y * (x == j) for x in range(6)] for j in range(6) for y in (1, 2))], labels=3
)
"""The label 1 or 2 at one of six points, or at none: LDim = 1, and few points leave it irreducible."""

NAMED_RECORDS: Records = tuple(product(NAMED.domain.points[:2], range(NAMED.labels)))


@subject("single-key-learner-labels", id="Keys")
def single_key_labels(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The learner that releases one function of three labels that records name; needs a delta.

    code: learn.SingleKeyLearner
    proof: proofs/single-key-selection.md#theorem-3-every-class-of-littlestone-dimension-1
    """
    learner = SingleKeyLearner(NAMED, Budget(epsilon, delta))
    half = half_way(learner.mechanism.curve)
    pairs = [*neighbours(NAMED_RECORDS, 3, ordered=False), *crowd(half, NAMED_RECORDS)]
    return subject_of_learner(learner, by_sample(learner), pairs)


@subject("choosing-learner-lines")
def choosing_lines(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The choosing learner of lines through the origin, each a change of the SOA; needs a delta."""
    H = LinearSubspaces.over(["x", "y"], 3, 1)
    learner = ChoosingLearner(H, Budget(epsilon, delta))
    records: Records = tuple(product(((0, 0), (0, 1), (1, 0)), (0, 1)))
    crowded = crowd(learner.mechanism.bottom, records[2:])
    return subject_of_learner(
        learner, by_sample(learner), [*neighbours(records, 2, ordered=False), *crowded]
    )


@subject("irreducible-learner-label-votes")
def irreducible_label_votes(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The learner of teachers with three labels, a record and one rule for each; needs a delta."""
    return votes(IrreducibleLearner, Budget(epsilon, delta), NAMED, NAMED_RECORDS, list_size=1)


def pair_of_teachers(budget: Budget) -> IrreducibleLearner[Any]:
    """Two teachers of three labels, whose one rule may err on half of their records."""
    return IrreducibleLearner(NAMED, budget, teachers=2, list_size=1, alpha="0.5")


def by_teacher(learner: IrreducibleLearner[Any]) -> Law:
    """The exact law over all orders of the records; each list is made once."""
    known: dict[Hashable, list[Hypothesis[Any]]] = {}

    def votes_of_part(part: Sample[Any]) -> list[Hypothesis[Any]]:
        # In the order of its points, which may determine where a list is cut.
        held = tuple(part.points), part.counts.tobytes()
        if held not in known:
            known[held] = learner.hypotheses_of_teacher(part)
        return known[held]

    def law_of_votes(data: Records) -> dict[Any, Fraction]:
        sample = Sample.from_examples(NAMED.domain, data, labels=NAMED.labels)
        votes = sum_masses(  # few orders differ in them
            (frozenset(learner.mechanism.scores(map(votes_of_part, parts)).items()), chance)
            for parts, chance in orders(sample, learner.teachers)
        )
        return sum_masses(
            (NAMED.soa() if drawn is None else drawn, chance * mass)
            for own, chance in votes.items()
            for drawn, mass in learner.mechanism.chances(dict(own)).items()
        )

    return law_of_votes


@subject("irreducible-learner-labels")
def irreducible_labels(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The learner of two teachers with three labels, over all orders of the records; needs a delta."""
    learner = pair_of_teachers(Budget(epsilon, delta))
    records = NAMED_RECORDS[:4]
    return subject_of_learner(learner, by_teacher(learner), neighbours(records, 4, ordered=False))


@subject("ggkm-learner")
def ggkm(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The learner of GGKM21, of single points and a record a teacher; needs a delta."""
    return votes(GGKMLearner, Budget(epsilon, delta), Points(Integers()), RECORDS)


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
