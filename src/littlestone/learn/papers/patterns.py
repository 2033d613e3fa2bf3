"""Labellings of the points of a sample, their distance to good ones, and the parameters to try."""

from __future__ import annotations

from fractions import Fraction
from typing import TypeVar

import numpy as np
import numpy.ma
from numpy.typing import NDArray

from littlestone.base.errors import DeclarationError
from littlestone.classes.base import Enumerable, HypothesisClass
from littlestone.data.sample import Sample
from littlestone.points import Point
from littlestone.privacy.parameters import least

Labels = NDArray[np.bool_]
Counts = NDArray[np.int64]

ENTRIES = 1 << 26
"""The most labels in a table of patterns."""

_BLOCK = 1 << 20  # words compared at once


def patterns(
    H: HypothesisClass[Point], sample: Sample[Point]
) -> tuple[Labels, list[list[HypothesisClass[Point]]]]:
    """Each labelling that H gives the points, as a row of ``labels``, with its version spaces.

    There are as many rows as patterns, at most `HypothesisClass.growth_function`.  A column is a point.

    >>> from littlestone.classes import Thresholds
    >>> H = Thresholds.on(0, 9)
    >>> labels, _ = patterns(H, Sample.from_examples(H.domain, [(2, 0), (7, 0), (2, 1)]))
    >>> sorted(labels.astype(int).tolist())
    [[0, 0], [0, 1], [1, 1]]
    """
    found: dict[bytes, list[HypothesisClass[Point]]] = {}
    for V, _ in H.error_ball(sample, sample.n):
        # All hypotheses of V label the points alike, and so does the SOA of V.
        h = V.hypothesis(0) if isinstance(V, Enumerable) else V.soa()
        found.setdefault(bytes(map(h, sample.points)), []).append(V)
    labels = np.frombuffer(b"".join(found), dtype=bool).reshape(len(found), len(sample.points))
    return labels, list(found.values())


def relax(labels: Labels, often: Counts, errors: Counts, weight: int) -> Counts:
    """The least over rows t of ``errors[t]`` + ``weight`` #(h != t), for each row h; whole numbers.

    A column j in which h and t differ counts ``often[j]`` times.  The minimum skips each row t that
    another row makes superfluous: by the triangle inequality, a row with q(t) < errors[t].

    >>> labels = np.array([[0, 0], [0, 1], [1, 1]], dtype=bool)
    >>> relax(labels, np.array([1, 3]), np.array([9, 1, 4]), 2).tolist()
    [7, 1, 3]
    """
    packed = _pack(np.repeat(labels, often, axis=1))
    scores, kept = errors.copy(), np.zeros(0, dtype=np.int64)
    for level in np.unique(errors).tolist():
        rows = np.flatnonzero(errors == level)
        if len(kept):
            # Rows of fewer errors are settled first; a row that one of them beats cannot be a
            # minimum for others.
            scores[rows] = np.minimum(level, _nearest(packed, rows, kept, errors, weight))
        kept = np.concatenate([kept, rows[scores[rows] == level]])
    return scores


def _nearest(
    packed: NDArray[np.uint64], rows: Counts, kept: Counts, errors: Counts, weight: int
) -> Counts:
    found = []
    step = max(1, _BLOCK // (len(kept) * max(1, packed.shape[1])))
    for start in range(0, len(rows), step):
        block = packed[rows[start : start + step], np.newaxis]
        apart = np.bitwise_count(block ^ packed[kept]).sum(axis=2, dtype=np.int64)
        found.append((errors[kept] + weight * apart).min(axis=1))
    return np.concatenate(found)


def _pack(bits: Labels) -> NDArray[np.uint64]:
    """The rows, packed into words of 64 bits."""
    wide = np.zeros((len(bits), -(-bits.shape[1] // 64) * 64), dtype=bool)
    wide[:, : bits.shape[1]] = bits
    return np.packbits(wide, axis=1).view(np.uint64)


def fewest_errors(spaces: list[list[HypothesisClass[Point]]], others: Sample[Point]) -> Counts:
    """For each pattern, the fewest errors on ``others`` among the hypotheses with that pattern."""
    errors = [min(V.least_errors(others) for V in found) for found in spaces]
    return np.array(errors, dtype=np.int64)


def errors_of(labels: Labels, sample: Sample[Point]) -> Counts:
    """The number of errors of each pattern on the sample itself."""
    wrong: Counts = np.where(labels, sample.negatives, sample.positives).sum(axis=1, dtype=np.int64)
    return wrong


def relabel(sample: Sample[Point], labels: Labels) -> Sample[Point]:
    """The sample with the same points, as often each, and with these labels."""
    often = sample.negatives + sample.positives
    return Sample.of_two(
        sample.domain, sample.points, np.where(labels, 0, often), np.where(labels, often, 0)
    )


def most_points(H: HypothesisClass[Point], entries: int = ENTRIES) -> int:
    """The most points whose table of all patterns is sure to have at most ``entries`` labels; public.

    >>> from littlestone.classes import Thresholds
    >>> most_points(Thresholds.on(0, 10**9))
    8191
    """
    return least(lambda points: points * H.growth_function(points) > entries) - 1


Setting = TypeVar("Setting", bound=tuple[object, ...])


def shares(epsilon: float, least: int = 2) -> list[int]:
    """Whole numbers in steps of about a fifth; K >= 4 needs a share of at least 4 / epsilon.

    >>> shares(1.0)[:9], shares(1.0)[-1]
    ([2, 3, 4, 5, 7, 9, 11, 14, 17], 100)
    """
    found, most = [least], 100 * max(1.0, 1 / epsilon)
    while found[-1] < most:
        found.append(max(found[-1] + 1, found[-1] * 6 // 5 + 1))
    return found


def epsilons(epsilon: Fraction) -> list[Fraction]:
    """Shares of epsilon for the choice, with two digits.

    >>> [str(eta) for eta in epsilons(Fraction(1))][:3]
    ['1', '79/100', '63/100']
    """
    steps = (round(100 * 0.7943**j) for j in range(24))
    return [epsilon * Fraction(step, 100) for step in dict.fromkeys(steps) if step]


def best(found: list[Setting]) -> Setting:
    """The setting with the least number first; `DeclarationError` if there is none."""
    if not found:
        raise DeclarationError(
            "tune a relabelling",
            found="no numbers leave room for a learner",
            fix="allow a larger epsilon",
        )
    return min(found)
