"""The learner of radii: its sizes, its refusals, and what it releases."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from littlestone.base.discovery import concrete
from littlestone.base.errors import DeclarationError, LittlestoneError, TooLargeError
from littlestone.classes import (
    DirectSumClass,
    FiniteClass,
    Lookup,
    Outcomes,
    Points,
    Subsets,
    Thresholds,
    parse_class,
)
from littlestone.classes.promises.covering import is_steady
from littlestone.classes.text.declared import DeclaredClass
from littlestone.data.sample import Sample
from littlestone.learn import RadiiLearner
from littlestone.learn.base import MOST_WORK, Caveat
from littlestone.learn.papers import radii, radii_lists
from littlestone.learn.papers.radii_lists import (
    CostedPoints,
    VersionNode,
    leaf_demands,
    leaves_of_class,
    lists,
    longest,
)
from littlestone.points import Integers
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.randomness import seeded_generator
from littlestone.prove.papers.lyu25_lists import one_record_moves_a_run_by_one
from littlestone.theory.decomposition import reducing_path

BUDGET = Budget(1, "1e-6")
GOAL: dict[str, Any] = {"alpha": 0.1, "beta": 0.05}


def test_the_proved_size_and_refusals() -> None:
    for H in (Points(Integers()), Subsets(Integers(), 3), Thresholds.on(0, 6)):
        learner = RadiiLearner.with_proved_bound(H, BUDGET, **GOAL)
        bound = learner.plan(**GOAL, setting="realizable")
        assert bound is not None
        assert learner.failure(bound.n, 0.1) <= 0.05 < learner.failure(bound.n - 1, 0.1)
        failures = [learner.failure(n, 0.1) for n in range(bound.n, bound.n + 500, 50)]
        assert failures == sorted(failures, reverse=True)
        assert learner.plan(**GOAL) is None
    assert learner.lists == longest(learner.radii, learner.dimension)
    for H, proved in ((Subsets(Integers(), 3), True), (Thresholds.on(0, 6), False)):
        default = RadiiLearner(H, BUDGET)
        assert default.lists == (1, 3, 3)
        assert (default.plan(**GOAL, setting="realizable") is not None) == proved
    for wrong in ((1,), (1, 1, 0), (1, 1, True)):
        with pytest.raises(DeclarationError, match="lists"):
            RadiiLearner(Subsets(Integers(), 3), BUDGET, lists=wrong)
    with pytest.raises(DeclarationError, match="delta"):
        RadiiLearner(Points(Integers()), Budget(1))


def test_what_is_no_number_is_refused() -> None:
    with pytest.raises(DeclarationError, match="whole numbers"):
        RadiiLearner(Subsets(Integers(), 3), BUDGET, lists=5)  # type: ignore[arg-type]
    for beta in (None, "few"):
        with pytest.raises(DeclarationError, match="beta"):
            RadiiLearner(Subsets(Integers(), 3), BUDGET, beta=beta)  # type: ignore[arg-type]


def test_too_many_radii_or_version_spaces_are_refused_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(radii, "leaves_of_class", None)  # it would look at each radius
    assert RadiiLearner(Subsets(Integers(), 2), Budget("1e-4", "1e-6")).work(10**9) > MOST_WORK
    learner = RadiiLearner(Thresholds.on(0, 2**20 - 2), BUDGET)
    assert learner.caveat is Caveat.CLEAN_AND_MANY
    assert learner.work(10**5) > MOST_WORK


@pytest.mark.deep
def test_the_root_refuses_nothing_that_the_walk_allows(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the examples of all classes."""
    kinds: Any = concrete(DeclaredClass, "littlestone.classes")
    compared = 0
    for H in (H for kind in kinds for H in kind.examples()):
        try:
            learner = RadiiLearner(H, BUDGET)
        except LittlestoneError:
            continue
        if learner.caveat is Caveat.CLEAN_AND_MANY:
            with monkeypatch.context() as patch:
                patch.setattr(radii, "MOST_WORK", 10**999)  # the root refuses nothing
                patch.setattr(radii, "_TRIED", 10_000)
                assert learner.work(radii.LARGE) > MOST_WORK, H
            compared += 1
    assert compared > 20


