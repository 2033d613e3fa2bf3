"""What changes with k + 1 labels: patterns, leaves and SOAs, measured on tables of labels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import combinations, product
from typing import Any

import numpy as np

from littlestone.classes import FiniteClass
from littlestone.data.sample import Sample
from littlestone.prove.papers.bgs21 import sauer_sum
from littlestone.prove.papers.lyu25 import chain, soas_of_subclasses
from littlestone.prove.papers.lyu25_lists import rules_in_common
from littlestone.prove.papers.statement import Outcome, Trial, statement, unordered_classes
from littlestone.theory.decomposition import (
    DecompositionTree,
    check_tree,
    decompose,
    leaf_bound,
    optimal_tree,
)


@cache
def _tables(trial: Trial) -> tuple[FiniteClass, ...]:
    """Every table of 3 labels on two points; random ones of 3 and 4, half with 0 at most points."""
    rng = trial.array(2026)
    found = list(unordered_classes(2, labels=3))
    for i in range(trial.pick(120, 2000)):
        labels = 3 + i % 2
        shape = int(rng.integers(2, 9)), int(rng.integers(1, 5))
        values = rng.integers(0, labels, size=shape)
        if i % 4 > 1:
            values *= rng.random(shape) < 0.4
        found.append(FiniteClass.from_array(values, labels=labels))
    return tuple(found)


def at_most(d: int, points: int, labels: int) -> FiniteClass:
    """All functions on ``points`` points with at most d labels other than 0: LDim = min(d, points)."""
    rows = (row for row in product(range(labels), repeat=points) if np.count_nonzero(row) <= d)
    return FiniteClass.from_array(list(rows), labels=labels)


@statement("BGS21 Theorem 5.6")
def patterns(trial: Trial) -> Outcome:
    """All sets of points of random tables; functions with at most d labels other than 0 attain it.

    says: on a sample, at most sum_(i <= d) C(n, i) k^i patterns on n points
    scope: all sets of points: every table of 3 labels on two points, random ones of 3 and 4 on four
    deep: more random tables
    stated: at most the sum, d = MLS(H)
    code: dimension.multiclass_littlestone_dimension, prove.papers.bgs21.sauer_sum
    proof: proofs/multiclass.md#patterns-on-n-points
    """
    tried = wrong = of_two = 0
    for H in _tables(trial):
        d, values = H.littlestone_dimension(), H.table()
        for n in range(1, values.shape[1] + 1):
            for columns in combinations(range(values.shape[1]), n):
                found = len(np.unique(values[:, columns], axis=0))
                tried += 1
                wrong += found > sauer_sum(n, d, H.labels - 1)
                of_two += found > sauer_sum(n, d, 1)
    cases = [(d, n, labels) for labels in (3, 4) for n in (1, 2, 3, 4) for d in range(n + 1)]
    full = [(at_most(d, n, labels), sauer_sum(n, d, labels - 1), d) for d, n, labels in cases]
    attained = sum((H.size, H.littlestone_dimension()) == (bound, d) for H, bound, d in full)
    return Outcome(
        f"{wrong} of {tried} sets exceed it, {of_two} exceed the sum without k; attained with at most "
        f"d labels other than 0 for {attained} of {len(cases)} triples d, n, k",
        wrong == 0 < of_two and attained == len(cases),
    )


def _trees(trial: Trial) -> Iterator[tuple[FiniteClass, DecompositionTree[Any]]]:
    for H in _tables(trial):
        d = H.littlestone_dimension()
        for p, more in product((1, 2), (0, 1)):
            yield H, decompose(H, p, d + more)
            yield H, optimal_tree(H, p, d + more)


@statement("Lyu25 Lemma 4.1", "changed")
def leaves(trial: Trial) -> Outcome:
    """Greedy and optimal trees of random tables; D = p (2^(d-t) - 1), and t = 0 counts all leaves.

    says: with k + 1 labels, at most sum_(i <= l - t) C(D, i) k^i leaves of LDim >= t
    scope: greedy and optimal trees: every table of 3 labels on two points, and random ones
    deep: more random tables
    stated: valid trees, and at most as many leaves
    code: theory.decomposition.leaf_bound, theory.decomposition.decompose,
        theory.decomposition.optimal_tree
    proof: proofs/decomposition.md#leaves-with-several-labels
    """
    counts = wrong = of_two = 0
    for H, tree in _trees(trial):
        dimension = H.littlestone_dimension()
        dimensions = [int(V.littlestone_dimension()) for V in tree.leaves()]
        wrong += check_tree(tree, H) is not None
        for t in range(dimension + 1):
            found, sizes = sum(of >= t for of in dimensions), (tree.p, tree.d, dimension, t)
            counts += 1
            wrong += found > leaf_bound(*sizes, labels=H.labels)
            of_two += found > leaf_bound(*sizes)
    # At most one label other than 0 on D = p (2^d - 1) points, split point by point.
    attained = 0
    tight = [(1, 1, 3), (1, 2, 3), (1, 2, 4), (2, 1, 5), (2, 2, 3)]
    for p, d, labels in tight:
        H = at_most(1, p * (2**d - 1), labels)
        tree = chain(H, p, d)
        full = len(list(tree.leaves())) == leaf_bound(p, d, 1, labels=labels)
        attained += full and check_tree(tree, H) is None
    return Outcome(
        f"{wrong} failures in {counts} counts, {of_two} exceed the bound of two labels; attained by "
        f"one label other than 0 on p (2^d - 1) points for {attained} of {len(tight)} triples p, d, k",
        wrong == 0 < of_two and attained == len(tight),
    )


@statement("Lyu25 Lemma 4.2")
def soa_class(trial: Trial) -> Outcome:
    """All subclasses of random tables, and of one label other than 0 that some point must have.

    says: with k + 1 labels, sharper, the SOAs of d-irreducible subclasses have MLS <= d
    scope: all subclasses of 3 to 7 functions: every table of 3 labels on two points, and more
    deep: more random tables
    stated: MLS <= d = MLS(H), but not for (d - 1)-irreducible ones
    code: theory.decomposition.is_irreducible, classes.FiniteClass.soa
    proof: proofs/decomposition.md#soas-of-irreducible-subclasses-lemma-42
    """
    classes = [H for H in _tables(trial) if 3 <= H.size <= 7]
    for points in (3, 4):
        H = at_most(1, points, 3)
        classes.append(replace(H, alive=H.alive & ~1))  # without the constant 0
    return soas_of_subclasses(classes)


def _chunks(rng: np.random.Generator) -> tuple[FiniteClass, list[Sample[Any]]]:
    """One label other than 0, and a few more functions; the parts of one that three teachers hold."""
    n, m, labels = int(rng.integers(4, 8)), int(rng.integers(2, 5)), int(rng.integers(3, 5))
    one = at_most(1, n, labels).table()[1:]
    more = rng.integers(0, labels, (int(rng.integers(3)), n))
    values = (np.concatenate([one, more]) + rng.integers(0, labels, n)) % labels
    H = FiniteClass.from_array(values, labels=labels)
    drawn = rng.choice(list(H.domain), (3, m), p=rng.dirichlet(np.full(n, 0.3))).tolist()
    target = H.hypothesis(0)
    rows = ([(x, target(x)) for x in row] for row in drawn)
    return H, [Sample.from_examples(H.domain, row, labels=labels) for row in rows]


@statement("Lyu25 Theorem 3", "changed")
def one_rule_on_all_lists(trial: Trial) -> Outcome:
    """One label other than 0 and more, 3 and 4 labels, three teachers, with d doublings.

    says: with k + 1 labels, one rule on the lists of all teachers
    scope: random tables of 3 and 4 labels, three teachers with 2 to 4 records each
    stated: if each ball lies in those of the next radius, all teachers list some rule
    code: learn.IrreducibleLearner.hypotheses_of_teacher
    proof: proofs/irreducible.md#theorem-3-several-labels
    """
    rng = trial.array(11)
    tried = lacking = 0
    for _ in range(trial.pick(150, 3000)):
        H, chunks = _chunks(rng)
        found = rules_in_common(H, chunks, doublings=int(H.littlestone_dimension()))
        if found is not None:
            tried += 1
            lacking += not found
    return Outcome(f"{lacking} of {tried} samples without one", lacking == 0 and tried > 50)
