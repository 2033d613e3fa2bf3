"""Broken classes: the conformance suite must catch each, by the law that it breaks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import pytest

from littlestone.classes import ErrorRuns, FiniteClass, HypothesisClass, Points, Thresholds
from littlestone.classes.text.spec import Spec
from littlestone.data.sample import Sample
from littlestone.points import Grid, Names, Strings
from littlestone.prove.laws import yield_checks
from littlestone.rules import FiniteSet, StepFunction, TableFunction


class SoaWrongAtOnePoint(FiniteClass):
    def soa(self) -> TableFunction:
        right = super().soa()
        return TableFunction(right.domain, (right.planes[0] ^ 1 << (right.domain.size or 0) - 1,))


class SoaLabelTiedToZero(FiniteClass):
    def soa_label(self, x: str) -> int:
        zero, one = (self.restrict(x, y).littlestone_dimension() for y in (0, 1))
        return 0 if zero >= one else 1


class RestrictIgnoresTheLabel(Thresholds):
    def restrict(self, x: Any, y: int) -> Self:
        return super().restrict(x, 1)


class RestrictKeepsOneTooMany(Thresholds):
    def restrict(self, x: Any, y: int) -> Self:
        kept = super().restrict(x, y)
        return replace(kept, upto=min(kept.upto + 1, self.upto)) if y else kept


class RestrictChangesItsClass(FiniteClass):
    def restrict(self, x: str, y: int) -> Self:
        kept = super().restrict(x, y)
        object.__setattr__(self, "alive", kept.alive)
        return kept


class DimensionOneTooHigh(FiniteClass):
    def littlestone_dimension(self) -> int:
        return super().littlestone_dimension() + (not self.is_empty())


class DimensionIsLogOfSize(FiniteClass):
    def littlestone_dimension(self) -> int:
        return self.size.bit_length() - 1


class EmptyHasDimensionZero(Points):
    def littlestone_dimension(self) -> int:
        return max(0, super().littlestone_dimension())


class MistakePointOffCentre(Thresholds):
    def mistake_point(self) -> Any:
        return int(self.after) + 1 if super().mistake_point() is not None else None


class NoMistakePoint(Points):
    def mistake_point(self) -> Any:
        return None


class WitnessReducesNothing(Thresholds):
    def reducing_points(self, k: int) -> list[int] | None:
        found = super().reducing_points(k)
        return found and [int(self.domain.examples(1)[0])]


class WitnessTooLong(Thresholds):
    def reducing_points(self, k: int) -> list[int] | None:
        return super().reducing_points(2)


class SaysIrreducible(FiniteClass):
    def reducing_points(self, k: int) -> list[str] | None:
        self.require_learnable()
        return None


class SaysIrreducibleForTwo(FiniteClass):
    def reducing_points(self, k: int) -> list[str] | None:
        return None if k == 2 else super().reducing_points(k)


class ErrorsOffByOne(Thresholds):
    def error_runs(self, sample: Sample[Any]) -> ErrorRuns:
        runs = super().error_runs(sample)
        return ErrorRuns(runs.errors + (np.arange(len(runs.errors)) == 1), runs.lengths)


class ErrorRunsTooShort(FiniteClass):
    def error_runs(self, sample: Sample[str]) -> ErrorRuns:
        return ErrorRuns(super().error_runs(sample).errors[1:])


class ErrorRunsShifted(Thresholds):
    def error_runs(self, sample: Sample[Any]) -> ErrorRuns:
        runs = super().error_runs(sample)
        lengths = list(runs.lengths or [])
        if len(lengths) > 1 and lengths[1] > 1:
            lengths[:2] = lengths[0] + 1, lengths[1] - 1
        return ErrorRuns(runs.errors, lengths)


class HypothesisTwice(FiniteClass):
    def hypothesis(self, index: int) -> TableFunction:
        moved: TableFunction = super().hypothesis(max(index, 1) if self.size > 1 else index)
        return moved


class Unhashable(TableFunction):
    __hash__ = None  # type: ignore[assignment]


class SoaUnhashable(FiniteClass):
    def soa(self) -> TableFunction:
        soa = super().soa()
        return Unhashable(soa.domain, soa.bits)


@dataclass(frozen=True, eq=False)
class SameOnlyIfIdentical(FiniteSet):
    pass


class SoaEqualOnlyToItself(Points):
    def soa(self) -> FiniteSet:
        soa = super().soa()
        return SameOnlyIfIdentical(soa.domain, soa.members)


class AcceptsTheEmptyClass(Thresholds):
    def soa(self) -> StepFunction:
        if self.is_empty():
            return StepFunction(self.domain, 0, ())
        return super().soa()


class TextForgetsTheRange(Thresholds):
    @classmethod
    def parse(cls, spec: Spec) -> Self:
        return cls.over(Grid(0, 100))


class EncodeRaises(Names):
    def encode(self, value: object) -> str:
        return self.points[0] if value is None else self.points[int(str(value)) % self.size]


class EncodeLeavesTheDomain(Grid):
    def encode(self, value: object) -> int:
        return super().encode(value) + (value == "1e999999999")


TABLE = np.random.default_rng(11).integers(0, 2, size=(9, 4))
CHAIN = np.triu(np.ones((6, 6), dtype=int))


def with_domain(H: HypothesisClass[Any], domain: Any) -> HypothesisClass[Any]:
    return replace(H, domain=domain)  # type: ignore[type-var]


PLANTS: list[tuple[HypothesisClass[Any], str]] = [
    (SoaWrongAtOnePoint.from_array(TABLE), "soa_is_canonical"),
    (SoaLabelTiedToZero.from_array(np.eye(3, dtype=int)[:, :2]), "soa_is_canonical"),
    (RestrictIgnoresTheLabel.on(0, 20), "restrict_partitions"),
    (RestrictKeepsOneTooMany.on(0, 20), "restrict_partitions"),
    (RestrictKeepsOneTooMany.on(0, 2**64 - 1), "restrict_partitions"),
    (RestrictChangesItsClass.from_array(TABLE), "restrict_is_pure"),
    (DimensionOneTooHigh.from_array(TABLE), "dimension_and_size"),
    (DimensionOneTooHigh.from_array(np.eye(5, dtype=int)), "agrees_with_table"),
    (DimensionIsLogOfSize.from_array(np.eye(5, dtype=int)), "mistake_points"),
    (EmptyHasDimensionZero(Strings()), "emptiness"),
    (MistakePointOffCentre.on(0, 20), "mistake_points"),
    (NoMistakePoint(Strings()), "mistake_tree"),
    (WitnessReducesNothing.on(0, 20), "reducing_points_reduce"),
    (WitnessTooLong.on(0, 6), "reducing_points_reduce"),
    (SaysIrreducible.from_array(CHAIN), "irreducibility"),
    (SaysIrreducibleForTwo.from_array(CHAIN), "reducing_points_reduce"),
    (ErrorsOffByOne.on(0, 20), "error_counts"),
    (ErrorRunsTooShort.from_array(TABLE), "error_counts"),
    (ErrorRunsShifted.on(0, 20), "error_counts"),
    (HypothesisTwice.from_array(TABLE), "hypotheses_are_distinct"),
    (SoaUnhashable.from_array(TABLE), "soa_is_a_value"),
    (SoaEqualOnlyToItself(Strings()), "soa_is_a_value"),
    (AcceptsTheEmptyClass.on(0, 20), "refusals"),
    (TextForgetsTheRange.on(0, 20), "text_round_trip"),
    (
        with_domain(FiniteClass.from_array(TABLE), EncodeRaises(("x0", "x1", "x2", "x3"))),
        "encode_is_total",
    ),
    (Thresholds.over(EncodeLeavesTheDomain(0, 9)), "encode_is_total"),
]


def failures(H: HypothesisClass[Any]) -> dict[str, str]:
    """The checks of H that fail, with their messages."""
    messages = {}
    for check in yield_checks(H):
        try:
            check()
        except AssertionError as broken:
            messages[check.name] = str(broken)
    return messages


@pytest.mark.deep
@pytest.mark.parametrize(
    ("H", "law"), PLANTS, ids=[f"{type(H).__name__}-{law}" for H, law in PLANTS]
)
def test_a_broken_class_is_caught_by_the_law_it_breaks(H: HypothesisClass[Any], law: str) -> None:
    caught = failures(H)
    assert law in caught
    assert caught[law].startswith(f"{type(H).__name__} ")


def test_the_message_names_class_law_and_witness() -> None:
    message = failures(RestrictIgnoresTheLabel.on(0, 20))["restrict_partitions"]
    assert message == (
        "RestrictIgnoresTheLabel thresholds(x, 0..20): |V| = the sum of |V|(x,y)| is false at "
        "V = thresholds(x, 0..20), x = 0"
    )


def test_the_sound_classes_behind_the_plants_pass() -> None:
    sound: list[HypothesisClass[Any]] = [
        FiniteClass.from_array(TABLE),
        FiniteClass.from_array(CHAIN),
        Thresholds.on(0, 20),
        Points(Strings()),
    ]
    for H in sound:
        assert set(failures(H)) <= {"encode_is_total"}
