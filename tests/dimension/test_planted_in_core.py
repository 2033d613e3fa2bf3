"""Faults planted in the sources of the core: each is built, and turns the tests named beside it red.

The honest sources are built the same way first, and pass.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import pytest

from limits import limit_memory
from whole_grid import WHOLE

ROOT = Path(__file__).parents[2]
# The one that was installed beside this Python needs no PATH.
CMAKE = shutil.which("cmake", path=Path(sys.executable).parent) or shutil.which("cmake") or ""
TOOLS = CMAKE and shutil.which("g++") and find_spec("nanobind")
pytestmark = [
    pytest.mark.deep,
    pytest.mark.skipif(not TOOLS, reason="no cmake, g++ or nanobind here"),
]

CORE = "tests/dimension/test_core.py"
COUNTING = "tests/classes/test_counting.py"
FLATS = f"{COUNTING}::test_subspaces"
HALF_GRAPHS = "tests/dimension/test_brackets.py -k half_graph"
SYMMETRY = "tests/dimension/test_symmetry.py -k finds or checks"
ARGUMENTS = "tests/dimension/test_core_arguments.py"
TEXTS = "tests/data/test_coded_tallies.py -k bytes"
MEMORY = 3 << 30  # bytes of one run, several times what the honest core takes


class Plant(NamedTuple):
    """In the file ``core/name``, ``old`` becomes ``new``."""

    name: str
    old: str
    new: str
    tests: str = CORE

    def __str__(self) -> str:
        return f"{self.name}: {self.new.strip()}"


PLANTS = [
    Plant("arrays.hpp", "flags & ~std::uint32_t{cast_flags::convert}", "flags", ARGUMENTS),
    Plant("frames.cpp", "(w + 1 == words ? last : ALL));\n    Word* out", "ALL);\n    Word* out"),
    Plant("frames.cpp", "rows - column.ones) < 2) continue", "rows - column.ones) < 3) continue"),
    Plant("frames.cpp", "^ static_cast<std::int32_t>(column.flip & 1)", ""),
    Plant("frames.cpp", "if (w + 1 == words) word &= last;", ""),
    Plant("frames.cpp", "<Word>(frame.ones[z]) : 0;", "<Word>(frame.ones[z] ^ 1) : 0;"),
    Plant("frames.cpp", "if (there < 64) block_ = Block();", ""),
    Plant("frames.cpp", "filled > 0 ? word >> (n - filled) : 0", "0"),
    Plant("words.hpp", "mask = (mask ^ move) | (move >> (1 << step));", "mask = mask ^ move;"),
    Plant("vectors.hpp", "low = low ^ (swap << shift);", "low = low ^ (swap >> shift);"),
    Plant(
        "slices.hpp",
        "rest = q.frame.rows - q.size - q.least",
        "rest = q.frame.rows - q.size - 2 * q.least",
    ),
    Plant("slices.hpp", "borrow = majority(~total, here, borrow);", ""),
    Plant("slices.hpp", "carry = old & carry;", "carry = old | carry;"),
    Plant(
        "lookahead.cpp",
        "return least <= ones && ones <= size",
        "return least < ones && ones <= size",
    ),
    Plant(
        "lookahead.cpp",
        "const int least = 1 << (k - 2), half",
        "const int least = 1 << (k - 1), half",
    ),
    Plant("lookahead.cpp", "if (std::min(size0, size1) < 4) continue;", "if (size0 < 5) continue;"),
    Plant("lookahead.cpp", " && frame.lies_in(x, choice.order[j], 1)) return", ") return"),
    Plant(
        "lookahead.cpp",
        "choice.alive[1]) <= FEW) return false;",
        "choice.alive[1]) < 0) return false;",
    ),
    Plant("frames.hpp", "outside = side == 1 ? ALL : 0", "outside = side == 1 ? 0 : ALL"),
    Plant("lookahead.cpp", "quarter = 1 << (k - 2), total", "quarter = 1 << (k - 1), total"),
    Plant(
        "lookahead.cpp", "index_.data(), size, 1 << (k - 2)}", "index_.data(), size, 1 << (k - 1)}"
    ),
    Plant("lookahead.cpp", "choice.alive[2 * j + side] = counts.listed;", ""),
    Plant("lookahead.cpp", "met_[orbit(i)]++ > 0", "met_[orbit(i)]++ >= 0", SYMMETRY),
    Plant("search.cpp", "if (frame.rows < 1 << k) return", "if (frame.rows <= 1 << k) return"),
    Plant("search.cpp", "Bounds{0, k - 1}, nodes() - began", "Bounds{0, k - 2}, nodes() - began"),
    Plant("search.cpp", "store(path, {0, k - 1}, 0, first_)", "store(path, {k, 255}, 0, first_)"),
    Plant("search.cpp", "if (answer != Answer::yes) return answer;", "return answer;"),
    Plant("search.cpp", "if (!waits) break;", "break;", "tests/dimension/test_two_searches.py"),
    Plant("search.cpp", "(side ^ (origin & 1))", "side"),
    Plant(
        "search.cpp",
        "path_of_root(rows, columns());",
        "frames_[0].key;",
        "tests/dimension/test_version_spaces.py -k another_order",
    ),
    Plant(
        "bounds_table.hpp", "return (read(entry.key) ^ packed) == key.a &&", "return packed != 0 ||"
    ),
    Plant(
        "bounds_table.hpp",
        "static_cast<int>(packed >> 8 & 0xFF)",
        "static_cast<int>(packed >> 9 & 0xFF)",
    ),
    Plant("half_graphs.cpp", "items < need - k + 1", "items < need - k + 2", HALF_GRAPHS),
    Plant("half_graphs.cpp", "maximal = equal && i < j;", "maximal = false;", HALF_GRAPHS),
    Plant(
        "half_graphs.cpp", "hypotheses_left) - need + 1;", "hypotheses_left) - need;", HALF_GRAPHS
    ),
    Plant("symmetry.cpp", "(from[y] & 1 ? ALL : 0)", "0", SYMMETRY),
    Plant(
        "symmetry.cpp",
        "columns_[(from[y] >> 1) * stride_ + g]",
        "columns_[y * stride_ + g]",
        SYMMETRY,
    ),
    Plant("symmetry.cpp", "zeros += colours[2 * x];", "", SYMMETRY),
    Plant("symmetry.cpp", "all - by_point_[a >> 1]", "0", SYMMETRY),
    Plant("symmetry.cpp", "sets[i][w] & planes_", "sets[i][0] & planes_", SYMMETRY),
    Plant(
        "symmetry.cpp", "hopeful_[member] = 0;", "hopeful_.assign(hopeful_.size(), 0);", SYMMETRY
    ),
    Plant(
        "cells.cpp", "counts[first + p];", "counts[p];", "tests/classes/test_conditions.py -k numpy"
    ),
    Plant("texts.cpp", "length <= 8 ||", "true ||", TEXTS),
    Plant("texts.cpp", "|| slot.length != length", "", TEXTS),
    Plant("texts.cpp", "while (slots_[place].number >= 0) place = (place + 1) & mask;", "", TEXTS),
    Plant("texts.cpp", "{hash, length, found};", "{hash, length, 0};", TEXTS),
    Plant("boxes.cpp", "a + b, c + d, a + b + c + d}", "a + b, c + d}", COUNTING + " -k boxes"),
    Plant("boxes.cpp", "squares_.note(there_.data(), groups);", "", COUNTING + " -k boxes"),
    Plant("boxes.cpp", "(stop == start ? 0 : sums[x])", "0", COUNTING + " -k boxes"),
    Plant(
        "flats.cpp", "const bool open = free_[f] > pivots_[r];", "const bool open = true;", FLATS
    ),
    Plant("flats.cpp", "found[own] += cosets", "found[base] += cosets", FLATS),
    Plant("juntas.cpp", "sums[0] = -low;", "sums[0] = 0;", COUNTING + " -k juntas"),
    Plant(
        "lists.cpp", "if (parts.literals > 1)", "if (parts.literals > 2)", COUNTING + " -k lists"
    ),
]


# Every other one, as each takes seconds; WHOLE_GRID=1 plants all.
CHOSEN = PLANTS if WHOLE else PLANTS[::2]


class Workshop:
    """A copy of the sources, built again after each change; what was built of honest ones is kept."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.build, self.kept = folder, folder / "build", folder / "kept"
        for part in ("core", "checker", "CMakeLists.txt"):
            copy = shutil.copy if (ROOT / part).is_file() else shutil.copytree
            copy(ROOT / part, folder / part)
        options = f"-DPython_EXECUTABLE={sys.executable}", "-DCORE_OPTIMISE=-O1"
        self.run(CMAKE, "-S", folder, "-B", self.build, *options)
        self.make()
        shutil.copytree(self.build, self.kept)

    def run(self, *words: str | Path) -> None:
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr

    def make(self) -> None:
        self.run(CMAKE, "--build", self.build, "--target", "_core", "--parallel", "2")

    @contextmanager
    def planted(self, plant: Plant) -> Iterator[None]:
        file = self.folder / "core" / plant.name
        honest, times = file.read_text(), file.stat()
        assert honest.count(plant.old) == 1, honest.count(plant.old)
        file.write_text(honest.replace(plant.old, plant.new))
        try:
            self.make()
            yield
        finally:
            file.write_text(honest)
            os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
            shutil.rmtree(self.build)
            shutil.copytree(self.kept, self.build)

    def passes(self, tests: str) -> bool:
        """Whether the tests pass with the core as it is built now; one that hangs or grows does not."""
        (built,) = self.build.glob("_core*.so")
        path, *chosen = tests.split(" -k ")
        select = ["-k", chosen[0]] if chosen else []
        paths = [str(ROOT / "tests" / "dimension"), os.environ.get("PYTHONPATH", "")]
        environment = {"TESTED_CORE": str(built), "PYTHONPATH": os.pathsep.join(paths)}
        options = ["-p", "tested_core", "-p", "no:cacheprovider", "-q", "-x"]
        command = [sys.executable, "-m", "pytest", *options, path, *select]
        try:
            done = subprocess.run(
                command,
                cwd=ROOT,
                env={**os.environ, **environment},
                capture_output=True,
                timeout=60,
                preexec_fn=partial(limit_memory, MEMORY),
            )
        except subprocess.TimeoutExpired:
            return False
        said = done.stdout.decode() + done.stderr.decode()
        assert done.returncode in (0, 1, -6, -7, -8, -11), said
        return done.returncode == 0


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    return Workshop(tmp_path_factory.mktemp("core"))


@pytest.mark.parametrize("tests", sorted({plant.tests for plant in PLANTS}))
def test_the_honest_core_passes(tests: str, workshop: Workshop) -> None:
    assert workshop.passes(tests)


@pytest.mark.parametrize("plant", CHOSEN, ids=str)
def test_each_fault_turns_red(plant: Plant, workshop: Workshop) -> None:
    with workshop.planted(plant):
        assert not workshop.passes(plant.tests)