def test_classes_whose_search_is_limited_are_refused() -> None:
    with pytest.raises(DeclarationError, match="searched with a limit"):
        RadiiLearner(Outcomes.over_columns("a", "b", labels=3, max_rules=1), BUDGET)


def test_a_dimension_holds_at_as_many_radii_as_its_score_takes() -> None:
    learner = RadiiLearner(Subsets(Integers(), 3), BUDGET, lists=(9, 5, 2))
    r = learner.mechanism.base
    for size, handicap in zip(learner.lists, learner.handicaps, strict=True):
        assert r ** (handicap - 1) < size <= r**handicap
    runs = [learner.score + handicap for handicap in learner.handicaps]
    assert learner.radii == sum(run - 1 for run in runs) + 1
    assert float(learner.mechanism.bottom_at_most(learner.score)) <= 1 / 40


@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_what_is_demanded_adds_up(d: int) -> None:
    for s in range(1, 9):
        now, following = leaf_demands(s, d), leaf_demands(s + 1, d)
        assert now == sorted(now, reverse=True)
        assert now[d] == 2 * s
        for t in range(d + 1):
            assert following[t] == now[t] + 2 + sum(now[t + 1 :])


def test_one_record_moves_a_run_by_one_radius() -> None:
    assert one_record_moves_a_run_by_one().holds


def test_no_list_is_longer_than_is_proved() -> None:
    """Singletons of so many points that the last radii leave them irreducible, and three labels."""
    for m, labels in ((6, 2), (8, 2), (6, 3)):
        rows = [[0] * m, *([y * (x == j) for x in range(m)] for j in range(m) for y in (1, 2))]
        H = FiniteClass.from_array([row for row in rows if max(row) < labels], labels=labels)
        points = list(H.domain)
        for ones in range(5):
            records = [(x, 1) for x in points[:ones]] + [(x, 0) for x in points[ones : ones + 3]]
            sample = Sample.from_examples(H.domain, records, labels=labels)
            found = list(lists(H, sample, 4, (1000,)))
            most = longest(4, 1, labels)[0]
            assert all(len(rules) <= most for _, rules in found)


def leaves_of_the_proof(
    V: Any,
    b: int,
    demands: list[int],
    costs: dict[Any, dict[int, int]],
    errors: int,
    path: Any = (),
) -> Iterator[tuple[int, Any]]:
    """The dimensions and SOAs of the leaves of T(b, s) below V, as docs/proofs/radii.md defines it.

    ``costs`` are those of the points that are not above V, and ``path`` is what is left of a path.
    """
    if V.is_empty() or errors > b:
        return
    f, dimension = V.soa(), V.littlestone_dimension()
    path = path or reducing_path(V, demands[dimension]) or ()
    wrong = (x for x, cost in costs.items() if cost.get(f(x), 0))
    x, label = path[0] if path else (next(wrong, None), None)
    if x is None:
        yield dimension, f
        return
    left = {z: cost for z, cost in costs.items() if z != x}
    for y in range(V.labels):
        more, rest = costs.get(x, {}).get(y, 0), path[1:] if y == label else ()
        yield from leaves_of_the_proof(V.restrict(x, y), b, demands, left, errors + more, rest)


SUMS: list[Any] = [
    parse_class("direct_sum(thresholds(a, 0..0), points(b; integers))"),
    parse_class("direct_sum(points(a; integers), subsets(b; at most 2, integers))"),
    Subsets(Integers(), 3),
    Lookup(Integers(), 3, 2),
]


