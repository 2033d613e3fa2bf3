"""What learners from the votes of teachers share: declarations, one draw, exact probabilities."""

from __future__ import annotations

import math
import random
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import permutations

import numpy as np

from littlestone.classes.base import HypothesisClass
from littlestone.domains import Point
from littlestone.errors import DeclarationError
from littlestone.hypotheses import Hypothesis
from littlestone.learners.base import PrivateLearner
from littlestone.learners.teachers import chunks, split
from littlestone.privacy.cost import exact, exact_delta, exact_epsilon
from littlestone.privacy.event import Event
from littlestone.privacy.ledger import Receipt
from littlestone.privacy.mechanisms.sparse_sampling import SparseSampling
from littlestone.sample import Sample

BETA = Fraction(1, 40)
MOST_SPACES = 10_000
_SLACK = Fraction(3, 2)
_DOUBLINGS = 5


class VotingLearner(PrivateLearner[Point]):
    """Release a hypothesis that many of k ``teachers`` list, by one draw of sparse sampling.

    Teacher i holds m = floor(n / k) records and lists at most ``list_size`` = L hypotheses, as
    `listed` says.  (epsilon, delta)-DP for every sample: a list is a function of the teacher's own
    records and of public numbers, and one record belongs to one teacher (docs/proofs/irreducible.md,
    Theorem 1).  Where nothing is drawn, the rule is SOA_H.

    Raises `DeclarationError` for illegal parameters and delta = 0, `InfiniteDimensionError` and
    `EmptyClassError`.
    """

    def __init__(
        self,
        hypotheses: HypothesisClass[Point],
        *,
        epsilon: object,
        delta: object,
        alpha: object,
        list_size: int | None,
        teachers: int | None,
    ) -> None:
        hypotheses.require_learnable()
        self.hypotheses = hypotheses
        self.dimension = int(hypotheses.littlestone_dimension())
        self.alpha = share("alpha", alpha)
        self.mechanism: SparseSampling[Hypothesis[Point]] = SparseSampling(
            exact_epsilon(epsilon), exact_delta(delta), list_length(list_size, self.dimension)
        )
        self.teachers = count("teachers", self.enough() if teachers is None else teachers)

    def enough(self) -> int:
        """The default number of teachers, which is calibrated; a function of declarations."""
        return math.ceil(_SLACK * self.mechanism.copies_needed(BETA))

    @abstractmethod
    def listed(self, chunk: Sample[Point]) -> list[Hypothesis[Point]]:
        """The list of the teacher that holds ``chunk``, a function of it alone."""

    @property
    def event(self) -> Event:
        return self.mechanism

    def draw(
        self, sample: Sample[Point], *, receipt: Receipt, rng: random.Random
    ) -> Hypothesis[Point]:
        # Lazily: the mechanism redeems the receipt before the records are permuted.
        lists = (self.listed(chunk) for chunk in chunks(sample, self.teachers, rng))
        found = self.mechanism.draw(lists, receipt=receipt, rng=rng)
        return self.hypotheses.soa() if found is None else found

    def distribution(self, sample: Sample[Point]) -> dict[Hypothesis[Point], Fraction]:
        """The exact probability of each hypothesis.  It depends on the data: for audits.

        Of all orders of the records, so for a handful of them only.
        """
        total: dict[Hypothesis[Point], Fraction] = {}
        for parts, chance in orders(sample, self.teachers):
            for found, mass in self.chances(parts).items():
                h = self.hypotheses.soa() if found is None else found
                total[h] = total.get(h, Fraction(0)) + chance * mass
        return total

    def chances(self, parts: list[Sample[Point]]) -> dict[Hypothesis[Point] | None, Fraction]:
        """The exact probability of each hypothesis, and of bottom, if the teachers hold ``parts``."""
        return self.mechanism.distribution([self.listed(part) for part in parts])


def orders(sample: Sample[Point], teachers: int) -> Iterator[tuple[list[Sample[Point]], Fraction]]:
    """What the teachers hold for every order of the records, with its probability.

    >>> from littlestone.domains import Integers
    >>> sample = Sample.from_examples(Integers(), [(7, 1), (7, 1), (2, 0)])
    >>> [str(chance) for _, chance in orders(sample, 3)]
    ['1/3', '1/3', '1/3']
    """
    often = np.stack([sample.negatives, sample.positives], axis=1).ravel()
    records = np.repeat(np.arange(len(often)), often).tolist()
    found = Counter(permutations(records))
    for order, times in found.items():
        parts = split(sample, np.array(order, dtype=np.int64), teachers)
        yield list(parts), Fraction(times, found.total())


def list_length(declared: int | None, dimension: int) -> int:
    """L as declared, or by default 2^min(d, 5), which is calibrated."""
    return count("list_size", 2 ** min(dimension, _DOUBLINGS) if declared is None else declared)


def share(name: str, value: object) -> Fraction:
    """A share of the records, at least 0 and below 1; `DeclarationError` for another number."""
    found = exact(value, what=name)
    if not 0 <= found < 1:
        raise DeclarationError(
            f"let teachers list rules with {name} = {value}",
            found=f"{name} is a share of their records, at least 0 and below 1",
            fix="give the error that is allowed, such as 0.1",
        )
    return found


def count(name: str, value: int, least: int = 1) -> int:
    """A whole number that is declared, at least ``least``; `DeclarationError` for another."""
    if type(value) is not int or value < least:
        raise DeclarationError(
            f"learn from teachers with {name} = {value!r}",
            found=f"it is a whole number, {least} or more",
            fix=f"give another {name}, or leave it out",
        )
    return value
