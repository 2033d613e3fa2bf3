"""The compiled countings behind rule 2 of certificates, against numpy on the rows of version spaces."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from littlestone.dimension.proof.frames import (
    KEPT,
    NARROW,
    allocate,
    build,
    contained,
    fingerprint,
    load,
)
from littlestone.dimension.proof.looking import dead_in_place, look, settled
from littlestone.dimension.table import PackedTable
from littlestone.families import table

Values = NDArray[np.int64]


def splits(V: Values, least: int) -> Values:
    """[x, s]: how many columns leave at least so many rows on both parts of side s of column x."""
    both = (V.T.astype(float) @ V).astype(int)  # floats are multiplied sooner
    ones, size = V.sum(0), len(V)
    within_1, of_1 = both, ones[:, None]
    within_0, of_0 = ones[None, :] - both, size - ones[:, None]
    return np.stack(
        [
            ((least <= part) & (part <= of - least)).sum(1)
            for part, of in ((within_0, of_0), (within_1, of_1))
        ],
        axis=1,
    )


def tables() -> list[Values]:
    rng = np.random.default_rng(4)
    made = [
        rng.random((int(rng.integers(60, 900)), columns)) < rng.choice([0.1, 0.2, 0.35, 0.5, 0.8])
        for columns in (8, 40, 64, 65, 130, 257, 300, 512)
        for _ in range(4)
    ]
    made += [
        table("all_balls", 7),
        table("balls", 8, 2),
        table("boxes", 9, 2),
        table("juntas", 5, 3),
    ]
    return [PackedTable.read(values.astype(np.uint8)).values().astype(np.int64) for values in made]


@pytest.mark.deep
def test_settled_columns() -> None:
    """Of every frame on random paths, with and without a fingerprint on the way."""
    rng, seen = np.random.default_rng(5), set()
    for values in tables():
        packed = PackedTable.read(values.astype(np.uint8))
        F = allocate(packed.size, packed.points)
        load(F, packed.rows)
        V, shape = values, np.empty(5, np.uint64)
        for depth in range(4):
            kept = F.place[depth, KEPT]
            names = F.name[depth, :kept]
            assert (V.sum(0)[names] == F.ones[depth, :kept]).all()
            size, ones = len(V), V.sum(0)[names]
            for k in range(3, 9):
                tried = np.flatnonzero(np.minimum(ones, size - ones) >= 1 << (k - 1))
                if not len(tried):
                    continue
                wanted = splits(V, 1 << (k - 2))[names[tried]]
                F.order[: len(tried)] = tried
                open_ = look(F, depth, len(tried), k)
                assert open_ == (wanted > 0).all(1).sum()
                dead = tried[(wanted == 0).any(1)]
                for chosen in (tried, dead):
                    F.order[: len(chosen)] = chosen
                    assert settled(F, depth, len(chosen), k) == (len(chosen) == len(dead))
                seen.add((packed.points > NARROW, open_ == 0))
            if kept == 0:
                break
            for a, b in rng.integers(2 * kept, size=(20, 2)).tolist():
                inner, outer = (V[:, names[x >> 1]] == (x & 1) for x in (a, b))
                assert contained(F, depth, a, b) == (inner <= outer).all()
            i, side = int(rng.integers(kept)), int(rng.integers(2))
            below = V[V[:, names[i]] == side]
            for k in range(2, 9) if packed.points <= NARROW else ():
                sums = below.sum(0)
                balanced = np.minimum(sums, len(below) - sums) >= 1 << (k - 1)
                alive = balanced if k == 2 else balanced & (splits(below, 1 << (k - 2)) > 0).all(1)
                expected = len(below) < 1 << k or not alive.any()
                assert dead_in_place(F, depth, i, side, k) == expected
            build(F, depth, i, side)
            V = below
            if rng.random() < 0.3:
                fingerprint(F, depth + 1, shape)
    assert len(seen) == 4


def test_shapes_do_not_depend_on_how_a_frame_was_reached() -> None:
    """Two ways to one version space, with empty places and without, give one fingerprint."""
    rng = np.random.default_rng(6)
    for columns in (20, 90):
        packed = PackedTable.read((rng.random((500, columns)) < 0.5).astype(np.uint8))
        F, G = allocate(packed.size, packed.points), allocate(packed.size, packed.points)
        F.keys[:] = G.keys
        for frames, path, dense in ((F, (3, 5, 7), False), (G, (7, 3, 5), True)):
            load(frames, packed.rows)
            shape = np.empty(5, np.uint64)
            for depth, x in enumerate(path):
                i = int(np.flatnonzero(frames.name[depth, : frames.place[depth, KEPT]] == x)[0])
                build(frames, depth, i, 1)
                if dense:
                    fingerprint(frames, depth + 1, shape)
        first, second = np.empty(5, np.uint64), np.empty(5, np.uint64)
        fingerprint(F, 3, first)
        fingerprint(G, 3, second)
        assert (first == second).all()