@pytest.mark.parametrize("H", SUMS[1:], ids=str)
def test_the_fewest_errors_of_a_steady_class(H: Any) -> None:
    """Each version space with two known labels, by all ways to change the SOA at few points."""
    assert is_steady(H)
    assert not is_steady(SUMS[0])
    xs, rng = list(H.domain.examples(5)), random.Random(3)
    for _ in range(20):
        counts = {x: [rng.randrange(4) for _ in range(H.labels)] for x in xs}
        sample, V = Sample.from_counts(H.domain, counts, labels=H.labels), H
        for x in rng.sample(xs, 2):
            V = V.restrict(
                x, rng.choice([y for y in range(H.labels) if not V.restrict(x, y).is_empty()])
            )
        d = int(V.littlestone_dimension())
        best = [sample.n] * (d + 1)
        spaces = [(V, 0)]
        while spaces:
            W, j = spaces.pop()
            f, left = W.soa(), int(W.littlestone_dimension())
            errors = sum(sum(row) - row[f(x)] for x, row in counts.items())
            best[: left + 1] = [min(errors, e) for e in best[: left + 1]]
            for i in range(j, len(xs)):
                sides = (W.restrict(xs[i], y) for y in range(H.labels) if y != f(xs[i]))
                spaces += [(side, i + 1) for side in sides if not side.is_empty()]
        assert [V.least_soa_errors(sample, t) for t in range(d + 1)] == best


def test_few_version_spaces_of_a_steady_class_are_visited(monkeypatch: pytest.MonkeyPatch) -> None:
    """One record at as many points as there are radii, and with long lists all that fit."""
    visited = 0

    class Counted(VersionNode):
        def __init__(self, *args: Any) -> None:
            nonlocal visited
            visited += 1
            super().__init__(*args)

    monkeypatch.setattr(radii_lists, "VersionNode", Counted)
    for d, most, sizes in ((3, 30, (1, 3, 3)), (3, 30, (20, 9, 3)), (2, 40, (5, 2))):
        H = Subsets(Integers(), d)
        for ones in range(most - 1, most + d + 1):
            sample = Sample.from_counts(H.domain, {x: [0, 1] for x in range(ones)})
            visited = 0
            list(lists(H, sample, most, sizes))
            assert 0 < visited <= 2 * (most + d) * (sum(sizes) + d + 1)


def test_the_lists_are_those_of_the_proof() -> None:
    """Each radius by a tree of its own, on classes that reduce at some radii and not at others."""
    rng, table = random.Random(8), np.random.default_rng(8)
    eight = FiniteClass.from_array(np.eye(8, dtype=int))
    reached = set()
    for trial in range(60):
        m, K = rng.randint(3, 5), rng.choice((2, 3))
        rows = table.integers(0, K, (rng.randint(4, 9), m))
        H: Any = eight if trial % 3 == 0 else FiniteClass.from_array(rows, labels=K)
        if trial % 3 == 1:
            H = rng.choice(SUMS)
        d, K = int(H.littlestone_dimension()), H.labels
        radii, sizes = rng.randint(2, 5), tuple(rng.choice((1, 3, 50)) for _ in range(d))
        xs = rng.sample(list(H.domain.examples(8)), 3)
        records = [(rng.choice(xs), rng.randrange(K)) for _ in range(rng.randint(3, 8))]
        sample = Sample.from_examples(H.domain, records, labels=K)
        ordered, unavoidable = sample.steps()
        costs = {x: dict(ways) for x, ways in ordered}
        expected = []
        for b in range(radii):
            demands = leaf_demands(d + radii - 1 - b, d)
            leaves = list(leaves_of_the_proof(H, b, demands, costs, unavoidable))
            t = max((dimension for dimension, _ in leaves), default=-1)
            rules = {f for dimension, f in leaves if dimension == t}
            reached.add((d, t))
            if 0 <= t < d and len(rules) <= sizes[t]:
                expected.append((t, rules))
        found = list(lists(H, sample, radii, sizes))
        assert [(t, set(rules)) for t, rules in found] == expected
        assert all(len(set(rules)) == len(rules) for _, rules in found)
    assert {(1, 0), (1, 1), (2, 0), (2, 1)} <= reached


