"""List which command notices each planted bug: PYTHON tools/list_plants.py [--write] [--beyond N].

Every plant has a test of its own, which fails if nothing catches the plant.  One line is printed for
each plant: the command that runs this test, where the plant is, its mistake, and the test.  With
--write, their numbers are written into docs/planted-bugs.md.  With
--beyond, so many of those plants that are edits of the code and that `make deep` catches are planted in
a copy of the repository, to see whether the other tests, those of `make test`, notice them as well.
"""

from __future__ import annotations

import argparse
import inspect
import os
import pickle
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import dedent, indent
from typing import Any

import pytest
from mutate import Mutant, Tests, run_anew
from reached import ROOT, prepare, run_in_a_child, say

os.environ["LITTLESTONE_JOBS"] = "1"

PAGE = ROOT / "docs" / "planted-bugs.md"
ROWS = {
    "tests/prove/test_plants": "mechanisms, learners, reading of data: this catalogue",
    "tests/prove/test_rows": "code that rows of `verify` speak of",
    "tests/privacy tests/prove/test_real": "samplers, mechanisms, streams at size",
    "tests/learn": "learners with many records, private numbers, units",
    "tests/dimension": "the compiled core",
    "tests/silence": "what could be seen of a record",
    "tests/data": "equal values, many records, workbooks, sums in engines",
    "tests/classes": "classes and their bounds",
}
"""What is planted where, by the beginnings of the names of tests, each once."""


@dataclass(frozen=True)
class Planted:
    """A plant as a test is given it; ``what`` is a `Fault` or a `Plant`."""

    what: Any
    test: str
    deep: bool

    def __str__(self) -> str:
        speed = "make deep" if self.deep else "make test"
        place = getattr(self.what, "place", self.test.partition("::")[0])
        mistake = " ".join(str(getattr(self.what, "mistake", self.what)).split())
        test = " ".join(self.test.split())
        return f"{speed} | {place} | {mistake} | {test}"


class Collector:
    """The plants among the parameters of tests, and the tests that plant by themselves."""

    def __init__(self) -> None:
        self.plants: dict[int, Planted] = {}
        self.tests: dict[str, bool] = {}

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        for item in session.items:
            deep = item.get_closest_marker("deep") is not None
            callspec = getattr(item, "callspec", None)
            found = [*_plants([*callspec.params.values()])] if callspec else []
            for what in found:
                if id(what) not in self.plants or not deep:
                    self.plants[id(what)] = Planted(what, item.nodeid, deep)
            words = item.nodeid.partition("::")[2].partition("[")[0]
            if not found and any(word in words for word in ("caught", "turns_red", "_plant")):
                self.tests[item.nodeid.partition("[")[0]] = deep


def _plants(values: list[Any]) -> Iterator[Any]:
    """Those among values, some of which are hostile: nothing is asked of them but their type."""
    for value in values:
        if type(value).__name__ in ("Fault", "Plant"):
            yield value
        elif issubclass(type(value), list | tuple):
            yield from _plants([*value])
        elif "fault" in getattr(type(value), "__dataclass_fields__", ()):
            yield value.fault


def as_mutant(fault: Any) -> Mutant:
    """The edit that a `Fault` is, in its file."""
    module, _, path = fault.place.partition(":")
    function = import_module("planting")._function(module, path)
    lines, first = inspect.getsourcelines(function)
    old = "".join(lines)
    new = dedent(old).replace(fault.old, fault.new)
    new = indent(new, old[: len(old) - len(old.lstrip())])
    file = Path(inspect.getsourcefile(function) or "")
    text = file.read_bytes()
    start = sum(map(len, text.splitlines(keepends=True)[: first - 1]))
    return Mutant(file, first, start, start + len(old.encode()), fault.old, new)


def summarize(plants: list[Planted], tests: dict[str, bool]) -> Iterator[str]:
    """The lines of the page's table: how many plants of each row each command notices."""
    yield "| planted in | tests | `make test` | `make deep` |"
    yield "|---|---|---|---|"
    found = dict[str, Counter[bool]]()
    for planted in plants:
        row = next(row for row in ROWS if planted.test.startswith(tuple(row.split())))
        found.setdefault(row, Counter())[planted.deep] += 1
    for row in filter(found.__contains__, ROWS):
        places = ", ".join(f"`{place}*`" for place in row.split())
        yield f"| {ROWS[row]} | {places} | {found[row][False]} | {found[row][True]} |"
    alone = Counter(tests.values())
    yield f"| tests that plant by themselves | in all folders | {alone[False]} | {alone[True]} |"


def write(plants: list[Planted], tests: dict[str, bool]) -> None:
    """Write the numbers into the page: of all plants, of each heading and of each command."""
    text = PAGE.read_text(encoding="utf-8")
    first, *sections = re.split(r"(?m)^(?=## )", text)
    counts = [sum(line.startswith("| `") for line in each.splitlines()) for each in sections]
    first = re.sub(r"Each of these \d+", f"Each of these {sum(counts)}", first)
    sections = [
        re.sub(r"\A(## .*) \(\d+\)", rf"\1 ({n})", each)
        for n, each in zip(counts, sections, strict=True)
    ]
    table = "\n".join(summarize(plants, tests))
    sections[0] = re.sub(r"(?s)\| planted in .*?\n(?=\n)", lambda _: f"{table}\n", sections[0])
    PAGE.write_text(first + "".join(sections), encoding="utf-8")


def main() -> None:
    """List the plants, and count them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--beyond", type=int, default=0)
    parser.add_argument("--seconds", type=int, default=60, help="CPU time of the tests of a plant")
    given = parser.parse_args()
    os.chdir(ROOT)
    sys.path.insert(0, str(ROOT))
    # The process that runs the other tests has not loaded the package.
    with TemporaryDirectory() as folder:
        found = Path(folder) / "edits"
        run_in_a_child(partial(list_all, given.write, found), 600)
        edits = pickle.loads(found.read_bytes())
    random.Random(1).shuffle(edits)
    noticed = Counter[str]()
    if given.beyond:
        tests = Tests(given.seconds)
        prepare()
    for edit in edits[: given.beyond]:
        how = tests.notice(edit, run_anew, deep=False)
        noticed[how.partition(":")[0]] += 1
        say(f"{edit} | {how}\n")
    say(f"by other tests of make test: {dict(noticed)}\n")


def list_all(writes: bool, edits: Path) -> int:
    """List and count the plants; those of `make deep` that are edits are left in a file."""
    collector = Collector()
    pytest.main(["--collect-only", "-qq", "-p", "no:cacheprovider", "tests"], [collector])
    plants = [*collector.plants.values()]
    for planted in plants:
        say(f"{planted}\n")
    for test, deep in collector.tests.items():
        say(f"make {'deep' if deep else 'test'} | plants by itself | {test}\n")
    if writes:
        write(plants, collector.tests)
    say(f"plants: {_counted(planted.deep for planted in plants)}\n")
    say(f"tests that plant by themselves: {_counted(collector.tests.values())}\n")
    faults = [each.what for each in plants if each.deep and type(each.what).__name__ == "Fault"]
    edits.write_bytes(pickle.dumps([*map(as_mutant, faults)]))
    return 0


def _counted(deep: Any) -> dict[str, int]:
    return dict(Counter("make deep" if each else "make test" for each in deep))


if __name__ == "__main__":
    main()
