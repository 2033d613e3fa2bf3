"""Learners of intervals at the size at which people use them: what a run draws, and what it costs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import chain, repeat
from typing import Any

import pytest

from littlestone.classes import Intervals
from littlestone.learn.stream import ConfirmedLearner, TalliedLearner, weights
from littlestone.learn.stream.known_ends import Reach
from littlestone.learn.stream.weights import EndWeights
from littlestone.privacy import Budget
from littlestone.privacy.accounting.subsampled import InTurn
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.mechanisms import competition, tallies
from littlestone.privacy.mechanisms.sides import OWN, SHARED
from littlestone.privacy.randomness import seeded_generator
from littlestone.privacy.rational import exp_below
from littlestone.privacy.samplers.noise import geometric
from littlestone.privacy.samplers.reals import Real
from littlestone.privacy.samplers.selection import draw_item
from littlestone.privacy.tape import Tape
from planting import Fault, turns_red

HORIZON = 200_000
GRID = Intervals.on(10, 3_009)
EPSILONS = ("0.001", "0.0107", "1", "30")
SMALL = 12  # thresholds that are low, so that much is published; skips are those of real runs


def learner_of(kind: type[Any], epsilon: str) -> Any:
    return kind(GRID, Budget(epsilon), horizon=HORIZON)


def test_runs_cost_their_budget() -> None:
    """The timer with a median, and what comes after it, each alone; and so does the ledger's entry."""
    for epsilon in EPSILONS:
        whole = Fraction(epsilon)
        for kind in (ConfirmedLearner, TalliedLearner):
            learner = learner_of(kind, epsilon)
            with Ledger() as ledger:
                learner.start(ledger=ledger, dataset="d", rng=seeded_generator(1))
                assert ledger.total("d").epsilon == learner.cost().epsilon == whole
            search = learner.search if kind is ConfirmedLearner else learner.asked.search
            timer, once = search.timer, 1 / exp_below(whole - search.cell_epsilon)
            assert min(timer.skip, timer.shrink) >= once
            assert search.ratio >= 1 / exp_below(min(search.cell_epsilon, whole / 2))
            if kind is ConfirmedLearner:
                own = learner.mechanism
                assert own.skip_epsilon + own.test_epsilon == whole
            else:
                assert learner.mechanism.cost().epsilon == whole


def test_turns_cost_the_dearest() -> None:
    search, own = (
        learner_of(ConfirmedLearner, "3").search,
        learner_of(ConfirmedLearner, "1").mechanism,
    )
    assert InTurn(search, own).cost().epsilon == InTurn(own, search).cost().epsilon == 3


