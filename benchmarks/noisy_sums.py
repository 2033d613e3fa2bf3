"""Discrete Gaussian and Laplace noise for 3,000 sums.

Beside `opendp` 0.16, whose samplers are the same algorithms (CKS20) in Rust, and numpy, which draws
floats that are rounded: not private, and only a lower bound of what a draw can cost in numpy.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from benchmarks.harness import Case, Contender, cpu_seconds, require
from littlestone.privacy.mechanisms.noisy_sums import GaussianNoise, LaplaceNoise
from littlestone.privacy.randomness import system_generator

SUMS = 3_000


def cases() -> Iterator[Case]:
    """Gaussian noise at three variances, and Laplace noise of the same ones."""
    notes = ["OpenDP draws the same law.", "numpy draws floats, which is not private."]
    if importlib.util.find_spec("opendp") is None:
        notes = ["OpenDP was left out: install it with `pip install opendp==0.16.0`.", *notes[1:]]
    for scale in (10, 1_000, 100_000):
        yield _case(GaussianNoise(scale**2), "gaussian", scale, notes)
        yield _case(LaplaceNoise(Fraction(scale)), "laplace", scale, notes)


def _case(noise: GaussianNoise | LaplaceNoise, name: str, scale: int, notes: list[str]) -> Case:
    sums, rng, floats = [0] * SUMS, system_generator(), np.random.default_rng()

    def check(noisy: Any) -> None:
        # The mean of 3,000 squares is within a fifth of the variance, but for one run in 10^9.
        mean = float(np.mean(np.square(np.array(noisy, dtype=float))))
        require(len(noisy) == SUMS, f"{len(noisy)} sums")
        require(0.8 < mean / float(noise.variance) < 1.25, f"the mean square is {mean}")

    def rounded() -> Any:
        return np.rint(getattr(floats, {"gaussian": "normal"}.get(name, name))(0, scale, SUMS))

    others = [Contender("numpy, rounded floats", rounded, check)]
    if importlib.util.find_spec("opendp") is not None:
        others.insert(0, Contender("OpenDP", _measurement(name, scale, sums), check))
    return Case(
        title=f"{SUMS:,} sums, {noise}",
        ours=Contender("littlestone", lambda: noise.add(sums, rng), check),
        others=others,
        operations=1,
        notes=notes,
        clock=cpu_seconds,
    )


def _measurement(name: str, scale: int, sums: list[int]) -> Callable[[], Any]:
    dp: Any = importlib.import_module("opendp.prelude")
    dp.enable_features("contrib")
    metric = dp.l2_distance(T=float) if name == "gaussian" else dp.l1_distance(T=float)
    space = dp.vector_domain(dp.atom_domain(T="i64")), metric
    made = getattr(dp.m, f"make_{name}")(*space, scale=float(scale))
    return lambda: made(sums)
