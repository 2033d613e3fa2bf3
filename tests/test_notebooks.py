"""Every notebook runs from top to bottom, in a kernel of its own, and shows no path of this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

NOTEBOOKS = sorted((Path(__file__).parents[1] / "docs" / "notebooks").glob("*.ipynb"))
REASON = "nbclient is not installed: make notebooks"


def test_there_are_three() -> None:
    assert len(NOTEBOOKS) == 3


@pytest.mark.filterwarnings("ignore")  # those of Jupyter
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path: Path, tmp_path: Path) -> None:
    nbformat: Any = pytest.importorskip("nbformat", reason=REASON)
    nbclient: Any = pytest.importorskip("nbclient", reason=REASON)
    book = nbformat.read(path, as_version=4)
    nbformat.validate(book)
    assert str(Path(__file__).parents[1]) not in path.read_text()
    nbclient.NotebookClient(
        book, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
    ).execute()
    code = [cell for cell in book.cells if cell.cell_type == "code"]
    assert all(output.get("name") != "stderr" for cell in code for output in cell.outputs)
    assert any("text/html" in output.get("data", {}) for cell in code for output in cell.outputs)
    assert any("image/png" in output.get("data", {}) for cell in code for output in cell.outputs)
