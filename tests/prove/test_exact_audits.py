"""Exact audits against the definitions, and every subject against its own claim."""

import math
from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from plants.harness import Claim, draws_as_it_says
from plants.several_labels import LISTS, SCORED, VOTERS, VOTES, by_votes, drawn, wrong

from littlestone.base.errors import DeclarationError
from littlestone.privacy.cost import PrivacyCost
from littlestone.privacy.event import Event, Guarantee
from littlestone.prove.audit import (
    exact_audit,
    exact_curve,
    find_subject,
    find_subjects,
    neighbours,
)
from littlestone.prove.audit.claims import (
    claimed_delta,
    hockey_stick,
    least_ratio,
    ratio_below,
    renyi_moment,
)
from littlestone.prove.audit.subject import SubjectMaker
from whole_grid import WHOLE

ONE = Fraction(1)


@st.composite
def distributions(draw: st.DrawFn) -> dict[Any, Fraction]:
    weights = draw(st.lists(st.integers(0, 6), min_size=4, max_size=4).filter(any))
    return {y: Fraction(weight, sum(weights)) for y, weight in enumerate(weights)}


@pytest.mark.parametrize("n", [1, 2, 3])
def test_neighbours_are_those_of_the_definition(n: int) -> None:
    data = list(product("abc", repeat=n))
    expected = [
        (S, T)
        for S, T in combinations(data, 2)
        if sum(x != y for x, y in zip(S, T, strict=True)) == 1
    ]
    assert sorted(map(sorted, neighbours("abc", n))) == sorted(map(sorted, expected))
    as_sets = {frozenset((tuple(sorted(S)), tuple(sorted(T)))) for S, T in expected}
    found = [
        frozenset((tuple(sorted(S)), tuple(sorted(T))))
        for S, T in neighbours("abc", n, ordered=False)
    ]
    assert len(found) == len(set(found))
    assert set(found) == {pair for pair in as_sets if len(pair) == 2}


@pytest.mark.deep
@given(distributions(), distributions(), st.fractions(0, 1))
def test_the_least_ratio_is_the_least(
    p: dict[Any, Fraction], q: dict[Any, Fraction], delta: Fraction
) -> None:
    r = least_ratio(p, q, delta)
    if r is None:
        assert sum(mass for y, mass in p.items() if not q[y]) > delta
    else:
        assert hockey_stick(p, q, r) <= delta
        assert r == 1 or hockey_stick(p, q, r - Fraction(1, 10**9)) > delta


@given(distributions(), distributions(), st.integers(2, 5))
def test_moments_are_those_of_the_definition(
    p: dict[Any, Fraction], q: dict[Any, Fraction], order: int
) -> None:
    moment = renyi_moment(p, q, order)
    if any(p[y] and not q[y] for y in p):
        assert moment is None
    else:
        assert moment is not None
        by_definition = sum(float(p[y]) ** order * float(q[y]) ** (1 - order) for y in p if p[y])
        assert float(moment) == pytest.approx(by_definition)
        exactly = sum((p[y] ** order * q[y] ** (1 - order) for y in p if p[y]), Fraction(0))
        assert exactly <= moment <= exactly * (1 + Fraction(1, 1 << 250))


class Narrow(Claim):
    """Whose rho is said to hold everywhere, and not outside of delta alone."""

    def guarantee(self) -> Guarantee:
        return Guarantee(self.epsilon, Fraction(0), super().guarantee().rho)


def test_moments_are_compared_outside_of_the_delta_of_rho() -> None:
    """A bit that is told with probability 1/7, and else by a coin."""
    delta = Fraction(1, 7)

    def distribution(bit: int) -> dict[Any, Fraction]:
        return {("all", bit): delta, None: 1 - delta}

    assert exact_audit(distribution, [(0, 1)], Claim(ONE, delta)).holds
    assert not exact_audit(distribution, [(0, 1)], Narrow(ONE, delta)).holds


