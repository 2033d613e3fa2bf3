"""The globally stable learner: its numbers of examples, and the tournament of rules that it plays."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, pairwise
from typing import TypeVar, cast

from littlestone.base.errors import DeclarationError
from littlestone.classes.base import HypothesisClass
from littlestone.learn.base import require_plan
from littlestone.points import Point
from littlestone.privacy.cost import Budget
from littlestone.privacy.mechanisms.lists.stable_histogram import StableHistogram
from littlestone.privacy.mechanisms.scores.exponential import ExponentialMechanism
from littlestone.privacy.parameters import least
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
