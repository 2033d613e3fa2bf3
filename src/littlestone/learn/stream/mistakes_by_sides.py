"""The proved number of mistakes of thresholds that are learned by told sides: docs/proofs/sides.md."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from littlestone.learn.stream.weights import ROUNDING
from littlestone.privacy.mechanisms.sides import OWN, SHARED, ContinualSides

_POWERS, _DRIFTS = (0.5, 0.65), (1.0, 2.0)
_TAIL = 25  # the logarithm of what is left out of the law of skips, and bounded apart
_STEPS = 11


def side_mistakes(mechanism: ContinualSides, gain: float, cuts: int, beta: float) -> float:
    """The least M of Theorem 2, over some powers and drifts; infinite if there is none."""
    found = _Epoch(mechanism, gain)
    rates = found.rates()
    with np.errstate(divide="ignore"):
        most = (found.power * math.log(cuts) - math.log(beta) + found.drift) / rates
    return float(most.min())


class _Epoch:
    """The potential phi of an epoch, with a row for each pair of a power theta and a drift D.

    A column is a run of values z of Z + Z' at which chances differ by a factor of at most e^.1.
    """

    def __init__(self, mechanism: ContinualSides, gain: float) -> None:
        pairs = np.array([(power, drift) for power in _POWERS for drift in _DRIFTS])
        self.power, self.drift = pairs.T
        own, shared = float(mechanism.skip), float(mechanism.shared_skip)
        self._unit = -math.log(mechanism.shrink)
        self._total, self._least = mechanism.units, mechanism.threshold
        width = max(1, int(0.1 / self._unit))
        z = np.arange(0, math.ceil(_TAIL / -math.log(own)) + width, width)
        larger = (own ** (z + 1) * (1 - shared) - shared ** (z + 1) * (1 - own)) / (own - shared)
        self._law, self._cut, self._own = -np.diff(larger), int(z[-1]), own
        self._tail = (1 - own) * (1 - shared) / (own - shared) * own ** (self._cut + 1)
        self._ends = z[:-1], z[1:] - 1
        # The mean of r^-Z, and that of r^-(Z + Z').
        self._quiet = (1 - own) / (1 - own * math.exp(-self._unit))
        both = self._quiet * (1 - shared) / (1 - shared * math.exp(-self._unit))
        half, column = 0.5 + ROUNDING, self.power[:, None]
        self._right = (half + (1 - half) * math.exp(-gain)) ** column
        self._wrong = (1 + half * math.expm1(gain)) ** column
        self._slack = self.drift[:, None] / mechanism.horizon
        first = 2 * both * math.exp(-self._unit * self._total)
        self._idle = first * self._wrong / (first + self._slack)  # before the first mistake

    def _hits(self, records: int) -> tuple[list[NDArray[np.float64]], float]:
        """The chances of the true side at both ends of each run, and that of the other side."""
        true = [
            np.exp(np.minimum(0, self._unit * ((OWN + SHARED) * records - z - self._total)))
            for z in self._ends
        ]
        other = math.exp(min(0.0, self._unit * (SHARED * records - self._total)))
        return true, self._quiet * other

    def _gain(self, q: NDArray[np.float64], other: float) -> NDArray[np.float64]:
        """The part of S of Theorem 2 in which a side is told."""
        found: NDArray[np.float64] = (
            q * (1 - other / 2) * self._right + other * (1 - q / 2) * self._wrong
        )
        return found

    def first_means(self, rate: NDArray[np.float64]) -> NDArray[np.float64]:
        """The mean of phi at the beginning of an epoch, for the rate k of each row."""
        grown, phi = np.exp(rate)[:, None], np.zeros((len(rate), len(self._law)))
        most = self._least + math.ceil(self._cut / (OWN + SHARED)) + 1
        true, other = self._hits(most)
        for n in range(most, 0, -1):
            told = np.full_like(phi, -np.inf)
            for q in true:
                # S of Theorem 2 is linear in both chances, so it is largest at a corner.
                gained = self._gain(q, other)
                for value in (
                    gained + (1 - q) * (1 - other) * phi,
                    q * self._right + (1 - q) * phi,
                ):
                    np.maximum(told, value, out=told)
            phi = grown * told
            true, other = self._hits(n - 1)
            for q in true if n > 1 else ():
                gained = self._gain(q, other)
                np.maximum(phi, gained / (q + other - q * other + self._slack), out=phi)
        phi = np.maximum(phi, self._idle)
        # For longer skips phi is at most what a wrong side costs after as many records as are sure.
        rest = self._own * np.exp(rate / (OWN + SHARED))
        last = np.exp(rate * (self._least + 1 + self._cut / (OWN + SHARED)))
        tail = self._tail * np.maximum(self._wrong, 1)[:, 0] * last / (1 - rest)
        found: NDArray[np.float64] = (phi @ self._law + tail) * (1 + 1e-9)
        return found

    def rates(self) -> NDArray[np.float64]:
        """The largest rate k found at which the mean is at most 1, for each row; 0 for none."""
        low = np.zeros(len(self.power))
        high = np.full_like(low, -0.9 * (OWN + SHARED) * math.log(self._own))
        high = np.minimum(high, 2 * self.power / self._least)
        able = self.first_means(low) <= 1
        for _ in range(_STEPS):
            middle = (low + high) / 2
            fits = self.first_means(middle) <= 1
            low, high = np.where(fits, middle, low), np.where(fits, high, middle)
        return np.where(able, low, 0.0)
