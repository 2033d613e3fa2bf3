"""Learners whose sample may have void places, and the refusal of all others."""

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations_with_replacement
from random import Random
from typing import Any

import numpy as np
import polars
import pytest

import littlestone
from declaring import choose_task
from littlestone.base.discovery import concrete
from littlestone.base.errors import BudgetExceededError, DeclarationError
from littlestone.classes import FiniteClass, Lookup, Points, Subsets, Thresholds, parse_class
from littlestone.data import Label
from littlestone.data.sample import Sample
from littlestone.learn import ChoosingLearner, ExponentialLearner, PrivateLearner, Release
from littlestone.learn.lookup import (
    BucketLearner,
    LookupLearner,
    PartitionLearner,
    SingleKeyLearner,
)
from littlestone.learn.plan import choose_learner
from littlestone.learn.plan.choice import explain
from littlestone.learn.regrown import RegrownLearner
from littlestone.learn.rounds import RoundsLearner, VocabularyLearner
from littlestone.points import Strings
from littlestone.points.units import Unit
from littlestone.privacy import Budget
from littlestone.privacy.cost import PrivacyCost
from littlestone.privacy.ledger import Ledger
from littlestone.prove.audit import exact_audit
from littlestone.prove.audit.claims import hockey_stick
from littlestone.prove.audit.subjects.units import Blocks, UnitTable, exponential
from littlestone.rules.lookup import bucket_of
from littlestone.show.words import protects, rows_of_release

ONE = Fraction(1)
EPSILON, DELTA = ONE, Fraction(1, 5)
VOID = None
Law = Callable[[list[Any]], dict[Any, Fraction]]

WORDS = Strings("x")
KEYS = [("a", 0), ("a", 1), ("b", 1)]


def of_sample(learner: Any) -> Law:
    H = learner.hypotheses
    return lambda held: learner.distribution(Sample.from_examples(H.domain, held, labels=H.labels))


def exponential_learner() -> tuple[Any, Law, list[Any]]:
    table = FiniteClass.from_array([[0, 1], [1, 2], [2, 0], [0, 0]], labels=3)
    learner = ExponentialLearner(table, Budget(EPSILON))
    return learner, of_sample(learner), [(x, y) for x in table.domain.points for y in range(3)]


def choosing_learner() -> tuple[Any, Law, list[Any]]:
    learner = ChoosingLearner(Subsets(WORDS, 2), Budget(EPSILON, DELTA))
    return learner, of_sample(learner), KEYS


def exponential_learner_of_costs() -> tuple[Any, Law, list[Any]]:
    H = Thresholds.on(0, 1)
    learner = ExponentialLearner(H, Budget(EPSILON), cost=(3, 1))
    return learner, of_sample(learner), [(x, y) for x in range(2) for y in range(2)]


def choosing_learner_of_costs() -> tuple[Any, Law, list[Any]]:
    learner = ChoosingLearner(Points(WORDS), Budget(EPSILON, DELTA), cost=(3, 1))
    return learner, of_sample(learner), KEYS


def partition_learner() -> tuple[Any, Law, list[Any]]:
    learner = PartitionLearner(Subsets(WORDS, 2), Budget(EPSILON, DELTA))
    return learner, learner.mechanism.distribution, KEYS


def single_key_learner() -> tuple[Any, Law, list[Any]]:
    learner = SingleKeyLearner(Points(WORDS), Budget(EPSILON, DELTA))
    return learner, learner.mechanism.distribution, KEYS


def lookup_learner() -> tuple[Any, Law, list[Any]]:
    learner = LookupLearner(Lookup(WORDS, 3, 2), Budget(EPSILON, DELTA))
    return learner, learner.mechanism.distribution, [*KEYS, ("a", 2)]


def bucket_learner() -> tuple[Any, Law, list[Any]]:
    learner = BucketLearner(Lookup(WORDS, 3, 2), Budget(EPSILON), bits=1)
    records = [(bucket_of(x, 1), y) for x in ("a", "b", "c", "d") for y in range(3)]
    return learner, learner.mechanism.distribution, sorted(set(records))


MIXED = "sex in {F, M}"
MIXED_RECORDS = [(("F",), 0), (("F",), 1), (("M",), 1), (("",), 0)]


def rounds_learner() -> tuple[Any, Law, list[Any]]:
    learner = RoundsLearner(parse_class(f"rule_list({MIXED}; at most 2)"), Budget(EPSILON, DELTA))
    return learner, of_sample(learner), MIXED_RECORDS


def regrown_learner() -> tuple[Any, Law, list[Any]]:
    learner = RegrownLearner(parse_class(f"trees({MIXED}; depth 1)"), Budget(EPSILON))
    return learner, of_sample(learner), MIXED_RECORDS[:2]


