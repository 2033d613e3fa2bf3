"""The staged online learner: private as a whole process, resumed exactly, and with proved sizes."""

from __future__ import annotations

import math
import random
import sys
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from littlestone.base.errors import DeclarationError, ModelError, TooLargeError
from littlestone.classes import FiniteClass, HypothesisClass, Subsets, Thresholds, parse_class
from littlestone.dimension.multiclass import dual_vc_dimension
from littlestone.learn.stream import StagedOnlineLearner, choose_online_learner, durable_run
from littlestone.learn.stream.stage_sizes import (
    BETA,
    divergence,
    draws_failure,
    errs,
    failure,
    leaves,
    levels,
    rates,
    stage_leaves,
)
from littlestone.learn.stream.staged import StagedStream
from littlestone.points import Integers
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.mechanisms.selection_from_lists import SparseSampling
from littlestone.privacy.randomness import seeded_generator
from littlestone.privacy.tape import Tape
from littlestone.prove.audit.claims import hockey_stick, neighbours
from littlestone.rules import FiniteSet
from littlestone.theory.decomposition import is_irreducible, leaf_bound
from staged_process import Process

RECORDS = [(0, 0), (0, 1), (1, 1)]
H = Subsets(Integers(), 1)


@pytest.mark.parametrize(
    "process",
    [
        Process(1, 1),
        Process(1, 2),
        Process(2, 1, tested=False),
        Process(2, 1, hits=(1, 2)),
        Process(2, hits=(1, 2), drawn=False),
    ],
    ids=["one call", "two draws", "two calls", "two stages", "tests alone"],
)
def test_the_whole_process_is_private(process: Process) -> None:
    small = process.learner.sizes.calls * process.learner.sizes.draws == 1
    pairs = list(neighbours(RECORDS, 3 if small else 2))
    known = {records: process.law(records) for pair in pairs for records in pair}
    assert all(sum(law.values()) == 1 for law in known.values())
    both = [*pairs, *((b, a) for a, b in pairs)]
    assert max(len(law) for law in known.values()) > 2
    for a, b in both:
        assert hockey_stick(known[a], known[b], process.ratio) <= process.delta


def small(H: HypothesisClass[Any] = H, horizon: int = 3000, **sizes: Any) -> StagedOnlineLearner:
    """Tests and draws of nearly no noise, so that few teachers and mistakes are enough."""
    chosen = {"calls": 5, "draws": 3, "list_size": 8, "cap": 8, "teachers": 60, "threshold": 300}
    return StagedOnlineLearner(H, Budget(900, "0.1"), horizon=horizon, **chosen | sizes)


def follow(learner: StagedOnlineLearner, rows: list[Any], seed: int = 1) -> StagedStream:
    with Ledger() as ledger:
        stream: Any = learner.start(ledger=ledger, dataset="d", rng=seeded_generator(seed))
        assert ledger.total("d") == learner.cost()
        assert len(ledger.entries("d")) == 1
    for x, y in rows:
        stream.update(x, y)
    found: StagedStream = stream
    return found


def records(horizon: int) -> list[tuple[int, int]]:
    return [(0, 1) if t % 3 == 0 else (100 + t, 0) for t in range(horizon)]


def test_a_point_is_learned_and_the_potentials_are_told() -> None:
    stream = follow(small(), records(1500))
    assert stream.hypothesis.words() == "x is 0"
    assert (stream.calls, stream.stage) == (1, 1)
    [(stage, potential, votes)] = stream.potentials()
    rate = math.log(small().sampling.base)
    assert stage == 1
    assert votes == 60
    assert potential == pytest.approx(60 * rate)


def test_stages_go_on_and_the_potential_falls() -> None:
    """Thresholds in an order that shows one side at a time."""
    made = small(Thresholds.on(0, 15), threshold=500, list_size=16)
    rng = random.Random(3)
    rows = [(x, int(x >= 5)) for _ in range(3000) for x in [rng.randrange(16)]]
    stream = follow(made, rows)
    told = stream.potentials()
    assert stream.hypothesis.words() == "x >= 5"
    assert [stage for stage, *_ in told] == sorted(stage for stage, *_ in told)
    for (j, before, _), (i, after, _) in pairwise(told):
        assert i > j or after <= before


