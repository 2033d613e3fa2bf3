"""Several columns fitted together on artificial records, and the whole points of their sheet.

All of this is post-processing: it sees released sums and public declarations alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import log

import numpy as np

from littlestone.learn.fitting.one_column import (
    WIDEST,
    Column,
    Floats,
    Ints,
    logistic,
    share_records,
)

RECORDS = 4000
"""How many artificial records stand for the table."""

NARROW = 0.5
"""By what the priors of single columns are multiplied for several together; measured."""

COMMON = 0.2
"""The standard deviation of the correlation of two columns, before its products are known; measured."""

MATCHES = 6
"""How often the correlations of normal numbers are moved towards those of shapes that are wanted."""

ASTRAY = 0.5
"""The part of the artificial records of a run of totals by which the table's may differ."""

ROUNDS = 5

FEW = 0.03
"""The most of all records that are few; measured."""

STEEP = 32
"""The most that a number of a column's shape is, up or down."""

NEAR = 0.5
"""The deviations from its mean at which a number of a shape is the most; measured.

The noise of a product is as large as the most, so a number that is hardly more than a sign says more.
"""


@dataclass(frozen=True)
class Additive:
    """Log odds base + the sum of the ``odds`` of the groups that a record is in, one a column.

    ``groups`` are the groups of artificial records, [column, record].
    """

    base: float
    odds: tuple[Floats, ...]
    groups: Ints


def shape_of(column: Column) -> Ints:
    """Whole numbers that say where in its column a record is, from -`STEEP` to `STEEP`."""
    away = column.odds - column.shares @ column.odds
    size = float(np.sqrt(column.shares @ away**2))
    steep = np.clip(away / (NEAR * size), -1, 1) if size > 0 else np.zeros_like(away)
    return np.asarray(np.rint(STEEP * steep), np.int64)


def correlate(
    products: Floats, variance: float, columns: Sequence[Column], shapes: Sequence[Ints], n: int
) -> Floats:
    """The correlations of the shapes of columns by noisy sums of products, shrunk towards 0.

    ``products`` is symmetric with an arbitrary diagonal.
    """
    both = list(zip(columns, shapes, strict=True))
    means = np.array([column.shares @ own for column, own in both])
    squares = np.array([column.shares @ own**2 for column, own in both])
    deviations = np.sqrt(np.maximum(squares - means**2, 1e-3))
    scale, size = np.outer(deviations, deviations), max(n, 1)
    found = (products / size - np.outer(means, means)) / scale
    doubt = variance / (size * scale) ** 2 + 1 / size
    return _correlations(found * COMMON**2 / (COMMON**2 + doubt))


def _correlations(found: Floats) -> Floats:
    """Correlations near ``found``: a positive definite matrix with ones on its diagonal."""
    found = np.clip(found, -0.99, 0.99)
    np.fill_diagonal(found, 1.0)
    values, vectors = np.linalg.eigh(found)
    found = (vectors * np.maximum(values, 0.02)) @ vectors.T
    lengths = np.sqrt(np.diag(found))
    return np.asarray(found / np.outer(lengths, lengths))


def artificial_records(columns: Sequence[Column], wanted: Floats) -> Ints:
    """Groups of `RECORDS` records with the columns' numbers of records, and shapes so correlated.

    They are quantiles of correlated normal numbers from a fixed generator.  In each column groups are
    ordered by their log odds, so that a correlation is one of log odds.  Numbers of groups are less
    correlated than the normal numbers behind them, so these are moved until the ``wanted`` come out.
    """
    fixed = np.random.default_rng(0).normal(size=(len(columns), RECORDS))
    shapes, normal = [shape_of(column) for column in columns], wanted
    for _ in range(MATCHES):
        found = _choose_groups(columns, np.linalg.cholesky(normal) @ fixed)
        numbers = [own[i] for own, i in zip(shapes, found, strict=True)]
        away = np.array([own - own.mean() for own in numbers]).reshape(found.shape)
        deviations = np.sqrt(np.maximum((away**2).mean(axis=1), 1e-3))
        come_out = away @ away.T / RECORDS / np.outer(deviations, deviations)
        normal = _correlations(normal + wanted - come_out)
    return _choose_groups(columns, np.linalg.cholesky(normal) @ fixed)


