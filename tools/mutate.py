"""Say which random mistakes the tests notice: PYTHON tools/mutate.py [--number N] [--seed S].

A mutant is the package with one small change: another comparison or operator, a constant that is one
larger, a condition that is turned around.  Mutants are drawn by the seed from all such places in
src/, and planted one at a time in a copy of the repository.  The tests of the files nearest to the
mutated module (by imports) run until one fails: first those of `make test`, then those of `make deep`.
A test that takes too long fails.  One line is printed for each mutant, and the counts at the end.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from resource import RLIMIT_CPU, setrlimit

ROOT = Path(__file__).parents[1]
COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
COMPUTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult, ast.Mod: ast.Add,
    ast.FloorDiv: ast.Mult, ast.Pow: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
    ast.LShift: ast.RShift, ast.RShift: ast.LShift, ast.BitXor: ast.BitAnd,
}  # fmt: skip
PLACE = re.compile(r"(littlestone(?:\.\w+)+)(?::[\w.]+)?")
UNNAMED = "a run that broke off"
# A test that needs more CPU seconds than this has not ended.
PLUGIN = """
import pytest, signal

def out_of_time(*_):
    pytest.fail("out of time")

@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    signal.signal(signal.SIGVTALRM, out_of_time)
    signal.setitimer(signal.ITIMER_VIRTUAL, 30)
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
"""


@dataclass(frozen=True)
class Mutant:
    """In the file at ``path``, what stands from ``start`` to ``end`` becomes ``new``."""

    path: Path
    line: int
    start: int
    end: int
    old: str
    new: str

    def __str__(self) -> str:
        return (
            f"{self.path.relative_to(ROOT)}:{self.line}: {_short(self.old)} -> {_short(self.new)}"
        )


def _short(text: str) -> str:
    return " ".join(text.split())


def mutants(path: Path) -> Iterator[Mutant]:
    """All of one file, in the order of the file."""
    text = path.read_text(encoding="utf-8")
    starts = [0]
    for line in text.encode().splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    tree = ast.parse(text)
    untouched = {id(inner) for node in ast.walk(tree) for part in _words(node)
                 for inner in ast.walk(part)}  # fmt: skip
    for node in ast.walk(tree):
        if id(node) in untouched or not isinstance(node, ast.expr):
            continue
        start = starts[node.lineno - 1] + node.col_offset
        end = starts[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)
        old = text.encode()[start:end].decode()
        for new in _changed(node):
            yield Mutant(path, node.lineno, start, end, old, f"({ast.unparse(new)})")


def _words(node: ast.AST) -> Iterator[ast.AST]:
    """Parts that do nothing: annotations, texts put together, and what only type checkers read."""
    for name in ("annotation", "returns"):
        if part := getattr(node, name, None):
            yield part
    if isinstance(node, ast.JoinedStr):
        yield node
    if isinstance(node, ast.If) and ast.unparse(node.test) in (
        "TYPE_CHECKING",
        "not TYPE_CHECKING",
    ):
        yield node


def _changed(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        yield ast.Compare(node.left, [COMPARED[type(node.ops[0])]()], node.comparators)
    elif isinstance(node, ast.BinOp) and type(node.op) in COMPUTED:
        yield ast.BinOp(node.left, COMPUTED[type(node.op)](), node.right)
    elif isinstance(node, ast.BoolOp):
        yield ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
        yield node.operand
    elif isinstance(node, ast.IfExp):
        yield ast.IfExp(node.test, node.orelse, node.body)
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield ast.Constant(not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int):
        yield ast.Constant(node.value + 1)


def drawn(number: int, seed: int, under: str) -> list[Mutant]:
    """So many of all mutants, each as likely; a longer list begins like a shorter one."""
    every = [mutant for path in sorted((ROOT / "src").rglob("*.py")) if under in str(path)
             for mutant in mutants(path)]  # fmt: skip
    random.Random(seed).shuffle(every)
    return every[:number]


def importers() -> dict[str, set[str]]:
    """For each module of the package, the files that name it, or a name it defines, or its package."""
    trees = {
        str(path.relative_to(ROOT)): ast.parse(path.read_text(encoding="utf-8"))
        for folder in ("src", "tests")
        for path in (ROOT / folder).rglob("*.py")
    }
    modules = {_module(path): tree for path, tree in trees.items() if path.startswith("src/")}
    defined: dict[str, list[str]] = {}
    for module, tree in modules.items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef):
                defined.setdefault(node.name, []).append(module)
    found: dict[str, set[str]] = {}
    for path, tree in trees.items():
        for module, name in _named(tree):
            inside = [each for each in defined.get(name, ()) if f"{each}.".startswith(f"{module}.")]
            walked = [each for each in modules if not name and each.startswith(f"{module}.")]
            for each in (module, f"{module}.{name}", *inside, *walked):
                found.setdefault(each, set()).add(path)
    return found


def _named(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Modules and names that are imported, and modules that a text names, as those of faults do."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield from ((node.module, alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from ((alias.name, "-") for alias in node.names)
        elif isinstance(node, ast.Constant) and (named := PLACE.fullmatch(str(node.value))):
            yield named[1], ""


def _module(path: str) -> str:
    return path.removeprefix("src/").removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def nearest(path: Path, users: dict[str, set[str]]) -> list[str]:
    """The file itself, for its examples, and test files: of its name, by distance, of its folder."""
    first = str(path.relative_to(ROOT))
    seen, waiting, tests = {first}, deque([first]), []
    room = first.split("/")[2]
    while waiting:
        module = _module(waiting.popleft())
        for user in sorted(users.get(module, ()), key=lambda user: (f"/{room}/" not in user, user)):
            if user not in seen:
                seen.add(user)
                waiting.append(user)
                if Path(user).name.startswith("test_"):
                    tests.append(user)
    others = sorted(
        str(each.relative_to(ROOT)) for each in (ROOT / "tests" / room).glob("test_*.py")
    )
    tests += [each for each in others if each not in seen]
    named = _stems(first)
    return [first, *sorted(tests, key=lambda test: -len(named & _stems(test)))]


def _stems(path: str) -> set[str]:
    """The words of a file's name, in singular and plural alike."""
    return {word[:5] for word in Path(path).stem.removeprefix("test_").split("_")}


