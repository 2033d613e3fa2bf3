"""The shape of the house: imports point one way, and public names are documented."""

import ast
import importlib
import inspect
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import littlestone
from littlestone.base.discovery import concrete, modules
from littlestone.classes.text import catalogue
from littlestone.classes.text.declared import DeclaredClass
from littlestone.learn.base import PrivateLearner, kinds_of_learners

ROOT = Path(littlestone.__file__).parent
TOOLS = ROOT.parent.parent / "tools"

# Each layer may import itself and the layers above it; docs/architecture.md draws the same list.
LAYERS = [
    {"core"},
    {"base"},
    {"points"},
    {"data"},
    {"rules"},
    {"privacy"},
    {"dimension"},
    {"classes"},
    {"theory"},
    {"learn"},
    {"prove"},
    {"pictures"},
    {"show"},
    {"interop"},
    {"front"},
    {"cli", "__main__"},
]
# Their objects say and draw themselves when they are asked: a method imports `show` then.
SHOWN = {
    "learn/plan/sizes.py",
    "learn/results/accuracy.py",
    "learn/results/release.py",
    "learn/stream/private_stream.py",
}
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}


def part(module: str) -> str:
    return module.split(".")[1] if "." in module else "__init__"


def imported(source: str, *, shown: bool = False) -> set[str]:
    """The parts of the package that a file imports, wherever the import stands.

    What an object that is ``shown`` imports of `show` in a method is left out.
    """
    names, tree = set(), ast.parse(source)
    methods = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    inside = {id(node) for method in methods for node in ast.walk(method)}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            thin = shown and id(node) in inside and node.module.startswith("littlestone.show.")
            names |= set() if thin else {node.module}
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    return {part(name) for name in names if name.startswith("littlestone.")}


def upward(level: dict[str, int]) -> list[str]:
    wrong = []
    for path in sorted(ROOT.rglob("*.py")):
        file = path.relative_to(ROOT).as_posix()
        here = file.split("/")[0].removesuffix(".py")
        if here != "__init__":
            there = imported(path.read_text(encoding="utf-8"), shown=file in SHOWN)
            wrong += [f"{here} -> {name}" for name in there if level[name] > level[here]]
    return wrong


@pytest.fixture
def house(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(TOOLS))
    return importlib.import_module("house")


TOY = {
    "__init__.py": '"""A toy."""\n',
    "ground.py": "def stand():\n    from toy.upper import rest  # found in a function too\n",
    "base/__init__.py": "",
    "base/__init__.pyi": "from toy.base.one import first\n",
    "base/one.py": '"""One."""\n\nimport toy.base.two\n\nfirst = 1\n',
    "base/two.py": "# A circle.\nfrom toy.base import first\n",
    "upper.py": (
        "from typing import TYPE_CHECKING\n\nfrom toy.base import two\n\n"
        "if TYPE_CHECKING:\n    from toy.attic.roof import tile\n"
    ),
    "attic/__init__.py": "",
    "attic/roof.py": "import json\nfrom toy.upper import two\nfrom toy.base.one import first\n",
}


