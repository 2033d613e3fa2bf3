"""What a CSV file of 0s and 1s says: labels in any spelling, names where there are any."""

from __future__ import annotations

from pathlib import Path

import pytest

from littlestone.classes.table_file import read_labels, read_table
from littlestone.errors import DeclarationError

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
    with pytest.raises(DeclarationError, match=r"the first (row|column) holds labels and the numb"):
        read_table(path)
    with pytest.raises(DeclarationError):
        read_labels(path)


@pytest.mark.parametrize("text", ["h,x,y\n7,1,1\n9,0,1", ",0,5\n1,1,1\n8,0,1", "1,2\n0,0\n0,1"])
def test_numbers_may_be_names(tmp_path: Path, text: str) -> None:
    assert read_table(_file(tmp_path, text.split("\n"))).values.shape == (2, 2)
