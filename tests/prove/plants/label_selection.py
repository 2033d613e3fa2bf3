"""Mistakes in label selection: each plant is the distribution of what it releases key by key."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from littlestone.privacy import Budget
from littlestone.privacy.mechanisms.label_selection import DEFAULT, LabelSelection
from littlestone.privacy.mechanisms.partition_selection import ReleaseCurve
from littlestone.privacy.rational import exp_below
from littlestone.prove.audit import Subject, mechanism_subject, neighbours
from littlestone.prove.audit.subjects.lists import LABELLED, Labelled, neighbours_at_bottom
from plants.harness import Plant, is_private

Selection = LabelSelection[str]
Tally = dict[int, int]
Chances = dict[int, Fraction]
TARGET = Budget(1, Fraction(1, 20))


def plurality(of_key: Tally) -> int:
    return max(of_key, key=lambda label: (of_key[label], -label))


def margin(of_key: Tally) -> int:
    """The largest count, less the second."""
    first, second, *_ = sorted([*of_key.values(), 0, 0], reverse=True)
    return first - second


def one_or_none(label: int, q: Fraction) -> Chances:
    return {DEFAULT: Fraction(1)} if label == DEFAULT else {label: q, DEFAULT: 1 - q}


class CurveOnTheCount(Selection):
    """Only whether a key is released is drawn, from all its records; its label is exact."""

    def chances(self, of_key: Any) -> Chances:
        return one_or_none(plurality(of_key), self.chance(sum(of_key.values())))


class RacesWithBottomAlone(Selection):
    """The most frequent label races against bottom, and against no other label."""

    def chances(self, of_key: Any) -> Chances:
        best = plurality(of_key)
        return super().chances({best: of_key[best]})


class MarginMovesByOne(Selection):
    """A curve on the lead over the second label that is steep enough for a lead that moves by 1."""

    def chances(self, of_key: Any) -> Chances:
        r, d = exp_below(self.epsilon / 2), self.delta / 2
        curve = ReleaseCurve(lambda q: min(r * q + d, 1 - (1 - q - d) / r, Fraction(1)), bits=60)
        return one_or_none(plurality(of_key), curve(margin(of_key)))


class WholeEpsilon(Selection):
    """The base is e^epsilon, as if one count moved."""

    @cached_property
    def base(self) -> Fraction:
        return exp_below(self.epsilon)


class DeltaTwice(Selection):
    """The first record of a key gives its label the weight 4 delta."""

    def __init__(self, budget: Budget) -> None:
        super().__init__(Budget(budget.epsilon, 2 * budget.delta))


class FirstThatShowsHeads(Selection):
    """The candidates are visited in the order of their labels, bottom last."""

    def chances(self, of_key: Any) -> Chances:
        weights = {label: value * self.base**power
                   for label in sorted(of_key)
                   for value, power in [self.weight(of_key[label])]}  # fmt: skip
        top, left = max(Fraction(1), *weights.values()), Fraction(1)
        found: Chances = {}
        for label, w in [*weights.items(), (DEFAULT, top)]:
            found[label] = found.get(label, Fraction(0)) + left * w / top
            left *= 1 - w / top
        return found


class NoBottom(Selection):
    """A key that has any record is released."""

    def chances(self, of_key: Any) -> Chances:
        found = super().chances(of_key)
        bottom = found.pop(DEFAULT)
        if not found:
            return {DEFAULT: Fraction(1)}
        return {label: chance / (1 - bottom) for label, chance in found.items()}


class InTheOrderOfTheRecords(Selection):
    """The table is listed in the order in which its keys first occur in the records."""

    def distribution(self, data: Any) -> Any:
        order = list(self.tally(data))
        return {
            tuple(sorted(table, key=lambda entry: order.index(entry[0]))): mass
            for table, mass in super().distribution(data).items()
        }


def _subject(kind: Callable[..., Any]) -> Subject[Labelled]:
    claim, made = Selection(TARGET), kind(TARGET)
    many = (("b", 1), ("a", 1)) * 20
    pairs = [
        *neighbours(LABELLED, 2),
        *neighbours_at_bottom(claim),
        ((many[0], *many), (many[1], *many)),
    ]
    subject = mechanism_subject(claim, pairs=pairs, large=pairs[0])
    return replace(subject, distribution=made.distribution)


HONEST = _subject(Selection)


def _plant(kind: type[Selection]) -> Plant:
    mistake = (kind.__doc__ or "").partition("\n")[0]
    return Plant(f"labels_{kind.__name__}", mistake, is_private, HONEST, _subject(kind))


PLANTS = [
    *map(
        _plant,
        [CurveOnTheCount, RacesWithBottomAlone, MarginMovesByOne, WholeEpsilon, DeltaTwice,
         FirstThatShowsHeads, NoBottom, InTheOrderOfTheRecords],
    )
]  # fmt: skip