def vocabulary_learner() -> tuple[Any, Law, list[Any]]:
    learner = VocabularyLearner(parse_class("trees(ward; depth 1)"), Budget(EPSILON, DELTA))
    return learner, of_sample(learner), [(("a",), 0), (("a",), 1), (("b",), 1)]


MAKERS = [
    exponential_learner,
    choosing_learner,
    exponential_learner_of_costs,
    choosing_learner_of_costs,
    partition_learner,
    single_key_learner,
    lookup_learner,
    bucket_learner,
    rounds_learner,
    regrown_learner,
    vocabulary_learner,
]
KINDS: list[type[PrivateLearner[Any]]] = concrete(PrivateLearner, "littlestone.learn")  # type: ignore[type-abstract]


def test_every_learner_that_takes_void_places_is_tested_here() -> None:
    assert {type(make()[0]) for make in MAKERS} == {kind for kind in KINDS if kind.takes_void}


@pytest.mark.parametrize("make", MAKERS)
def test_a_void_place_is_replaced_like_a_record(
    make: Callable[[], tuple[Any, Law, list[Any]]],
) -> None:
    """On all samples of three places: any record, or none, in place of any other."""
    learner, law, records = make()
    rests = list(combinations_with_replacement([VOID, *records], 2))
    pairs = [((*rest, VOID), (*rest, record)) for rest in rests for record in records]
    held = lambda places: law([place for place in places if place is not VOID])  # noqa: E731
    assert exact_audit(held, pairs, learner.event).holds


# The largest ratio and delta of one record that comes or goes, by the learner's parameters.
HALVES: list[tuple[Callable[[], Any], Callable[[Any], tuple[Fraction, Fraction]]]] = [
    (exponential_learner, lambda learner: (learner.mechanism.base, Fraction(0))),
    (exponential_learner_of_costs, lambda learner: (learner.mechanism.base**3, Fraction(0))),
    (
        partition_learner,
        lambda learner: (
            learner.mechanism.odds_factor,
            DELTA / (learner.mechanism.odds_factor + 1),
        ),
    ),
    (lookup_learner, lambda learner: (learner.mechanism.base, DELTA)),
    (bucket_learner, lambda learner: (learner.mechanism.base, Fraction(0))),
    (regrown_learner, lambda learner: (learner.mechanism.base**2, Fraction(0))),
]


@pytest.mark.parametrize(("make", "half"), HALVES)
def test_a_void_place_is_half_of_a_replacement(
    make: Callable[[], tuple[Any, Law, list[Any]]], half: Any
) -> None:
    """One record more moves the law by r and half of delta at most, on all samples of 1 to 3."""
    learner, law, records = make()
    ratio, delta = half(learner)
    worst = []
    for rest in (r for n in (0, 1, 2) for r in combinations_with_replacement(records, n)):
        for record in records:
            without, within = law(list(rest)), law([*rest, record])
            worst.append(hockey_stick(within, without, ratio))
            worst.append(hockey_stick(without, within, ratio))
    assert max(worst) <= delta


def test_a_record_moves_the_errors_of_a_leaf_by_a_whole_cost() -> None:
    """So the leaves of `regrown` need the base of the larger cost; a step of 1 is not enough."""
    trees = parse_class(f"trees({MIXED}; depth 1)")
    learner = RegrownLearner(trees, Budget(EPSILON), cost=(3, 1))
    split = next(h for h in learner.tree.distribution(Sample.from_examples(trees.domain, [])) if h)

    def errors(held: Any) -> Any:
        parts = learner.parts(split, Sample.from_examples(trees.domain, held))
        runs = [learner._scores(part) for part in parts]
        return np.array([np.repeat(s.errors, s.lengths or [1] * len(s.errors)) for s in runs])

    moved = set()
    for rest in combinations_with_replacement(MIXED_RECORDS, 2):
        for record in MIXED_RECORDS:
            steps = errors([*rest, record]) - errors(rest)
            assert np.count_nonzero(steps.any(axis=1)) <= 1  # one leaf alone
            moved |= set(steps.ravel().tolist())
    assert moved == {0, 1, 3}


def test_a_void_place_is_no_negative_record() -> None:
    """The constant 1 is scored by all records, also by a negative one of a key without others."""
    for learner in (choosing_learner()[0], choosing_learner_of_costs()[0]):
        law, everything = of_sample(learner), learner.covering.everything
        for held in ([], [("a", 1)], [("a", 1), ("b", 0)]):
            assert law([*held, ("new", 0)])[everything] < law(held)[everything]
    law = partition_learner()[0].mechanism.distribution
    assert law([("a", True), ("new", False)])[None] < law([("a", True)])[None]


