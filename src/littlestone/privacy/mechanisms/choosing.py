"""The choosing mechanism: a private hypothesis from classes in which a record touches few of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from littlestone.base.errors import DeclarationError
from littlestone.data.sample import Sample
from littlestone.points import Point
from littlestone.privacy.accounting.composed import repeat
from littlestone.privacy.draws import Draw
from littlestone.privacy.ledger.receipt import Receipt
from littlestone.privacy.mechanisms.sparse_selection import Item, SparseSelection
from littlestone.privacy.mistakes import EQUAL, MistakeCosts
from littlestone.privacy.parameters import require_whole
from littlestone.privacy.scores import Coverable, Elements, Rules

if TYPE_CHECKING:
    from littlestone.rules import Hypothesis

Covered = TypeVar("Covered", int, NDArray[np.int64])


@dataclass(frozen=True)
class ChoosingMechanism(SparseSelection[Iterable[tuple[Iterable[Item], bool]], Item]):
    """Draw h with Pr[h] ~ r^(a positives covered - b negatives covered), or bottom with Pr ~ r^B.

    A record is (the hypotheses that cover it, its label).  The candidates are all hypotheses that
    cover a positive record, whatever their scores.  A positive record counts for its first ``growth`` =
    g distinct hypotheses only, so one record brings at most g candidates.  Any number of hypotheses may
    cover a negative record; each counts once.  ``gain`` = a and ``loss`` = b are whole numbers of at
    least 1, by default 1.

    The neighbouring relation replaces one record, with its label.  A label change moves scores by
    a + b.  Yet the draw is (epsilon, delta)-DP with r <= e^(epsilon / (2 max(a, b))) rational, as if
    scores moved by max(a, b), because all scores move in one direction.
    B = ceil(a + ln(g (1 - delta) / delta) / ln r) for every useful delta.

    Source: BNS13, the choosing mechanism for bounded growth; the proof of this form is in
    docs/proofs/choosing.md.  Time: O(number of pairs of a record and a hypothesis).

    >>> from fractions import Fraction
    >>> from littlestone.privacy import Budget
    >>> mechanism = ChoosingMechanism(Budget(1, "1e-6"), growth=1)
    >>> records = [(["a"], True)] * 50 + [(["b"], True)] * 45 + [(["a"], False)] * 3
    >>> mechanism.bottom, mechanism.scores(records)
    (29, {'a': 47, 'b': 45})
    """

    growth: int
    gain: int = 1
    loss: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("growth", "gain", "loss"):
            require_whole(name, getattr(self, name), least=1)

    @property
    def fresh(self) -> int:
        return self.growth

    @property
    def heaviest(self) -> int:
        return self.gain

    @property
    def sensitivity(self) -> int:
        return max(self.gain, self.loss)

    def scores(self, data: Iterable[tuple[Iterable[Item], bool]]) -> dict[Item, int]:
        """The `score` of each hypothesis that covers a positive record."""
        counts: dict[bool, Counter[Item]] = {True: Counter(), False: Counter()}
        for covering, label in data:
            each = dict.fromkeys(covering)  # in the order of this record, which it alone determines
            # The cut bounds V in docs/proofs/choosing.md, Theorem 1: one record brings at most g
            # candidates. Negative records need none, because they bring no candidate.
            counts[bool(label)].update(islice(each, self.growth if label else None))
        against = counts[False]
        # Every covered hypothesis stays a candidate, however low its score: dropping losers would
        # tie the set of candidates to other records.
        return {h: self.score(count, against[h]) for h, count in counts[True].items()}

    def score(self, positives: Covered, negatives: Covered) -> Covered:
        """The score of a hypothesis that covers these numbers of positive and negative records."""
        # All scores move in one direction, so r^(2 max(a, b)) suffices (docs/proofs/choosing.md,
        # steps 3 to 6).
        return self.gain * positives - self.loss * negatives

    def draw_scores(
        self,
        scores: NDArray[np.int64],
        lengths: NDArray[np.int64] | None = None,
        *,
        receipt: Receipt,
    ) -> int | None:
        """`draw` among candidates 0, 1, ... that are already scored; None for bottom.

        The next ``lengths[r]`` candidates have the score ``scores[r]``; one each if None.

        The caller guarantees what `draw` enforces: the candidates are the hypotheses that cover a
        positive record, at most ``growth`` of them per record, and their scores are given by `score`.
        """
        rng = receipt.redeem(self)
        return self._place(scores, lengths, rng)

    def __str__(self) -> str:
        weights = "" if self.sensitivity == 1 else f"gain {self.gain}, loss {self.loss}, "
        return f"choosing mechanism of growth {self.growth}, {weights}{self.budget}"


class ChoosingDraw(Draw[Point]):
    """Draw a union of at most ``rounds`` elements, each by the choosing mechanism.

    Each round sees the examples that no drawn element covers, and may draw nothing.  The rounds are
    composed at ``delta`` (docs/proofs/choosing.md, Theorem 1, and peeling.md, Theorem 1).

    Raises `DeclarationError` unless the mechanism knows how many elements a record touches, and what
    the mistakes cost.
    """

    takes_void = True

    def __init__(
        self,
        hypotheses: Rules,
        covering: Coverable,
        mechanism: ChoosingMechanism[int],
        *,
        rounds: int,
        delta: Fraction,
        mistakes: MistakeCosts = EQUAL,
    ) -> None:
        known = mechanism.growth, mechanism.gain, mechanism.loss
        if known != (covering.elements_per_point, mistakes.missed, mistakes.alarm):
            raise DeclarationError(
                f"choose elements by the {mechanism}",
                found=f"a record touches {covering.elements_per_point:,} elements, and {mistakes}",
                fix="make the mechanism with these numbers",
            )
        self.hypotheses, self.mistakes = hypotheses, mistakes
        self.covering, self.mechanism, self.rounds = covering, mechanism, rounds
        self.event = repeat(mechanism, rounds, delta)

    def draw(self, sample: Sample[Point], *, receipt: Receipt) -> Hypothesis[Point]:
        chosen: list[Hypothesis[Any]] = []
        for rounds in range(self.rounds, 0, -1):
            competing = self.competing(sample, rounds)
            scores = self.mechanism.score(competing.positives, competing.negatives)
            i = self.mechanism.draw_scores(scores, competing.lengths, receipt=receipt)
            if i is not None:
                chosen.append(competing.element(i))
                # What was released decides which records stay: docs/proofs/peeling.md, Theorem 1.
                sample = self.left(sample, competing, i)
        return self.covering.union(chosen)

    def competing(self, sample: Sample[Point], rounds: int) -> Elements:
        """The elements that cover a positive example; with one of the ``rounds`` left, the constant 1.

        It competes whatever the examples are.  In an earlier round it might win before the elements
        that together do better.
        """
        found, everything = self.covering.elements(sample), self.covering.everything
        if everything is None or rounds > 1:
            return found
        size = found.number_of_elements
        negatives, positives = sample.counts.sum(axis=0).tolist()
        return Elements(
            # The constant 1 competes whatever the records are; only if it were covered by some
            # would it be a new candidate.
            np.append(found.positives, positives),
            np.append(found.negatives, negatives),
            lambda i: everything if i == size else found.element(i),
            lambda i: np.arange(len(sample.points)) if i == size else found.covered(i),
            None if found.lengths is None else np.append(found.lengths, 1),
        )

    def left(self, sample: Sample[Point], elements: Elements, i: int) -> Sample[Point]:
        """The examples that element i does not cover; each record stays or goes independently."""
        return elements.left(sample, i)

    def distribution(self, sample: Sample[Point]) -> dict[Hypothesis[Point], Fraction]:
        return self._distribution(sample, (), self.rounds)

    def _distribution(
        self, sample: Sample[Point], chosen: tuple[Hypothesis[Any], ...], rounds: int
    ) -> dict[Hypothesis[Point], Fraction]:
        if not rounds:
            return {self.covering.union(chosen): Fraction(1)}
        elements, total = self.competing(sample, rounds), dict[Any, Fraction]()
        scores = elements.of_each(self.mechanism.score(elements.positives, elements.negatives))
        for i, chance in self.mechanism.chances(dict(enumerate(scores))).items():
            after, rest = chosen, sample
            if i is not None:
                after, rest = (*chosen, elements.element(i)), self.left(sample, elements, i)
            for h, p in self._distribution(rest, after, rounds - 1).items():
                total[h] = total.get(h, Fraction(0)) + chance * p
        return total
