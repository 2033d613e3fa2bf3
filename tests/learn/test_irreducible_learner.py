"""The learner of every class: private on every tiny pair, whatever a teacher makes of its records."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from littlestone.base.errors import DeclarationError, LedgerError, TooLargeError
from littlestone.classes import FiniteClass, Points, Subsets, Thresholds, parse_class
from littlestone.data.sample import Sample
from littlestone.learn import IrreducibleLearner, StagedLearner
from littlestone.learn.papers.teachers import chunks, frontier, split
from littlestone.points import Integers
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.randomness import seeded_generator
from littlestone.prove.audit.claims import exact_audit, neighbours
from littlestone.prove.papers.lyu25_lists import one_rule_on_all_lists, rules_in_common
from littlestone.rules import Hypothesis
from littlestone.theory.decomposition import decompose, error_ball, top_hypotheses

Learner = IrreducibleLearner[Any]
Lists = list[list[Hypothesis[Any]]]
ONE, TWO = Subsets(Integers(), 1), Subsets(Integers(), 2)
PAIRS = FiniteClass.from_array([[0, 0], [0, 1], [1, 0]])


def holds(
    kind: type[Learner],
    H: Any = TWO,
    *,
    n: int = 3,
    teachers: int = 3,
    size: int = 1,
) -> bool:
    """Whether the claim survives all neighbouring samples of n records over two points."""
    xs = H.domain.examples(2) if isinstance(H, FiniteClass) else range(2)
    records = tuple(product(xs, (0, 1)))
    tested = list(neighbours(records, n, ordered=False))
    for epsilon, delta in [("1", "0.3"), ("2", "0.01")]:
        learner = kind(H, Budget(epsilon, delta), alpha="0.5", teachers=teachers, list_size=size)

        def distribution(data: Any, learner: Any = learner) -> Any:
            found = learner.distribution(Sample.from_examples(H.domain, data))
            words: dict[Any, Fraction] = {}
            for h, mass in found.items():
                words[released(h)] = words.get(released(h), Fraction(0)) + mass
            return words

        if not exact_audit(distribution, tested, learner.event).holds:
            return False
    return True


def released(h: Any) -> Any:
    """What leaves of a hypothesis."""
    return h if isinstance(h, str | tuple) else (h.words(), str(h.to_json()))


@pytest.mark.parametrize(
    ("H", "n", "teachers", "size"),
    [
        (TWO, 3, 3, 1),
        (TWO, 4, 2, 3),
        (ONE, 4, 2, 1),
        (ONE, 3, 2, 2),
        (PAIRS, 3, 3, 2),
        (PAIRS, 3, 1, 2),
    ],
    ids=str,
)
def test_private_on_every_tiny_pair(H: Any, n: int, teachers: int, size: int) -> None:
    assert holds(IrreducibleLearner, H, n=n, teachers=teachers, size=size)


class Splitting(IrreducibleLearner[Any]):
    """A learner whose lists are made of all chunks at once, so that mistakes can be planted."""

    def lists(self, parts: list[Sample[Any]]) -> Lists:
        return [self.hypotheses_of_teacher(part) for part in parts]

    def masses(self, lists: Lists) -> dict[Any, Fraction]:
        return dict(self.mechanism.distribution(lists))

    def splits(self, sample: Sample[Any]) -> Iterator[list[Sample[Any]]]:
        """All ways in which the records fall to the teachers, equally likely."""
        for order in permutations(examples(sample)):
            yield self.parts(list(order))

    def parts(self, order: list[Any]) -> list[Sample[Any]]:
        size = len(order) // self.teachers
        cut = [order[i * size : (i + 1) * size] for i in range(self.teachers)]
        return [Sample.from_examples(self.hypotheses.domain, part) for part in cut]

    def distribution(self, sample: Sample[Any]) -> dict[Any, Fraction]:
        total: dict[Any, Fraction] = {}
        splits = list(self.splits(sample))
        for parts in splits:
            for found, mass in self.masses(self.lists(parts)).items():
                h = self.hypotheses.soa() if found is None else found
                h = tuple(h) if isinstance(h, Shown) else h
                total[h] = total.get(h, Fraction(0)) + mass / len(splits)
        return total


def examples(sample: Sample[Any]) -> list[tuple[Any, int]]:
    counts = zip(sample.points, sample.negatives, sample.positives, strict=True)
    return [pair for x, a, b in counts for pair in [(x, 0)] * int(a) + [(x, 1)] * int(b)]


class CutByTheOthers(Splitting):
    """A list keeps what other teachers like."""

    def lists(self, parts: list[Sample[Any]]) -> Lists:
        lists = [frontier(self.hypotheses, part, part.n) for part in parts]
        votes = [released(h) for found in lists for h in found]
        return [sorted(found, key=lambda h: -votes.count(released(h)))[:1] for found in lists]


class AsManyTeachersAsPositives(Splitting):
    """k is chosen from the data."""

    def parts(self, order: list[Any]) -> list[Sample[Any]]:
        self.teachers = max(1, sum(y for _, y in order))
        return super().parts(order)


class SortedAndFixed(Splitting):
    """Records are sorted, and dealt to the teachers by a permutation that is fixed."""

    def splits(self, sample: Sample[Any]) -> Iterator[list[Sample[Any]]]:
        yield self.parts(sorted(examples(sample)))


class OncePerLevel(Splitting):
    """A hypothesis counts once for every radius at which it is listed."""

    def masses(self, lists: Lists) -> dict[Any, Fraction]:
        votes: dict[Any, int] = {}
        for found in lists:
            for h in list(dict.fromkeys(found))[: self.mechanism.list_size]:
                votes[h] = votes.get(h, 0) + 3
        return dict(self.mechanism.chances(votes))


class RemainderByContent(Splitting):
    """The records that fill no chunk are the largest ones, and the last teacher takes them."""

    def splits(self, sample: Sample[Any]) -> Iterator[list[Sample[Any]]]:
        order = sorted(examples(sample))
        size = len(order) // self.teachers
        full, rest = order[: size * self.teachers], order[size * self.teachers :]
        parts = self.parts(full)
        last = [*examples(parts[-1]), *rest]
        yield [*parts[:-1], Sample.from_examples(sample.domain, last)]


class WithTheVersionSpace(Splitting):
    """What is released is a teacher's own object, with the examples that it was restricted to."""

    def lists(self, parts: list[Sample[Any]]) -> Lists:
        shown: list[Any] = []
        for part, found in zip(parts, super().lists(parts), strict=True):
            shown.append([Shown(h, str(sorted(examples(part)))) for h in found])
        return shown


