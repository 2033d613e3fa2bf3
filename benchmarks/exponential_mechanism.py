"""One private draw among a million candidates.

Beside `opendp` 0.16 and numpy.  The three do not draw from the same distribution:

* ours is the exponential mechanism, Pr[i] ~ r^-errors_i with r a rational just below e^(epsilon/2);
* OpenDP's noisy max under the max divergence is permute-and-flip (McKenna and Sheldon 2020), whose
  expected error is never larger.  Its scale is 2 / epsilon, at which it reports the same privacy
  loss for scores that each move by at most 1; it gets a numpy array, which it takes fastest;
* the largest of the scores plus Gumbel noise is the exponential mechanism again, but in floats:
  not private, and only a lower bound of what a draw can cost in numpy.
"""

from __future__ import annotations

import importlib
import importlib.util
import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness import Case, Contender, require
from littlestone.privacy.cost import decimal_text
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.mechanisms.exponential import ExponentialMechanism
from littlestone.privacy.randomness import seeded_generator, system_generator
from littlestone.privacy.samplers import selection
from littlestone.privacy.scores import ErrorRuns

N = 1_000_000
Errors = NDArray[np.int64]


def shapes() -> dict[str, Errors]:
    """Error counts of a million candidates, by name."""
    rng = np.random.default_rng(1)
    winner = np.full(N, 500)
    winner[654_321] = 0
    return {
        "all tied": np.zeros(N, dtype=np.int64),
        "one winner by 500": winner,
        "binomial(1e6, 1/2)": rng.binomial(N, 0.5, N),
        "spread 0..999999": rng.permutation(N),
    }


def cases() -> Iterator[Case]:
    """Four shapes of scores, at epsilon 1 and 0.1."""
    check_small_instance()
    notes = ["OpenDP draws by permute-and-flip, another distribution of the same privacy loss."]
    if importlib.util.find_spec("opendp") is None:
        notes = ["OpenDP was left out: install it with `pip install opendp==0.16.0`."]
    for epsilon in (Fraction(1), Fraction(1, 10)):
        for name, errors in shapes().items():
            yield case(f"epsilon {decimal_text(epsilon)}, {name}", errors, epsilon, notes)


def case(title: str, errors: Errors, epsilon: Fraction, notes: list[str]) -> Case:
    """One instance: our draw alone, our draw with its ledger, and the alternatives."""
    mechanism, ledger, rng = ExponentialMechanism(epsilon), Ledger(), system_generator()
    base = mechanism.base
    gaps = errors - errors.min()
    # Each of the three draws a gap of at least this with probability below 1e-12.  At epsilon 1 it
    # is 83, so that the one winner has to be drawn.
    limit = 2 * math.log(N * 1e12) / float(epsilon)

    def check(index: Any) -> None:
        require(0 <= index < N, f"item {index} of {N}")
        require(gaps[index] < limit, f"item {index} is {gaps[index]} worse than the best")

    def paid() -> int:
        receipt = ledger.spend(mechanism, dataset="benchmark", what="one draw", rng=rng)
        return mechanism.draw(ErrorRuns(errors), receipt=receipt)

    noise = np.random.default_rng()

    def gumbel() -> int:
        return int(np.argmax(noise.gumbel(size=N) - errors * float(epsilon / 2)))

    others = [
        Contender("littlestone, and its entry in a ledger in memory", paid, check),
        Contender("numpy Gumbel-max (floats: not private)", gumbel, check),
    ]
    noisy_max = opendp_noisy_max(epsilon)
    if noisy_max is not None:
        choose = noisy_max
        others.append(
            Contender("OpenDP noisy max (index of the least)", lambda: choose(errors), check)
        )
    ours = Contender(
        "littlestone draw", lambda: selection.draw_item(errors, None, base, rng), check
    )
    return Case(title, ours, others, repeats=9, patience=4, notes=notes)


def opendp_noisy_max(epsilon: Fraction) -> Callable[[Errors], int] | None:
    """OpenDP's private choice of the least of an array; None if it is not installed."""
    if importlib.util.find_spec("opendp") is None:
        return None
    dp: Any = importlib.import_module("opendp.prelude")
    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.linf_distance(T="i64")
    scale = float(2 / epsilon)
    measurement = dp.m.make_noisy_max(*space, dp.max_divergence(), scale=scale, negate=True)
    require(
        abs(measurement.map(1) - float(epsilon)) < 1e-9, "OpenDP has another privacy loss than ours"
    )
    return lambda errors: int(measurement(errors))


def check_small_instance() -> None:
    """Exact probabilities on four items, and the frequencies of draws that repeat by their seed."""
    errors, draws = np.array([3, 0, 1, 0]), 20_000
    mechanism = ExponentialMechanism(Fraction(1))
    exact = mechanism.probabilities(errors)
    weights = np.exp(-0.5 * errors)
    require(sum(exact) == 1, "the probabilities do not add up to 1")
    require(
        np.allclose([float(p) for p in exact], weights / weights.sum(), atol=1e-8),
        "the probabilities are not those of the exponential mechanism",
    )
    rng, counts = seeded_generator(1), np.zeros(4)
    for _ in range(draws):
        counts[selection.draw_item(errors, None, mechanism.base, rng)] += 1
    for count, p in zip(counts, map(float, exact), strict=True):
        require(
            abs(count - draws * p) < 5 * math.sqrt(draws * p * (1 - p)),
            "the frequencies are not the probabilities",
        )
