"""The records that a learner needs in simulations, on the worst distribution that a search finds."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from benchmarks.affordable.laws import (
    MOST_EXAMPLES,
    Example,
    Floats,
    KeyLaw,
    Law,
    ScoredLaw,
    law,
)
from benchmarks.affordable.targets import OTHERS, pools
from littlestone.learn import LookupLearner, PartitionLearner, PrivateLearner
from littlestone.prove.audit.statistical import at_most, lower_bound

FEW, MANY, RUNS = 60, 500, 20_000  # at least, in the search, and of what it finds
DEAR, TOO_DEAR = 4, 16  # times the work of the fastest runs, for steps of a climb and at all
TARGETS = 4  # random ones of each kind
CLIMBED = 100  # steps from the worst of what was tried
MOST_KEYS = 100
GROWTH = 1.02  # from one size of the grid to the next
EDGE = 1.001  # times alpha, to miss so much is just too much


@dataclass(frozen=True)
class Profile:
    """The ``chosen`` examples weigh just more than alpha / j each, and one other has the rest."""

    examples: list[Example]
    chosen: tuple[int, ...]
    j: int
    rest: int

    def weights(self, alpha: float) -> Floats | None:
        """The weights of the examples; None if they are none."""
        each, s = EDGE * alpha / self.j, len(self.chosen)
        if not s or self.rest in self.chosen or s * each >= 1:
            return None
        found = np.zeros(len(self.examples))
        found[list(self.chosen)] = each
        found[self.rest] = 1 - s * each
        return found

    def near(self, rng: random.Random) -> Profile:
        """One with another example, or without one, or with another j or rest."""
        i = rng.randrange(len(self.examples))
        match rng.randrange(4):
            case 0:
                return replace(self, rest=i)
            case 1:
                return replace(self, j=max(1, self.j + rng.choice((-1, 1))))
            case 2 if self.chosen:
                out = rng.choice(self.chosen)
                return replace(self, chosen=(*(k for k in self.chosen if k not in (out, i)), i))
        others = tuple(k for k in self.chosen if k != i)
        return replace(self, chosen=others if i in self.chosen else (*others, i))

    @property
    def name(self) -> str:
        """The kind of distribution, and which examples these are if they are few."""
        shown = [str(self.examples[i][0]).replace("'", "") for i in sorted(self.chosen)]
        points = f": {'; '.join(shown)}"
        return f"{len(self.chosen)} of alpha/{self.j}" + (points if len(points) <= 50 else "")


@dataclass(frozen=True)
class Needed:
    """The least n of the grid at which at most a share beta of ``runs`` fail, on the worst profile."""

    n: int
    failures: int
    runs: int
    profile: Profile

    @property
    def interval(self) -> tuple[float, float]:
        """Between which shares the true one lies, with 95% confidence (CP34)."""
        half = Fraction(1, 40)
        low = lower_bound(self.failures, self.runs, half)
        return float(low), float(at_most(self.failures, self.runs, half))


def needed(
    learner: PrivateLearner[Any], alpha: float, beta: float, most: int, *, targets: int = TARGETS
) -> Needed | None:
    """The size by simulation of the learner's exact law, with fixed seeds.

    None without a `law`, and for sets of more than `MOST_KEYS` keys.  Raises `RuntimeError` if it
    exceeds ``most``.
    """
    rng, n = random.Random(1), 20
    keys = isinstance(learner, PartitionLearner | LookupLearner)
    if keys and learner.hypotheses.littlestone_dimension() > MOST_KEYS:
        return None
    limit = MOST_KEYS + OTHERS if keys else MOST_EXAMPLES
    finalists: list[tuple[Law, Profile]] = []
    for examples in pools(learner, targets, limit, rng):
        found = law(learner, examples)
        if found is None:
            return None
        n, climbed = _climbed(found, n, alpha, beta, most, rng)
        finalists.append((found, climbed))
    if not finalists:
        return None
    found, worst = max(finalists, key=lambda pair: _share(pair[0], pair[1], n, alpha, RUNS))
    return _fresh(found, worst, n, alpha, beta, most)


def _share(found: Law, profile: Profile, n: int, alpha: float, runs: int = MANY) -> float:
    """The share of failures; 0 where a run takes too long."""
    weights = profile.weights(alpha)
    if weights is None or (work := found.work(weights)) > TOO_DEAR:
        return 0.0
    rng = np.random.default_rng(n)
    return float(found.chances(weights, n, max(FEW, runs // work), alpha, rng).mean())


def _climbed(
    found: Law, n: int, alpha: float, beta: float, most: int, rng: random.Random
) -> tuple[int, Profile]:
    """The worst profile on these examples, and the size that it needs, or n if that is enough."""

    def share(profile: Profile, n: int) -> float:
        return _share(found, profile, n, alpha)

    def size(profile: Profile, n: int) -> int:
        """The least size that is enough for it, nearly; a share falls with n, nearly."""
        high = n
        while share(profile, high) > beta:
            n, high = high, 2 * high
            if n > most:
                raise RuntimeError(f"{profile.name}: {n:,} records are not enough")
        while high > GROWTH * n + 1:
            middle = math.ceil(math.sqrt(n * high))
            n, high = (middle, high) if share(profile, middle) > beta else (n, middle)
        return high

    tried = starts(found)
    for profile in tried:
        if share(profile, n) > beta:
            n = size(profile, n)
    top = max(tried, key=lambda profile: share(profile, n))
    best = share(top, n)
    for _ in range(CLIMBED):
        near = top.near(rng)
        weights = near.weights(alpha)
        if weights is None or found.work(weights) > DEAR:
            continue
        more = share(near, n)
        if more > best or (more == best > 0 and len(near.chosen) <= len(top.chosen)):
            top, best = near, more
            if best > 1.1 * beta:
                n = size(top, n)
                best = share(top, n)
    # Leave out the examples that do not matter.
    for i in top.chosen:
        fewer = replace(top, chosen=tuple(k for k in top.chosen if k != i))
        if share(fewer, n) >= 0.98 * share(top, n) > 0:
            top = fewer
    return n, top


def starts(found: Law) -> list[Profile]:
    """Any j of s examples weigh just more than alpha together: of those that pin the target down."""
    examples, made = found.examples, []
    every = range(len(examples))
    if isinstance(found, ScoredLaw):
        pinning = _pinning(found)
        others = [i for i in every if i not in pinning]
        rest = max(others, key=found.agreeing.__getitem__, default=every[-1])
    elif isinstance(found, KeyLaw):
        pinning = [i for i in every if found.keys[:, i].any()]
        rest = next((i for i in every if i not in pinning), every[-1])
    else:
        pinning, rest = list(every[:-1]), every[-1]
    sizes = {*range(1, 7), 8, 9, 12, 16, 20, 50, 100, len(pinning)}
    for s in sorted(s for s in sizes if 0 < s <= len(pinning)):
        for j in sorted({*range(1, min(s, 5) + 1), (s + 1) // 2, (3 * s + 3) // 4, s}):
            made.append(Profile(examples, tuple(pinning[:s]), j, rest))
    return made


def _pinning(found: ScoredLaw) -> list[int]:
    """Examples that only the target, and what agrees with it on all, labels rightly; none is spare."""
    size = len(found.examples)
    kept = sum(1 << i for i in range(size))
    wrong = found.sets[found.sets > 0]
    for i in reversed(range(size)):
        if ((wrong & (kept & ~(1 << i))) > 0).all():
            kept &= ~(1 << i)
    return [i for i in range(size) if kept >> i & 1]


def _fresh(found: Law, profile: Profile, n: int, alpha: float, beta: float, most: int) -> Needed:
    """The least size of about ``n`` at which many runs fail seldom enough, and fresh ones too."""
    weights = profile.weights(alpha)
    assert weights is not None
    work, low = found.work(weights), math.ceil(n / 1.2)
    while n - low > max(1, low // 250):
        middle, runs = (low + n) // 2, max(4 * MANY, RUNS // work)
        chances = found.chances(weights, middle, runs, alpha, np.random.default_rng(middle))
        low, n = (middle, n) if chances.mean() > beta else (low, middle)
    runs = max(RUNS // 10, RUNS // work)
    while n <= most:
        rng = np.random.default_rng([n, 1])
        failures = int((rng.random(runs) < found.chances(weights, n, runs, alpha, rng)).sum())
        if failures <= beta * runs:
            return Needed(n, failures, runs, profile)
        n += max(1, n // 250)
    raise RuntimeError(f"{profile.name}: {most:,} records are not enough")
