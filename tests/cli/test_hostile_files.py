"""Files and folders at their limits: no command fills the memory, or reads two models in one file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from running import run

from littlestone.base.disk import parse_json
from littlestone.base.errors import ModelError, TableError
from littlestone.learn import Release


def test_a_model_without_an_end_is_refused() -> None:
    with pytest.raises(ModelError, match="more than 268,435,456 bytes"):
        Release.load("/dev/zero")


def test_a_field_given_twice_is_refused(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text("x,y\n" + "".join(f"{i},{int(i > 4)}\n" for i in range(10)))
    model = tmp_path / "m.json"
    ran = run(
        "fit", table, "--target", "y", "--positive", "1", "--class", "thresholds(x, 0..9)",
        "--epsilon", "1", "--ledger", tmp_path / "l.db", "--out", model,
    )  # fmt: skip
    assert ran.status == 0
    text = model.read_text()
    assert Release.load(model).n == 10
    for field in ("n", "format", "hypothesis", "epsilon"):
        twice = tmp_path / f"{field}.json"
        twice.write_text(text.replace(f'"{field}": ', f'"{field}": "x", "{field}": ', 1))
        assert json.loads(twice.read_text())
        for command in (["predict", twice, table], ["report", twice]):
            refused = run(*command)
            assert refused.status == 2, (field, refused)
        with pytest.raises(ModelError, match="a field is given twice"):
            Release.load(twice)


@pytest.mark.parametrize(
    "wrong",
    ["NaN", "Infinity", "-Infinity", "1e999", "[" * 100_000, '{"a":' * 100_000, "1" * 5000],
)
def test_what_is_no_json_is_a_declared_error(wrong: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"finite|deep|digits|Expecting"):
        parse_json(f'{{"n": {wrong}}}')
    model = tmp_path / "m.json"
    for text in (f'{{"n": {wrong}}}', f'{{"format": "littlestone model 1", "n": {wrong}}}', wrong):
        model.write_text(text)
        with pytest.raises(ModelError):
            Release.load(model)
        for command in ("predict", "report"):
            ran = run(command, model, *([model] if command == "predict" else []))
            assert ran.status == 2, (command, ran)


def test_a_folder_of_too_many_names_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from littlestone.data import open_table

    for i in range(5):
        (tmp_path / f"{i}.csv").write_text("x\n1\n")
    open_table(tmp_path)
    monkeypatch.setattr("littlestone.data.folders.MOST_NAMES", 4)
    with pytest.raises(TableError, match="more than 4 files and folders below it"):
        open_table(tmp_path)