def _choose_groups(columns: Sequence[Column], normal: Floats) -> Ints:
    """The group in each column that has the quantile of a normal number, [column, record]."""
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
    tables: Sequence[tuple[Floats, Floats]],
    variances: Sequence[Floats],
    base: float,
    positives: tuple[float, float],
    n: int,
) -> Additive:
    """The log odds of all columns together whose expected counts fit the noisy ones.

    ``tables`` are the noisy numbers of records of label 1 and 0 in each group of a column, and
    ``variances`` those of their noise.  ``positives`` are the number of positive records and the
    variance of its noise.  On the artificial records an expected count is a sum of logistic functions,
    so each of a few rounds is a linear regression under the columns' priors, times `NARROW`.
    """
    sizes = [len(column.odds) for column in columns]
    starts = np.cumsum([0, *sizes])
    cells = int(starts[-1])
    places = groups + starts[:-1, None]
    member = np.zeros((RECORDS, cells + 1))
    member[np.arange(RECORDS), places] = 1.0  # [record, group], one group a column
    member[:, cells] = 1.0  # the base is in every record
    weight = n / RECORDS
    held = np.maximum(member.sum(axis=0) * weight, 1e-9)
    prior = np.zeros((cells + 1, cells + 1))
    for i, column in enumerate(columns):
        own = slice(starts[i], starts[i + 1])
        prior[own, own] = NARROW * column.prior
    prior[cells, cells] = 4.0
    nothing: list[Floats] = [np.zeros(0)]
    one, zero, variance = (
        np.concatenate([*parts, *nothing])
        for parts in ([t[0] for t in tables], [t[1] for t in tables], variances)
    )
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


def hold_ends(odds: Floats, table: tuple[Floats, Floats], variance: Floats, n: int) -> Floats:
    """The log odds of the groups of a column of numbers, not moving back towards 0 at its ends.

    An end is a run of groups with at most `FEW` of the n records, by the noisy numbers of the ``table``
    plus two standard deviations.  There the prior alone speaks, and would turn a high risk into the
    usual one.  The first group is that of missing values.

    >>> counts, odds = np.array([0.0, 900, 500, 3, -2, 1]), np.array([0, -1, 2, 1.5, 0.5, -0.5])
    >>> hold_ends(odds, (counts, counts), np.full(6, 9.0), 2800).tolist()
    [0.0, -1.0, 2.0, 2.0, 2.0, 2.0]
    """
    held = odds.copy()
    for order in (np.arange(1, len(odds)), np.arange(len(odds) - 1, 0, -1)):
        records, noise = (np.cumsum(own[order]) for own in (table[0] + table[1], 2 * variance))
        few = np.flatnonzero(records + 2 * np.sqrt(noise) <= FEW * n)
        end = order[: few[-1] + 2] if len(few) else order[:0]
        for before, at in pairwise(end[::-1]):  # outwards, from the group before the end
            if abs(held[at]) < abs(held[before]) or held[at] * held[before] < 0:
                held[at] = held[before]
    return held


def to_points(fitted: Additive, most: int) -> tuple[list[Ints], tuple[float, float]]:
    """Whole points of at most ``most``, and the log odds start + slope * total.

    One point is the largest log odds of a group, away from the middle of its column, over ``most``.
    """
    middles = [float(own.max() + own.min()) / 2 for own in fitted.odds]
    centred = [own - middle for own, middle in zip(fitted.odds, middles, strict=True)]
    largest = max((float(np.abs(own).max()) for own in centred), default=0.0)
    unit = max(largest / most, 1e-6)
    points = [np.rint(own / unit).astype(np.int64) for own in centred]
    return points, (fitted.base + sum(middles), unit)


def fit_line(totals: Floats, risks: Floats) -> tuple[float, float]:
    """Start and slope of the log odds of totals that are nearest to these risks, in likelihood.

    >>> start, slope = fit_line(np.arange(-4.0, 5), logistic(1 + 0.5 * np.arange(-4.0, 5)))
    >>> round(start, 2), round(slope, 2)
    (1.0, 0.5)
    """
    size = max(float(np.abs(totals).max()), 1.0)
    features = np.stack([np.ones(len(totals)), totals / size])
    found = np.zeros(2)
    for _ in range(30):
        p = logistic(found @ features)
        curve = (features * (p * (1 - p) + 1e-6)) @ features.T + 1e-6 * np.eye(2)
        found = found + np.clip(np.linalg.solve(curve, features @ (risks - p)), -1, 1)
    return float(found[0]), max(0.0, float(found[1] / size))


