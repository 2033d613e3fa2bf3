"""Score sheets of odd tables: an answer, or a refusal that spends nothing and helps."""

from __future__ import annotations

import random
import warnings
from itertools import product
from typing import Any

import pytest

import littlestone
from each import each
from littlestone.base.errors import LittlestoneError
from littlestone.privacy.ledger import Ledger
from whole_grid import WHOLE

pl = pytest.importorskip("polars")

TWO = "score_sheet(c0: 0..10 step 5, c1: 0..10 step 5; at most 8)"
BUDGETS = [("1", "1e-6"), ("0.001", "1e-6"), ("30", "1e-6"), ("0.001", "0"), ("30", "0")]


def table(n: int, columns: int = 2, labels: str = "ab") -> Any:
    rng = random.Random(0)
    cells = {f"c{i}": [rng.randrange(10) for _ in range(n)] for i in range(columns)}
    return pl.DataFrame({**cells, "y": [rng.choice(labels) for _ in range(n)]})


def fit(frame: Any, text: str, ledger: Ledger, **options: Any) -> Any:
    told = {"positive": "a", "epsilon": 1, "delta": "1e-6", "risk": True, **options}
    with warnings.catch_warnings():  # seeded runs and few records have warnings of their own
        warnings.simplefilter("ignore")
        return littlestone.fit(frame, "y", hypotheses=text, ledger=ledger, dataset="d", **told)


ODD: dict[str, tuple[Any, str, dict[str, Any]]] = {
    "one record": (table(1), TWO, {}),
    "fifty records": (table(50), TWO, {}),
    "only positives": (table(200, labels="a"), TWO, {}),
    "no positives": (table(200, labels="b"), TWO, {}),
    "a column of one cell": (table(200, 1), "score_sheet(c0: 0..10 step 10; at most 1)", {}),
    "a list of one value": (table(200, 1), "score_sheet(c0 in {7}; at most 1)", {}),
    "one point at most": (table(200), TWO.replace("at most 8", "at most 1, points 1"), {}),
    "the largest cost of a miss": (table(200), TWO, {"cost": (10_000, 1)}),
    "the largest cost of an alarm": (table(200), TWO, {"cost": (1, 10_000)}),
    "two named labels": (table(200), TWO, {"positive": None, "labels": "a,b"}),
}


IN_TURN = [(name, BUDGETS[i % len(BUDGETS)]) for i, name in enumerate(ODD)]


@pytest.mark.deep
@pytest.mark.filterwarnings("ignore:.* count as other")
@each(("name", "budget"), list(product(ODD, BUDGETS)) if WHOLE else IN_TURN)
def test_an_odd_table_has_a_sheet(name: str, budget: tuple[str, str]) -> None:
    frame, text, options = ODD[name]
    with Ledger() as ledger:
        release = fit(frame, text, ledger, epsilon=budget[0], delta=budget[1], **options)
        assert len(ledger.entries()) == 1
    rates = [row[-1] for row in release.rates]
    assert rates == sorted(rates)
    assert all(0 < rate < 1 for rate in rates)
    assert set(release.predict(frame)) <= {0, 1, "a", "b"}


@pytest.mark.deep
def test_two_hundred_columns_have_a_sheet() -> None:
    columns = ", ".join(f"c{i}: 0..10 step 5" for i in range(200))
    with Ledger() as ledger:
        release = fit(table(50, 200), f"score_sheet({columns}; at most 8)", ledger)
    assert len(release.hypothesis.chosen) <= 8


EIGHT = "; at most 8)"
REFUSED = {
    "no records": (table(50).head(0), TWO, {}, "at least one record"),
    "several labels": (
        table(50),
        TWO,
        {"positive": None, "labels": "a,b,c"},
        "a rule for one label, with `positive`",
    ),
    "nine columns": (table(50), TWO.replace("8", "9"), {}, "from 1 to 8"),
    "a hundred points": (
        table(50),
        TWO.replace(EIGHT, "; at most 2, points 100)"),
        {},
        "from 1 to",
    ),
    "no column": (table(50), "score_sheet(; at most 8)", {}, "score_sheet"),
    "a column twice": (table(50), TWO.replace("c1", "c0"), {}, "c0"),
    "the label as a column": (table(50), TWO.replace("c1:", "y:"), {}, "y"),
    "a cost of 0": (table(50), TWO, {"cost": (0, 1)}, "by 0 and 1"),
    "a huge cost": (table(50), TWO, {"cost": (10**9, 1)}, "rounder numbers"),
    "no epsilon": (table(50), TWO, {"epsilon": 0}, "epsilon"),
    "a tiny epsilon": (
        table(50),
        TWO,
        {"epsilon": "5e-8"},
        "at least 0.0000001, or leave the risks",
    ),
    "a huge epsilon": (table(50), TWO, {"epsilon": 1001}, "outside 1e-9 to 1000"),
    "a delta of 1": (table(50), TWO, {"delta": 1}, "probability"),
}


@each(("name", "case"), list(REFUSED.items()), ids=lambda part: str(part)[:40])
def test_an_odd_declaration_is_refused_before_the_spend(name: str, case: tuple[Any, ...]) -> None:
    frame, text, options, words = case
    with Ledger() as ledger:
        with pytest.raises(LittlestoneError) as error:
            fit(frame, text, ledger, **options)
        assert ledger.entries() == []
    assert words in str(error.value), str(error.value)
    assert "to fix it: " in str(error.value)


@each("method", ["auto", "tree_sheet"])
def test_a_tiny_epsilon_is_refused_before_the_table_is_opened(method: str) -> None:
    # Nothing reads an object() either, so the epsilon was looked at first.
    trees = "trees(c0: 0..10 step 5, c1: 0..10 step 5; depth 2)"
    with Ledger() as ledger, pytest.raises(LittlestoneError, match="at least 0"):
        fit(object(), trees, ledger, epsilon="5e-8", method=method)
