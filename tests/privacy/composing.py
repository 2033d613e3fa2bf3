"""What the tests of composition share: tiny events with exact laws on two neighbours, composed."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

from littlestone.privacy.rational import exp_below
from littlestone.prove.audit.claims import hockey_stick

Law = dict[Any, Fraction]
Pair = tuple[Law, Law]  # the laws of one event on two neighbouring data sets


def response(epsilon: Fraction, delta: Fraction = Fraction(0)) -> Pair:
    """The worst (epsilon, delta)-DP event: with probability delta it tells all, else it may lie."""
    r = exp_below(epsilon, bits=256)
    truth, lie = (1 - delta) * r / (1 + r), (1 - delta) / (1 + r)
    p: Law = {"all": delta, "yes": truth, "no": lie, "nothing": Fraction(0)}
    q: Law = {"all": Fraction(0), "yes": lie, "no": truth, "nothing": delta}
    return p, q


def selection(epsilon: Fraction, rng: Random, items: int = 3) -> Pair:
    """An exponential mechanism on random error counts, each moved by at most 1."""
    r = exp_below(epsilon / 2, bits=64)
    errors = [rng.randrange(6) for _ in range(items)]
    moved = [error + rng.choice((-1, 0, 1)) for error in errors]
    return _exponential(r, errors), _exponential(r, moved)


def _exponential(r: Fraction, errors: list[int]) -> Law:
    total = sum(r**-error for error in errors)
    return {i: r**-error / total for i, error in enumerate(errors)}


def together(*pairs: Pair) -> Pair:
    """The joint laws of independent events."""
    joint: Pair = ({(): Fraction(1)}, {(): Fraction(1)})
    for pair in pairs:
        first, second = (
            {(*seen, y): law[seen] * step[y] for seen, y in product(law, step)}
            for law, step in zip(joint, pair, strict=True)
        )
        joint = first, second
    return joint


def adaptive(epsilon: Fraction, k: int, rng: Random) -> Pair:
    """The joint laws of k selections, each chosen by what the earlier ones returned."""
    p, q = selection(epsilon, rng)
    if k == 1:
        return p, q
    joint: Pair = ({}, {})
    for y in p:
        for law, first, rest in zip(joint, (p, q), adaptive(epsilon, k - 1, rng), strict=True):
            law.update({(y, z): first[y] * mass for z, mass in rest.items()})
    return joint


def excess(pair: Pair, epsilon: Fraction) -> Fraction:
    """The least delta with which the two laws are (epsilon, delta)-close, and hardly more."""
    ratio = exp_below(epsilon, bits=256)
    return max(hockey_stick(*pair, ratio), hockey_stick(*pair[::-1], ratio))
