"""Hedge in private: what its draws see, what they cost, and its bounds by exact laws."""

from __future__ import annotations

import math
import random
from collections import Counter
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

import pytest

from each import each
from exact_draws import Draws, apart
from littlestone.base.errors import DeclarationError, TooLargeError
from littlestone.classes import FiniteClass, Thresholds, parse_class
from littlestone.data.sample import Sample
from littlestone.learn.stream import HedgeLearner, online_candidates, online_choice
from littlestone.learn.stream.blockwise import MOST_BLOCKS
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.randomness import seeded_generator
from littlestone.privacy.rational import exp_below
from littlestone.privacy.tape import Tape
from planting import Fault, turns_red

RECORDS = [None if t % 7 == 0 else (t % 3, t // 3 % 2) for t in range(6000)]
BLOCKWISE = "littlestone.learn.stream.blockwise"
HEDGE = "littlestone.learn.stream.blockwise"


def rules(learner: HedgeLearner, rng: random.Random) -> tuple[str, ...]:
    """What is published at the end of two blocks of 3,000 steps; each seventh has no record."""
    stream = learner.stream(Tape(rng))
    stream.take(RECORDS)
    return tuple(h.words() for _, h in stream.publications[1:])


@pytest.mark.parametrize("epsilon", [Fraction(1, 1000), Fraction(1)])
def test_draws_are_by_the_errors_on_all_records_so_far(epsilon: Fraction) -> None:
    H = Thresholds.on(0, 2)
    learner = HedgeLearner(H, Budget(epsilon), horizon=6000, block=3000)
    laws = []
    for end in (3000, 6000):
        past = Counter((0, 0) if record is None else record for record in RECORDS[:end])
        hypotheses = [H.hypothesis_of_item(i) for i in range(4)]
        errors = [sum(n for (x, y), n in past.items() if h(x) != y) for h in hypotheses]
        # Half of epsilon a draw, or what makes the bound least.
        each_epsilon = min(epsilon / 2, Fraction(f"{2 * math.sqrt(8 * math.log(4) / 18e6):.4g}"))
        weights = [exp_below(each_epsilon / 2) ** (min(errors) - e) for e in errors]
        laws.append({h.words(): w / sum(weights) for h, w in zip(hypotheses, weights, strict=True)})
    expected = {(g, h): p * q for g, p in laws[0].items() for h, q in laws[1].items()}
    found, left = Draws().law(partial(rules, learner))
    assert apart(found, expected) <= left + Fraction(1, 2**60)


FAULTS = [
    Fault(
        f"{BLOCKWISE}:BlockStream._begin_block",
        "if self._learner.remembers:",
        "if False:",
        "blocks are forgotten",
    ),
    Fault(
        f"{BLOCKWISE}:BlockStream._begin_block",
        "self._size += size",
        "self._size = size",
        "steps without a record are not counted after the first block",
    ),
    Fault(
        f"{HEDGE}:HedgeLearner.__init__",
        "min(draw.cost().epsilon, best)",
        "2 * min(draw.cost().epsilon, best)",
        "a draw has twice the epsilon",
    ),
]


@pytest.mark.deep
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.mistake)
def test_each_fault_in_a_draw_is_caught(fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    turns_red(
        fault, test_draws_are_by_the_errors_on_all_records_so_far, monkeypatch, Fraction(1, 1000)
    )


def costs_what_was_declared_at_most(budget: Budget) -> None:
    for horizon in (1, 20, 3000, 200_000):
        learner = HedgeLearner(Thresholds.on(0, 9), budget, horizon=horizon)
        assert learner.cost().within(budget.cost)
        ((draw, times),) = learner.event.uses()
        assert times == learner.publications == horizon // learner.block
        assert draw == learner.learner.event
        if budget.delta == 0:
            assert times * draw.cost().epsilon <= budget.epsilon


@each("budget", [Budget(e, d) for e in ("0.001", "0.1", 1, 30) for d in (0, "1e-9", "1e-2")])
def test_a_run_costs_what_was_declared_at_most(budget: Budget) -> None:
    costs_what_was_declared_at_most(budget)


def test_a_run_for_which_counts_have_no_room_is_refused() -> None:
    """Before it begins: a late draw from all records would be refused after the spend."""
    make = partial(HedgeLearner, FiniteClass.from_array([[0, 1], [1, 1]]), Budget(1))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FiniteClass, "most_errors", 39)
        make(horizon=39, block=20)
        with pytest.raises(TooLargeError):
            make(horizon=40, block=20)


def test_a_late_block_without_room_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    fault = Fault(
        f"{HEDGE}:HedgeLearner.__init__",
        "require_affordable(self.publications * self.block)",
        "require_affordable(self.block)",
        "a later draw may find no room after the spend",
    )
    turns_red(fault, test_a_run_for_which_counts_have_no_room_is_refused, monkeypatch)


def test_a_draw_less_in_the_account_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    fault = Fault(
        f"{HEDGE}:HedgeLearner.__init__",
        "self.publications = horizon // self.block",
        "self.publications = max(1, horizon // self.block - 1)",
        "the last draw is not accounted for",
    )
    turns_red(fault, costs_what_was_declared_at_most, monkeypatch, Budget(1))


def mean_mistakes(learner: HedgeLearner, records: tuple[Any, ...]) -> tuple[float, float]:
    """The exact mean and variance of the mistakes, from the laws of the draws."""
    B, domain = learner.block, learner.hypotheses.domain
    mean, variance = float(sum(y for _, y in records[:B])), 0.0
    for start in range(B, len(records), B):
        told = Sample.from_examples(domain, records[:start])
        block = records[start : start + B]
        law = [
            (sum(h(x) != y for x, y in block), float(p))
            for h, p in learner.learner.distribution(told).items()
        ]
        first, second = (sum(p * wrong**power for wrong, p in law) for power in (1, 2))
        mean, variance = mean + first, variance + second - first**2
    return mean, variance


def test_on_clean_labels_the_mean_is_below_theorem_3() -> None:
    """On all realizable streams of four records, and on one that the standard proof finds hard."""
    H = FiniteClass.from_array([[0, 0], [0, 1], [1, 1]])
    for B, epsilon in product((1, 2), (2, 20)):
        learner = HedgeLearner(H, Budget(epsilon), horizon=4, block=B)
        most = B + B * math.log(3) / -math.expm1(-learner.eta * B)
        for h in H:
            for points in product(H.domain, repeat=4):
                mean, _ = mean_mistakes(learner, tuple((x, h(x)) for x in points))
                assert mean <= most
        assert learner.mistake_bound(0.05).mistakes >= most  # type: ignore[union-attr]


def test_the_bound_is_kept_on_a_stream_of_labels_that_turn() -> None:
    """By exact laws; a learner that forgets or follows the leader errs at nearly each step."""
    H = Thresholds.on(0, 1)
    learner = HedgeLearner(H, Budget(4, "1e-6"), horizon=240)
    records = tuple((0, t // learner.block % 2) for t in range(240))
    mean, variance = mean_mistakes(learner, records)
    best = min(sum(y for _, y in records), sum(1 - y for _, y in records))
    assert 0 < mean - best <= learner.regret_bound()
    # Except for beta, by Hoeffding's inequality: more than the standard deviation allows.
    assert learner.regret_bound(0.05) - learner.regret_bound() >= 1.6 * math.sqrt(variance)


def test_the_bound_has_its_closed_form() -> None:
    learner = HedgeLearner(Thresholds.on(0, 99), Budget(1, "1e-6"), horizon=200_000)
    L, N, T = math.log(1e6), math.log(101), 200_000
    assert learner.block in (16, 32)
    asymptotic = 1.24 * N**0.75 * L**0.25 * math.sqrt(T)
    assert 0.85 * asymptotic < learner.regret_bound() < 1.05 * asymptotic
    pure = HedgeLearner(Thresholds.on(0, 99), Budget(1), horizon=T)
    assert 0.95 < pure.regret_bound() / (1.19 * (T * N) ** (2 / 3)) < 1.05
    # Without a need for privacy it is that of Hedge, sqrt(T ln N / 2), and the first block.
    free = HedgeLearner(Thresholds.on(0, 99), Budget(1000, "1e-6"), horizon=20_000)
    assert free.block == 1
    assert free.regret_bound() == pytest.approx(1 + math.sqrt(20_000 * N / 2), rel=1e-4)


def test_only_who_asks_for_it_gets_it() -> None:
    for text in ("thresholds(x, 0..99)", "trees(a in {F, G}, b in {F, G}; depth 1)"):
        H = parse_class(text)
        assert online_choice(H, Budget(1, "1e-6"), horizon=20_000)[0].method != "hedge"
        known = [
            k.learner.method for k in online_candidates(H, Budget(1, "1e-6"), horizon=20_000)[0]
        ]
        assert "hedge" in known
        learner = online_choice(H, Budget(1, "1e-6"), horizon=200, method="hedge")[0]
        with Ledger() as ledger:
            stream = learner.start(ledger=ledger, dataset="d", rng=seeded_generator(1))
            stream.take([(None, 1)] * 200)
            (entry,) = ledger.entries("d")
        assert entry.cost == learner.cost()
        assert len(stream.publications) == 1 + 200 // learner.block  # type: ignore[attr-defined]


def test_what_is_refused_is_refused_before_a_run() -> None:
    make = partial(HedgeLearner, Thresholds.on(0, 9), Budget(1, "1e-6"))
    with pytest.raises(DeclarationError, match="have 0 blocks of 50"):
        make(horizon=40, block=50)
    with pytest.raises(DeclarationError, match=f"{MOST_BLOCKS + 1:,} blocks of 1"):
        make(horizon=MOST_BLOCKS + 1, block=1)
    with pytest.raises(DeclarationError):
        make(horizon=40, block=0)
    with pytest.raises(DeclarationError, match="infinitely many"):
        HedgeLearner(parse_class("subsets(a; at most 2)"), Budget(1, "1e-6"), horizon=40)
    one = HedgeLearner(FiniteClass.from_array([[0, 1]]), Budget(1), horizon=40)
    assert one.regret_bound() > 0