def test_the_page_of_rooms_is_right_for_a_toy(house: ModuleType, tmp_path: Path) -> None:
    package = tmp_path / "src" / "toy"
    for name, text in TOY.items():
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_text(text, encoding="utf-8")
    modules = house.modules_of(package)
    arrows = house.arrows(house.imports(modules))
    assert arrows == {
        ("ground", "upper"): 1,
        ("upper", "base"): 1,
        ("upper", "attic"): 1,
        ("attic", "upper"): 1,
        ("attic", "base"): 1,
    }
    floors = house.floors({"__init__", "base", "upper", "attic", "ground"}, arrows)
    assert floors == {"__init__": 1, "base": 1, "upper": 2, "attic": 2, "ground": 3}
    assert house.circles(house.imports(modules, top=True)) == [("toy.base.one", "toy.base.two")]
    printed = subprocess.run(
        [sys.executable, str(TOOLS / "house.py"), str(tmp_path)],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert "5 rooms on 3 floors, 5 arrows." in printed
    assert "8 files: 12 lines of code, 2 of docstrings, 1 of comments." in printed
    assert "A circle: toy.base.one, toy.base.two" in printed
    (row,) = (line.split() for line in printed.splitlines() if line.startswith("| ground "))
    assert [cell for cell in row if cell != "|"] == ["ground", "3", "1", "2", "0", "0", "1"]


def test_no_files_import_each_other_in_a_circle(house: ModuleType) -> None:
    """Neither directly nor through others, where Python imports a file."""
    assert house.circles(house.imports(house.modules_of(ROOT), top=True)) == []


def test_no_file_is_so_short_that_it_belongs_into_another() -> None:
    """The entries are short, and so is the choice of the compiled core."""
    short = [
        path.relative_to(ROOT).as_posix()
        for path in sorted(ROOT.rglob("*.py"))
        if path.stem not in {"__init__", "__main__", "core"}
        and len(path.read_text(encoding="utf-8").splitlines()) < 40
    ]
    assert short == []


def test_every_part_has_a_place() -> None:
    parts = {path.relative_to(ROOT).parts[0].removesuffix(".py") for path in ROOT.rglob("*.py")}
    assert parts - {"__init__"} == set(LEVEL)


def test_imports_point_one_way() -> None:
    assert upward(LEVEL) == []


def test_only_a_method_of_what_is_shown_imports_show() -> None:
    line = "from littlestone.show.words import align_rows"
    method = f"class Release:\n    def __repr__(self):\n        {line}"
    assert imported(method, shown=True) == set()
    assert imported(method) == imported(line, shown=True) == {"show"}
    assert imported(f"if TYPE_CHECKING:\n    {line}", shown=True) == {"show"}


def modules_at_the_top(room: str) -> set[str]:
    return {path.stem for path in ROOT.joinpath(room).glob("*.py")} - {"__init__", "base"}


def test_at_the_top_of_classes_stand_the_classes_alone() -> None:
    """Each file there has a class of the catalogue; what they share stands in folders."""
    listed = {row["class"] for row in catalogue.walk_catalogue()}
    kinds: list[Any] = concrete(DeclaredClass, "littlestone.classes")
    homes = {kind.__module__ for kind in kinds if kind.keyword in listed}
    assert {f"littlestone.classes.{name}" for name in modules_at_the_top("classes")} <= homes


def test_at_the_top_of_learn_stand_the_learners_alone() -> None:
    kinds: list[Any] = concrete(PrivateLearner, "littlestone.learn")
    assert kinds_of_learners() == kinds
    homes = {kind.__module__ for kind in kinds}
    assert {f"littlestone.learn.{name}" for name in modules_at_the_top("learn")} <= homes


@pytest.mark.deep
def test_an_import_the_other_way_is_caught() -> None:
    assert upward({**LEVEL, "learn": 0}) != []


def test_the_picture_shows_every_part() -> None:
    picture = (ROOT.parent.parent / "docs" / "architecture.md").read_text(encoding="utf-8")
    tree = picture.split("```")[1].splitlines()
    drawn = [line.split()[0].rstrip("/") for line in tree if line.startswith("  ")]
    order = [name for layer in LAYERS for name in layer if name != "__main__"]
    assert [LEVEL[name] for name in drawn if name in LEVEL] == sorted(LEVEL[n] for n in order)


def test_public_names_are_documented() -> None:
    undocumented = []
    for module in modules("littlestone"):
        for name, member in vars(module).items():
            public = (
                not name.startswith("_") and getattr(member, "__module__", "") == module.__name__
            )
            if public and (inspect.isclass(member) or inspect.isfunction(member)):
                if not member.__doc__:
                    undocumented.append(f"{module.__name__}.{name}")
                if inspect.isclass(member):
                    # A method that overrides one with a docstring inherits it.
                    undocumented += [
                        f"{module.__name__}.{name}.{method}"
                        for method, function in vars(member).items()
                        if not method.startswith("_")
                        and inspect.isfunction(function)
                        and not inspect.getdoc(getattr(member, method))
                    ]
    assert undocumented == []


@pytest.mark.parametrize("stub", sorted(ROOT.rglob("*.pyi")), ids=lambda path: path.parent.name)
def test_lazy_names_are_of_their_package_and_no_modules_of_it(stub: Path) -> None:
    """Else importing the module would put it in the place of the name."""
    package = ".".join(("littlestone", *stub.parent.relative_to(ROOT).parts))
    names = importlib.import_module(package).__all__
    assert names
    for name in names:
        assert getattr(importlib.import_module(package), name) is not None
        assert not any((stub.parent / f"{name}{end}").exists() for end in ("", ".py"))


def test_importing_the_package_is_light() -> None:
    """The heavy libraries are imported where they are used."""
    package = importlib.import_module("littlestone")
    assert [name for name in vars(package) if not name.startswith("__")].count("numpy") == 0


def test_a_record_crosses_few_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(TOOLS)
    files = importlib.import_module("walk").crossed()
    assert {"data/csv_lines.py", "privacy/scores.py"} <= files.keys()
    assert len(files) <= 16