FRAME = polars.DataFrame(
    {
        "patient": ["p1", "p1", "p1", "p2", None, None, "p3"],
        "age": [30, 31, 70, 71, 20, 90, 90],
        "sick": [0, 0, 1, 1, 0, 1, 1],
    }
)
FIT: dict[str, Any] = {
    "target": "sick",
    "positive": 1,
    "hypotheses": "thresholds(age, 0..120)",
    "epsilon": 1,
    "dataset": "visits",
}


@pytest.mark.parametrize("most", [1, 2, 30])
def test_a_release_speaks_of_units_and_not_of_records(most: int) -> None:
    ledger, told, changing = Ledger(), list[Any](), ("rule", "ledger entry", "spent so far")
    for frame in (FRAME, FRAME.head(5).vstack(FRAME.tail(1)), FRAME.vstack(FRAME)):
        release = littlestone.fit(frame, **FIT, ledger=ledger, unit="patient", max_records=most)
        # Those without a value are one unit, whatever their number.
        assert (release.n, release.units) == (4 * most, 4)
        assert str(release.cost) == "epsilon 1, delta 0 (replace-one-unit: patient)"
        assert f"4 values of patient; at most {most} record" in str(release)
        told.append([row for row in rows_of_release(release) if row[0] not in changing])
        assert Release.from_json(release.to_json()) == release
    assert told[0] == told[1] == told[2]
    assert ledger.total("visits").epsilon == 3


def test_a_release_of_records_says_what_it_is_for_a_person() -> None:
    release = littlestone.fit(FRAME, **FIT, ledger=Ledger())
    assert protects(release).startswith("one record; a person with k records has epsilon k (to ")
    assert release.units is None
    with Ledger() as ledger:
        sample = Sample.from_examples(WORDS, [("a", 1)] * 9)
        learner = ChoosingLearner(Points(WORDS), Budget("0.5", "1e-6"))
        told = protects(learner.fit(sample, ledger=ledger, dataset="d"))
    assert "epsilon 0.5 k and a larger delta; with 3 records epsilon 1.5, delta 0.00000537" in told


UNITS: dict[str, Any] = {"unit": "patient", "max_records": 2}


@pytest.mark.parametrize(
    ("changed", "found"),
    [
        ({"unit": "patient"}, "how many records"),
        ({"max_records": 2}, "no column says"),
        ({**UNITS, "unit": "person"}, "none of its 3 columns"),
        ({**UNITS, "unit": "sick"}, "holds the label"),
        ({**UNITS, "max_records": 0}, "not a whole number from 1 to 1,000"),
        ({**UNITS, "max_records": 1001}, "not a whole number from 1 to 1,000"),
        ({**UNITS, "max_records": 1000, "epsilon": "1e-7"}, "one record is left with epsilon"),
        ({**UNITS, "estimate": 1}, "a number of records that is private"),
        ({**UNITS, "method": "irreducible", "delta": "1e-6"}, "how many a unit has is private"),
        ({**UNITS, "method": "boosting", "delta": "1e-6"}, "how many a unit has is private"),
    ],
)
def test_what_units_refuse_spends_nothing(changed: dict[str, Any], found: str) -> None:
    with Ledger() as ledger:
        with pytest.raises(littlestone.base.errors.LittlestoneError, match=found):
            littlestone.fit(FRAME, **{**FIT, **changed}, ledger=ledger)
        assert ledger.datasets() == []


@pytest.mark.parametrize(
    "most", [10**5000, ["patient 7"], polars.Series(["patient 7"])], ids=["long", "list", "series"]
)
@pytest.mark.parametrize("column", ["patient", None])
def test_what_is_no_number_of_records_is_not_quoted(column: Any, most: Any) -> None:
    with pytest.raises(DeclarationError) as caught:
        Unit.declare(column, most)
    assert "patient 7" not in str(caught.value)


def test_a_budget_that_protects_no_unit_is_refused_before_the_spend() -> None:
    """Its delta grows to 1, and no model file may say so."""
    learner = ChoosingLearner(Points(WORDS), Budget(30, "0.5"))
    made = Sample.from_examples(WORDS, [("a", 1), ("b", 0)])
    sample = Sample(WORDS, made.points, made.counts, Unit("who", 2), 2)
    with Ledger() as ledger:
        with pytest.raises(DeclarationError, match="is 1, which protects nothing"):
            learner.fit(sample, ledger=ledger, dataset="d")
        assert ledger.datasets() == []


