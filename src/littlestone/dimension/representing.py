"""Representation dimensions of 0/1 tables with at most four different columns, exactly."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

from littlestone.base.errors import TooLargeError
from littlestone.dimension.tables import LabelTable, binary

MOST_COLUMNS = 4

Function = tuple[int, ...]
"""The labels of the different columns."""

Test = tuple[Function, tuple[int, ...]]
"""A function c of the class, and columns: the uniform distribution on them."""


@dataclass(frozen=True)
class Representation:
    """The least representations of a class C, on the ``columns``: the first of each kind.

    A set R of functions, in C or not, *represents* c for a distribution D on the points if some h in R
    has Pr_D[h(x) != c(x)] <= 1/4.

    * ``cover`` represents all of C for every D, and so do no fewer functions: ln |cover| is the
      deterministic representation dimension.
    * s = ceil(3 |cover| / 4) functions drawn from the cover represent each c for each D with
      probability 3/4, and no random set of fewer does: ln s is the probabilistic one.

    ``tests`` prove both lower bounds: there are as many as functions in the cover, and no function
    represents two of them.
    """

    columns: tuple[int, ...]
    cover: tuple[Function, ...]
    tests: tuple[Test, ...]

    @property
    def deterministic(self) -> int:
        """The number m of functions whose logarithm is the deterministic dimension."""
        return len(self.cover)

    @property
    def probabilistic(self) -> int:
        """The number s of functions whose logarithm is the probabilistic dimension."""
        return -(-3 * len(self.cover) // 4)


def representation(table: Any) -> Representation:
    """The least representations of a class with at most four different columns, and why none is less.

    ``table`` is an N x m table of 0s and 1s; see `LabelTable.of`.  Raises `DeclarationError` for
    anything else, and `TooLargeError` for more columns.  A matching of at most 16 functions takes
    microseconds.  Error and confidence are 1/4 here.  Source: docs/proofs/representation.md,
    Theorem 1; BNS19 show that the records of pure privacy grow as RepDim, up to constants.

    >>> found = representation([[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1]])
    >>> found.deterministic, found.probabilistic
    (4, 3)
    >>> from itertools import product
    >>> found = representation(list(product((0, 1), repeat=4)))
    >>> found.deterministic, found.probabilistic
    (8, 6)
    """
    columns, functions = _columns(binary(table, "find a representation"))
    if len(columns) < MOST_COLUMNS:
        every = tuple(range(len(columns)))
        return Representation(columns, functions, tuple((c, every) for c in functions))
    # c is represented for the uniform distribution on three columns by itself and by the function
    # that differs at the fourth.  These pairs are edges of a bipartite graph, by parity.
    edges: dict[Function, dict[Function, Test]] = {}
    for c in functions:
        for i in range(MOST_COLUMNS):
            other = _flip(c, i)
            even, odd = (other, c) if sum(c) % 2 else (c, other)
            rest = tuple(j for j in range(MOST_COLUMNS) if j != i)
            edges.setdefault(even, {})[odd] = (c, rest)
    # Koenig: in a bipartite graph a largest matching is as large as a smallest cover, so tests and
    # cover prove each other optimal.
    matched = _matching(edges)
    reached = _reachable(edges, matched)
    # The cover of Koenig's theorem: even functions that alternating paths miss, and odd ones that
    # they reach.
    cover = [even for even in edges if even not in reached]
    cover += [odd for odd in matched if odd in reached]
    tests = tuple(edges[even][odd] for odd, even in matched.items())
    return Representation(columns, tuple(cover), tests)


def is_representation(table: Any, found: Representation) -> bool:
    """Whether both the cover and the tests are right, by the definition and without a search.

    It suffices to look at the distributions that are uniform on three columns, or on all if there are
    fewer: for every other one, more functions represent c (docs/proofs/representation.md, Lemma 1).

    >>> table = [[0, 0], [0, 1], [1, 1]]
    >>> is_representation(table, representation(table))
    True
    """
    columns, functions = _columns(binary(table, "check a representation"))
    k = len(columns)
    supports = (
        [tuple(j for j in range(k) if j != i) for i in range(k)] if k == 4 else [tuple(range(k))]
    )
    if columns != found.columns or len(set(found.cover)) != len(found.tests):
        return False
    if any(c not in functions or rest not in supports for c, rest in found.tests):
        return False
    families = [representing(c, rest, k) for c, rest in found.tests]
    disjoint = len(set().union(*families)) == sum(map(len, families))
    return disjoint and all(
        representing(c, rest, k) & {*found.cover} for c in functions for rest in supports
    )


def representing(c: Function, support: tuple[int, ...], width: int) -> set[Function]:
    """The functions with Pr[h(x) != c(x)] <= 1/4 for x uniform on the columns of ``support``.

    >>> sorted(representing((0, 1), (0, 1), 2)), sorted(representing((0, 0), (1,), 2))
    ([(0, 1)], [(0, 0), (1, 0)])
    """
    return {
        h
        for h in product((0, 1), repeat=width)
        if Fraction(sum(h[j] != c[j] for j in support), len(support)) <= Fraction(1, 4)
    }


def _columns(H: LabelTable) -> tuple[tuple[int, ...], tuple[Function, ...]]:
    """The first column of each kind, and the functions on these, each once."""
    rows = H.values[H.distinct].tolist()
    kinds: dict[tuple[int, ...], int] = {}
    for x in range(len(H.points)):
        kinds.setdefault(tuple(row[x] for row in rows), x)
    columns = tuple(kinds.values())
    if len(columns) > MOST_COLUMNS:
        raise TooLargeError(
            "find a representation",
            found=f"the table has {len(columns)} different columns, and at most {MOST_COLUMNS} are "
            "settled by a matching",
            fix="give a table with fewer points",
        )
    return columns, tuple(dict.fromkeys(tuple(row[x] for x in columns) for row in rows))


def _flip(c: Function, i: int) -> Function:
    return (*c[:i], 1 - c[i], *c[i + 1 :])


def _matching(edges: dict[Function, dict[Function, Test]]) -> dict[Function, Function]:
    """A largest matching, from its odd ends to its even ones, by augmenting paths."""
    matched: dict[Function, Function] = {}

    def augment(even: Function, tried: set[Function]) -> bool:
        for odd in edges[even]:
            if odd not in tried:
                tried.add(odd)
                if odd not in matched or augment(matched[odd], tried):
                    matched[odd] = even
                    return True
        return False

    for even in edges:
        augment(even, set())
    return matched


def _reachable(
    edges: dict[Function, dict[Function, Test]], matched: dict[Function, Function]
) -> set[Function]:
    """What alternating paths reach from the even functions that are not matched (Koenig's theorem)."""
    waiting = [even for even in edges if even not in matched.values()]
    reached = set(waiting)
    while waiting:
        for odd in edges[waiting.pop()]:
            if odd not in reached:
                reached.add(odd)
                even = matched[odd]  # without one, the path would have been augmented
                if even not in reached:
                    reached.add(even)
                    waiting.append(even)
    return reached