def test_what_no_longer_reduces_is_listed() -> None:
    """Points and nine singletons: a part of dimension 1 reduces at all radii but the last."""
    nine = FiniteClass.from_array(np.eye(9, dtype=int))
    H = DirectSumClass.of_parts([Points(Integers("y")), nine])
    sample = Sample.from_examples(H.domain, [((0, 7), 1)] * 5)
    found = list(lists(H, sample, 2, (1, 1)))
    assert [(t, [h.words() for h in rules]) for t, rules in found] == [
        (1, ["of y: y is 7; of x: always 0"])
    ]


def test_scores_are_counted_apart_for_each_dimension() -> None:
    f, g = (Subsets(Integers(), 2).restrict(x, 1).soa() for x in (1, 2))

    class Given(RadiiLearner[int]):
        def lists_of_sample(
            self, sample: Sample[int], start: int = 0
        ) -> Iterator[tuple[int, list[Any]]]:
            yield from [(0, [f]), (0, [f, g]), (1, [f])]

    learner = Given(Subsets(Integers(), 2), BUDGET, lists=(9, 5))
    zero, one = learner.handicaps
    assert learner.scores_of_lists(Sample.from_examples(Integers(), [])) == {
        (0, f): 2 - zero,
        (0, g): 1 - zero,
        (1, f): 1 - one,
    }


def test_a_branch_may_have_as_many_points_as_there_are_errors() -> None:
    """An error that depends on the records would tell of them: recursion has a limit."""
    H = parse_class("direct_sum(thresholds(a, 0..0), points(b; integers))")
    many = 1000
    sample = Sample.from_examples(H.domain, [((1, x), 1) for x in range(many)])
    found = list(VersionNode(H, 0).leaves(CostedPoints(sample), leaf_demands(3, 2), 1, many))
    assert [leaf.errors for leaf in found] == [many] * 2
    assert found[0].rule((1, 0)) == 0


def test_lists_are_short_and_of_rules_with_few_errors() -> None:
    H = Subsets(Integers(), 2)
    records = [(1, 1)] * 7 + [(2, 1)] * 4 + [(3, 1)] * 2 + [(4, 0)] * 3
    sample = Sample.from_examples(H.domain, records)
    found = list(lists(H, sample, 9, (2, 9)))
    # {1, 2} misses 2, {1, 3} misses 4, {1} misses 6, and {2, 3} is too late.
    assert [(t, len(rules)) for t, rules in found] == [(0, 1)] * 2 + [(0, 2)] * 2 + [(1, 1)] * 3
    errors = [{sum(h(x) != y for x, y in records) for h in rules} for _, rules in found]
    assert errors == [{2}, {2}, {2, 4}, {2, 4}, {6}, {6}, {6}]


def released(learner: RadiiLearner[Any], counts: dict[Any, list[int]]) -> str:
    sample = Sample.from_counts(learner.hypotheses.domain, counts)
    with Ledger() as ledger:
        release = learner.fit(sample, ledger=ledger, dataset="d", rng=seeded_generator(1))
    return release.hypothesis.words()


def test_three_points_are_found() -> None:
    H = Subsets(Integers(), 3)
    learner = RadiiLearner(H, BUDGET)
    points = {0: [0, 130], 1: [0, 150], 2: [0, 140], **{9 + i: [1, 0] for i in range(1500)}}
    assert released(learner, points) == "x is one of 0, 1, 2"
    assert released(learner, {0: [300, 0]}) == "always 0"


@pytest.mark.deep
def test_the_proved_learner_learns_sets_and_thresholds() -> None:
    proved = RadiiLearner.with_proved_bound(Subsets(Integers(), 2), BUDGET, **GOAL)
    assert proved.work(3929) <= MOST_WORK
    points = {0: [0, 199], 1: [0, 199], **{9 + i: [1, 0] for i in range(3531)}}
    assert released(proved, points) == "x is one of 0, 1"
    few = Thresholds.on(0, 6)
    learner = RadiiLearner.with_proved_bound(few, BUDGET, **GOAL)
    bound = learner.plan(**GOAL, setting="realizable")
    assert bound is not None
    clean = {x: [bound.n, 0] if x < 3 else [0, bound.n] for x in range(7)}
    assert released(learner, clean) == "x >= 3"


