"""Which online learner is taken, and the reason that is given."""

from __future__ import annotations

from typing import Any

import pytest

from littlestone.base.errors import DeclarationError
from littlestone.classes import Points, parse_class
from littlestone.learn.stream import online_choice
from littlestone.points import Integers
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.randomness import seeded_generator

GOAL: dict[str, Any] = {"budget": Budget(1, "1e-6"), "horizon": 200_000}


@pytest.mark.parametrize(
    ("declared", "method", "why"),
    [
        ("points(a)", "keys", "keys, of at most 47 mistakes on clean labels, proved with 95%"),
        (
            "rules(a, b; at most 2)",
            "rules",
            "rules, of at most 186 mistakes on clean labels, proved",
        ),
        ("thresholds(x, 0..9)", "confirmed", "confirmed, of at most 90 mistakes on clean labels"),
        ("thresholds(x, 0..1)", "confirmed", "confirmed, of at most 36 mistakes on clean labels"),
        ("intervals(x, 0..4000)", "confirmed", "confirmed, of at most "),
    ],
)
def test_the_fewest_mistakes_that_are_known(declared: str, method: str, why: str) -> None:
    learner, said = online_choice(parse_class(declared), **GOAL)
    assert learner.method == method
    assert said.startswith(why)
    assert said.count("; ") >= 1


@pytest.mark.parametrize("method", ["keys", "confirmed", "teachers"])
def test_who_errs_against_an_adversary_that_sees_the_rules_says_so(method: str) -> None:
    """A greedy adversary: points where the rule contradicts most hypotheses that are left."""
    H: Any = Points(Integers()) if method == "keys" else parse_class("thresholds(x, 0..30)")
    learner, why = online_choice(H, Budget(1, "1e-6"), horizon=1000, method=method)
    points = range(31)
    left = [{x} for x in points] if method == "keys" else [set(range(t, 31)) for t in range(32)]
    with Ledger() as ledger:
        stream = learner.start(ledger=ledger, dataset="d", rng=seeded_generator(1))
    mistakes = 0
    for _ in range(600):
        h = stream.hypothesis
        kept = [sum((x in ones) != h(x) for ones in left) for x in points]
        x = max(points, key=kept.__getitem__)
        if not kept[x]:
            break
        y = 1 - h(x)
        left = [ones for ones in left if (x in ones) == y]
        stream.update(x, y)
        mistakes += 1
    assert (mistakes == 600) == ("does not react" in why) == learner.oblivious


def test_a_single_one_has_no_other() -> None:
    _, why = online_choice(parse_class("affine(x, y; q 5, dimension 1)"), **GOAL)
    assert why.endswith("; no other method applies")


def test_a_bound_of_more_mistakes_than_steps_says_nothing() -> None:
    """Then what is measured decides, for this learner too."""
    H = parse_class("points(a)")
    learner, why = online_choice(H, Budget(1, "1e-6"), horizon=5)
    assert learner.mistake_bound(0.05).mistakes > 5  # type: ignore[union-attr]
    assert learner.method == "keys"
    assert "teachers" in why


def test_a_bound_counts_from_one_step_more_than_it_has_mistakes() -> None:
    """Until then it says nothing about the run, and is compared with the simulations of others."""
    H, budget = parse_class("thresholds(x, 0..1)"), Budget(1, "1e-12")

    def bound(horizon: int) -> int:
        proved, _ = online_choice(H, budget, horizon=horizon, method="confirmed")
        return proved.mistake_bound(0.05).mistakes  # type: ignore[union-attr]

    last = max(horizon for horizon in range(1, 60) if bound(horizon) >= horizon)
    learner, why = online_choice(H, budget, horizon=last)
    assert learner.method == "confirmed"
    assert "no fewer than there are steps" in why.partition(";")[0]
    assert f"confirmed, of at most {bound(last)} mistakes" in why
    learner, why = online_choice(H, budget, horizon=last + 1)
    assert learner.method == "confirmed"
    assert "no fewer than there are steps" not in why.partition(";")[0]


def test_a_useless_bound_is_better_than_worse_simulations() -> None:
    """Teachers make 45,094 mistakes in simulations, where 1,365 are proved for another method."""
    H = parse_class("intervals(x, 0..1000000)")
    assert online_choice(H, Budget(1, "1e-6"), horizon=1000)[0].method == "confirmed"


def test_a_small_delta_refuses_nothing_that_runs_without() -> None:
    """A class that is too large for the teachers, which need a delta, is learned by others."""
    H = parse_class("conditions(a: 0..20, b: 0..20, c: 0..20; at most 1)")
    for delta in ("0", "1e-6"):
        learner, why = online_choice(H, Budget(1, delta), horizon=1000)
        assert learner.method == "tallied"
        assert "teachers" not in why
    with pytest.raises(DeclarationError, match="at most 1,048,576 are made"):
        online_choice(H, Budget(1, "1e-6"), horizon=1000, method="teachers")


def test_all_refusals_are_told() -> None:
    with pytest.raises(DeclarationError) as error:
        online_choice(parse_class("points(a)"), Budget(1), horizon=1000)
    for method in ("keys", "tallied", "rules", "teachers"):
        assert f"({method})" in str(error.value)


def test_a_baseline_is_taken_if_it_is_asked_for() -> None:
    learner, _ = online_choice(parse_class("points(a)"), **GOAL, method="staged")
    assert (learner.method, learner.baseline) == ("staged", True)


def test_one_that_is_asked_for() -> None:
    learner, why = online_choice(parse_class("points(a)"), **GOAL, method="teachers")
    assert learner.method == "teachers"
    assert why == "teachers, asked for, on a stream that does not react to what is published"
    with pytest.raises(DeclarationError, match="not a class of finite sets of points") as error:
        online_choice(parse_class("thresholds(x, 0..9)"), **GOAL, method="keys")
    assert "(keys)" not in str(error.value)  # its own refusal, with its own advice
    with pytest.raises(DeclarationError, match="no such method"):
        online_choice(parse_class("points(a)"), **GOAL, method="magic")
