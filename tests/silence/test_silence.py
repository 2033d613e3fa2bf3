"""What can be seen of an act does not depend on the records, but for what is drawn.

Each door is opened with every table of records that agree in all that is public (`tables.py`), and
everything that `Seen` has is compared byte for byte.  The release drawn from the first table stands
in for all others, so not a word need be masked.

Not compared, because each is output or named in docs/security.md: how many random bits are used, how
long it takes, what a stream publishes and when, what is predicted for a record, and a stream's own
file.  `plan` reads no table.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from doors import (
    Command,
    Door,
    arrow,
    pandas_numbers,
    pandas_objects,
    pandas_texts,
    polars,
    polars_lazy,
    without_labels,
)  # fmt: skip
from every import commands, databases, fit, functions, methods, of_people, shells, streams
from private_tables import FEW_RECORDS, FEW_UNITS, RECORDS, UNITS, Records, plain
from watching import Seen, look

from planting import Fault
from whole_grid import WHOLE

Doors = Callable[[], Iterable[Door]]


def leaks(
    door: Door, tables: list[Records], fault: Fault | None = None
) -> dict[str, dict[str, Any]]:
    """For each table that can be told from the first one: what tells it."""
    first, *others = (shown(door, seen) for seen in look(door, tables, fault))
    found = {}
    for table, other in zip(tables[1:], others, strict=True):
        if differs := first.differs(other):
            found[table.__name__] = differs
    return found


def shown(door: Door, seen: Seen) -> Seen:
    """What is compared of an act: all but what is output or secret."""
    files = {name: content for name, content in seen.files.items() if name not in door.secret}
    return replace(seen, out=door.shows(seen.out), files=files)


FRAMES = [
    door
    for form in (pandas_texts, pandas_objects, pandas_numbers, polars, polars_lazy, arrow)
    for door in functions(form)
]


def learner_named(door: Door) -> str:
    return re.sub(r", \d+ of .*", "", door.name)


def open_half(first: Doors, second: Doors, half: int) -> list[Door]:
    """Every other learner at the first doors, or the learners left out there at the second ones."""
    chosen = {learner_named(door) for door in [*first()][::2]}
    return [
        door
        for door in (first, second)[half]()
        if WHOLE or (learner_named(door) in chosen) == (half == 0)
    ]


ALIKE = {
    "methods": methods,
    "streams": partial(open_half, streams, partial(streams, 30), 0),
    "streams of many": partial(open_half, streams, partial(streams, 30), 1),
    "frames": lambda: FRAMES,
    "shells": shells,
}
OF_PEOPLE = {
    "one of each": partial(open_half, partial(methods, 1), partial(methods, 2), 0),
    "two of each": partial(open_half, partial(methods, 1), partial(methods, 2), 1),
    "frames": lambda: [door for door in FRAMES if "unit" in door.name],
}


# The first doors are opened with every table, the others with those that tell most.
MANY = 1_000 if WHOLE else 4


@pytest.mark.parametrize(
    ("door", "many"),
    [
        pytest.param(door, place < MANY, id=door.name, marks=[pytest.mark.deep] * (place > 1))
        for place, door in enumerate([*commands(), *databases()])
    ],
)
def test_records_are_not_seen(door: Door, many: bool) -> None:
    records, units = (RECORDS, UNITS) if many else (FEW_RECORDS, FEW_UNITS)
    assert leaks(door, records if "unit" not in door.name else units) == {}


@pytest.mark.deep
@pytest.mark.parametrize("doors", ALIKE.values(), ids=ALIKE)
def test_records_are_not_seen_by_any_learner_or_shell(doors: Doors) -> None:
    for place, door in enumerate(doors()):
        # Each is opened with the first table, and in turn with half of the others.
        tables = FEW_RECORDS if WHOLE else [FEW_RECORDS[0], *FEW_RECORDS[1 + place % 2 :: 2]]
        if "unit" not in door.name:
            assert leaks(door, tables) == {}, door.name


@pytest.mark.deep
@pytest.mark.parametrize("door", list(of_people()), ids=lambda door: door.name)
def test_the_number_of_records_of_a_unit_is_not_seen(door: Door) -> None:
    assert leaks(door, UNITS) == {}


@pytest.mark.deep
@pytest.mark.parametrize("doors", OF_PEOPLE.values(), ids=OF_PEOPLE)
def test_the_number_is_not_seen_by_any_learner_or_shell(doors: Doors) -> None:
    for door in doors():
        assert leaks(door, FEW_UNITS) == {}, door.name


@pytest.mark.deep
@pytest.mark.parametrize("hypotheses", ["thresholds(x, 0..9)", "points(a)"])
def test_records_that_are_labelled_show_in_their_labels_alone(hypotheses: str) -> None:
    made = fit("fit", hypotheses, "--out", "model.json", "--delta", "1e-6")
    model = look(made, [plain])[0].files["model.json"]
    predict = Command(
        "predict", ("predict", "model.json", "TABLE"),
        shows=without_labels, beside={"model.json": model},
    )  # fmt: skip
    found = leaks(predict, RECORDS)
    # How many cells could not be read is said to those who may see the records, and no more.
    unread = re.compile(
        rb"(\d[\d,]* of \d[\d,]* cells of '\w+' are .*\n)*(\d[\d,]* of them are bytes of another .*\n)?"
    )
    for differing in found.values():
        assert all(unread.fullmatch(err) for err in differing.pop("err", ()))
    assert all(differing == {} for differing in found.values())