def cut_totals(totals: Floats, risks: Floats, runs: int) -> tuple[int, ...]:
    """Whole numbers that cut the totals into ``runs`` runs, each with about as much of both.

    Half of what is divided are the records, and half their ``risks``: where positives are rare, high
    totals are few records.  Of two equal cuts the run between them is empty.

    >>> cut_totals(np.arange(8.0), np.ones(8), 4)
    (2, 4, 6)
    >>> cut_totals(np.arange(8.0), np.array([0, 0, 0, 0, 0, 0, 1, 1.0]), 4)
    (4, 7, 7)
    """
    order = np.argsort(totals, kind="stable")
    weights = 1 / len(totals) + risks[order] / max(risks.sum(), 1e-9)
    before = np.cumsum(weights) - weights
    places = np.searchsorted(before / weights.sum() + 1e-9, np.arange(1, runs) / runs)
    return tuple(round(float(totals[order[min(i, len(order) - 1)]])) for i in places)


def calibrate(
    line: tuple[float, float],
    totals: Floats,
    ends: Sequence[int],
    noisy: Floats,
    variance: float,
    n: int,
    positives: tuple[float, float],
) -> tuple[int, int]:
    """Start and slope of the log odds of a total, in 1/1000, once records of each label are counted.

    ``noisy`` has the numbers of records of label 1 and 0 in each run of totals.  The log odds are
    a + c (start + slope total), where a and c are normal about 0 and 1 before the counts.
    ``positives`` are the number of positive records that was known before, and the variance of its
    noise: the risks of all records add up to it.
    """
    start, slope = line
    run = np.searchsorted(ends, totals, side="right")
    runs = len(ends) + 1
    members = np.bincount(run, minlength=runs)
    inside = np.bincount(run, weights=totals, minlength=runs) / np.maximum(members, 1)
    # A run without artificial records tells nothing.
    known, odds = members > 0, start + slope * inside
    one, zero = noisy[0][known], noisy[1][known]
    # The artificial records say how many are in a run, give or take a part; the counts correct them.
    thought = members[known] * (n / len(totals))
    doubt = (ASTRAY * thought) ** 2 + 1e-6
    trust = doubt / (doubt + 2 * variance)
    records = share_records(thought + trust * (one + zero - thought), n)
    features = np.stack([np.ones(int(known.sum())), odds[known]])
    prior, found = np.array([0.0, 1.0]), np.array([0.0, 1.0])
    precision = np.diag([1 / 0.5**2, 1 / 0.2**2])
    for _ in range(10):
        p = logistic(found @ features)
        curve = records * p * (1 - p) + 1e-6
        weight = curve / (variance * ((1 - p) ** 2 + p**2) + curve)
        rest = (1 - p) * one - p * zero
        slopes = (features * (weight * curve)) @ features.T + precision
        towards = features @ (weight * rest) - precision @ (found - prior)
        sure = 1 / (positives[1] + p**2 @ (doubt * (1 - trust)) + (n / 1000) ** 2 + 1)
        whole = features @ curve
        slopes += sure * np.outer(whole, whole)
        towards += sure * whole * (positives[0] - records @ p)
        step = np.linalg.solve(slopes, towards)
        found = found + np.clip(step, -0.5, 0.5)
    a, c = max(-3.0, min(3.0, float(found[0]))), max(0.2, min(2.0, float(found[1])))
    start = max(-60.0, min(60.0, a + c * start))
    return round(1000 * start), max(0, min(10**5, round(1000 * c * slope)))


def least_total(start: int, slope: int, weights: tuple[int, int]) -> int:
    """The total from which label 1 costs less: risk * missed >= (1 - risk) * false alarm.

    ``weights`` are the costs of a mistake on a record of label 0 and of label 1.

    >>> least_total(-1000, 500, (1, 1))
    2
    """
    wanted = round(1000 * log(weights[0] / weights[1]))
    if slope == 0:
        return -(10**6) if start >= wanted else 10**6
    return -((start - wanted) // slope)
