"""Faults planted in each promise: the conformance suite catches each, by the law that it breaks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from typing import Any, Self

import numpy as np
import pytest

from littlestone.base.errors import RealizabilityError
from littlestone.classes import (
    EqualityRules,
    FiniteClass,
    HypothesisClass,
    Points,
    RuleSets,
    Stumps,
    Subsets,
    Thresholds,
    parse_class,
)
from littlestone.data.sample import Sample
from littlestone.points import Grid, Integers, Names, Reals, Strings
from littlestone.privacy.scores import Elements
from littlestone.prove.laws import yield_checks
from littlestone.rules import FiniteSet, Hypothesis, StepFunction, TableFunction
from littlestone.theory.game import OnlineLearner, StandardOptimalAlgorithm

pytestmark = pytest.mark.deep

# Error balls, least errors and the number of patterns.


class BallMissesASpace(FiniteClass):
    def error_ball(self, *arguments: Any, **options: Any) -> Any:
        return super().error_ball(*arguments, **options)[1:]


class BallMissesItsEdge(Thresholds):
    def error_ball(self, sample: Any, max_errors: int, **options: Any) -> Any:
        return super().error_ball(sample, max_errors - 1, **options)


class BallCountsOneTooMany(FiniteClass):
    def error_ball(self, *arguments: Any, **options: Any) -> Any:
        ball = super().error_ball(*arguments, **options)
        return [(V, errors + (i == 1)) for i, (V, errors) in enumerate(ball)]


class BallForgetsTheUnavoidable(Points):
    def error_ball(self, sample: Any, max_errors: int, **options: Any) -> Any:
        none = int(sample.counts.min(axis=1).sum())
        return [(V, e - none) for V, e in super().error_ball(sample, max_errors, **options)]


class BallHasASpaceTwice(Thresholds):
    def error_ball(self, *arguments: Any, **options: Any) -> Any:
        ball = super().error_ball(*arguments, **options)
        return [*ball, *ball[:1]]


class BallIsOneSpace(Thresholds):
    def error_ball(self, sample: Any, max_errors: int, **options: Any) -> Any:
        return [(self, max_errors)] if max_errors >= sample.n else []


class BallIgnoresMost(Subsets):
    def error_ball(self, sample: Any, max_errors: int, *, most: int | None = None) -> Any:
        return super().error_ball(sample, max_errors)


class LeastErrorsOneTooMany(Points):
    def least_errors(self, sample: Any) -> int:
        return int(super().least_errors(sample) + (sample.n > 3))


class LeastErrorsOfTheSoa(RuleSets):
    def least_errors(self, sample: Any) -> int:
        h = self.soa()
        counts = zip(sample.points, sample.counts.tolist(), strict=True)
        return int(sum(sum(count) - count[h(x)] for x, count in counts))


class LeastErrorsWhereLabelsAgree(Subsets):
    def least_errors(self, sample: Any) -> int:
        return super().least_errors(sample) - int(sample.counts.min(axis=1).sum())


class PatternsOneTooFew(Thresholds):
    def growth_function(self, points: int) -> int:
        return min(self.size or 0, points) if points else 1


class PatternsOfSmallerDimension(FiniteClass):
    def growth_function(self, points: int) -> int:
        return min(self.size, 1 + points * max(0, self.littlestone_dimension() - 1))


class PatternsShrink(Points):
    def growth_function(self, points: int) -> int:
        return 9 - points


# Mixtures.


class MixesOneSet(Points):
    def mixture(self, f: Any, alpha: Fraction) -> Any:
        return super().mixture(f, alpha)[:1]


class MixesWhatIsNoHypothesis(FiniteClass):
    def mixture(self, f: Any, alpha: Fraction) -> Any:
        return [f]


class MixesTooFewBlocks(Subsets):
    def mixture(self, f: Any, alpha: Fraction) -> Any:
        return super().mixture(f, 2 * alpha)


class MixesTheFirstRow(FiniteClass):
    def mixture(self, f: Any, alpha: Fraction) -> Any:
        return [self.hypothesis(0)]


class MixesMoreThanItSays(Points):
    def most_mixed(self, alpha: Fraction) -> int:
        return 1


class MixesWhatWasMixed(Thresholds):
    def mixture(self, f: Any, alpha: Fraction) -> Any:
        times = vars(self).get("times", 0) + 1
        object.__setattr__(self, "times", times)
        return [f] * times


# Elements and unions.


class GrowthOneTooSmall(EqualityRules):
    @property
    def elements_per_point(self) -> int:
        return super().elements_per_point - 1


class ElementsOf(EqualityRules):
    """Elements of which ``change`` makes others."""

    def changed(self, found: Elements, sample: Sample[Any]) -> Elements:
        raise NotImplementedError

    def elements(self, sample: Any) -> Elements:
        return self.changed(super().elements(sample), sample)


class MissesAnElement(ElementsOf):
    def changed(self, found: Elements, sample: Any) -> Elements:
        last = len(found.positives) - 1
        return replace(found, positives=found.positives[:last], negatives=found.negatives[:last])


class CountsNegativesAsPositives(ElementsOf):
    def changed(self, found: Elements, sample: Any) -> Elements:
        return replace(found, positives=found.positives + found.negatives)


class ForgetsNegatives(ElementsOf):
    def changed(self, found: Elements, sample: Any) -> Elements:
        return replace(found, negatives=0 * found.negatives)


class CoversOnePointTooFew(ElementsOf):
    def changed(self, found: Elements, sample: Any) -> Elements:
        return replace(found, covered=lambda i: found.covered(i)[:1])


class ElementTwice(ElementsOf):
    def changed(self, found: Elements, sample: Any) -> Elements:
        n = len(found.positives)
        return Elements(
            np.concatenate([found.positives, found.positives[:1]]),
            np.concatenate([found.negatives, found.negatives[:1]]),
            lambda i: found.element(i % n),
            lambda i: found.covered(i % n),
        )


class ForgetsWhatIsRefuted(Points):
    def elements(self, sample: Any) -> Elements:
        return Points(self.domain).elements(sample)


class UnionOfTheFirst(Subsets):
    def union(self, elements: Iterable[Hypothesis[Any]]) -> FiniteSet:
        return super().union(list(elements)[:1])


class OnePartTooMany(Subsets):
    @property
    def max_elements(self) -> int:
        return self.k + 1


# Equality of version spaces, and equal objects.


class EmptyInManyWays(Thresholds):
    def __post_init__(self) -> None:
        pass


class EmptyStumps(Stumps):
    def __eq__(self, other: object) -> bool:
        return repr(self) == repr(other)

    def __hash__(self) -> int:
        return hash(repr(self))

    def restrict(self, x: Any, y: int) -> Self:
        object.__setattr__(kept := super().restrict(x, y), "seen", (x, y))
        return kept

    def __repr__(self) -> str:
        return f"{super().__repr__()} {self.seen if self.is_empty() else ''}"

    seen: Any = None


class EqualByNegatives(EqualityRules):
    def __eq__(self, other: object) -> bool:
        return super().__eq__(other) and self.negatives == getattr(other, "negatives", None)

    __hash__ = EqualityRules.__hash__


class EqualIfOfOneSize(FiniteClass):
    def __eq__(self, other: object) -> bool:
        return isinstance(other, FiniteClass) and self.size == other.size

    def __hash__(self) -> int:
        return self.size


class HashedByItsPlace(FiniteClass):
    def __hash__(self) -> int:
        return id(self)


class KeepsTheObject(Points):
    def restrict(self, x: Any, y: int) -> Self:
        kept = super().restrict(self.domain.canonical(x), y)
        return replace(kept, members=frozenset({x})) if x in kept.members else kept


class KeepsTheLabel(Points):
    last: Any = 0

    def restrict(self, x: Any, y: int) -> Self:
        object.__setattr__(kept := super().restrict(x, y), "last", y)
        return kept

    def __repr__(self) -> str:
        return f"{super().__repr__()} {self.last!r}"


# Functions.


class NotReduced(StepFunction):
    def __post_init__(self) -> None:
        pass


class EqualOnlyToItself(TableFunction):
    __eq__ = object.__eq__
    __hash__ = object.__hash__


class EqualIfItStartsAlike(StepFunction):
    def __eq__(self, other: object) -> bool:
        return isinstance(other, StepFunction) and self.changes[:1] == other.changes[:1]

    def __hash__(self) -> int:
        return 0


class HashedByPlace(FiniteSet):
    __eq__ = FiniteSet.__eq__

    def __hash__(self) -> int:
        return id(self)


class WitnessInBoth(FiniteSet):
    def witness(self, other: Self) -> Any:
        return min(self.members & other.members, default="a")


class FormForgetsTheFirstLabel(StepFunction):
    def form(self) -> dict[str, object]:
        return {**super().form(), "first": 0}


class LabelsAreTruths(FiniteSet):
    def __call__(self, x: object) -> int:
        return x in self.members


class SaysNothing(TableFunction):
    def words(self) -> str:
        return ""


GRID, NAMES = Grid(0, 5), Names(("a", "b", "c"))


def steps(kind: type[StepFunction]) -> list[Hypothesis[Any]]:
    changes = [(), (2,), (2, 4), (3, 3), (0,), (2, 5), (6,)]
    return [kind(GRID, first, some) for first in (0, 1) for some in changes]


def tables(kind: type[TableFunction]) -> list[Hypothesis[Any]]:
    return [kind(NAMES, (bits,)) for bits in (0, 1, 5, 7, 8, 13)]


def sets(kind: type[FiniteSet]) -> list[Hypothesis[Any]]:
    members = ["", "a", "ab", "ba", "b"]
    return [kind(Strings(), frozenset(f"v{x}" for x in some)) for some in members]


# Domains.


class CanonicalGoesOn(Integers):
    def canonical(self, x: object) -> int:
        return super().canonical(x) + 1


class CanonicalKeepsTheObject(Integers):
    def own(self, x: object) -> Any:
        return x if super().own(x) is not None else None


class EncodesWhatItOwns(Strings):
    def canonical(self, x: object) -> str:
        return self.encode(f"{self.encode(x)}!"[:3])


class WritesFloats(Reals):
    def point_to_json(self, x: Fraction) -> Any:
        return str(Fraction(float(x)))


class ReadsTruths(Integers):
    def point_from_json(self, data: Any) -> Any:
        return data if isinstance(data, int) else None


class ReadsOnlyNumbers(Integers):
    def encode(self, value: object) -> int:
        return int(str(value))


class EncodesBeyondItsEnds(Grid):
    def encode(self, value: object) -> int:
        return super().encode(value) + (value == "1e999999999")


class TruthsAreNumbers(Integers):
    def __contains__(self, x: object) -> bool:
        return isinstance(x, int)


class NumberedFromOne(Names):
    def index(self, x: str) -> int:
        return super().index(x) + 1


class TakesAllNumbers(Grid):
    def holds_all(self, values: Any) -> bool:
        return {int}.issuperset(map(type, values))


class TakesAllTexts(Strings):
    def holds_all(self, values: Any) -> bool:
        return {str}.issuperset(map(type, values))


class SizeOneTooLarge(Grid):
    @property
    def size(self) -> int:
        return super().size + 1


class DrawsBeyondItsEnds(Grid):
    def random_point(self, rng: Any) -> int:
        return int(rng.randint(self.low, self.high + 1))


class ReadsRaises(Strings):
    def reads(self, value: object) -> bool:
        return len(value) > 0  # type: ignore[arg-type]


# Online learners.


class KeepsWhatItIsGiven(OnlineLearner[Any]):
    """It publishes the last positive object as it came."""

    def __init__(self) -> None:
        self.hypothesis_now = FiniteSet(Integers(), frozenset())

    @property
    def hypothesis(self) -> FiniteSet:
        return self.hypothesis_now

    def predict(self, x: Any) -> int:
        return self.hypothesis(x)

    def update(self, x: Any, y: int) -> None:
        if y:
            self.hypothesis_now = FiniteSet(Integers(), frozenset([x]))


class CountsOnes(KeepsWhatItIsGiven):
    """A label is 1 only if it is Python's own."""

    def update(self, x: Any, y: int) -> None:
        if type(y) is int:
            super().update(int(x), y)