def test_fewer_records_than_radii_list_nothing() -> None:
    learner = RadiiLearner(Points(Integers()), BUDGET)
    n = learner.radii
    assert learner.work(n - 1) == 0 < learner.work(n)
    few, enough = ({7: [0, often]} for often in (n - 1, n))
    assert not learner.scores_of_lists(Sample.from_counts(Integers(), few))
    assert len(learner.scores_of_lists(Sample.from_counts(Integers(), enough))) == 1


def test_too_many_version_spaces_are_refused_before_the_spend() -> None:
    H = parse_class("direct_sum(thresholds(a, 0..2), points(b; integers))")
    learner = RadiiLearner(H, BUDGET)
    sample = Sample.from_counts(H.domain, {(1, 7): [0, 1000]})
    with Ledger() as ledger:
        with pytest.raises(TooLargeError, match="it may take"):
            learner.fit(sample, ledger=ledger, dataset="d")
        assert ledger.entries() == []
    with pytest.raises(DeclarationError, match="at most 24"):
        RadiiLearner.with_proved_bound(Subsets(Integers(), 25), BUDGET, **GOAL)


def test_several_labels_take_longer_lists() -> None:
    two, three = (FiniteClass.from_array([[0, 1], [1, 0], [0, 0]], labels=k) for k in (2, 3))
    sizes = []
    for H in (two, three):
        learner = RadiiLearner.with_proved_bound(H, BUDGET, **GOAL)
        bound = learner.plan(**GOAL, setting="realizable")
        assert bound is not None
        sizes.append(bound.n)
    assert sizes[0] < sizes[1]
    assert longest(5, 1, 3) == (2 * (leaf_demands(5, 1)[1] + 5) + 1,)
    table = Lookup(Integers(), 3, 1)  # two labels other than the usual one
    learner = RadiiLearner(table, BUDGET)
    assert leaves_of_class(table, learner.radii) == 1
    assert learner.work(1000) == 40 * (learner.radii + 2 * (learner.radii + 1))


def test_the_draw_hides_what_one_record_brings() -> None:
    learner = RadiiLearner(Subsets(Integers(), 2), BUDGET)
    mechanism = learner.mechanism
    assert mechanism.delta0 <= Fraction(1, 10**6) < mechanism.delta0 * mechanism.base
    assert math.log(mechanism.base) <= 1 / 4
    assert mechanism.cost() == BUDGET.cost


def test_a_share_of_beta_may_be_tiny() -> None:
    """As relabelling asks for it: longer than any beta that can be declared."""
    H, goal = Subsets(Integers(), 2), {"alpha": 0.1, "beta": 1e-150}
    learner = RadiiLearner.with_proved_bound(H, Budget(1, "1e-6"), **goal)
    assert 0 < learner.miss_probability <= goal["beta"] / 2
    bound = learner.plan(**goal, setting="realizable")
    assert bound is not None
    assert learner.failure(bound.n, 0.1) <= goal["beta"]


def test_a_list_is_the_same_if_all_that_waits_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(30):
        rng = random.Random(seed)
        H = Subsets(Integers(), 1 + seed % 2)
        examples = [(x, int(rng.random() < 0.8)) for x in range(rng.randrange(4, 14))] * 2
        sample = Sample.from_examples(H.domain, examples[: rng.randrange(4, 24)])
        for size in (1, 2, 3):
            ran = []
            for steady in (True, False):
                monkeypatch.setattr(radii_lists, "is_steady", lambda _, steady=steady: steady)
                found = lists(H, sample, sample.n, (size,) * (1 + seed % 2))
                ran.append([(t, set(rules)) for t, rules in found])
            assert ran[0] == ran[1]
