"""Checking a certificate, beside finding the dimension that it certifies."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial

from benchmarks.families import FAMILIES, Family
from benchmarks.harness import Case, Contender, require
from littlestone.dimension import (
    Bounds,
    is_shattered_by,
    littlestone_bounds,
    littlestone_dimension,
    refutes,
)
from littlestone.families import Table

_QUICK = ("thresholds", "random .5", "balls r=2", "linear orders")


def cases() -> Iterator[Case]:
    """Families whose certificates are checked within some seconds."""
    return certified({name: FAMILIES[name] for name in _QUICK})


def certified(families: Mapping[str, Family]) -> Iterator[Case]:
    """The cases of some families; kernels are compiled before the first one."""
    littlestone_bounds(FAMILIES["random .5"].table())
    for name, (make, dimension, _) in families.items():
        table = make()
        began = time.perf_counter()
        found = littlestone_bounds(table, certificate=True)
        seconds = time.perf_counter() - began
        claims = len(found.certificate.claims) if found.certificate else 0
        yield Case(
            f"{name}: LDim {dimension}",
            Contender("check the certificate", check(table, found), accepted),
            [
                Contender(
                    "find the dimension", partial(littlestone_dimension, table), equals(dimension)
                )
            ],
            repeats=1,
            notes=[f"{claims} claims, found and written in {seconds:.1f} s."],
        )


def check(table: Table, bounds: Bounds) -> Callable[[], bool]:
    """Both checkers."""

    def run() -> bool:
        proof = bounds.certificate
        shattered = is_shattered_by(table, bounds.tree)
        return shattered and proof is not None and refutes(table, proof, bounds.upper + 1)

    return run


def equals(dimension: int) -> Callable[[object], None]:
    """The dimension must be the known one."""
    return lambda found: require(found == dimension, "another dimension was found")


def accepted(answer: bool) -> None:
    """Both halves of the certificate must be accepted."""
    require(answer, "a certificate is not accepted")
