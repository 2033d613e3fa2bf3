"""Which tests reach which statements of the package, measured once: see ``mutate.py``.

The statements of a function are cut into blocks: a block begins where a body does, and again behind
each compound statement.  Each block sets a byte when it runs.  The tests of a file run in a child of
this process, and for each test that passes its CPU time and its blocks are kept in ``build/reached``.
Processes that a test starts set no bytes.
"""

from __future__ import annotations

import ast
import builtins
import gc
import os
import re
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, partial
from hashlib import sha256
from importlib.machinery import SourceFileLoader
from itertools import chain, pairwise
from pathlib import Path
from resource import RLIMIT_CPU, setrlimit
from time import process_time, sleep
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).parents[1]
COPY = ROOT / "build" / "mutants"
OPTIONS = [
    *("-q", "--tb=no", f"--basetemp={COPY / 'temporary'}", "-p", "no:cacheprovider"),
    *("-p", "no:xdist", "-W", "ignore::pytest.PytestAssertRewriteWarning"),
]
# What tests import that is not of this project, loaded once; what is missing is left out.
OTHERS = (
    *("hypothesis", "joblib", "narwhals", "numpy.ma", "pandas", "polars", "pyarrow.parquet"),
    *("rich.console", "scipy.optimize", "scipy.stats", "sklearn.model_selection", "typer"),
)
OUT = os.dup(1)


def say(text: str) -> None:
    """Write this, whatever pytest captures."""
    os.write(OUT, text.encode())


def prepare() -> None:
    """Copy the repository, stand in the copy, and load what all children need."""
    left = shutil.ignore_patterns(".git", ".venv", ".*_cache", "build", "dist", "site", "coq")
    shutil.copytree(ROOT, COPY, ignore=left, dirs_exist_ok=True)
    os.chdir(COPY)
    paths = [str(COPY / "src"), str(COPY), str(COPY / "tests" / "dimension")]
    sys.path[:0] = paths
    os.environ.update(PYTHONPATH=os.pathsep.join(paths), LITTLESTONE_JOBS="1")
    os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")
    for name in OTHERS:
        pytest.importorskip(name)


def run_in_a_child(run: Callable[[], int], seconds: float) -> int:
    """The status of a child that runs this, within so many CPU seconds: negative if it broke off."""
    if not (child := os.fork()):
        os.setpgid(0, 0)
        setrlimit(RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 1))
        null = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(null, stream)
        status = 99
        try:
            status = run()
        finally:
            os._exit(status)
    waited, status = 0.0, 0
    while not (done := os.waitpid(child, os.WNOHANG))[0] and waited < 20 * seconds:
        sleep(0.02)
        waited += 0.02
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    status = done[1] if done[0] else os.waitpid(child, 0)[1]
    return os.waitstatus_to_exitcode(status)


@dataclass(frozen=True)
class Block:
    """Statements of a file that run together."""

    path: Path
    first: int
    last: int


