"""Certificates: small tables against plain recursion, journeys as bytes, damage, and limits."""

from __future__ import annotations

import subprocess
import sys
import threading
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import tables

from littlestone.base.errors import DeclarationError, TooLargeError
from littlestone.dimension import Bounds, Certificate, is_shattered_by, littlestone_bounds
from littlestone.dimension.certify import ROOM, Check, await_result
from littlestone.dimension.search.engine import read_numbers, write_numbers
from littlestone.dimension.tables import PackedTable
from littlestone.dimension.tree import MistakeTree

TABLE = tables.boxes(4)
TREE = littlestone_bounds(TABLE).tree


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
    return [PackedTable.pack(table) for table in made]


@pytest.mark.deep
def test_small_tables_against_plain_recursion() -> None:
    """The dimension is certified, and nothing below it, by no text that was written for it."""
    seen = set()
    for table in random_tables(2500, 14, 6):
        d = plain(list(table.masks), (1 << table.size) - 1)
        bounds = littlestone_bounds(table)
        honest = Certificate.of(table, bounds)
        assert (honest.lower, honest.upper) == (d, d)
        assert [verdict.proved for verdict in honest.check(table)] == [True, True]
        if d > 0:
            less = Bounds(
                d - 1,
                d - 1,
                MistakeTree(
                    bounds.tree.points[: (1 << d - 1) - 1], bounds.tree.leaves[: 1 << d - 1]
                ),
            )
            assert Certificate.of(table, less).claims == 0
            low = replace(honest, lower=0, upper=d - 1, tree=MistakeTree((), (0,)))
            assert low.check(table)[1].proved is False
        seen.add(d)
    assert seen >= {0, 1, 2, 3}


def sparse_table() -> tuple[PackedTable, Certificate]:
    table = PackedTable.pack((np.random.default_rng(1).random((1000, 100)) < 0.15).astype(np.uint8))
    return table, Certificate.of(table, littlestone_bounds(table))


def test_a_file_journeys(tmp_path: Path) -> None:
    table, certificate = sparse_table()
    assert certificate.claims > 50
    (tmp_path / "made.ldim").write_bytes(certificate.to_bytes())
    assert Certificate.load(tmp_path / "made.ldim") == certificate
    assert all(verdict.proved for verdict in certificate.check(table))


def test_a_worker_is_stopped_at_its_time_limit_and_not_before() -> None:
    stopped = threading.Event()
    worker = SimpleNamespace(stop=stopped.set)
    assert not await_result(worker, lambda: stopped.wait(0.1), 1000)
    assert await_result(worker, lambda: stopped.wait(1000), 0.01)


def test_a_class_of_functions_may_have_one_point() -> None:
    both = SimpleNamespace(columns=((0b110,),), alive=0b111)
    packed = PackedTable.pack(both)
    assert (packed.size, packed.points, packed.names.tolist()) == (2, 1, [0, 1])


def test_numbers_are_written_seven_bits_to_a_byte() -> None:
    said = [0, 1, 127, 128, 300, 2**14 - 1, 2**14, 2**62, 2**63 - 1]
    plainly = bytearray()
    for number in said:
        while number >= 128:
            plainly.append(number & 127 | 128)
            number >>= 7
        plainly.append(number)
    assert write_numbers(said) == bytes(plainly)
    assert read_numbers(bytes(3) + bytes(plainly), 3, len(said)) == (said, 3 + len(plainly))
    assert read_numbers(bytes(plainly[:-1]), 0, len(said)) is None


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b"", "not a certificate"),
        (b"littlestone-certificate 3\n", "cut off"),
        (b"littlestone-certificate 1\n" + bytes(99), "written by version 0.1"),
        (b"littlestone-certificate 2\n" + bytes(99), "written by version 0.1"),
        (
            b'{"format": "littlestone-certificate 1"}',
            "written by version 0.2 or an older one, as JSON",
        ),
        (b"littlestone-certificate 3\n" + bytes(32) + bytes([3, 2, 0]), "cannot be"),
        (b"littlestone-certificate 3\n" + bytes(32) + b"\xff" * 12 + bytes(9), "cut off"),
    ],
)
def test_data_that_is_no_certificate(data: bytes, found: str, tmp_path: Path) -> None:
    (tmp_path / "old.ldim").write_bytes(data)
    with pytest.raises(DeclarationError, match=found) as refused:
        Certificate.load(tmp_path / "old.ldim")
    assert "make it again" in str(refused.value)