@given(distributions(), distributions(), distributions(), st.fractions(0, 1), st.integers(2, 5))
def test_the_moment_outside_of_delta_is_the_least(
    p: dict[Any, Fraction],
    q: dict[Any, Fraction],
    cut: dict[Any, Fraction],
    delta: Fraction,
    order: int,
) -> None:
    kept = {y: max(Fraction(0), p[y] - delta * cut[y]) for y in p}
    moment = renyi_moment(p, q, order, delta)
    if any(kept[y] and not q[y] for y in p):
        return
    assert moment is not None
    other = sum((kept[y] ** order / q[y] ** (order - 1) for y in p if q[y]), Fraction(0))
    assert moment <= other * (1 + Fraction(1, 2**200))


@dataclass(frozen=True)
class ScaledRho(Event):
    """An event that claims ``share`` of another one's rho."""

    event: Event
    share: Fraction

    def cost(self) -> PrivacyCost:
        return self.event.cost()

    def guarantee(self) -> Guarantee:
        told = self.event.guarantee()
        return replace(told, rho=told.rho * self.share)

    def __str__(self) -> str:
        return f"{self.share} of the rho of {self.event}"


@pytest.mark.parametrize(
    ("name", "share"),
    [
        ("sparse-sampling", Fraction(2, 3)),
        ("choosing-mechanism", Fraction(3, 4)),
        ("stable-histogram", Fraction(1, 4)),
        ("composed-responses", Fraction(3, 4)),
    ],
)
def test_a_rho_that_is_too_small_is_found_beside_a_delta(name: str, share: Fraction) -> None:
    subject = find_subject(name).make(ONE, Fraction(1, 1000))
    for scale, holds in ((ONE, True), (share, False)):
        event = ScaledRho(subject.event, scale)
        assert exact_audit(subject.distribution, subject.pairs, event).holds is holds


def test_a_claim_speaks_at_every_epsilon_as_its_dominating_mechanism_does() -> None:
    """Tell all with probability delta, else lie with probability 1 / (r + 1)."""
    epsilon, delta = ONE, Fraction(1, 7)
    r = ratio_below(epsilon)

    def distribution(bit: int) -> dict[Any, Fraction]:
        rest = 1 - delta
        return {("all", bit): delta, bit: rest * r / (r + 1), 1 - bit: rest / (r + 1)}

    ratios = [ratio_below(Fraction(i, 4)) for i in range(8)]
    curve = exact_curve(distribution, [(0, 1)], ratios)
    claim = PrivacyCost(epsilon, delta)
    assert [worst.value for worst in curve] == [claimed_delta(claim, ratio) for ratio in ratios]
    audit = exact_audit(distribution, [(0, 1)], Claim(epsilon, delta))
    assert audit.holds
    assert audit.ratio.value == r
    assert not exact_audit(distribution, [(0, 1)], Claim(epsilon, delta - Fraction(1, 10**9))).holds
    assert not exact_audit(distribution, [(0, 1)], Claim(epsilon - Fraction(1, 10**9), delta)).holds


def test_ratios_are_below_and_close() -> None:
    for epsilon in ("1e-9", "0.1", "1", "44", "100", "1000"):
        x = Fraction(epsilon)
        r = ratio_below(x)
        logarithm = math.log(r.numerator) - math.log(r.denominator)
        assert logarithm == pytest.approx(float(x), rel=1e-6)


def test_a_distribution_must_be_one() -> None:
    def leaky(bit: int) -> dict[Any, Fraction]:
        return {bit: Fraction(9, 10)}

    with pytest.raises(DeclarationError, match=r"0\.9"):
        exact_audit(leaky, [(0, 1)], Claim(ONE))
    with pytest.raises(DeclarationError, match="no pair"):
        exact_curve(leaky, [], [ONE])


# Of these `make test` asks nothing, for each takes over a CPU second.
LONG = {"noisy-radii-learner", "regrown-learner", "risks-of-blocks", "risks-of-leaves",
        "rule-list-learner", "rule-sets-learner", "trees-learner", "trees-learner-labels"}  # fmt: skip
