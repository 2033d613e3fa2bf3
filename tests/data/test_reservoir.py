"""At most k records of each unit are kept: which ones, and that nothing is left of the others."""

import random
import tracemalloc
from collections import Counter
from collections.abc import Hashable
from fractions import Fraction
from itertools import combinations
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import polars
import pytest

from littlestone.base.errors import DeclarationError, TableError
from littlestone.data import Label, open_table, read_sample, reading
from littlestone.data.coding import code_column
from littlestone.data.reading import Reservoir
from littlestone.data.sample import Sample
from littlestone.points import Integers, Product, Strings
from littlestone.points.units import MOST_RECORDS, Unit
from littlestone.prove.audit.choices import Choices
from littlestone.prove.audit.subjects.units import UnitTable
from planting import Fault, turns_red

LABEL = Label.parse("y", 1)
NUMBERS = Integers("x")


def kept(data: Any, most: int, rng: random.Random) -> Sample[Any]:
    keep = Reservoir(Unit("unit", most), rng)
    return read_sample(UnitTable(data), NUMBERS, LABEL, keep=keep)


def records(sample: Sample[Any]) -> frozenset[Any]:
    rows = zip(sample.points, map(tuple, sample.counts.tolist()), strict=True)
    return frozenset(rows)


def law(data: Any, most: int) -> dict[frozenset[Any], Fraction]:
    choices = Choices()
    return choices.explore(lambda: records(kept(data, most, choices.generator())))