def test_every_beginning_is_refused() -> None:
    table = PackedTable.pack(TABLE)
    data = Certificate.of(table, littlestone_bounds(table)).to_bytes()
    for end in range(len(data)):
        try:
            cut = Certificate.read(data[:end])
        except DeclarationError:
            continue
        assert not all(verdict.proved for verdict in cut.check(table))


def test_an_interrupted_solve_leaves_a_bound_without_a_proof() -> None:
    table, whole = sparse_table()
    open_ = Bounds(whole.lower, whole.upper + 1, littlestone_bounds(table).tree, interrupted=True)
    certificate = Certificate.read(Certificate.of(table, open_).to_bytes())
    assert [verdict.proved for verdict in certificate.check(table)] == [True, None]


def test_a_check_that_is_stopped_raises() -> None:
    """It is stopped before it begins, which is as soon as can be."""
    table, certificate = sparse_table()
    check = Check(table, certificate.to_bytes(), ROOM)
    check.stop()
    with pytest.raises(KeyboardInterrupt):
        await_result(check, check.run)
    assert check.claims <= 1


def test_a_check_with_too_little_memory_raises() -> None:
    table, certificate = sparse_table()
    with pytest.raises(TooLargeError, match="memory are too few"):
        certificate.check(table, room=10_000)


def test_checks_in_several_threads_at_once() -> None:
    table, certificate = sparse_table()
    false = replace(certificate, lower=0, upper=certificate.upper - 1, tree=MistakeTree((), (0,)))
    seen: list[tuple[bool, bool | None]] = []

    def check() -> None:
        seen.append((certificate.check(table)[1].proved is True, false.check(table)[1].proved))

    threads = [threading.Thread(target=check) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [(True, False)] * 4


def test_a_tree_journeys_as_json() -> None:
    assert MistakeTree.from_json(TREE.to_json()) == TREE


@pytest.mark.parametrize("text", ["", "{}", '{"points": 3, "leaves": 4}', '{"claims": [[]]}'])
def test_text_that_is_no_tree(text: str) -> None:
    with pytest.raises(DeclarationError):
        MistakeTree.from_json(text)


def test_every_changed_leaf_is_noticed() -> None:
    for i, leaf in enumerate(TREE.leaves):
        others = [other for other in TREE.leaves if other != leaf]
        for wrong in (others[i % len(others)], len(TABLE), -1):
            leaves = (*TREE.leaves[:i], wrong, *TREE.leaves[i + 1 :])
            assert not is_shattered_by(TABLE, replace(TREE, leaves=leaves))


def test_changed_points_are_noticed() -> None:
    for i in range(len(TREE.points)):
        for x in (*range(TABLE.shape[1]), -1, 10**9):
            damaged = replace(TREE, points=(*TREE.points[:i], x, *TREE.points[i + 1 :]))
            if is_shattered_by(TABLE, damaged):  # another point may serve as well
                assert all(
                    TABLE[leaf, x] == TABLE[leaf, TREE.points[i]]
                    for leaf in TREE.leaves
                    if leaf in _below(i)
                )


def _below(node: int) -> set[int]:
    width = len(TREE.leaves) >> ((node + 1).bit_length() - 1)
    first = (node + 1 - (1 << ((node + 1).bit_length() - 1))) * width
    return set(TREE.leaves[first : first + width])


@pytest.mark.parametrize("shape", [(3, 3), (2, 3), (0, 0), (1, 1)])
def test_what_is_no_tree(shape: tuple[int, int]) -> None:
    with pytest.raises(DeclarationError):
        MistakeTree((0,) * shape[0], (0,) * shape[1])


SCARCE = """
import resource
import numpy as np
from littlestone import core
from littlestone.dimension.tables import PackedTable

table = PackedTable.pack(np.random.default_rng(2).random((6000, 120)) < 0.2)
k = 9  # one more than the dimension
writer = core.Writer(table.size, table.points, 1 << 30)
writer.load(table.rows)
pages = int(open("/proc/self/statm").read().split()[0])
hard = resource.getrlimit(resource.RLIMIT_AS)[1]
resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize(), hard))
try:
    writer.write(k, 1 << 62)
except MemoryError:
    print("no memory")
resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
again = core.Writer(table.size, table.points, 1 << 30)
again.load(table.rows)
print(*(int(each.write(k, 1 << 62)) for each in (writer, again)), writer.claims > 2000)
print(writer.text == again.text)
"""


@pytest.mark.deep
@pytest.mark.skipif(sys.platform != "linux", reason="sets Linux's limit of memory")
def test_a_writer_without_memory_raises_and_can_go_on() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCARCE], capture_output=True, text=True, check=True
    )
    assert done.stdout.split("\n")[:3] == ["no memory", "1 1 True", "True"]
