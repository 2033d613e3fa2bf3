"""Certificates of a Littlestone dimension: what is accepted is true."""

from __future__ import annotations

from dataclasses import replace

from littlestone.base.errors import DeclarationError
from littlestone.dimension import Certificate, littlestone_bounds
from littlestone.dimension.tree import MistakeTree
from littlestone.prove.papers.definitions import ldim
from littlestone.prove.papers.statement import Outcome, Trial, statement


@statement(
    id="Certificates",
    says="a certificate proves the dimension, and nothing below it, also after changes",
    code="dimension.Certificate",
    scope="random tables, against the definition; each certificate changed in 20 ways",
    status="as stated",
    proof="proofs/certificates.md#the-claims",
    deep="1,000 tables in place of 40",
)
def certificates(trial: Trial) -> Outcome:
    """Writes and checks a certificate for each table, and then says less with the same proof."""
    rng = trial.array(2041)
    proved = wrong = refused = 0
    for _ in range(trial.pick(40, 1000)):
        rows = int(rng.integers(2, 15))
        table = (rng.random((rows, 5)) < rng.choice([0.3, 0.5])).astype(int)
        d = ldim(frozenset(int("".join(map(str, row)), 2) for row in table.tolist()), 5)
        honest = Certificate.of(table, littlestone_bounds(table))
        found = [verdict.proved for verdict in honest.check(table)]
        wrong += (honest.lower, honest.upper) != (d, d)
        proved += found == [True, True]
        if d > 0:
            leaf, leaves = MistakeTree((), (0,)), honest.tree.leaves
            lower = replace(honest, lower=0, upper=d - 1, tree=leaf)
            exchanged = MistakeTree(honest.tree.points, (*leaves[:-2], leaves[-1], leaves[-2]))
            wrong += lower.check(table)[1].proved is True
            wrong += replace(honest, tree=exchanged).check(table)[0].proved is True
        data = honest.to_bytes()
        for _ in range(20):
            changed = bytearray(data)
            changed[int(rng.integers(58, len(data)))] = int(rng.integers(32))
            try:
                read = Certificate.read(bytes(changed))
            except DeclarationError:
                refused += 1
                continue
            below, above = (verdict.proved is True for verdict in read.check(table))
            wrong += (below and read.lower > d) or (above and read.upper < d)
            refused += not (below and above)
    count = trial.pick(40, 1000)
    return Outcome(
        "no false bound is proved",
        f"{proved} of {count} proved, {wrong} false bounds, {refused:,} changes refused",
        proved == count and wrong == 0,
    )