class PredictsOtherwise(StandardOptimalAlgorithm[Any]):
    def predict(self, x: Any) -> int:
        return 1 - super().predict(x)


class LearnsFromWhatItRefuses(StandardOptimalAlgorithm[Any]):
    def update(self, x: Any, y: int) -> None:
        try:
            super().update(x, y)
        except RealizabilityError:
            self.version_space = H
            raise


class LearnsFromPredicting(KeepsWhatItIsGiven):
    def predict(self, x: Any) -> int:
        label = super().predict(x)
        super().update(int(x) + 1, 1)
        return label


H = Thresholds.on(0, 9)


def finite(kind: type[FiniteClass]) -> FiniteClass:
    return kind.from_array(np.random.default_rng(11).integers(0, 2, size=(9, 4)))


def rules(kind: type[EqualityRules]) -> EqualityRules:
    return kind.over_columns("origin", "dest", "carrier", max_literals=2)


WORDS = Strings()
PLANTS: list[tuple[Any, str]] = [
    (finite(BallMissesASpace), "error_balls"),
    (BallMissesItsEdge.on(0, 20), "error_balls"),
    (finite(BallCountsOneTooMany), "error_balls"),
    (BallForgetsTheUnavoidable(WORDS), "error_balls"),
    (BallHasASpaceTwice.on(0, 20), "error_balls"),
    (BallIsOneSpace.on(0, 20), "error_balls"),
    (BallIgnoresMost(WORDS, 3), "error_balls"),
    (LeastErrorsOneTooMany(WORDS), "least_errors"),
    (LeastErrorsOfTheSoa.over_columns("a", "b", max_rules=2, max_literals=2), "least_errors"),
    (LeastErrorsWhereLabelsAgree(WORDS, 2), "least_errors"),
    (PatternsOneTooFew.on(0, 20), "growth_function"),
    (finite(PatternsOfSmallerDimension), "growth_function"),
    (PatternsShrink(WORDS), "growth_function"),
    (MixesOneSet(WORDS, exactly=True), "mixtures_are_close"),
    (MixesWhatIsNoHypothesis.from_array(np.eye(5, dtype=int)), "mixtures_are_of_members"),
    (MixesTooFewBlocks(WORDS, 2, exactly=True), "mixtures_are_close"),
    (MixesTheFirstRow.from_array(np.eye(16, dtype=int)), "mixtures_are_close"),
    (MixesMoreThanItSays(WORDS, exactly=True), "mixtures_are_of_members"),
    (MixesWhatWasMixed.on(0, 9), "mixtures_are_of_members"),
    (rules(GrowthOneTooSmall), "few_elements_cover_a_point"),
    (rules(MissesAnElement), "unions_are_members"),
    (rules(CountsNegativesAsPositives), "elements_are_counted"),
    (rules(ForgetsNegatives), "elements_are_counted"),
    (rules(CoversOnePointTooFew), "elements_are_counted"),
    (rules(ElementTwice), "elements_are_counted"),
    (ForgetsWhatIsRefuted(WORDS).restrict("v1", 0), "unions_are_members"),
    (UnionOfTheFirst(WORDS, 2), "unions_are_members"),
    (OnePartTooMany(WORDS, 2), "unions_are_members"),
    (EmptyInManyWays.on(0, 9), "empty_version_spaces"),
    (EmptyInManyWays.on(0, 9), "equality_as_sets"),
    (EmptyStumps.over([Grid(0, 3, "a"), Grid(0, 2, "b")]), "empty_version_spaces"),
    (rules(EqualByNegatives), "examples_that_say_nothing"),
    (finite(EqualIfOfOneSize), "equality_as_sets"),
    (finite(HashedByItsPlace), "examples_that_say_nothing"),
    (KeepsTheObject(Integers()), "equal_objects_restrict_alike"),
    (KeepsTheLabel(Integers()), "equal_objects_restrict_alike"),
    (steps(NotReduced), "equality_is_of_functions"),
    (tables(EqualOnlyToItself), "equality_is_of_functions"),
    (steps(EqualIfItStartsAlike), "equality_is_of_functions"),
    (sets(HashedByPlace), "equality_is_of_functions"),
    (sets(WitnessInBoth), "equality_is_of_functions"),
    (steps(FormForgetsTheFirstLabel), "forms_round_trip"),
    (sets(LabelsAreTruths), "labels_are_numbers"),
    (tables(SaysNothing), "forms_round_trip"),
    (CanonicalGoesOn(), "canonical_is_idempotent"),
    (CanonicalKeepsTheObject(), "equal_objects_are_one_point"),
    (CanonicalKeepsTheObject(), "every_value_is_a_point"),
    (EncodesWhatItOwns(), "canonical_is_idempotent"),
    (TakesAllNumbers(0, 9), "many_are_read_like_one"),
    (TakesAllTexts(), "many_are_read_like_one"),
    (WritesFloats(), "json_round_trip"),
    (ReadsTruths(), "json_round_trip"),
    (ReadsOnlyNumbers(), "every_value_is_a_point"),
    (EncodesBeyondItsEnds(0, 9), "every_value_is_a_point"),
    (TruthsAreNumbers(), "every_value_is_a_point"),
    (NumberedFromOne(("a", "b")), "iteration"),
    (SizeOneTooLarge(0, 9), "iteration"),
    (DrawsBeyondItsEnds(0, 9), "iteration"),
    (ReadsRaises(), "every_value_is_a_point"),
    (KeepsWhatItIsGiven, "equal_objects_are_one_record"),
    (CountsOnes, "equal_objects_are_one_record"),
    (lambda: PredictsOtherwise(H), "predictions_follow_the_hypothesis"),
    (lambda: LearnsFromWhatItRefuses(H), "a_refused_record_changes_nothing"),
    (LearnsFromPredicting, "predictions_follow_the_hypothesis"),
]


