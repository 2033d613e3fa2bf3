"""Faults planted in the writer: each writes what proves nothing, or proves nothing at all."""

from __future__ import annotations

import shutil
import subprocess
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import NamedTuple

import numpy as np
import pytest
from benchmarks.named_tables import table
from claims_by_the_page import Proof, RefusedError, Text
from forging import certified
from numpy.typing import NDArray

from littlestone.dimension import littlestone_dimension
from littlestone.dimension.search.engine import PLACES_OF_CLAIMS, declare_symmetries
from littlestone.dimension.symmetry import Symmetry
from littlestone.dimension.tables import PackedTable

pytestmark = pytest.mark.deep

HERE = Path(__file__).parent
CORE = HERE.parents[1] / "core"
BESIDE = ("search", "lookahead", "frames")

# Each a piece of the writer's text and what it becomes.
FAULTS = {
    "one side alone": ("{first, 1 - first}", "{first}"),
    "no shape is marked": ("end] = end_with_shape;", "end] = end;"),
    "numbers of claims are one more": ("claims_.size() - 1 - static", "claims_.size() - static"),
    "another group": ("static_cast<Word>(frame.place - 1)", "0"),
    "a side lies in any other": ("if (!frame.lies_in(x, step.x, step.side)) continue;", ""),
    "what failed stays in the text": ("text_.resize(length);", ""),
    "complements are forgotten": ("[depth].origin[x] ^ side", "[depth].origin[x] & ~1 | side"),
    "a column that cannot be settled": ("if (answer != Answer::no)", "if (answer == Answer::stopped)"),
    "a shape is taken for a set": ("meant.claim, shape)", "meant.claim, subset)"),
    "no claim with 3 is false": ("chosen != NONE)", "chosen == 0)"),
    "few are more": ("frame.rows >> k != 0", "frame.rows >> k > 1"),
}  # fmt: skip


def built(folder: Path, old: str = "", new: str = "") -> Path:
    """The program of the writer, with a fault in its text."""
    compiler = shutil.which("g++") or shutil.which("clang++")
    if compiler is None:
        pytest.skip("no C++ compiler is installed")
    text = (CORE / "writer.cpp").read_text()
    assert not old or text.count(old) == 1
    (folder / "writer.cpp").write_text(text.replace(old, new) if old else text)
    options = ["-std=c++20", "-O1", "-pthread", f"-I{CORE}"]
    sources = [folder / "writer.cpp", *beside(compiler)]
    subprocess.run([compiler, *options, "-o", folder / "write", *sources], check=True)
    return folder / "write"


@cache
def beside(compiler: str) -> list[Path]:
    """The program around the writer and what it takes from the search, compiled."""
    made = []
    for source in (HERE / "write_claims.cpp", *(CORE / f"{name}.cpp" for name in BESIDE)):
        made.append(Path(mkdtemp()) / f"{source.stem}.o")
        options = ["-std=c++20", "-O1", f"-I{CORE}", "-c", "-o", str(made[-1])]
        subprocess.run([compiler, *options, str(source)], check=True)
    return made


class Question(NamedTuple):
    """A table, its dimension, and what the writer knows of its symmetries."""

    table: PackedTable
    dimension: int
    symmetry: Symmetry | None = None
    orbits: NDArray[np.int32] = np.zeros((0, 0, 0), np.int32)


@cache
def questions() -> list[Question]:
    """The last one is written with symmetries."""
    asked = []
    for rows, honest in certified():
        asked.append(Question(PackedTable.pack(np.array(rows, np.uint8)), honest.upper))
    rng = np.random.default_rng(3)
    base, noise = rng.random((150, 4)) < 0.5, rng.random((150, 30)) < 0.03
    for values in (base[:, rng.integers(0, 4, 30)] ^ noise, table("random", 300, 90, 20, 1)):
        packed = PackedTable.pack(values.astype(np.uint8))
        asked.append(Question(packed, littlestone_dimension(packed)))
    turned = asked[-3]
    symmetry = Symmetry(turned.table, 0)
    orbits = np.zeros((PLACES_OF_CLAIMS + 1, turned.table.points, 2), np.int32)
    for work in (1 << 20, 1 << 24, 1 << 28):
        symmetry.learn(orbits, work, lambda: False)
    assert symmetry.paths is not None
    return [*asked, Question(turned.table, turned.dimension, symmetry, orbits)]


def proves(program: Path, asked: Question, k: int) -> bool | None:
    """Whether what is written proves LDim < k, by the page; None if the program says no."""
    rows, known, out = (program.with_name(name) for name in ("rows", "orbits", "out"))
    rows.write_bytes(asked.table.rows.tobytes())
    known.write_bytes(asked.orbits.tobytes())
    numbers = [str(number) for number in (asked.table.size, asked.table.points, k)]
    command = [str(program), str(rows), *numbers, str(known), str(out)]
    try:
        done = subprocess.run(command, capture_output=True, timeout=60, check=True, text=True)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
        return False
    good, claims = map(int, done.stdout.split())
    if not good:
        return None
    head, symmetry = declare_symmetries([], [], []), asked.symmetry
    if symmetry is not None and symmetry.paths is not None:
        made = symmetry.paths.words_of_paths(range(2, symmetry.paths._last + 1))
        head = declare_symmetries(symmetry.generators, *made)
    proof = Proof(asked.table.values().tolist(), Text(head + out.read_bytes()))
    try:
        proof.prove(k)
    except RefusedError:
        return False
    return len(proof.claims) == claims and proof.text.at == len(proof.text.data)


def writes_rightly(program: Path) -> bool:
    """Whether it proves each dimension, and says of less that it is false."""
    return all(
        proves(program, asked, asked.dimension + 1) is True
        and proves(program, asked, asked.dimension) is None
        for asked in questions()
    )


def test_without_a_fault(tmp_path: Path) -> None:
    assert writes_rightly(built(tmp_path))


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_of_the_writer_are_found(fault: str, tmp_path: Path) -> None:
    assert not writes_rightly(built(tmp_path, *FAULTS[fault]))
