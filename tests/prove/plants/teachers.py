"""Mistakes in splitting records among teachers, and in counting and releasing what they say.

The honest release: chunks by position, a list of at most L answers a teacher, computed from its own
chunk alone, and one draw of the exponential mechanism over a fixed universe of answers.  A record
is in one chunk, so replacing it moves every count by at most 1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from typing import Any

from littlestone.privacy.rational import exp_below
from littlestone.prove.audit import Subject, neighbours
from plants.harness import Masses, Plant, is_private, never_raises, toy, weighted

EPSILON = Fraction(2)
BASE = exp_below(EPSILON / 2)
ANSWERS = (0, 1, 2)
Records = Sequence[int]
Split = Callable[[Records], list[Records]]
PAIRS = list(neighbours(ANSWERS, 6))
Pairs = Sequence[tuple[Records, Records]]


def around(data: tuple[int, ...]) -> Pairs:
    """All replacements of one record of one data set, for mistakes that need many values."""
    return [
        (data, (*data[:i], x, *data[i + 1 :]))
        for i in range(len(data))
        for x in range(10)
        if x != data[i]
    ]


def by_position(records: Records) -> list[Records]:
    return [records[i : i + 2] for i in range(0, len(records) - 1, 2)]


def sorted_first(records: Records) -> list[Records]:
    return by_position(sorted(records))


def dealt_by_value(records: Records) -> list[Records]:
    """Every teacher gets an equal share of every value."""
    return [sorted(records)[i::3] for i in range(3)]


def distinct_first(records: Records) -> list[Records]:
    return by_position(list(dict.fromkeys(records)))


def permuted_by_the_data(records: Records) -> list[Records]:
    """A permutation that is seeded with the data, so that it is repeatable."""
    start = sum(records) % len(records)
    return by_position([*records[start:], *records[:start]])


def as_many_as_positives(records: Records) -> list[Records]:
    k = max(1, sum(x > 0 for x in records))
    return [records[i::k] for i in range(k)]


def remainder_by_value(records: Records) -> list[Records]:
    """The largest record is left out."""
    largest = records.index(max(records))
    return by_position([*records[:largest], *records[largest + 1 :]])


def answers(chunk: Records) -> list[int]:
    """A stand-in for any deterministic learner: one answer that every record of the chunk moves."""
    return [sum(chunk) % 3]


def vote(lists: Sequence[Sequence[int]], among: Sequence[int] = ANSWERS) -> Masses:
    counts = Counter(answer for found in lists for answer in found)
    return weighted({answer: BASE ** counts[answer] for answer in among})


def by(split: Split, pairs: Pairs) -> Subject[Any]:
    return toy(lambda records: vote([answers(chunk) for chunk in split(records)]), pairs, EPSILON)


def counted_per_stage(records: Records) -> Masses:
    """A teacher answers in two stages, mostly alike."""
    return vote([answers(chunk) * 2 for chunk in by_position(records)])


def truncated_by_popularity(records: Records) -> Masses:
    """Each list keeps the answer that is the most frequent among all teachers."""
    popular = Counter(records)
    lists = [
        sorted(set(chunk), key=lambda x: (-popular[x], x))[:1] for chunk in by_position(records)
    ]
    return vote(lists)


def truncated_by_order(records: Records) -> Masses:
    return vote([sorted(set(chunk))[:1] for chunk in by_position(records)])


def listed_answers_only(records: Records) -> Masses:
    """What no teacher said cannot be drawn, and no delta pays for it."""
    lists = [answers(chunk) for chunk in by_position(records)]
    return vote(lists, sorted({answer for found in lists for answer in found}))


def votes_as_shares(records: Records) -> Masses:
    """Only teachers that answer count, and their votes are scaled to 6."""
    lists = [answers(chunk) for chunk in by_position(records) if sum(chunk) % 3]
    counts = Counter(answer for found in lists for answer in found)
    return weighted({a: BASE ** (6 * counts[a] // max(1, len(lists))) for a in ANSWERS})


def released_as(show: Callable[[int, Records], Hashable]) -> Subject[Any]:
    """The drawn answer, in the form that ``show`` gives it."""

    def distribution(records: Records) -> Masses:
        masses = vote([answers(chunk) for chunk in by_position(records)])
        return {show(answer, records): mass for answer, mass in masses.items()}

    return toy(distribution, PAIRS, EPSILON)


def a_teachers_own(answer: int, records: Records) -> Hashable:
    """Equal as a function, but an object of the first teacher who said so."""
    said = [chunk for chunk in by_position(records) if answer in answers(chunk)]
    return answer, tuple(said[0]) if said else ()


def with_the_count(answer: int, records: Records) -> Hashable:
    """The answer with the number of teachers behind it, to show how sure it is."""
    return answer, sum(answer in answers(chunk) for chunk in by_position(records))


def raising() -> Subject[Any]:
    """A teacher whose chunk no hypothesis agrees with refuses it."""

    def distribution(records: Records) -> Masses:
        if any(chunk == (2, 2) for chunk in by_position(records)):
            raise ValueError("the chunk is not realizable")
        return vote([answers(chunk) for chunk in by_position(records)])

    return toy(distribution, PAIRS, EPSILON)


HONEST = by(by_position, PAIRS)


def _plant(mistake: str, broken: Any, honest: Subject[Any] = HONEST) -> Plant:
    subject = toy(broken, PAIRS, EPSILON)
    return Plant(broken.__name__, mistake, is_private, honest, subject)


def _split(mistake: str, split: Split, pairs: Pairs = PAIRS) -> Plant:
    return Plant(split.__name__, mistake, is_private, by(by_position, pairs), by(split, pairs))


PLANTS = [
    _split("Records are sorted before they are put into chunks.", sorted_first),
    _split("Records are split into equal parts by their values.", dealt_by_value,
           around((0, 1, 2, 5, 7, 9))),
    _split("Duplicates are removed before the chunks are made.", distinct_first,
           around((0, 0, 1, 2, 5, 4))),
    _split("The permutation into chunks is computed from the data.", permuted_by_the_data),
    _split("The number of teachers depends on the data.", as_many_as_positives),
    _split("The records that fill no chunk are chosen by value.", remainder_by_value,
           around((9, 0, 0, 1, 2, 2, 7))),
    _plant("A teacher's answer is counted once for every stage it is given in.", counted_per_stage),
    _plant("A list is truncated by what other teachers say.", truncated_by_popularity,
           toy(truncated_by_order, PAIRS, EPSILON)),
    _plant("Only what some teacher listed can be drawn, at no delta.", listed_answers_only),
    _plant("Votes are scaled by the number of teachers that answered.", votes_as_shares),
    Plant(
        "a_teachers_own",
        "The released hypothesis is a teacher's own object, and carries its records.",
        is_private,
        released_as(lambda answer, records: answer),
        released_as(a_teachers_own),
    ),
    Plant(
        "with_the_count",
        "The exact number of votes is released along with the winner.",
        is_private,
        released_as(lambda answer, records: answer),
        released_as(with_the_count),
    ),
    Plant("raises", "An exception reveals that a chunk was not realizable.", never_raises,
          HONEST, raising()),
]  # fmt: skip
