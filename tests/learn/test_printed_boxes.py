"""The boxes of the papers as printed: exact laws at toy sizes, and planted faults that change them."""

from __future__ import annotations

import importlib
import json
import math
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from littlestone.classes import FiniteClass
from littlestone.cli import app
from littlestone.learn.papers.boxes.base import Rule, boxes, rules_of, split
from littlestone.learn.papers.boxes.blm20 import (
    FailError,
    extended_soa,
    law_of_d_k,
    printed_sizes,
    sample_tilde_d,
    standard_optimal_algorithm,
)
from littlestone.learn.papers.boxes.lecture5 import halving, online_game, soa
from littlestone.learn.papers.boxes.lyu25 import (
    Sizes,
    Training,
    define_class,
    dp_erm,
    dp_ol,
    joint_train,
    printed_bottom,
    printed_teachers,
    private_online_procedure,
)
from littlestone.learn.papers.globally_stable import paper_sizes
from littlestone.privacy import Budget
from littlestone.privacy.randomness import Choose, chooser, seeded_generator
from littlestone.prove.audit.claims import least_ratio, nats
from littlestone.prove.papers import definitions
from littlestone.prove.papers.printed import constants, law
from littlestone.prove.papers.statement import every_class, unordered_classes
from planting import Fault, turns_red

ROOT = Path(__file__).parent.parent.parent
HALF = Fraction(1, 2)
X = "x0"


def test_every_box_says_what_it_keeps_and_stands_on_the_page(monkeypatch: Any) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    page = (ROOT / "docs" / "notes" / "boxes.md").read_text(encoding="utf-8")
    assert page == importlib.import_module("printed_boxes").page(), (
        "run python tools/printed_boxes.py"
    )
    assert len({one.id for one in boxes()}) == len(boxes()) == 20
    assert all(one.promise and one.found for one in boxes())
    for one in boxes():
        module, _, name = f"littlestone.{one.ours}".rpartition(".")
        assert hasattr(importlib.import_module(module), name)


