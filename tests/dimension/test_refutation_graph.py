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

from littlestone.dimension import Bounds, Certificate, GraphCertificate, littlestone_bounds
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
    return GraphWriter(table, ROOM).write(k)


def accepted(table: PackedTable, k: int, text: bytes, claims: int) -> bool:
    return GraphChecker(table, text, claims).accepts(k)


@pytest.mark.deep
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


@pytest.mark.parametrize("data", [b"", b"littlestone-certificate 3\n", b"{}"])
def test_data_that_is_no_certificate(data: bytes) -> None:
    with pytest.raises(DeclarationError):
        GraphCertificate.read(data)


def test_an_older_form_is_called_older(tmp_path: Path) -> None:
    file = tmp_path / "old.ldim"
    file.write_bytes(b"littlestone-certificate 2\n" + bytes(range(256)))
    with pytest.raises(DeclarationError, match="older binary form") as refused:
        Certificate.load(file)
    assert "make it again" in str(refused.value)


def test_every_beginning_is_refused() -> None:
    table = PackedTable.read(tables.boxes(4))
    data = GraphCertificate.of(table, littlestone_bounds(table)).to_bytes()
    for end in range(len(data)):
        try:
            cut = GraphCertificate.read(data[:end])
        except DeclarationError:
            continue
        assert not all(verdict.proved for verdict in cut.check(table))


def program(folder: Path, *options: str) -> Path:
    compiler = shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("no C compiler is installed")
    made = folder / "check"
    flags = ["-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", *options]
    subprocess.run([compiler, *flags, "-o", str(made), str(SOURCE)], check=True)
    return made


def test_the_c_program(tmp_path: Path) -> None:
    """Its exit status: 0 only if both bounds are proved."""
    check = program(tmp_path)
    table, certificate = sparse_table()
    np.save(tmp_path / "table.npy", table.values())
    low = MistakeTree((), (0,))
    stated = replace(certificate, claims=0, text=b"")
    false = replace(certificate, lower=0, upper=certificate.upper - 1, tree=low)
    for wanted, made in [(0, certificate), (1, stated), (1, false)]:
        (tmp_path / "made.ldim").write_bytes(made.to_bytes())
        done = subprocess.run(
            [check, tmp_path / "table.npy", tmp_path / "made.ldim"],
            capture_output=True,
            check=False,
            timeout=60,
        )
        assert (done.returncode, done.stderr) == (wanted, b"")


def test_an_interrupted_solve_leaves_a_bound_without_a_proof() -> None:
    table = PackedTable.read(tables.boxes(4))
    bounds = littlestone_bounds(table)
    open_ = Bounds(bounds.lower, bounds.upper + 1, bounds.tree, interrupted=True)
    certificate = GraphCertificate.of(table, open_)
    assert GraphCertificate.read(certificate.to_bytes()).check(table)[1].proved is not False
