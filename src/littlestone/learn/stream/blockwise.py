"""Learn block by block of a stream: as from a table, or with a bounded regret for any labels."""

from __future__ import annotations

import math
import random
from abc import abstractmethod
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import accumulate, islice
from itertools import repeat as forever
from math import ceil
from typing import Any, ClassVar, cast

from littlestone.base.errors import DeclarationError, LedgerError
from littlestone.classes.base import HypothesisClass
from littlestone.data.sample import Sample
from littlestone.learn.base import PrivateLearner
from littlestone.learn.exponential import ExponentialLearner
from littlestone.learn.plan.choice import choose_learner
from littlestone.learn.stream.base import MistakeBound, PrivateOnlineLearner, is_form
from littlestone.learn.stream.private_stream import PrivateStream, Record
from littlestone.points import Domain, Grid, Product
from littlestone.privacy.accounting.calibration import calibrate
from littlestone.privacy.accounting.composed import repeat
from littlestone.privacy.accounting.subsampled import InBlocks
from littlestone.privacy.cost import Budget
from littlestone.privacy.event import Event
from littlestone.privacy.ledger import Receipt
from littlestone.privacy.mechanisms.exponential import ExponentialMechanism
from littlestone.privacy.parameters import require_whole
from littlestone.privacy.tape import Tape
from littlestone.rules import (
    DecisionTree,
    FiniteSet,
    Hypothesis,
    StepFunction,
    function_of_labels,
)

SHORTEST = 500
"""The records of the first block, times epsilon: fewer seldom teach a learner anything."""

LONGEST = 1 << 18
"""The records of a block from which on blocks do not grow; a run keeps those of one block."""

MOST_BLOCKS = 10**5
"""The most blocks of a run, each of which is a draw that the ledger's entry lists."""


class PaidBlock:
    """What a run's receipt has paid for one block: the draws of the `uses` of an event."""

    def __init__(self, event: Event, rng: random.Random) -> None:
        self._left = [part for part, times in event.uses() for _ in range(times)]
        self._rng = rng

    def redeem(self, event: Event) -> random.Random:
        """The generator for one draw of ``event``."""
        if event not in self._left:
            raise LedgerError(
                f"draw from {event}",
                found="the block has not paid for it",
                fix="draw what its learner's event says, once",
            )
        self._left.remove(event)
        return self._rng


class BlockStream(PrivateStream[Any]):
    """A run of a `BlockwiseLearner`; it keeps the records from which the next rule is drawn."""

    def __init__(self, learner: BlockwiseLearner, tape: Tape) -> None:
        super().__init__(always_0(learner.hypotheses.domain), learner.horizon, tape)
        self._learner = learner
        self._sizes = learner.sizes()
        self._void = self._domain.canonical(None)
        self._unwritten: list[Record] = []
        self._size = self._end = 0
        self._counts: dict[Any, list[int]] = {}
        self._begin_block()

    def _begin_block(self) -> None:
        """Go on to the next block; ``_size`` records are counted at its end, void ones included."""
        size = next(self._sizes)
        self._end += size
        if self._learner.remembers:
            self._size += size
        else:
            # Sizes are public, and no record is in two blocks: docs/proofs/blocks.md, Theorem 1.
            self._size, self._counts = size, {}

    def _right(self, x: Any, y: int) -> None:
        self._keep(x, y)
        self._unwritten.append(Record(self._steps, x, y))

    def _mistaken(self, x: Any, y: int) -> None:
        self._keep(x, y)

    def _keep(self, x: Any, y: int) -> None:
        self._counts.setdefault(x, [0, 0])[y] += 1

    def _to_json(self) -> dict[str, Any]:
        written = self._domain.point_to_json
        return {
            "rule": self._published.to_json(),
            "counts": [[written(x), *numbers] for x, numbers in self._counts.items()],
        }

    def _restore(self, kept: Mapping[str, Any]) -> Hypothesis[Any]:
        while self._end <= self._steps:
            self._begin_block()
        point = self._domain.point_from_json
        self._counts = {point(x): [int(zeros), int(ones)] for x, zeros, ones in kept["counts"]}
        numbers = [number for both in self._counts.values() for number in both]
        passed = self._steps - (self._end - self._size)
        if None in self._counts or sum(numbers) > passed or min(numbers, default=0) < 0:
            raise ValueError
        rule = Hypothesis.from_json(kept["rule"])
        if rule.domain != self._domain:  # it would fail at a record
            raise ValueError
        return rule

    def _unwritten_records(self) -> list[Record]:
        return self._unwritten

    def _clear_unwritten(self) -> None:
        self._unwritten = []

    @property
    def _due(self) -> int:
        return min(self._end, self._horizon + 1)

    def _hit(self) -> None:
        # A step without a record counts as one that is the same for everybody, because the
        # learner's privacy is that of a public number of records.
        if void := self._size - sum(map(sum, self._counts.values())):
            self._counts.setdefault(self._void, [0, 0])[0] += void
        sample = Sample[Any].from_counts(self._domain, self._counts)
        form = self._tape.draw(
            lambda rng: self._learner.learn_block(sample, rng).to_json(), is_form
        )
        self._publish(Hypothesis.from_json(form))
        self._begin_block()


