"""Columns with a type alone are cut at public numbers, the same for every table."""

from __future__ import annotations

import random
import re
from decimal import Decimal
from itertools import pairwise
from typing import Any

import polars
import pytest

import littlestone
from each import each
from littlestone.base.errors import DeclarationError
from littlestone.classes import parse_class
from littlestone.classes.text.mixed_columns import mixed_text, parse_mixed
from littlestone.classes.text.scales import A_DECADE, MOST_CUTS, choose_scale, scale
from littlestone.pictures.ranges import Axis
from littlestone.points import Cells, Integers, Strings

KINDS = ("number", "integer")
PAID: dict[str, Any] = {"epsilon": 8, "dataset": "d", "simulation_seed": 1}
pytestmark = pytest.mark.filterwarnings("ignore::littlestone.base.errors.NotPrivateWarning")


def test_scales_are_sorted_nested_and_have_both_signs() -> None:
    for kind in KINDS:
        scales = [list(map(Decimal, scale(kind, a))) for a in A_DECADE]
        for cuts in scales:
            assert cuts == sorted(set(cuts))
            assert {Decimal(-(10**12)), Decimal(0), Decimal(10**12)} <= set(cuts)
            # What is below 0 is there above 0 too.
            assert {-v for v in cuts if v < 0} <= set(cuts)
        for finer, coarser in pairwise(scales):
            assert set(coarser) < set(finer)
    assert all(v == int(v) for v in map(Decimal, scale("integer", 90)))
    assert set(map(str, range(21))) <= set(scale("integer", 1))


def test_a_scale_is_scale_free() -> None:
    """Ten times a cut between 0.01 and 100,000 is a cut."""
    for a in A_DECADE:
        cuts = set(map(Decimal, scale("number", a)))
        inside = [v for v in cuts if Decimal("0.01") <= abs(v) < 10**5]
        assert len(inside) > 7 * a
        assert {10 * v for v in inside} <= cuts


@each("a", A_DECADE)
def test_neighbouring_cuts_are_near(a: int) -> None:
    cuts = [v for v in map(Decimal, scale("number", a)) if Decimal("0.01") <= v <= 10**6]
    most = {90: Decimal("1.1"), 18: Decimal("1.5"), 9: 2, 3: Decimal("2.5"), 1: 10}[a]
    assert max(high / low for low, high in pairwise(cuts)) == most


def test_the_scale_depends_on_the_kinds_alone() -> None:
    names = ", ".join(f"{name}: number" for name in ("age", "income"))
    other = ", ".join(f"{name}: number" for name in ("a", "b"))
    H: Any
    K: Any
    H, K = (parse_class(f"trees({columns}; depth 1)") for columns in (names, other))
    assert [c.starts for c in H.domain.columns] == [c.starts for c in K.domain.columns]
    for columns in range(1, 40):
        a = choose_scale(["number"] * columns)
        assert a == A_DECADE[-1] or columns * len(scale("number", a)) <= MOST_CUTS
        assert choose_scale(["number"] * (columns + 1)) <= a


@each("text", [f"x: {kind} with {a} cuts a decade" for kind in KINDS for a in A_DECADE])
def test_the_text_of_a_typed_column_is_read_back(text: str) -> None:
    column = parse_mixed(text)
    assert isinstance(column, Cells)
    assert parse_mixed(mixed_text(column)) == column
    assert parse_mixed(mixed_text(Strings(text))) == Strings(text)


def test_the_class_of_a_typed_column_is_that_of_its_cuts() -> None:
    written = "x at {" + ", ".join(scale("number", 1)) + "}"
    for form in ("trees({}; depth 2)", "conditions({}; at most 1)"):
        typed = parse_class(form.format("x: number with 1 cut a decade"))
        assert typed == parse_class(form.format(written))
        assert parse_class(str(typed)) == typed


@each(
    "text",
    [
        "x: number with 4 cuts a decade",
        "x: number with 0 cuts a decade",
        "x: int",
        "x: float",
        "x: numbers",
        "x: date",
        "x: bool",
        "x: 0-120",
        "x >= 65",
        "depth 2",
    ],
)
def test_what_is_no_type_is_refused(text: str) -> None:
    with pytest.raises(
        DeclarationError, match=r"cuts a decade|a list or a type|about days|an option"
    ):
        parse_class(f"trees({text}; depth 1)")
    assert parse_mixed(f"strings({text})") == Strings(text)


def test_a_picture_of_a_scale_marks_0_and_gives_each_cell_one_width() -> None:
    axis = Axis.of_column(Cells(scale("integer", 3), "x"))
    widths = [high - low for low, high in pairwise(axis.ends[:-1])]
    assert max(widths) - min(widths) < 1e-9
    cut = axis.starts.index("5000")
    assert [text for _, text, _ in axis.marks([cut])] == ["5000", "0"]


def test_every_class_of_conditions_takes_types_alone() -> None:
    for form in (
        "trees({}; depth 2)",
        "trees({}; depth 3)",
        "conditions({}; at most 2, either)",
        "conditions({}; at most 3)",
        "conditions({}; at most 1, between)",
        "conditions({}; at most 2, between)",
        "rule_list({}; at most 2)",
        "rule_sets({}; at most 2 rules of 2)",
    ):
        H: Any = parse_class(form.format("x: number, y: integer"))
        assert all(isinstance(column, Cells) for column in H.domain.columns)


def test_classes_that_need_a_range_say_so() -> None:
    schema = {"columns": {"x": {"type": "number"}, "code": {"type": "integer"}}}
    for text in ("thresholds(x)", "boxes(x, code)"):
        with pytest.raises(DeclarationError, match="needs the range of 'x'") as caught:
            littlestone.dim(text, schema=schema)
        assert "conditions(x: number; at most 1), which needs none" in caught.value.fix


def test_a_schema_knows_types_alone() -> None:
    columns = {"x": {"type": "number"}, "n": {"type": "integer"}, "y": {"type": "integer"}}
    schema = littlestone.Schema.make({"target": "y", "positive": 1, "columns": columns})
    assert dict(schema.class_columns().texts)["x"] == "x: number"
    g = random.Random(0)
    x = [g.choice([-1, 1]) * 10 ** g.uniform(-3, 9) for _ in range(600)]
    table = polars.DataFrame({"x": x, "n": [1] * 600, "y": [int(v >= 5000) for v in x]})
    with littlestone.Ledger() as ledger:
        release = littlestone.fit(table, schema=schema, ledger=ledger, **PAID)
    assert "x: number with 90 cuts a decade" in release.hypotheses
    again = littlestone.learn.Release.from_json(release.to_json())
    assert again == release
    wrong = sum(p != y for p, y in zip(again.predict(table), table["y"], strict=True))
    assert wrong <= 12
    cuts = re.findall(r"x (?:>=|<) (-?[0-9.]+)", release.hypothesis.words())
    assert cuts
    for cut in cuts:
        assert cut in scale("number", 90)
        assert cut in release.to_sql("duckdb")


def test_a_whole_number_of_a_schema_stays_a_code_where_values_count() -> None:
    schema = littlestone.Schema.make({"columns": {"code": {"type": "integer"}, "w": {}}})
    H: Any = parse_class("rules(code, w; at most 2)", 2, schema.class_columns())
    assert H.domain.columns == (Integers("code"), Strings("w"))
    H = parse_class("rule_sets(code, w; at most 2 rules of 2)", 2, schema.class_columns())
    assert H.domain.columns == (Integers("code"), Strings("w"))
    H = parse_class("conditions(code; at most 1)", 2, schema.class_columns())
    assert isinstance(H.domain.columns[0], Cells)
