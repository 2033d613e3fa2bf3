"""What `fit` refuses, it refuses before anything is spent, and by declarations alone."""

import random
from decimal import Decimal, getcontext, localcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from littlestone.classes import FiniteClass, Thresholds
from littlestone.cli.arguments import dataset_name
from littlestone.domains import Grid, Strings
from littlestone.errors import DeclarationError
from littlestone.learners import ExponentialLearner
from littlestone.privacy.cost import exact_epsilon
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.randomness import is_cryptographic
from littlestone.sample import Sample

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
            ExponentialLearner(hypotheses, epsilon=1).fit(sample, ledger=ledger, dataset="d")
        assert ledger.entries() == []
    assert "SECRET" not in str(error.value)


def test_examples_are_encoded_by_the_domain() -> None:
    sample = Sample.from_examples(TABLE.domain, [("SECRET", 1), (None, 0), ("b", 1)])
    with Ledger() as ledger:
        ExponentialLearner(TABLE, epsilon=1).fit(sample, ledger=ledger, dataset="d")
    assert set(sample.points) == {"a", "b"}


def test_a_generator_of_another_kind_spends_nothing() -> None:
    sample = Sample.from_examples(TABLE.domain, [("a", 1)])
    with Ledger() as ledger:
        with pytest.raises(DeclarationError, match="generator"):
            ExponentialLearner(TABLE, epsilon=1).fit(
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
