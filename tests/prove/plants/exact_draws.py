"""Draws that are nearly those of the audited law: too near for a test of a few thousand runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest

from littlestone.learn.stream import staged as staged_streams
from littlestone.privacy.mechanisms import cell_counts, partition_selection
from littlestone.privacy.mechanisms.bucket_labels import BucketLabels
from littlestone.privacy.mechanisms.label_selection import LabelSelection
from littlestone.privacy.mechanisms.threshold_tests import OneSidedThreshold
from littlestone.privacy.rational import exp_below
from littlestone.privacy.samplers import selection
from littlestone.privacy.samplers.noise import discrete_laplace
from littlestone.privacy.samplers.reals import Real
from littlestone.privacy.tape import Tape
from littlestone.prove.audit import Subject, find_subject
from littlestone.prove.audit.subjects import online, streams
from plants.harness import Plant, draws_exactly

Change = Callable[[pytest.MonkeyPatch], None]
STEEPER = Fraction(21, 20)


def honest(name: str) -> Subject[Any]:
    return find_subject(name).make(Fraction(2), Fraction(1, 5))


def changed(subject: Subject[Any], change: Change) -> Subject[Any]:
    """The same claim and law, but ``change`` is in the code while it draws."""

    def runs(times: int, rng: Random) -> Any:
        run = subject.runs(times, rng)

        def with_change(data: Any) -> Any:
            with pytest.MonkeyPatch.context() as patch:
                change(patch)
                return run(data)

        return with_change

    return replace(subject, runs=runs)


def less_noise(module: Any) -> Change:
    def drawn(a: Fraction, rng: Random) -> int:
        return discrete_laplace(a / STEEPER, rng)

    return lambda patch: patch.setattr(module, "discrete_laplace", drawn)


def steeper(sampler: Any) -> Change:
    """The sampler is handed a base that is 5% too large."""

    def change(patch: pytest.MonkeyPatch) -> None:
        draw = sampler.draw_item
        patch.setattr(sampler, "draw_item", lambda e, n, base, rng: draw(e, n, base * STEEPER, rng))

    return change


def squared(patch: pytest.MonkeyPatch) -> None:
    draw = selection.draw_item
    patch.setattr(selection, "draw_item", lambda e, n, base, rng: draw(e, n, base**2, rng))


def exact_zero(patch: pytest.MonkeyPatch) -> None:
    def draw(self: Any, data: Any, *, receipt: Any) -> tuple[int, ...]:
        rng = receipt.redeem(self)
        return tuple(count and count + discrete_laplace(self.ratio, rng) for count in data)

    patch.setattr(cell_counts.CellCounts, "draw", draw)


def smaller_coins(patch: pytest.MonkeyPatch) -> None:
    exact = LabelSelection._coin

    def coin(self: Any, count: int, most: int) -> Real:
        of_best = count == most or (count < 0 and self.weight(most)[0] < 1)
        made = exact(self, count, most)
        return made if of_best else made * Real.of(1 / STEEPER)

    patch.setattr(LabelSelection, "_coin", coin)


def steeper_buckets(patch: pytest.MonkeyPatch) -> None:
    base = property(lambda self: exp_below(self.epsilon * STEEPER / 2))
    patch.setattr(BucketLabels, "base", base)


def few_bits(patch: pytest.MonkeyPatch) -> None:
    def flips(coins: Any, which: Any, rng: Random) -> Any:
        ends = [coins[i].enclose(32) for i in which]
        return np.array([bool(high) and rng.getrandbits(32) <= low for low, high in ends], bool)

    patch.setattr(partition_selection, "flip_coins", flips)


def stream(name: str, epsilon: int) -> Subject[Any]:
    """A learner over two steps."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (online, streams):
            patch.setattr(module, "LONG", 2)
        made = find_subject(name).make(Fraction(epsilon), Fraction(1, 1000))
    return replace(made, pairs=made.pairs[-1:])


def no_threshold_noise(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(staged_streams, "discrete_laplace", lambda a, rng: 0)


def first_threshold(patch: pytest.MonkeyPatch) -> None:
    counted = OneSidedThreshold.count_record

    def forgetful(self: Any, epoch: Any, step: int, tape: Tape, threshold: int) -> Any:
        return counted(self, epoch, step, tape)

    patch.setattr(OneSidedThreshold, "count_record", forgetful)


def _plant(name: str, mistake: str, subject: Subject[Any], change: Change) -> Plant:
    return Plant(f"draw_{name}", mistake, draws_exactly, subject, changed(subject, change))


PLANTS = [
    _plant(
        "cells_less_noise",
        "Counts of cells have the noise of a ratio that is 5% too small.",
        honest("cell-counts"),
        less_noise(cell_counts),
    ),
    _plant(
        "cells_exact_zero",
        "An empty cell is released without noise.",
        honest("cell-counts"),
        exact_zero,
    ),
    _plant(
        "histogram_less_noise",
        "Counts of keys have the noise of a ratio that is 5% too small.",
        honest("stable-histogram"),
        less_noise(partition_selection),
    ),
    _plant(
        "exponential_steeper",
        "The sampler of the exponential mechanism gets a base that is 5% too large.",
        honest("exponential-mechanism"),
        steeper(selection),
    ),
    _plant(
        "sparse_steeper",
        "The sampler of sparse sampling gets a base that is 5% too large.",
        honest("sparse-sampling"),
        steeper(selection),
    ),
    _plant(
        "labels_smaller_coins",
        "The coins of all labels of a key but its best are 5% too small.",
        honest("label-selection"),
        smaller_coins,
    ),
    _plant(
        "buckets_steeper",
        "The coins of buckets have 1.05 epsilon.",
        honest("bucket-labels"),
        steeper_buckets,
    ),
    _plant(
        "keys_few_bits",
        "A key fires by 32 random bits, so with probability at least 2^-32.",
        honest("partition-selection"),
        few_bits,
    ),
    _plant(
        "relabelling_eta_not_halved",
        "The pattern is drawn with the base e^eta, and charged with e^(eta / 2).",
        honest("relabelling-learner"),
        squared,
    ),
    _plant(
        "teachers_first_threshold",
        "A doubled threshold is forgotten at the next mistake.",
        stream("online-teacher-learner", 10),
        first_threshold,
    ),
    _plant(
        "stages_no_threshold_noise",
        "The tests of all calls have fresh noise alone, at the price of a noisy threshold.",
        stream("online-staged-learner", 30),
        no_threshold_noise,
    ),
]
