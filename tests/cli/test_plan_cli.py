"""``littlestone plan``: sizes for people and for programs, without any data."""

from __future__ import annotations

import json
import math

from running import run

from each import each
from littlestone.learn.declared.declaration import Declaration
from littlestone.learn.declared.task import Task


def test_for_people() -> None:
    out = run("plan", "subsets(a; at most 2)", "--epsilon", 1, "--delta", "1e-6", "--n", 900).out
    assert "error 10% with probability 95%, epsilon 1, delta 0.000001" in out
    assert "simulated, 20,000 runs" in out
    assert "With 900 records" in out
    assert "of this class `fit` takes partition, if no --method is given" in out


def test_what_fit_would_refuse_says_why() -> None:
    arguments = ["plan", "score_sheet(age: 0..9)", "--epsilon", 1, "--delta", "1e-6", "--n"]
    assert "cannot learn" not in run(*arguments, 2**40).out
    assert "have room for 1,099,511,627,776" in run(*arguments, 2**40 + 1).out


def test_for_programs() -> None:
    arguments = ["--epsilon", 1, "--delta", "1e-6", "--n", 300, "--json"]
    data = json.loads(run("plan", "points(a)", *arguments).out)
    methods = {row["method"]: row for row in data["methods"]}
    assert methods["single_key"]["proved_realizable"]["n"] == 219
    assert methods["single_key"]["caveat"] == "if no label is wrong"
    assert methods["irreducible"]["proved_realizable"] is None
    assert methods["irreducible"]["proved_realizable_with_other_parameters"]["n"] > 10_000
    assert [found["at_one"] for found in data["formulas"]] == [2850, 3250, 36534, 169]
    assert [bound["n"] for bound in data["lower_bounds"]] == [22, 56, 209]
    assert next(row for row in data["at_n"] if row["method"] == "single_key")["calibrated"]
    assert data["taken"] == "choosing"


def test_what_papers_state() -> None:
    out = run("plan", "subsets(a; at most 2)", "--epsilon", 1, "--delta", "1e-6").out
    found = {line[:19].strip(): line[19:].split() for line in out.splitlines()}
    assert found["BLM20 Theorem 1"] == ["clean", "192,628", "258,121,979"]
    assert found["BGS21 Theorem 3.5"] == ["clean", "2,510,825", "-"]
    log = math.log(20e6)
    assert math.ceil(16**2 * 2**2 * (2 + log) / 0.1) == 192_628
    assert math.ceil(2**6 * math.log(2 * 200e6) ** 2 / 0.1**2) == 2_510_825
    assert found["Lyu25 Theorem 2"] == ["clean", f"{math.ceil(2**5 * log / 0.1):,}", "-"]


def test_a_stream() -> None:
    shared = ["plan", "subsets(a; at most 2)", "--epsilon", 1, "--delta", "1e-6", "--horizon", 1000]
    out = run(*shared).out
    stated = math.ceil(2**9.5 * math.log(1000) * math.log(10**6))
    assert f"Lyu25 Theorem 1  clean   {stated:,}" in out
    assert "its hypotheses are not a finite list" in out
    data = json.loads(run(*shared, "--json").out)
    assert [row["method"] for row in data["methods"]] == ["keys", "teachers", "blocks", "staged"]
    assert data["methods"][0]["proved"]["adaptive"]
    assert [found["at_one"] for found in data["formulas"]] == [stated]
    assert data["does_not_apply"]["rules"] == "it is not a class of equality rules"
    assert run(*shared, "--n", 5).status == 2
    pure = run("plan", "thresholds(x, 0..9)", "--epsilon", 1, "--horizon", 50).out
    assert "that papers state" not in pure


def test_a_class_whose_dimension_is_not_searched() -> None:
    text = "rule_sets(a, b, c, d, e; at most 2 rules of 2)"
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


def test_lower_bounds_of_streams() -> None:
    given = ("plan", "points(a)", "--epsilon", 1, "--delta", "1e-6", "--horizon", 1000)
    out = run(*given).out
    assert "Lower bounds with 95%, clean labels" in out
    bounds = json.loads(run(*given, "--json").out)["lower_bounds"]
    assert [(bound["mistakes"], bound["source"][-1]) for bound in bounds] == [
        (1, "5"),
        (5, "6"),
        (16, "7"),
    ]


@each("text", ["trees(a: 0..9, b in {x}; depth 2)", "score_sheet(a: 0..9, b in {x}; at most 2)"])
def test_too_few_records_are_said_as_fit_says_it(text: str) -> None:
    arguments = ["plan", text, "--epsilon", "0.1", "--delta", "1e-6"]
    declared = Declaration.parse("y", text, epsilon="0.1", delta="1e-6", positive="1")
    (hint,) = Task.choose(declared).hints(20)
    for n, said in ((20, hint), (2_000, None)):
        assert json.loads(run(*arguments, "--n", n, "--json").out)["too_few"] == said
    assert " ".join(hint.split()) in " ".join(run(*arguments, "--n", 20).out.split())
    least = json.loads(run(*arguments, "--json").out)["methods"][0]["too_few_below"]
    assert f"below about {least:,} records" in hint
    assert f"below about {least:,} records" in run(*arguments).out