class Source:
    """The modules of the package, and their blocks with numbers."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.lines: dict[Path, list[str]] = {}
        self.trees: dict[Path, ast.Module] = {}
        self.said: dict[str, list[int]] = {}
        for path in sorted((ROOT / "src").rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            self.lines[path] = text.split("\n")
            self.trees[path] = ast.parse(text)
            self._mark(path, self.trees[path], within=False)

    def _mark(self, path: Path, node: ast.AST, within: bool) -> None:
        """Number the blocks below, and have each set its byte first."""
        function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        within = within or function
        for child in [*ast.iter_child_nodes(node)]:
            self._mark(path, child, within and not isinstance(child, ast.ClassDef))
        if not within or isinstance(node, ast.expr):
            return
        for name in ("body", "orelse", "finalbody"):
            body: list[ast.stmt] = getattr(node, name, [])
            told = int(function and ast.get_docstring(node, clean=False) is not None)
            starts = [
                i for i in range(told, len(body)) if i == told or hasattr(body[i - 1], "body")
            ]
            for i, end in reversed([*pairwise([*starts, len(body)])]):
                mark = ast.parse(f"_reached[{len(self.blocks)}] = 1").body[0]
                self.blocks.append(Block(path, body[i].lineno, body[end - 1].end_lineno or 0))
                for part in ast.walk(mark):
                    ast.copy_location(part, body[i])
                body.insert(i, mark)

    @cached_property
    def folder(self) -> Path:
        """Where what was measured of these sources is kept."""
        whole = sha256("\n".join(chain(*self.lines.values())).encode()).hexdigest()
        return ROOT / "build" / "reached" / whole[:12]

    def around(self, path: Path, line: int, imported: Any) -> list[int]:
        """The block of a line; of one that runs in imports, all that may see what is bound there."""
        inside = [
            n
            for n, block in enumerate(self.blocks)
            if block.path == path and block.first <= line <= block.last
        ]
        inside = sorted(inside, key=lambda n: self.blocks[n].first)[-1:]
        if inside and not imported[inside[0]]:
            return inside
        node = self.statement(path, line)
        first, last = _first(node), node.end_lineno or 0
        found = {n for n, block in enumerate(self.blocks)
                 if block.path == path and first <= block.first <= last}  # fmt: skip
        found.update(inside, *(self.that_say(rf"\b{name}\b") for name in _names(node)))
        return sorted(found)

    def statement(self, path: Path, line: int) -> ast.stmt:
        """That of the module which has the line."""
        body = self.trees[path].body
        return next(node for node in body if _first(node) <= line <= (node.end_lineno or 0))

    def constants(self, path: Path, line: int) -> list[str]:
        """The names that a line of a module binds, outside of functions and classes."""
        node = self.statement(path, line) if path in self.trees else None
        return [*_names(node)] if isinstance(node, ast.Assign | ast.AnnAssign) else []

    def that_say(self, pattern: str) -> list[int]:
        """The blocks whose text has this."""
        if pattern not in self.said:
            self.said[pattern] = [
                n
                for n, block in enumerate(self.blocks)
                if re.search(
                    pattern, "\n".join(self.lines[block.path][block.first - 1 : block.last])
                )
            ]
        return self.said[pattern]

    def measure(self, deep: bool, chosen: list[str]) -> None:
        """Run the tests whose path has one of the chosen parts, if they were not measured yet."""
        codes = {}
        for path, tree in self.trees.items():
            place = str(COPY / path.relative_to(ROOT))
            codes[place] = compile(tree, place, "exec", dont_inherit=True)
        honest = SourceFileLoader.get_code

        def get_code(loader: SourceFileLoader, name: str) -> Any:
            return codes.get(loader.path) or honest(loader, name)

        SourceFileLoader.get_code = get_code
        self.folder.mkdir(parents=True, exist_ok=True)
        asked = [*OPTIONS, "-m", "deep" if deep else "not deep", "tests", "src"]
        pytest.main(asked, [Meter(self, deep, chosen)])


def _first(node: ast.stmt) -> int:
    return min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", []))])


def _names(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.ClassDef | ast.FunctionDef):
        yield node.name
    yield from (each.id for each in ast.walk(node)
                if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
                and not isinstance(node, ast.ClassDef | ast.FunctionDef))  # fmt: skip


class Meter:
    """A plugin of pytest: notes what each test that passes reaches, and its CPU time."""

    def __init__(self, source: Source, deep: bool, chosen: list[str]) -> None:
        self.folder, self.deep, self.chosen = source.folder, deep, chosen
        self.marks = bytearray(len(source.blocks))
        builtins._reached = self.marks
        self.failed: set[str] = set()

    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        path = str(collection_path.relative_to(COPY))
        left = path.endswith(".py") and not any(part in path for part in self.chosen or [""])
        return True if left else None

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """A child for each file, as an answer that is remembered is not computed."""
        begin(session)
        imported = self.folder / "imported.npy"
        now = np.frombuffer(bytes(self.marks), np.uint8)
        np.save(imported, now | np.load(imported) if imported.exists() else now)
        files: dict[Path, list[pytest.Item]] = {}
        for item in session.items:
            files.setdefault(item.path, []).append(item)
        for path, items in files.items():
            name = str(path.relative_to(COPY)).replace("/", "+") + "+deep" * self.deep
            kept = self.folder / f"{name}.npz"
            if not kept.exists() or kept.stat().st_mtime < path.stat().st_mtime:
                status = run_in_a_child(partial(self.measure, items, kept), 600)
                say(f"{path.relative_to(COPY)}{'' if status == 0 else ': broke off'}\n")
        return True

    def measure(self, items: list[pytest.Item], kept: Path) -> int:
        rows = []
        for item in each_run(items):
            reached = np.packbits(np.frombuffer(bytes(self.marks), np.uint8))
            if item.nodeid not in self.failed:
                rows.append((item.nodeid, process_time() - self.began, reached))
        if rows:
            names, seconds, reached = map(np.array, zip(*rows, strict=True))
            np.savez_compressed(kept, names=names, seconds=seconds, reached=reached)
        return 0

    def pytest_runtest_logstart(self) -> None:
        self.marks[:] = bytes(len(self.marks))
        self.began = process_time()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if not report.passed:
            self.failed.add(report.nodeid)


def begin(session: pytest.Session) -> None:
    """Once all tests are collected: nobody reports, and children share what is loaded."""
    session.config.pluginmanager.unregister(name="terminalreporter")
    gc.collect()
    gc.freeze()


def each_run(items: list[pytest.Item]) -> Iterator[pytest.Item]:
    """Run each item, and yield it; what stands at the end is taken down."""
    try:
        for item, after in zip(items, [*items[1:], None], strict=True):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)
            yield item
    finally:
        items[0].session._setupstate.teardown_exact(None)


if __name__ == "__main__":
    source = Source()
    prepare()
    source.measure("--deep" in sys.argv, [each for each in sys.argv[1:] if each != "--deep"])
