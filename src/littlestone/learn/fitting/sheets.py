"""Several columns fitted together on artificial records, and the whole points of their sheet.

All of this is post-processing: it sees released sums and public declarations alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import log

import numpy as np

from littlestone.learn.fitting.columns import WIDEST, Column, Floats, Ints, logistic

RECORDS = 1000
"""How many artificial records stand for the table."""

NARROW = 0.3
"""By what the priors of single columns are multiplied for several together; measured."""

COMMON = 0.15
"""The standard deviation of the correlation of two columns, before its products are known."""

ROUNDS = 5


@dataclass(frozen=True)
class Additive:
    """Log odds base + the sum of the ``odds`` of the groups that a record is in, one a column.

    ``groups`` are the groups of artificial records, [column, record].
    """

    base: float
    odds: tuple[Floats, ...]
    groups: Ints


def correlate(products: Floats, variance: float, means: Floats, deviations: Floats, n: int) -> Floats:
    """The correlations of columns by noisy sums of products of their numbers, shrunk towards 0.

    ``products`` is symmetric with an arbitrary diagonal; ``means`` and ``deviations`` are those of each
    column's numbers.  The result is positive definite with ones on its diagonal.
    """
    scale = np.outer(deviations, deviations)
    found = (products / n - np.outer(means, means)) / scale
    doubt = variance / (n * scale) ** 2 + 1 / n
    found = np.clip(found * COMMON**2 / (COMMON**2 + doubt), -0.95, 0.95)
    np.fill_diagonal(found, 1.0)
    values, vectors = np.linalg.eigh(found)
    found = (vectors * np.maximum(values, 0.05)) @ vectors.T
    size = np.sqrt(np.diag(found))
    return np.asarray(found / np.outer(size, size))


def artificial_records(columns: Sequence[Column], correlations: Floats) -> Ints:
    """Groups of `RECORDS` records with the columns' numbers of records and these correlations.

    They are quantiles of correlated normal numbers from a fixed generator.  In each column groups are
    ordered by their log odds, so that a correlation is one of log odds.
    """
    fixed = np.random.default_rng(0).normal(size=(len(columns), RECORDS))
    normal = np.linalg.cholesky(correlations) @ fixed
    ranks = (np.argsort(np.argsort(normal, axis=1), axis=1) + 0.5) / RECORDS
    found = np.zeros(ranks.shape, np.int64)
    for i, column in enumerate(columns):
        order = np.argsort(column.odds, kind="stable")
        below = np.cumsum(column.records[order])
        places = np.searchsorted(below / max(below[-1], 1e-9), ranks[i])
        found[i] = order[np.minimum(places, len(order) - 1)]
    return found


def fit_together(
    columns: Sequence[Column],
    groups: Ints,
    ones: Sequence[Floats],
    zeros: Sequence[Floats],
    variance: Floats,
    base: float,
    positives: tuple[float, float],
    n: int,
) -> Additive:
    """The log odds of all columns together whose expected counts fit the noisy ones.

    ``positives`` are the number of positive records and the variance of its noise.  On the artificial
    records an expected count is a sum of logistic functions, so each of a few rounds is a linear
    regression under the columns' priors, times `NARROW`.
    """
    sizes = [len(column.odds) for column in columns]
    starts = np.cumsum([0, *sizes])
    cells = int(starts[-1])
    places = groups + starts[:-1, None]
    member = np.zeros((RECORDS, cells + 1))
    member[np.arange(RECORDS), places] = 1.0
    member[:, cells] = 1.0  # the base is in every record
    weight = n / RECORDS
    held = np.maximum(member.sum(axis=0) * weight, 1e-9)
    prior = np.zeros((cells + 1, cells + 1))
    for i, column in enumerate(columns):
        own = slice(starts[i], starts[i + 1])
        prior[own, own] = NARROW * column.prior
    prior[cells, cells] = 4.0
    one, zero = np.concatenate(ones), np.concatenate(zeros)
    # Start from the single columns, damped, because correlated ones say the same thing twice.
    damped = [column.odds / (1 + 0.25 * (len(columns) - 1)) for column in columns]
    odds = np.concatenate([*damped, [0.0]])
    for _ in range(ROUNDS):
        p = logistic(base + member @ odds)
        expected = p @ member * weight
        curve = (member * (p * (1 - p) * weight)[:, None]).T @ member
        share = np.clip(expected / held, 0, 1)[:cells]
        rest = np.append((1 - share) * one - share * zero, positives[0] - expected[cells])
        spread = np.append(variance * ((1 - share) ** 2 + share**2), positives[1])
        both = curve @ prior @ curve + curve + np.diag(spread)
        both += 1e-9 * (np.trace(both) + 1) * np.eye(cells + 1)
        found = prior @ curve @ np.linalg.solve(both, rest + curve @ odds)
        step = found - odds
        odds = np.clip(odds + step * min(1.0, 3.0 / max(np.abs(step).max(), 1e-9)), -8, 8)
    parts = [odds[starts[i] : starts[i + 1]] for i in range(len(columns))]
    return Additive(max(-WIDEST, min(WIDEST, base + float(odds[cells]))), tuple(parts), groups)


def to_points(fitted: Additive, most: int) -> tuple[list[Ints], int, int]:
    """Whole points of at most ``most``, and the log odds start + slope * total, in 1/1000.

    One point is the largest log odds of a group, away from the middle of its column, over ``most``.
    Start and slope are those with which totals predict best on the artificial records.
    """
    middles = [float(own.max() + own.min()) / 2 for own in fitted.odds]
    centred = [own - middle for own, middle in zip(fitted.odds, middles, strict=True)]
    largest = max((float(np.abs(own).max()) for own in centred), default=0.0)
    unit = max(largest / most, 1e-6)
    points = [np.rint(own / unit).astype(np.int64) for own in centred]
    start, slope = fitted.base + sum(middles), unit
    if points:
        odds = fitted.base + sum(
            own[place] for own, place in zip(fitted.odds, fitted.groups, strict=True)
        )
        total = sum(own[place] for own, place in zip(points, fitted.groups, strict=True))
        risk, known = logistic(np.asarray(odds)), np.stack([np.ones(RECORDS), np.asarray(total)], 1)
        line = np.array([start, slope])
        for _ in range(10):
            p = logistic(known @ line)
            curve = known.T @ (known * (p * (1 - p) + 1e-6)[:, None]) + 1e-6 * np.eye(2)
            line = line + np.clip(np.linalg.solve(curve, known.T @ (risk - p)), -1, 1)
        # A slope far from the unit would come from totals that hardly differ.
        if unit / 2 <= line[1] <= 2 * unit:
            start, slope = float(line[0]), float(line[1])
    return points, round(1000 * max(-60.0, min(60.0, start))), max(0, round(1000 * slope))


def threshold(start: int, slope: int, weights: tuple[int, int]) -> Fraction:
    """The total from which label 1 costs less: risk * missed >= (1 - risk) * false alarm.

    ``weights`` are the costs of a mistake on a record of label 0 and of label 1.
    """
    wanted = Fraction(round(1000 * log(weights[0] / weights[1])))
    if slope == 0:
        return Fraction(0) if start >= wanted else Fraction(10**6)
    return (wanted - start) / slope
