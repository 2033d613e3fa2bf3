"""Finding a dimension with its certificate, beside checking the certificate."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from benchmarks.families import FAMILIES, Family, Table
from benchmarks.harness import Case, Contender, require
from littlestone.dimension import Bounds, is_shattered_by, littlestone_bounds, refutes

_QUICK = ("thresholds", "random .5", "balls r=2", "3-juntas", "linear orders")


def cases() -> Iterator[Case]:
    """Families whose certificates are checked within some seconds."""
    return certified({name: FAMILIES[name] for name in _QUICK})


def certified(families: Mapping[str, Family]) -> Iterator[Case]:
    """The cases of some families; kernels are compiled before the first one."""
    littlestone_bounds(FAMILIES["random .5"].table())
    for name, (table, dimension, _) in families.items():
        rows = table()
        found = littlestone_bounds(rows, certificate=True)
        claims = len(found.certificate.claims) if found.certificate else 0
        yield Case(
            f"{name}: LDim {dimension}, {claims} claims",
            Contender("find and certify", certify(rows), proved(rows, dimension)),
            [Contender("check", check(rows, found), _accepted)],
            repeats=1,
        )


def certify(table: Table) -> Callable[[], Bounds]:
    """The dimension with both proofs."""
    return lambda: littlestone_bounds(table, certificate=True)


def proved(table: Table, dimension: int) -> Callable[[Bounds], None]:
    """The tree has the right depth; the checkers are timed on their own."""
    return lambda bounds: require(bounds.tree.depth == dimension, "the tree has another depth")


def check(table: Table, bounds: Bounds) -> Callable[[], bool]:
    """Both checkers."""

    def run() -> bool:
        proof = bounds.certificate
        shattered = is_shattered_by(table, bounds.tree)
        return shattered and proof is not None and refutes(table, proof, bounds.upper + 1)

    return run


def _accepted(answer: bool) -> None:
    require(answer, "a certificate is not accepted")