class Shown(tuple[Any, str]):
    """Equal as a function; carries the records of the first teacher who said it."""

    __slots__ = ()

    def __new__(cls, h: Any, told: str) -> Shown:
        return super().__new__(cls, (released(h), told))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Shown) and self[0] == other[0]

    def __hash__(self) -> int:
        return hash(self[0])


@pytest.mark.deep
@pytest.mark.parametrize(
    ("kind", "options"),
    [
        (CutByTheOthers, {"n": 4, "teachers": 2}),
        (AsManyTeachersAsPositives, {}),
        (SortedAndFixed, {"n": 4, "teachers": 2}),
        (OncePerLevel, {}),
        (RemainderByContent, {"n": 4, "teachers": 3}),
        (WithTheVersionSpace, {}),
    ],
)
def test_a_broken_learner_is_caught(kind: type[Splitting], options: dict[str, Any]) -> None:
    assert not holds(kind, **options)


def in_the_order_of_the_sample(
    sample: Sample[Any], records: NDArray[np.int64], teachers: int
) -> Iterator[Sample[Any]]:
    """A teacher meets its points as the whole sample does: the first record there may decide."""
    for part in split(sample, records, teachers):
        order = sorted(range(len(part.points)), key=lambda j: sample.points.index(part.points[j]))
        yield part.with_counts(tuple(part.points[j] for j in order), part.counts[order])


