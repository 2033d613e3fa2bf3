"""Mistakes in reading data: what is inferred from records was never private.

The learner behind is the exponential mechanism on thresholds, and honest.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

from littlestone.data import CsvStream
from littlestone.data.forms import CellForm
from littlestone.privacy.rational import exp_below
from littlestone.prove.audit import Subject, neighbours
from plants.harness import Masses, Plant, is_private, toy, weighted

EPSILON = Fraction(1)
BASE = exp_below(EPSILON / 2)
CUTS = range(4)
Pairs = list[tuple[Any, Any]]

NUMBERS = list(neighbours(list(product(range(3), (0, 1))), 3, ordered=False))
BLANKS = list(neighbours(list(product((0, 2, None), (0, 1))), 2, ordered=False))
WORDS = list(neighbours(list(product((0, 1), ("no", "yes"))), 4, ordered=False))


def learn(records: Any, cuts: Any = CUTS, base: Fraction = BASE) -> Masses:
    """x >= t for a cut t, by the number of its errors."""
    return weighted({t: base ** -sum((x >= t) != y for x, y in records) for t in cuts})


def domain_of_the_data(records: Any) -> Masses:
    xs = [x for x, _ in records]
    return learn(records, range(min(xs), max(xs) + 2))


def filled(records: Any) -> Any:
    """A missing value stands for a declared one."""
    return [(0 if x is None else x, y) for x, y in records]


def with_n(read: Callable[[Any], Any]) -> Callable[[Any], Masses]:
    """The release says how many records it was learned from."""
    return lambda records: {
        (len(read(records)), t): mass for t, mass in learn(read(records)).items()
    }


def dropped(records: Any) -> Any:
    return [(x, y) for x, y in records if x is not None]


def by_mean(records: Any) -> Any:
    """A missing value is replaced by the mean of the others."""
    known = [x for x, _ in dropped(records)]
    mean = round(sum(known) / len(known)) if known else 0
    return [(mean if x is None else x, y) for x, y in records]


def declared(records: Any) -> Masses:
    return learn([(x, y == "yes") for x, y in records])


def last_label_is_positive(records: Any) -> Masses:
    """As encoders do that sort the labels they find."""
    positive = max(y for _, y in records)
    return learn([(x, y == positive) for x, y in records])


def rare_label_is_positive(records: Any) -> Masses:
    often = sum(y == "yes" for _, y in records) * 2 > len(records)
    return learn([(x, (y == "yes") != often) for x, y in records])


def unlabelled(cuts: Any) -> Callable[[Any], Masses]:
    """Cuts to choose from that depend on the data: its values, as trees do that split between them."""
    return lambda records: learn(records, cuts(records))


kept_part = cache(learn)


def amplified(rate: Callable[[Any], Fraction]) -> Callable[[Any], Masses]:
    """Every record is kept with the same probability, and what is kept is learned from."""

    def release(records: Any) -> Masses:
        q, masses = rate(records), dict.fromkeys(CUTS, Fraction(0))
        for kept in product((False, True), repeat=len(records)):
            share = q ** sum(kept) * (1 - q) ** (len(kept) - sum(kept))
            part = tuple(record for record, keep in zip(records, kept, strict=True) if keep)
            for t, mass in kept_part(part).items():
                masses[t] += share * mass
        return masses

    return release


def balanced(records: Any) -> Masses:
    """Errors weigh n / (number of records with that label), as class_weight="balanced" does."""
    counts = {label: sum(y == label for _, y in records) for label in (0, 1)}

    def score(t: int) -> int:
        return sum(len(records) // counts[y] for x, y in records if (x >= t) != y)

    return weighted({t: BASE ** -score(t) for t in CUTS})


LINES = list(neighbours([b"0,0", b"2,1", b'"2,1', b""], 3, ordered=False))


def from_lines(*, multiline: bool) -> Callable[[Any], Any]:
    """The records of the lines of a file, as the package reads them."""

    def read(lines: Any) -> Any:
        content = b"".join(line + b"\n" for line in (b"x,y", *lines))
        table = CsvStream(io.BytesIO(content), name="lines", multiline=multiline)
        return [(1 if x == "2" else 0, y == "1") for x, y in table.rows(["x", "y"])]

    return read


def without_empty_lines(lines: Any) -> Any:
    return from_lines(multiline=False)(filter(None, lines))


CELLS = list(neighbours(list(product(("2.000", "0,5"), (0, 1))), 4, ordered=False))


def written(form: Callable[[Any], CellForm]) -> Callable[[Any], Masses]:
    """A rule from cells in a form that may depend on them; a number beyond 3 counts as 3."""

    def release(records: Any) -> Masses:
        read: Callable[[str], Any] = form(records)
        return learn([(min(read(cell) or 0, 3), y) for cell, y in records])

    return release


def mark_of_the_data(records: Any) -> CellForm:
    """A point groups digits if some cell has a comma, and else it is the decimal mark."""
    comma = any("," in cell for cell, _ in records)
    return CellForm(decimal=",", thousands=".") if comma else CellForm(decimal=".")


AMPLIFIED = Fraction("0.6202")  # at least ln(1 + (e - 1) / 2)


def _plant(
    name: str,
    mistake: str,
    pairs: Pairs,
    honest: Callable[[Any], Masses],
    broken: Callable[[Any], Masses],
    epsilon: Fraction = EPSILON,
) -> Plant:
    made: list[Subject[Any]] = [toy(rule, pairs, epsilon) for rule in (honest, broken)]
    return Plant(name, mistake, is_private, *made)


PLANTS = [
    _plant("domain_of_the_data", "The range of cuts is read from the data.", NUMBERS,
           learn, domain_of_the_data),
    _plant("cuts_of_the_data", "Candidates are the values that occur.", NUMBERS, learn,
           unlabelled(lambda records: sorted({x for x, _ in records}))),
    _plant("classes_balanced", "Errors weigh by how rare their label is on the data.", NUMBERS,
           learn, balanced),
    _plant("missing_rows_dropped", "Rows with missing values are dropped, and n is released.", BLANKS,
           with_n(filled), with_n(dropped)),
    _plant("missing_filled_by_mean", "Missing values are filled with the mean of the others.",
           list(neighbours(list(product((0, 2, None), (0, 1))), 4, ordered=False)),
           lambda records: learn(filled(records)), lambda records: learn(by_mean(records))),
    _plant("last_label_is_positive", "The positive label is inferred from those that occur.", WORDS,
           declared, last_label_is_positive),
    _plant("rare_label_is_positive", "The positive label is the rarer one.", WORDS, declared,
           rare_label_is_positive),
    _plant("rate_of_the_data", "The subsampling rate depends on the data.", NUMBERS,
           amplified(lambda records: Fraction(1, 2)),
           amplified(lambda records: Fraction(1, 1 + (sum(y for _, y in records) > 1))), AMPLIFIED),
    _plant("quote_spans_lines",
           "A quote that is not closed joins the lines of a CSV file, and n is released.", LINES,
           with_n(from_lines(multiline=False)), with_n(from_lines(multiline=True))),
    _plant("empty_lines_dropped", "Empty lines of a CSV file are no records, and n is released.",
           LINES, with_n(from_lines(multiline=False)), with_n(without_empty_lines)),
    _plant("mark_of_the_data", "Whether a comma is the decimal mark is guessed from the cells.", CELLS,
           written(lambda records: CellForm(decimal=",", thousands=".")),
           written(mark_of_the_data)),
]  # fmt: skip
