"""What `fit` refuses, it refuses before anything is spent, and by declarations alone."""

import random
from decimal import Decimal, getcontext, localcontext
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from littlestone.base.errors import DeclarationError, TableError, TooLargeError
from littlestone.classes import FiniteClass, Subsets, Thresholds
from littlestone.data import open_table
from littlestone.data.opening import dataset_name
from littlestone.data.sample import Sample
from littlestone.learn import BitsLearner, ExponentialLearner, IrreducibleLearner, base
from littlestone.learn.choosing import ChoosingLearner
from littlestone.learn.papers.irreducible import StagedLearner
from littlestone.learn.plan import choose_learner, plan
from littlestone.learn.plan.choice import candidates
from littlestone.points import Grid, Strings
from littlestone.privacy import Budget
from littlestone.privacy.cost import PrivacyCost, exact_epsilon
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.randomness import is_cryptographic

TABLE = FiniteClass.from_array([[0, 1], [1, 0]], points=["a", "b"])


@pytest.mark.parametrize(
    ("hypotheses", "sample"),
    [
        (TABLE, Sample.from_examples(Strings(), [("SECRET", 1)])),
        (Thresholds.on(10, 120), Sample.from_examples(Grid(0, 120), [(5, 1)])),
        (Thresholds.on(0, 3), Sample.from_examples(Grid(0, 2000), [(7, 1)])),
        (Thresholds.on(0, 3, "age"), Sample.from_examples(Grid(0, 3, "size"), [(1, 1)])),
        (Thresholds.on(0, 3), [(1, 1)]),
        (Thresholds.on(0, 3), None),
    ],
)
def test_a_sample_over_another_domain(hypotheses: Any, sample: Any) -> None:
    with Ledger() as ledger:
        with pytest.raises(DeclarationError) as error:
            ExponentialLearner(hypotheses, Budget(1)).fit(sample, ledger=ledger, dataset="d")
        assert ledger.entries() == []
    assert "SECRET" not in str(error.value)


def test_examples_are_encoded_by_the_domain() -> None:
    sample = Sample.from_examples(TABLE.domain, [("SECRET", 1), (None, 0), ("b", 1)])
    with Ledger() as ledger:
        ExponentialLearner(TABLE, Budget(1)).fit(sample, ledger=ledger, dataset="d")
    assert set(sample.points) == {"a", "b"}


def test_a_generator_of_another_kind_spends_nothing() -> None:
    sample = Sample.from_examples(TABLE.domain, [("a", 1)])
    with Ledger() as ledger:
        with pytest.raises(DeclarationError, match="generator"):
            ExponentialLearner(TABLE, Budget(1)).fit(
                sample,
                ledger=ledger,
                dataset="d",
                rng=np.random.default_rng(0),  # type: ignore[arg-type]
            )
        assert ledger.entries() == []


def test_only_the_systems_own_generator_is_private() -> None:
    class Rigged(random.SystemRandom):
        def getrandbits(self, k: int) -> int:
            return 0

    assert is_cryptographic(random.SystemRandom())
    assert not is_cryptographic(Rigged())
    assert not is_cryptographic(random.Random(0))


@pytest.mark.parametrize("epsilon", ["1e-10", "1e-400", "1001", "1e400", "9" * 5000, 10**500])
def test_epsilons_of_no_use_are_refused(epsilon: object) -> None:
    with pytest.raises(DeclarationError):
        exact_epsilon(epsilon)


def test_a_limit_binds_a_file_before_it_exists(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    before = dataset_name("visits.csv")
    Path("visits.csv").touch()
    assert before == dataset_name("visits.csv") == dataset_name("./visits.csv")
    Path("census").touch()
    assert dataset_name("census") == "census"


def test_the_words_of_a_rule_do_not_depend_on_the_decimal_context() -> None:
    cents = Grid(0, 10**9, "x", Decimal("0.01"))
    with localcontext() as context:
        context.prec = 3
        assert cents.words(123456) == "1234.56"
        assert cents.encode("1234.567") == 123456
    assert getcontext().prec == 28


def test_a_sample_without_examples_spends_nothing() -> None:
    with Ledger() as ledger:
        with pytest.raises(DeclarationError, match="no examples"):
            ExponentialLearner(TABLE, Budget(1)).fit(
                Sample.from_examples(TABLE.domain, []), ledger=ledger, dataset="d"
            )
        assert ledger.entries() == []


def test_endless_work_spends_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "MOST_WORK", -1)
    H = FiniteClass.from_array([[0, 1], [1, 2], [2, 2]], labels=3)
    several = Sample.from_examples(H.domain, [(0, 1)], labels=3)
    two = Sample.from_examples(TABLE.domain, [("a", 1)])
    exponential = ExponentialLearner(TABLE, Budget(1))
    fits: list[tuple[Any, Any]] = [
        (exponential.fit, two),
        (partial(exponential.fit, estimate=Fraction(1)), two),
        (BitsLearner(H, Budget(1, "0.01")).fit, several),
    ]
    for fit, sample in fits:
        with Ledger() as ledger:
            with pytest.raises(TooLargeError, match="it may take about"):
                fit(sample, ledger=ledger, dataset="d")
            assert ledger.entries() == []


