"""Sizes of learning several labels, in Python and on the command line."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from littlestone.base.errors import DeclarationError
from littlestone.classes import FiniteClass, parse_class
from littlestone.cli import app
from littlestone.data.sample import Sample
from littlestone.learn import AgnosticLearner, BitPartsLearner, BitsLearner, ExponentialLearner
from littlestone.learn.plan import candidates, choose_learner, formulas, plan
from littlestone.privacy import Budget
from littlestone.privacy.cost import PrivacyCost
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.randomness import seeded_generator

LABELS = ["on time", "late", "cancelled"]
RULES = parse_class("outcomes(origin, dest; at most 1)", labels=3)
TABLE = FiniteClass.from_array([[0, 1], [1, 2], [2, 2], [0, 0]], labels=3)
GOAL: dict[str, Any] = {"budget": Budget(1, "1e-6")}


def test_the_fewest_records_first_and_baselines_last() -> None:
    """A table is learned as it is with fewer records than bit by bit."""
    found = candidates(TABLE, **GOAL, setting="realizable")
    applying = [c for c in found if c.learner is not None]
    names = ["exponential", "single_key", "bits", "bit_parts"]
    names += ["radii", "irreducible", "globally_stable", "noisy_radii"]
    assert [c.method for c in applying] == names
    sizes = [c.bound.n for c in applying if c.bound is not None]
    assert sizes == [110, 219, 431, 482]
    assert "each bit by exponential" in applying[2].describe()
    assert "as a baseline" in applying[6].describe()
    assert all(c.reason for c in found[len(applying) :])
    assert (
        found[0].describe() == "exponential: 110 records suffice for 10% error, with clean labels"
    )


def test_the_rows_of_a_plan() -> None:
    found = plan(RULES, **GOAL)
    assert [row.method for row in found.rows] == [
        "bits",
        "bit_parts",
        "irreducible",
        "globally_stable",
    ]
    assert found.lower == ()
    assert {"buckets", "lookup", "exponential"} < {c.method for c in found.excluded}
    at = {row.method: row for row in found.at(4000)}
    assert (at["bits"].realizable or 1) < (at["bit_parts"].realizable or 1) < 0.1
    assert at["bits"].agnostic is None


def test_the_size_is_that_of_the_learner() -> None:
    learner, why = choose_learner(RULES, **GOAL)
    assert isinstance(learner, BitsLearner)
    assert why == "bits: it tolerates wrong labels, and its size is proved for clean ones"
    bound = learner.plan(0.1, 0.05, setting="realizable")
    assert bound is not None
    assert bound.n == 1754
    assert learner.cost().epsilon <= 1
    small, _ = choose_learner(RULES, Budget("0.1", "1e-6"))
    assert isinstance(small, BitPartsLearner)  # where a share of delta counts for more


def test_choosing_by_name() -> None:
    assert choose_learner(RULES, **GOAL, method="bit_parts")[0].method == "bit_parts"
    for method in ("exponential", "lookup", "staged", "nothing"):
        with pytest.raises(DeclarationError):
            choose_learner(RULES, **GOAL, method=method)


def test_without_a_proved_size_all_records_are_read_for_each_bit() -> None:
    H = parse_class("outcomes(origin, dest; at most 2)", labels=3)
    found = candidates(H, **GOAL)
    assert [(c.method, c.bound) for c in found[:2]] == [("bits", None), ("bit_parts", None)]


@pytest.mark.parametrize(
    ("text", "methods"),
    [("outcomes(a, b; at most 1)", {"choosing"}), ("lookup(a; at most 2)", {"partition"})],
)  # fmt: skip
def test_bits_count_errors_where_labels_may_be_wrong(text: str, methods: set[str]) -> None:
    H = parse_class(text, labels=3)
    learner, why = choose_learner(H, **GOAL, setting="agnostic", method="bits")
    assert isinstance(learner, BitsLearner)
    assert {binary.method for binary in learner.learners} == methods
    assert learner.tolerates_label_noise
    assert why == "bits: asked for"
    assert learner.plan(0.1, 0.05) is None
    assert learner.cost().epsilon <= 1


def test_bits_of_relabelled_records() -> None:
    """A bit class that no learner counts errors of directly is learned by a transformation."""
    H = FiniteClass.from_array([[0, 1, 2], [2, 1, 0], [1, 1, 1]], labels=3)
    learner = BitsLearner(H, **GOAL, binary=AgnosticLearner)
    assert learner.tolerates_label_noise
    assert {binary.method for binary in learner.learners} == {"agnostic"}
    counts = np.array([[60, 600, 60], [50, 700, 50], [600, 60, 60]])
    sample = Sample(H.domain, tuple(H.domain), counts)
    with Ledger() as ledger:
        release = learner.fit(sample, ledger=ledger, dataset="d", rng=seeded_generator(1))
    assert release.cost.within(PrivacyCost(Fraction(1), Fraction(1, 10**6)))
    assert release.n == sample.n


def test_pure_privacy_and_formulas() -> None:
    found = plan(TABLE, Budget(1))
    assert [row.method for row in found.rows] == ["exponential", "bits", "bit_parts"]
    goal: dict[str, Any] = {"alpha": 0.1, "beta": 0.05}
    assert found.formulas == ()
    large = parse_class("outcomes(a, b, c, d; at most 3)", labels=3)
    assert formulas(large, **GOAL, **goal) == []
    stated = formulas(TABLE, **GOAL, **goal)
    assert [found.proof for found in stated] == [None, None]
    assert plan(TABLE, **GOAL).formulas == tuple(stated)


def test_wrong_labels_of_a_table() -> None:
    """It is learned by comparing all its rows, with a proved size, and so bits are not asked."""
    learner, _ = choose_learner(TABLE, **GOAL, setting="agnostic")
    assert isinstance(learner, ExponentialLearner)
    bound = learner.plan(0.1, 0.05)
    assert bound is not None
    assert bound.n == 873


def test_on_the_command_line(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("0,1\n1,2\n2,2\n0,0\n")
    shared = ["--labels", ",".join(LABELS), "--epsilon", "1"]
    run = CliRunner().invoke(app, ["plan", str(path), *shared, "--json"])
    assert run.exit_code == 0
    found = json.loads(run.output)
    assert [row["method"] for row in found["methods"]] == ["exponential", "bits", "bit_parts"]
    assert {"buckets", "lookup", "globally_stable"} < set(found["does_not_apply"])
    run = CliRunner().invoke(app, ["plan", str(path), *shared, "--n", "900"])
    assert "With 900 records" in run.output
    assert "does not apply" in run.output
    assert CliRunner().invoke(app, ["plan", str(path), *shared, "--alpha", "2"]).exit_code != 0
