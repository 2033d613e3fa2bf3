"""Private prediction: copies of the SOA vote on each point, and no hypothesis is published."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Generic, NoReturn, final

from littlestone.base.errors import DeclarationError
from littlestone.classes.base import HypothesisClass, require_two_labels
from littlestone.learn.base import require_rule
from littlestone.learn.stream.base import Record, StreamLearner, TapedStream
from littlestone.points import Point, truth
from littlestone.privacy.cost import Budget
from littlestone.privacy.mechanisms.between_thresholds import BetweenThresholds
from littlestone.privacy.mechanisms.competition import Epoch
from littlestone.privacy.parameters import natural_log, require_horizon, require_teachers
from littlestone.privacy.tape import Tape, journal_mismatch
from littlestone.rules import Hypothesis

_HITS, _STEEPNESS, _MARGIN, _FEWEST, _EARLY = 450, 1.36, 1.0, 250, 160  # calibrated
_KEPT, _FEW = 1024, 16


class Copies(Generic[Point]):
    """k copies of the SOA, each with a version space that only its own mistakes restrict.

    Copies that hold the same version space are evaluated together.
    """

    def __init__(self, hypotheses: HypothesisClass[Point], k: int) -> None:
        self._states = [0] * k
        self._spaces = [hypotheses]
        self._rules: list[Hypothesis[Point]] = [hypotheses.soa()]
        self._held = Counter({0: k})
        self._after: dict[tuple[int, Point, int], int] = {}
        self._votes: dict[Point, int] = {}

    def votes(self, x: Point) -> int:
        """The number of copies that give ``x`` the label 1."""
        if x not in self._votes:
            if len(self._votes) == _KEPT:
                self._votes.clear()
            self._votes[x] = sum(n * self._rules[state](x) for state, n in self._held.items())
        return self._votes[x]

    def feed(self, copy: int, x: Point, y: int) -> None:
        """Tell one copy the label of ``x``; ignored if none of its hypotheses gives that label."""
        old = self._states[copy]
        if self._rules[old](x) == y:
            return
        new = self._restrict(old, x, y)
        self._states[copy] = new
        self._held[new] += 1
        self._held[old] -= 1
        if not self._held[old]:
            del self._held[old]
        if len(self._held) <= _FEW:  # counting anew is quicker
            self._votes.clear()
        before, after = self._rules[old], self._rules[new]
        for point in self._votes:
            self._votes[point] += after(point) - before(point)

    def _restrict(self, state: int, x: Point, y: int) -> int:
        step = state, x, y
        if step not in self._after:
            space = self._spaces[state].restrict(x, y)
            if space.is_empty():
                self._after[step] = state
            else:
                self._after[step] = len(self._spaces)
                self._spaces.append(space)
                self._rules.append(space.soa())
        return self._after[step]


class PredictionStream(TapedStream[Point]):
    """A run of `PredictionLearner`: `predict`, then `update`, once for each record.

    The prediction of a record is for its owner alone: an `OwnPrediction`.  Shown to others, it breaks
    the guarantee of that record, because it may reveal its point.  All other predictions may be
    combined, whoever has them: together they are private in the record.  After the horizon, or
    when the votes are spent, the prediction is that of the SOA of the class, and no record is read
    any more; `steps` and `over` are public.

    Any x and y form a record, as in a `PrivateStream`, by `Domain.canonical` and `truth`.  If the run
    is kept, each prediction is on the disk before it is returned.
    """

    def __init__(self, learner: PredictionLearner[Point], tape: Tape) -> None:
        super().__init__(learner.hypotheses.domain, learner.horizon, tape)
        self._learner, self._votes = learner, learner.votes
        self._epoch = Epoch(0, 0, learner.horizon + 1)  # until one is drawn
        self._copies = Copies(learner.hypotheses, self._votes.voters)
        self._default = learner.hypotheses.soa()
        self._asked: tuple[Point, int, bool] | None = None
        self._asked_before = False  # by a call that ended before the label came
        self.over = False
        """Whether no record is looked at any more; public."""

    def predict(self, x: object) -> OwnPrediction:
        """The label of the next record's point, for the owner of that record.

        If an earlier call ended between `predict` and `update`, the point of that record gets the same
        answer again.  Raises `DeclarationError` before the `update` of the last point: a second answer
        would be a second draw.  Raises `OutputError` if the run is kept in a file and writing fails.
        """
        point = self._domain.canonical(x)
        if self._asked is not None:
            if not self._asked_before or self._asked[0] != point:
                raise DeclarationError(
                    "predict a label",
                    found="the last predicted point has not got its label yet",
                    fix="call update with that point and its label first",
                )
            self._asked_before = False
            # The same answer again: a second draw for one record would break the proof.
            return OwnPrediction(self._asked[1])
        if self.over:
            self._asked = point, self._default(point), True
            return OwnPrediction(self._asked[1])
        self._tape.open()
        prediction = OwnPrediction(self._ask(point))
        step = self._steps + 1
        # On the disk before the owner sees it, so a resumed run gives the same answer.
        self._write(step, lambda: [Record(step, point, None)])
        self._tape.close()
        return prediction

    def update(self, x: object, y: object) -> None:
        """Take the next record, whose point was predicted.

        Raises `DeclarationError` for another point, and `OutputError` as `predict`.
        """
        point = self._domain.canonical(x)
        if self._asked is None or self._asked[0] != point:
            raise DeclarationError(
                "take a record",
                found="its point is not the one that was predicted last",
                fix="call predict with the point of each record, then update",
            )
        label = truth(y)
        if self.over:
            self._asked = None
            return
        self._tape.open()
        self._label(self._asked, label)
        self._tape.close()

    def skip(self) -> None:
        """Go on without the label of a record that was predicted before a crash, if the label is gone.

        No other step can have been taken, because each has its line in the file.
        """
        if self._asked is not None and not self.over:
            self._tape.open()
            self._label(self._asked, None)
            self._tape.close()
        self._asked = None

    def _begin(self) -> None:
        self._epoch = self._votes.gate.begin(1, self._tape)

    def _ask(self, point: Point) -> int:
        """Draw the answer of the next record: its label."""
        votes = self._copies.votes(point)
        label, certain = self._tape.draw(
            lambda rng: list(self._votes.answer(votes, rng)), _is_answer
        )
        self._asked = point, label, bool(certain)
        return label

    def _label(self, asked: tuple[Point, int, bool], label: int | None) -> None:
        """Take the record that was asked for; without a label nothing is learned from it."""
        point, predicted, certain = asked
        self._asked, self._asked_before = None, False
        self._steps += 1
        # One draw for every step would do as well: it depends on nothing.
        last = self._votes.voters - 1
        copy = self._tape.whole(lambda rng: rng.randrange(last + 1), 0, last)
        # Certain and right answers teach nothing, so one record changes at most one copy
        # (docs/proofs/private-prediction.md, Lemma).
        if label is not None and (not certain or predicted != label):
            self._copies.feed(copy, point, label)
        if not certain:
            self._epoch = self._votes.gate.count_record(self._epoch, self._steps, self._tape)
        self._write(self._steps, lambda: [Record(self._steps, point, label)])
        # The gate ends the session near `hits` uncertain answers; that is all it reveals (Theorem
        # 2).
        self.over = self._epoch.due == self._steps or self._steps == self._horizon

    def _replay(self, step: int, records: list[Record]) -> None:
        for at, x, y in records:
            if self.over or at != self._steps + 1 or at != step:
                raise journal_mismatch()
            if self._asked is None and y is None:
                self._ask(x)
                self._asked_before = True
            elif self._asked is not None and self._asked[0] == x:
                self._label(self._asked, y)
            else:
                raise journal_mismatch()

    def _go_on(self) -> None:
        """Nothing is left to do: the lines of a step hold all that it draws."""


def _is_answer(value: object) -> bool:
    match value:
        case [0 | 1, bool()]:
            return True
    return False


class PredictionLearner(StreamLearner[PredictionStream[Point]], Generic[Point]):
    """Predict the label of each x_t by a noisy vote of k copies of the SOA.

    Each step t has one of k copies, pi(t), drawn uniformly beforehand.  The copies vote on x_t by
    `BetweenThresholds`.  If the prediction is wrong, or the vote uncertain, copy pi(t) alone learns
    (x_t, y_t).  Joint differential privacy: for every t, all predictions but that of step t are
    (epsilon, delta)-DP in the record (x_t, y_t), whoever chooses the other records, adaptively and
    knowing these predictions (docs/proofs/private-prediction.md, Theorem 2).

    So the owner of record t may see prediction t.  Nobody else may see it unless they may know x_t,
    because it is nearly a function of x_t.  It does not reveal the label y_t: all predictions together,
    including that one, are (epsilon, delta)-DP in y_t, whoever knows all the points (Theorem 3).

    Nothing else answers each owner without publishing a rule.

    Source: KMM+23, whose noisy votes have thresholds k / 4 and 3 k / 4.  The privacy here does not
    depend on the horizon.  ``python -m benchmarks.online_baselines`` calibrates the sizes; nothing is
    proved about mistakes.

    Raises `DeclarationError` for illegal parameters and delta = 0, `InfiniteDimensionError` and
    `EmptyClassError`.

    >>> from littlestone.classes import Points
    >>> from littlestone.points import Integers
    >>> learner = PredictionLearner(Points(Integers()), Budget(1, "1e-6"), horizon=200_000)
    >>> print(learner.cost())
    epsilon 1, delta 0.000001 (replace-one)
    """

    verb = "predict {label} online by {hypotheses}"

    def __init__(
        self,
        hypotheses: HypothesisClass[Point],
        budget: Budget,
        *,
        horizon: int,
        copies: int | None = None,
        threshold: int | None = None,
        hits: int | None = None,
    ) -> None:
        require_two_labels(hypotheses, "predict online by")
        hypotheses.require_learnable()
        self.hypotheses, self.horizon = hypotheses, horizon
        estimate = _CalibratedSizes.calibrate(hypotheses, budget, horizon)
        copies = estimate.copies if copies is None else copies
        require_teachers(copies)
        self.votes = BetweenThresholds(
            budget=budget,
            voters=copies,
            threshold=copies // 2 + estimate.margin if threshold is None else threshold,
            hits=estimate.hits if hits is None else hits,
            horizon=horizon,
        )

    @property
    def event(self) -> BetweenThresholds:
        """A whole run, as the ledger records it; its cost is joint, as the class docstring says."""
        return self.votes

    def prepare(self) -> None:
        _ = self.votes.steepness
        require_rule(self.hypotheses)

    def stream(self, tape: Tape) -> PredictionStream[Point]:
        return PredictionStream(self, tape)


@dataclass(frozen=True)
class _CalibratedSizes:
    """Calibrated sizes: about as many uncertain votes as d = LDim(H) rounds of agreement take.

    N is of the order sqrt(hits ln(1 / delta)) / epsilon; k and hits are of the order d N.
    """

    copies: int
    margin: int
    hits: int

    @classmethod
    def calibrate(
        cls, hypotheses: HypothesisClass[Any], budget: Budget, horizon: int
    ) -> _CalibratedSizes:
        require_horizon(horizon)
        loss, d = float(budget.epsilon), int(hypotheses.littlestone_dimension())
        log = max(1.0, -natural_log(budget.delta or Fraction(1)))
        # The gate may end a session some ln(steps) / loss hits early.
        few = _FEWEST * d + _EARLY / loss
        hits = min(horizon, math.ceil(max(few, _HITS * max(d, 1) ** 2 * log / loss**2)))
        steepness = _STEEPNESS * math.sqrt(hits * log) / loss
        certain = _MARGIN + math.log(8 * horizon / hits)
        return cls(math.ceil(2 * certain * steepness), math.ceil(_MARGIN * steepness), hits)


@final
class OwnPrediction:
    """A label for the owner of one record, which only `reveal_to_owner` returns.

    Printing, formatting, logging and JSON do not show it.  Comparing, using it as a truth value,
    pickling and copying raise `DeclarationError`, whatever the label is.

    >>> prediction = OwnPrediction(1)
    >>> prediction
    OwnPrediction(hidden)
    >>> prediction.reveal_to_owner()
    1
    """

    __slots__ = ("_label",)

    def __init__(self, label: int) -> None:
        self._label = label

    def reveal_to_owner(self) -> int:
        """The label.  Give it to the owner of the record, and to nobody who may not know its point.

        For others it is not a private release: it may reveal the point of the record.
        """
        return self._label

    def __repr__(self) -> str:
        return "OwnPrediction(hidden)"

    def __eq__(self, other: object) -> NoReturn:
        # Every act that would show the label to somebody else is refused, whatever the label is.
        self._refuse("compare")

    def __bool__(self) -> NoReturn:
        self._refuse("ask for the truth of")

    def __reduce__(self) -> NoReturn:
        self._refuse("copy or pickle")

    def _refuse(self, act: str) -> NoReturn:
        raise DeclarationError(
            f"{act} a prediction",
            found="it is for the owner of its record alone",
            fix="take the label by reveal_to_owner(), and give it to that owner only",
        )
