"""Say which random mistakes the tests notice: PYTHON tools/mutate.py [--number N] [--core N].

A mutant is the package with one small change: another comparison or operator, a constant that is one
larger, a condition that is turned around.  Mutants are drawn by the seed from all such places in
src/ and in core/, and planted one at a time in a copy of the repository.  The tests that reach the
mutated statement (``reached.py`` measures that once) run in a fork of this process until one fails:
first those that reach the least else.  A run that takes too long, or breaks off, notices the mutant as
well.  One line is printed for each mutant, and the counts at the end.
"""

from __future__ import annotations

import argparse
import ast
import gc
import os
import random
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import numpy as np
import pytest
from reached import COPY, OPTIONS, ROOT, Source, begin, each_run, prepare, run_in_a_child, say

COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
COMPUTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult, ast.Mod: ast.Add,
    ast.FloorDiv: ast.Mult, ast.Pow: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
    ast.LShift: ast.RShift, ast.RShift: ast.LShift, ast.BitXor: ast.BitAnd,
}  # fmt: skip
TOKENS = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "+": "-", "-": "+", "*": "+",
    "/": "*", "%": "+", "&": "|", "|": "&", "^": "&", "<<": ">>", ">>": "<<", "&&": "||", "||": "&&",
    "+=": "-=", "-=": "+=", "|=": "&=", "&=": "|=",
}  # fmt: skip
TOKEN = re.compile(
    rb"(?<= )(?:%s)(?= )|(?<![\w.'])\d+(?![\w.'])"
    % b"|".join(re.escape(token.encode()) for token in TOKENS)
)
NO_CODE = re.compile(rb"//[^\n]*|/\*.*?\*/|^#[^\n]*|\"(?:\\.|[^\"\n])*\"", re.DOTALL | re.MULTILINE)
FAILED = COPY / "failed"
CORE = ROOT / "build" / "mutated-core"
CALL = r"\bcore\.\w|\bSymmetries\("


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


def core_mutants(path: Path) -> Iterator[Mutant]:
    """All of one file of the core: its operators between spaces, and its whole numbers."""
    text = path.read_bytes()
    code = NO_CODE.sub(lambda found: re.sub(rb"[^\n]", b" ", found[0]), text)
    for found in TOKEN.finditer(code):
        old = found[0].decode()
        new = str(int(old) + 1) if old.isdigit() else TOKENS[old]
        line = text.count(b"\n", 0, found.start()) + 1
        yield Mutant(path, line, found.start(), found.end(), old, new)


def drawn(number: int, seed: int, under: list[str], core: bool = False) -> list[Mutant]:
    """So many of all mutants, each as likely; a longer list begins like a shorter one."""
    folder, kind, changes = ("core", "*.?pp", core_mutants) if core else ("src", "*.py", mutants)
    paths = [
        path
        for path in sorted((ROOT / folder).rglob(kind))
        if any(part in str(path.relative_to(ROOT)) for part in under)
    ]
    every = [mutant for path in paths for mutant in changes(path)]
    random.Random(seed).shuffle(every)
    return every[:number]