class BlockwiseLearner(PrivateOnlineLearner[Any]):
    """A learner that publishes at the end of each block, which is public, what a draw gives."""

    remembers: ClassVar[bool]
    """Whether a draw is from all records so far, and not from those of its block alone."""

    learner: PrivateLearner[Any]
    """What draws, once a block."""

    @abstractmethod
    def sizes(self) -> Iterator[int]:
        """The public sizes of the blocks, without an end."""

    def learn_block(self, sample: Sample[Any], rng: random.Random) -> Hypothesis[Any]:
        """What the learner draws at the end of one block, paid for by the run."""
        return self.learner.draw(sample, receipt=cast(Receipt, PaidBlock(self.learner.event, rng)))

    def stream(self, tape: Tape) -> BlockStream:
        return BlockStream(self, tape)


class BlockLearner(BlockwiseLearner):
    """Publish at the end of each block what a learner from tables draws from its records.

    Any class that `choose_learner` takes: trees, lists, rules over mixed columns, score sheets.  The
    first block has ``first`` records (500 / epsilon by default) and each further one ``growth`` times
    as many as the one before, up to 2^18.  So with growth 2 a rule is learned from the newest half
    of the stream, or with growth 1 from the last ``first`` records, for streams that drift.

    A record is in one block, and when blocks end is public.  So the whole run costs what one draw
    costs, (epsilon, delta), however many rules it publishes (docs/proofs/blocks.md, Theorem 1).  Labels
    need not fit any rule: on records that are drawn independently, each published rule is as good as
    the learner promises for a table of so many records (Theorem 2).  An adversary who sees the rules
    can make it err at every step.

    Between two publications a record takes some microseconds.  Memory: the different records of one
    block.  Raises what `choose_learner` raises, and `DeclarationError` for a horizon without a block.

    >>> from littlestone.classes import parse_class
    >>> H = parse_class("score_sheet(age: 0..80 step 20, sex in {F, M}; at most 2)")
    >>> learner = BlockLearner(H, Budget(1, "1e-6"), horizon=200_000)
    >>> print(learner.cost())
    epsilon 1, delta 0.000001 (replace-one)
    >>> learner.publications
    8
    """

    method = "blocks"
    oblivious = True
    fallback = True
    remembers = False
    mechanism: InBlocks[Event]

    def __init__(
        self,
        hypotheses: HypothesisClass[Any],
        budget: Budget,
        *,
        horizon: int,
        first: int | None = None,
        growth: int = 2,
    ) -> None:
        super().__init__(hypotheses, horizon)
        self.first = min(horizon, ceil(SHORTEST / budget.epsilon)) if first is None else first
        self.growth = growth
        require_whole("first", self.first, least=1)
        require_whole("growth", growth, least=1)
        if self.first > horizon:
            raise self.unfit(
                found=f"a block has {self.first:,} records, and the stream has {horizon:,}",
                declare="a longer horizon or "
                + ("a larger epsilon" if first is None else "shorter blocks"),
            )
        if len(sizes := self._whole_blocks()) > MOST_BLOCKS:
            raise self.unfit(
                found=f"{horizon:,} records have more than {MOST_BLOCKS:,} blocks",
                declare="longer blocks or a shorter horizon",
            )
        self.learner = choose_learner(hypotheses, budget)[0]
        # Refused here, by public sizes: nothing may fail after the spend.
        for size in sorted({*sizes}):
            self.learner.require_affordable(size)
        self.mechanism = InBlocks(self.learner.event, len(sizes), self.first)

    def sizes(self) -> Iterator[int]:
        size = self.first
        while True:
            yield size
            size = max(size, min(size * self.growth, LONGEST))

    def _whole_blocks(self) -> list[int]:
        """The sizes of the blocks within the horizon, or of one more than `MOST_BLOCKS`."""
        sizes = list(islice(self.sizes(), MOST_BLOCKS + 1))
        return sizes[: bisect_right(list(accumulate(sizes)), self.horizon)]

    @property
    def publications(self) -> int:
        """The number of rules that a whole run publishes after the first, which is always 0."""
        return self.mechanism.blocks

    @property
    def declared_sizes(self) -> str:
        # The event knows neither how long blocks are nor which learner draws.
        return f"{self.event}; first={self.first}; growth={self.growth}; {self.learner!r}"


