"""One noisy count: what its last digits give away, and what a draw costs.

numpy draws Laplace noise as a logarithm of one of 2^53 floats (Mironov 2012).  So only some floats are
reachable from a given count, others from its neighbour.  An output that one count can produce and
the other cannot tells them apart for certain, whatever epsilon is.  Every output of numpy is decided
here, by trying all the uniform floats that could lead to it.  Noise on the integers has nothing to
find: every integer is reachable from every count.
"""

from __future__ import annotations

import importlib
import importlib.util
import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from benchmarks.harness import Case, Contender, require
from littlestone.audit import audit_epsilon
from littlestone.audit.float_noise import SCALE, reachable
from littlestone.privacy.randomness import system_generator
from littlestone.privacy.rational import exp_below
from littlestone.privacy.samplers.geometric import discrete_laplace

DRAWS = 1000
A = 1 / exp_below(Fraction(1, 2))


def told_apart(count: int) -> float:
    """The share of numpy's outputs for ``count`` that ``count + 1`` cannot produce."""
    outputs = np.random.default_rng(1).laplace(count, SCALE, DRAWS).tolist()
    require(all(reachable(y, count) for y in outputs), "an output of numpy counts as unreachable")
    return sum(not reachable(y, count + 1) for y in outputs) / DRAWS


def measured() -> str:
    """The certified lower bounds on epsilon of both, from what tells 0 and 1 apart in their outputs."""
    generator, trials = np.random.default_rng(2), 4000

    def numpys(count: int) -> bool:
        return reachable(float(generator.laplace(count, SCALE)), 1)

    def ours(count: int, rng: random.Random) -> bool:
        return count + discrete_laplace(A, rng) >= 1

    broken = audit_epsilon(lambda _: numpys(0), lambda _: numpys(1), trials=trials)
    exact = audit_epsilon(lambda rng: ours(0, rng), lambda rng: ours(1, rng), trials=trials)
    require(broken.epsilon > 1, "numpy's noise was not told apart")
    require(exact.epsilon <= Fraction(1, 2), "our noise is refuted")
    return (
        f"Epsilon for a count that moves by 1: 0.5 claimed; from {trials} runs, with 95% confidence, "
        f"numpy's >= {broken.epsilon:.2f}, ours >= {exact.epsilon:.2f}."
    )


def cases() -> Iterator[Case]:
    """Counts 0, 7 and 100 at epsilon 1, under replacement."""
    rng, generator = system_generator(), np.random.default_rng()

    def check(outputs: list[int]) -> None:
        require(all(type(y) is int for y in outputs), "a noisy count is not an integer")
        require(
            abs(sum(map(abs, outputs)) / DRAWS - 2 * float(A / (1 - A**2))) < 0.6,
            "the mean size of the noise is wrong",
        )

    audited = measured()
    for count in (0, 7, 100):
        share = told_apart(count)
        require(share > 0 or count == 100, "numpy's floats gave nothing away")
        notes = [
            f"Count {count}: {share:.1%} of numpy's outputs are impossible for {count + 1}; "
            "of ours, none.",
            audited,
        ]

        def ours() -> list[int]:
            return [discrete_laplace(A, rng) for _ in range(DRAWS)]

        def numpys(count: int = count) -> list[float]:
            return [float(generator.laplace(count, SCALE)) for _ in range(DRAWS)]

        others = [Contender("numpy Laplace (floats: not private)", numpys, lambda _: None)]
        opendp = opendp_laplace()
        if opendp is not None:

            def theirs(count: int = count, draw: Callable[[int], int] = opendp) -> list[int]:
                return [draw(count) - count for _ in range(DRAWS)]

            others.append(Contender("OpenDP discrete Laplace", theirs, check))
        yield Case(
            f"noise for a count of {count}, scale 2",
            Contender("littlestone discrete Laplace", ours, check),
            others,
            operations=DRAWS,
            notes=notes,
        )


def opendp_laplace() -> Callable[[int], int] | None:
    """OpenDP's noisy integer at scale 2; None if it is not installed."""
    if importlib.util.find_spec("opendp") is None:
        return None
    dp: Any = importlib.import_module("opendp.prelude")
    dp.enable_features("contrib")
    space = dp.atom_domain(T="i64"), dp.absolute_distance(T="i64")
    measurement = dp.m.make_laplace(*space, scale=SCALE)
    return lambda count: int(measurement(count))
