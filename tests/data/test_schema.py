"""Schemas: what they declare, what classes and labels take from them, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import littlestone
from declaring import choose_task
from each import each
from littlestone.base.errors import DeclarationError, LittlestoneError, TableError
from littlestone.classes import parse_class
from littlestone.learn.declared.schema import Schema
from littlestone.learn.declared.schema_columns import heading, toml_text
from littlestone.points import Cells, Listed, Strings
from littlestone.points.units import Unit

TEXT = """
target = "late"
positive = "yes"
unit = "id"
max_records = 3
[columns.id]
type = "text"
[columns.age]
range = [0, 120]
step = 20
[columns.price]
range = [1, 1000]
log_steps = 3
[columns.weight]
cuts = [0.5, 1, 2.50]
[columns.sex]
values = ["F", "M"]
[columns.floor]
type = "integer"
values = [1, 2, 3]
[columns.member]
type = "boolean"
[columns.late]
values = ["yes", "no"]
"""
SCHEMA = Schema.parse(TEXT)
FEATURES = ["age", "price", "weight", "sex", "floor", "member"]


def refused(text: str, **options: Any) -> str:
    with pytest.raises(DeclarationError) as error:
        Schema.parse(text, **options)
    shown = str(error.value)
    assert shown.startswith("cannot read the schema")
    assert shown.count("\nto fix it: ") == 1
    return shown


def columns(text: str, schema: Schema = SCHEMA) -> tuple[Any, ...]:
    return parse_class(text, schema=schema.class_columns()).domain.columns  # type: ignore[attr-defined, no-any-return]


def test_all_columns_but_the_label_and_the_unit() -> None:
    found = columns("trees(*; depth 1)")
    assert [column.name for column in found] == FEATURES
    age, price, weight, sex, floor, member = found
    assert age == Cells(("0", "20", "40", "60", "80", "100", "120"), "age")
    assert price.starts == ("1", "10", "100", "1000")
    assert weight.starts == ("0.5", "1", "2.5")
    assert sex == Listed(("F", "M"), "sex")
    assert floor == Listed(("1", "2", "3"), "floor")
    assert [member.encode(v) for v in (True, "false", "1", None)] == ["1", "0", "1", ""]


def test_another_label_or_unit_takes_its_place() -> None:
    assert SCHEMA.class_columns("sex").all == ("age", "price", "weight", "floor", "member", "late")
    assert SCHEMA.class_columns("late", "sex").all == ("age", "price", "weight", "floor", "member")


@pytest.mark.parametrize(
    ("text", "same"),
    [
        (
            "conditions(age, sex; at most 1)",
            "conditions(age: 0..120 step 20, sex in {F, M}; at most 1)",
        ),
        (
            "conditions(sex, age 0..10; at most 1)",
            "conditions(sex in {F, M}, age 0..10; at most 1)",
        ),
        ("thresholds(age)", "thresholds(age, 0..120; step 20)"),
        ("thresholds(age, 0..9)", "thresholds(age, 0..9)"),
        ("intervals(age)", "intervals(age, 0..120; step 20)"),
        ("stumps(age, floor 0..9)", "stumps(age 0..120 step 20, floor 0..9)"),
        ("rules(sex, id; at most 1)", "rules(sex, id; at most 1)"),
        ("rule_sets(sex; at most 2 rules of 1)", "rule_sets(sex in {F, M}; at most 2 rules of 1)"),
        (
            "union(thresholds(age), intervals(age))",
            "union(thresholds(age, 0..120; step 20), intervals(age, 0..120; step 20))",
        ),
        ("complement(thresholds(age))", "complement(thresholds(age, 0..120; step 20))"),
        (
            "direct_sum(thresholds(age), points(id))",
            "direct_sum(thresholds(age, 0..120; step 20), points(id))",
        ),
        (
            "combine(or, thresholds(age), thresholds(age))",
            "combine(or, thresholds(age, 0..120; step 20), thresholds(age, 0..120; step 20))",
        ),
        ("conjunctions(member)", "conjunctions(member)"),
    ],
)
def test_a_class_takes_its_columns_from_the_schema(text: str, same: str) -> None:
    found = parse_class(text, schema=SCHEMA.class_columns())
    assert str(found) == str(parse_class(same))
    assert found.domain == parse_class(same).domain
    SCHEMA.require_class(found)


def test_equal_steps_and_negative_values() -> None:
    schema = Schema.parse(
        "[columns.x]\nrange = [0, 8]\nsteps = 4\n[columns.y]\ntype = 'integer'\nvalues = [-1, 0, 1]"
    )
    assert columns("trees(*; depth 1)", schema) == (
        Cells(("0", "2", "4", "6", "8"), "x"),
        Listed(("-1", "0", "1"), "y"),
    )


def test_open_columns() -> None:
    schema = Schema.parse('[columns.ward]\ntype = "text"\n[columns.code]\ntype = "integer"')
    assert columns("rules(*; at most 1)", schema)[0] == Strings("ward")
    H: Any = parse_class("trees(*; depth 1)", schema=schema.class_columns())
    ward, code = H.domain.columns
    assert ward == Strings("ward")
    assert type(code) is Cells  # a whole number without a range is cut at round numbers


def test_what_the_schema_leaves_open_is_not_guessed() -> None:
    schema = Schema.parse("[columns.age]")
    for text in ("trees(*; depth 1)", "thresholds(age)", "stumps(age)"):
        with pytest.raises(DeclarationError, match="no range and no values for 'age'"):
            columns(text, schema)
    assert columns("rules(age, age2; at most 1)", schema)[0] == Strings("age")


def test_a_long_range_is_one_of_thresholds() -> None:
    """Only classes of conditions need few cells, and they say so."""
    schema = Schema.parse("[columns.x]\nrange = [0, 1000000]")
    assert littlestone.dim("thresholds(x)", schema=schema) == 19
    with pytest.raises(DeclarationError, match="1,000,001 cells, more than 4,096") as error:
        columns("conditions(x; at most 1)", schema)
    assert "in a schema: steps = 30" in str(error.value)


def test_a_star_needs_a_schema() -> None:
    with pytest.raises(DeclarationError, match="there is none"):
        parse_class("trees(*; depth 1)")
    alone = Schema.parse('target = "y"\npositive = 1\n[columns.y]\ntype = "integer"')
    with pytest.raises(DeclarationError, match="no columns to learn from"):
        columns("trees(*; depth 1)", alone)


ODD = [
    "a, b",
    "x in {a}",
    "it's",
    " x ",
    "strings(a)",
    "integers(b)",
    "age: 0..5",
    "a;b",
    'say "x"',
    "*",
    "age 0..5",
    "a\tb",
    "x at {1}",
    "näme",
    "list(a)",
    "'quoted'",
    "a)b",
    "x 0..5 step 1",
    "a\\b",
]
KINDS = [
    ("range = [0, 10]\nstep = 5", Cells),
    ("range = [1, 100]\nlog_steps = 2", Cells),
    ("cuts = [0, 1]", Cells),
    ('values = ["a, b", "{", "it\'s"]', Listed),
    ('type = "text"', Strings),
    ('type = "integer"', Cells),
    ('type = "boolean"', Cells),
]


@each("name", ODD)
@each(("entry", "kind"), KINDS, ids=range(len(KINDS)))
def test_every_name_is_written_so_that_a_class_reads_it(name: str, entry: str, kind: Any) -> None:
    schema = Schema.parse(f"{heading(name)}\n{entry}")
    found = columns("trees(*; depth 1)", schema)
    assert [(type(column), column.name) for column in found] == [(kind, name)]


@given(st.text(min_size=1, max_size=20), st.sampled_from(KINDS))
def test_any_name_is_read_or_refused(name: str, kind: tuple[str, Any]) -> None:
    text, refusal = f"[columns.{toml_text(name)}]\n{kind[0]}", ""
    try:
        schema = Schema.parse(text)
    except DeclarationError as error:
        refusal = str(error)
    if refusal:
        assert refusal.startswith("cannot read the schema: ")
        return
    assert [column.name for column in columns("trees(*; depth 1)", schema)] == [name]


@each(
    ("text", "found", "fix"),
    [
        ("", "no columns", "[columns.age]"),
        ("target = 'y'", "no columns", "[columns.age]"),
        ("columns = 3", "no columns", "[columns.age]"),
        ("tarjet = 'y'", "'tarjet' is unknown", "did you mean 'target'?"),
        ("[age]\nrange = [0, 1]", "'age' is unknown", "write [columns.age]"),
        ("[columns]\nage = 3", "'age' has no keys", "[columns.age]"),
        ("[columns.x]\nrnage = [0, 1]", "unknown key 'rnage'", "did you mean 'range'?"),
        ("[columns.x]\ntype = 'nummer'", "is unknown", "did you mean 'number'?"),
        ("[columns.x]\ntype = []", "is unknown", "boolean, date, datetime, integer, number, text"),
        ("[columns.x]\nrange = [5, 5]", "the range is empty", "range = [0, 120]"),
        ("[columns.x]\nrange = [5, 1]", "the range is empty", "range = [0, 120]"),
        (
            "[columns.x]\nrange = [0, 10]\nstep = 3",
            "not a whole number of steps",
            "range = [0, 120]",
        ),
        ("[columns.x]\nrange = [0, 10]\nstep = 0", "not a positive number", "range = [0, 120]"),
        ("[columns.x]\nrange = [0, 10]\nstep = -1", "not a positive number", "range = [0, 120]"),
        (
            "[columns.x]\nrange = [0, 10]\nstep = '1'",
            "step is not made of numbers",
            "without quotes",
        ),
        ("[columns.x]\nrange = [0, 10]\nsteps = 0", "steps is not a whole number", "steps = 30"),
        ("[columns.x]\nrange = [0, 10]\nsteps = true", "steps is not a whole number", "steps = 30"),
        ("[columns.x]\nrange = [0, 10]\nlog_steps = 3", "low end above 0", "log_steps = 30"),
        ("[columns.x]\nrange = [0, 10]\nstep = 1\nsteps = 3", "both step and steps", "one of step"),
        ("[columns.x]\nstep = 1", "step and no range", "range = [0, 120]"),
        (f"[columns.x]\nvalues = {[*map(str, range(1001))]}", "1,001 values", "values = ["),
        ("[columns.x]\nrange = [0, 100000]\nstep = 7", "cells, more than 4,096", "log_steps = 30"),
        ("[columns.x]\nrange = [0, 1, 2]", "without two ends", "range = [0, 120]"),
        ("[columns.x]\nrange = '0..5'", "range is not made of numbers", "without quotes"),
        ("[columns.x]\nrange = [true, 5]", "range is not made of numbers", "without quotes"),
        ("[columns.x]\nrange = [0, inf]", "range is not made of numbers", "10^30"),
        ("[columns.x]\nrange = [nan, 1]", "range is not made of numbers", "10^30"),
        ("[columns.x]\nrange = [0, 1e400]", "range is not made of numbers", "10^30"),
        ("[columns.x]\nrange = [0, 1e99999999999999999999]", "range is not made", "10^30"),
        ("[columns.x]\nrange = [0, 2020-01-01]", "range is not made of numbers", "without quotes"),
        ("[columns.x]\nrange = [2020-01-01, 2021-01-01]", "range is not made", 'type = "date"'),
        ("[columns.x]\ncuts = [3, 1]", "not in increasing order", "cuts = [0, 18, 65]"),
        ("[columns.x]\ncuts = [1, 1.0]", "given twice", "cuts = [0, 18, 65]"),
        ("[columns.x]\ncuts = []", "list is empty", "cuts = [0, 18, 65]"),
        ("[columns.x]\nrange = [0, 9]\nvalues = ['a']", "both range and values", "keep one"),
        ("[columns.x]\nvalues = ['a', 'b', 'a']", "a value twice", "each value once"),
        ("[columns.x]\nvalues = []", "not a list", "between quotes"),
        ("[columns.x]\nvalues = ['']", "not a list", "between quotes"),
        ("[columns.x]\nvalues = ['(other)']", "(other)", "each value once"),
        ("[columns.x]\nvalues = [true]", "not a list", "between quotes"),
        ("[columns.x]\nvalues = 'a'", "not a list", "between quotes"),
        ("[columns.x]\ntype = 'text'\nvalues = [1]", "not a list of texts", "between quotes"),
        (
            "[columns.x]\ntype = 'integer'\nvalues = ['1', 'b']",
            "'b' on its list is not of type integer",
            "integers",
        ),
        ("[columns.x]\nvalues = [1, 'b']", "'b' on its list is not of type number", "numbers"),
        (
            "[columns.x]\ntype = 'text'\nrange = [0, 9]",
            "the type text and range",
            'type = "number"',
        ),
        (
            "[columns.x]\ntype = 'boolean'\nvalues = ['a']",
            "the type boolean and values",
            "leave it out",
        ),
        ("[columns.'']\ntype = 'text'", "a column has no name", "leave it out"),
        ("[columns.'a:']\nrange = [0, 9]", "a name that no class can write", "rename the column"),
        (
            "target = 'z'\n[columns.zz]",
            "'z', which is not one of its columns",
            "did you mean 'zz'?",
        ),
        ("unit = 'z'\n[columns.x]", "'z', which is not one of its columns", "[columns.z]"),
        ("unit = 3\n[columns.x]", "unit is not text", "unit = "),
        ("unit = 'x'\ntarget = 'x'\n[columns.x]", "one column", "another"),
        ("max_records = 3\n[columns.x]", "no unit", "unit = "),
        (
            "unit = 'x'\nmax_records = 0\n[columns.x]",
            "max_records is not a whole",
            "max_records = 3",
        ),
        (
            "unit = 'x'\nmax_records = true\n[columns.x]",
            "max_records is not a whole",
            "max_records = 3",
        ),
        ("positive = 'a'\n[columns.x]", "no target", "target = "),
        ("labels = 'a,b'\n[columns.x]", "labels is not a list", "labels = ["),
        ("target = 'x'\nlabels = ['a']\n[columns.x]", "its label is wrong", "give a list"),
        (
            "target = 'x'\nlabels = ['a', 'b']\ndefault = 'c'\n[columns.x]",
            "its label is wrong",
            "'a'",
        ),
        (
            "target = 'x'\npositive = 'a'\nlabels = ['a', 'b']\n[columns.x]",
            "its label is wrong",
            "one of the two",
        ),
        ("target = 'x'\npositive = []\n[columns.x]", "positive is neither a value", "positive = "),
        ("target = 'x'\npositive = nan\n[columns.x]", "positive is neither a value", "positive = "),
        (
            "target = 'x'\npositive = 'yse'\n[columns.x]\nvalues = ['yes', 'no']",
            "'yse'|not on the list",
            "did you mean 'yes'?",
        ),
        (
            "target = 'x'\npositive = '> 3'\n[columns.x]\ntype = 'text'",
            "its label is wrong",
            "a value",
        ),
        (
            "target = 'x'\npositive = 'yes'\n[columns.x]\ntype = 'boolean'",
            "its label is wrong",
            "true or false",
        ),
        (
            "target = 'x'\npositive = 'x > 3'\n[columns.x]",
            "its label is wrong",
            "give '> 3' for `positive`;",
        ),
        (
            "target = 'x'\npositive = 'y > 3'\n[columns.x]\n[columns.y]",
            "another column, 'y'",
            "and 'y' for `target`",
        ),
    ],
)
def test_bad_schemas(text: str, found: str, fix: str) -> None:
    asked, _, advice = refused(text, name="the schema my.toml").partition("\nto fix it: ")
    assert asked.startswith("cannot read the schema my.toml: ")
    assert any(part in asked for part in found.split("|")), asked
    assert fix in advice, advice


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("".join(f"[columns.c{i}]\n" for i in range(10_001)), "10,001 columns, more than 10,000"),
        (
            "".join(f"[columns.c{i}]\nrange = [0, 4094]\n" for i in range(500)),
            "more than 131,072 cells and values together",
        ),
        (f"[columns.'{' ' * 15_000}b']\ntype = 'text'", "15,001 characters, more than 1,000"),
    ],
)
def test_what_would_take_long_to_read_is_refused(text: str, found: str) -> None:
    assert found in refused(text)


def test_what_is_no_toml_is_not_quoted() -> None:
    for text in (
        "name,age\nAlice,7",
        "a = 'Alice",
        "[[[[",
        "[" * 5000,
        "x = " + "9" * 5000,
        "x = 0x",
        "[Alice]\n[Alice]",
    ):
        shown = refused(text)
        assert "not TOML" in shown
        assert "Alice" not in shown
        assert "999" not in shown
        assert len(shown) < 300


def test_a_key_or_column_that_stands_there_twice_is_named_as_such() -> None:
    for text in ('[columns.a]\ntype = "text"\ntype = "text"\n', "[columns.a]\n[columns.a]\n"):
        assert "keep one of the two lines" in refused(text)


def test_a_name_that_needs_quotes_is_shown_with_them() -> None:
    shown = refused('target = "y"\n[columns.Konkavität] # mm\nrange = [0, 1]\n')
    assert 'write [columns."Konkavität"]: a name needs quotes' in shown
    assert "needs quotes around text" in refused("[columns.age]\nrange\n")


def test_files_that_are_no_schema(tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text("name\nAlice\n")
    (tmp_path / "TABLE.CSV.GZ").write_bytes(b"")
    latin, large = tmp_path / "latin.toml", tmp_path / "large.toml"
    latin.write_bytes(b"target = 'Alic\xe9'")
    large.write_bytes(b"#" * ((1 << 20) + 1))
    cases = [
        (table, "it is a table", "littlestone schema "),
        (tmp_path / "TABLE.CSV.GZ", "it is a table", "littlestone schema "),
        (tmp_path / "none.toml", "No such file", "schema.toml"),
        (tmp_path, "a folder or a device", "schema.toml"),
        (Path("/dev/zero"), "a folder or a device", "schema.toml"),
        (latin, "not UTF-8 text", "schema.toml"),
        (large, "more than 1,048,576", "schema.toml"),
        (Path("a\0b"), "not UTF-8 text", "schema.toml"),
    ]
    for path, found, fix in cases:
        with pytest.raises(DeclarationError) as error:
            Schema.read(path)
        asked, _, advice = str(error.value).partition("\nto fix it: ")
        assert asked.startswith("cannot read the schema ")
        assert found in asked
        assert fix in advice
        assert "Alic" not in asked
    with pytest.raises(DeclarationError, match="neither a path, a Schema nor a dict"):
        Schema.read(3)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("conditions(agee; at most 1)", "did you mean 'age'?"),
        ("conditions(agee, sex; any of)", "did you mean 'age'?"),
        ("points(sexx)", "did you mean 'sex'?"),
        ("thresholds(agee, 0..9)", "did you mean 'age'?"),
        ("direct_sum(thresholds(age), points(idd))", "did you mean 'id'?"),
        ("conditions(sex in {F, m}; at most 1)", "did you mean 'M'?"),
        ("conditions(floor in {1, 2, 9}; at most 1)", "not on the list"),
        ("thresholds(sex, 0..9)", "declares it as text"),
        ("thresholds(sex, reals)", "declares it as text"),
        ("conditions(id: 0..9; at most 1)", "declares it as text"),
        ("parities(sex, member)", "declares it as text"),
        ("thresholds(price)", "log steps"),
        ("thresholds(age; step 3)", "'step 3' is unknown"),
        ("conditions(*, age; at most 1)", "named twice"),
    ],
)
def test_classes_that_do_not_go_with_the_schema(text: str, found: str) -> None:
    with pytest.raises(DeclarationError) as error:
        littlestone.dim(text, schema=SCHEMA)
    assert found in str(error.value)


def test_a_class_object_is_checked_too() -> None:
    with pytest.raises(DeclarationError, match="no such column"):
        littlestone.dim(littlestone.Thresholds.on(0, 9), schema=SCHEMA)


def test_labels() -> None:
    assert str(SCHEMA.label()) == "late == yes"
    assert str(SCHEMA.label(positive="no")) == "late == no"
    assert SCHEMA.label("floor", labels="2,1").names == ("2", "1")
    assert str(SCHEMA.label("floor", "> 1")) == "floor > 1"
    assert SCHEMA.label("floor", "1.0")(1) == 1
    several = Schema.parse("target = 'x'\nlabels = ['a', 'b', 'c']\ndefault = 'b'\n[columns.x]")
    assert several.label().names == ("b", "a", "c")
    assert several.label(default="c").names == ("c", "a", "b")
    assert several.label_count == 3
    assert str(several.label(positive="a")) == "x == a"
    one = Schema.parse("target = 'x'\npositive = true\n[columns.x]\ntype = 'boolean'")
    assert [one.label()(v) for v in (True, "true", 1, False, None)] == [1, 1, 1, 0, 0]
    for arguments, found in (
        (("lat", "yes"), "did you mean 'late'?"),
        (("floor",), "neither `positive`"),
        (("late", "maybe"), "not on the list"),
        (("member", "yes"), "declares 'member' as boolean"),
        (("sex", "> 3"), "compares numbers"),
    ):
        with pytest.raises(DeclarationError) as error:
            SCHEMA.label(*arguments)
        assert found in str(error.value)
    with pytest.raises(DeclarationError, match="names its column"):
        Schema.parse("[columns.x]").label()


def test_units() -> None:
    assert SCHEMA.units(None, None) == ("id", 3)
    assert SCHEMA.units(None, 5) == ("id", 5)
    assert SCHEMA.units("id", None) == ("id", 3)
    assert SCHEMA.units("sex", None) == ("sex", None)
    with pytest.raises(DeclarationError, match="did you mean 'id'"):
        SCHEMA.units("idd", 1)
    budget = littlestone.Budget(6)
    task = choose_task(SCHEMA.label(), "trees(*; depth 1)", budget, schema=SCHEMA)
    assert task.declaration.unit == Unit("id", 3)
    assert "id" not in task.learner.hypotheses.domain.column_names
    given: dict[str, Any] = {"unit": "floor", "max_records": 1, "schema": SCHEMA}
    task = choose_task(SCHEMA.label(), "conditions(*; at most 1)", budget, **given)
    assert task.declaration.unit == Unit("floor", 1)
    assert "floor" not in task.learner.hypotheses.domain.column_names
    with pytest.raises(DeclarationError, match="how many records of each"):
        choose_task(SCHEMA.label(), "thresholds(age)", budget, unit="sex", schema=SCHEMA)
    group: dict[str, Any] = {"group": True, "above": "0.5", "schema": SCHEMA}
    with pytest.raises(DeclarationError, match="give --max-records 1"):
        choose_task(SCHEMA.label(), "trees(*; depth 1)", budget, **group)
    task = choose_task(SCHEMA.label(), "trees(*; depth 1)", budget, **group, max_records=1)
    assert task.declaration.unit == Unit("id", 1)
    assert "id" not in task.learner.hypotheses.domain.column_names
    with pytest.raises(DeclarationError, match="takes units with max_records = 1"):
        SCHEMA.refuse_unit()


RECORDS = {
    "id": ["a", "b"] * 50,
    "age": [30, 70] * 50,
    "price": [5.0, 50.0] * 50,
    "weight": [1.0, 2.0] * 50,
    "sex": ["F", "M"] * 50,
    "floor": [1, 2] * 50,
    "member": [True, False] * 50,
    "late": ["no", "yes"] * 50,
}


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ({"agee": RECORDS["age"], "age": None}, "did you mean 'agee'?"),
        ({"age": ["30"] * 100}, "declares it as text"),
        ({"member": ["true"] * 100}, "declares it as text"),
        ({"sex": [True] * 100}, "declares it as boolean"),
        ({"sex": [1] * 100}, "declares it as integer"),
        ({"price": None}, "'price'"),
        ({"late": [1, 0] * 50}, "declares it as integer"),
    ],
)
def test_a_table_that_does_not_fit_is_refused_before_anything_is_spent(
    change: dict[str, Any], found: str
) -> None:
    """Also where the class does not read the column: the schema is about the table."""
    schema = Schema.parse(TEXT.replace('unit = "id"\nmax_records = 3\n', ""))
    table = pl.DataFrame({k: v for k, v in (RECORDS | change).items() if v is not None})
    ledger = littlestone.Ledger()
    rule = {"hypotheses": "thresholds(age)", "epsilon": 1, "ledger": ledger, "dataset": "d"}
    with pytest.raises((DeclarationError, TableError)) as error:
        littlestone.fit(table, schema=schema, **rule)
    assert isinstance(error.value, LittlestoneError)
    assert found in str(error.value)
    assert ledger.entries() == []
    assert littlestone.fit(pl.DataFrame(RECORDS), schema=schema, **rule).n == 100
    group = {**rule, "hypotheses": "conditions(age, sex; at most 1)"}
    assert (
        littlestone.subgroup(pl.DataFrame(RECORDS), above="0.5", schema=schema, **group).release.n
        == 100
    )


def test_a_unit_that_the_schema_lacks_is_added_there() -> None:
    schema = Schema.parse("[columns.age]\n")
    with pytest.raises(DeclarationError, match="protect each Patient") as error:
        schema.units("Patient", 3)
    assert '[columns.Patient], and above the columns unit = "Patient"' in error.value.fix
