"""Statistical audits: a lower bound on the epsilon of a black box, from its outputs alone."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist

from littlestone.base.errors import DeclarationError
from littlestone.privacy.cost import exact_chance, exact_delta
from littlestone.privacy.randomness import system_generator
from littlestone.prove.audit.binomial import at_most, lower_bound
from littlestone.prove.audit.exact_audit import nats

Trial = Callable[[random.Random], Hashable]
Seen = tuple[Counter[Hashable], Counter[Hashable]]
"""How often each output was seen, on each of two data sets."""


@dataclass(frozen=True)
class EpsilonBound:
    """No (epsilon', delta)-DP algorithm has epsilon' < ``epsilon``, with this confidence.

    An event of outputs was seen ``hits`` and ``neighbour_hits`` times in ``trials`` fresh runs on the
    two data sets, in the order that counts.  The numbers depend on the data sets, so audit with made-up
    data.
    """

    epsilon: float
    delta: Fraction
    confidence: Fraction
    hits: int
    neighbour_hits: int
    trials: int


def audit_epsilon(
    run: Trial,
    run_neighbour: Trial,
    *,
    delta: object = 0,
    trials: int,
    confidence: object = Fraction(95, 100),
    rng: random.Random | None = None,
) -> EpsilonBound:
    """A lower bound on epsilon at ``delta``, true with probability at least ``confidence``.

    ``run(rng)`` and ``run_neighbour(rng)`` are what the algorithm releases on two neighbouring data
    sets, as hashable values; each is called ``trials`` times.  The first half of the runs chooses the
    event and the direction, the second half bounds both probabilities (docs/proofs/audit.md).  A low
    bound does not prove privacy.  Raises `DeclarationError` for trials < 2 and probabilities outside
    their ranges.

    >>> def flip(truth: int, rng: random.Random) -> int:   # with probability 3/4 the truth
    ...     return truth ^ (rng.randrange(4) == 0)
    >>> bound = audit_epsilon(lambda rng: flip(0, rng), lambda rng: flip(1, rng), trials=10_000,
    ...                       rng=random.Random(0))
    >>> 1.0 < bound.epsilon <= math.log(3)
    True
    """
    rng = system_generator() if rng is None else rng
    delta, confidence = exact_delta(delta), check_confidence(confidence)
    one, other, one_fresh, other_fresh = (
        Counter(algorithm(rng) for _ in range(times))
        for times in halves(trials)
        for algorithm in (run, run_neighbour)
    )
    return bound_epsilon((one, other), (one_fresh, other_fresh), delta=delta, confidence=confidence)


def bound_epsilon(
    seen: Seen, fresh: Seen, *, delta: Fraction, confidence: Fraction
) -> EpsilonBound:
    """`audit_epsilon` of outputs that were counted on the two data sets.

    Those that were ``seen`` choose the event and the direction, and the ``fresh`` ones bound both
    probabilities.
    """
    # The event comes from the first half and is counted on fresh runs, so the counts are binomial
    # (docs/proofs/audit.md, "Statistical audits", step 1 of the proof).
    reverse, event = _choose(*seen, seen[0].total(), float(delta), float(confidence))
    trials = fresh[0].total()
    counts = [sum(outputs[y] for y in event) for outputs in fresh]
    hits, others = reversed(counts) if reverse else counts
    beta = (1 - confidence) / 2  # one for each of two bounds: the direction was chosen before
    # e^epsilon >= (p - delta) / q, with the lower bound of p and the upper one of q (step 3 there).
    above = lower_bound(hits, trials, beta) - delta
    ratio = max(Fraction(1), above / at_most(others, trials, beta))
    # Rounded down by far more than a logarithm's error.
    epsilon = max(0.0, nats(ratio) * (1 - 1e-12) - 1e-12)
    return EpsilonBound(epsilon, delta, confidence, hits, others, trials)


def check_confidence(confidence: object) -> Fraction:
    """``confidence`` as an exact number; raises `DeclarationError` unless it is between 0 and 1."""
    return exact_chance(
        confidence,
        what="confidence",
        asked="audit with confidence",
        fix="give a probability, such as 0.95",
    )


def halves(trials: int) -> tuple[int, int]:
    """The runs on each data set that choose an event, and the fresh ones that count it.

    Raises `DeclarationError` unless ``trials`` is a whole number of at least 2.
    """
    if isinstance(trials, bool) or not isinstance(trials, int) or trials < 2:
        raise DeclarationError(
            f"audit with trials = {trials}",
            found="one half of them chooses an event and the other half counts it",
            fix="give a whole number of at least 2, such as 2000",
        )
    return trials // 2, trials - trials // 2


def _choose(
    one: Counter[Hashable], other: Counter[Hashable], half: int, delta: float, confidence: float
) -> tuple[bool, frozenset[Hashable]]:
    """The direction and event that look best; any choice is sound, so floats are good enough."""
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    best, choice = -math.inf, (False, frozenset[Hashable]())
    for reverse, (p, q) in enumerate(((one, other), (other, one))):
        order = sorted(p, key=lambda y: (q[y] + 0.5) / (p[y] + 0.5))
        hits = others = 0
        # The best events are the outputs above some likelihood ratio (Neyman and Pearson).
        for size, y in enumerate(order, start=1):
            hits, others = hits + p[y], others + q[y]
            above = _wilson(hits, half, -z) - delta
            score = math.log(above / _wilson(others, half, z)) if above > 0 else -math.inf
            if score > best:
                best, choice = score, (bool(reverse), frozenset(order[:size]))
    return choice


def _wilson(successes: int, trials: int, z: float) -> float:
    """An end of Wilson's interval for a probability: the lower one for z < 0."""
    share = successes / trials
    spread = math.sqrt(share * (1 - share) / trials + z * z / (4 * trials**2))
    return (share + z * z / (2 * trials) + z * spread) / (1 + z * z / trials)