class Followed:
    """A run that errs at an interval and now and then elsewhere, beside a second account of its draws.

    Each draw must be the one that is next by the definition of the mechanism whose turn it is.  What
    it draws anew then says when the next publication is due, and nothing else does.
    """

    def __init__(self, kind: type[Any], *, resumed: bool = False) -> None:
        self.learner, self.seen = lowered(learner_of(kind, "0.001")), list[Any]()
        self.published, self.skips = Counter[str](), list[int]()
        self.counts = dict[int, list[int]]()
        """For each key or side what is skipped, its records, and the step at which it is due."""
        self.confirmed, self.over = kind is ConfirmedLearner, list[int]()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(competition, "geometric", self._wait)
            patch.setattr(tallies, "draw_item", self._item)
            patch.setattr(weights, "_PATIENCE", 1)  # so that a point is given up soon
            patch.setattr(Reach, "locate", self._told("point", Reach.locate))
            patch.setattr(Reach, "confirm", self._told("keys", Reach.confirm))
            patch.setattr(EndWeights, "take", self._told("told", EndWeights.take))
            self.tape = Tape(seeded_generator(3))
            self.stream: Any = self.learner.resume([], self.tape)
            self._begin()
            for i in range(60):
                self._err(i)
                if resumed:
                    self._resume()

    def _resume(self) -> None:
        """Go on from what is kept, in a state that has nothing else; nothing is drawn."""
        kept, drawn, fresh = self.stream._to_json(), len(self.seen), self.learner.stream(self.tape)
        fresh._restore(kept)
        assert (fresh._to_json(), len(self.seen)) == (kept, drawn)
        for name in ("_knowledge", "_weights", "_counts", "_tallies", "_places", "_first"):
            if name in vars(fresh):
                setattr(self.stream, name, vars(fresh)[name])

    def _wait(self, parameter: Any, rng: Any, **named: Any) -> int:
        value = geometric(parameter, rng, **named)
        self.seen.append((parameter.enclose(64), value))
        return value

    def _item(self, *given: Any) -> int:
        value = draw_item(*given)
        self.seen.append((item_of(*given[:3]), value))
        return value

    def _told(self, what: str, own: Callable[..., Any]) -> Callable[..., Any]:
        def tell(state: Any, told: Any, *more: Any) -> Any:
            self.seen.append((what, told))
            return own(state, told, *more)

        return tell

    def _next(self, parameter: Any) -> int:
        asked, value = self.seen.pop(0)
        assert asked == (parameter.enclose(64) if isinstance(parameter, Real) else parameter)
        return int(value)

    @property
    def _state(self) -> Any:
        return self.stream._knowledge if self.confirmed else self.stream._weights

    def _begin(self) -> None:
        """Something was published: what has its turn now begins."""
        step, learner = self.stream.steps + 1, self.learner
        self.searching = self._state.searching
        if self.searching:
            timer = self._search.timer
            self.places, self.skipped = list[int](), self._next(Real.of(timer.skip))
            self.skips.append(self.skipped)
            self.due = self._time(step)
            self.counts, self.over = {}, [0, 1]
        elif self.confirmed:
            self.watched = self._state.keys_to_watch(learner.mechanism.threshold, learner.unlikely)
            kept = getattr(self, "before", {})
            for key, watch in self.watched.items():
                if key not in self.counts:
                    skipped = self._next(Real.of(learner.mechanism.skip))
                    self.counts[key] = [skipped, 0, 0]
                    self.skips.append(skipped)
                elif kept.get(key) == watch:
                    continue
                self.counts[key][2] = self._time_key(key, step)
            self.before = self.watched
        else:
            mechanism = learner.mechanism
            self.shared = [self._next(Real.of(mechanism.shared_skip)), 0]
            for side in (side for end in self.over for side in (2 * end, 2 * end + 1)):
                self.counts[side] = [self._next(Real.of(mechanism.skip)), 0, 0]
                self.skips.append(self.counts[side][0])
            self._time_sides(step)

    @property
    def _search(self) -> Any:
        return self.learner.search if self.confirmed else self.learner.asked.search

    def _time(self, step: int) -> int:
        timer = self._search.timer
        return step + self._next(timer.quiet(timer.threshold + self.skipped - len(self.places)))

    def _time_key(self, key: int, step: int) -> int:
        skipped, records, _ = self.counts[key]
        quiet = self.learner.mechanism.quiet(self.watched[key].threshold + skipped - records)
        return step + self._next(quiet)

    def _time_sides(self, step: int) -> None:
        mechanism = self.learner.mechanism
        for side in range(4):
            skipped, units, _ = self.counts[side]
            gap = max(0, mechanism.units + self.shared[0] + skipped - self.shared[1] - units)
            chance = 1 - Real.of(mechanism.shrink).power(gap)
            self.counts[side][2] = step + self._next(chance)

    def _err(self, i: int) -> None:
        """One more mistake: of the interval from 500 to 900, or of any rule at all."""
        stream = self.stream
        x = (3_009, 10, 777, 1_500)[i // 4 % 4] if i % 4 == 0 else (500, 900, 499, 901, 700)[i % 5]
        y, step = 1 - stream.predict(x), stream.steps + 1
        cell = self._cell(x, y)
        stream.update(x, y)
        if self.searching:
            if cell is not None:
                self.places.append(cell)
                self.due = self._time(step)
            due = self.due
        elif self.confirmed:
            if cell in self.watched:
                self.counts[cell][1] += 1
                self.counts[cell][2] = self._time_key(cell, step)
            due = min(self.counts[key][2] for key in self.watched)
        else:
            if cell is not None:
                self.counts[cell][1] += OWN
                self.shared[1] += SHARED
                self._time_sides(step)
            due = min(self.counts[side][2] for side in range(4))
        assert due >= step
        if due == step:
            self._publish(step)
        assert not self.seen

    def _cell(self, x: int, y: int) -> Any:
        return self._state.key(x, y) if self.confirmed else self._state.cell(x, y)

    def _publish(self, step: int) -> None:
        if self.searching:
            point = self._next(median_of(self._search, Counter(self.places)))
            assert self.seen.pop(0) == ("point" if self.confirmed else "told", point)
            self.published["point"] += 1
        elif self.confirmed:
            keys = {key for key in self.watched if self.counts[key][2] == step}
            assert self.seen.pop(0) == ("keys", keys)
            self.published["keys"] += len(keys)
            for key in keys:
                del self.counts[key]
            self.before = {key: one for key, one in self.before.items() if key not in keys}
        else:
            what, side = self.seen.pop(0)
            assert what == "told"
            assert self.counts[side][2] == step
            self.published["told"] += 1
            self.over = [side // 2]
        self._begin()


def item_of(errors: Any, lengths: Any, base: Fraction) -> tuple[Fraction, list[int]]:
    """What an item is drawn with: the base, and the errors of each item."""
    return base, [*chain.from_iterable(map(repeat, errors.tolist(), lengths))]


def median_of(search: Any, counts: Counter[int]) -> tuple[Fraction, list[int]]:
    """What a median is drawn with, by its definition: a^-score for all places."""
    errors, below, above = list[int](), 0, counts.total()
    for place in range(search.points):
        below += counts[place]
        errors.append(counts.total() - min(below, above))
        above -= counts[place]
    return 1 / search.ratio, errors


def test_medians_of_many_records_have_their_weights() -> None:
    """However many, and if nearly all are at one place, at an end or in the middle."""
    search, rng = learner_of(ConfirmedLearner, "0.001").search, seeded_generator(1)
    asked = list[Any]()

    def note(errors: Any, lengths: Any, base: Fraction, rng: Any) -> int:
        asked.append(item_of(errors, lengths, base))
        return 0

    spread = Counter(rng.randrange(3_000) for _ in range(3_000))
    many = [
        Counter({0: 40_000}),
        Counter({2_999: 3_000, 0: 1}),
        Counter({7: 10**10 + 1, 2_500: 2}),
        spread,
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tallies, "draw_item", note)
        for counts in (Counter({5: 1}), *many):
            search.release(counts, Tape(rng))
            assert asked.pop() == median_of(search, counts)


def lowered(learner: Any) -> Any:
    """The learner with low thresholds."""
    search: Any = (learner if isinstance(learner, ConfirmedLearner) else learner.asked).search
    own = replace(search, timer=replace(search.timer, threshold=SMALL))
    if isinstance(learner, ConfirmedLearner):
        learner.search, learner.mechanism = own, replace(learner.mechanism, threshold=SMALL)
    else:
        learner.asked.search, learner.mechanism = own, replace(learner.mechanism, threshold=4)
    return learner


def followed(kind: type[Any], *, resumed: bool = False) -> None:
    run = Followed(kind, resumed=resumed)
    assert min(run.published.values()) > 1
    assert len(run.published) == 2
    assert max(run.skips) > 1_000


def test_all_that_is_drawn_for_confirmed_intervals() -> None:
    followed(ConfirmedLearner)


def test_all_that_is_drawn_for_tallied_intervals() -> None:
    followed(TalliedLearner)


def test_a_run_that_goes_on_draws_nothing_again() -> None:
    for kind in (ConfirmedLearner, TalliedLearner):
        followed(kind, resumed=True)


CONFIRMED = "littlestone.learn.stream.confirmed:"
TALLIED = "littlestone.learn.stream.tallied:"
MEDIANS = "littlestone.privacy.mechanisms.tallies:ContinualMedians"
confirmed = test_all_that_is_drawn_for_confirmed_intervals
tallied = test_all_that_is_drawn_for_tallied_intervals
weights_of_many = test_medians_of_many_records_have_their_weights
FAULTS: dict[Fault, Callable[[], None]] = {
    Fault(f"{MEDIANS}.release", "counts.total() - np.array(scores, dtype=np.int64)",
          "(counts.total() - np.array(scores, dtype=np.int64)) * (1 + (counts.total() > 100))",
          "medians of many records have twice their epsilon"): weights_of_many,
    Fault(f"{MEDIANS}.release", "np.int64", "np.float32", "scores are rounded"): weights_of_many,
    Fault(f"{MEDIANS}._runs", "if start < self.points else runs",
          "if start < min(self.points, 2_000) else runs",
          "the last places are drawn only if records are there"): weights_of_many,
    Fault(f"{CONFIRMED}ConfirmedStream._hit", "self._search.select()",
          "(sorted(self._search._counts)[len(self._search._counts) // 2], self._search.select())[0]",
          "the middle record itself is published"): confirmed,
    Fault(f"{CONFIRMED}ConfirmedStream._mistaken",
          "(self._search or self._counts).count(self._steps, key)",
          "[self._counts.count(self._steps, key) for _ in range(1 + key % 2)]"
          " if not self._search else self._search.count(self._steps, key)",
          "a record counts twice for every other key"): confirmed,
    Fault(f"{CONFIRMED}ConfirmedStream._hit", "self._counts.forget()", "None",
          "keys of the turn before keep their counts"): confirmed,
    Fault("littlestone.privacy.mechanisms.confirmation:Confirmations.forget",
          "self._watched, self._counted, self._calendar = {}, {}, []",
          "self._watched, self._calendar = {}, []", "what is forgotten counts"): confirmed,
    Fault("littlestone.privacy.mechanisms.tallies:Tallies.restore",
          'Counter(dict(kept["counts"]))', "Counter[int]()",
          "a run that goes on forgets its places"): test_a_run_that_goes_on_draws_nothing_again,
    Fault("littlestone.privacy.mechanisms.sides:SideCounts.restore",
          "self._shared_skips, self._shared_units, *sides = kept",
          "_, self._shared_units, *sides = kept", "a run that goes on skips nothing that all share"):
        test_a_run_that_goes_on_draws_nothing_again,
    Fault(f"{TALLIED}TalliedStream._hit",
          "self._tallies = self._learner.mechanism.tallies(self._tape)", "None",
          "sides of the turn before go on"): tallied,
    Fault(f"{TALLIED}TalliedStream._mistaken", "(cell := self._weights.cell(x, y)) is not None",
          "(cell := self._weights.cell(x, y)) is not None and y",
          "records that shorten an interval are not counted"): tallied,
    Fault(f"{TALLIED}Sides.plan", "ContinualSides(epsilon=epsilon,",
          "ContinualSides(epsilon=epsilon * 11 / 10,", "sides cost more than the budget"):
        test_runs_cost_their_budget,
    Fault(f"{CONFIRMED}find_search", "test_epsilon=epsilon - cell", "test_epsilon=epsilon",
          "a record moves the timer for nothing"): test_runs_cost_their_budget,
    Fault("littlestone.privacy.accounting.subsampled:InTurn.cost",
          "max(cost.epsilon for cost in costs)", "min(cost.epsilon for cost in costs)",
          "mechanisms in turn cost as much as the cheapest"): test_turns_cost_the_dearest,
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.mistake)
def test_faults_are_seen(fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    turns_red(fault, FAULTS[fault], monkeypatch)