@dataclass(frozen=True)
class Tests:
    """A copy of the repository, and how long a run of its tests may take, in CPU seconds."""

    copy: Path
    seconds: int
    files: int
    users: dict[str, set[str]]
    unsound: set[str] = field(default_factory=set)
    """Tests that fail without a mutant."""

    def notice(self, mutant: Mutant, speeds: tuple[str, ...] = ("not deep", "deep")) -> str:
        """Which command notices the mutant, by which test."""
        place = self.copy / mutant.path.relative_to(ROOT)
        honest = place.read_bytes()
        mutated = honest[: mutant.start] + mutant.new.encode() + honest[mutant.end :]
        files = nearest(mutant.path, self.users)[: self.files]
        for speed in speeds:
            killer: str | None = UNNAMED
            while killer:
                place.write_bytes(mutated)
                killer = self.first_failure(files, "-x", "-m", speed)
                place.write_bytes(honest)
                if killer and (killer == UNNAMED or not self.first_failure([killer])):
                    return f"make {'deep' if speed == 'deep' else 'test'}: {killer}"
                if killer:
                    self.unsound.add(killer)
        return "survived"

    def first_failure(self, chosen: list[str], *options: str) -> str | None:
        """The first test that fails; none if all pass, or as many as the time allows."""
        command = [
            *(sys.executable, "-m", "pytest", "-q", "--no-header", "--tb=no", "-rfE"),
            *("-p", "limited", "-p", "no:cacheprovider", "-p", "no:xdist", *options, *chosen),
            *(f"--deselect={test}" for test in self.unsound),
        ]
        path = os.pathsep.join([str(self.copy / "src"), str(self.copy)])
        try:
            done = subprocess.run(
                command,
                cwd=self.copy,
                env={**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                check=False,
                timeout=20 * self.seconds,
                preexec_fn=partial(setrlimit, RLIMIT_CPU, (self.seconds, self.seconds)),
            )
        except subprocess.TimeoutExpired:
            return UNNAMED
        failed = re.search(r"^(?:FAILED|ERROR) (.*?)(?: - .*)?$", done.stdout, re.MULTILINE)
        if failed:
            return failed[1]
        return UNNAMED if done.returncode in (1, 2, 3, 4) else None


@contextmanager
def tests_in_a_copy(seconds: int, files: int) -> Iterator[Tests]:
    """Of the nearest files so many, and a run of them may take so many seconds."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy"
        left = shutil.ignore_patterns(".git", ".venv", ".*_cache", "build", "dist", "site")
        shutil.copytree(ROOT, copy, ignore=left)
        (copy / "limited.py").write_text(PLUGIN, encoding="utf-8")
        yield Tests(copy, seconds, files, importers())


def main() -> None:
    """Plant the mutants, and say of each whether it was noticed, and by what."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--number", type=int, default=500)
    parser.add_argument("--skip", type=int, default=0, help="leave out so many first ones")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--under", default="", help="only files whose path has this part")
    parser.add_argument("--files", type=int, default=25, help="so many nearest files")
    parser.add_argument("--seconds", type=int, default=100, help="CPU time of a run of them")
    given = parser.parse_args()
    counts = Counter[str]()
    with tests_in_a_copy(given.seconds, given.files) as tests:
        for mutant in drawn(given.number, given.seed, given.under)[given.skip :]:
            found = tests.notice(mutant)
            counts[found.partition(":")[0]] += 1
            sys.stdout.write(f"{mutant} | {found}\n")
            sys.stdout.flush()
    sys.stdout.write(f"{dict(counts)}\n")


if __name__ == "__main__":
    main()
