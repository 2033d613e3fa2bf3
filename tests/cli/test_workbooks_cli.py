"""Commands name a sheet of an Excel workbook by ``--table``."""

from pathlib import Path

import pytest
from running import TABLE, entries, fit_arguments, run


def test_a_sheet_is_learned_and_predicted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    monkeypatch.chdir(tmp_path)
    book = openpyxl.Workbook()
    for sheet in (book.active, book.create_sheet("june")):
        for line in TABLE.splitlines():
            sheet.append(line.split(","))
    book.save("visits.xlsx")
    book.close()
    refused = run(*fit_arguments("visits.xlsx"))
    assert refused.status == 2
    assert "nothing says which: Sheet, june" in refused.err
    for sheet in ("june", "Sheet"):
        learned = run(*fit_arguments("visits.xlsx"), "--table", sheet, "--out", f"{sheet}.json")
        assert learned.status == 0, learned.err
    assert len(entries(Path("littlestone.ledger"))) == 2
    predicted = run("predict", "june.json", "visits.xlsx", "--table", "june")
    assert len(predicted.out.splitlines()) == len(TABLE.splitlines())