def test_a_run_goes_on_where_its_draws_left_it(tmp_path: Path) -> None:
    made, state, rows = small(), tmp_path / "run.state", records(1500)

    def go_on(ledger: Ledger, seed: int, stop: int) -> Any:
        rng = seeded_generator(seed)
        with durable_run(made, ledger=ledger, dataset="d", label="y", state=state, rng=rng) as run:
            for x, y in rows[run.stream.steps : stop]:
                run.stream.update(x, y)
            stream: Any = run.stream
            return stream._epoch, stream._buffer, stream._parts, stream._stages, stream._rho

    with Ledger() as ledger:
        for stop in (1, 100, 850, 1400):
            first = go_on(ledger, 1, stop)
            kept = state.read_bytes()
            assert go_on(ledger, 2, stop) == first
            assert state.read_bytes() == kept
        assert len(first[3]) == 1
        assert len(ledger.entries("d")) == 1


def test_a_call_that_was_due_is_made_when_the_run_goes_on() -> None:
    lines = [[0, [], [0, 0, 9]], [7, [[7, 5, 1, 1]], [3, 7]]]
    stream: Any = small().resume(lines, Tape(seeded_generator(1)))
    assert (stream.steps, stream.calls) == (7, 1)


@pytest.mark.parametrize(
    "line",
    [
        [0, [], [0, 0, 5]],
        [0, [[0, 5, 1, 1]], [3, 9]],
        [2, [[2, "a", 1, 1]], [3, 9]],
        [2, [[2, 5, 2, 1]], [3, 9]],
        [2, [[2, 5, 1, 1]], [60, 9]],
        [2, [[2, 5, 1, 1]], [3, 1]],
        [2, [], [0, None, 0, 9]],
        [9, [], [2, None, 0, 10]],
        [9, [], [0, None, -1, 10]],
        [9, [], [0, 5, 0, 10]],
        [9, [None], [0, 9]],
    ],
    ids=str,
)
def test_lines_of_other_runs_are_refused(line: list[Any]) -> None:
    begun = [[0, [], [0, 0, 5]], [1, [[1, 4, 1, 1]], [0, 9]], line]
    with pytest.raises(ModelError, match="did not write that line"):
        small().resume(begun, Tape(random.Random(0)))


def test_after_the_last_call_no_record_is_looked_at() -> None:
    told: list[Any] = []
    made = small(calls=2, threshold=1)
    with Ledger() as ledger:
        receipt = made.pay(ledger, "d", "y", seeded_generator(1))
    stream: Any = made.begin(receipt, told.append)
    for _ in range(50):
        stream.update(5, 1 - stream.predict(5))
    assert (stream.calls, stream.steps) == (2, 50)
    drawn = [values for _, records, values in told if values and not records]
    assert [len(values) for values in drawn] == [3, 4, 2]  # at the end no epoch begins
    assert stream._epoch.due == made.horizon + 1
    assert stream._buffer == {}
    again: Any = made.resume(told, Tape(seeded_generator(2)))
    assert (again.calls, again.hypothesis) == (2, stream.hypothesis)
    with pytest.raises(ModelError):
        made.resume([*told, [50, [[50, 5, 1, 1]], [3, made.horizon + 1]]], Tape(random.Random(0)))


def test_nothing_happens_after_the_horizon() -> None:
    stream = follow(small(horizon=10), [(5, 1)] * 500)
    assert (stream.published_at, stream.steps) == (0, 10)


def test_a_call_of_bottoms_alone_leaves_the_hypothesis() -> None:
    made = small(threshold=1)
    form = FiniteSet(Integers(), frozenset({4})).to_json()
    lines = [[0, [], [0, 0, 3]], [3, [], [1, form, 0, 9]], [9, [], [1, None, 0, 10]]]
    stream: Any = made.resume(lines, Tape(random.Random(0)))
    assert (stream.hypothesis.words(), stream.published_at, stream.calls) == ("x is 4", 3, 2)


def test_a_teacher_keeps_the_first_of_its_records() -> None:
    made, asked = small(cap=2), list[Any]()
    made.hypotheses_of_teacher = lambda chunks, stage: asked.append(chunks) or []  # type: ignore[method-assign,func-returns-value]
    made.lists([{3: [(1, 1), (2, 1), (3, 1)]}, {3: [(4, 1)]}], 0)
    assert (((1, 1), (2, 1)), ((4, 1),)) in asked
    assert len(asked) == 2  # those without records are asked once


