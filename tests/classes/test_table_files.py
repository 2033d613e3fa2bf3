"""What a CSV file of 0s and 1s says: labels in any spelling, names where there are any."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import littlestone
from littlestone.base.errors import DeclarationError, TableError
from littlestone.classes.text.table_file import read_labels, read_table
from littlestone.cli import app
from littlestone.dimension.tables import PackedTable
from littlestone.points.labels import check_labels

BODY = [[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1]]
SPELLINGS = {
    "digits": ("0", "1"),
    "floats": ("0.0", "1.0"),
    "Python": ("False", "True"),
    "R and JSON": ("false", "true"),
}


def _file(folder: Path, lines: list[str]) -> Path:
    path = folder / "table.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("header", ["", "a,b,c", "h,a,b,c", ",a,b,c", "0,1,2"])
def test_every_spelling_of_a_table_is_one_table(tmp_path: Path, spelling: str, header: str) -> None:
    """The files that pandas writes of tables of whole numbers, floats and truth values."""
    rows = [",".join(SPELLINGS[spelling][y] for y in row) for row in BODY]
    named = header.count(",") == 3
    if named:
        rows = [f"r{i},{row}" for i, row in enumerate(rows)]
    path = _file(tmp_path, [header] * bool(header) + rows)
    table = read_table(path)
    assert table.values.astype(int).tolist() == BODY
    assert table.hypotheses == tuple(f"{'r' if named else 'h'}{i}" for i in range(4))
    expected = {"": ("x0", "x1", "x2"), "0,1,2": ("0", "1", "2")}
    assert table.domain.points == expected.get(header, ("a", "b", "c"))
    if (spelling, header) != ("digits", "0,1,2"):
        labels = read_labels(path)
        assert labels.values.tolist() == BODY
        assert labels.labels == 2


@pytest.mark.parametrize("text", ["0,1\n2,1", "0,-1\n1,0", "0.5,1\n1,0", "2,0,0\n0,0,1\n0,1,1"])
def test_a_wrong_number_in_the_first_line_is_not_taken_for_a_name(
    tmp_path: Path, text: str
) -> None:
    path = _file(tmp_path, text.split("\n"))
    with pytest.raises(DeclarationError, match=r"holds labels, and entry|holds another number"):
        read_table(path)
    with pytest.raises(DeclarationError):
        read_labels(path)


@pytest.mark.parametrize("text", ["h,x,y\n7,1,1\n9,0,1", ",0,5\n1,1,1\n8,0,1", "1,2\n0,0\n0,1"])
def test_numbers_may_be_names(tmp_path: Path, text: str) -> None:
    assert read_table(_file(tmp_path, text.split("\n"))).values.shape == (2, 2)


SECRET = "94000"


@pytest.mark.parametrize(
    "body",
    ["age,stays\n94000,3\n51000,1\n", "age,kind\n94000,ill\n94001,well\n", "0,1\n1,1\n94000,0.5\n"],
)
@pytest.mark.parametrize(
    "command",
    ["plan", "dim", "theory dims", "theory tree", "theory decompose", "theory play", "finite"],
)
def test_no_cell_of_a_table_of_records_is_quoted(
    command: str, body: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("visits.csv").write_text(body)
    what = "finite(age, visits.csv)" if command == "finite" else "visits.csv"
    options = ["--epsilon", "1"] if command == "plan" else []
    words = ["plan"] if command == "finite" else command.split()
    done = CliRunner().invoke(app, [*words, what, *options])
    assert done.exit_code != 0
    assert "94" not in f"{done.output} {done.exception}"


@pytest.mark.parametrize("rows", [[[94000, 1], [51000, 0]], [["0", "94000"]], [[94000.0, 0.5]]])
@pytest.mark.parametrize("labels", [2, 3])
def test_no_entry_of_a_frame_of_records_is_quoted(rows: list[list[Any]], labels: int) -> None:
    for table in (rows, pd.DataFrame(rows), np.array(rows)):
        with pytest.raises(DeclarationError) as error:
            littlestone.dim(table, labels=labels)
        assert "94" not in str(error.value)
        with pytest.raises(DeclarationError) as error:
            PackedTable.pack(np.asarray(table))
        assert "94" not in str(error.value)


def test_a_table_of_three_labels_is_told_from_a_wrong_table(tmp_path: Path) -> None:
    table = tmp_path / "three.csv"
    for body in ("a,b\n0,1\n2,0\n", "0,1\n1,2\n2,0\n", ",a,b\nf,0,1\ng,2,1\n"):
        table.write_text(body)
        with pytest.raises(DeclarationError, match="as a table of more labels does") as error:
            read_table(table)
        assert "littlestone theory dims" in error.value.fix
    table.write_text("a,b\n0,1\n1,cat\n")
    with pytest.raises(DeclarationError, match="neither 0 nor 1"):
        read_table(table)


def test_a_number_of_labels_is_no_list_of_labels() -> None:
    with pytest.raises(DeclarationError, match=r"declare 1 label: ") as error:
        check_labels(["3"])
    assert error.value.fix == "name the labels, such as 0,1,2, and not their number"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("0,1\n,0\n1,0\n", "the first column holds names, and name 2 is empty"),
        ("a,,c\n0,1,1\n", "the first row holds names, and name 2 is empty"),
        ("name,a,b,a\nu,0,1,1\n", "points 1 and 3 have the same name"),
        ("0;1\n1;0\n", "no commas are between its cells"),
        ("PK\x03\x00\x00,1\n", "it is not text"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_without_a_cell(
    tmp_path: Path, content: str, words: str
) -> None:
    table = tmp_path / "table.csv"
    table.write_text(content)
    with pytest.raises((DeclarationError, TableError), match=words):
        read_table(table)