@pytest.mark.parametrize("kind", [kind for kind in KINDS if not kind.takes_void])
def test_other_learners_take_one_record_of_each_unit_only(
    kind: type[PrivateLearner[Any]],
) -> None:
    for H in (Points(WORDS), Thresholds.on(0, 3), Lookup(WORDS, 3, 2)):
        try:
            learner = kind(H, Budget(20, "0.01"))
        except DeclarationError:
            continue
        with pytest.raises(DeclarationError, match="give --max-records 1"):
            learner.event_with(None, Unit("patient", 2))
        cost = learner.event_with(None, Unit("patient", 1)).cost()
        assert (cost.epsilon, cost.delta) == (learner.cost().epsilon, learner.cost().delta)


def test_one_record_of_each_unit_may_have_an_estimate() -> None:
    release = littlestone.fit(
        FRAME, **FIT, ledger=Ledger(), unit="patient", max_records=1, estimate=1
    )
    assert release.estimate is not None
    assert release.cost.epsilon == 2
    assert release.estimate.n == 4


def test_auto_chooses_among_those_that_take_void_places() -> None:
    H = parse_class("subsets(x; at most 2)")
    learner, _ = choose_learner(H, Budget(1, "1e-6"), void=True)
    assert learner.takes_void
    task = choose_task(Label.parse("y", 1), H, Budget(1, "1e-6"), unit="patient", max_records=3)
    assert task.learner.takes_void
    assert task.why == f"{task.learner.method}: chosen as if all records were independent"
    assert task.event.cost().within(PrivacyCost(ONE, Fraction(1, 10**6)))
    named: dict[str, Any] = {"unit": "patient", "max_records": 3, "method": "choosing"}
    task = choose_task(Label.parse("y", 1), H, Budget(1, "1e-6"), **named)
    assert task.why == "choosing: asked for"


def test_one_record_of_each_unit_is_a_record_among_independent_ones() -> None:
    """So any learner takes it, and the sizes hold."""
    H, budget = parse_class("affine(u, w, x, y; q 101, dimension 2)"), Budget(1, "1e-6")
    task = choose_task(Label.parse("z", 1), H, budget, unit="patient", max_records=1)
    assert not task.learner.takes_void
    assert task.why == choose_learner(H, budget)[1]
    with pytest.raises(
        DeclarationError, match=r"cannot learn affine.*\n.*--max-records 1, or decl"
    ):
        choose_task(Label.parse("z", 1), H, budget, unit="patient", max_records=2)


def test_methods_are_explained_for_the_budget_of_one_record() -> None:
    H, budget = parse_class("thresholds(x, 0..9)"), Budget(1)
    task = choose_task(Label.parse("y", 1), H, budget, unit="patient", max_records=4)
    shown = task.methods()
    assert shown == explain(H, Budget("0.25"))
    assert shown != explain(H, budget)


def test_a_task_takes_only_what_it_read_itself() -> None:
    made = {"hypotheses": "thresholds(x, 0..3)", "budget": Budget(1)}
    tasks = [
        choose_task(Label.parse("y", 1), **made),  # type: ignore[arg-type]
        choose_task(Label.parse("y", 1), **made, unit="unit", max_records=2),  # type: ignore[arg-type]
    ]
    table = UnitTable((((1, 0), (2, 1)), ((3, 1),)))
    samples = [task.declaration.read(table) for task in tasks]
    for i in range(2):
        with Ledger() as ledger:
            with pytest.raises(DeclarationError, match="read the sample with this task"):
                tasks[i].fit(samples[1 - i], ledger=ledger, dataset="d")
            assert ledger.entries() == []
            tasks[i].fit(samples[i], ledger=ledger, dataset="d")


def test_a_limit_for_units_refuses(tmp_path: Any) -> None:
    with Ledger(tmp_path / "ledger") as ledger:
        release = littlestone.fit(FRAME, **FIT, **UNITS, ledger=ledger)
        ledger.set_limit("visits", release.cost)
        with pytest.raises(BudgetExceededError):
            littlestone.fit(FRAME, **FIT, **UNITS, ledger=ledger)


def test_the_first_records_by_content_are_as_private() -> None:
    """Privacy needs no chance: any choice that looks at the unit's own records alone is private.

    It is drawn at random so that no kind of record is preferred.
    """

    def reading(learner: Any, unit: Unit, data: Blocks, rng: Random) -> Sample[Any]:
        kept = [record for block in data for record in sorted(block)[: unit.most]]
        sample = Sample.from_examples(learner.hypotheses.domain, kept)
        return Sample(sample.domain, sample.points, sample.counts, unit, len(data))

    for most in (1, 2):
        assert exponential(ONE, most, reading).exact().holds