def test_every_kind_of_class_is_learned_from_any_records() -> None:
    """Nothing raises because of data: labels at random, calls often."""
    for text in ("thresholds(x, 0..9)", "subsets(id; at most 2)", "intervals(x, 0..9)"):
        made = small(parse_class(text), horizon=60, threshold=5, teachers=3, calls=9, most=50)
        rng = seeded_generator(4)
        domain = made.hypotheses.domain
        rows = [(domain.random_point(rng), rng.randrange(2)) for _ in range(60)]
        stream = follow(made, rows)
        assert stream.steps == 60
        assert stream.calls > 0


def test_what_is_refused_and_chosen() -> None:
    sizes = ("calls", "draws", "teachers", "threshold", "cap", "list_size", "most")
    for name in sizes:
        made: dict[str, Any] = {name: 0}
        with pytest.raises(DeclarationError, match=name):
            small(**made)
    with pytest.raises(DeclarationError, match="adversary"):
        small(adversary="blind")
    with pytest.raises(DeclarationError, match="delta"):
        StagedOnlineLearner(H, Budget(1), horizon=5)
    with pytest.raises(DeclarationError, match="majority"):
        small(parse_class("affine(x, y, z; q 1009, dimension 2)"))
    goal: dict[str, Any] = {"budget": Budget(1, "1e-6"), "horizon": 50}
    assert choose_online_learner(Thresholds.on(0, 9), **goal).method != "staged"
    assert choose_online_learner(H, method="staged", **goal).method == "staged"


