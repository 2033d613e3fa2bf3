"""Private prediction: copies of the SOA vote on each point, and no hypothesis is published."""

from __future__ import annotations

import math
import random
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Generic

from littlestone.classes.base import HypothesisClass
from littlestone.domains import Point, truth
from littlestone.errors import DeclarationError
from littlestone.hypotheses import Hypothesis
from littlestone.learners.online.own_prediction import OwnPrediction
from littlestone.privacy.budget import Budget
from littlestone.privacy.cost import PrivacyCost
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.mechanisms.certain_votes import CertainVotes
from littlestone.privacy.mechanisms.epoch import Epoch
from littlestone.privacy.parameters import natural_log, require_horizon, require_teachers

_HITS, _STEEPNESS, _MARGIN, _FEWEST, _EARLY = 450, 2.5, 0.5, 250, 160  # calibrated
_KEPT, _FEW = 1024, 16


class Copies(Generic[Point]):
    """k copies of the SOA, each with a version space that only its own mistakes restrict.

    Copies that hold the same version space are looked at together.
    """

    def __init__(self, hypotheses: HypothesisClass[Point], k: int) -> None:
        self._states = [0] * k
        self._spaces = [hypotheses]
        self._rules: list[Hypothesis[Point]] = [hypotheses.soa()]
        self._held = Counter({0: k})
        self._after: dict[tuple[int, Point, int], int] = {}
        self._votes: dict[Point, int] = {}

    def votes(self, x: Point) -> int:
        """How many copies give ``x`` the label 1."""
        if x not in self._votes:
            if len(self._votes) == _KEPT:
                self._votes.clear()
            self._votes[x] = sum(n * self._rules[state](x) for state, n in self._held.items())
        return self._votes[x]

    def feed(self, copy: int, x: Point, y: int) -> None:
        """Tell one copy the label of ``x``; one that no hypothesis of it gives is ignored."""
        old = self._states[copy]
        if self._rules[old](x) == y:
            return
        new = self._restricted(old, x, y)
        self._states[copy] = new
        self._held[new] += 1
        self._held[old] -= 1
        if not self._held[old]:
            del self._held[old]
        if len(self._held) <= _FEW:  # to count anew is quicker
            self._votes.clear()
        before, after = self._rules[old], self._rules[new]
        for point in self._votes:
            self._votes[point] += after(point) - before(point)

    def _restricted(self, state: int, x: Point, y: int) -> int:
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


class PredictionStream(Generic[Point]):
    """A run of `PredictionLearner`: `predict`, then `update`, once for each record.

    The prediction of a record is for its owner alone: an `OwnPrediction`.  Shown to others it breaks
    the guarantee of that record, as it may tell its point outright.  All predictions but that one
    may come together, whoever has them: they do not tell of the record.  After the horizon, or when
    the votes are spent, the prediction is that of the SOA of the class, and no record is looked at
    any more; `steps` and `over` are public.

    Any x and y are a record, as in a `PrivateStream`, by `Domain.canonical` and `truth`.
    """

    def __init__(
        self, learner: PredictionLearner[Point], rng: random.Random, initial: Epoch
    ) -> None:
        self._learner, self._rng, self._epoch = learner, rng, initial
        self._copies = Copies(learner.hypotheses, learner.votes.voters)
        self._domain = learner.hypotheses.domain
        self._default = learner.hypotheses.soa()
        self._asked: tuple[Point, int, bool] | None = None
        self.steps = 0
        """The number of records that were taken, at most the horizon; public."""
        self.over = False
        """Whether no record is looked at any more; public."""

    def predict(self, x: object) -> OwnPrediction:
        """The label of the next record's point, for the owner of that record.

        Raises `DeclarationError` before the `update` of the last one: a second answer would be a
        second draw.
        """
        if self._asked is not None:
            raise DeclarationError(
                "predict a label",
                found="the last point that was predicted has not got its label yet",
                fix="call update with that point and its label first",
            )
        point = self._domain.canonical(x)
        if self.over:
            label, certain = self._default(point), True
        else:
            label, certain = self._learner.votes.answer(self._copies.votes(point), self._rng)
        self._asked = point, label, certain
        return OwnPrediction(label)

    def update(self, x: object, y: object) -> None:
        """Take the next record, whose point was predicted.

        Raises `DeclarationError` for another point.
        """
        point = self._domain.canonical(x)
        if self._asked is None or self._asked[0] != point:
            raise DeclarationError(
                "take a record",
                found="its point is not the one that was predicted last",
                fix="call predict with the point of each record, then update",
            )
        _, predicted, certain = self._asked
        label, self._asked = truth(y), None
        if self.over:
            return
        self.steps += 1
        gate = self._learner.votes.gate
        # One for each step would do as well: it depends on nothing.
        copy = self._rng.randrange(self._learner.votes.voters)
        if not certain or predicted != label:
            self._copies.feed(copy, point, label)
        if not certain:
            self._epoch = gate.counted(self._epoch, self.steps, self._rng)
        self.over = self._epoch.due == self.steps or self.steps == self._learner.horizon


