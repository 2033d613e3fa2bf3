"""The ends of what epsilon and delta may be: a plan or a refusal, and no spend on endless work."""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction
from typing import Any

import pytest

from littlestone.base.errors import DeclarationError, TooLargeError
from littlestone.classes import parse_class
from littlestone.data.sample import Sample
from littlestone.learn import (
    AgnosticLearner,
    ExponentialLearner,
    IrreducibleLearner,
    PrivateLearner,
)
from littlestone.learn.base import MOST_WORK
from littlestone.learn.papers.agnostic import log_patterns
from littlestone.learn.papers.irreducible import StagedLearner
from littlestone.learn.papers.voting import VotingLearner
from littlestone.learn.plan import choose_learner, plan
from littlestone.learn.stream import online_choice
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.mechanisms.above_threshold import AboveThreshold
from littlestone.privacy.mechanisms.continual_selection import ContinualKeySelection
from littlestone.privacy.parameters import MOST_HORIZON
from littlestone.privacy.randomness import seeded_generator

CLASSES = ["points(a)", "thresholds(x, 0..99)"]
ENDS = [("1000", "1e-6"), ("709.8", "1e-100"), ("1e-9", "1e-6")]


@pytest.mark.parametrize(("epsilon", "delta"), ENDS)
@pytest.mark.parametrize("text", CLASSES)
def test_every_end_is_planned_or_refused(text: str, epsilon: str, delta: str) -> None:
    H = parse_class(text)
    found = plan(H, Budget(epsilon, delta))
    assert found.rows
    for setting in ("realizable", "agnostic"):
        goal: dict[str, Any] = {"budget": Budget(epsilon, delta), "setting": setting}
        try:
            learner, _ = choose_learner(H, **goal)
        except DeclarationError:
            continue
        assert learner.cost().epsilon <= Fraction(epsilon)
    with suppress(DeclarationError):
        online_choice(H, Budget(epsilon, delta), horizon=1000)


def test_alpha_and_beta_have_stated_ends() -> None:
    goals: list[dict[str, Any]] = [{"alpha": 1e-300}, {"beta": 1e-12}, {"alpha": 1 - 1e-16}]
    for goal in goals:
        with pytest.raises(DeclarationError, match="closer to 0 or 1 than 1e-09"):
            plan(parse_class("points(a)"), Budget(1, "1e-6"), **goal)


def test_horizons_have_a_stated_end() -> None:
    H = parse_class("thresholds(x, 0..9)")
    for horizon in (MOST_HORIZON + 1, 10**400):
        goal: dict[str, Any] = {"budget": Budget(1, "1e-6"), "horizon": horizon}
        with pytest.raises(TooLargeError, match="at most 1,000,000,000,000 steps"):
            online_choice(H, **goal)


def spent(learner: PrivateLearner[Any], n: int) -> Fraction:
    """What is spent by a fit of n records, whether or not it is refused."""
    x = learner.hypotheses.domain.examples(1)[0]
    sample = Sample.from_counts(learner.hypotheses.domain, {x: [0, n]})
    with Ledger() as book:
        with suppress(TooLargeError):
            learner.fit(sample, ledger=book, dataset="d", rng=seeded_generator(1))
        return book.total("d").epsilon


def test_endless_work_is_refused_before_the_spend() -> None:
    stumps = parse_class("stumps(a 0..9, b 0..9)")
    endless = StagedLearner(stumps, Budget(".01", ".01"))
    assert endless.work(10**6) > MOST_WORK
    assert spent(endless, 10**6) == 0
    assert spent(StagedLearner(parse_class("points(a)"), Budget(1, ".01")), 50) > 0
    tiny = IrreducibleLearner(parse_class("points(a)"), Budget("1e-9", "1e-6"))
    assert spent(tiny, tiny.teachers) == 0
    assert spent(tiny, 50) > 0  # all teachers hold nothing and make one list together


