"""Score sheets learned from noisy sums: what the sums are, and that nothing else sees a record."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest

from littlestone.base.errors import DeclarationError, TooLargeError
from littlestone.classes import parse_class
from littlestone.classes.counting.blocks import CellCodes
from littlestone.data.sample import Sample
from littlestone.learn.fitting.all_columns import (
    COMMON,
    RECORDS,
    artificial_records,
    calibrate,
    correlate,
)
from littlestone.learn.fitting.one_column import Column, logistic
from littlestone.learn.plan import choose_learner
from littlestone.learn.score_sheet import ScoreSheetLearner, SheetFit
from littlestone.pictures.tree import sheet_picture
from littlestone.points import Cells, Product
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.mechanisms.record_sums import Question
from littlestone.privacy.randomness import seeded_generator
from littlestone.rules.sheet import ScoreSheet
from littlestone.show.tree import print_sheet
from planting import Fault, turns_red

CLASS = "score_sheet(age: 0..80 step 10, sex in {F, M}, dose: 0..100 step 2; at most 2)"


def sample_of(H: Any, n: int, seed: int = 0) -> Sample[Any]:
    rng = random.Random(seed)
    examples = []
    for _ in range(n):
        age, sex, dose = rng.uniform(0, 80), rng.choice(["F", "M", ""]), rng.uniform(0, 100)
        odds = 0.06 * (age - 40) + (sex == "F") - 0.5
        x = H.domain.encode_record((age, sex, dose))
        examples.append((x, int(rng.random() < 1 / (1 + math.exp(-odds)))))
    return Sample.from_examples(H.domain, examples)


def fit(H: Any, budget: Budget, sample: Sample[Any], seed: int = 0, **options: Any) -> Any:
    learner: Any = ScoreSheetLearner(H, budget, **options)
    with Ledger() as ledger:
        rng = seeded_generator(seed)
        return learner.fit(sample, ledger=ledger, dataset="d", rng=rng).hypothesis


def questions(H: Any, budget: Budget, n: int, seed: int) -> list[tuple[Any, Question]]:
    """All steps with their questions, when released sums are large random numbers."""
    learner = ScoreSheetLearner(H, budget)
    told, rng = SheetFit(H, learner.sums, n), np.random.default_rng(seed)
    released: list[tuple[int, ...]] = []
    found = []
    for i, step in enumerate(learner.sums.steps):
        question = told.question(tuple(released))
        found.append((step, question))
        size = len(question.answer(coded(H, sample_of(H, 1)), learner.sums, i))
        assert size <= step.count
        released.append(tuple(rng.integers(-n, n, size).tolist()))
    return found


def coded(H: Any, sample: Sample[Any]) -> CellCodes:
    return CellCodes.from_sample(sample, range(len(H.sizes)))


@pytest.mark.parametrize("delta", ["1e-6", "0"])
def test_sums_move_as_declared(delta: str) -> None:
    H: Any = parse_class(CLASS)
    event = ScoreSheetLearner(H, Budget(1, delta)).sums
    largest: dict[int, float] = {}
    for seed in range(20):
        asked = questions(H, Budget(1, delta), 300, seed)
        for pair in range(20):
            one, other = (coded(H, sample_of(H, 1, 1000 * seed + 2 * pair + i)) for i in (0, 1))
            for i, (step, question) in enumerate(asked):
                change = question.answer(one, event, i) - question.answer(other, event, i)
                moved = [int(x) for x in change]
                if delta == "0":
                    part = sum(map(abs, moved)) / step.l1
                else:
                    part = sum(x * x for x in moved) / step.squared
                largest[i] = max(largest.get(i, 0), part)
                assert part <= 1
    # The bounds are near what happens, so that a wrong unit or a forgotten factor 2 is seen.
    assert all(largest[i] > 0.9 for i in (0, 1, 2, 4))


@pytest.mark.parametrize("delta", ["1e-6", "0"])
def test_as_many_sums_as_declared(delta: str) -> None:
    for text in (
        CLASS,
        "score_sheet(sex in {F}; at most 1)",
        "score_sheet(a in {x}, b in {y}; at most 8)",
    ):
        H: Any = parse_class(text)
        steps = ScoreSheetLearner(H, Budget(1, delta)).event.steps
        assert sum(step.share for step in steps) == 1


def test_the_fit_sees_no_record() -> None:
    """The sheet is the same for two samples whose released sums are the same."""
    H: Any = parse_class(CLASS)
    learner: Any = ScoreSheetLearner(H, Budget(1, "1e-6"))
    rng = np.random.default_rng(0)
    found = []
    for _ in range(2):
        told, released = SheetFit(H, learner.event, 500), list[tuple[int, ...]]()
        for i in range(len(learner.sums.steps)):
            question = told.question(tuple(released))
            size = len(question.answer(coded(H, sample_of(H, 3)), learner.sums, i))
            released.append(tuple(np.random.default_rng(size).integers(0, 500, size).tolist()))
        found.append(told.make_rule(tuple(released)))
    assert found[0] == found[1]
    assert rng is not None


def test_it_finds_the_points() -> None:
    H: Any = parse_class(CLASS)
    sheet = fit(H, Budget(20, "1e-6"), sample_of(H, 8_000))
    assert set(sheet.chosen) >= {0, 1}
    ages = sheet.points[sheet.chosen.index(0)][1:9]
    assert list(ages) == sorted(ages)
    assert ages[-1] - ages[0] > 10
    missing, other, female, male = sheet.points[sheet.chosen.index(1)]
    assert female > max(male, other)
    assert abs(male - missing) <= 3
    for age, sex in ((15, "F"), (65, "M"), (45, "F")):
        risk = 1 / (1 + math.exp(-(0.06 * (age - 40) + (sex == "F") - 0.5)))
        x = H.domain.encode_record((age, sex, 50))
        assert abs(sheet.risks[sheet.place(x)] - risk) < 0.06


def test_a_sheet_does_not_turn_round_where_hardly_any_record_is() -> None:
    """The risk grows to .95 at 150, and 40 of 5,000 records are above 200."""
    rng = np.random.default_rng(1)
    values = rng.exponential(40, 5_000)
    ill = rng.random(5_000) < 0.05 + 0.9 * np.minimum(values, 150) / 150
    H: Any = parse_class("score_sheet(crp: 0..1000 step 50; at most 1)")
    points = [H.domain.encode_record((float(v),)) for v in values]
    sample = Sample.from_examples(H.domain, list(zip(points, map(int, ill), strict=True)))
    for seed in range(3):
        sheet = fit(H, Budget(1, "1e-6"), sample, seed)
        own = list(sheet.points[0][1:])
        assert own == sorted(own)
        assert len(set(own[4:])) == 1


def test_costs_move_the_threshold_alone() -> None:
    H: Any = parse_class(CLASS)
    sample = sample_of(H, 2_000)
    plain, costly = (fit(H, Budget(1, "1e-6"), sample, cost=cost) for cost in ((1, 1), (4, 1)))
    assert (plain.points, plain.odds) == (costly.points, costly.odds)
    assert costly.least < plain.least
    first = costly.risks[costly.least - costly.totals[0]]
    assert first >= 0.2 > costly.risks[costly.least - 1 - costly.totals[0]]


@pytest.mark.parametrize(
    "budget", [("0.001", "1e-9"), ("30", "1e-6"), ("1", "0"), ("0.001", "0")], ids=str
)
def test_no_table_makes_it_fail(budget: tuple[str, str]) -> None:
    for text in (
        CLASS,
        "score_sheet(sex in {F}; at most 1)",
        "score_sheet(v: 0..1 step 0.005; at most 8)",
    ):
        H: Any = parse_class(text)
        x = tuple(column.examples(1)[0] for column in H.domain.columns)
        for examples in ([], [(x, 1)], [(x, 0)] * 50, [(x, 1)] * 50):
            sample = Sample.from_examples(H.domain, examples)
            learner: Any = ScoreSheetLearner(H, Budget(*budget))
            with Ledger() as ledger:
                receipt = ledger.spend(
                    learner.event, dataset="d", what="w", rng=seeded_generator(1)
                )
                sheet = learner.draw(sample, receipt=receipt)
            assert type(sheet).from_json(sheet.to_json()) == sheet
            assert list(sheet.risks) == sorted(sheet.risks)


@pytest.mark.parametrize("delta", ["1e-6", "0"])
def test_columns_that_say_nothing_make_a_sheet_without_columns(delta: str) -> None:
    """With many records the evidence against each column is so strong that none is kept."""
    for text in ("score_sheet(sex in {F, M}; at most 1)", CLASS):
        H: Any = parse_class(text)
        cells = list(product(*(column.points for column in H.domain.columns)))
        counts = {x: [10**7 // len(cells)] * 2 for x in cells}
        sample = Sample.from_counts(H.domain, counts)
        sheet = fit(H, Budget(10, delta), sample)
        assert (sheet.chosen, sheet.points) == ((), ())
        assert abs(sheet.risks[0] - 0.5) < 0.01
        shown: list[object] = []
        print_sheet(sheet, shown.append)
        assert [str(line)[:13] for line in shown] == ["risk by total"]


def test_no_released_sums_make_it_fail() -> None:
    """Whatever the noise is, no sum overflows and no number of a sheet is undefined."""
    for text in (CLASS, "score_sheet(sex in {F}; at most 1, points 1)"):
        H: Any = parse_class(text)
        data, learner = coded(H, sample_of(H, 1)), ScoreSheetLearner(H, Budget(1, "1e-6"))
        event: Any = learner.event
        for n, size in product((0, 1, 1 << 40), (0, 1, 10**6, 10**18)):
            rng = np.random.default_rng(size)
            told, released = SheetFit(H, event, n, (1, 10_000)), list[tuple[int, ...]]()
            with np.errstate(all="raise", under="ignore"):
                for i in range(len(event.steps)):
                    asked = told.question(tuple(released)).answer(data, event, i)
                    signs = rng.integers(-1, 2, len(asked))
                    released.append(tuple(size * int(sign) for sign in signs))
                sheet = told.make_rule(tuple(released))
            assert type(sheet).from_json(sheet.to_json()) == sheet


def test_auto_takes_it_for_sheets() -> None:
    for budget in (Budget(1), Budget(1, "1e-6")):
        assert choose_learner(parse_class(CLASS), budget)[0].method == "score_sheet"


def test_a_sheet_of_too_many_conditions_is_not_written() -> None:
    """A model file may hold one, whose SQL would be longer than any database reads."""
    ages = Cells(tuple(map(str, range(3000))), "age")
    points = tuple(i % 2 for i in range(ages.size))
    sheet = ScoreSheet(Product((ages,)), (0,), (points,), 1, (0, 1))
    for write in (sheet.to_polars, lambda: sheet.to_sql("duckdb")):
        with pytest.raises(TooLargeError, match="the limit is 1,000"):
            write()


def test_it_refuses_before_the_spend() -> None:
    with pytest.raises(DeclarationError, match="score sheets"):
        ScoreSheetLearner(parse_class("trees(age: 0..80 step 10)"), Budget(1))
    H: Any = parse_class(CLASS)
    with pytest.raises(TooLargeError, match="room"):
        ScoreSheetLearner(H, Budget(1)).require_affordable(1 << 41)
    for text in ("at most 9", "at most 0", "at most 2, points 100"):
        with pytest.raises(DeclarationError, match="from 1 to"):
            parse_class(f"score_sheet(age: 0..80 step 10; {text})")


@pytest.mark.parametrize("delta", ["1e-6", "0"])
def test_no_question_moves_its_sums_further_than_the_step_may(delta: str) -> None:
    """Whoever asks need not be trusted: any question is answered within the bounds, or not at all."""
    H: Any = parse_class(CLASS)
    event, rng, answered = ScoreSheetLearner(H, Budget(1, delta)).sums, random.Random(7), 0
    kinds: tuple[Any, ...] = ("label", "cells", "products", "totals")
    for seed in range(400):
        columns = tuple(rng.choices(range(3), k=rng.randrange(1, 5)))
        numbers = tuple(
            np.array(rng.choices(range(rng.choice((2, 40))), k=H.sizes[j])) for j in columns
        )
        ends = tuple(rng.choices(range(100), k=rng.choice((0, 11, 50))))
        scale = rng.choice((-3, 0, 1, 2, 50, 10**6))
        asked = Question(rng.choice(kinds), columns, numbers, scale, ends)
        i = rng.randrange(5)
        step, fitting = event.steps[i], asked.fit_into(event, i)
        one, other = (coded(H, sample_of(H, 1, 2 * seed + j)) for j in (0, 1))
        for question in (asked, fitting):
            change = question.answer(one, event, i) - question.answer(other, event, i)
            moved = [int(x) for x in change]
            answered += any(moved)
            assert len(moved) <= step.count
            if event.delta:
                assert sum(x * x for x in moved) <= min(step.squared, question.moves[1])
            else:
                assert sum(map(abs, moved)) <= min(step.l1, question.moves[0])
        more = replace(fitting, scale=fitting.scale + 1)
        assert not more.answer(one, event, i).any()  # the largest scale that fits
    assert answered > 200


WHOLE = [-(2**63), -(2**31), -128, -1, 0, 1, 3, 127, 2**40]
ODD: list[Any] = [
    *(np.array(WHOLE, kind) for kind in (np.int64, np.float32, object)),
    np.array(WHOLE).astype(np.int8),
    np.array([1.9, -1.9, 1e300, np.inf, -np.inf, np.nan, 0.5, -0.0]),
    np.array([True, False]),
    np.array([3]),
    np.array([3, -128, 3, -128, -128, 3, 3, 3, 3], np.int8),
    *[np.array([5, 2, 8, 3, 0, 7, 4, 1, 6, 9])] * 4,
]


@pytest.mark.filterwarnings("ignore:invalid value")
@pytest.mark.parametrize("delta", ["1e-6", "0"])
def test_no_odd_question_moves_its_sums_further_than_the_step_may(delta: str) -> None:
    """Numbers of other types and of any length, floats, no ends in order, scales that overflow."""
    H: Any = parse_class("score_sheet(a: 0..8, b: 0..8, c in {x, y}; at most 2)")
    event, rng, answered = ScoreSheetLearner(H, Budget(1, delta)).sums, random.Random(1), 0
    points = list(H.domain)
    for _ in range(400):
        columns = tuple(rng.choices(range(-3, 3), k=rng.randrange(1, 6)))
        numbers = tuple(rng.choice(ODD) for _ in columns)
        numbers = rng.choice([numbers, (numbers[0],) * len(columns)])
        ends = tuple(rng.choices([-1.5, *range(16), 2**40], k=rng.randrange(9)))
        scale: Any = rng.choice([1, np.int64(2**32), np.int8(16), -(2**70), 0.5, True])
        kind: Any = rng.choice(["cells", "products", "totals", "others"])
        asked = Question(kind, columns, numbers, scale, ends)
        i, table = rng.randrange(5), rng.choices(points, k=9)
        fits, answers = rng.random() < 0.5, list[list[Any]]()
        for _ in range(3):
            records = [(x, 1) for x in (rng.choice(points), *table)]
            data = coded(H, Sample.from_examples(H.domain, records))
            try:
                question = asked.fit_into(event, i) if fits else asked
                answers.append([int(x) for x in question.answer(data, event, i)])
            except (ArithmeticError, LookupError, TypeError, ValueError) as error:
                answers.append([str(error)])  # the question's fault, whatever the records
        for one, other in combinations(answers, 2):
            if any(isinstance(x, str) for x in (*one, *other)):
                assert one == other
                continue
            moved = [a - b for a, b in zip(one, other, strict=True)]
            answered += any(moved)
            if event.delta:
                assert sum(x * x for x in moved) <= event.steps[i].squared
            else:
                assert sum(map(abs, moved)) <= event.steps[i].l1
    assert answered > 20


ASKED = "littlestone.privacy.mechanisms.record_sums:Question"
CODES = "littlestone.classes.counting.blocks:CellCodes"
ENDS = Fault(
    f"{ASKED}.__post_init__",
    "tuple(sorted(map(int, self.ends)))",
    "tuple(map(int, self.ends))",
    "ends are used in the order in which they come",
)
ODD_FAULTS = [
    Fault(
        f"{ASKED}.__post_init__",
        "np.asarray(own).astype(np.int64).clip(-FARTHEST, FARTHEST)",
        "np.asarray(own)",
        "numbers keep their type, and have no largest",
    ),
    Fault(f"{ASKED}.__post_init__", "int(self.scale)", "self.scale", "a scale keeps its type"),
    Fault(
        f"{CODES}._numbers",
        'own.take(self.codes[j], mode="clip")',
        "own[self.codes[j]]",
        "a record whose cell has no number raises an error",
    ),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("fault", ODD_FAULTS, ids=lambda fault: fault.mistake)
def test_each_fault_of_odd_questions_is_caught(
    fault: Fault, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns_red(
        fault, test_no_odd_question_moves_its_sums_further_than_the_step_may, monkeypatch, "1e-6"
    )


def test_ends_may_come_in_any_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search among ends out of order would begin where that of the record before ended."""

    def is_run_of_each_record() -> None:
        H: Any = parse_class("score_sheet(a: 0..20; at most 1)")
        rng = random.Random(3)
        for _ in range(20):
            ends = tuple(rng.choices(range(20), k=6))
            asked = Question("totals", (0,), (np.arange(23),), ends=ends)
            runs = [0] * 7
            points = rng.sample(list(H.domain), k=8)
            for (x,) in points:
                total = H.domain.columns[0].index(x)
                runs[sum(end <= total for end in ends)] += 1
            data = coded(H, Sample.from_examples(H.domain, [(x, 1) for x in points]))
            assert asked.add_up(data).tolist() == [*runs, *[0] * 7]

    turns_red(ENDS, is_run_of_each_record, monkeypatch)


