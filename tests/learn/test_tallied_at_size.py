"""The learner of tallies at the size at which people use it: its cost, its draws, and what it keeps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pytest

from littlestone.classes import FiniteClass
from littlestone.learn.stream import TalliedLearner
from littlestone.learn.stream.tallied import Weights
from littlestone.privacy import Budget
from littlestone.privacy.mechanisms import competition, tallies
from littlestone.privacy.randomness import seeded_generator
from littlestone.privacy.rational import exp_below
from littlestone.privacy.samplers.geometric import discrete_laplace, geometric
from littlestone.privacy.samplers.reals import Real
from littlestone.privacy.tape import Tape
from planting import Fault, turns_red

HORIZON = 200_000
TABLE = FiniteClass.from_array(np.random.default_rng(3).integers(0, 2, (100, 40)))
MOST = 500  # mistakes, of which there are fewer
TARGET = TABLE.hypothesis(17)
EPSILONS = ("0.001", "0.0107", "1", "30")


def learner_of(epsilon: str = "1") -> TalliedLearner:
    return TalliedLearner(TABLE, Budget(epsilon), horizon=HORIZON)


def test_a_run_costs_its_budget() -> None:
    """Its timer, its noise, and both together, at each epsilon."""
    for epsilon in EPSILONS:
        learner, half = learner_of(epsilon), 1 / exp_below(Fraction(epsilon) / 2)
        assert learner.cost().epsilon <= Fraction(epsilon)
        timer = learner.mechanism.timer
        assert min(timer.skip, timer.shrink, learner.mechanism.ratio) >= half


class Draw(NamedTuple):
    """What was drawn, with which probability or ratio, and the value."""

    kind: str
    parameter: Fraction
    value: int


class Followed:
    """A run that errs where it can: all mistakes, draws, tallies and lines, each with what is shown."""

    def __init__(self, batch: int) -> None:
        self.learner = learner_of()
        self.draws, self.tallies, self.seen = list[Draw](), list[Any](), list[tuple[Any, int]]()
        self.named = list[int | None]()
        """The cell of each step."""
        self._stream: Any = None
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(competition, "geometric", self._note("wait", geometric))
            patch.setattr(tallies, "discrete_laplace", self._note("noise", discrete_laplace))
            patch.setattr(Weights, "take", self._note_tally(Weights.take))
            tape = Tape(seeded_generator(2), self._keep, together=batch > 1)
            self._stream = self.learner.resume([], tape)
            while len(self.named) < MOST and (wrong := self._mistakes()):
                self._err(wrong[:batch], batch)
        self.published = dict(self._stream.publications[1:])

    def _mistakes(self) -> list[Any]:
        return [x for x in TABLE.domain if self._stream.hypothesis(x) != TARGET(x)]

    def _err(self, wrong: list[Any], batch: int) -> None:
        weights = self._stream._weights
        self.named += [weights.cell(x) for x in wrong]
        if batch > 1:
            self._stream.take([(x, TARGET(x)) for x in wrong])
        else:
            self._stream.update(wrong[0], TARGET(wrong[0]))

    def _note(self, kind: str, own: Callable[..., int]) -> Callable[..., int]:
        def draw(parameter: Any, rng: Any, **named: Any) -> int:
            value = own(parameter, rng, **named)
            given = parameter.enclose(64)[0] if isinstance(parameter, Real) else parameter
            self.draws.append(Draw(kind, Fraction(given), value))
            return value

        return draw

    def _note_tally(self, own: Callable[..., None]) -> Callable[..., None]:
        def take(weights: Weights, tally: Any) -> None:
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


LEARNER = "littlestone.learn.stream.tallied:TalliedLearner.__init__"
TALLIES = "littlestone.privacy.mechanisms.tallies:Tallies"
COUNTS = "littlestone.privacy.mechanisms.confirmation:Confirmations"
STREAM = "littlestone.learn.stream.private_stream:PrivateStream"
NOISE = "lambda rng: discrete_laplace(mechanism.ratio, rng)"
FAULTS: dict[Fault, Callable[[], None]] = {
    Fault(LEARNER, "half = budget.epsilon / 2", "half = 3 * budget.epsilon / 5",
          "each of the two halves is three fifths"): test_a_run_costs_its_budget,
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
    Fault(f"{TALLIES}.select", NOISE,
          "lambda rng: vars(self).setdefault(str(cell), discrete_laplace(mechanism.ratio, rng))",
          "the noise of a cell is that of the tally before"):
        test_all_that_is_drawn_is_fresh_and_used,
    Fault(f"{TALLIES}.select", NOISE, f"{NOISE} if counts[cell] else 0",
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
