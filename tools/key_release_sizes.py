"""Write the least numbers of records that release the right keys: exact for one, simulated for more.

Epsilon 1, delta 1e-6; error above .1 (the weight of missed keys) in at most 5% of runs.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from littlestone.privacy.mechanisms.choosing import ChoosingMechanism
from littlestone.privacy.mechanisms.partition_selection import PartitionSelection
from littlestone.privacy.mechanisms.release_curve import ReleaseCurve
from littlestone.privacy.mechanisms.single_key_selection import SingleKeySelection
from littlestone.privacy.rational import exp_above

EPSILON, DELTA = Fraction(1), Fraction(1, 10**6)
ALPHA, BETA = Fraction(1, 10), Fraction(1, 20)
RUNS, SEED = 20_000, 7


def least(misses: Callable[[int], bool]) -> int:
    """The least n that does not miss, by bisection."""
    low, above = 0, 20_000
    while above - low > 1:
        middle = (low + above) // 2
        low, above = (middle, above) if misses(middle) else (low, middle)
    return above


def unbeatable() -> ReleaseCurve:
    """No (epsilon, delta)-DP mechanism releases one key of a score more often."""
    r = exp_above(EPSILON)
    return ReleaseCurve(
        lambda q: min(r * q + DELTA, 1 - (1 - q - DELTA) / r, Fraction(1)), bits=128
    )


def choosing() -> ReleaseCurve:
    """Pr[u] of the choosing mechanism if u is the only candidate, by its score up to 99."""
    mechanism = ChoosingMechanism[str](EPSILON, DELTA, growth=1)
    chances = iter([1 - mechanism.bottom_at_most(s) for s in range(1, 100)])
    return ReleaseCurve(lambda _: next(chances, Fraction(1)), bits=64)


def one_key() -> None:
    """Exact sizes for a key of weight 1/2, of 1.05 alpha, and of alpha (every weight above it)."""
    curves = {
        "no mechanism needs less than": unbeatable(),
        "single-key selection": SingleKeySelection[str](EPSILON, DELTA).curve,
        "partition selection": PartitionSelection[str](EPSILON, DELTA).curve,
        "choosing mechanism": choosing(),
    }
    for name, curve in curves.items():
        sizes = [
            least(lambda n, w=weight, q=curve: q.miss(n, w) > BETA)  # type: ignore[misc]
            for weight in (Fraction(1, 2), Fraction(105, 1000), ALPHA)
        ]
        sys.stdout.write(f"{name}: {sizes}\n")


def several_keys() -> None:
    """Simulated sizes for partition selection of 1 to 5 keys, beside the proved ones."""
    mechanism = PartitionSelection[str](EPSILON, DELTA)
    q = np.array([float(mechanism.curve(s)) for s in range(200)])

    def misses(n: int, weights: np.ndarray) -> bool:
        rng = np.random.default_rng(SEED)
        counts = rng.multinomial(n, [*weights, 1 - weights.sum()], size=RUNS)[:, :-1]
        missed = rng.random(counts.shape) >= q[np.minimum(counts, len(q) - 1)]
        return bool((missed @ weights > float(ALPHA) + 1e-12).mean() > float(BETA))

    for k in range(1, 6):
        halves = 0.5 ** np.arange(1, k + 1)
        profiles = [np.full(k, 0.5 / k), np.full(k, 0.105 / k), 0.5 * halves / halves.sum()]
        sizes = [least(lambda n, w=weights: misses(n, w)) for weights in profiles]  # type: ignore[misc]
        proved = mechanism.enough(ALPHA, BETA, keys=k)
        sys.stdout.write(f"{k} keys: {sizes}, proved {proved}\n")


if __name__ == "__main__":
    one_key()
    several_keys()