def always_0(domain: Domain[Any]) -> Hypothesis[Any]:
    """The constant 0 on this domain, in a form that is written and read.

    >>> always_0(Grid(0, 9, "age")).words()
    'always 0'
    """
    if isinstance(domain, Product):
        return DecisionTree(domain, 0)
    if isinstance(domain, Grid):
        return StepFunction(domain, 0, ())
    if domain.size is None:
        return FiniteSet(domain, frozenset())
    return function_of_labels(domain, [0] * domain.size)


class HedgeLearner(BlockwiseLearner):
    """Publish h in H at the end of each block with Pr[h] ~ r^-(errors of h so far): private Hedge.

    Blocks have B = ``block`` records each, so T = ``horizon`` records have K = T // B draws.  Each is
    the exponential mechanism on all records so far, with epsilon_0 and r <= e^(epsilon_0 / 2).  Let
    eta = ln r and N = |H|.  **If the stream is fixed beforehand, then for all labels, on average,**

        mistakes <= min over h of (errors of h) + ln N / eta + eta T B / 8 + B.

    epsilon_0 is the largest with which K draws cost (epsilon, delta) together, or less if that makes
    the bound smaller.  By default B is the power of two for which the bound is about the least.  Then
    it grows as sqrt(T / epsilon) ln(1/delta)^(1/4) (ln N)^(3/4), and with delta = 0 as T^(2/3).  An
    adversary who sees the rule that stands can make every learner err at each step.  The proofs are in
    docs/proofs/hedge.md.

    ``auto`` does not take it: on clean labels others make fewer mistakes.  But nothing else has a bound
    on the mistakes for any labels.  Proper.  Time: a draw of
    `ExponentialLearner` a block.  Memory: the different records.  Raises what that learner raises, and
    `DeclarationError` for no block or more than 10^5 of them.

    >>> from littlestone.classes import Thresholds
    >>> learner = HedgeLearner(Thresholds.on(0, 99), Budget(1, "1e-6"), horizon=200_000)
    >>> learner.block, learner.publications, round(learner.regret_bound())
    (16, 12500, 3144)
    >>> print(learner.cost())
    epsilon 0.999962, delta 0.000001 (replace-one)
    """

    method = "hedge"
    oblivious = True
    baseline = True
    remembers = True
    mechanism: Event
    learner: ExponentialLearner[Any]

    def __init__(
        self,
        hypotheses: HypothesisClass[Any],
        budget: Budget,
        *,
        horizon: int,
        block: int | None = None,
    ) -> None:
        super().__init__(hypotheses, horizon)
        size = ExponentialLearner(hypotheses, budget).size
        self.block = _best_block(size, budget, horizon) if block is None else block
        require_whole("block", self.block, least=1)
        self.publications = horizon // self.block
        if not 1 <= self.publications <= MOST_BLOCKS:
            raise DeclarationError(
                f"learn {hypotheses} online by the method {self.method}",
                found=f"{horizon:,} records have {self.publications:,} blocks of {self.block:,}, and a "
                f"run has 1 to {MOST_BLOCKS:,}",
                fix="declare other blocks or another horizon",
            )
        most = calibrate(
            lambda step: repeat(ExponentialMechanism(step), self.publications, budget.delta),
            budget.cost,
        )
        ((draw, _),) = most.uses()
        # A larger eta than the one that makes the bound least would cost more and promise less.
        best = Fraction(f"{2 * _best_eta(size, self.block, horizon):.4g}")
        self.learner = ExponentialLearner(hypotheses, Budget(min(draw.cost().epsilon, best)))
        self.mechanism = repeat(self.learner.event, self.publications, budget.delta)
        # Refused here, by public numbers: nothing may fail after the spend.
        self.learner.require_affordable(self.publications * self.block)

    def sizes(self) -> Iterator[int]:
        return forever(self.block)

    @property
    def declared_sizes(self) -> str:
        return f"{self.event}; block={self.block}; {self.learner!r}"

    @property
    def eta(self) -> float:
        """The ln of r, by which an error lowers the logarithm of a weight."""
        return math.log1p(self.learner.mechanism.base - 1)

    def regret_bound(self, beta: float | None = None) -> float:
        """The most mistakes more than the best hypothesis makes: on average, or except for ``beta``.

        It is ln N / eta + eta T B / 8 + B, and for ``beta`` sqrt(T B ln(1/beta) / 2) more (Theorem 2).
        """
        T, B = self.horizon, self.block
        mean = _log(self.learner.size) / self.eta + self.eta * T * B / 8 + B
        return mean if beta is None else mean + math.sqrt(T * B * math.log(1 / beta) / 2)

    def mistake_bound(self, beta: float) -> MistakeBound | None:
        """Theorem 3 of docs/proofs/hedge.md, for labels that some hypothesis fits."""
        B = self.block
        mean = _log(self.learner.size) * B / -math.expm1(-self.eta * B)
        # Each u > 0 gives a bound; these are close enough to the best.
        tails = (
            (mean * math.expm1(u) + B * math.log(1 / beta)) / u
            for u in (2 ** (i / 4) for i in range(-40, 9))
        )
        return MistakeBound(
            math.floor(B + min(tails) * (1 + 1e-9)),
            beta,
            "docs/proofs/hedge.md",
            adaptive=False,
        )


def _log(size: int) -> float:
    """The ln of N, or of 2 for one hypothesis, so that it divides."""
    return math.log(max(size, 2))


def _best_eta(size: int, block: int, horizon: int) -> float:
    """The eta for which ln N / eta + eta T B / 8 is least."""
    return math.sqrt(8 * _log(size) / (horizon * block))


def _best_block(size: int, budget: Budget, horizon: int) -> int:
    """The power of two for which the bound is least, by closed forms of what K draws cost."""
    epsilon, L = float(budget.epsilon), -math.log(budget.delta) if budget.delta else math.inf
    # rho = K eta^2 / 2, and epsilon = rho + 2 sqrt(rho L), solved for the root of rho.
    root = epsilon / (math.sqrt(L + epsilon) + math.sqrt(L))

    def bound(B: int) -> float:
        K = horizon // B
        # Or by basic composition; the constructor calibrates what it takes.
        eta = max(root * math.sqrt(2 / K), epsilon / (2 * K))
        eta = min(eta, _best_eta(size, B, horizon))
        return _log(size) / eta + eta * horizon * B / 8 + B

    blocks = (1 << i for i in range(horizon.bit_length()))
    return min((B for B in blocks if horizon // B <= MOST_BLOCKS), key=bound)
