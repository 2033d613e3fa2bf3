"""Lyu25: Lyu, Private learning of Littlestone classes, revisited, section 4."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np

from littlestone.classes import FiniteClass
from littlestone.prove.papers.lyu25_trees import disagreeing
from littlestone.prove.papers.statement import (
    Outcome,
    Trial,
    every_class,
    statement,
    unordered_classes,
)
from littlestone.rules import Hypothesis
from littlestone.theory.decomposition import (
    Decompositions,
    DecompositionTree,
    Node,
    check_tree,
    decompose,
    is_irreducible,
    leaf_bound,
    optimal_tree,
)

CUBE = FiniteClass.from_array(list(product((0, 1), repeat=3)))
"""All functions on three points: a mask of its eight rows is a class over them."""


@cache
def _classes() -> tuple[FiniteClass, ...]:
    """All 79 classes over three points, up to the order of the points."""
    return tuple(unordered_classes(3))


@cache
def _random_classes(trial: Trial) -> tuple[FiniteClass, ...]:
    """Random classes on 4 to 8 points; the odd ones have few ones and are hard to reduce."""
    rng = trial.array(2025)
    found = list(unordered_classes(4)) if trial.deep else []
    for i in range(trial.pick(30, 500)):
        hypotheses, points = int(rng.integers(2, 9)), int(rng.integers(4, 9))
        table = rng.integers(0, 2, size=(hypotheses, points))
        if i % 2:
            few = rng.random((hypotheses // 2, points)) < 0.25
            table = np.vstack([np.eye(points), few]).astype(int)
        found.append(FiniteClass.from_array(table))
    return tuple(found)


@cache
def _singletons(points: int) -> FiniteClass:
    """The constant 0 and the indicators of the points: LDim = 1."""
    table = np.vstack([np.zeros((1, points)), np.eye(points)])
    return FiniteClass.from_array(table.astype(int))


def _settings(trial: Trial) -> Iterator[tuple[FiniteClass, int, int]]:
    """Every class with p = 1, 2, 3 and d = LDim, LDim + 1."""
    yield from _with_parameters((*_classes(), *_random_classes(trial)))


def _hard() -> list[FiniteClass]:
    """Few points cannot reduce the singletons, and the optimal trees of the others disagree."""
    return [_singletons(5), _singletons(7), *disagreeing()]


def _with_parameters(classes: Sequence[FiniteClass]) -> Iterator[tuple[FiniteClass, int, int]]:
    for H in classes:
        for p in (1, 2, 3):
            for more in (0, 1):
                yield H, p, H.littlestone_dimension() + more


@cache
def _decompositions(p: int, d: int) -> Decompositions:
    return Decompositions(p, d, most=10**7)  # of all classes together


@cache
def _dimension_and_essentials(
    H: FiniteClass, p: int, d: int
) -> tuple[int, frozenset[Hypothesis[str]]]:
    """DDim and the essential hypotheses; (-1, none) for the empty class."""
    if H.is_empty():
        return -1, frozenset()
    return _decompositions(p, d).dimension(H), frozenset(_decompositions(p, d).essential(H))


@cache
def _pairs(trial: Trial) -> tuple[tuple[FiniteClass, FiniteClass, int, int], ...]:
    """Classes G <= H with p and d: all over three points, all G for a few hard H, deep random ones.

    On three points p = 3 is left out, because every DDim is then 0.
    """
    found = [
        (G, H, p)
        for H in _classes()
        for G in every_class(3)
        if G.alive & H.alive == G.alive
        for p in (1, 2)
    ]
    found += [(G, H, p) for H, p in zip(_hard(), (1, 2, 1, 1), strict=True) for G in _subclasses(H)]
    rng = trial.array(4)
    for H in _random_classes(trial) if trial.deep else ():
        for p in (1, 2, 3):
            dropped = [sum(1 << int(i) for i in rng.integers(0, H.size, size=k)) for k in (0, 1, 3)]
            spaces = [replace(H, alive=H.alive & ~mask) for mask in dropped]
            found += [(G, H, p) for G in spaces if not G.is_empty()]
    return tuple((G, H, p, H.littlestone_dimension()) for G, H, p in found)


def _subclasses(H: FiniteClass) -> Iterator[FiniteClass]:
    """All nonempty ones."""
    part = H.alive
    while part:
        yield replace(H, alive=part)
        part = (part - 1) & H.alive


@statement("Lyu25 Claim 4.1")
def valid_trees_exist(trial: Trial) -> Outcome:
    """The greedy tree and the optimal one, checked by Definition 4.2.

    says: every class has a valid (p, d)-tree
    scope: all classes over 3 points in one order, random larger ones; p <= 3, d = LDim, LDim + 1
    deep: all classes over four points, up to the order of the points
    stated: the greedy tree is valid
    code: theory.decomposition.decompose, theory.decomposition.optimal_tree,
        theory.decomposition.check_tree
    proof: proofs/decomposition.md#the-exact-search
    """
    trees = wrong = 0
    for H, p, d in _settings(trial):
        for tree in (decompose(H, p, d), optimal_tree(H, p, d)):
            trees += 1
            wrong += check_tree(tree, H) is not None
    return Outcome(f"{wrong} of {trees} trees are not", wrong == 0)


@statement("Lyu25 Lemma 4.1", "changed")
def leaf_counts(trial: Trial) -> Outcome:
    """Leaves of every dimension, against the bound with l = LDim(H); t = 0 counts all of them.

    says: sharper, at most N(p (2^(d-t) - 1), l - t) leaves of LDim >= t
    scope: all classes over 3 points in one order, random larger ones; nonempty leaves of greedy
        trees
    deep: all classes over four points, up to the order of the points
    stated: N(D, r) = sum_(i <= r) C(D, i), at most p^d 2^(d^2)
    code: theory.decomposition.decompose, theory.decomposition.leaf_bound
    proof: proofs/decomposition.md#leaves-lemma-41
    """
    counts = wrong = tight = 0
    for H, p, d in _settings(trial):
        dimension = H.littlestone_dimension()
        dimensions = [int(V.littlestone_dimension()) for V in decompose(H, p, d).leaves()]
        for t in range(dimension + 1):
            leaves, bound = sum(of >= t for of in dimensions), leaf_bound(p, d, dimension, t)
            counts += 1
            wrong += leaves > bound or bound > max(p**d * 2 ** (d * d), 1)
            tight += leaves == bound
    # The constant 0 and the singletons on D = p (2^d - 1) points, split point by point.
    attained = 0
    sizes = [(1, 1), (1, 2), (1, 4), (2, 2), (3, 1), (3, 3)]
    for p, d in sizes:
        H = _singletons(p * (2**d - 1))
        tree = chain(H, p, d)
        full = len(list(tree.leaves())) == leaf_bound(p, d, 1)
        attained += full and check_tree(tree, H) is None
    return Outcome(
        f"{wrong} of {counts} counts exceed it, {tight} equal it; attained by singletons on "
        f"p (2^d - 1) points for {attained} of {len(sizes)} pairs p, d",
        wrong == 0 and attained == len(sizes),
    )


def chain(H: FiniteClass, p: int, d: int) -> DecompositionTree[str]:
    """The tree that splits off, point by point, the functions that are not 0 there."""
    nodes: list[Node[str]] = []
    V = H
    for x in H.domain:
        here = len(nodes)
        others = [Node(V.restrict(x, y)) for y in range(1, H.labels)]
        after = (here + H.labels, *range(here + 1, here + H.labels))
        nodes += [Node(point=x, after=after), *others]
        V = V.restrict(x, 0)
    return DecompositionTree(p, d, (*nodes, Node(V)))


@cache
def _irreducible(G: FiniteClass, k: int) -> bool:
    return is_irreducible(G, k)


@statement("Lyu25 Lemma 4.2")
def soa_class(trial: Trial) -> Outcome:
    """d-irreducible in place of d + 1; with one less it is false.

    says: sharper, the SOAs of d-irreducible subclasses have LDim <= d
    scope: all subclasses of all classes over 3 points, singletons and random ones; d = LDim(H)
    deep: all classes over four points, of 3 to 7 functions
    stated: LDim <= d, but not for (d - 1)-irreducible ones
    code: theory.decomposition.is_irreducible, classes.FiniteClass.soa
    proof: proofs/decomposition.md#soas-of-irreducible-subclasses-lemma-42
    """
    classes = [*_classes(), *(H for H in _random_classes(trial) if 3 <= H.size <= 7)]
    classes += [FiniteClass.from_array(np.eye(k, dtype=int)) for k in (3, 4, 5, 6)]
    return soas_of_subclasses(classes)


def soas_of_subclasses(classes: Sequence[FiniteClass]) -> Outcome:
    """Whether the SOAs of irreducible subclasses have no larger dimension, which some need."""
    wrong = larger = fewer = 0
    for H in classes:
        d = H.littlestone_dimension()
        subclasses = list(_subclasses(H))
        soas = {G.soa() for G in subclasses if _irreducible(G, d)}
        wrong += _dimension(soas, H) > d
        larger += not soas <= set(H)
        if d:
            fewer += _dimension({G.soa() for G in subclasses if _irreducible(G, d - 1)}, H) > d
    return Outcome(
        f"false for {wrong} of {len(classes)} classes, for {fewer} with d - 1; {larger} have an SOA "
        "outside of the class",
        wrong == 0 < min(larger, fewer),
    )


def _dimension(functions: set[Hypothesis[str]], H: FiniteClass) -> int:
    rows = [[f(x) for x in H.domain] for f in functions]
    return FiniteClass.from_array(rows, labels=H.labels).littlestone_dimension()


@statement("Lyu25 Lemma 4.3")
def nested_classes(trial: Trial) -> Outcome:
    """If they are equal, the SOAs of the top leaves of any optimal tree of G are essential to H.

    says: for G <= H, DDim_2p(G) <= DDim_p(H), and if equal, H has the SOAs of G
    scope: all pairs over 3 points, all subclasses of 4 larger classes; p <= 2
    deep: random pairs over 4 to 8 points, and subclasses of all classes over 4 points
    stated: for optimal trees of any shape
    code: theory.decomposition.Decompositions
    proof: proofs/decomposition.md#version-spaces-that-no-tree-can-reduce-lemma-43-sharper
    """
    wrong = equal = large = undoubled = 0
    for G, H, p, d in _pairs(trial):
        t, essential = _dimension_and_essentials(H, p, d)
        s, _ = _dimension_and_essentials(G, 2 * p, d)
        wrong += s > t
        if s == t:
            equal += 1
            large += t > 0
            wrong += not _tops(G, 2 * p, d) <= essential
        if _dimension_and_essentials(G, p, d)[0] == t > 0:
            undoubled += not _tops(G, p, d) <= essential
    return Outcome(
        f"{wrong} failures in {len(_pairs(trial))} pairs G <= H with p, {undoubled} with p in place of "
        f"2p; {equal} of equal dimension, {large} of them > 0",
        wrong == 0 < min(large, undoubled),
    )


@cache
def _tops(G: FiniteClass, p: int, d: int) -> frozenset[Hypothesis[str]]:
    """The SOAs of the top leaves of two optimal trees, if the greedy one is optimal."""
    best, greedy = _decompositions(p, d).tree(G), decompose(G, p, d)
    trees = [best, greedy] if greedy.degree == best.degree else [best]
    return frozenset(f for tree in trees for f in tree.hypotheses())


@statement("Lyu25 Corollary 4.1")
def essential_hypotheses_hold(trial: Trial) -> Outcome:
    """1: few; 2: those of G are those of H for equal DDim; 3: some if DDim_2p = DDim_p; 4: DDim = 0.

    says: its four items on essential hypotheses
    scope: all classes over 3 points in one order and 4 larger ones; item 1 with the sharper count
    deep: random classes, and all classes over 4 points up to their order
    stated: items 1 (with the sharper count), 2, 3 and 4
    code: theory.decomposition.Decompositions, theory.decomposition.essential_hypotheses
    proof: proofs/decomposition.md#leaves-lemma-41
    """
    wrong = [0, 0, 0, 0]
    cases = [0, 0, 0, 0]
    larger = _random_classes(trial) if trial.deep else ()
    for H, p, d in _with_parameters((*_classes(), *_hard(), *larger)):
        t, essential = _dimension_and_essentials(H, p, d)
        cases[0] += 1
        wrong[0] += len(essential) > leaf_bound(p, d, H.littlestone_dimension(), t)
        if _dimension_and_essentials(H, 2 * p, d)[0] == t:
            cases[2] += 1
            wrong[2] += not essential
        if t == 0:
            cases[3] += 1
            wrong[3] += essential != set(H)
    for G, H, p, d in _pairs(trial):
        (s, inner), (t, outer) = (
            _dimension_and_essentials(G, p, d),
            _dimension_and_essentials(H, p, d),
        )
        if s == t:
            cases[1] += 1
            wrong[1] += not inner <= outer
    return Outcome(
        f"{' + '.join(map(str, wrong))} failures in {' + '.join(map(str, cases))} cases",
        not any(wrong) and all(cases),
    )


@statement("Lyu25 Definition 4.3")
def lists_of_greedy_trees(trial: Trial) -> Outcome:
    """The SOAs of the top leaves of the greedy tree, which learners list, beside the exact list.

    says: an optimal greedy tree lists all essential hypotheses; a class may have none
    scope: all classes over 3 points in one order, random larger ones; p <= 2, d = LDim, LDim + 1
    deep: all classes over four points, up to the order of the points
    stated: essential hypotheses are among the SOAs of the top leaves
    code: theory.decomposition.essential_hypotheses, theory.decomposition.decompose
    proof: proofs/decomposition.md#why-no-learner-lists-essential-hypotheses
    """
    optimal = cases = missed = more = 0
    larger = _random_classes(trial) if trial.deep else ()
    for H, p, d in _with_parameters((*_classes(), *_hard(), *larger)):
        if p > 2:  # on three points every DDim is then 0
            continue
        t, essential = _dimension_and_essentials(H, p, d)
        tree, cases = decompose(H, p, d), cases + 1
        if tree.degree == t:
            listed, optimal = set(tree.hypotheses()), optimal + 1
            missed += not essential <= listed
            more += essential < listed
    rows = ["0000", "0001", "0100", "0110", "0111", "1000", "1011", "1110"]
    H = FiniteClass.from_array([[int(y) for y in row] for row in rows])
    (t, essential), tree = _dimension_and_essentials(H, 1, 2), decompose(H, 1, 2)
    return Outcome(
        f"the greedy tree is optimal in {optimal} of {cases} cases: an essential hypothesis is missed "
        f"in {missed}, more are listed in {more}; of a class of 8 functions with DDim {t}, "
        f"{len(essential)} are essential and {len(tree.hypotheses())} is listed",
        missed == 0 < optimal and (t, len(essential)) == (1, 0),
    )
