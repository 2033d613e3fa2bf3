"""The exponential-mechanism learner: what it releases, what it promises, what it refuses."""

import math
import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from littlestone.base.errors import (
    BudgetExceededError,
    DeclarationError,
    EmptyClassError,
    InfiniteDimensionError,
)
from littlestone.classes import FiniteClass, Points, Thresholds
from littlestone.data.sample import Sample
from littlestone.learn import ExponentialLearner, Release
from littlestone.learn.base import Setting
from littlestone.learn.plan import formulas
from littlestone.points import Reals, Strings
from littlestone.privacy import Budget
from littlestone.privacy.cost import PrivacyCost
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.randomness import seeded_generator

H = Thresholds.on(0, 99, "delay")


def noisy(n: int, cut: int, noise: float, seed: int) -> Sample[int]:
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 100, size=n)
    y = (x >= cut) ^ (rng.random(n) < noise)
    return Sample.from_examples(H.domain, zip(x.tolist(), y.astype(int).tolist(), strict=True))


def test_learns_a_threshold_and_records_it_first() -> None:
    with Ledger() as ledger:
        release = ExponentialLearner(H, Budget("0.5")).fit(
            noisy(5000, 40, 0.1, seed=1), ledger=ledger, dataset="flights", label="late"
        )
        (entry,) = ledger.entries()
    assert release.hypothesis.words() in {f"delay >= {t}" for t in range(38, 43)}
    assert (entry.number, entry.cost) == (release.receipt, PrivacyCost(Fraction(1, 2)))
    assert release.private
    assert release.n == 5000


@pytest.mark.parametrize("declared", [H, FiniteClass.from_array(np.triu(np.ones((9, 9), int)))])
def test_a_release_survives_its_file(declared: Thresholds | FiniteClass) -> None:
    sample = Sample.from_examples(
        declared.domain, [(x, i % 2) for i, x in enumerate(declared.domain)]
    )
    with Ledger() as ledger:
        release = ExponentialLearner(declared, Budget(1)).fit(sample, ledger=ledger, dataset="d")
    assert Release.from_json(release.to_json()) == release


def test_a_seeded_draw_is_repeatable_and_says_so() -> None:
    releases = []
    with Ledger() as ledger:
        for _ in range(2):
            learner = ExponentialLearner(H, Budget("0.01"))
            releases.append(
                learner.fit(
                    noisy(50, 40, 0.2, seed=2), ledger=ledger, dataset="d", rng=seeded_generator(3)
                )
            )
    assert releases[0].hypothesis == releases[1].hypothesis
    assert not releases[0].private
    assert "NOT PRIVATE" in str(releases[0].to_json())


def test_nothing_is_drawn_past_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[int] = []

    def count(self: object, k: int) -> int:
        drawn.append(k)
        return 0

    monkeypatch.setattr(random.SystemRandom, "getrandbits", count)
    with Ledger() as ledger:
        ledger.set_limit("d", PrivacyCost(Fraction(1)))
        learner = ExponentialLearner(H, Budget("0.6"))
        sample = noisy(50, 40, 0.0, seed=0)
        learner.fit(sample, ledger=ledger, dataset="d")
        before = len(drawn)
        with pytest.raises(BudgetExceededError):
            learner.fit(sample, ledger=ledger, dataset="d")
        assert (len(drawn), len(ledger.entries())) == (before, 1)


def test_what_cannot_be_learned_is_refused_at_construction() -> None:
    with pytest.raises(InfiniteDimensionError):
        ExponentialLearner(Thresholds.over(Reals()), Budget(1))
    with pytest.raises(EmptyClassError):
        ExponentialLearner(H.restrict(5, 1).restrict(5, 0), Budget(1))
    with pytest.raises(DeclarationError, match="infinitely many"):
        ExponentialLearner(Points(Strings()), Budget(1))
    for epsilon in (0, -1, "nan", "inf", "", None, True):
        with pytest.raises(DeclarationError):
            ExponentialLearner(H, Budget(epsilon))


def test_huge_domains_are_not_enumerated() -> None:
    wide = Thresholds.on(-(2**63), 2**63 - 1)
    sample = Sample.from_examples(
        wide.domain, [(x * 2**40, int(x >= 7)) for x in range(-1000, 1000)]
    )
    with Ledger() as ledger:
        release = ExponentialLearner(wide, Budget(1)).fit(sample, ledger=ledger, dataset="d")
    wrong = sum(release.hypothesis(x * 2**40) != (x >= 7) for x in range(-1000, 1000))
    # Each further error divides a cut's weight by e^0.5; 200 errors outweigh 2^64 cuts.
    assert wrong <= 200


@settings(max_examples=60, deadline=None)
@given(
    st.floats(0.001, 0.9),
    st.floats(0.001, 0.5),
    st.sampled_from(["realizable", "agnostic"]),
    st.sampled_from(["0.01", "1", "8"]),
)
def test_the_plan_keeps_its_promise(alpha: float, beta: float, setting: str, epsilon: str) -> None:
    """The failure probability, summed exactly for the worst distribution of the proof."""
    learner = ExponentialLearner(H, Budget(epsilon))
    kind: Setting = "realizable" if setting == "realizable" else "agnostic"
    n = learner.plan(alpha, beta, setting=kind).n
    r = float(learner.mechanism.base)
    if kind == "realizable":
        # err - err* of one record: 1 with probability alpha, else 0.
        moment = 1 - alpha + alpha / r
    else:
        p = (1 + alpha) / 2
        tilts = np.append(np.linspace(0, math.log(r), 2001), min(math.log(r), math.atanh(alpha)))
        moment = float(min(p * np.exp(-tilts) + (1 - p) * np.exp(tilts)))
    assert learner.size * moment**n <= beta * (1 + 1e-6)
    assert n == 1 or learner.size * moment ** (n - 2) > beta * (1 - 1e-2)


def test_plans_order_as_they_should() -> None:
    learner = ExponentialLearner(H, Budget(1))
    realizable = learner.plan(0.05, 0.05, setting="realizable").n
    agnostic = learner.plan(0.05, 0.05).n
    (stated,) = formulas(H, Budget(1), alpha=0.05, beta=0.05)
    assert stated.proof is not None
    assert realizable < agnostic < stated.proof
    alpha = learner.accuracy(agnostic, 0.05)
    assert alpha is not None
    assert abs(alpha - 0.05) < 1e-4
    assert learner.accuracy(3, 0.05) is None
    for bad in (0.0, 1.0, -1.0, math.nan):
        with pytest.raises(DeclarationError):
            learner.plan(bad, 0.05)


def test_the_papers_bound_is_the_least_n() -> None:
    (stated,) = formulas(H, Budget(1), alpha=0.1, beta=0.05)
    n = stated.proof

    def failure(m: int) -> float:
        return 101 * (math.exp(-m * 0.1 / 6) + 2 * math.exp(-2 * m * 0.1**2 / 9))

    assert n is not None
    assert failure(n) <= 0.05 < failure(n - 1)
