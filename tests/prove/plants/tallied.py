"""Mistakes in continual tallies: noisy counts of cells whenever a timer hits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from functools import cache, partial
from itertools import product
from math import prod
from typing import Any

from littlestone.privacy.mechanisms.tallies import TimedRelease
from littlestone.privacy.rational import log_above
from littlestone.prove.audit import neighbours
from plants.harness import Masses, Plant, is_private, toy
from short_tallies import ShortMedians, short

Cells = tuple[int | None, ...]
Part = Callable[[Cells, int, int], Any]


HONEST = short()
MEDIANS = ShortMedians(timer=HONEST.timer, cell_epsilon=HONEST.cell_epsilon, points=3)


def step_by_step(stream: Cells, *, timed: Part, tally: Part, start: int = 0) -> Masses:
    """``timed`` is the probability of a tally after the records from start on, ``tally`` its law."""
    found: Masses = {}
    left = Fraction(1)
    for end in range(start + 1, len(stream) + 1):
        left -= (mass := timed(stream, start, end))
        later = step_by_step(stream, timed=timed, tally=tally, start=end)
        for told, p in tally(stream, start, end).items():
            for seen, q in later.items():
                found[(*(None,) * (end - start - 1), told, *seen)] = mass * p * q
    return found | {(None,) * (len(stream) - start): left}


def timed(stream: Cells, start: int, end: int) -> Fraction:
    return HONEST.chance_of_tally(stream[start:end])


def tally(stream: Cells, start: int, end: int) -> dict[Any, Fraction]:
    return HONEST.tally_law(stream[start:end])


def without_skips(stream: Cells, start: int, end: int) -> Fraction:
    counts = [sum(cell is not None for cell in stream[start:t]) for t in range(start + 1, end + 1)]
    *before, hit = (Fraction(1, 2) ** max(0, 1 - count) for count in counts)
    return prod((1 - chance for chance in before), start=Fraction(1)) * hit


def tallied_again(stream: Cells, start: int, end: int) -> dict[Any, Fraction]:
    return HONEST.tally_law(stream[:end])


def named_only(stream: Cells, start: int, end: int) -> dict[Any, Fraction]:
    counts = Counter(stream[start:end])
    found: dict[Any, Fraction] = {}
    for told, p in HONEST.tally_law(stream[start:end]).items():
        cut = tuple(value if counts[cell] else 0 for cell, value in enumerate(told))
        found[cut] = found.get(cut, Fraction(0)) + p
    return found


def one_noise(stream: Cells, start: int, end: int) -> dict[Any, Fraction]:
    counts = Counter(stream[start:end])
    found: dict[Any, Fraction] = {}
    for x in range(-20, 21):
        told = tuple(HONEST.cut(counts[cell] + x) for cell in range(2))
        mass = Fraction(2, 3) if abs(x) == 20 else Fraction(1, 3)  # with all that is further out
        found[told] = found.get(told, Fraction(0)) + mass / 2 ** abs(x)
    return found


def also_counted(stream: Cells, start: int, end: int) -> dict[Any, Fraction]:
    """The tally with one more cell that counts all of them."""
    alone = [HONEST._cell_law(count) for count in (
        *(Counter(stream[start:end])[cell] for cell in range(2)),
        sum(cell is not None for cell in stream[start:end]),
    )]  # fmt: skip
    return {
        tuple(value for value, _ in chosen): prod((p for _, p in chosen), start=Fraction(1))
        for chosen in product(*(law.items() for law in alone))
    }


def timed_by_one(stream: Cells, start: int, end: int) -> Fraction:
    """The timer counts the records of one cell."""
    return HONEST.chance_of_tally([x if x == 0 else None for x in stream[start:end]])


def median_of_all(stream: Cells, start: int, end: int) -> dict[Any, Fraction]:
    return MEDIANS.tally_law(stream[:end])


def true_median(stream: Cells, start: int, end: int) -> dict[Any, Fraction]:
    """The place of the middle record, with no other chance of another one than 1/9."""
    places = sorted(x for x in stream[start:end] if x is not None)
    middle = places[len(places) // 2] if places else 1
    return {place: Fraction(7, 9) if place == middle else Fraction(1, 9) for place in range(3)}


def median_by_both_sides(stream: Cells, start: int, end: int) -> dict[Any, Fraction]:
    """The fewer records on one side score against the more ones: a record moves both."""
    named = [x for x in stream[start:end] if x is not None]
    scores = [
        -2 * abs(sum(x < place for x in named) - sum(x > place for x in named))
        for place in range(3)
    ]
    masses = [Fraction(2) ** score for score in scores]
    return {place: mass / sum(masses) for place, mass in enumerate(masses)}


def _plant(
    mistake: str,
    name: str,
    *,
    honest: TimedRelease = HONEST,
    steps: int = 2,
    timed: Part = timed,
    tally: Part = tally,
    names: Cells = (None, 0, 1),
) -> Plant:
    pairs = tuple(neighbours(names, steps))
    claim = log_above(Fraction(4)) + Fraction(1, 10**15)
    broken = partial(step_by_step, timed=timed, tally=tally)
    made = [toy(cache(law), pairs, claim) for law in (honest.distribution, broken)]
    return Plant(f"tallied_{name}", mistake, is_private, *made)


PLANTS = [
    _plant("The timer skips no records.", "no_skips", timed=without_skips),
    _plant("A record is in all later tallies.", "again", tally=tallied_again),
    _plant("Only cells that a record named get noise.", "named_only", tally=named_only),
    _plant("All cells get the same noise.", "one_noise", tally=one_noise),
    _plant("The tally has a cell for all records, at no cost.", "also_counted",
           tally=also_counted),
    _plant("The timer counts the records of one cell.", "timed_by_one", timed=timed_by_one),
    _plant("A median is that of all records so far.", "median_of_all", honest=MEDIANS,
           tally=median_of_all, names=(None, 0, 2)),
    _plant("A median is the place of the middle record, but for a ninth.", "true_median",
           honest=MEDIANS, tally=true_median, names=(None, 0, 2)),
    _plant("A place scores by the difference of the records on its sides.", "both_sides",
           honest=MEDIANS, tally=median_by_both_sides, names=(None, 0, 2)),
]  # fmt: skip