@pytest.mark.parametrize("adversary", ["oblivious", "adaptive"])
def test_the_default_sizes_are_proved_and_paid_for(adversary: Any) -> None:
    goal: dict[str, Any] = {"budget": Budget("0.5", "1e-6"), "horizon": 10**6}
    for d in (0, 3):
        made = StagedOnlineLearner(Subsets(Integers(), d), adversary=adversary, **goal)
        assert made.cost().epsilon <= Fraction(1, 2)
        assert made.cost().delta <= Fraction(1, 10**6)
        parts = (d, adversary, made.counter, made.tests, made.sampling)
        assert 0.01 < failure(made.sizes, *parts) <= BETA
        bound, sizes = made.mistake_bound(0.05), made.sizes
        assert bound is not None
        assert bound.adaptive == (adversary == "adaptive")
        assert bound.mistakes > sizes.calls * sizes.threshold
        assert made.mistake_bound(0.01) is None
        for name in ("calls", "draws", "teachers", "threshold", "cap", "list_size"):
            less = {name: getattr(sizes, name) * 9 // 10}
            assert failure(replace(sizes, **less), *parts) > BETA
    assert small().mistake_bound(0.05) is None


def test_trees_are_valid_and_only_grow() -> None:
    """Lemma 1: few leaves, each hypothesis in one at most, one of the target, and no new top leaf."""
    rng, seen = np.random.default_rng(2), 0
    for _ in range(60):
        n = int(rng.integers(4, 9))
        more = rng.integers(0, 2, (int(rng.integers(5)), n))
        F = FiniteClass.from_array(np.concatenate([np.eye(n, dtype=int), more]))
        d, cap, points = F.littlestone_dimension(), 2, list(F.domain)
        target = F.hypothesis(int(rng.integers(F.size)))
        chunks = [tuple((x, target(x)) for x in rng.choice(points, cap).tolist()) for _ in range(3)]
        stage = int(rng.integers(0, d + 1))
        level, p = levels(d)[stage], cap << stage
        tops: list[dict[int, set[Any]]] = []
        for u in range(4):
            found: dict[int, set[Any]] = {}
            for t in range(d + 1):
                found[t] = set(stage_leaves(F, chunks[:u], level, p, t))
            for t in range(d + 1):
                assert sum(len(found[s]) for s in range(t, d + 1)) <= leaf_bound(p, d, d, t)
            held = [h for t in found for V in found[t] for h in V]
            assert len(held) == len(set(held))
            assert target in held
            for t, spaces in found.items():
                for V in spaces:
                    assert is_irreducible(V, p << (d - t))
                    assert all(errs(V.soa(), chunk) <= level for chunk in chunks[:u])
            tops.append(found)
        for before, after in pairwise(tops):
            top = max(t for t in before if before[t])
            assert after[top] <= before[top]
            assert not any(after[t] for t in range(top + 1, d + 1))
            seen += after[top] < before[top]
    assert seen > 10


def test_the_dual_dimension_of_soas_is_what_an_adaptive_vote_takes_it_for() -> None:
    rng = np.random.default_rng(5)
    for _ in range(20):
        F = FiniteClass.from_array(rng.integers(0, 2, (5, 7)))
        d = F.littlestone_dimension()
        soas = {replace(F, alive=mask).soa() for mask in range(1, 1 << F.size)}
        rows = [[f(x) for x in F.domain] for f in soas]
        found = FiniteClass.from_array(rows)
        if found.littlestone_dimension() <= d:
            assert dual_vc_dimension(rows) <= 2 ** (d + 1) - 1


def exactly(n: int, k: int, e: int, level: Fraction, *, at_most: bool) -> float:
    """Pr[err on the chunk of one of k teachers <= level, or > level], for e errors of n mistakes."""
    total = 0.0
    for x, y in product(range(e + 1), range(n - e + 1)):
        few = x <= level * (x + y)
        if few is at_most:
            ways = math.comb(e, x) * math.comb(n - e, y)
            total += ways * (1 / k) ** (x + y) * (1 - 1 / k) ** (n - x - y)
    return total


def test_a_chunk_errs_as_all_mistakes_do() -> None:
    """Lemma 3: exp(-(n/k) (1 - e^-KL)) against exact sums of binomials."""
    for n, k, level in product((12, 30), (1, 2, 5), levels(2)):
        for e in range(n + 1):
            mean = e / n
            if mean in (0, 1) or mean == level:
                continue
            bound = math.exp(n / k * math.expm1(-divergence(float(level), mean)))
            found = exactly(n, k, e, level, at_most=mean > level)
            assert found <= bound * (1 + 1e-9)
    assert len(rates(3)) == 7
    assert min(rates(3)) > 0


def test_a_vote_of_draws_is_wrong_seldom() -> None:
    """Lemma 4: against the exact law of right, wrong and bottom draws."""
    right, wrong, bottom = 0.66, 0.33, 0.01
    for draws in (1, 5, 20, 60):
        exact = sum(
            math.comb(draws, w) * math.comb(draws - w, r)
            * wrong**w * right**r * bottom ** (draws - w - r)
            for w in range(draws + 1)
            for r in range(min(w, draws - w) + 1)
        )  # fmt: skip
        assert exact <= math.exp(draws_failure(draws, 1, 1, "oblivious"))
    assert draws_failure(3, 4, 10, "adaptive") == 0
    assert draws_failure(10**5, 1, 10, "adaptive") < -50


def test_lists_of_any_size_are_cut_by_the_mechanism() -> None:
    size = max(leaves(6, 10**5))
    assert size > sys.maxsize
    sampling = SparseSampling[str](Budget(1, Fraction(1, 10)), size)
    assert sampling.scores([["a", "b", "a"]]) == {"a": 1, "b": 1}


def test_a_run_goes_on_with_the_sizes_it_began_with(tmp_path: Path) -> None:
    """Else 2 calls of 6 draws could be followed by 12 of one: the event has their product alone."""
    state, sizes = tmp_path / "run.state", [{"calls": 2, "draws": 6}, {"calls": 12, "draws": 1}]
    with Ledger() as ledger:
        for n, chosen in enumerate(sizes):
            rng, made = seeded_generator(n), small(H, **chosen)
            goal: dict[str, Any] = {"ledger": ledger, "dataset": "d", "label": "y", "rng": rng}
            if n:
                with pytest.raises(ModelError), durable_run(made, state=state, **goal):
                    pass
            else:
                with durable_run(made, state=state, **goal):
                    pass


def test_sizes_of_long_lists_are_refused_before_they_are_summed() -> None:
    goal: dict[str, Any] = {"budget": Budget("709.8", "1e-15"), "horizon": 200_000}
    for d in (51, 200, 10_000):
        with pytest.raises(TooLargeError, match="at most 50 will do"):
            StagedOnlineLearner(Subsets(Integers(), d), **goal)