def most_changed_lists(dealt: Callable[..., Iterator[Sample[Any]]]) -> int:
    """How many lists of two teachers one replaced record changes at most."""
    learner = IrreducibleLearner(ONE, Budget(1, "0.1"), alpha="0.5", list_size=1)

    def cut(data: Any) -> list[list[Any]]:
        sample = Sample[Any].from_examples(ONE.domain, data)
        records = np.array([2 * sample.points.index(x) + y for x, y in data])
        parts = dealt(sample, records, 2)
        return [[released(h) for h in learner.hypotheses_of_teacher(part)[:1]] for part in parts]

    return max(
        sum(a != b for a, b in zip(cut(one), cut(other), strict=True))
        for one, other in neighbours(tuple(product(range(2), (0, 1))), 4)
    )


@pytest.mark.deep
def test_one_record_changes_one_list() -> None:
    assert most_changed_lists(split) == 1
    assert most_changed_lists(in_the_order_of_the_sample) == 2


def test_the_broken_learners_differ_by_their_mistakes_only() -> None:
    sample = Sample[Any].from_examples(ONE.domain, [(0, 1), (1, 0), (0, 1), (1, 1)])
    options: dict[str, Any] = {"budget": Budget(1, "0.1"), "alpha": "0.5", "teachers": 2}
    assert Splitting(ONE, **options).distribution(sample) == IrreducibleLearner(
        ONE, **options
    ).distribution(sample)


ADVERSARIAL: list[list[tuple[Any, object]]] = [
    [(x, y) for x in range(5) for y in (0, 1)],
    [(1, 0)] * 50,
    [(1, 1)] * 300,
    [(x, 1) for x in range(200)],
    [(x, x % 2) for x in range(400)],
    [("no number", 1), (None, 1), (float("nan"), "1"), (10**5000, 0)],
]


def never_raises(kind: type[Learner], text: str, **options: Any) -> bool:
    learner = kind(parse_class(text), Budget(1, "1e-6"), **options)
    for rows in ADVERSARIAL:
        sample = Sample[Any].from_examples(learner.hypotheses.domain, rows)
        try:
            with Ledger() as ledger:
                learner.fit(sample, ledger=ledger, dataset="d", rng=seeded_generator(1))
        except TooLargeError:
            return False
    return True