def test_sizes_are_the_formulas() -> None:
    takes = {one.id: one.takes for one in boxes()}
    for d, shown in ((1, "650"), (2, "10,260"), (3, "122,910")):
        assert f"{sum(printed_sizes(d, 0.1)):,}" == shown
        assert shown in takes["BLM20 algorithm G"]
    for d in (1, 2):
        n = paper_sizes(d, 0.1, 0.05, Budget(1, "1e-6")).n
        assert f"{n:,}" in takes["BLM20 algorithm M"]
    for d in (1, 3):
        sizes = Sizes.as_printed(d, 10_000, 1.0, 1e-6)
        assert f"{sizes.k:,} teachers" in takes["Lyu25 Algorithm 3"] or d == 3
        assert f"{sizes.k:,}" in takes["Lyu25 Algorithm 3"]
        assert f"{sizes.U:,}" in takes["Lyu25 Algorithm 3"]
        k = printed_teachers(d, 1e-6, 1.0)
        n = k * 10 * d**3
        least = printed_bottom((2 * n * d) ** d * 2**d**2, 1e-6, 1.0)
        assert all(f"{z:,}" in takes["Lyu25 Theorem 3"] for z in (k, n, -int(-least // 1)))
    one = Sizes.as_printed(1, 10_000, 1.0, 1e-6).training
    least = printed_bottom(4, 1e-12, float(one.epsilon_sparse))
    assert f"{-int(-least // 1):,}" in takes["Lyu25 Algorithm 4"]
    assert float(round(one.B, 1)) == 12.8


def most_mistakes(H: FiniteClass, predict: Any) -> int:
    """Against every adversary."""

    def play(choose: Choose) -> int:
        def ask(V: Any) -> Any:
            splits = [x for x in V.domain if all(not V.restrict(x, y).is_empty() for y in (0, 1))]
            return splits[choose([Fraction(1, len(splits))] * len(splits))] if splits else None

        return online_game(H, predict, ask, lambda V, x, guess: choose([HALF, HALF]))

    return max(law(play))


def test_the_players_of_the_lecture_keep_their_bounds() -> None:
    for H in list(unordered_classes(3))[::9]:
        for tie in (0, 1):
            d = int(H.littlestone_dimension())
            assert most_mistakes(H, lambda V, x, tie=tie: soa(V, x, tie=tie)) == d
            halved = most_mistakes(H, lambda V, x, tie=tie: halving(V, x, tie=tie))
            assert d <= halved <= (H.size or 0).bit_length() - 1


@pytest.mark.deep
def test_a_minority_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    fault = Fault(
        "littlestone.learn.papers.boxes.lecture5:halving",
        "votes[1] > votes[0]",
        "votes[1] < votes[0]",
        "",
    )
    turns_red(fault, test_the_players_of_the_lecture_keep_their_bounds, monkeypatch)


def test_the_extended_soa_is_that_of_the_definition() -> None:
    ways = ((0, definitions.larger_or_0), (1, definitions.larger_or_1))
    for H, (tie, way) in product(list(every_class(2))[::2], ways):
        rows = frozenset(h[0] + 2 * h[1] for h in rules_of(H))
        game = definitions.Game(rows, 2, {}, 1, way)
        for S in product([(x, y) for x in (0, 1) for y in (0, 1)], repeat=3):
            state = game.start()
            for x, y in S:
                state = game.update(state, x, y)
            found = extended_soa(H, [(f"x{x}", y) for x, y in S], tie=tie)
            assert found == (state.rule & 1, state.rule >> 1)
            if state.realizable:
                named = [(f"x{x}", y) for x, y in S]
                d = int(H.littlestone_dimension())
                assert standard_optimal_algorithm(H, named, tie=tie) <= d


@pytest.mark.deep
def test_an_update_of_all_labels_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    for fault in (
        Fault(
            "littlestone.learn.papers.boxes.blm20:extended_soa",
            "realizable and not after",
            "not after",
            "it goes back to the class",
        ),
        Fault(
            "littlestone.learn.papers.boxes.blm20:extended_soa",
            "*h[:i], y",
            "*h[:i], 1 - y",
            "the other label is set",
        ),
    ):
        turns_red(fault, test_the_extended_soa_is_that_of_the_definition, monkeypatch)


def test_the_variant_gives_no_sample_more_than_d_k() -> None:
    H = FiniteClass.from_array([[1, 1, 0], [1, 0, 1], [0, 1, 1]])
    D = {(f"x{x}", int(x < 2)): Fraction(1, 3) for x in range(3)}
    full = law_of_d_k(1, H, D, 1)
    assert full is not None
    assert law_of_d_k(2, H, D, 1) is None

    def run(choose: Choose) -> Any:
        examples = (list(D)[choose([*D.values()])] for _ in range(6))
        try:
            return sample_tilde_d(1, H, examples, 1, choose=choose)
        except FailError:
            return None

    found = law(run)
    fail = found.pop(None)
    # All three pairs of contenders were equal.
    frequencies = definitions.Game(
        frozenset([3, 5, 6]), 3, {(x, int(x < 2)): Fraction(1, 3) for x in range(3)}, 1,
        definitions.larger_or_0,
    ).frequencies(0)[0]  # fmt: skip
    assert fail == sum(p * p for p in frequencies.values()) ** 3
    assert found == {S: p * (1 - fail) for S, p in full.items()}


@pytest.mark.deep
def test_a_label_that_is_always_0_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    fault = Fault(
        "littlestone.learn.papers.boxes.base:pick", "items[choose(", "items[0 * choose(", ""
    )
    turns_red(fault, test_the_variant_gives_no_sample_more_than_d_k, monkeypatch)


def test_the_learner_of_theorem_3_spends_more_and_may_fail() -> None:
    H, laws = constants(), list[Any]()
    for zeros in range(3):
        S = ((X, 0),) * zeros + ((X, 1),) * (4 - zeros)

        def run(choose: Choose, S: Any = S) -> Rule | None:
            return dp_erm(S, H, k=4, alpha=HALF, epsilon=Fraction(1), B=Fraction(1), choose=choose)

        laws.append(law(run))
    assert laws[0][None] > Fraction(1, 25)  # it is realizable
    ratio = least_ratio(laws[2], laws[1], Fraction(1, 100))
    other = least_ratio(laws[1], laws[2], Fraction(1, 100))
    assert ratio is not None
    assert other is not None
    assert 1.08 < max(nats(ratio), nats(other)) < 1.1


def test_an_equal_split_can_move_two_teachers() -> None:
    """With one example more, no split of the others is a change of one part away."""
    few = law(lambda choose: tuple(map(frozenset, split("ab", 2, choose))))
    more = law(lambda choose: tuple(map(frozenset, split("abe", 2, choose))))
    assert set(few.values()) == {HALF}
    assert set(more.values()) == {Fraction(1, 3)}
    far = frozenset("ab"), frozenset("e")
    assert more[far] == Fraction(1, 3)
    assert all(sum(a != b for a, b in zip(far, parts, strict=True)) == 2 for parts in few)


def test_levels_of_define_class() -> None:
    two = FiniteClass.from_array([[0, 0], [0, 1], [1, 0], [1, 1]])
    part = (("x0", 0),) * 19 + (("x0", 1),)
    # (1 - 1/2)^j / 10 = .05, then .025; the part has an error of .05.
    assert define_class(two, [part], 1) == ((0, 0), (0, 1))
    assert define_class(two, [part], 2) == ()
    assert define_class(constants(), [part], 1) == ()
    assert define_class(constants(), [(), ((X, 1),)], 1) == ((1,),)


TINY = Sizes(1, 2, 1, Fraction(1), Training(Fraction(1), 1, Fraction(1), Fraction(1, 5)))


def test_the_online_box_has_the_law_of_its_steps() -> None:
    """One step: the first rule; two: it stays unless the noisy count of its mistakes passes."""
    H = constants()
    first = law(lambda choose: joint_train(H, [[], []], 1, TINY.training, choose=choose))
    one = law(lambda choose: dp_ol([(X, 0)], H, TINY, choose=choose))
    for rule in ((0,), (1,)):
        assert one[rule,] == sum(p for (h, _), p in first.items() if h == rule)
    assert one[()] == sum(p for (h, _), p in first.items() if h is None)
    two = law(lambda choose: dp_ol([(X, 0)] * 2, H, TINY, choose=choose))
    assert sum(two.values()) == 1
    # A rule without a mistake is kept with probability 1 - e^-1 / 2 at least.
    assert two[(0,), (0,)] / one[(0,),] > Fraction(4, 5)
    assert two[(1,), (0,)] > 0
    # After K_budget trainings it halts.
    assert (
        max(len(found) for found in law(lambda c: dp_ol([(X, 0)] * 2, H, NONE_LEFT, choose=c))) == 2
    )
    assert law(lambda c: dp_ol([(X, 0)] * 2, H, NONE_LEFT, choose=c)).get(((1,), (0,)), 0) == 0


NONE_LEFT = Sizes(0, 2, 1, Fraction(1), TINY.training)


@pytest.mark.deep
@pytest.mark.parametrize(
    "fault",
    [
        Fault("littlestone.learn.papers.boxes.lyu25:dp_ol", "left < 0", "left < -1", "no halt"),
        Fault(
            "littlestone.learn.papers.boxes.lyu25:dp_ol",
            "y != label_of",
            "y == label_of",
            "right labels are mistakes",
        ),
    ],
)
def test_faults_of_the_online_box(fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    turns_red(fault, test_the_online_box_has_the_law_of_its_steps, monkeypatch)


def predictions(S: Any, H: FiniteClass, k: int, vote: int) -> dict[Any, Fraction]:
    """The law of POP, with a count that never ends it."""
    return law(
        lambda choose: private_online_procedure(
            S, H, k=k, r=99, epsilon_vote=Fraction(vote), epsilon_count=Fraction(1), choose=choose
        )
    )


def test_predictions_by_votes_have_the_law_of_their_steps() -> None:
    """Four copies say 0 at first; without noise a wrong label is told to one copy more each time."""
    H, e = constants(), math.e
    one = predictions([(X, 1)], H, 4, 1)
    due = {(1, True): e**-3 / 2, (0, False): (e**-1 - e**-3) / 2, (0, True): 1 - e**-1 / 2}
    assert {given: float(p) for (given,), p in one.items()} == pytest.approx(due)
    # A quarter of the copies is at the threshold, so the second vote is certain half of the time.
    two = predictions([(X, 1)] * 2, H, 4, 30)
    assert float(two[(0, True), (0, True)]) == pytest.approx(0.5)
    assert float(two[(0, True), (0, False)]) == pytest.approx(0.5)
    # One copy without noise is the SOA: a label that fits no hypothesis teaches nothing.
    soa_like = ((0, True), (1, True), (1, True), (1, True))
    alone = predictions([(X, 1), (X, 1), (X, 0), (X, 1)], H, 1, 60)
    assert alone[soa_like] > Fraction(99999, 100000)


@pytest.mark.deep
@pytest.mark.parametrize(
    "fault",
    [
        Fault(
            "littlestone.learn.papers.boxes.lyu25:private_online_procedure",
            "(1, 3)",
            "(1, 2)",
            "votes for 1 are certain from k / 2 on",
        ),
        Fault(
            "littlestone.learn.papers.boxes.lyu25:private_online_procedure",
            "label != y",
            "label == y",
            "right labels teach",
        ),
        Fault(
            "littlestone.learn.papers.boxes.lyu25:private_online_procedure",
            "after.is_empty()",
            "0",
            "no hypothesis is left",
        ),
    ],
)
def test_faults_of_predictions_by_votes(fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    turns_red(fault, test_predictions_by_votes_have_the_law_of_their_steps, monkeypatch)


def test_boxes_run_once_with_a_generator() -> None:
    choose = chooser(seeded_generator(3))
    published = dp_ol([(X, 1)] * 5, constants(), TINY, choose=choose)
    assert {*published} <= {(0,), (1,)}
    counts = [choose([Fraction(1, 3), Fraction(2, 3)]) for _ in range(300)]
    assert 150 < sum(counts) < 250


def test_the_command_lists_boxes() -> None:
    runner = CliRunner()
    listed = runner.invoke(app, ["theory", "papers", "algorithm 4", "--json"])
    (row,) = json.loads(listed.stdout)
    assert row["id"] == "Lyu25 Algorithm 4"
    assert row["found"].startswith("it leaks")
    shown = runner.invoke(app, ["theory", "papers", "BLM20"]).stdout
    assert shown.count("promise:") == 8
    assert runner.invoke(app, ["theory", "papers", "nothing"]).exit_code == 1
