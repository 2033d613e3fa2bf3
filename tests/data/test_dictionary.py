"""Schemas from a data dictionary: what it says, and where it is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

import littlestone
from littlestone.base.errors import LittlestoneError

WORDS = """name;type;low;high;values;unit
alter;integer;0;120;;
preis;number;0;2000;;€
ort;text;;;Köln|Bonn;
"""


def drafted(folder: Path, words: str) -> str:
    (folder / "t.csv").write_text("alter,preis,ort,wieder\n1,2,3,4\n")
    (folder / "d.csv").write_text(words)
    draft: str = littlestone.draft_schema(folder / "t.csv", folder / "d.csv")
    return draft


def test_a_dictionary_fills_in_the_draft(tmp_path: Path) -> None:
    draft = drafted(tmp_path, WORDS)
    alter, preis, ort, wieder = littlestone.Schema.parse(draft).columns
    assert alter.text == "alter 0..120"
    assert preis.text == "preis 0..2000 in 20 steps"
    assert preis.written.unit == "€"
    assert ort.values == ("Köln", "Bonn")
    assert wieder.kind is None
    comments = [line for line in draft.splitlines() if line.startswith("#")]
    assert draft.startswith("\n".join(comments)), "one comment, at the top"
    with_commas = drafted(tmp_path, 'name,values\nort,"Köln, Bonn"\n')
    assert littlestone.Schema.parse(with_commas).columns[2].values == ("Köln", "Bonn")


@pytest.mark.parametrize(
    ("words", "place", "fix"),
    [
        ("name,typ\n", "line 1, column typ", "did you mean 'type'"),
        ("type\n", "line 1, column name", "begin with name"),
        ("name,type\nalter,int\n", "line 2, column type", "integer"),
        ("name,low,high\n\nalter,0,1.200,00\n", "line 3, column ?", "quotes"),
        ('name,low,high\nalter,0,"12,5"\n', "line 2, column high", "a point"),
        ("name,low,high\nalter,0,\n", "line 2, column high", "both"),
        ("name,low,high\nalter,9,0\n", "line 2, column low", "a range"),
        ("name,values\nort,A|A\n", "line 2, column values", "each value once"),
        ("name\nort\nort\n", "line 3, column name", "keep one"),
        ("name\nstadt\n", "read column 'stadt'", "dictionary"),
    ],
)
def test_errors_name_the_line_the_column_and_the_remedy(
    tmp_path: Path, words: str, place: str, fix: str
) -> None:
    with pytest.raises(LittlestoneError) as error:
        drafted(tmp_path, words)
    assert place in str(error.value)
    assert fix in error.value.fix


def test_an_unknown_type_is_named(tmp_path: Path) -> None:
    with pytest.raises(LittlestoneError, match='type = "time" is unknown') as error:
        littlestone.Schema.parse('[columns.when]\ntype = "time"')
    assert "datetime" in error.value.fix
