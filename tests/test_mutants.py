"""The tools that plant mistakes: what they plant is what they say."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from planting import Fault

TOOLS = Path(__file__).parents[1] / "tools"


@pytest.fixture
def tools(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(TOOLS)
    import mutate  # type: ignore[import-not-found]

    return mutate


def test_each_mutant_is_one_small_change(tools: Any, tmp_path: Path) -> None:
    path = tmp_path / "é.py"
    path.write_text(
        "def f(n: 'int' = 3) -> bool:\n    'é'; return n + 1 if not n < 2 else n == 4 and True\n",
        encoding="utf-8",
    )
    text = path.read_bytes()
    changed = [
        (text[: each.start] + each.new.encode() + text[each.end :]).decode()
        for each in tools.mutants(path)
    ]
    trees = {ast.unparse(ast.parse(each)) for each in changed}
    assert len(trees) == len(changed) == 11
    bodies = {tree.splitlines()[-1].strip() for tree in trees}
    assert "return n - 1 if not n < 2 else n == 4 and True" in bodies
    assert "return n + 1 if n < 2 else n == 4 and True" in bodies
    assert "return n == 4 and True if not n < 2 else n + 1" in bodies
    assert "return n + 1 if not n <= 2 else n == 4 and True" in bodies
    assert "return n + 1 if not n < 2 else n != 4 and True" in bodies
    assert "return n + 1 if not n < 2 else n == 4 or True" in bodies
    assert "return n + 1 if not n < 2 else n == 4 and False" in bodies


def test_mutants_of_the_core_are_in_its_code(tools: Any, tmp_path: Path) -> None:
    path = tmp_path / "one.cpp"
    line = 'vector<int> f(int a) { return a < 10 && a != 0x1 ? {} : "1 + 1"; }'
    path.write_text(f"#include <x>  // a < 1\n{line}\n")
    text = path.read_text()
    changed = [
        text[: each.start] + each.new + text[each.end :] for each in tools.core_mutants(path)
    ]
    changes = [(" < ", " <= "), ("10", "11"), ("&&", "||"), ("!=", "==")]
    assert [each.splitlines()[1] for each in changed] == [line.replace(*each) for each in changes]


def test_each_line_has_the_block_that_runs_with_it(tools: Any, tmp_path: Path) -> None:
    import reached  # type: ignore[import-not-found]

    path = tmp_path / "src" / "one.py"
    path.parent.mkdir()
    path.write_text(
        "K = 2\n\n\ndef f(n):\n    'F.'\n    if n > K:\n        return 1\n    n += 1\n    return n\n"
    )
    with patch.object(reached, "ROOT", tmp_path):
        source = reached.Source()
    marks = bytearray(len(source.blocks))

    def first(line: int) -> list[int]:
        return [source.blocks[n].first for n in source.around(path, line, marks)]

    assert [*map(first, (1, 6, 7, 9))] == [[6], [6], [7], [8]]
    assert [source.constants(path, line) for line in (1, 6)] == [["K"], []]
    place: dict[str, Any] = {"_reached": marks}
    exec(compile(source.trees[path], "one.py", "exec"), place)
    assert place["f"].__doc__ == "F."
    assert place["f"](3) == 1
    assert sorted(source.blocks[n].first for n in range(len(marks)) if marks[n]) == [6, 7]


def test_a_fault_is_an_edit_of_its_file(tools: Any) -> None:
    from list_plants import as_mutant  # type: ignore[import-not-found,attr-defined,unused-ignore]

    fault = Fault(
        "planting:plant", "source.count(fault.old) == 1", "True", "Places are not counted."
    )
    edit = as_mutant(fault)
    text = edit.path.read_bytes()
    changed = (text[: edit.start] + edit.new.encode() + text[edit.end :]).decode()
    whole = Path(inspect.getfile(Fault)).read_text(encoding="utf-8")
    assert changed == whole.replace(fault.old, fault.new)