def test_a_size_that_takes_too_long_to_find_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(self: Any, *goal: Any, **setting: Any) -> Any:
        raise TooLargeError("plan", found="it is too long", fix="ask for less")

    learner = ExponentialLearner(TABLE, Budget(1))
    learner.require_affordable(10**9)
    monkeypatch.setattr(ExponentialLearner, "work", lambda self, n: 10**8 + n)
    learner.require_affordable(0)
    with pytest.raises(TooLargeError):
        learner.require_affordable(1)
    monkeypatch.setattr(ExponentialLearner, "plan", endless)
    assert learner.bound(0.1, 0.1) is None
    assert learner.accuracy(10, 0.1) is None
    found = {row.method: row for row in candidates(TABLE, Budget(1, "1e-6"))}
    assert found["exponential"].bound is None


@pytest.mark.parametrize("goal", [{"alpha": 1e-10}, {"beta": 1e-10}, {"alpha": 1 - 1e-12}])
def test_goals_too_close_to_a_certainty_are_refused(goal: dict[str, float]) -> None:
    H = FiniteClass.from_array([[0, 1], [1, 2], [2, 2]], labels=3)
    budget: dict[str, Any] = {"budget": Budget(1, "1e-6"), **goal}
    for ask in (
        lambda: candidates(TABLE, **budget),
        lambda: choose_learner(TABLE, method="exponential", **budget),
        lambda: plan(H, **budget),
    ):
        with pytest.raises(DeclarationError, match="closer to 0 or 1 than 1e-09"):
            ask()


def test_the_work_of_a_learner_is_that_of_its_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    budget: dict[str, Any] = {"budget": Budget(1, "1e-6")}
    H = Thresholds.on(0, 99)
    learner: Any
    for kind in (StagedLearner, IrreducibleLearner):
        for learner in (
            kind(H, **budget),
            kind.with_proved_bound(H, **budget, alpha=0.1, beta=0.1),
        ):
            balls = learner.dimension if kind is StagedLearner else learner.doublings
            n = learner.teachers  # with fewer records, teachers without one make a list together
            assert learner.work(n) >= learner.teachers * (balls + 1)
            assert learner.work(n) % (learner.teachers * (balls + 1)) == 0
    learner = ChoosingLearner(Subsets(Strings("x"), 3), **budget)
    assert learner.work(10**6) >= learner.rounds * 10**5  # numpy counts ten records in a step
    monkeypatch.setattr(ExponentialLearner, "work", lambda self, n: 10**9 + n)
    monkeypatch.setattr(IrreducibleLearner, "work", lambda self, n: 10**9 + n)
    learner, _ = choose_learner(H, method="boosting", **budget)
    assert learner.work(10**6) > learner.walk.rounds * 10**9
    for method in ("agnostic", "relabelling", "proper"):
        learner, _ = choose_learner(H, method=method, **budget)
        assert learner.work(10**6) > 10**9
    C = FiniteClass.from_array([[0, 1], [1, 2], [2, 2]], labels=3)
    learner = BitsLearner(C, **budget, binary=lambda H, budget: ExponentialLearner(H, budget))
    assert learner.work(5) == 2 * (10**9 + 5)


def test_a_release_tells_the_total_and_the_limit_of_its_moment() -> None:
    sample, most = Sample.from_examples(TABLE.domain, [("a", 1)]), PrivacyCost(Fraction(5))
    with Ledger() as ledger:
        ledger.set_limit("d", most)
        fit = partial(ExponentialLearner(TABLE, Budget(1)).fit, sample, ledger=ledger, dataset="d")
        found = [fit(), fit()]
    assert [release.total for release in found] == [PrivacyCost(Fraction(k)) for k in (1, 2)]
    assert {release.limit for release in found} == {most}


def test_a_label_of_any_kind_is_no_error() -> None:
    labels: list[Any] = [1, True, 1.0, "1", np.True_, 0, None, float("nan"), "0", [1], object()]
    sample = Sample.from_examples(TABLE.domain, [("a", y) for y in labels])
    assert (int(sample.positives.sum()), sample.n) == (5, len(labels))


@pytest.mark.parametrize("name", ["visits.txt", "v2", "visits.CSV"])
def test_what_fit_reads_a_limit_can_name(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A table that `fit` accepts is known to the ledger by its path, whoever spells its name."""
    monkeypatch.chdir(tmp_path)
    Path(name).write_text("x,y\n1,0\n")
    try:
        open_table(name)
    except TableError:
        return
    assert dataset_name(name) == str(tmp_path.resolve() / name)