@pytest.mark.parametrize("most", [1, 2, 3, 4])
@pytest.mark.parametrize("sizes", [(4,), (1, 4), (3, 2), (4, 3)])
def test_every_set_of_k_records_is_equally_likely(most: int, sizes: tuple[int, ...]) -> None:
    """Over batches of two rows each, with the units' rows interleaved."""
    data = tuple(
        tuple((10 * unit + i, i % 2) for i in range(size)) for unit, size in enumerate(sizes)
    )
    ways = 1
    for size in sizes:
        ways *= comb(size, min(size, most))
    found = law(data, most)
    assert len(found) == ways
    assert set(found.values()) == {Fraction(1, ways)}
    for sample in found:
        assert {x // 10: 0 for x, _ in sample} == dict.fromkeys(range(len(sizes)), 0)


def test_what_is_kept_of_a_unit_does_not_depend_on_others() -> None:
    first = ((1, 0), (2, 1), (3, 0))

    def of_first(others: Any) -> dict[Hashable, Fraction]:
        found: dict[Hashable, Fraction] = {}
        for sample, mass in law((first, *others), 2).items():
            own = frozenset(row for row in sample if row[0] in (1, 2, 3))
            found[own] = found.get(own, Fraction(0)) + mass
        return found

    alone = of_first(())
    assert len(alone) == 3
    for others in ((((7, 1),),), (((7, 1),) * 4,), (((7, 0), (8, 1)), ((9, 0),) * 3)):
        assert of_first(others) == alone


@pytest.mark.parametrize("most", [1, 2, 5])
def test_n_is_the_number_of_places(most: int) -> None:
    for data in ([((1, 0),), ((2, 0),)], [((1, 0),) * 9, ((2, 1),) * 3]):
        sample = kept(tuple(data), most, random.Random(1))
        assert (sample.n, sample.units) == (2 * most, 2)
        held = sum(min(most, len(block)) for block in data)
        assert sample.records().n == sample.counts.sum() == held
        assert sample.records().unit is None


def test_values_of_one_text_are_one_unit(tmp_path: Path) -> None:
    """Also all missing ones: a person's records without a value count once and not each."""
    units = ["7", 7, 7.0, None, float("nan"), "", "None", "a ", "a", "é", "é"]
    keep = Reservoir(Unit("unit", 1), random.Random(0))
    keep.add(code_column(units), [code_column(units).codes])
    assert keep.units == 6
    (tmp_path / "t.csv").write_text("unit,x,y\n,1,1\n,2,1\n,3\na,4,0\n", encoding="utf-8")
    keep = Reservoir(Unit("unit", 1), random.Random(0))
    sample = read_sample(open_table(tmp_path / "t.csv"), NUMBERS, LABEL, keep=keep)
    assert (sample.n, sample.units, len(sample.points)) == (2, 2, 2)


def test_all_sources_give_the_same_units(tmp_path: Path) -> None:
    rows = [(f"p{i % 3000}", i % 7, i % 2) for i in range(20_000)]
    frame = polars.DataFrame(rows, schema=["unit", "x", "y"], orient="row")
    frame.write_csv(tmp_path / "t.csv")
    frame.write_parquet(tmp_path / "t.parquet")
    found = []
    for source in (frame, frame.to_pandas(), tmp_path / "t.csv", tmp_path / "t.parquet"):
        keep = Reservoir(Unit("unit", 2), random.Random(5))
        sample = read_sample(open_table(source), NUMBERS, LABEL, keep=keep)
        assert (sample.units, sample.records().n) == (3000, 6000)
        found.append(records(sample))
    # With one seed the draws are the same ones, because they come in the order of the records.
    assert len(set(found)) == 1


def test_a_value_without_records_is_no_unit() -> None:
    """Columns may list more values than occur, and U would tell of their range or of other tables."""
    numbers = polars.DataFrame({"unit": [3, 900, 3], "x": [1, 2, 3], "y": [1, 1, 0]})
    words = numbers.with_columns(polars.Series("unit", ["b", "c", "b"], polars.Enum(list("abcd"))))
    for frame in (numbers, words, words.to_pandas()):
        keep = Reservoir(Unit("unit", 2), random.Random(5))
        assert read_sample(open_table(frame), NUMBERS, LABEL, keep=keep).n == 4


def test_nothing_is_left_of_a_record_that_is_not_kept() -> None:
    """Not even as a value without records, of which a learner could make candidates."""
    domain = Product((Strings("a"), Integers("b")))
    frame = polars.DataFrame(
        {
            "unit": ["u"] * 50 + ["v"],
            "a": [f"w{i}" for i in range(51)],
            "b": range(51),
            "y": [1] * 51,
        }
    )
    keep = Reservoir(Unit("unit", 2), random.Random(3))
    sample = read_sample(open_table(frame), domain, LABEL, keep=keep)
    assert len(sample.points) == 3
    for j in range(2):
        values, codes = sample.column(j)
        assert len(values) == 3
        assert sorted(codes.tolist()) == [0, 1, 2]


def test_the_unit_may_be_a_column_of_the_class() -> None:
    frame = polars.DataFrame({"x": [1, 1, 1, 2], "y": [1, 1, 1, 0]})
    keep = Reservoir(Unit("x", 1), random.Random(3))
    sample = read_sample(open_table(frame), NUMBERS, LABEL, keep=keep)
    assert records(sample) == {(1, (0, 1)), (2, (1, 0))}


def one_by_one(rows: list[tuple[int, int]], most: int, rng: random.Random) -> list[int]:
    """Algorithm R for each unit by itself, in the order of the rows; the records that are kept."""
    seen, places = Counter[int](), dict[tuple[int, int], int]()
    for unit, record in rows:
        place = seen[unit] if seen[unit] < most else rng.randrange(seen[unit] + 1)
        if place < most:
            places[unit, place] = record
        seen[unit] += 1
    return sorted(places.values())


@pytest.mark.parametrize(
    ("units", "most", "rows"), [(3, 1, 400), (7, 40, 3_000), (2_500, 2, 9_000), (40, 1_000, 5_000)]
)
def test_many_records_are_kept_as_one_by_one(units: int, most: int, rows: int) -> None:
    """From the same generator, in batches of many sizes; n is the number of places alone."""
    rng = random.Random(rows)
    drawn = [(rng.randrange(units), i) for i in range(rows)]
    unit, begin = Unit("unit", most), 0
    keep = Reservoir(unit, random.Random(5))
    while begin < rows:
        batch = drawn[begin : begin + rng.choice([1, 7, 300, 4_000])]
        keep.add(code_column([u for u, _ in batch]), [np.array([i for _, i in batch])])
        begin += len(batch)
    assert sorted(keep.columns()[0].tolist()) == one_by_one(drawn, most, random.Random(5))
    assert keep.units == len({u for u, _ in drawn})
    empty = Sample(NUMBERS, (), np.zeros((0, 2), np.int64), unit, keep.units)
    assert empty.n == most * keep.units


RESERVOIR = "littlestone.data.reading:Reservoir"
FAULTS = [
    Fault(f"{RESERVOIR}.add", "randrange(j + 1)", "randrange(min(j + 1, 64))", "the 64th for ever"),
    Fault(
        f"{RESERVOIR}.add", "< self._most)", "< self._most + (len(units) > 3000))", "a place more"
    ),
    Fault(
        f"{RESERVOIR}._merge",
        "np.unique(places[::-1], ",
        "np.unique(places[:: -1 if len(places) < 2000 else 1], ",
        "of many records the first of a place",
    ),
    Fault(
        "littlestone.data.sample:Sample.n",
        "if self.unit is None",
        "if self.unit is None or self.units > 1000",
        "the private number of records of many units",
    ),
]


@pytest.mark.deep
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.mistake)
def test_each_fault_turns_red(fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    def all_sizes() -> None:
        test_many_records_are_kept_as_one_by_one(7, 40, 3_000)
        test_many_records_are_kept_as_one_by_one(2_500, 2, 9_000)

    turns_red(fault, all_sizes, monkeypatch)


@pytest.mark.parametrize("most", [0, -1, MOST_RECORDS + 1, True, 1.0, "3"])
def test_an_illegal_number_is_refused(most: Any) -> None:
    with pytest.raises(DeclarationError, match="not a whole number from 1 to 1,000"):
        Unit("patient", most)


@pytest.mark.parametrize(("column", "most"), [("patient", None), (None, 3), ("", 3), (7, 3)])
def test_an_incomplete_declaration_is_refused(column: Any, most: Any) -> None:
    with pytest.raises(DeclarationError):
        Unit.declare(column, most)


def test_a_missing_column_and_an_empty_table() -> None:
    keep = Reservoir(Unit("patient", 1), random.Random(0))
    with pytest.raises(TableError, match="patient"):
        read_sample(UnitTable((((1, 0),),)), NUMBERS, LABEL, keep=keep)
    keep = Reservoir(Unit("unit", 1), random.Random(0))
    with pytest.raises(TableError, match="no rows"):
        read_sample(UnitTable(()), NUMBERS, LABEL, keep=keep)


def test_k_records_are_all_subsets() -> None:
    block = tuple((i, 0) for i in range(4))
    found = {frozenset(x for x, _ in sample) for sample in law((block,), 2)}
    assert found == set(map(frozenset, combinations(range(4), 2)))


def test_void_places_take_no_memory() -> None:
    """A declaration of many records of each unit must not exhaust the machine."""
    most = MOST_RECORDS
    tracemalloc.start()
    keep = Reservoir(Unit("unit", most), random.Random(0))
    for start in (0, 2000, 1000):
        units = np.arange(start, start + 2000)
        keep.add(code_column(units.tolist()), [units, units % 7])
    columns = keep.columns()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert keep.units == 4000
    assert [len(column) for column in columns] == [6000, 6000]
    assert peak < 1 << 23


def test_merging_in_between_keeps_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    units = [f"u{i % 11}" for i in range(400)]
    found = []
    for few in (0, 7, 1 << 20):
        monkeypatch.setattr(reading, "_FEW", few)
        keep = Reservoir(Unit("unit", 3), random.Random(5))
        for start in range(0, 400, 13):
            batch = units[start : start + 13]
            keep.add(code_column(batch), [np.arange(start, start + len(batch))])
        found.append(keep.columns()[0].tolist())
    assert len(found[0]) == 33
    assert found[0] == found[1] == found[2]
