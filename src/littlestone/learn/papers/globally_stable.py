"""The learner from global stability (BLM20), private for every sample."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, pairwise
from typing import TypeVar, cast

import numpy as np

from littlestone.base.errors import DeclarationError, TooLargeError
from littlestone.base.work import at_most
from littlestone.classes.base import HypothesisClass
from littlestone.data.sample import Sample
from littlestone.learn.base import (
    MOST_WORK,
    Bound,
    Caveat,
    PrivateLearner,
    Setting,
    exact_alpha,
    has_rule,
    require_plan,
)
from littlestone.learn.papers.teachers import permute_examples
from littlestone.points import Point
from littlestone.privacy.accounting.subsampled import Parallel
from littlestone.privacy.cost import Budget
from littlestone.privacy.ledger import Receipt
from littlestone.privacy.mechanisms.exponential import ExponentialMechanism
from littlestone.privacy.mechanisms.partition_selection import StableHistogram
from littlestone.privacy.parameters import least
from littlestone.privacy.scores import ErrorRuns
from littlestone.rules import Hypothesis, disagreement
from littlestone.theory.game.players import ExtendedSOA

Record = TypeVar("Record")

LARGEST = 8  # beyond this d, eta = 2^-(2^d - 1) and the logarithms of its sizes exceed the floats


@dataclass(frozen=True)
class BatchSizes:
    """Public numbers that say which record goes where.

    A block has ``block`` examples, the paper's auxiliary sample (its n).  Batch i plays a tournament of
    depth k = i mod (d + 1), which may draw ``caps[k]`` blocks (its N), plus one block.  There are
    ``batches`` batches (its k), and ``fresh`` examples (its n') to choose among the rules whose noisy
    counts are at least ``keep`` (its 3 eta k / 4).
    """

    block: int
    caps: tuple[int, ...]
    batches: int
    fresh: int
    keep: int = 1

    def __post_init__(self) -> None:
        if min(self.block, *self.caps, self.batches, self.fresh) < 0 or not (
            self.block and self.caps
        ):
            raise DeclarationError(
                f"split records by {self}",
                found="a block holds at least one example, caps are given, and no number is negative",
                fix="take them from paper_sizes, proved_sizes or calibrated_sizes",
            )

    def batch(self, i: int) -> int:
        """The number of examples in batch number i."""
        return self.block * (self.caps[i % len(self.caps)] + 1)

    def split(self, examples: Sequence[Record]) -> tuple[Sequence[Record], list[Sequence[Record]]]:
        """The fresh records and the batches, by position alone; the last records may be in neither."""
        stops = list(accumulate(map(self.batch, range(self.batches)), initial=self.fresh))
        return examples[: self.fresh], [examples[i:j] for i, j in pairwise(stops)]

    def blocks(self, batch: Sequence[Record]) -> Iterator[Sequence[Record]]:
        """The whole blocks of a batch."""
        size = self.block
        return (batch[j : j + size] for j in range(0, len(batch) - size + 1, size))

    @property
    def n(self) -> int:
        """The number of examples in all batches, plus the fresh ones."""
        cycles, rest = divmod(self.batches, len(self.caps))
        cycle = [self.batch(i) for i in range(len(self.caps))]
        return self.fresh + cycles * sum(cycle) + sum(cycle[:rest])


def stability(d: int, labels: int = 2) -> float:
    """The largest eta with rho_d >= eta, where rho_0 = 1, rho_k = rho (rho - eta) / (K (1 - eta rho)).

    For some k <= d and rule f, Pr[SOA(S T) = f] >= eta for S ~ D_k, K being the number of ``labels``
    among which a tournament guesses (docs/proofs/globally-stable.md, Theorem 3, for K = 2).  BLM20,
    Lemma 12, says 2^-d, which is false for d = 2.  About K^-(2^d - 1).

    >>> [f"{stability(d):.3g}" for d in (0, 1, 2, 3)]
    ['1', '0.5', '0.104', '0.0072']
    """

    def reach(eta: float) -> float:
        rho = 1.0
        for _ in range(d):
            rho = rho * max(0.0, rho - eta) / (labels * (1 - eta * rho))
        return rho

    low, high = 0.0, 1.0
    if d == 0:
        return 1.0
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if reach(middle) >= middle else (low, middle)
    return low


def expected_blocks(d: int, labels: int = 2) -> list[float]:
    """E_0, ..., E_d: S ~ D_k takes at most E_k blocks in expectation, if D_k is defined.

    E_(k+1) = 2 (E_k + 1) / (1 - eta), eta = `stability`.  BLM20, Lemma 14: at most 4^(k+1).

    >>> [round(blocks, 2) for blocks in expected_blocks(2)]
    [0.0, 2.23, 7.22]
    """
    found = [0.0]
    while len(found) <= d:
        found.append(2 * (found[-1] + 1) / (1 - stability(d, labels)))
    return found


def paper_sizes(d: int, alpha: float, beta: float, budget: Budget) -> BatchSizes:
    """The sizes of BLM20, Theorems 10 and 17, at error alpha / 2 of G: eta = 1 / ((d + 1) 2^(d + 1)).

    The constants of Theorem 17 are those of its proof.  For d >= 2 the proof of that eta has a gap.

    >>> paper_sizes(1, 0.1, 0.05, Budget(1, "1e-6")).n
    5452972
    """
    caps = (8 ** (d + 1),) * (d + 1)
    frequent = 1 / ((d + 1) * 2 ** (d + 1))
    return _sizes(alpha, beta, budget, max(1, math.ceil(2 * d / alpha)), caps, frequent)


def proved_sizes(
    d: int, alpha: float, beta: float, budget: Budget, *, labels: int = 2
) -> BatchSizes:
    """BatchSizes at which, for a realizable distribution, err <= alpha with probability 1 - beta.

    docs/proofs/globally-stable.md, Theorem 5; for more labels docs/proofs/multiclass-learning.md,
    Theorem 5.

    >>> proved_sizes(1, 0.1, 0.05, Budget(1, "1e-6")).n
    529216
    """
    eta = stability(d, labels)
    block = max(1, math.ceil(2 * math.log(1 / eta) / alpha))
    caps = tuple(math.ceil(2 * blocks / eta) for blocks in expected_blocks(d, labels))
    return _sizes(alpha, beta, budget, block, caps, eta / (2 * (d + 1)))


def _sizes(
    alpha: float,
    beta: float,
    budget: Budget,
    block: int,
    caps: tuple[int, ...],
    frequent: float,
) -> BatchSizes:
    """The batches and fresh examples that a rule with this expected frequency in them needs."""
    require_plan(alpha, beta)
    histogram: StableHistogram[object]
    histogram = StableHistogram(budget)
    share = Fraction(beta) / 3

    def suffices(batches: int) -> bool:
        expected, error = frequent * batches, histogram.error(keys=batches, beta=share)
        return (
            expected >= 128 * math.log(3 / beta)
            # Noise stays below an eighth of the expected count, so frequent rules survive the cut
            # at three quarters.
            and expected >= 8 * error
            and 7 * expected >= 8 * (histogram.threshold + error)
        )

    batches = -(-least(suffices) // len(caps)) * len(caps)
    tilt = math.log(ExponentialMechanism(budget.epsilon).base)
    tilt = min(tilt, math.log(2) / 2)
    # E e^(-tilt D), D = 1[h errs] - 1[h* errs], for err(h) > alpha and err(h*) <= alpha / 2.
    rate = -math.log1p(alpha * math.expm1(-tilt) + alpha / 2 * math.expm1(tilt))
    kept = 8 / (5 * frequent)
    fresh = math.ceil(math.log(3 * kept / beta) / rate * (1 + 1e-9))
    return BatchSizes(block, caps, batches, fresh, math.ceil(3 * frequent * batches / 4))


def calibrated_sizes(n: int, d: int, alpha: Fraction) -> BatchSizes:
    """BatchSizes for n examples, calibrated and not proved: four fifths of them fill the batches.

    Blocks have ceil(d / alpha) examples.  A tournament of depth k may draw twice the 2 (2^k - 1)
    blocks that it takes if no two rules are ever equal.

    >>> calibrated_sizes(10_000, 2, Fraction(1, 10))
    BatchSizes(block=20, caps=(0, 4, 12), batches=63, fresh=2000, keep=1)
    """
    block = max(1, math.ceil(d / alpha))
    caps = tuple(4 * (2**k - 1) for k in range(d + 1))
    fresh = n // 5
    cycle = block * (sum(caps) + d + 1)
    return BatchSizes(block, caps, (n - fresh) // cycle * (d + 1), fresh)


Examples = Sequence[tuple[Point, int]]


def stable_rule(
    H: HypothesisClass[Point], k: int, blocks: Iterator[Examples[Point]], rng: random.Random
) -> Hypothesis[Point] | None:
    """SOA(S T) for S ~ D~_k and a block T: the output of G once it has drawn k (BLM20, section 4.3).

    D~_0 is the empty sample.  For D~_k, two samples S_0, S_1 ~ D~_(k-1), each with a block T_0, T_1
    of its own, are drawn until f_b = SOA(S_b T_b) differ, at a point x.  A uniform label y
    then decides: S_b T_b (x, y) is returned, for the b with f_b(x) != y.  Each of the k examples
    (x, y) of S is a mistake of the SOA, and the rule agrees with T (Observation 11).

    ``blocks`` are fresh examples, n >= 1 in each.  n is the paper's auxiliary size, and with N / n + 1
    blocks, N is its cap on the draws.  None if the blocks run out, or if a rule has no canonical form
    because the examples are not realizable.

    >>> from littlestone.classes import Thresholds
    >>> blocks = iter([[(7, 1)], [(2, 0)], [(5, 1)]])
    >>> stable_rule(Thresholds.on(0, 9), 1, blocks, random.Random(4)).words()
    'x >= 2'
    """
    found = _contender(ExtendedSOA(H), k, blocks, rng)
    return None if found is None else found.hypothesis()


def _contender(
    start: ExtendedSOA[Point], k: int, blocks: Iterator[Examples[Point]], rng: random.Random
) -> ExtendedSOA[Point] | None:
    """The state of the SOA after S T."""
    state = _winner(start, k, blocks, rng) if k else start
    block = next(blocks, None)
    return None if state is None or block is None else state.after(block)


def _winner(
    start: ExtendedSOA[Point], k: int, blocks: Iterator[Examples[Point]], rng: random.Random
) -> ExtendedSOA[Point] | None:
    """The state of the SOA after S ~ D~_k, for k >= 1."""
    while True:
        pair = [_contender(start, k - 1, blocks, rng) for _ in range(2)]
        rules = [None if state is None else state.hypothesis() for state in pair]
        (one, other), (f, g) = pair, rules
        if one is None or other is None or f is None or g is None:
            return None
        # No point tells them apart: draw two new contenders, as the paper does.
        if f == g:
            continue
        x = cast(Point, disagreement(f, g))
        # A guessed label: whoever predicted it otherwise has made a mistake, and mistakes lower the
        # dimension.
        y = rng.randrange(start.version_space.labels)
        return (one if f(x) != y else other).update(x, y)


MOST_STEPS = 10_000_000
"""The steps of all tournaments together; each batch has the same share."""


class GloballyStableLearner(PrivateLearner[Point]):
    """Release a rule that tournaments on many batches agree on and that errs little on fresh data.

    1. Put the n records in a uniform order; `BatchSizes` says which are fresh and which are batch i.
    2. Batch i gives one rule h_i by `stable_rule` with k = i mod (d + 1), d = LDim(H).
    3. Take a stable histogram of h_1, h_2, ... at (epsilon, delta); drop rules below ``keep``.
    4. The exponential mechanism at epsilon picks one of the rest by its errors on the fresh records.

    If no rule is left, the rule is SOA_H.  (epsilon, delta)-DP for every sample, because each record
    is fresh or in one batch, and so in only one of two mechanisms (docs/proofs/globally-stable.md,
    Theorem 1); the paper pays for both.  Improper.  If ``sizes`` is `paper_sizes` or `proved_sizes`,
    this is the paper's learner M.  By default sizes depend on n and ``alpha``, and are calibrated,
    not proved.

    With K > 2 labels a tournament guesses one of all K, and a size is about K^(2^d) where that of
    two is 2^(2^d) (JKT20; docs/proofs/multiclass-learning.md, Theorem 5).
    O(n) restrictions and 2^k SOAs a batch.  Raises `DeclarationError` for delta = 0.

    >>> from littlestone.classes import Thresholds
    >>> print(GloballyStableLearner(Thresholds.on(0, 99), Budget(1, "1e-6")).cost())
    epsilon 1, delta 0.000001 (replace-one)
    """

    method = "globally_stable"
    several = True
    caveat = Caveat.BASELINE
    takes_alpha = True

    def __init__(
        self,
        hypotheses: HypothesisClass[Point],
        budget: Budget,
        *,
        alpha: object = Fraction(1, 10),
        sizes: BatchSizes | None = None,
    ) -> None:
        super().__init__(hypotheses, budget)
        self.dimension = int(hypotheses.littlestone_dimension())
        self.alpha = exact_alpha(alpha)
        self.sizes = sizes
        self.histogram: StableHistogram[Hypothesis[Point]] = StableHistogram(budget)
        self.choice = ExponentialMechanism(budget.epsilon)

    @classmethod
    def with_proved_bound(
        cls, hypotheses: HypothesisClass[Point], budget: Budget, *, alpha: float, beta: float
    ) -> GloballyStableLearner[Point]:
        """The learner with `proved_sizes`, or with the usual ones if these are beyond floats.

        >>> from littlestone.classes import Thresholds
        >>> goal = {"alpha": 0.1, "beta": 0.05}
        >>> H = Thresholds.on(1, 2)
        >>> learner = GloballyStableLearner.with_proved_bound(H, Budget(1, "1e-6"), **goal)
        >>> learner.plan(**goal, setting="realizable").n
        529216
        """
        learner = cls(hypotheses, budget, alpha=alpha)
        if learner._leaves_floats():
            return learner
        sizes = learner._proved_sizes(alpha, beta)
        return cls(hypotheses, budget, alpha=alpha, sizes=sizes)

    @cached_property
    def event(self) -> Parallel:
        return Parallel([self.histogram, self.choice])

    def draw(self, sample: Sample[Point], *, receipt: Receipt) -> Hypothesis[Point]:
        if self.dimension == 0:  # there is one hypothesis, whatever the records
            return self.hypotheses.soa()
        sizes = self.sizes or calibrated_sizes(sample.n, self.dimension, self.alpha)
        rng = receipt.redeem(self.histogram)  # redeemed now, because the order is drawn first
        # By position in a uniform order: each record is fresh or in one batch, so the two
        # mechanisms run in parallel (docs/proofs/globally-stable.md, Theorem 1).
        fresh, batches = self.split(permute_examples(sample, rng), sizes)
        rules = [self.rule(batch, i, sizes, rng) for i, batch in enumerate(batches)]
        # One rule a batch, so a replaced record moves two counts by one.
        found = self.histogram.release(rules, rng)
        # The noisy counts are released, so this cut costs nothing more.
        survivors = [h for h, count in found if count >= sizes.keep]
        if not survivors:
            return self.hypotheses.soa()
        return survivors[self.choice.draw(errors(survivors, fresh), receipt=receipt)]

    def split(
        self, examples: Examples[Point], sizes: BatchSizes
    ) -> tuple[Examples[Point], list[Examples[Point]]]:
        """The fresh records and the batches, by position alone; the last records may be in neither."""
        return sizes.split(examples)

    def rule(
        self, batch: Examples[Point], i: int, sizes: BatchSizes, rng: random.Random
    ) -> Hypothesis[Point] | None:
        """The rule of batch number i; None if the batch is too short or takes too many steps.

        Each batch has the same share of `MOST_STEPS`, so its rule depends on its own records alone.
        """
        try:
            with at_most(MOST_STEPS // sizes.batches):
                return stable_rule(self.hypotheses, i % len(sizes.caps), sizes.blocks(batch), rng)
        # A batch that takes too long has no rule: a limit a batch, not one for all, keeps batches
        # independent.
        except TooLargeError:
            return None

    def work(self, n: int) -> int:
        """The estimate: `MOST_STEPS`, and a step for each record that a tournament restricts by.

        Each fresh record adds one step for each rule that may be left.  If the search for the SOA of
        the class takes too many steps, it exceeds `MOST_WORK`.
        """
        if self.dimension == 0:
            return 0
        if not has_rule(self.hypotheses):
            return MOST_WORK + 1
        sizes = self.sizes or calibrated_sizes(n, self.dimension, self.alpha)
        fresh, batches = min(n, sizes.fresh), min(sizes.batches, n // sizes.block)
        survivors = batches // max(1, sizes.keep, int(self.histogram.threshold))
        return MOST_STEPS + n + fresh * survivors

    def plan(self, alpha: float, beta: float, *, setting: Setting = "agnostic") -> Bound | None:
        """The number of examples that `proved_sizes` splits, if this learner has the sizes for them.

        None for other sizes, for which nothing is proved, and in the agnostic setting.
        """
        require_plan(alpha, beta, setting)
        if setting == "agnostic" or self.sizes is None or self._leaves_floats():
            return None
        sizes = self._proved_sizes(alpha, beta)
        if sizes != self.sizes:
            return None
        page = "globally-stable" if self.hypotheses.labels == 2 else "multiclass-learning"
        return Bound(sizes.n, alpha, beta, setting, f"docs/proofs/{page}.md, Theorem 5")

    def _leaves_floats(self) -> bool:
        return self.dimension + math.log2(math.log2(self.hypotheses.labels)) > LARGEST

    def _proved_sizes(self, alpha: float, beta: float) -> BatchSizes:
        labels = self.hypotheses.labels
        return proved_sizes(self.dimension, alpha, beta, self.histogram.budget, labels=labels)


def errors(rules: Sequence[Callable[[Point], int]], examples: Examples[Point]) -> ErrorRuns:
    """The number of ``examples`` that each rule labels wrongly."""
    counts = Counter(examples)
    wrong = [sum(times for (x, y), times in counts.items() if h(x) != y) for h in rules]
    return ErrorRuns(np.array(wrong, dtype=np.int64))
