"""Graphs of claims: small tables against plain recursion, and certificates that were changed."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import tables

from littlestone.dimension import Bounds, GraphCertificate, littlestone_bounds
from littlestone.dimension.proof.accepting import GraphChecker
from littlestone.dimension.proof.writing import GraphWriter
from littlestone.dimension.table import PackedTable
from littlestone.dimension.tree import MistakeTree
from littlestone.errors import DeclarationError

SOURCE = Path(__file__).parents[2] / "checker" / "check.c"
ROOM = 1 << 20


def plain(columns: list[int], full: int) -> int:
    """The dimension by the definition alone."""

    @cache
    def dimension(alive: int) -> int:
        splits = [(alive & column, alive & ~column) for column in columns]
        return max((1 + min(map(dimension, s)) for s in splits if s[0] and s[1]), default=0)

    return dimension(full)


def random_tables(count: int, rows: int, points: int) -> list[PackedTable]:
    rng = np.random.default_rng(count)
    shapes = rng.integers(1, [rows + 1, points + 1], (count, 2))
    made = ((rng.random(shape) < rng.choice([0.2, 0.35, 0.5])) for shape in shapes)
    return [PackedTable.read(table) for table in made]


def proof(table: PackedTable, k: int) -> tuple[bytes, int] | None:
    return GraphWriter(table.rows, table.points, ROOM).write(k)


def accepted(table: PackedTable, k: int, text: bytes, claims: int) -> bool:
    return GraphChecker(table.rows, table.points, text, claims).accepts(k)


@pytest.mark.slow
def test_small_tables_against_plain_recursion() -> None:
    """The dimension is certified, and nothing below it, by no text that was written for it."""
    seen = set()
    for table in random_tables(2500, 14, 6):
        d = plain(list(table.masks), (1 << table.size) - 1)
        written = proof(table, d + 1)
        assert written is not None
        assert accepted(table, d + 1, *written)
        assert not accepted(table, d, *written)
        assert proof(table, d) is None
        seen.add(d)
    assert seen >= {0, 1, 2, 3}


def sparse_table() -> tuple[PackedTable, GraphCertificate]:
    table = PackedTable.read((np.random.default_rng(1).random((1000, 100)) < 0.15).astype(np.uint8))
    return table, GraphCertificate.of(table, littlestone_bounds(table))


def test_a_file_journeys() -> None:
    table, certificate = sparse_table()
    assert certificate.claims > 50
    assert GraphCertificate.read(certificate.to_bytes()) == certificate
    assert all(verdict.proved for verdict in certificate.check(table))


@pytest.mark.parametrize("data", [b"", b"littlestone-certificate 2\n", b"{}"])
def test_data_that_is_no_certificate(data: bytes) -> None:
    with pytest.raises(DeclarationError):
        GraphCertificate.read(data)


def test_every_beginning_is_refused() -> None:
    table = PackedTable.read(tables.boxes(4))
    data = GraphCertificate.of(table, littlestone_bounds(table)).to_bytes()
    for end in range(len(data)):
        try:
            cut = GraphCertificate.read(data[:end])
        except DeclarationError:
            continue
        assert not all(verdict.proved for verdict in cut.check(table))


def changed(data: bytes, rng: np.random.Generator) -> bytes:
    """A few bytes set, removed or repeated."""
    made = bytearray(data)
    for _ in range(rng.integers(1, 4)):
        made = made or bytearray(1)
        at = int(rng.integers(len(made)))
        kind = rng.integers(4)
        if kind == 0:
            made[at] = int(rng.integers(256))
        elif kind == 1:
            made[at] ^= 1 << int(rng.integers(8))
        elif kind == 2:
            del made[at : at + int(rng.integers(1, 9))]
        else:
            made[at:at] = made[int(rng.integers(len(made))) :][: int(rng.integers(1, 9))]
    return bytes(made)


@pytest.mark.slow
def test_changed_claims_prove_nothing_false() -> None:
    """A false bound stays unproved, whatever is changed in proofs of true ones."""
    rng = np.random.default_rng(3)
    refused = 0
    sparse = (np.random.default_rng(i).random((200, 40)) < 0.2 for i in range(50))
    for table in map(PackedTable.read, sparse):
        d = littlestone_bounds(table).dimension
        written = proof(table, d + 1)
        assert written is not None
        for _ in range(100):
            text = changed(written[0], rng)
            claims = max(1, written[1] + int(rng.integers(-1, 2)))
            assert not accepted(table, d, text, claims)
            refused += not accepted(table, d + 1, text, claims)
    assert refused > 1000


def program(folder: Path, *options: str) -> Path:
    compiler = shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("no C compiler is installed")
    made = folder / "check"
    flags = ["-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", *options]
    subprocess.run([compiler, *flags, "-o", str(made), str(SOURCE)], check=True)
    return made


def status(check: Path, table: Path, data: bytes) -> int:
    path = table.with_suffix(".ldim")
    path.write_bytes(data)
    done = subprocess.run([check, table, path], capture_output=True, check=False, timeout=60)
    assert not done.stderr or done.returncode == 2, done.stderr
    return done.returncode


@pytest.mark.slow
def test_the_c_program(tmp_path: Path) -> None:
    """It agrees on small tables, and no changed certificate makes it certify what is false."""
    check = program(tmp_path, "-fsanitize=undefined", "-fno-sanitize-recover")
    rng = np.random.default_rng(5)
    path = tmp_path / "table.npy"
    for table in random_tables(60, 40, 80):
        np.save(path, table.values())
        bounds = littlestone_bounds(table)
        certificate = GraphCertificate.of(table, bounds)
        assert status(check, path, certificate.to_bytes()) == 0
        d = bounds.dimension
        if d > 0:
            low = MistakeTree(bounds.tree.points[: (1 << d - 1) - 1], (0,) * (1 << d - 1))
            false = replace(certificate, lower=d - 1, upper=d - 1, tree=low)
            assert status(check, path, false.to_bytes()) == 1
        for _ in range(4):
            assert status(check, path, changed(certificate.to_bytes(), rng)) in (0, 1, 2)


@pytest.mark.slow
def test_the_c_program_takes_a_large_table(tmp_path: Path) -> None:
    check = program(tmp_path)
    table, certificate = sparse_table()
    np.save(tmp_path / "table.npy", table.values())
    assert status(check, tmp_path / "table.npy", certificate.to_bytes()) == 0


def test_an_interrupted_solve_leaves_a_bound_without_a_proof() -> None:
    table = PackedTable.read(tables.boxes(4))
    bounds = littlestone_bounds(table)
    open_ = Bounds(bounds.lower, bounds.upper + 1, bounds.tree, interrupted=True)
    certificate = GraphCertificate.of(table, open_)
    assert GraphCertificate.read(certificate.to_bytes()).check(table)[1].proved is not False
