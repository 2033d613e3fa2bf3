"""Drawing elements one after another: the private half of the choosing learner."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone.base.errors import DeclarationError
from littlestone.data.sample import Sample
from littlestone.points import Point
from littlestone.privacy.accounting.composed import repeat
from littlestone.privacy.draws.base import Draw
from littlestone.privacy.event import Event
from littlestone.privacy.ledger.receipt import Receipt
from littlestone.privacy.mechanisms.lists.choosing import ChoosingMechanism
from littlestone.privacy.mistakes import EQUAL, MistakeCosts
from littlestone.privacy.scores import Coverable, Elements, Rules

if TYPE_CHECKING:
    from littlestone.rules import Hypothesis


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
        self._event = repeat(mechanism, rounds, delta)

    @property
    def event(self) -> Event:
        return self._event

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
