"""Sizes of learning several labels, in Python and on the command line."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from littlestone.classes import FiniteClass, parse_multiclass
from littlestone.cli import app
from littlestone.errors import DeclarationError
from littlestone.learners import AgnosticLearner
from littlestone.learners import BitPartsLearner, BitsLearner
from littlestone.planning import choose_learner, multiclass_plan
from littlestone.planning.multiclass import formulas
from littlestone.privacy import Budget
from littlestone.privacy.cost import PrivacyCost
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.randomness import seeded_generator
from littlestone.sample import Sample

LABELS = ["on time", "late", "cancelled"]
RULES = parse_multiclass("outcomes(origin, dest; at most 1)", LABELS)
TABLE = FiniteClass.from_array([[0, 1], [1, 2], [2, 2], [0, 0]], labels=LABELS)
GOAL: dict[str, Any] = {"budget": Budget(1, "1e-6")}


def test_the_fewest_records_first_and_baselines_last() -> None:
    rows = multiclass_plan(TABLE, **GOAL)
    assert [row.method for row in rows] == ["bits", "bit_parts", "tournaments", "buckets", "lookup"]
    sizes = [row.bound.n for row in rows if row.bound is not None]
    assert len(sizes) == 2
    assert sizes == sorted(sizes)
    assert rows[0].binary() == "exponential"
    assert rows[2].binary() == "-"
    assert "as a baseline" in rows[2].words()
    excluded = [row for row in multiclass_plan(RULES, **GOAL) if row.learner is None]
    assert [row.method for row in excluded] == ["buckets", "lookup", "tournaments"]
    assert [row.error(1000, 0.05) for row in excluded] == [None, None, None]


def test_the_size_is_that_of_the_learner() -> None:
    learner, why = choose_learner(RULES, **GOAL)
    assert isinstance(learner, BitsLearner)
    assert why.startswith("bits, 1,754 records suffice; bit_parts, 1,862")
    bound = learner.plan(0.1, 0.05, setting="realizable")
    assert bound is not None
    assert bound.n == 1754
    assert learner.cost().epsilon <= 1
    small, _ = choose_learner(RULES, Budget("0.1", "1e-6"))
    assert isinstance(small, BitPartsLearner)  # where a share of delta counts for more


def test_choosing_by_name() -> None:
    assert choose_learner(RULES, **GOAL, method="bit_parts")[0].method == "bit_parts"
    for method in ("tournaments", "nothing"):
        with pytest.raises(DeclarationError):
            choose_learner(RULES, **GOAL, method=method)


def test_a_method_that_is_named_is_planned_alone() -> None:
    (row,) = multiclass_plan(RULES, **GOAL, method="bits")
    assert row.words() == "bits, 1,754 records suffice"
    assert multiclass_plan(RULES, **GOAL, method="nothing") == []


def test_without_a_proved_size_all_records_are_read_for_each_bit() -> None:
    H = parse_multiclass("outcomes(origin, dest; at most 2)", LABELS)
    rows = multiclass_plan(H, **GOAL)
    assert [(row.method, row.bound) for row in rows[:2]] == [("bits", None), ("bit_parts", None)]


@pytest.mark.parametrize(
    ("text", "labels", "methods"),
    [("outcomes(a, b; at most 1)", LABELS, {"choosing"}),
     ("lookup(a; at most 2)", LABELS, {"partition"})],
)  # fmt: skip
def test_bits_count_errors_where_labels_may_be_wrong(
    text: str, labels: list[str], methods: set[str]
) -> None:
    H = parse_multiclass(text, labels)
    learner, why = choose_learner(H, **GOAL, setting="agnostic", method="bits")
    assert isinstance(learner, BitsLearner)
    assert {binary.method for binary in learner.learners} == methods
    assert learner.tolerates_label_noise
    assert why == "bits, of no proved size"
    assert learner.cost().epsilon <= 1


def test_bits_of_relabelled_records() -> None:
    """A bit class that no learner counts errors of directly is learned by a transformation."""
    H = FiniteClass.from_array([[0, 1, 2], [2, 1, 0], [1, 1, 1]], labels=LABELS)
    learner = BitsLearner(H, **GOAL, binary=AgnosticLearner)
    assert learner.tolerates_label_noise
    assert {binary.method for binary in learner.learners} == {"agnostic"}
    counts = np.array([[60, 600, 60], [50, 700, 50], [600, 60, 60]])
    sample = Sample(H.domain, tuple(LABELS), tuple(H.domain), counts)
    with Ledger() as ledger:
        release = learner.fit(sample, ledger=ledger, dataset="d", rng=seeded_generator(1))
    assert release.cost.within(PrivacyCost(Fraction(1), Fraction(1, 10**6)))
    assert release.n == sample.n


def test_pure_privacy_and_formulas() -> None:
    rows = multiclass_plan(TABLE, Budget(1))
    excluded = {row.method for row in rows if row.learner is None}
    assert excluded == {"buckets", "lookup", "tournaments"}
    goal: dict[str, Any] = {"alpha": 0.1, "beta": 0.05}
    assert formulas(TABLE, Budget(1), **goal) == []
    large = parse_multiclass("outcomes(a, b, c, d; at most 3)", LABELS)
    assert formulas(large, **GOAL, **goal) == []
    assert [bound.proved for bound in formulas(TABLE, **GOAL, **goal)] == [False, False]


def test_on_the_command_line(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("0,1\n1,2\n2,2\n0,0\n")
    shared = ["--labels", ",".join(LABELS), "--epsilon", "1"]
    run = CliRunner().invoke(app, ["plan", str(path), *shared, "--json"])
    assert run.exit_code == 0
    found = json.loads(run.output)
    assert [row["method"] for row in found["methods"]] == ["bits", "bit_parts"]
    assert list(found["does_not_apply"]) == ["buckets", "lookup", "tournaments"]
    run = CliRunner().invoke(app, ["plan", str(path), *shared, "--n", "900"])
    assert "proved error with 900 records" in run.output
    assert "does not apply" in run.output
    assert CliRunner().invoke(app, ["plan", str(path), *shared, "--alpha", "2"]).exit_code != 0