def test_work_is_a_function_of_declarations_and_n() -> None:
    """Learners made of others add theirs up."""
    H = parse_class("thresholds(x, 0..99)")
    assert ExponentialLearner(H, Budget(1)).work(10**9) == 0
    for method in (
        "irreducible",
        "ggkm",
        "staged",
        "agnostic",
        "relabelling",
        "boosting",
        "proper",
    ):
        learner, _ = choose_learner(H, Budget(1, "1e-6"), method=method)
        assert type(learner).work is not PrivateLearner.work
        assert 0 <= learner.work(10) <= learner.work(10**5)


# Found by walking through the powers one by one.
TESTS = [
    (Fraction(1), "1e-6", 1, "509/8192"),
    (Fraction(1), "1e-6", 16, "487/16384"),
    (Fraction(1, 10), "1e-9", 4, "9/2560"),
    (Fraction(5), ".01", 3, "895/2048"),
]


def test_threshold_tests_are_those_of_the_whole_search() -> None:
    """Its parameter by exact powers, for numbers that the walk in fractions reached too."""
    for epsilon, delta, hits, wanted in TESTS:
        tests = AboveThreshold(budget=Budget(epsilon, Fraction(delta)), threshold=0, hits=hits)
        assert tests.query_epsilon == Fraction(wanted)


# Of the list of all exact chances, which takes the square of their number of digits.
KEYS = [
    (1, "1e-6", 200_000, "5/32", "0x1.1305153a8b1e7p+5", 47),
    (3, ".01", 50, "15/16", "0x1.5c04a0d536fe6p+2", 8),
    ("0.3", "1e-9", 1000, "3/64", "0x1.bb6f08874e39dp+6", 154),
    (40, "1e-12", 10, "10", "0x1.00017cdc08770p+1", 2),
]


@pytest.mark.parametrize(("epsilon", "delta", "horizon", "skip", "expected", "enough"), KEYS)
def test_selections_of_keys_are_those_of_exact_chances(
    epsilon: object, delta: str, horizon: int, skip: str, expected: str, enough: int
) -> None:
    mechanism = ContinualKeySelection[str].within(Budget(epsilon, delta), horizon=horizon)
    assert mechanism.skip_epsilon == Fraction(skip)
    assert mechanism.terms.expected_records.hex() == expected
    assert mechanism.terms.sample_size(0.05) == enough
    q = Fraction(delta) / (horizon * (1 - mechanism.skip))
    for score in range(1, 200):
        assert min(mechanism.terms.weight(score), Fraction(1)) == min(q, 1)
        q *= mechanism.base


def test_a_stream_at_a_small_epsilon_begins() -> None:
    H = parse_class("subsets(a; at most 2)")
    learner, _ = online_choice(H, Budget(".02", "1e-6"), horizon=200_000, method="keys")
    with Ledger() as book:
        run = learner.start(ledger=book, dataset="d", rng=seeded_generator(1))
    for _ in range(20):
        run.predict("x")
        run.update("x", 1)
    with pytest.raises(TooLargeError, match="at most 3,000"):
        online_choice(H, Budget("1e-4", "1e-6"), horizon=200_000, method="keys")


def test_a_class_of_a_thousand_points_is_planned_without_endless_sums() -> None:
    """The number of patterns on n points once had half a million bits, a thousand times over."""
    H = parse_class("subsets(a; at most 1000)")
    with pytest.raises(TooLargeError, match="patterns on that many points"):
        log_patterns(H, 1 << 100)
    learner = AgnosticLearner(H, Budget(1, "1e-6"))
    assert learner.bound(0.1, 0.05) is None
    planned = plan(H, Budget(1, "1e-6"))
    assert planned.rows
    named = [stated.theorem for stated in planned.formulas]
    assert named == ["BGS21 Theorem 3.5", "Lyu25 Theorem 2"]  # 16^1000 is beyond floats


@pytest.mark.parametrize("method", ["irreducible", "proper", "staged"])
def test_teachers_without_records_make_one_list(
    method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    limited = VotingLearner.limit_steps

    def counted(learner: Any, found: Any) -> Any:
        asked.append(found)
        return limited(learner, found)

    monkeypatch.setattr(VotingLearner, "limit_steps", counted)
    H = parse_class("points(a)")
    learner, _ = choose_learner(H, Budget("1e-5", "1e-12"), method=method)
    assert spent(learner, 5) > 0
    assert 1 <= len(asked) <= 2  # `staged` asks once in each of two stages