class Tests:
    """What was measured of the tests, and how many CPU seconds those of one speed may take."""

    def __init__(self, seconds: float) -> None:
        self.source, self.seconds = Source(), seconds
        self.deep: dict[str, bool] = {}
        self.took: dict[str, float] = {}
        reached = []
        for kept in sorted(self.source.folder.glob("*.npz")):
            with np.load(kept) as rows:
                names = rows["names"].tolist()
                self.took.update(zip(names, rows["seconds"].tolist(), strict=True))
                self.deep.update(dict.fromkeys(names, "+deep" in kept.name))
                reached.append(rows["reached"])
        if not reached:
            raise SystemExit("run `python tools/reached.py` first")
        self.reached = np.concatenate(reached)
        self.breadth = np.bitwise_count(self.reached).sum(axis=1, dtype=int)
        self.names = [*self.took]
        self.imported = np.load(self.source.folder / "imported.npy")

    def blocks(self, mutant: Mutant) -> list[int]:
        """Those that may behave in another way."""
        if mutant.path.suffix == ".py":
            return self.source.around(mutant.path, mutant.line, self.imported)
        return self.source.that_say(CALL)

    def is_warm(self, mutant: Mutant) -> bool:
        """Whether the mutant changes nothing that happens before the tests run."""
        return len(blocks := self.blocks(mutant)) == 1 and not self.imported[blocks[0]]

    def reaching(self, mutant: Mutant, deep: bool) -> list[str]:
        """The tests of a speed that may see the mutant, those first that reach the least else.

        They reach one of its blocks or, if it changes a constant, their file says the name.
        """
        found = np.zeros(len(self.names), bool)
        for block in self.blocks(mutant):
            found |= self.reached[:, block // 8] >> (7 - block % 8) & 1 == 1
        if constants := self.source.constants(mutant.path, mutant.line):
            said = re.compile(rf"\b({'|'.join(constants)})\b")
            files = [name.partition("::")[0] for name in self.names]
            saying = {file for file in {*files} if said.search((ROOT / file).read_text("utf-8"))}
            found |= [file in saying for file in files]
        rows = sorted(np.flatnonzero(found).tolist(), key=lambda row: self.breadth[row])
        tests = [self.names[row] for row in rows if self.deep[self.names[row]] == deep]
        total = np.cumsum([self.took[test] for test in tests])
        return tests[: int(np.searchsorted(total, self.seconds))]

    def notice(
        self, mutant: Mutant, run: Callable[[Mutant, list[str]], int], deep: bool = True
    ) -> str:
        """Which command notices the mutant, by which test, if its tests run like this in a child."""
        tried = 0
        for command in ("make test", "make deep")[: 1 + deep]:
            tests = self.reaching(mutant, command == "make deep")
            tried += len(tests)
            for batch in _batches(tests):
                FAILED.unlink(missing_ok=True)
                seconds = 20 + 4 * sum(map(self.took.__getitem__, batch))
                with planted(mutant):
                    status = run_in_a_child(partial(run, mutant, batch), seconds)
                if FAILED.exists():
                    return f"{command}: {FAILED.read_text(encoding='utf-8')}"
                if status not in (0, 5):
                    return f"{command}: a run that broke off"
        return f"survived: {tried} tests"


def _batches(tests: list[str]) -> Iterator[list[str]]:
    """The tests of three files, of nine others, and the rest."""
    files = [*dict.fromkeys(test.partition("::")[0] for test in tests)]
    for some in (files[:3], files[3:12], files[12:]):
        if some:
            yield [test for test in tests if test.partition("::")[0] in some]


class Failures:
    """A plugin of pytest: writes down the first test that fails."""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and not FAILED.exists():
            FAILED.write_text(report.nodeid, encoding="utf-8")


class Chosen(Failures):
    """And it leaves only these tests, in this order."""

    def __init__(self, tests: list[str]) -> None:
        self.places = {test: place for place, test in enumerate(tests)}

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = [each for each in items if each.nodeid in self.places]
        items.sort(key=lambda each: self.places[each.nodeid])


def run_anew(mutant: Mutant, tests: list[str]) -> int:
    """Load the package with its mutant, and run the tests."""
    sys.dont_write_bytecode = True
    core = ["-p", "tested_core"] * (mutant.path.suffix != ".py")
    files = dict.fromkeys(test.partition("::")[0] for test in tests)
    return int(pytest.main([*OPTIONS, *core, "-x", *files], [Chosen(tests)]))


class Warm(Failures):
    """A plugin that loads all tests once, and puts each mutant into the functions in memory."""

    def __init__(self, mutants: list[Mutant], tell: Callable[[Mutant, Any], None]) -> None:
        self.mutants, self.tell = mutants, tell

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self.items = {item.nodeid: item for item in session.items}
        self.functions = [each for each in gc.get_objects() if type(each) is FunctionType]
        begin(session)
        for mutant in self.mutants:
            self.tell(mutant, self.run)
        return True

    def run(self, mutant: Mutant, tests: list[str]) -> int:
        place = str(COPY / mutant.path.relative_to(ROOT))
        whole = compile(Path(place).read_bytes(), place, "exec", dont_inherit=True)
        codes = {(code.co_qualname, code.co_firstlineno): code for code in _codes(whole)}
        for each in self.functions:
            key = (each.__code__.co_qualname, each.__code__.co_firstlineno)
            if each.__code__.co_filename == place and key in codes and key[1] <= mutant.line:
                each.__code__ = codes[key]
        for _ in each_run([self.items[test] for test in tests if test in self.items]):
            if FAILED.exists():
                break
        return 0


def _codes(code: CodeType) -> Iterator[CodeType]:
    """Of the functions in it, and in them."""
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield each
            yield from _codes(each)


@contextmanager
def planted(mutant: Mutant) -> Iterator[None]:
    """The copy has the mutant."""
    place = COPY / mutant.path.relative_to(ROOT)
    honest, times = place.read_bytes(), place.stat()
    place.write_bytes(honest[: mutant.start] + mutant.new.encode() + honest[mutant.end :])
    try:
        yield
    finally:
        place.write_bytes(honest)
        if place.suffix == ".py":  # Its bytecode still fits; an object file of the core does not.
            os.utime(place, ns=(times.st_atime_ns, times.st_mtime_ns))


def build() -> bool:
    """Whether the core of the copy can be built: quickly, for any processor, and only what changed."""
    python = f"-DPython_EXECUTABLE={sys.executable}"
    configure = ["cmake", "-S", COPY, "-B", CORE, "-G", "Ninja", "-DCORE_OPTIMISE=-O1", python]
    commands = [["cmake", "--build", CORE, "--target", "_core", "_checker"]]
    if not (CORE / "build.ninja").exists():
        commands.insert(0, configure)
    done = [subprocess.run(command, capture_output=True, check=False) for command in commands]
    os.environ["TESTED_CORE"] = str(next(CORE.glob("_core.*.so"), ""))
    return all(each.returncode == 0 for each in done)


def main() -> None:
    """Plant the mutants, and say of each whether it was noticed, and by what."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--number", type=int, default=440, help="of src/")
    parser.add_argument("--core", type=int, default=60, help="of core/")
    parser.add_argument("--skip", type=int, default=0, help="leave out so many first ones of each")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--under", nargs="*", default=[""], help="only paths with such a part")
    parser.add_argument("--seconds", type=int, default=60, help="CPU time of tests of one speed")
    given = parser.parse_args()
    counts = Counter[str]()
    tests = Tests(given.seconds)

    def tell(mutant: Mutant, run: Any) -> None:
        began = cpu_time()
        found = tests.notice(mutant, run)
        counts[f"{mutant.path.relative_to(ROOT).parts[0]}, {found.partition(':')[0]}"] += 1
        say(f"{mutant} | {found} | {cpu_time() - began:.1f} s\n")

    prepare()
    drawn_now = drawn(given.number, given.seed, given.under)[given.skip :]
    shutil.rmtree(CORE, ignore_errors=True)  # its last build had a mutant
    for mutant in drawn(given.core, given.seed, given.under, core=True)[given.skip :]:
        with planted(mutant):
            built = build()
        if built:
            tell(mutant, run_anew)
        else:
            say(f"{mutant} | no program\n")
    for mutant in drawn_now:
        if not tests.is_warm(mutant):
            tell(mutant, run_anew)
    warm = [*filter(tests.is_warm, drawn_now)]
    files = {test.partition("::")[0] for each in warm for deep in (False, True)
             for test in tests.reaching(each, deep)}  # fmt: skip
    pytest.main([*OPTIONS, *sorted(files)], [Warm(warm, tell)])
    say(f"{dict(counts)}\n")


def cpu_time() -> float:
    """Of this process and of its children, in seconds."""
    return sum(os.times()[:4])


if __name__ == "__main__":
    main()