class LetsItsTeachersRaise(IrreducibleLearner[Any]):
    """A teacher gives up by an exception, which tells of its records."""

    def hypotheses_of_teacher(self, chunk: Sample[Any]) -> list[Hypothesis[Any]]:
        ball = error_ball(self.hypotheses, chunk, chunk.n // 2, most=self.most)
        return top_hypotheses(ball, chunk.n + 1)[1]


@pytest.mark.parametrize("most", [1, 50, 10_000])
@pytest.mark.parametrize("text", ["points(id; integers)", "subsets(id; at most 3, integers)"])
def test_no_sample_raises(text: str, most: int) -> None:
    assert never_raises(IrreducibleLearner, text, most=most, alpha="0.4")


def test_a_teacher_that_raises_is_caught() -> None:
    assert never_raises(LetsItsTeachersRaise, "points(id; integers)", most=10_000)
    assert not never_raises(LetsItsTeachersRaise, "points(id; integers)", most=3)


def test_no_sample_raises_for_classes_that_decompose_to_the_end() -> None:
    assert never_raises(IrreducibleLearner, "thresholds(x, 0..1048574)", most=300)


def test_a_used_receipt_draws_nothing() -> None:
    class Untouched(random.Random):
        def getrandbits(self, k: int) -> int:
            raise AssertionError("a random bit was read")

    learner = IrreducibleLearner(ONE, Budget(1, "1e-6"))
    sample = Sample[Any].from_examples(ONE.domain, [(1, 1)] * 100)
    with Ledger() as ledger:
        receipt = ledger.spend(learner.event, dataset="d", what="test", rng=Untouched())
        receipt.redeem(learner.event)
        with pytest.raises(LedgerError):
            learner.draw(sample, receipt=receipt)


def test_chunks_are_a_uniform_partition_in_the_order_of_the_permutation() -> None:
    data = [(0, 1), (0, 1), (1, 0), (2, 1), (2, 0)]
    sample = Sample[Any].from_examples(Integers(), data)
    rng, seen = seeded_generator(3), dict[Any, int]()
    for _ in range(3000):
        parts = list(chunks(sample, 2, rng))
        assert [part.n for part in parts] == [2, 2]
        key = str(
            [(part.points, part.negatives.tolist(), part.positives.tolist()) for part in parts]
        )
        seen[key] = seen.get(key, 0) + 1
    expected = dict.fromkeys(seen, 0)
    for order in permutations(data):
        key = str(
            [
                (part.points, part.negatives.tolist(), part.positives.tolist())
                for part in Splitting(ONE, Budget(1, "0.1"), teachers=2).parts(list(order))
            ]
        )
        expected[key] += 1
    from scipy import stats

    counts = [(seen[key], 25 * times) for key, times in expected.items()]
    assert stats.chisquare(*zip(*counts, strict=True)).pvalue > 1e-3


@pytest.mark.parametrize(
    "H",
    [
        Subsets(Integers(), 2),
        Thresholds.on(0, 6),
        FiniteClass.from_array(np.random.default_rng(3).integers(0, 2, (12, 5))),
    ],
    ids=str,
)
def test_the_frontier_is_the_union_of_the_lists_of_all_radii(H: Any) -> None:
    """Beside error balls cut cell by cell, and every radius decomposed for itself."""
    rng = random.Random(5)
    xs = list(H.domain.examples(5))
    for _ in range(25):
        rows = [(rng.choice(xs), rng.randrange(2)) for _ in range(6)]
        chunk = Sample[Any].from_examples(H.domain, rows)
        ball = error_ball(H, chunk, 3)
        expected = set()
        for radius in range(4):
            d = int(H.littlestone_dimension())
            trees = [decompose(V, chunk.n + 1, d) for V, _ in ball.shrink(radius).cells]
            degree = max((tree.degree for tree in trees), default=-1)
            expected |= {h for tree in trees for h in tree.hypotheses() if tree.degree == degree}
        listed = frontier(H, chunk, 3)
        assert set(listed) == expected
        assert len(listed) == len(expected)
        errors = [sum(h(x) != y for x, y in rows) for h in listed]
        assert errors == sorted(errors)


def test_the_proved_size_and_refusals() -> None:
    goal: dict[str, Any] = {"alpha": 0.1, "beta": 0.05}
    for H in (Points(Integers()), Subsets(Integers(), 3)):
        learner = IrreducibleLearner.with_proved_bound(H, Budget(1, "1e-6"), **goal)
        bound = learner.plan(**goal, setting="realizable")
        assert bound is not None
        m = bound.n // learner.teachers
        assert learner.failure(m, 0.1) <= 0.05 < learner.failure(m - 1, 0.1)
        failures = [learner.failure(more, 0.1) for more in range(m, 2 * m)]
        assert failures == sorted(failures, reverse=True)
        assert learner.plan(**goal) is None
        assert learner.plan(0.04, 0.05, setting="realizable") is None
        default = IrreducibleLearner(H, Budget(1, "1e-6"))
        assert default.plan(**goal, setting="realizable") is None
    for wrong in ({"alpha": 1}, {"alpha": -1}, {"teachers": 0}, {"list_size": 0}, {"most": 0}):
        with pytest.raises(DeclarationError, match=next(iter(wrong))):
            IrreducibleLearner(ONE, Budget(1, "1e-6"), **wrong)
    with pytest.raises(DeclarationError, match="delta"):
        IrreducibleLearner(ONE, Budget(1))


def test_several_labels_take_more_records_and_longer_lists() -> None:
    """K - 1 wrong labels in place of one: (K - 1)^i patterns for each choice of i places."""
    goal: dict[str, Any] = {"alpha": 0.1, "beta": 0.05}
    two, three = (FiniteClass.from_array([[0, 1], [1, 0], [0, 0]], labels=k) for k in (2, 3))
    learner = IrreducibleLearner.with_proved_bound(three, Budget(1, "1e-6"), **goal)
    bound, d = learner.plan(**goal, setting="realizable"), 1
    binary = IrreducibleLearner.with_proved_bound(two, Budget(1, "1e-6"), **goal)
    fewer = binary.plan(**goal, setting="realizable")
    assert learner.dimension == binary.dimension == d
    assert bound is not None
    assert fewer is not None
    assert fewer.n < bound.n
    m = bound.n // learner.teachers
    longest = [
        sum(
            math.comb(m + p * (2 ** (d - t) - 1), i) * (k - 1) ** i
            for p in (m + 1, 2 * (m + 1))
            for t in range(d + 1)
            for i in range(d - t + 1)
        )
        for k in (2, 3)
    ]
    assert [IrreducibleLearner.longest(m, d, k) for k in (2, 3)] == longest
    declared: dict[str, Any] = {
        "alpha": learner.alpha, "teachers": learner.teachers, "most": None, "doublings": d,
    }  # fmt: skip
    alike = [
        IrreducibleLearner(H, Budget(1, "1e-6"), list_size=longest[1], **declared)
        for H in (two, three)
    ]
    misled = alike[0].miss_probability()
    apart = [made.failure(m, 0.1) - misled for made in alike]
    assert apart[1] == pytest.approx(apart[0] * (1 + 4 * m) / (1 + 2 * m), rel=1e-3)
    cut = IrreducibleLearner(three, Budget(1, "1e-6"), list_size=longest[0], **declared)
    assert alike[1].plan(**goal, setting="realizable") is not None
    assert cut.plan(**goal, setting="realizable") is None


@pytest.mark.deep
def test_in_the_good_event_all_teachers_list_one_rule() -> None:
    assert one_rule_on_all_lists().holds


def test_without_doublings_teachers_may_agree_on_nothing() -> None:
    """One teacher lists the constant 0 alone, and another one the singletons alone."""
    H = FiniteClass.from_array(np.eye(8, dtype=int))
    parts = [
        Sample[Any].from_examples(H.domain, [(x, 0) for x in xs])
        for xs in (["x0"] * 4, ["x0", "x0", "x0", "x1"])
    ]
    assert rules_in_common(H, parts, doublings=0) == set()
    assert rules_in_common(H, parts, doublings=1)


def test_no_list_is_longer_than_is_proved() -> None:
    for n in range(2, 9):
        H = FiniteClass.from_array(np.eye(n, dtype=int))
        goal: dict[str, Any] = {"alpha": "0.9", "most": None}
        for learner in (
            IrreducibleLearner(H, Budget(1, "0.1"), **goal, doublings=1),
            StagedLearner(H, Budget(1, "0.1"), **goal),
        ):
            for rows in product(list(H.domain)[:3], repeat=2):
                chunk = Sample[Any].from_examples(H.domain, [(x, 0) for x in rows])
                assert len(learner.hypotheses_of_teacher(chunk)) <= learner.longest(2, 1)


def test_three_points_are_found() -> None:
    g, H = np.random.default_rng(1), Subsets(Integers(), 3)
    learner, rng, failures = IrreducibleLearner(H, Budget(1, "1e-6")), seeded_generator(2), 0
    for _ in range(5):
        counts = {
            i: [0, int(c)] for i, c in enumerate(g.multinomial(1200, [1 / 6] * 3 + [0.5])[:3])
        }
        rest = 1200 - sum(c for _, c in counts.values())
        counts |= {1000 + i: [1, 0] for i in range(rest)}
        with Ledger() as ledger:
            found = learner.fit(
                Sample.from_counts(H.domain, counts), ledger=ledger, dataset="d", rng=rng
            )
        failures += found.hypothesis.words() != "x is one of 0, 1, 2"
    assert failures == 0
