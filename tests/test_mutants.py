"""The tools that plant mistakes: what they plant is what they say."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path
from typing import Any

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


@pytest.mark.deep
def test_the_nearest_tests_are_those_of_the_module(tools: Any) -> None:
    users = tools.importers()
    for module, test in (
        ("privacy/cost", "tests/privacy/test_cost.py"),
        ("cli/tree", "tests/cli/test_rule_tree_cli.py"),
        ("learn/exponential", "tests/learn/test_exponential_learner.py"),
    ):
        path = tools.ROOT / f"src/littlestone/{module}.py"
        assert test in tools.nearest(path, users)[:6]


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