class PredictionLearner(Generic[Point]):
    """Predict the label of each x_t by a noisy vote of k copies of the SOA.

    Step t has one of k copies, pi(t), drawn uniformly beforehand.  The copies vote on x_t by
    `CertainVotes`.  If the prediction is wrong, or the vote uncertain, copy pi(t) alone learns
    (x_t, y_t).  Joint differential privacy: for every t, all predictions but that of step t are
    (epsilon, delta)-DP in the record (x_t, y_t), whoever chooses the other records, adaptively and
    in the knowledge of these predictions (docs/proofs/private-prediction.md, Theorem 2).

    So the owner of record t may see prediction t, and nobody else may who may not know x_t: it is
    nearly a function of x_t.  Of the label y_t it tells nothing: all predictions together, that one
    too, are (epsilon, delta)-DP in y_t, whoever knows all the points (Theorem 3).

    After KMM+23, whose noisy votes have thresholds k / 4
    and 3 k / 4.  The privacy here does not depend on the horizon.  The sizes are calibrated by
    ``python -m benchmarks.online_baselines``; nothing is proved about mistakes.

    Raises `DeclarationError` for illegal parameters and delta = 0, `InfiniteDimensionError` and
    `EmptyClassError`.

    >>> from littlestone.classes import Points
    >>> from littlestone.domains import Integers
    >>> learner = PredictionLearner(Points(Integers()), Budget(1, "1e-6"), horizon=200_000)
    >>> print(learner.cost())
    epsilon 1, delta 0.000001 (replace-one)
    """

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
        hypotheses.require_learnable()
        self.hypotheses, self.horizon = hypotheses, horizon
        estimate = _Sizes.calibrated(hypotheses, budget, horizon)
        copies = estimate.copies if copies is None else copies
        require_teachers(copies)
        self.votes = CertainVotes(
            budget=budget,
            voters=copies,
            threshold=copies // 2 + estimate.margin if threshold is None else threshold,
            hits=estimate.hits if hits is None else hits,
            horizon=horizon,
        )

    @property
    def event(self) -> CertainVotes:
        """A whole run, as the ledger records it."""
        return self.votes

    def cost(self) -> PrivacyCost:
        """The guarantee of a whole run; joint, as the class says."""
        return self.event.cost()

    def start(
        self,
        *,
        ledger: Ledger,
        dataset: str,
        label: str = "label is 1",
        rng: random.Random | None = None,
    ) -> PredictionStream[Point]:
        """Spend `cost` on ``dataset`` in the ledger, once, then begin the run.

        ``rng`` is the system's cryptographic generator unless given; with a seeded one the run is a
        simulation and not private.  Raises `BudgetExceededError` or `LedgerError`.
        """
        _ = self.votes.steepness  # which takes a search: before the spend
        what = f"predict {label} online by {self.hypotheses}"
        receipt = ledger.spend(self.event, dataset=dataset, what=what, rng=rng)
        rng = receipt.redeem(self.event)
        return PredictionStream(self, rng, self.votes.gate.begin(1, rng))


@dataclass(frozen=True)
class _Sizes:
    """Calibrated: about as many uncertain votes as d = LDim(H) rounds of agreement take.

    N is of the order sqrt(hits ln(1 / delta)) / epsilon, and k and hits of the order d N.
    """

    copies: int
    margin: int
    hits: int

    @classmethod
    def calibrated(cls, hypotheses: HypothesisClass[Any], budget: Budget, horizon: int) -> _Sizes:
        require_horizon(horizon)
        loss, d = float(budget.epsilon), int(hypotheses.littlestone_dimension())
        log = max(1.0, -natural_log(budget.delta or Fraction(1)))
        # The gate may end a session some ln(steps) / loss hits early.
        few = _FEWEST * d + _EARLY / loss
        hits = min(horizon, math.ceil(max(few, _HITS * max(d, 1) ** 2 * log / loss**2)))
        steepness = _STEEPNESS * math.sqrt(hits * log) / loss
        certain = _MARGIN + math.log(8 * horizon / hits)
        return cls(math.ceil(2 * certain * steepness), math.ceil(_MARGIN * steepness), hits)