# At epsilon .1 it needs 480 records, and its chances have so many digits that an audit takes minutes.
LARGE_ALONE = {"noisy-radii-learner"}
# At epsilon 1 and, in turn, at one of the ends.
CLAIMS = [
    pytest.param(named, "1", id=f"1-{named.name}", marks=[pytest.mark.deep] * (named.name in LONG))
    for named in find_subjects()
]
CLAIMS += [
    pytest.param(named, epsilon, id=f"{epsilon}-{named.name}", marks=pytest.mark.deep)
    for i, named in enumerate(find_subjects())
    for j, epsilon in enumerate(("0.1", "5"))
    if (epsilon == "5" if named.name in LARGE_ALONE else i % 2 == j or WHOLE)
]


@pytest.mark.parametrize(("named", "epsilon"), CLAIMS)
def test_every_subject_keeps_its_claim(named: SubjectMaker, epsilon: str) -> None:
    audit = named.make(Fraction(epsilon), Fraction(1, 1000)).exact()
    assert audit.holds
    assert audit.tightness <= 1
    assert audit.claim.epsilon <= Fraction(epsilon)


@pytest.mark.deep
@pytest.mark.parametrize("named", find_subjects(), ids=lambda named: named.name)
def test_every_subject_draws_from_its_distribution(named: SubjectMaker) -> None:
    trials = 300 if "learner" in named.name else 1000  # a whole fit takes milliseconds
    assert draws_as_it_says(named.make(ONE, Fraction(1, 1000)), trials=trials)
    assert named.about


SHARP = [
    "cell-counts",
    "randomized-response",
    "discrete-laplace-count",
    "parallel-responses",
    "one-sided-threshold",
]


@pytest.mark.parametrize("name", SHARP)
def test_what_is_proved_sharp_reaches_its_epsilon(name: str) -> None:
    assert find_subject(name).make(ONE, Fraction(1, 1000)).exact().tightness > 1 - 1e-5


@pytest.mark.parametrize("name", ["sparse-sampling", "choosing-mechanism", "stable-histogram"])
def test_what_is_proved_sharp_reaches_its_delta(name: str) -> None:
    """Bottom, or the threshold, is a whole number: one less would exceed the claimed delta."""
    audit = find_subject(name).make(ONE, Fraction(1, 1000)).exact()
    (row,) = (row for row in audit.rows if row.at == audit.claim.epsilon)
    assert row.exact.value is not None
    assert row.claimed / ratio_below(ONE / 2) < row.exact.value <= row.claimed


def test_the_laws_of_three_labels_are_those_of_errors_and_of_lists() -> None:
    """So the plants of several labels differ from the honest learners by their mistakes only."""
    for records in {data for pair in SCORED.pairs for data in pair}:
        assert SCORED.distribution(records) == drawn(wrong)(records)
    for records in VOTES.pairs[-1]:
        assert VOTES.distribution(records) == by_votes(VOTERS, [LISTS[r] for r in records])


# Points are public or few, records are lists, or each record has another label with another point.
OTHERS = {"bit-parts-learner", "bits-learner", "boosting-learner", "globally-stable-learner-labels",
          "online-key-learner-long", "risks-of-blocks", "sparse-sampling"}  # fmt: skip


def test_audits_of_records_change_a_label_alone_and_a_point_alone() -> None:
    def is_record(r: Any) -> bool:
        return isinstance(r, tuple) and len(r) == 2 and type(r[1]) is int

    kept: dict[str, set[tuple[bool, bool]]] = {}
    for named in find_subjects():
        for one, other in named.make(ONE, Fraction(1, 1000)).pairs:
            data = [Counter(each) for each in (one, other) if isinstance(each, tuple)] or [
                Counter()
            ] * 2
            records = [*(data[0] - data[1]), *(data[1] - data[0])]
            if len(records) == 2 and all(map(is_record, records)):
                (x, a), (y, b) = records
                kept.setdefault(named.name, set()).add((x == y, a == b))
    assert len(kept) > 60
    assert {
        name for name, found in kept.items() if not found >= {(True, False), (False, True)}
    } == OTHERS