def failures(subject: Any) -> dict[str, str]:
    """The checks that fail, with their messages."""
    messages = {}
    for check in yield_checks(subject):
        try:
            check()
        except AssertionError as broken:
            messages[check.name] = str(broken)
    return messages


def named(subject: Any) -> str:
    kind = type(subject[0] if isinstance(subject, list) else subject)
    return subject.__qualname__ if callable(subject) else kind.__name__


@pytest.mark.parametrize(
    ("subject", "law"), PLANTS, ids=[f"{named(subject)}-{law}" for subject, law in PLANTS]
)
def test_a_planted_fault_is_caught_by_the_law_it_breaks(subject: Any, law: str) -> None:
    caught = failures(subject)
    assert law in caught, caught
    assert "ended in" not in caught[law] or "raises" in law


SOUND: list[Any] = [
    finite(FiniteClass),
    H,
    Points(WORDS),
    Points(WORDS, exactly=True),
    Points(WORDS).restrict("v1", 0),
    Subsets(WORDS, 2, exactly=True),
    rules(EqualityRules),
    Stumps.over([Grid(0, 3, "a"), Grid(0, 2, "b")]),
    steps(StepFunction),
    tables(TableFunction),
    sets(FiniteSet),
    Integers(),
    Strings(),
    Reals(),
    Grid(0, 9),
    Names(("a", "b")),
    lambda: StandardOptimalAlgorithm(H),
]


