"""A draw of sparse sampling among a million items, and exact instances of its privacy theorem.

Before anything is timed, random neighbouring inputs are compared with the bound of
docs/proofs/sparse-sampling.md in integer arithmetic: none may exceed it, and one must come close.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from benchmarks.harness import Case, Contender, require
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.mechanisms.choosing import ChoosingMechanism
from littlestone.privacy.mechanisms.selection_from_lists import SparseSampling
from littlestone.privacy.mechanisms.sparse_selection import least_power
from littlestone.privacy.randomness import system_generator

INSTANCES = 120_000
BASES = [Fraction(11, 10), Fraction(5, 4), Fraction(3, 2), Fraction(2), Fraction(4)]


def cases() -> Iterator[Case]:
    """A million items in lists that share few, and that share many; and a million records."""
    tightest = check_instances(random.Random(1), INSTANCES)
    note = (
        f"{INSTANCES} exact instances: none above the bound; nearest to the curve: {tightest:.4f}."
    )
    rng, ledger = system_generator(), Ledger()
    sampling = SparseSampling[int](Budget(1, "1e-6"), list_size=10_000)
    inputs = {
        "100 lists of 10,000 items, all different": [
            range(10_000 * i, 10_000 * (i + 1)) for i in range(100)
        ],
        "100 lists of 10,000 items, the same in all": [range(10_000)] * 100,
    }
    for title, lists in inputs.items():

        def sample(lists: list[range] = lists) -> int | None:
            receipt = ledger.spend(sampling, dataset="benchmark", what="one draw", rng=rng)
            return sampling.draw(lists, receipt=receipt)

        def check(item: Any, shared: bool = lists[0] == lists[1]) -> None:
            # An item of different lists is drawn once in ten thousand times.
            require(item is not None or not shared, "bottom, although all lists are the same")

        yield Case(title, Contender("draw, with its receipt", sample, check), notes=[note])

    choosing = ChoosingMechanism[int](Budget(1, "1e-6"), growth=1)
    scores = np.ones(10**6, np.int64)
    scores[7:9] = 97, -4

    def choose() -> int | None:
        receipt = ledger.spend(choosing, dataset="benchmark", what="one draw", rng=rng)
        return choosing.draw_scores(scores, receipt=receipt)

    def is_seven(item: Any) -> None:
        require(item == 7, f"{item} was chosen over the one that is 69 better than bottom")

    ours = Contender("draw from scores, with its receipt", choose, is_seven)
    yield Case("choosing among a million covered hypotheses", ours)


def check_instances(rng: random.Random, count: int) -> float:
    """The largest divergence, as a share of its bound, over ``count`` random neighbours."""
    tightest = 0.0
    for _ in range(count):
        r, size = rng.choice(BASES), rng.randint(1, 40)
        bottom = lowest_bottom(r, size, rng.choice([3, 20, 1000, 10**6]))
        # sqrt(R) for a ratio R from r to a little above r^2
        root = 1 + (r - 1) * Fraction(rng.randint(50, 105), 100)
        if root**2 < r:
            root = r
        excess, share = compare(r, size, bottom, root, groups(rng, r, size, bottom, root))
        require(excess <= 0, f"r {r}, L {size}, B {bottom}: the bound is exceeded")
        tightest = max(tightest, share)
    require(tightest > 0.99, "no instance comes near the bound")
    return tightest


@cache
def lowest_bottom(r: Fraction, size: int, inverse_delta: int) -> int:
    """B as the mechanism finds it, for a base that is not from an epsilon."""
    limit = min(Fraction(1, inverse_delta), 1 - 1 / r)
    return 1 + least_power(r, size * (1 / limit - 1))


def groups(
    rng: random.Random, r: Fraction, size: int, bottom: int, root: Fraction
) -> list[tuple[int, int, int]]:
    """Groups (items, score in P, score in Q), where P and Q differ in one list of ``size``."""
    top = bottom + rng.randint(0, 40)
    if root < r and rng.random() < 0.3:
        # Near the worst case: see Theorem 2.
        odds = float((root * r - 1) / (r - root))
        out, to = max(1, round(size / odds)), min(size, max(1, round(size * odds)))
        return [(min(out, size), top + 1, top), (to, top, top + 1)]
    found, room_p, room_q = [], size, size
    for _ in range(rng.randint(1, 6)):
        in_p, in_q = rng.getrandbits(1), rng.getrandbits(1)
        items = min(rng.randint(1, size), room_p if in_p else size, room_q if in_q else size)
        room_p, room_q = room_p - in_p * items, room_q - in_q * items
        others = rng.choice([0, 0, rng.randint(0, top), top])
        found.append((items, others + in_p, others + in_q))
    return found


def compare(
    r: Fraction, size: int, bottom: int, root: Fraction, held: list[tuple[int, int, int]]
) -> tuple[Fraction, float]:
    """Divergence minus bound at R = root^2, and their quotient where delta0 is not the bound.

    Weights are scaled to integers.
    """
    a, b = r.numerator, r.denominator
    most = max(bottom, *(max(one, other) for _, one, other in held))

    def weight(items: int, score: int) -> int:
        return items * a**score * b ** (most - score) if score else 0

    cells = [(weight(n, one), weight(n, other)) for n, one, other in [*held, (1, bottom, bottom)]]
    p, q = sum(one for one, _ in cells), sum(other for _, other in cells)
    c, d = (root**2).numerator, (root**2).denominator
    above = sum(max(0, one * d * q - c * other * p) for one, other in cells)
    divergence = Fraction(above, d * p * q)
    curve = max(Fraction(0), r - root) ** 2 / (r**2 - 1)
    fresh = size * r / (r**bottom + size * r)
    return divergence - max(fresh, curve), float(divergence / curve) if curve > fresh else 0.0
