"""A learner from tables along a stream: what blocks hold, and what a run costs."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from functools import partial
from itertools import islice
from typing import Any

import pytest

from exact_draws import Draws, apart
from littlestone.base.errors import DeclarationError, LedgerError
from littlestone.classes import Thresholds, parse_class
from littlestone.learn.stream import BlockLearner, online_choice
from littlestone.learn.stream.blockwise import MOST_BLOCKS, PaidBlock, always_0
from littlestone.points import Grid, Integers, Listed, Product
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.randomness import seeded_generator
from littlestone.privacy.rational import exp_below
from littlestone.privacy.tape import Tape
from littlestone.rules import Hypothesis
from planting import Fault, turns_red

SHEETS = "score_sheet(age: 0..80 step 20, sex in {F, M}; at most 2)"


def seen(learner: BlockLearner, records: list[Any]) -> list[tuple[int, int, dict[Any, list[int]]]]:
    """The step, the number of records and their counts whenever the learner draws from a block."""
    found: list[tuple[int, int, dict[Any, list[int]]]] = []

    def learn(sample: Any, rng: random.Random) -> Hypothesis[Any]:
        counts = zip(sample.negatives.tolist(), sample.positives.tolist(), strict=True)
        table = {x: list(pair) for x, pair in zip(sample.points, counts, strict=True)}
        found.append((stream._steps, sample.n, table))
        return always_0(learner.hypotheses.domain)

    learner.learn_block = learn  # type: ignore[method-assign]
    stream: Any = learner.start(ledger=Ledger(), dataset="d", rng=seeded_generator(1))
    stream.take(records)
    return found


@pytest.mark.parametrize(("growth", "ends"), [(1, [4, 8, 12, 16, 20]), (2, [4, 12])])
def test_each_record_is_in_one_block_whose_end_is_public(growth: int, ends: list[int]) -> None:
    """Whatever the records are, and whether the published rule is right about them."""
    one_void = [*[(3, 1)] * 6, None, *[(3, 0)] * 18]
    every = [(t, t % 2) for t in range(25)]
    for records in (every, [(0, 0)] * 25, [(0, 1)] * 25, [None] * 25, one_void):
        learner = BlockLearner(Thresholds.on(0, 29), Budget(1), horizon=20, first=4, growth=growth)
        starts = [0, *ends]
        expected = []
        for start, end in zip(starts, ends, strict=False):
            counts: dict[Any, list[int]] = {}
            for record in records[start:end]:
                x, y = record or (learner.hypotheses.domain.canonical(None), 0)
                counts.setdefault(x, [0, 0])[y] += 1
            expected.append((end, end - start, counts))
        assert seen(learner, records) == expected
        assert learner.publications == len(ends)


def test_blocks_of_thousands_hold_their_own_records_alone() -> None:
    """Each block has points of its own, so that a record of another one would show."""
    learner = BlockLearner(Thresholds.on(0, 9), Budget(1), horizon=12_000, first=3000, growth=1)
    blocks = seen(learner, [(t // 3000, t % 3 % 2) for t in range(12_000)])
    assert blocks == [(3000 * (k + 1), 3000, {k: [2000, 1000]}) for k in range(4)]


def rules_of_large_blocks(learner: BlockLearner, rng: random.Random) -> tuple[str, ...]:
    """What is published at the end of two blocks of 3,000 steps; each seventh has no record."""
    stream = learner.stream(Tape(rng))
    stream.take([None if t % 7 == 0 else (t % 3, t // 3 % 2) for t in range(6000)])
    return tuple(h.words() for _, h in stream.publications[1:])


@pytest.mark.parametrize("epsilon", [Fraction(1, 1000), Fraction(1)])
def test_large_blocks_are_drawn_by_the_law_of_their_records(epsilon: Fraction) -> None:
    """The law is that of the definition, Pr[h] ~ r^-(errors of h), of each block by itself."""
    H = Thresholds.on(0, 2)
    learner = BlockLearner(H, Budget(epsilon), horizon=6000, first=3000, growth=1)
    assert learner.cost().epsilon == epsilon
    laws = []
    for start in (0, 3000):
        records = [
            (0, 0) if t % 7 == 0 else (t % 3, t // 3 % 2) for t in range(start, start + 3000)
        ]
        block = Counter(records)
        rules = [H.hypothesis_of_item(i) for i in range(4)]
        errors = [sum(n for (x, y), n in block.items() if h(x) != y) for h in rules]
        weights = [exp_below(epsilon / 2) ** (min(errors) - e) for e in errors]
        laws.append({h.words(): w / sum(weights) for h, w in zip(rules, weights, strict=True)})
    expected = {(g, h): p * q for g, p in laws[0].items() for h, q in laws[1].items()}
    found, left = Draws().law(partial(rules_of_large_blocks, learner))
    assert apart(found, expected) <= left + Fraction(1, 2**60)
    # The bits are those of the run's generator: `Draws` has choices in their place.
    seeds = map(seeded_generator, range(12))
    assert len({rules_of_large_blocks(learner, rng) for rng in seeds}) > 1


LARGE_FAULTS = [
    Fault(
        "littlestone.learn.stream.blockwise:BlockLearner.learn_block",
        "draw(sample,",
        "draw(sample if sample.n < 3000 else sample.with_counts(sample.points, 2 * sample.counts),",
        "from 3,000 records on each counts twice",
    ),
    Fault(
        "littlestone.learn.stream.blockwise:BlockLearner.learn_block",
        "rng)",
        "rng if sample.n < 3000 else random.Random(1))",
        "from 3,000 records on the bits are always the same",
    ),
    Fault(
        "littlestone.learn.stream.blockwise:BlockLearner.__init__",
        "choose_learner(hypotheses, budget)",
        "choose_learner(hypotheses, budget if budget.epsilon > 0.01 else Budget(2 * budget.epsilon))",
        "a small epsilon is spent twice",
    ),
    Fault(
        "littlestone.learn.stream.blockwise:BlockStream._hit",
        "self._size - sum(map(sum, self._counts.values()))",
        "self._size < 3000 and self._size - sum(map(sum, self._counts.values()))",
        "steps without a record show in the number of records of a large block",
    ),
]


@pytest.mark.deep
@pytest.mark.parametrize("fault", LARGE_FAULTS, ids=lambda fault: fault.mistake)
def test_each_fault_in_a_large_block_is_caught(
    fault: Fault, monkeypatch: pytest.MonkeyPatch
) -> None:
    law = test_large_blocks_are_drawn_by_the_law_of_their_records
    turns_red(fault, law, monkeypatch, Fraction(1, 1000))


FAULTS = [
    Fault(
        "littlestone.learn.stream.blockwise:BlockStream._begin_block",
        "self._size, self._counts = size, {}",
        "self._size, self._counts = size, dict(list(self._counts.items())[-1:])",
        "the last record of a block is in the next one too",
    ),
    Fault(
        "littlestone.learn.stream.blockwise:BlockStream._hit",
        "self._size - sum(map(sum, self._counts.values()))",
        "0",
        "a step without a record shows in the number of records",
    ),
    Fault(
        "littlestone.learn.stream.blockwise:BlockStream._hit",
        "self._size - sum(map(sum, self._counts.values()))",
        "(self._size - sum(map(sum, self._counts.values()))) // 2 * 2",
        "one step without a record is not counted",
    ),
    Fault(
        "littlestone.learn.stream.blockwise:BlockStream._mistaken",
        "self._keep(x, y)",
        "self._keep(x, y); self._end = self._steps",
        "a mistake ends the block",
    ),
    Fault(
        "littlestone.learn.stream.blockwise:BlockStream._right",
        "self._keep(x, y)",
        "pass",
        "what is predicted correctly is not learned from",
    ),
]


LATE = Fault(
    "littlestone.learn.stream.blockwise:BlockStream._begin_block",
    "self._size, self._counts = size, {}",
    "late = list(self._counts.items())[-1:] if self._steps >= 3000 else []; "
    "self._size, self._counts = size, dict(late)",
    "from step 3,000 on the last record of a block is in the next one too",
)


def test_a_fault_of_long_blocks_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    turns_red(LATE, test_blocks_of_thousands_hold_their_own_records_alone, monkeypatch)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.mistake)
def test_each_fault_in_a_block_is_caught(fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    turns_red(
        fault,
        test_each_record_is_in_one_block_whose_end_is_public,
        monkeypatch,
        1,
        [4, 8, 12, 16, 20],
    )


def test_the_whole_run_costs_what_a_block_costs() -> None:
    for text, budget in (
        (SHEETS, Budget(1, "1e-6")),
        ("trees(a in {G}, b in {F}; depth 1)", Budget(2)),
    ):
        learner = BlockLearner(parse_class(text), budget, horizon=10**6)
        assert learner.cost() == learner.learner.cost() == budget.cost
        with Ledger() as ledger:
            learner.start(ledger=ledger, dataset="d", rng=seeded_generator(1))
            (entry,) = ledger.entries("d")
            assert entry.cost == budget.cost


@pytest.mark.parametrize("epsilon", ["0.001", "1"])
def test_a_block_pays_for_its_draws_once(epsilon: str) -> None:
    event = BlockLearner(Thresholds.on(0, 9), Budget(epsilon), horizon=1000).learner.event
    paid = PaidBlock(event, random.Random(1))
    dearer = BlockLearner(Thresholds.on(0, 9), Budget(2), horizon=1000).learner.event
    with pytest.raises(LedgerError, match="has not paid"):
        paid.redeem(dearer)
    paid.redeem(event)
    with pytest.raises(LedgerError, match="has not paid"):
        paid.redeem(event)


def test_a_free_draw_at_a_small_epsilon_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    fault = Fault(
        "littlestone.learn.stream.blockwise:PaidBlock.redeem",
        "self._left.remove(event)",
        "event.cost().epsilon < 0.01 or self._left.remove(event)",
        "at a small epsilon a block draws as often as it likes",
    )
    turns_red(fault, test_a_block_pays_for_its_draws_once, monkeypatch, "0.001")


def test_the_blocks_of_a_small_epsilon_do_not_shrink(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are longer than those at which blocks stop to grow."""

    def test() -> None:
        learner = BlockLearner(Thresholds.on(0, 9), Budget("0.001"), horizon=2_000_000)
        assert [*islice(learner.sizes(), 3)] == [500_000] * 3
        assert learner.publications == 4

    fault = Fault(
        "littlestone.learn.stream.blockwise:BlockLearner.sizes",
        "max(size, min(size * self.growth, LONGEST))",
        "min(size * self.growth, LONGEST)",
        "the second block is shorter than the first",
    )
    turns_red(fault, test, monkeypatch)


