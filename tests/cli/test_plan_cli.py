"""``littlestone plan``: sizes for people and for programs, without any data."""

from __future__ import annotations

import json

import pytest
from running import run

pytestmark = pytest.mark.slow


def test_for_people() -> None:
    out = run("plan", "subsets(a; at most 2)", "--epsilon", 1, "--delta", "1e-6", "--n", 900).out
    assert "error 10% with probability 95%, epsilon 1, delta 0.000001" in out
    assert "simulated, 20,000 runs" in out
    assert "With 900 records" in out


def test_for_programs() -> None:
    arguments = ["--epsilon", 1, "--delta", "1e-6", "--n", 300, "--json"]
    data = json.loads(run("plan", "points(a)", *arguments).out)
    methods = {row["method"]: row for row in data["methods"]}
    assert methods["single_key"]["proved_realizable"]["n"] == 219
    assert methods["single_key"]["caveat"] == "if no label is wrong"
    assert methods["irreducible"]["proved_realizable"] is None
    assert methods["irreducible"]["proved_realizable_with_other_parameters"]["proved"]
    assert not methods["irreducible"]["formula"]["proved"]
    assert [bound["n"] for bound in data["lower_bounds"]] == [22, 56, 209]
    assert next(row for row in data["at_n"] if row["method"] == "single_key")["calibrated"]


def test_a_class_whose_dimension_is_not_searched() -> None:
    text = "rule_sets(a, b, c, d; at most 2 rules of 2)"
    out = run("plan", text, "--epsilon", 1, "--delta", "1e-6").out
    assert "choosing" in out
    assert "any private learner that releases finite unions of elements" in out


def test_refusals() -> None:
    for changed in (["--alpha", "0"], ["--beta", "1"], ["--epsilon", "-1"], ["--delta", "2"]):
        ran = run("plan", "points(a)", "--epsilon", "1", *changed)
        assert ran.status == 2
        assert "to fix it" in ran.err
    assert run("plan", "thresholds(x, reals)", "--epsilon", "1").status == 2
    # Without a delta no learner of an infinite class applies, which is an answer.
    ran = run("plan", "points(a)", "--epsilon", "1")
    assert ran.status == 0
    assert "no method applies" in ran.out
    assert "one bit" not in ran.out