def test_a_sheet_is_drawn_and_printed() -> None:
    H: Any = parse_class(CLASS)
    for n in (1, 2_000):
        sheet = fit(H, Budget(4, "1e-6"), sample_of(H, n))
        drawn = sheet_picture(sheet).svg()
        printed: list[object] = []
        print_sheet(sheet, printed.append)
        for name, cells in sheet.points_by_column():
            assert name in drawn
            assert all(f"{points:+d}" in drawn for _, points in cells)
        assert sheet.label_by_total in drawn
        assert sheet.label_by_total in str(printed[-1])


def test_artificial_records_are_as_correlated_as_was_counted() -> None:
    # Cells that are either of two are less correlated than the normal numbers that choose them.
    even = Column(np.array([-1.0, 1.0]), 1.0, np.eye(2), np.array([500.0, 500.0]))
    rare = Column(np.array([-1.0, 1.0]), 1.0, np.eye(2), np.array([800.0, 200.0]))
    for wanted in (0.4, -0.3):
        both = artificial_records([even, rare], np.array([[1.0, wanted], [wanted, 1.0]]))
        assert abs(float(np.corrcoef(both).min()) - wanted) < 0.03
        assert np.bincount(both[1]).tolist() == [RECORDS * 4 // 5, RECORDS // 5]


def test_correlations_of_few_records_or_under_much_noise_count_half() -> None:
    even = Column(np.array([-1.0, 1.0]), 1.0, np.eye(2), np.array([500.0, 500.0]))
    n, signs = round(COMMON**-2), np.array([-1, 1])
    for variance, records in ((0.0, n), ((1000 * COMMON) ** 2, 1000)):
        products = 0.5 * records * (np.ones((2, 2)) + np.eye(2))
        found = correlate(products, variance, [even, even], [signs, signs], records)
        assert abs(found[0, 1] - 0.25) < 0.01


def test_a_line_stays_that_adds_up_to_the_positive_records_that_are_known() -> None:
    totals, nothing = np.repeat([-2.0, 2.0], [900, 100]), np.zeros((2, 2))
    n, known = 10**6, (1000 * float(logistic(totals).sum()), 0.0)
    assert calibrate((0.0, 1.0), totals, [0], nothing, 1e15, n, known) == (0, 1000)
