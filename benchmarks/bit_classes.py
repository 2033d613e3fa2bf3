"""Bit classes of random tables against their bounds, and sizes of learning labels bit by bit."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from itertools import product
from math import log
from typing import Any

import numpy as np

from benchmarks.harness import Case, Contender, require
from littlestone.classes import parse_class
from littlestone.dimension import LabelTable, multiclass_littlestone_dimension
from littlestone.learn import (
    ChoosingLearner,
    ExponentialLearner,
    PartitionLearner,
    PrivateLearner,
    SingleKeyLearner,
)
from littlestone.privacy import Budget
from littlestone.privacy.accounting.calibration import calibrate
from littlestone.privacy.accounting.composed import Composition
from littlestone.privacy.cost import PrivacyCost
from littlestone.privacy.event import Event
from littlestone.prove.papers.bgs21 import bit_class_cap

ON_REQUEST = True

ALPHA, BETA, DELTA = 0.1, 0.05, Fraction(1, 10**6)
TABLES = 40


def ratios(labels: int, size: tuple[int, int]) -> tuple[float, float, float]:
    """The largest max LDim(H|_i) over 6 d ln(k + 1), over the sharper cap, and over d."""
    rng = np.random.default_rng(labels)
    found = []
    for _ in range(TABLES):
        H = LabelTable.of(rng.integers(0, labels, size=size), labels=labels)
        d = multiclass_littlestone_dimension(H)
        largest = max(multiclass_littlestone_dimension(H.bit_class(i)) for i in range(H.bits))
        if d:
            caps = 6 * d * log(labels), bit_class_cap(d, labels - 1), d
            found.append([largest / cap for cap in caps])
    first, second, third = np.max(found, axis=0).tolist()
    return first, second, third


def check_ratios(found: tuple[float, float, float]) -> None:
    """Both are bounds."""
    require(max(found[:2]) <= 1, "a bit class is larger than its bound")


def sizes(text: str, kind: type[PrivateLearner[Any]], epsilon: Fraction, labels: int) -> list[int]:
    """Records for the bits, with parts and with one budget; and for one-vs-rest, up to 16 labels."""
    H = parse_class(text)

    def planned(cuts: int, epsilon: Fraction, delta: Fraction) -> int:
        bound = kind(H, Budget(epsilon, delta)).plan(
            ALPHA / cuts, BETA / cuts, setting="realizable"
        )
        return 0 if bound is None else bound.n

    def shared(cuts: int, delta: Fraction) -> int:
        steps: dict[Event, Fraction] = {}

        def together(step: Fraction) -> Event:
            event = Composition([(kind(H, Budget(step, delta)).event, cuts)], DELTA)
            steps[event] = step
            return event

        return planned(cuts, steps[calibrate(together, PrivacyCost(epsilon, DELTA))], delta)

    return [
        n
        for cuts in ((labels - 1).bit_length(), labels)[: 2 if labels <= 16 else 1]
        for n in (
            cuts * planned(cuts, epsilon, DELTA),
            min(shared(cuts, DELTA / cuts), shared(cuts, DELTA / (2 * cuts))),
        )
    ]


SIZED: list[tuple[str, type[PrivateLearner[Any]]]] = [
    ("rules(a, b; at most 2)", ChoosingLearner),
    ("subsets(a; at most 3)", PartitionLearner),
    ("thresholds(x, 0..1023)", ExponentialLearner),
    ("points(a)", SingleKeyLearner),
]


def check_sizes(found: list[int]) -> None:
    """One-vs-rest takes the most; the two ways with bits are within a factor of two of each other."""
    parts, budget, *rest = found
    require(all(n > max(parts, budget) for n in rest), "one-vs-rest takes fewer records")
    require(budget < 1.1 * parts < 2 * budget, "the two ways are far apart")


def cases() -> Iterator[Case]:
    """Some minutes; the figures are in the titles."""
    for labels in (3, 4, 8, 16):
        for size in ((12, 4), (24, 6)):
            first, second, third = ratios(labels, size)
            title = (
                f"{TABLES} random tables {size[0]} x {size[1]} of {labels} labels: max LDim(H|_i) is "
                f"at most {first:.2f} of 6 d ln(k + 1), {second:.2f} of the sharper cap, {third:.2f} d"
            )
            run = Contender("dimensions", partial(ratios, labels, size), check_ratios)
            yield Case(title, run, repeats=1)
    for text, kind in SIZED:
        for epsilon, labels in product((Fraction(1), Fraction(1, 10)), (4, 16, 256)):
            task = (text, kind, epsilon, labels)
            parts, budget, *rest = sizes(*task)
            title = (
                f"{text}, {labels} labels, epsilon {float(epsilon):g}: {parts:,} records with parts, "
                f"{budget:,} with one budget"
                + (f"; one-vs-rest {rest[0]:,} and {rest[1]:,}" if rest else "")
            )
            yield Case(title, Contender("plan", partial(sizes, *task), check_sizes), repeats=1)
