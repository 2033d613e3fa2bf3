"""Mistakes in continual mechanisms: selections and threshold tests over a stream.

Ratios are short rationals, and a claim is the logarithm of the ratio that the proof gives.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache, partial
from itertools import product
from typing import Any

from littlestone.classes import Thresholds
from littlestone.learn.stream import KeyLearner
from littlestone.privacy import Budget
from littlestone.privacy.mechanisms.competition import Terms
from littlestone.privacy.mechanisms.continual_selection import first, make_terms
from littlestone.privacy.mechanisms.threshold_tests import OneSidedThreshold
from littlestone.privacy.rational import log_above
from littlestone.prove.audit import Subject, neighbours
from littlestone.prove.audit.subjects.online import of_keys
from one_epoch import LONG, RATIO, Stream, chance, one_epoch, times, told_in_one_epoch
from plants.harness import Masses, Plant, is_private, toy

HALF, SKIP, BASE = Fraction(1, 2), Fraction(2, 3), Fraction(2)
DELTA = Fraction(1, 10)
Hits = tuple[bool, ...]


def _claim(ratio: Fraction) -> Fraction:
    return log_above(ratio) + Fraction(1, 10**15)


# Keys, each by itself.


def no_skips(stream: Stream) -> Masses:
    return told_in_one_epoch(LONG, stream, lambda c, z: chance(LONG, c))


def fresh_skips(stream: Stream) -> Masses:
    """So that a long time averages Z away."""
    return told_in_one_epoch(
        LONG, stream, lambda c, z: chance(LONG, c - z), anew=lambda step: step > 1
    )


def skips_for_each_record(stream: Stream) -> Masses:
    named = {t for t, key in enumerate(stream, start=1) if key}
    return told_in_one_epoch(
        LONG, stream, lambda c, z: chance(LONG, c - z), anew=lambda step: step in named
    )


def skips_drawn_again(stream: Stream) -> Masses:
    """The run goes on in the middle of the stream."""
    return told_in_one_epoch(
        LONG, stream, lambda c, z: chance(LONG, c - z), anew=lambda step: step == 30
    )


def delta_at_every_step(stream: Stream) -> Masses:
    return one_epoch(replace(LONG, delta=LONG.delta * 60), stream)


def only_at_records(stream: Stream) -> Masses:
    found, never = one_epoch(LONG, stream), (frozenset[str](),) * len(stream)
    kept = {
        sets: mass
        for sets, mass in found.items()
        if any(x in keys for x, keys in zip(stream, sets, strict=True))
    }
    return kept | {never: 1 - sum(kept.values(), Fraction(0))}


def steeper(stream: Stream) -> Masses:
    def steep(c: int, z: int) -> Fraction:
        return min(Fraction(1), chance(LONG, 1) * RATIO ** (c - z - 1)) if c > z else Fraction()

    return told_in_one_epoch(LONG, stream, steep)


def _key(mistake: str, broken: Callable[[Stream], Masses], more: int) -> Plant:
    """Caught by a record that names key a or none, which r2 = 2 and delta are enough to hide."""
    pairs = [(times(more), times(more - 1))]
    made = [toy(f, pairs, _claim(BASE), LONG.delta) for f in (_honest, broken)]
    return Plant(f"keys_{broken.__name__}", mistake, is_private, *made)


def _honest(stream: Stream) -> Masses:
    return one_epoch(LONG, stream)


# Candidates that compete.


ALONE = (("a",), *((),) * 19), ((),) * 20
PAIR = (("a", "b"), *((),) * 19), ((),) * 20
CROWD = ((tuple("abcd"), *((),) * 19), ((),) * 20)


def full(times: int) -> tuple[Any, Any]:
    """Streams of 30 steps, one of which names a key once more."""
    return (("a",),) * times + ((),) * (30 - times), (("a",),) * (times - 1) + ((),) * (31 - times)


def _terms(shared: bool, horizon: int, growth: int = 2, delta: Fraction = DELTA) -> Terms:
    return make_terms(growth, shared, SKIP, BASE, delta / horizon)


def once(terms: Terms, stream: Any) -> Masses:
    """Of the first selection: the step and the candidate."""
    found: Masses = {}
    for u in range(len(stream)):
        for key in dict.fromkeys(key for record in stream[: u + 1] for key in record):
            found[u, key] = first(terms, stream[: u + 1], key)
    return found | {None: 1 - sum(found.values(), Fraction(0))}


def only_named(terms: Terms, stream: Any) -> Masses:
    """Steps that name no candidate are left out."""
    named = [t for t, record in enumerate(stream) if record]
    found = once(terms, [stream[t] for t in named])
    return {hit and (named[hit[0]], hit[1]): mass for hit, mass in found.items()}


def _selection(
    name: str,
    mistake: str,
    honest: Terms,
    broken: Terms,
    pairs: Any,
    *,
    ratio: Fraction | None = None,
    delta: Fraction = DELTA,
    rule: Callable[[Terms, Any], Masses] = once,
) -> Plant:
    growth = honest.growth
    ratio = ratio or (BASE**2 / SKIP if honest.shared else BASE / SKIP**growth)

    def cut(stream: Any) -> Masses:
        return once(honest, [record[:growth] for record in stream])

    made = [toy(f, pairs, _claim(ratio), delta) for f in (cut, partial(rule, broken))]
    return Plant(f"selection_{name}", mistake, is_private, *made)


SINGLE = _terms(False, 30, 1, Fraction(1, 1000))


# Counters.


class Counter(OneSidedThreshold):
    """With r = 2."""

    @property
    def shrink(self) -> Fraction:
        return HALF


COUNTER = Counter(epsilon=Fraction(1), threshold=1, horizon=4)


def hits(
    stream: Hits,
    chance: Callable[[int, int, bool], Fraction],
    *,
    left: Callable[[bool], int] = lambda counts: 0,
    most: int = 12,
) -> Masses:
    """Tests that hit with ``chance(count, z, counts)``, one Z for all of them; ``left`` after a hit."""
    found: Masses = {}
    for z in range(most + 1):
        weight = HALF**z * (HALF if z < most else 1)
        for answers in product((False, True), repeat=len(stream)):
            mass, count = weight, 0
            for counts, hit in zip(stream, answers, strict=True):
                count += counts
                p = chance(count, z, counts)
                mass *= p if hit else 1 - p
                count = left(counts) if hit else count
            found[answers] = found.get(answers, Fraction(0)) + mass
    return found


def _chance(count: int, z: int) -> Fraction:
    return HALF ** max(0, COUNTER.threshold - count + z)


def _mean(count: int) -> Fraction:
    """The chance of a hit, averaged over Z."""
    gap = COUNTER.threshold - count
    certain = max(0, -gap + 1)  # Z < certain hits for sure
    return 1 - HALF**certain + HALF**certain * HALF ** max(0, gap) * HALF / (1 - HALF**2)


def one_noise_for_all(stream: Hits) -> Masses:
    return hits(stream, lambda count, z, counts: _chance(count, z))


def waits_marginally(stream: Hits) -> Masses:
    return hits(stream, lambda count, z, counts: _mean(count), most=0)


def tests_mistakes_only(stream: Hits) -> Masses:
    return hits(stream, lambda count, z, counts: _mean(count) if counts else Fraction(0), most=0)


def no_noise(stream: Hits) -> Masses:
    return hits(stream, lambda count, z, counts: _chance(count, 0), most=0)


def counts_the_hit_again(stream: Hits) -> Masses:
    """An honest law of each epoch, by its own Z, but for the count that it begins with."""

    def rest(stream: Hits, count: int) -> Masses:
        found: Masses = {}
        left = Fraction(1)
        gaps: list[int] = []
        for t, counts in enumerate(stream):
            count += counts
            gaps.append(COUNTER.threshold - count)
            mass = COUNTER._first_hit(gaps)
            left -= mass
            for later, p in rest(stream[t + 1 :], int(counts)).items():
                key = (*[False] * t, True, *later)
                found[key] = found.get(key, Fraction(0)) + mass * p
        return found | {(False,) * len(stream): left}

    return rest(stream, 0)


def _counter(mistake: str, broken: Callable[[Hits], Masses]) -> Plant:
    pairs = list(neighbours((False, True), 4))
    made = [toy(f, pairs, _claim(1 / HALF)) for f in (COUNTER.distribution, broken)]
    return Plant(f"onesided_{broken.__name__}", mistake, is_private, *made)


NAMES = KeyLearner(Thresholds.on(0, 1), Budget(5, "0.001"), horizon=3)


def _functions(law: Callable[[Any], Masses]) -> Subject[Any]:
    """All that is seen of streams of three records of three thresholds."""
    cost = NAMES.cost()
    pairs = neighbours(((0, 0), (0, 1), (1, 1)), 3)
    return toy(cache(law), pairs, cost.epsilon, cost.delta)


def by_the_past(records: Any) -> Masses:
    """A mistake names what agrees with all records so far, as far as anything does."""

    def named(t: int) -> Any:
        V = NAMES.hypotheses
        for record in records[: t + 1]:
            left = V.restrict(*record)
            V = V if left.is_empty() else left
        return V.soa()

    return of_keys(NAMES, records, named)


PLANTS = [
    _key("No record is skipped: a key that stays unselected for long has few records.", no_skips, 13),
    _key("The number of skipped records is drawn anew at every step.", fresh_skips, 15),
    _key("The number of skipped records is drawn anew at every record.", skips_for_each_record, 16),
    _key("A run that resumes after a crash draws the skipped records again.", skips_drawn_again, 16),
    _key("The chance of a first record is delta at every step.", delta_at_every_step, 1),
    _key("A key is tested only at the steps that name it.", only_at_records, 13),
    _key("One record more raises the chance by the ratio for two keys.", steeper, 9),
    _selection("no_skips", "No record of a candidate is skipped.",
               SINGLE, replace(SINGLE, skip=Fraction(0)), [full(14)], delta=Fraction(1, 1000)),
    _selection("steeper", "One record more raises a weight by r1 r2.", SINGLE,
               replace(SINGLE, base=BASE / SKIP), [full(7)], ratio=BASE, delta=Fraction(1, 1000)),
    _selection("delta_at_every_step", "The weight of a first record is delta / g at every step.",
               _terms(False, 20), _terms(False, 1), [ALONE]),
    _selection("shared_like_own", "With shared skips, first records weigh what they do with own ones.",
               _terms(True, 20), replace(_terms(False, 20), shared=True), [PAIR]),
    _selection("trusts_the_growth", "A record counts for as many candidates as it names.",
               _terms(False, 20, 1), _terms(False, 20, 1), [CROWD]),
    _selection("only_named", "A step that names no candidate selects none.", SINGLE, SINGLE,
               [full(14)], ratio=BASE, delta=Fraction(1, 1000), rule=only_named),
    _counter("One noise is kept across epochs.", one_noise_for_all),
    _counter("Waits are geometric with a chance that is averaged over the noise.", waits_marginally),
    _counter("Only steps whose record counts are tested.", tests_mistakes_only),
    _counter("The threshold has no noise.", no_noise),
    _counter("The record of a hit is counted again in the next epoch.", counts_the_hit_again),
    Plant("keys_by_the_past", "A mistake names what agrees with all records so far.",
          is_private, _functions(partial(of_keys, NAMES)), _functions(by_the_past)),
]  # fmt: skip
