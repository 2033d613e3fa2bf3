"""The learner of tallies at the size at which people use it: its cost, its draws, and what it keeps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pytest

from each import each
from littlestone.classes import FiniteClass, Thresholds
from littlestone.learn.stream import TalliedLearner
from littlestone.learn.stream.weights import PointWeights, SideWeights
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.mechanisms import competition, tallies
from littlestone.privacy.mechanisms.sides import OWN, SHARED
from littlestone.privacy.randomness import seeded_generator
from littlestone.privacy.rational import exp_below
from littlestone.privacy.samplers.noise import discrete_laplace, geometric
from littlestone.privacy.samplers.reals import Real
from littlestone.privacy.tape import Tape
from planting import Fault, turns_red

HORIZON = 200_000
TABLE = FiniteClass.from_array(np.random.default_rng(3).integers(0, 2, (100, 40)))
MOST = 500  # mistakes, of which there are fewer
TARGET = TABLE.hypothesis(17)
EPSILONS = ("0.001", "0.0107", "1", "30")
CUTS = Thresholds.on(0, 2_998)  # 3,000 of them
TINY = Fraction(1, 1000)


def learner_of(epsilon: str = "1") -> TalliedLearner:
    return TalliedLearner(TABLE, Budget(epsilon), horizon=HORIZON)


def test_a_run_costs_its_budget() -> None:
    """Its timer, its noise, and both together, at each epsilon."""
    for epsilon in EPSILONS:
        learner, half = learner_of(epsilon), 1 / exp_below(Fraction(epsilon) / 2)
        assert learner.cost().epsilon <= Fraction(epsilon)
        timer = learner.mechanism.timer
        assert min(timer.skip, timer.shrink, learner.mechanism.ratio) >= half
        less = replace(learner.mechanism, cell_epsilon=Fraction(epsilon) / 6)
        assert less.cost().epsilon == Fraction(epsilon) * 2 / 3


class Draw(NamedTuple):
    """What was drawn, with which probability or ratio, and the value."""

    kind: str
    parameter: Fraction
    value: int


class FollowedCuts:
    """A run of 3,000 thresholds: all that is drawn, and the sides that are told.

    Mistakes are on the side of the cut 701, and now and then on the other one.  The threshold is low,
    so that there are many sides; the skips are those of real runs.
    """

    def __init__(self, mistakes: int, epsilon: Fraction = TINY) -> None:
        self.learner = TalliedLearner(CUTS, Budget(epsilon), horizon=HORIZON, threshold=10)
        self.draws, self.told = list[Draw](), list[int]()
        self.named, self.ends = list[int](), list[int]()
        """The side of each mistake, and how many there were up to each told side."""
        self.scores = list[Any]()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(competition, "geometric", noted(self.draws, "wait", geometric))
            take = SideWeights.take

            def told(weights: SideWeights, side: int) -> None:
                self.told.append(side)
                self.ends.append(len(self.named))
                before = weights.to_json()
                take(weights, side)
                self.scores.append((before, weights.to_json()))

            patch.setattr(SideWeights, "take", told)
            stream = self.learner.resume([], Tape(seeded_generator(2)))
            weights = stream._weights  # type: ignore[attr-defined]
            for i in range(mistakes):
                cut = weights.cuts.median
                larger = (cut < 701) != (i % 10 == 0)
                x = cut if larger else cut - 1
                y = 1 - stream.predict(x)
                assert weights.cell(x, y) == larger
                self.named.append(int(larger))
                stream.update(x, y)
            assert weights.to_json() == (self.scores[-1][1] if self.scores else [[3_000, 0]])


def noted(draws: list[Draw], kind: str, own: Callable[..., int]) -> Callable[..., int]:
    """``own``, which notes each of its ``draws``."""

    def draw(parameter: Any, rng: Any, **named: Any) -> int:
        value = own(parameter, rng, **named)
        given = parameter.enclose(64)[0] if isinstance(parameter, Real) else parameter
        draws.append(Draw(kind, Fraction(given), value))
        return value

    return draw


@each("epsilon", [TINY, Fraction(30)])
def test_all_that_a_run_of_thresholds_draws_is_fresh_and_used(epsilon: Fraction) -> None:
    """Three skips for each epoch, and a wait of each side at its begin and at each mistake.

    At epsilon 30 both sides of an epoch often have equal chances, and coins of their own.
    """
    run = FollowedCuts(200, epsilon)
    mechanism = run.learner.mechanism
    ratios = (mechanism.shared_skip, mechanism.skip, mechanism.skip)
    draws, start = iter(run.draws), 0
    assert len(run.told) > 5
    assert min(Counter(run.named).values()) > 5
    for told, end in zip([*run.told, None], [*run.ends, len(run.named)], strict=True):
        skips = list[int]()
        for ratio in ratios:
            draw = next(draws)
            assert draw[:2] == ("wait", Fraction(Real.of(ratio).enclose(64)[0]))
            skips.append(draw.value)
        for records in range(end - start + 1):
            epoch, waits = run.named[start : start + records], list[int]()
            for side in (0, 1):
                units = OWN * epoch.count(side) + SHARED * records
                gap = max(0, mechanism.units + skips[0] + skips[1 + side] - units)
                quiet: Any = (1 - Real.of(mechanism.shrink).power(gap)).enclose(64)[0]
                draw = next(draws)
                assert draw[:2] == ("wait", quiet)
                waits.append(draw.value)
            due = records == end - start and told is not None
            assert (min(waits) == 0 and records > 0) == due
        if told is not None:
            assert waits[told] == 0
        start = end
    assert next(draws, None) is None
    assert max(draw.value for draw in run.draws) > 1_000
    # Scores change when a side is told, and at nothing else.
    assert all(old[1] == new[0] for old, new in pairwise(run.scores))
    assert run.scores[0][0] == [[3_000, 0]]


def test_a_run_of_thresholds_costs_its_budget() -> None:
    """What sides cost, and what the ledger counts, at each epsilon."""
    for epsilon in EPSILONS:
        learner = TalliedLearner(CUTS, Budget(epsilon), horizon=HORIZON)
        with Ledger() as ledger:
            learner.start(ledger=ledger, dataset="d", rng=seeded_generator(1))
            assert ledger.total("d").epsilon == learner.cost().epsilon == Fraction(epsilon)
        assert learner.mechanism.cost().epsilon == Fraction(epsilon)


class Followed:
    """A run that errs where it can: all mistakes, draws, tallies and lines, each with what is shown."""

    def __init__(self, batch: int) -> None:
        self.learner = learner_of()
        self.draws, self.tallies, self.seen = list[Draw](), list[Any](), list[tuple[Any, int]]()
        self.named = list[int | None]()
        """The cell of each step."""
        self._stream: Any = None
        with pytest.MonkeyPatch.context() as patch:
            note = partial(noted, self.draws)
            patch.setattr(competition, "geometric", note("wait", geometric))
            patch.setattr(tallies, "discrete_laplace", note("noise", discrete_laplace))
            patch.setattr(PointWeights, "take", self._note_tally(PointWeights.take))
            tape = Tape(seeded_generator(2), self._keep, together=batch > 1)
            self._stream = self.learner.resume([], tape)
            while len(self.named) < MOST and (wrong := self._mistakes()):
                self._err(wrong[:batch], batch)
        self.published = dict(self._stream.publications[1:])

    def _mistakes(self) -> list[Any]:
        return [x for x in TABLE.domain if self._stream.hypothesis(x) != TARGET(x)]

    def _err(self, wrong: list[Any], batch: int) -> None:
        weights = self._stream._weights
        self.named += [weights.cell(x, TARGET(x)) for x in wrong]
        if batch > 1:
            self._stream.take([(x, TARGET(x)) for x in wrong])
        else:
            self._stream.update(wrong[0], TARGET(wrong[0]))

    def _note_tally(self, own: Callable[..., None]) -> Callable[..., None]:
        def take(weights: PointWeights, tally: Any) -> None:
            self.tallies.append(tally)
            own(weights, tally)

        return take

    def _keep(self, line: Any) -> None:
        self.seen.append((line, self._stream.published_at if self._stream else 0))


def test_all_that_is_drawn_is_fresh_and_used() -> None:
    """Each epoch draws skips and a wait, each mistake a wait, and each tally noise for each cell."""
    run = Followed(1)
    mechanism, timer = run.learner.mechanism, run.learner.mechanism.timer
    skip = Fraction(Real.of(timer.skip).enclose(64)[0])
    draws, lines = iter(run.draws), [line for line, _ in run.seen if line[2]]
    counts, told, skips, records = Counter[int | None](), 0, 0, 0
    assert len(run.published) > 2
    for step, _, drawn in lines:
        if len(drawn) > 2:
            noise = [next(draws) for _ in range(mechanism.cells)]
            assert {(draw.kind, draw.parameter) for draw in noise} == {("noise", mechanism.ratio)}
            noisy = (counts[cell] + draw.value for cell, draw in enumerate(noise))
            assert run.tallies[told] == tuple(map(mechanism.cut, noisy))
            assert drawn[:-2] == [draw.value for draw in noise]
            assert step in run.published
            counts, told = Counter(), told + 1
        if len(drawn) > 1:
            kind, chance, skips = next(draws)
            assert (kind, chance) == ("wait", skip)
            records = 0
            assert drawn[-2] == skips
        else:
            counts[run.named[step - 1]] += 1
            records += 1
        # The chance of a test is that of U + Z less the records of the epoch.
        quiet = timer.quiet(timer.threshold + skips - records).enclose(64)[0]
        assert next(draws)[:2] == ("wait", quiet)
    assert next(draws, None) is None
    assert told == len(run.published)


def test_a_tally_is_kept_before_it_is_shown() -> None:
    """When the line of its draws is kept, everybody still sees the rule before."""
    for batch in (1, 8):
        run = Followed(batch)
        assert run.published
        assert all(at < step for line, at in run.seen for step in published_in(line))
        assert {step for line, _ in run.seen for step in published_in(line)} == {*run.published}


def published_in(line: Any) -> list[int]:
    """The steps of the tallies that a line of a tape holds."""
    lines = line["lines"] if isinstance(line, dict) else [line]
    return [step for step, _, drawn in lines if len(drawn) > 2]


LEARNER = "littlestone.learn.stream.tallied:Places.plan"
SIDES = "littlestone.privacy.mechanisms.sides:SideCounts"
TALLIES = "littlestone.privacy.mechanisms.tallies:Tallies"
COUNTS = "littlestone.privacy.mechanisms.confirmation:Confirmations"
STREAM = "littlestone.learn.stream.private_stream:PrivateStream"
RELEASE = "littlestone.privacy.mechanisms.tallies:ContinualTallies.release"
NOISE = "lambda rng: discrete_laplace(self.ratio, rng)"
RUN = "littlestone.learn.stream.tallied:TalliedStream"
cuts = test_all_that_a_run_of_thresholds_draws_is_fresh_and_used
FAULTS: dict[Fault, Callable[[], None]] = {
    Fault("littlestone.learn.stream.tallied:Sides.plan", "ContinualSides(epsilon=epsilon,",
          "ContinualSides(epsilon=epsilon * 11 / 10,", "thresholds cost more than the budget"):
        test_a_run_of_thresholds_costs_its_budget,
    Fault(f"{RUN}._mistaken", "self._counts.count(self._steps, cell)",
          "self._counts.count(self._steps, cell); self._steps % 9 or self._weights.take(cell)",
          "a mistake changes the weights by itself"): cuts,
    Fault(f"{RUN}._hit", "self._counts.select()",
          "(int(self._counts._units[1] > self._counts._units[0]), self._counts.select())[0]",
          "the side with more records is taken"): cuts,
    Fault(f"{SIDES}.watch", "draw_skips(mechanism.skip, self._tape), 0",
          "self._skips[side] or draw_skips(mechanism.skip, self._tape), 0",
          "the skips of a side are those of the epoch before"): cuts,
    Fault(f"{SIDES}.count", "self._units[cell] += OWN", "self._units[cell] += OWN * (1 + cell)",
          "a record of larger cuts counts twice"): cuts,
    Fault("littlestone.privacy.mechanisms.tallies:TimedRelease.cost",
          "self.timer.test_epsilon) + self.cell_epsilon", "self.timer.test_epsilon)",
          "noise is not paid for"): test_a_run_costs_its_budget,
    Fault(RELEASE, NOISE, f"{NOISE} if counts[cell] % 5 else 0", "some counts have no noise"):
        test_all_that_is_drawn_is_fresh_and_used,
    Fault(RELEASE, NOISE, "lambda rng: discrete_laplace(self.ratio**2, rng)",
          "counts have half of their noise"): test_all_that_is_drawn_is_fresh_and_used,
    Fault(LEARNER, "half = epsilon / 2", "half = 3 * epsilon / 5",
          "the timer and the noise cost more than epsilon"): test_a_run_costs_its_budget,
    Fault(LEARNER, "cell_epsilon=half", "cell_epsilon=2 * half",
          "noise costs what both halves may"): test_a_run_costs_its_budget,
    Fault(LEARNER, "skip_epsilon=half", "skip_epsilon=3 * half",
          "skips cost more than a half"): test_a_run_costs_its_budget,
    Fault(f"{TALLIES}._timer_watch", "timer.threshold)", "timer.threshold - step % 7)",
          "the threshold is another at each step"): test_all_that_is_drawn_is_fresh_and_used,
    Fault(f"{COUNTS}._time", "- counted.records", "- 2 * counted.records",
          "a record moves the timer twice"): test_all_that_is_drawn_is_fresh_and_used,
    Fault(f"{COUNTS}._time", "counted.skips - ", "min(counted.skips, 0) - ",
          "the timer skips no records"): test_all_that_is_drawn_is_fresh_and_used,
    Fault(f"{COUNTS}.select", "del self._counted[key], self._watched[key]",
          "self._counted[key].records, _ = 0, self._watched.pop(key)",
          "the skips of an epoch are those of the one before"):
        test_all_that_is_drawn_is_fresh_and_used,
    Fault(RELEASE, NOISE,
          "lambda rng: vars(self).setdefault(str(cell), discrete_laplace(self.ratio, rng))",
          "the noise of a cell is that of the tally before"):
        test_all_that_is_drawn_is_fresh_and_used,
    Fault(RELEASE, NOISE, f"{NOISE} if counts[cell] else 0",
          "a cell without records has no noise"): test_all_that_is_drawn_is_fresh_and_used,
    Fault(f"{TALLIES}.select", "counts, self._counts = self._counts, Counter[int]()",
          "counts = self._counts", "records are tallied again"):
        test_all_that_is_drawn_is_fresh_and_used,
    Fault(f"{STREAM}._publish", "self._waiting.append((self._steps, h))",
          "self._waiting.append((self._steps, h)); self._show()",
          "a rule is shown before its draws are kept"): test_a_tally_is_kept_before_it_is_shown,
    Fault(f"{STREAM}.take", "self._tape.commit(offsets, units)",
          "self._show(); self._tape.commit(offsets, units)",
          "a batch is shown before it is kept"): test_a_tally_is_kept_before_it_is_shown,
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.mistake)
def test_faults_are_seen(fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    turns_red(fault, FAULTS[fault], monkeypatch)
