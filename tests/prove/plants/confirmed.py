"""Mistakes in continual confirmation: keys of a finite set, each with skips and a rising threshold."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache, partial
from itertools import product
from math import prod
from typing import Any

from littlestone.privacy.mechanisms.confirmation import ContinualConfirmation
from littlestone.privacy.rational import log_above
from littlestone.prove.audit import neighbours
from plants.harness import Masses, Plant, is_private, toy

SKIP, BASE = Fraction(2, 3), Fraction(2)
Stream = tuple[int | None, ...]
Chance = Callable[[int, int, int], Fraction]


class Short(ContinualConfirmation):
    """With r1 = 3/2 and r2 = 2."""

    skip = SKIP
    shrink = 1 / BASE


def short(threshold: int, keys: int) -> Short:
    half = Fraction(1, 2)
    return Short(
        skip_epsilon=half, test_epsilon=half, threshold=threshold, warm=1, keys=keys, horizon=9
    )


def rising(mechanism: Short, base: Fraction = BASE) -> Chance:
    """The chance of a hit after so many records, with so many skipped ones, at an age."""

    def chance(records: int, skips: int, age: int) -> Fraction:
        rise = next(mechanism.rises(age))[0]
        return base ** -max(0, mechanism.threshold + rise + skips - records)

    return chance


def in_floats(mechanism: Short) -> Chance:
    exact = rising(mechanism)
    return lambda n, z, age: 1 - Fraction(float(1 - exact(n, z, age)))


def step_by_step(
    stream: Stream,
    chance: Chance,
    *,
    keys: int = 1,
    most: int = 5,
    skips: bool = True,
    kept: bool = False,
    shared: bool = False,
    one: bool = False,
    coin: bool = False,
    aged_by_records: bool = False,
    goes_on: bool = False,
    only_records: bool = False,
) -> Masses:
    """Test by test, with up to ``most`` skips and a mistake: what hits at each step."""
    found: Masses = {}
    most = most if skips else 0
    fresh = [(z, SKIP**z * (1 - SKIP if z < most else 1)) for z in range(most + 1)]

    def drawn(zs: tuple[int, ...], anew: tuple[int, ...], mass: Fraction) -> Any:
        """The skips when these keys begin."""
        if not anew:
            yield zs, mass
            return
        for chosen in product(fresh, repeat=1 if shared else len(anew)):
            values = dict(zip(anew, chosen * len(anew) if shared else chosen, strict=False))
            made = tuple(values[k][0] if k in values else z for k, z in enumerate(zs))
            yield made, mass * prod(p for _, p in chosen)

    def go(t: int, zs: Any, ns: Any, firsts: Any, mass: Fraction, seen: Any) -> None:
        if t == len(stream):
            found[seen] = found.get(seen, Fraction(0)) + mass
            return
        ns = tuple(n + (k == stream[t]) for k, n in enumerate(ns))
        if aged_by_records:
            firsts = tuple(t if k == stream[t] else first for k, first in enumerate(firsts))
        chances = [
            chance(n, z, t - first) if not only_records or k == stream[t] else Fraction(0)
            for k, (n, z, first) in enumerate(zip(ns, zs, firsts, strict=True))
        ]
        for hits in product((False, True), repeat=keys):
            if coin:
                least = min((q for q, hit in zip(chances, hits, strict=True) if hit), default=1)
                most_left = max(
                    (q for q, hit in zip(chances, hits, strict=True) if not hit), default=0
                )
                p = mass * max(0, least - most_left)
            else:
                p = mass * prod(q if hit else 1 - q for q, hit in zip(chances, hits, strict=True))
            if not p:
                continue
            hit_keys = tuple(k for k, hit in enumerate(hits) if hit)
            left = tuple(n if goes_on or not hit else 0 for n, hit in zip(ns, hits, strict=True))
            begun = tuple(t + 1 if hit else f for f, hit in zip(firsts, hits, strict=True))
            most_named = sorted(hit_keys, key=ns.__getitem__)[-1:]
            told = frozenset(most_named if one else hit_keys)
            last = t + 1 == len(stream)
            for later, q in drawn(zs, () if last or kept else hit_keys, p):
                go(t + 1, later, left, begun, q, (*seen, told))

    for zs, mass in drawn((0,) * keys, tuple(range(keys)), Fraction(1)):
        go(0, zs, (0,) * keys, (0,) * keys, mass, ())
    return found


@cache
def honest_law(threshold: int, keys: int, most: int) -> Callable[[Stream], Masses]:
    """Step by step without a mistake; one for all plants, which keeps what it found."""
    chance = rising(short(threshold, keys))
    return cache(partial(step_by_step, chance=chance, keys=keys, most=most))


def _plant(
    mistake: str,
    name: str,
    *,
    keys: int = 1,
    steps: int = 4,
    threshold: int = 1,
    most: int = 5,
    chance: Callable[[Short], Chance] = rising,
    pairs: Any = None,
    **how: Any,
) -> Plant:
    """A record that names the only key or none is hidden by r2, and one of two keys by r1 r2."""
    mechanism = short(threshold, keys)
    pairs = pairs or tuple(neighbours((None, *range(keys)), steps))
    # The margin is for rare skips, which are left out in the honest version too.
    claim = log_above(BASE if keys == 1 else BASE / SKIP) + Fraction(1, 100)
    broken = partial(step_by_step, chance=chance(mechanism), keys=keys, most=most, **how)
    laws = honest_law(threshold, keys, most), cache(broken)
    made = [toy(law, pairs, claim) for law in laws]
    return Plant(f"confirmed_{name}", mistake, is_private, *made)


def steeper(mechanism: Short) -> Chance:
    return rising(mechanism, BASE / SKIP)


FAR = [((0,) * 4, (0,) * 3 + (None,))]

PLANTS = [
    _plant("The count is compared without Z.", "no_skips", skips=False),
    _plant("Z is kept when a key begins anew.", "skips_kept", kept=True),
    _plant("Keys that begin at one step share one Z.", "one_skip_for_all", keys=2, steps=2,
           shared=True),
    _plant("One coin decides which keys hit at a step.", "one_coin_for_all", keys=2, steps=2,
           coin=True),
    _plant("Each record of a key makes it young again.", "aged_by_records", aged_by_records=True),
    _plant("Of two keys that hit, the one with more records is told.", "one_of_two_told", keys=2,
           steps=2, one=True),
    _plant("The chance of a hit is a float.", "float_chances", threshold=55, chance=in_floats,
           pairs=FAR, most=2),
    _plant("The chance of a hit grows by r1 r2.", "steeper", chance=steeper),
    _plant("A hit does not reset the count.", "count_goes_on", goes_on=True),
    _plant("A key is tested only when a record names it.", "only_at_records", only_records=True),
]  # fmt: skip