@pytest.mark.parametrize("subject", SOUND, ids=named)
def test_what_is_sound_behind_the_plants_passes(subject: Any) -> None:
    assert failures(subject) == {}


def test_equal_version_spaces_of_rules_are_equal_objects() -> None:
    """Of single equalities, a fourth negative that says nothing; other negatives that say the same."""
    few = EqualityRules.over_columns("a", "b", max_literals=1)
    first = few.restrict(("x", "y"), 0).restrict(("u", "v"), 0)
    other = few.restrict(("x", "v"), 0).restrict(("u", "y"), 0)
    assert first == other == first.restrict(("x", "v"), 0)
    assert hash(first) == hash(other)
    pairs = EqualityRules.over_columns("a", "b", max_literals=2)
    one = pairs.restrict(("x", "y"), 0).restrict(("u", "v"), 0)
    assert one != pairs.restrict(("x", "v"), 0).restrict(("u", "y"), 0)


@pytest.mark.parametrize(
    "text", ["thresholds(x, reals)", "direct_sum(points(name), thresholds(x, 0..4))"]
)
def test_two_contradictions_leave_one_object(text: str) -> None:
    whole: HypothesisClass[Any] = parse_class(text)
    points = whole.domain.examples(4)
    empty = [whole.restrict(x, 0).restrict(x, 1) for x in points]
    assert all(V.is_empty() and empty[0] == V for V in empty)


def test_the_message_names_the_subject() -> None:
    caught = failures(TruthsAreNumbers("i"))
    assert caught["every_value_is_a_point"].startswith("TruthsAreNumbers i in all whole numbers: ")
    caught = failures(sets(LabelsAreTruths))
    assert caught["labels_are_numbers"].startswith("LabelsAreTruths: h(x) is a label is false at ")
