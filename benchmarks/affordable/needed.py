"""The records that a learner needs in simulations, on the worst distribution that a search finds."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from littlestone.classes import HypothesisClass
from littlestone.errors import TooLargeError
from littlestone.learners import PrivateLearner
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.randomness import seeded_generator
from littlestone.sample import Sample

FEW, MANY = 60, 2000
SECONDS = 0.5  # that the runs of one size may take
PATHS = 2  # random targets
GROWTH = 1.1  # from one size of the grid to the next

Example = tuple[Any, int]


@dataclass(frozen=True)
class Profile:
    """A realizable distribution: its examples, with their probabilities."""

    name: str
    examples: list[Example]
    weights: list[float]

    def sample(self, H: HypothesisClass[Any], n: int, rng: np.random.Generator) -> Sample[Any]:
        """The sample of n independent records."""
        counts = np.zeros((len(self.examples), H.labels), dtype=np.int64)
        drawn = rng.multinomial(n, self.weights)
        counts[range(len(self.examples)), [y for _, y in self.examples]] = drawn
        met = drawn > 0
        points = tuple(x for (x, _), kept in zip(self.examples, met, strict=True) if kept)
        return Sample(H.domain, points, counts[met])

    def error(self, h: Any) -> float:
        """The probability that h errs."""
        return sum(w for (x, y), w in zip(self.examples, self.weights, strict=True) if h(x) != y)


@dataclass(frozen=True)
class Needed:
    """The least n of the grid at which at most a share beta of ``runs`` fail, on the worst profile."""

    n: int
    failures: int
    runs: int
    profile: str


def profiles(H: HypothesisClass[Any], alpha: float, rng: random.Random) -> Iterator[Profile]:
    """Distributions on paths down a mistake tree of H, at whose points errors add up to over alpha.

    A path takes the label that the SOA does not predict for its first points (forced), or at random.
    Either any j of the first s points weigh just more than alpha, or the last point does.
    """
    edge = 1.001 * alpha
    forced = _path(H, [True] * 20)
    for s in sorted({1, 2, 3, min(5, len(forced)), len(forced)}):
        for j in sorted({1, (s + 1) // 2, s}):
            if 0 < s < len(forced) + 1 and s * edge / j < 1:
                rest = _path(H, [True] * s + [False])[s:] or forced[:1]
                weights = [edge / j] * s
                examples = [*forced[:s], *rest]
                yield _profile(f"{s} of alpha/{j}", examples, [*weights, 1 - sum(weights)])
    for i in range(PATHS):
        path = _path(H, [rng.random() < 0.5 for _ in range(80)])
        if len(path) > 1:
            others = (1 - edge) / (len(path) - 1)
            weights = [others] * (len(path) - 1) + [edge]
            yield _profile(f"end of path {i}", path, weights)
            yield _profile(f"begin of path {i}", path, weights[::-1])


def _profile(name: str, examples: list[Example], weights: list[float]) -> Profile:
    together: dict[Example, float] = {}
    for example, weight in zip(examples, weights, strict=True):
        together[example] = together.get(example, 0.0) + weight
    return Profile(name, list(together), list(together.values()))


def _path(H: HypothesisClass[Any], wrong: list[bool]) -> list[Example]:
    found: list[Example] = []
    for forced in wrong:
        x = H.mistake_point()
        if x is None:
            break
        y = H.soa()(x)
        if forced:
            y = next(z for z in range(H.labels) if z != y and not H.restrict(x, z).is_empty())
        found.append((x, y))
        H = H.restrict(x, y)
    return found


def needed(
    learner: PrivateLearner[Any], alpha: float, beta: float, most: int, *, most_runs: int = MANY
) -> Needed | None:
    """The size by simulation of the learner itself, with fixed seeds.

    None if it exceeds ``most``, or if the version spaces of the class are not known.
    """
    found, n, worst = None, 20, None
    try:
        tried = list(profiles(learner.hypotheses, alpha, random.Random(1)))
    except TooLargeError:
        return None
    for profile in tried:
        size = n
        while size <= most and _failures(learner, profile, size, FEW, alpha) > beta * FEW:
            size = math.ceil(size * 1.3)
        if size > most:
            return None
        if size > n or worst is None:
            n, worst = size, profile
    if worst is None:
        return None
    start = time.perf_counter()
    _failures(learner, worst, n, 20, alpha)
    runs = int(min(most_runs, max(200, 20 * SECONDS / (time.perf_counter() - start))))
    n = math.ceil(n / 1.3)
    while n <= most and found is None:
        failed = _failures(learner, worst, n, runs, alpha)
        if failed <= beta * runs:
            found = Needed(n, failed, runs, worst.name)
        n = math.ceil(n * GROWTH)
    return found


def _failures(
    learner: PrivateLearner[Any], profile: Profile, n: int, runs: int, alpha: float
) -> int:
    rng, seeds = np.random.default_rng(n), seeded_generator(n)
    failed = 0
    for _ in range(runs):
        sample = profile.sample(learner.hypotheses, n, rng)
        with Ledger() as ledger:
            h = learner.fit(sample, ledger=ledger, dataset="d", rng=seeds).hypothesis
        failed += profile.error(h) > alpha
    return failed
