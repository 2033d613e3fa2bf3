"""Which learner is taken and why, what is known of its sizes, and the command that prints it."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import Any

import pytest

from littlestone.base.errors import DeclarationError
from littlestone.classes import Points, Subsets, Thresholds, parse_class
from littlestone.classes.text.declared import declared_kinds
from littlestone.learn import ExponentialLearner, RadiiLearner
from littlestone.learn.base import MOST_WORK, Setting
from littlestone.learn.declared.task import default_class
from littlestone.learn.papers.globally_stable import BatchSizes, paper_sizes
from littlestone.learn.plan import (
    candidates,
    choose_learner,
    find_calibration,
    formulas,
    plan,
    plan_stream,
)
from littlestone.learn.plan.choice import explain
from littlestone.learn.plan.sizes import stream_formulas
from littlestone.points import Integers, Reals, Strings
from littlestone.privacy import Budget
from littlestone.privacy.mistakes import MistakeCosts

GOAL: dict[str, Any] = {"budget": Budget(1, "1e-6"), "alpha": 0.1, "beta": 0.05}


def test_proved_comes_before_calibrated_and_before_unknown() -> None:
    goal: dict[str, Any] = {**GOAL, "setting": "realizable"}
    order = [c.method for c in candidates(Subsets(Integers(), 2), **goal) if c.learner]
    assert order[:4] == ["partition", "radii", "choosing", "irreducible"]
    assert order.index("globally_stable") > 2
    for c in candidates(Subsets(Integers(), 2), **{**GOAL, "budget": Budget(2)}):
        assert c.calibrated is None


@pytest.mark.parametrize(
    ("kind", "epsilon", "setting", "method"),
    [
        ("linear", "1", "realizable", "radii"),
        ("linear", "1", "agnostic", "agnostic"),
        ("linear", "0.1", "realizable", "irreducible"),  # a million records take too much work
        ("affine", "1", "realizable", "irreducible"),  # of Littlestone dimension 3
    ],
)
def test_radii_are_for_clean_labels_and_dimension_two(
    kind: str, epsilon: str, setting: Setting, method: str
) -> None:
    H, n = parse_class(f"{kind}(w, x, y, z; q 2305843009213693951, dimension 2)"), 10**6
    budget = Budget(epsilon, "1e-6")
    learner, _ = choose_learner(H, budget, setting=setting)
    assert learner.method == method
    assert setting == "agnostic" or learner.work(n) <= MOST_WORK
    refused = RadiiLearner(H, budget).work(n) > MOST_WORK
    assert refused == (setting == "realizable" and method == "irreducible")


@pytest.mark.parametrize(
    ("text", "setting", "why"),
    [
        (
            "thresholds(x, 0..9)",
            "agnostic",
            "exponential: it scores every rule of the class, and its size is proved for any labels",
        ),
        ("rules(a, b; at most 2)", "agnostic", "choosing: its size is proved for any labels"),
        (
            "subsets(a; at most 2)",
            "agnostic",
            "partition: it tolerates wrong labels, and its size is proved for clean ones",
        ),
        (
            "subsets(a; at most 2)",
            "realizable",
            "partition: the smallest size proved for clean labels, of all methods without a caveat",
        ),
        (
            "rule_sets(a, b; at most 2 rules of 1)",
            "agnostic",
            "choosing: it tolerates wrong labels",
        ),
        (
            "rule_sets(a, b; at most 2 rules of 1)",
            "realizable",
            "choosing: no method without a caveat has a proved size",
        ),
        (
            "intervals(id, -9223372036854775808..9223372036854775807)",
            "agnostic",
            "exponential: it scores every rule of the class, and its size is proved for any labels",
        ),
        (
            f"parities({', '.join(f'c{j}' for j in range(25))})",
            "agnostic",
            "irreducible: no method that tolerates wrong labels applies; they may mislead this one",
        ),
    ],
)
def test_the_sentence_gives_one_reason(text: str, setting: Setting, why: str) -> None:
    assert choose_learner(parse_class(text), Budget(1, "1e-6"), setting=setting)[1] == why


@pytest.mark.deep
@pytest.mark.parametrize("budget", [Budget(1), Budget(1, "1e-6"), Budget("0.1", "1e-2")], ids=str)
@pytest.mark.parametrize("costs", [None, MistakeCosts(5, 1)], ids=["equal", "5:1"])
def test_a_class_that_can_be_scored_needs_no_search(
    budget: Budget, costs: MistakeCosts | None
) -> None:
    """The learner that is taken at once is the first of all candidates, for every third example."""
    taken, examples = 0, [H for kind in declared_kinds().values() for H in kind.examples()]
    for H in examples[::3]:
        try:
            learner, why = choose_learner(H, budget, mistakes=costs)  # type: ignore[arg-type]
        except DeclarationError:
            continue
        if "it scores every rule" in why:
            first = candidates(H, budget, mistakes=costs)[0].learner  # type: ignore[arg-type]
            assert (type(first), repr(first)) == (type(learner), repr(learner))
            taken += 1
    assert taken > 15


def test_a_large_class_of_one_mistake_is_searched() -> None:
    """Its lines through 0 do not overlap, so choosing one needs no comparison of all of them."""
    H = parse_class("linear(x, y; q 1000003, dimension 1)")
    found = {c.method: c.bound.n for c in candidates(H, **GOAL) if c.bound}
    assert found["choosing"] < found["exponential"]
    assert choose_learner(H, Budget(1, "1e-6"))[0].method == "choosing"


def test_every_method_is_explained() -> None:
    """Each by its size or, together with all that have the same reason, by why it does not apply."""
    H = parse_class("thresholds(x, 0..9)")
    rows = explain(H, Budget(1))
    assert rows[0][0] == choose_learner(H, Budget(1))[0].method
    shown = " ".join(f"{heading} {sentence}" for heading, sentence in rows)
    assert all(found.method in shown for found in candidates(H, Budget(1)))
    reasons = [sentence for heading, sentence in rows if heading == "does not apply"]
    lookups = (
        "buckets, lookup: it is not a class of lookup tables; declare lookup(COLUMN; at most M)"
    )
    assert lookups in reasons
    assert any("; give delta > 0, such as 1e-6" in reason for reason in reasons)
    assert len(reasons) == len({reason.partition(": ")[2] for reason in reasons})


def test_what_is_said_of_the_fewest_leaves_out_methods_with_a_caveat() -> None:
    """One of them may need fewer records, if its caveat is met; a plan names it and the caveat."""
    H = parse_class("points(a)")
    words = {c.method: c.describe() for c in candidates(H, **GOAL)}
    assert words["single_key"].endswith(
        "219 records suffice for 10% error, with clean labels only; only if no label is wrong"
    )
    assert choose_learner(H, Budget(1, "1e-6"))[0].method == "choosing"
    learner, why = choose_learner(parse_class("lookup(a; at most 2)", labels=3), Budget(1))
    assert (learner.method, why) == (
        "buckets",
        "buckets (if no key need be named): no other method applies",
    )


def test_alpha_reaches_the_learner() -> None:
    goal = {**GOAL, "alpha": 0.02}
    H = parse_class("polynomial_zeros(x, y; q 101, degree 2)")
    learner, _ = choose_learner(H, **goal)
    assert learner.alpha == Fraction(1, 50)  # type: ignore[attr-defined]
    named, _ = choose_learner(H, **goal, method="irreducible")
    assert named.alpha == learner.alpha  # type: ignore[attr-defined]
    with pytest.raises(DeclarationError, match="alpha"):
        choose_learner(H, **{**GOAL, "alpha": 2})


def test_every_method_that_does_not_apply_says_why() -> None:
    """In both rounds of the choice: without a caveat, and with one."""
    H = parse_class("affine(w, x, y, z; q 101, dimension 2)")  # too large to count
    with pytest.raises(DeclarationError) as error:
        choose_learner(H, Budget(1, "1e-6"), mistakes=MistakeCosts(5, 1))
    methods = {c.method for c in candidates(H, Budget(1))}
    assert len(methods) > 10
    assert methods <= set(re.findall(r"\w+", str(error.value)))
    assert "delta" not in str(error.value)  # no delta would help
    assert "infinitely many" not in str(error.value)


def test_only_the_methods_that_a_delta_helps_ask_for_one() -> None:
    H = parse_class("trees(age: 0..120 step 5, ward; depth 2)")
    with pytest.raises(DeclarationError) as error:
        choose_learner(H, Budget(1))
    asked, found, fix = error.value.asked, error.value.found, error.value.fix
    assert asked.endswith("with delta = 0")
    assert found == "column ward has no list of values"
    assert fix.startswith("give it one, such as ward in {ICU, ER}, or a range")
    assert fix.endswith("delete it from the schema or the class; or allow --delta 1e-6")
    assert choose_learner(H, Budget(1, "1e-6"))[0].method == "vocabulary"


def test_what_nobody_learns_is_refused_as_itself() -> None:
    H = Thresholds.over(Reals())
    with pytest.raises(DeclarationError) as error:
        choose_learner(H, Budget(1))
    with pytest.raises(DeclarationError) as expected:
        H.require_learnable()
    assert str(error.value) == str(expected.value)


def test_what_is_printed() -> None:
    found = plan(parse_class("thresholds(x, 0..9)"), Budget(1), alpha=0.2, beta=0.01)
    first, *_, last = str(found).splitlines()
    assert first.startswith("records for error 20% with probability 99%, epsilon 1")
    row = found.rows[0]
    assert row.realizable is not None
    assert row.agnostic is not None
    assert row.realizable.n < row.agnostic.n
    line = f"proved {row.realizable.n:,} (clean labels), {row.agnostic.n:,} (any)"
    assert f"  {row.method}: {line}" in str(found).splitlines()
    assert last.startswith("  at least ")
    assert (row.tuned, row.tuned_agnostic) == (None, None)  # it needs no other parameters
    best = candidates(parse_class("thresholds(x, 0..9)"), Budget(1), alpha=0.2)[0]
    assert "suffice for 20 percentage points above the best" in best.describe()


def test_a_calibrated_size_is_enough() -> None:
    found = plan(Subsets(Strings(), 2), **GOAL)
    (place,) = [i for i, row in enumerate(found.rows) if row.method == "partition"]
    size = found.rows[place].calibrated
    assert size is not None
    assert [found.at(n)[place].calibrated for n in (size.n - 1, size.n)] == [False, True]


def test_sizes_are_calibrated_for_what_was_simulated_alone() -> None:
    known = {
        (method, k): find_calibration(method, Subsets(Strings(), k), **GOAL)
        for method in ("irreducible", "choosing", "partition", "single_key")
        for k in range(1, 7)
    }
    assert [k for (method, k), size in known.items() if method == "irreducible" and size] == [
        *range(1, 6)
    ]
    assert known["partition", 1] is None
    for size in known.values():
        if size is not None:
            assert size.n == dict(size.profiles)[size.worst] == max(n for _, n in size.profiles)
    for method in ("irreducible", "choosing"):
        sizes = [size.n for (name, _), size in known.items() if name == method and size]
        assert sizes == sorted(sizes)
    others = [
        Subsets(Strings(), 2, exactly=True),
        Subsets(Strings(), 2).restrict("a", 1),
        Points(Strings(), exactly=True),
        parse_class("thresholds(x, 0..9)"),
    ]
    assert not any(find_calibration("irreducible", H, **GOAL) for H in others)
    for changed in (
        {"budget": Budget(2)},
        {"budget": Budget(1, "1e-5")},
        {"alpha": 0.2},
        {"beta": 0.1},
    ):
        assert find_calibration("irreducible", Subsets(Strings(), 2), **{**GOAL, **changed}) is None


@pytest.mark.parametrize("method", ["partition", "choosing", "lookup"])
def test_sizes_between_simulated_epsilons(method: str) -> None:
    H = (
        parse_class("lookup(a; at most 2)", labels=3)
        if method == "lookup"
        else Subsets(Strings(), 2)
    )

    def size(epsilon: str) -> Any:
        return find_calibration(method, H, **{**GOAL, "budget": Budget(epsilon, "1e-6")})

    epsilons = ["0.1", "0.11", "0.17", "0.3", "0.5", "0.999", "1", "1.7", "3"]
    found = [size(e) for e in epsilons]
    sizes, ends = [s.n for s in found], (found[3], found[6])
    assert sizes == sorted(sizes, reverse=True)
    assert [s.between for s in found[3:7]] == [None, ("0.3", "1"), ("0.3", "1"), None]
    assert found[4].n == math.ceil(max(Fraction(3, 10) * ends[0].n, ends[1].n) / Fraction(1, 2))
    assert found[1].n <= found[0].n
    words = found[4].describe()
    assert words.startswith("from sizes simulated at epsilon 0.3 and 1, 10,000 runs, worst of")
    assert size("0.0999") is None
    assert size("3.001") is None


def test_tables_that_are_partly_known_have_no_calibrated_size() -> None:
    H = parse_class("lookup(a; at most 2)", labels=2)
    assert find_calibration("lookup", H, **GOAL) is not None
    assert find_calibration("lookup", H.restrict("x", 1), **GOAL) is None
    assert find_calibration("irreducible", H, **GOAL) is None
    assert find_calibration("lookup", Subsets(Strings(), 2), **GOAL) is None


def test_simulated_sizes_of_proved_learners_are_no_larger() -> None:
    """But for the grid of ratio 1.02, and 5% that is estimated."""
    for k in range(1, 6):
        for c in candidates(Subsets(Strings(), k), **GOAL):
            if c.bound is not None and c.calibrated is not None:
                assert c.calibrated.n <= 1.03 * c.bound.n


@pytest.mark.parametrize("text", ["points(a)", "subsets(a; at most 3)", "thresholds(x, 0..50)"])
def test_what_n_promises_is_what_the_plan_asks_for(text: str) -> None:
    found = plan(parse_class(text), **GOAL)
    for row, at in zip(found.rows, found.at(700), strict=True):
        for alpha, setting in ((at.realizable, "realizable"), (at.agnostic, "agnostic")):
            if alpha is None:
                continue
            bound = row.learner.plan(alpha, 0.05, setting=setting)  # type: ignore[arg-type]
            assert bound is not None
            assert bound.n <= 700
            less = row.learner.plan(0.99 * alpha, 0.05, setting=setting)  # type: ignore[arg-type]
            assert less is None or less.n > 700


def test_proved_parameters_are_told_apart() -> None:
    row = next(r for r in plan(Points(Integers()), **GOAL).rows if r.method == "irreducible")
    assert row.realizable is None
    assert row.tuned is not None
    assert row.tuned.n > 10_000


def test_the_number_of_records_of_sizes() -> None:
    sizes = BatchSizes(block=3, caps=(0, 4, 12), batches=7, fresh=11)
    assert sizes.n == 11 + sum(sizes.batch(i) for i in range(7))
    assert (
        paper_sizes(8, 0.1, 0.05, Budget(1, "1e-6")).n > 10**16
    )  # summed at once, not batch by batch


@pytest.mark.parametrize(
    ("declared", "method"),
    [
        ("subsets(m; at most 3)", "partition"),
        ("points(m)", "choosing"),
        ("rules(a, b; at most 2)", "choosing"),
        ("rule_sets(a, b; at most 2 rules of 1)", "choosing"),
    ],
)
def test_wrong_labels_and_no_proof_leave_what_is_proved_for_clean_ones(
    declared: str, method: str
) -> None:
    goal: dict[str, Any] = {"budget": Budget(1, "1e-6"), "setting": "agnostic"}
    learner, _ = choose_learner(parse_class(declared), **goal)
    assert learner.method == method


def test_the_powers_in_the_sizes_that_papers_state() -> None:
    """From d = 1 to d = 4; the rest is the same, but for what BLM20 and BGS21 add up."""
    budget, one, four = Budget(1, "1e-6"), Points(Integers()), Subsets(Integers(), 4)
    streams = [stream_formulas(H, budget, horizon=10**6)[0].at_one for H in (one, four)]
    assert streams[1] / streams[0] == pytest.approx(2**19, rel=0.01)  # 4^9.5
    stated = [
        {found.theorem: found.at_one for found in formulas(H, budget, alpha=0.1, beta=0.05)}
        for H in (one, four)
    ]
    rate = {theorem: stated[1][theorem] / stated[0][theorem] for theorem in stated[0]}
    assert rate["Lyu25 Theorem 2"] == pytest.approx(4**5, rel=0.01)
    assert 4**6 < rate["BGS21 Theorem 3.5"] < 1.5 * 4**6
    assert 16**3 * 4**2 < rate["BLM20 Theorem 1"] < 1.5 * 16**3 * 4**2
    labels = formulas(parse_class("outcomes(a, b; at most 1)", 3), budget, alpha=0.1, beta=0.05)
    inside = math.log(3 * math.log(2) ** 3 * 2e8)
    assert [found.at_one for found in labels] == [
        pytest.approx(3**6 * math.log(3) ** 8 * inside**2 / 0.01),
        pytest.approx(18**5 * math.log(3) ** 7 * math.log(2e7) / 0.1),
    ]


def test_a_horizon_is_a_whole_number() -> None:
    for horizon in ("x", 0, 2.5, None):
        with pytest.raises(DeclarationError, match=f"use {horizon!r} as horizon:"):
            plan_stream(Points(Integers()), Budget(1, "1e-6"), horizon=horizon)  # type: ignore[arg-type]
    for planned in (plan, lambda H, budget: plan_stream(H, budget, horizon=9)):
        with pytest.raises(DeclarationError, match="cannot learn None"):
            planned(None, Budget(1, "1e-6"))  # type: ignore[arg-type]


def test_calibrated_sizes_of_score_sheets_are_for_what_was_simulated() -> None:
    def size(text: str, epsilon: str = "1") -> int | None:
        budget = Budget(epsilon, "1e-6")
        found = find_calibration("score_sheet", parse_class(text), **{**GOAL, "budget": budget})
        return None if found is None else found.n

    usual = "score_sheet(a: 0..9, b in {x}; at most 8)"
    assert size(usual) == size("score_sheet(a: 0..9, b in {x}; at most 2)") > 1_000  # type: ignore[operator]
    nine = ", ".join(f"c{i}: 0..3" for i in range(9))
    for other in (
        usual.replace("at most 8", "at most 1"),
        usual.replace("at most 8", "at most 8, points 5"),
        usual.replace("0..9", "0..11"),
        f"score_sheet({nine}; at most 8)",
    ):
        assert size(other) is None
    assert size(usual, "0.9") is size(usual, "3.1") is None
    assert size(usual, "3") < size(usual, "2") < size(usual)  # type: ignore[operator]
    (row,) = plan(parse_class(usual), Budget(1, "1e-6"), alpha=0.1, beta=0.05).rows
    assert (row.realizable, row.agnostic, row.tuned) == (None, None, None)
    assert row.calibrated is not None
    assert row.calibrated.command == "python -m benchmarks.calibration_of_sheets"


def test_a_default_class_is_the_first_of_its_kind_that_is_learned() -> None:
    def without_trees(text: str) -> tuple[Any, str]:
        if text.startswith("trees"):
            raise DeclarationError("learn trees", found="too many", fix="ask for fewer")
        return ExponentialLearner(parse_class("thresholds(x, 0..9)"), Budget(1)), "why"

    for labels, group, words in ((2, False, "conditions(*; at most 2)"),
                                 (3, False, "outcomes(*; at most 1)"),
                                 (2, True, "conditions(*; at most 2)")):  # fmt: skip
        *_, taken = default_class(without_trees, "agnostic", labels=labels, group=group)
        assert taken.startswith(f"{words}, because none was given")
