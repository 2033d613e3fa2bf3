"""Each planted fault has its place: the text that it changes is in the code, and once.

Otherwise it would not be planted, and the test beside it would say nothing.  Those tests are slow; this
one reads the faults from their texts.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from textwrap import dedent
from typing import NamedTuple

from planting import find_place

TESTS = Path(__file__).parent
ROOT = TESTS.parent


class Place(NamedTuple):
    """What a fault changes, and the line of the test that says so."""

    said: str
    where: str
    old: str


class Texts:
    """The texts that a file of tests writes down, by names for some of their parts."""

    def __init__(self, path: Path) -> None:
        self.path, self.tree = path, ast.parse(path.read_text(encoding="utf-8"))
        self.names: dict[str, str] = {}
        for line in self.tree.body:
            if isinstance(line, ast.Assign):
                for target in line.targets:
                    self._assign(target, line.value)

    def _assign(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            for each, own in zip(target.elts, value.elts, strict=True):
                self._assign(each, own)
        elif isinstance(target, ast.Name) and (text := self.read(value)) is not None:
            self.names[target.id] = text

    def read(self, node: ast.expr) -> str | None:
        """A text made of literals and of names for such texts; None for anything else."""
        match node:
            case ast.Constant(value=str(text)):
                return text
            case ast.Name(id=name):
                return self.names.get(name)
            case ast.FormattedValue(value=value):
                return self.read(value)
            case ast.JoinedStr(values=parts):
                read = [self.read(part) for part in parts]
                return None if None in read else "".join(map(str, read))
        return None

    def calls(self, name: str) -> Iterator[tuple[str, list[str]]]:
        """The line, and the first texts, of each call of that name that begins with texts."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                if node.func.id != name or (name == "Fault" and self.path.name == "gross.py"):
                    continue
                texts = [self.read(given) for given in node.args[:3]]
                said = f"{self.path.relative_to(ROOT)}:{node.lineno}"
                assert None not in texts[:2], f"{said}: write the place and the text down"
                yield said, [str(text) for text in texts]

    def literals(self, name: str) -> list[tuple[str, ...]]:
        """The values of a dictionary of this name."""
        for line in self.tree.body:
            if isinstance(line, ast.Assign) and ast.unparse(line.targets[0]) == name:
                return [*ast.literal_eval(line.value).values()]
        raise AssertionError(f"{self.path} has no {name}")

    def module_plants(self) -> Iterator[tuple[str, str, list[tuple[str, str]]]]:
        """The tests with parameters ``old`` and ``new`` that call ``planted`` with a module."""
        for function in self.tree.body:
            if not isinstance(function, ast.FunctionDef):
                continue
            for node in ast.walk(function):
                if isinstance(node, ast.Call) and ast.unparse(node.func) == "planted":
                    module, marks = node.args[0], function.decorator_list
                    values = [mark.args[1] for mark in marks if isinstance(mark, ast.Call)]
                    yield function.name, ast.literal_eval(module), ast.literal_eval(values[0])


@cache
def source(where: str) -> str:
    """The text of a function, "module:name", or of files, by words."""
    if ":" not in where:
        return "".join((ROOT / name).read_text(encoding="utf-8") for name in where.split())
    module, _, path = where.partition(":")
    file = ROOT / "src" / (module.replace(".", "/") + ".py")
    if file.exists() and (found := definition(file, path.split("."))):
        return found
    return find_place(where)[1]  # it is inherited, or comes from another module


@cache
def parsed(file: Path) -> tuple[list[str], ast.Module]:
    text = file.read_text(encoding="utf-8")
    return text.splitlines(keepends=True), ast.parse(text)


def definition(file: Path, path: list[str]) -> str | None:
    """The text of a function, or of one of a class, if the file defines it."""
    lines, tree = parsed(file)
    inside: list[ast.stmt] = tree.body
    for name in path:
        kinds = ast.FunctionDef, ast.ClassDef
        named = [own for own in inside if isinstance(own, kinds) and own.name == name]
        if not named:
            return None
        inside = named[0].body
    first = min([named[0].lineno, *(mark.lineno for mark in named[0].decorator_list)])
    return dedent("".join(lines[first - 1 : named[0].end_lineno]))


def faults_in_functions() -> Iterator[Place]:
    for path in sorted(TESTS.rglob("*.py")):
        if path.name != "planting.py" and "Fault(" in path.read_text(encoding="utf-8"):
            for said, (where, old, *_) in Texts(path).calls("Fault"):
                yield Place(said, where, old)
    for said, (where, old, *_) in Texts(TESTS / "prove/gross.py").calls("gross"):
        yield Place(said, f"littlestone.{where}", old)


def faults_in_files() -> Iterator[Place]:
    """Those in what is compiled, in the proofs that a machine checks, and in whole modules."""
    dimension = TESTS / "dimension"
    for said, (name, old, *_) in Texts(dimension / "test_planted_in_core.py").calls("Plant"):
        yield Place(said, f"core/{name}", old)
    for old, _ in Texts(dimension / "test_planted_in_certificates.py").literals("FAULTS"):
        yield Place("test_planted_in_certificates.py", "core/writer.cpp", old)
    checker = " ".join(f"checker/{path.name}" for path in sorted((ROOT / "checker").glob("*.[ch]")))
    for old, _ in Texts(dimension / "test_changed_certificates.py").literals("FAULTS"):
        yield Place("test_changed_certificates.py", checker, old)
    for name, old, _ in Texts(TESTS / "prove/test_machine_checked.py").literals("FAULTS"):
        yield Place("test_machine_checked.py", f"coq/{name}.v", old)
    for test, module, changes in Texts(TESTS / "theory/test_decomposition.py").module_plants():
        for old, _ in changes:
            yield Place(test, f"src/littlestone/theory/decomposition/{module}.py", old)


def misplaced(places: list[Place]) -> list[str]:
    found = []
    for place in places:
        try:
            times = source(place.where).count(place.old)
        except (ImportError, AttributeError, OSError):
            found.append(f"{place.said}: there is no {place.where}")
            continue
        if times != 1:
            found.append(f"{place.said}: {place.where} has {times} of {place.old!r}")
    return found


def test_each_fault_in_a_function_has_its_place() -> None:
    places = [*faults_in_functions()]
    assert len(places) > 400
    assert not misplaced(places), "\n".join(misplaced(places))


def test_each_fault_in_a_file_has_its_place() -> None:
    places = [*faults_in_files()]
    assert len(places) > 100
    assert not misplaced(places), "\n".join(misplaced(places))


def test_a_fault_without_its_place_is_named() -> None:
    where = "littlestone.base.errors:DeclarationError.__init__"
    assert misplaced([Place("here:1", where, "no such text")])
    assert misplaced([Place("here:2", where, "self")])
    assert misplaced([Place("here:3", "littlestone.base.nowhere:f", "")])
    assert misplaced([Place("here:4", "littlestone.base.errors:nobody", "")])
