"""Score sheets as rules: what is read back, and how much of a long one is shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

from example_pages import release
from littlestone.base.errors import ModelError
from littlestone.pictures.tree import sheet_picture
from littlestone.points import Cells, Listed, Product
from littlestone.rules import Hypothesis
from littlestone.rules.sheet import MOST_SHOWN, ScoreSheet
from littlestone.show.tree import print_sheet
from littlestone.show.words import guarantee_rows

TABLE = Product((Cells(("0", "18", "65"), "age"), Listed(("F", "M"), "sex")))
SHEET = ScoreSheet(TABLE, (0, 1), ((0, -2, 2, 3), (0, 0, 1, 0)), 3, (-1000, 500))

DAMAGES: dict[str, Callable[[Any], object]] = {
    "more in a column": lambda data: data["columns"][0].update(note="x"),
    "less in a column": lambda data: data["columns"][0].pop("points"),
    "more in the sheet": lambda data: data.update(note="x"),
    "points of a half": lambda data: data["columns"][1]["points"].__setitem__(2, 0.5),
    "a column twice": lambda data: data["columns"].append(data["columns"][1]),
    "a cell too many": lambda data: data["columns"][1]["points"].append(0),
    "a slope of a million": lambda data: data.update(odds=[0, 10**6]),
    "100 points": lambda data: data["columns"][1]["points"].__setitem__(2, 100),
    "a risk that falls": lambda data: data["odds"].__setitem__(1, -1),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_sheet_is_refused(damage: str) -> None:
    data: Any = SHEET.to_json()
    assert Hypothesis.from_json(data) == SHEET
    DAMAGES[damage](data)
    with pytest.raises(ModelError):
        Hypothesis.from_json(data)


def test_frames_of_pandas_have_the_same_risks_and_labels() -> None:
    ages, sexes = [-1, 17.9, 18, 65, None, 1e9], ["F", "M", "f", "", None]
    rows = [(age, sex) for age in ages for sex in sexes]
    frame = pd.DataFrame(rows, columns=["age", "sex"])
    points = [TABLE.encode_record(row) for row in rows]
    places = [SHEET.place(x) for x in points]
    told = {"pandas": pd, "df": frame}
    risks = eval(SHEET.to_pandas(risks=SHEET.risks), told).to_list()
    assert risks == [SHEET.risks[i] for i in places]
    assert eval(SHEET.to_pandas(), told).to_list() == [SHEET(x) for x in points]
    names = eval(SHEET.to_pandas(names=("it's", "\u202e")), told).to_list()
    assert names == [("it's", "\u202e")[SHEET(x)] for x in points]
    empty = ScoreSheet(TABLE, (), (), 1, (-1000, 0))
    assert set(eval(empty.to_pandas(risks=empty.risks), told)) == {0.2689}


def test_a_reason_is_of_the_record() -> None:
    assert SHEET.reason(("18", "")) == "18 <= age < 65: +2, sex is missing: +0, total: 2"
    assert SHEET.reason(("", "F")) == "age is missing: +0, sex is F: +1, total: 1"


def test_a_label_that_never_changes_says_what_to_do() -> None:
    for least, odds, words in ((9, (-4000, 300), "--cost 29:1"), (-9, (4000, 300), "--cost 1:52")):
        sheet = ScoreSheet(TABLE, SHEET.chosen, SHEET.points, least, odds)
        rows = dict(guarantee_rows(release(sheet)))
        assert rows["label"].startswith(f"always {int(least < 0)}, because all risks are between")
        assert rows["label"].endswith(words)
        assert rows["rule"].endswith(f"always {int(least < 0)}")
    rows = dict(guarantee_rows(release(SHEET)))
    assert "label" not in rows
    assert rows["rule"].endswith("  <=>  total of 3 or more on the sheet below")
    nobody = ScoreSheet(TABLE, SHEET.chosen, SHEET.points, 9, (-9000, 0))
    assert "littlestone check" in dict(guarantee_rows(release(nobody)))["label"]


def test_only_totals_that_occur_are_shown() -> None:
    said: list[object] = []
    print_sheet(ScoreSheet(TABLE, (1,), ((-9, 9, 9, -9),), -8, (0, 500)), said.append)
    assert said[-1] == "risk by total  -9: 0.011, +9: 0.989; label 1 from +9"
    for least, ever in ((10, 0), (9, None), (-9, 1)):
        sheet = ScoreSheet(TABLE, (1,), ((-9, 9, 9, -9),), least, (0, 500))
        words = "label 1 from +9" if ever is None else f"label always {ever}"
        print_sheet(sheet, said.append)
        assert str(said[-1]).endswith(f"; {words}")
        assert words in sheet_picture(sheet).svg()


def test_of_a_long_column_the_ends_are_shown() -> None:
    ages = Cells(tuple(map(str, range(300))), "age")
    long = ScoreSheet(Product((ages,)), (0,), (tuple(i % 2 for i in range(ages.size)),), 1, (0, 1))
    ((_, every),) = long.points_by_column()
    ((_, shown),) = long.shown_points()
    assert len(every) == ages.size
    assert len(shown) == MOST_SHOWN
    assert (shown[0], shown[-1]) == (every[0], every[-1])
    assert f"... {ages.size - MOST_SHOWN + 1} more ..." in sheet_picture(long).svg()
    assert sheet_picture(long).height < 12
    printed: list[Any] = []
    print_sheet(long, printed.append)
    assert printed[0].row_count == MOST_SHOWN
    assert SHEET.shown_points() == SHEET.points_by_column()