def test_what_is_refused_is_refused_before_a_run() -> None:
    make = partial(BlockLearner, Thresholds.on(0, 9), Budget(1))
    with pytest.raises(DeclarationError, match="a block has 50 records, and the stream has 40"):
        make(horizon=40, first=50)
    with pytest.raises(DeclarationError, match="more than 100,000 blocks"):
        make(horizon=MOST_BLOCKS + 1, first=1, growth=1)
    for wrong in ({"first": 0}, {"growth": 0}, {"growth": 1.5}):
        with pytest.raises(DeclarationError):
            make(horizon=4000, **wrong)
    assert make(horizon=40).first == 40  # the run publishes at its end
    with pytest.raises(DeclarationError, match="no list of values"):
        BlockLearner(parse_class("trees(a; depth 1)"), Budget(1), horizon=4000)


def test_auto_takes_blocks_where_nothing_else_applies() -> None:
    learner, why = online_choice(parse_class(SHEETS), Budget(1, "1e-6"), horizon=20_000)
    assert learner.method == "blocks"
    assert why.endswith("no other method applies")
    other, why = online_choice(parse_class("thresholds(x, 0..99)"), Budget(1), horizon=20_000)
    assert other.method == "confirmed"
    assert "blocks" not in why


def test_a_sheet_of_a_stream_says_risks() -> None:
    learner = BlockLearner(parse_class(SHEETS), Budget(3, "1e-6"), horizon=3000)
    stream = learner.start(ledger=Ledger(), dataset="d", rng=seeded_generator(3))
    rng = random.Random(3)
    for _ in range(3000):
        age = rng.randrange(90)
        stream.update((str(20 * (age // 20)), "F"), rng.random() < age / 100)
    assert [step for step, _ in stream.publications] == [0, 167, 501, 1169, 2505]
    risks = stream.hypothesis.risks
    assert risks is not None
    assert risks[0] < 0.2
    assert risks[-1] > 0.7
    assert risks == tuple(sorted(risks))


@pytest.mark.parametrize(
    "domain",
    [
        Grid(0, 9, "x"),
        Integers(),
        Listed(("a", "b"), "w"),
        Product((Integers("a"), Grid(0, 9, "x"))),
    ],
    ids=str,
)
def test_the_first_rule_is_written_and_read(domain: Any) -> None:
    h = always_0(domain)
    assert Hypothesis.from_json(h.to_json()) == h
    assert h.words() == "always 0"
    assert not any(h(x) for x in domain.examples(3))
