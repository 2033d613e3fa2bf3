"""What is positive: every legal way to say it, and every illegal one refused."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest

from each import each
from littlestone.base.errors import DeclarationError
from littlestone.data import Label

NAN = float("nan")


@each(
    ("positive", "meaning", "ones", "zeros"),
    [
        ("> 15", "> 15", [16, "15.01", 15.5, "inf", 10**30], [15, 14, "x", "", None, NAN, "nan"]),
        (">15", "> 15", [16], [15]),
        (">=15", ">= 15", [15, "15.0", "1.5e1"], [14.99, "14.999999999999999999999", None]),
        ("<= -3", "<= -3", [-3, "-3.0", "-inf"], [-2.9, 0, None, "", "x", NAN]),
        ("< 0.1", "< 0.1", [0.09, "-1"], [0.1, "0.10", None]),
        ("  >  1e3 ", "> 1e3", [1001], [1000]),
        ("> true", "> true", [2], [1, True]),
        ("!= HA", "!= HA", ["UA", "ha", " HA", 3], ["HA", None, "", NAN, pd.NA]),
        ("!=HA", "!= HA", ["UA"], ["HA"]),
        ("HA", "== HA", ["HA"], ["UA", "ha", None, "", 3]),
        ("== HA", "== HA", ["HA"], ["UA"]),
        ("a > b", "== a > b", ["a > b"], ["a"]),
        ("== =1", "== =1", ["=1"], [1, "1"]),
        ("== > 1", "== > 1", ["> 1"], [2]),
        ("nan", "== nan", ["nan"], [None, NAN, ""]),
        ("", None, [], []),
        (1, "== 1", [1, 1.0, "1", "1.0", "1e0", True, "true"], [0, "x", None, "", False, 2, NAN]),
        ("1", "== 1", [1, 1.0, "1", True, np.int64(1), np.float32(1)], [0, None]),
        (0, "== 0", [0, -0.0, "0", "-0", False, "false"], [1, None, "", NAN, True]),
        (1.5, "== 1.5", [1.5, "1.50", Decimal("1.5")], [1, 2, None]),
        (
            True,
            "== True",
            [True, np.True_, "True", "true", "TRUE", 1, "1"],
            [False, 0, None, "yes"],
        ),
        (False, "== False", [False, "false", 0], [True, 1, None, "", NAN]),
        (np.True_, "== True", [True, 1], [False]),
        ("!= 1", "!= 1", [0, 2, "x"], [1, "1.0", True, None]),
        (Decimal("0.10"), "== 0.10", [0.1, "0.1"], [0.11]),
        ("in {HA, AA}", "in {HA, AA}", ["HA", "AA"], ["UA", "ha", "HA, AA", None, "", 3]),
        ("in{ HA,AA }", "in {HA, AA}", ["HA", "AA"], ["HA,AA"]),
        ("in {3, 4}", "in {3, 4}", [3, "3", 4.0, "4.00"], [34, 5, None, NAN, "x", "nan"]),
        ('in {"a, b", c}', 'in {"a, b", c}', ["a, b", "c"], ["a", "b"]),
        ("YES ", 'in {"YES "}', ["YES "], ["YES", " YES"]),
        ('in { "YES " , yes }', 'in {"YES ", yes}', ["YES ", "yes"], ["YES", "yes "]),
        ('in {"say ""no""", }}', 'in {"say ""no""", }}', ['say "no"', "}"], ["say no"]),
        ("in {one}", "in {one}", ["one"], ["{one}", None]),
        ("== in {a}", "== in {a}", ["in {a}"], ["a"]),
        ("in love", "== in love", ["in love"], ["love"]),
    ],
)
def test_legal_words(positive: Any, meaning: str | None, ones: list[Any], zeros: list[Any]) -> None:
    if meaning is None:
        with pytest.raises(DeclarationError):
            Label.parse("y", positive)
        return
    label = Label.parse("y", positive)
    assert str(label) == f"y {meaning}"
    assert [label(value) for value in ones] == [1] * len(ones)
    assert [label(value) for value in zeros] == [0] * len(zeros)
    assert Label.parse("y", str(label.condition)) == label


@pytest.mark.parametrize(
    "positive",
    [
        "", " ", ">", ">=", "<", "<= ", "==", "!=", "> x", ">= nan", "< ", ">> 3", "> 1 2", "<> 3",
        "in {1", "in (3, 4)", "in [3]", "not in {3}", "IN {3}", "≥ 3",
        "=3", "= HA", "=> 3", "=< 3", "!HA", "! HA", NAN, np.nan, "> 1,000", "in {}", "in {a, a}",
        "in {, a}",
    ],
)  # fmt: skip
def test_illegal_words_are_refused_and_quoted(positive: Any) -> None:
    with pytest.raises(DeclarationError) as error:
        Label.parse("late", positive)
    assert "'late'" in str(error.value)
    assert str(positive).strip() in str(error.value)
    assert "to fix it: " in str(error.value)


@pytest.mark.parametrize(
    "positive",
    [["yes", "Yes"], {"yes"}, ("yes",), len, lambda value: value > 3, b"yes", pd.NA, object()],
    ids=range(8),
)
def test_what_is_no_value_is_not_read_as_its_text(positive: Any) -> None:
    with pytest.raises(DeclarationError, match="not a text, a number or a truth value"):
        Label.parse("y", positive)
    with pytest.raises(DeclarationError, match="not a text, a number or a truth value"):
        Label.parse("y", labels="a,b", default=positive)
