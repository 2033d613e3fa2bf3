"""Psi-Littlestone dimensions of tables of labels, with their shattered trees (BGS21, section 4)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from littlestone.dimension.collapsing import (
    CollapsingMap,
    Family,
    Question,
    family,
    psi_n,
    questions,
)
from littlestone.dimension.search.brackets import Bracket, last
from littlestone.dimension.search.splits import SplitSolver, paths
from littlestone.dimension.tables import LabelTable


def psi_littlestone_dimension(table: Any, psi: Family | Iterable[CollapsingMap | str]) -> int:
    """Psi_LD(H), the largest depth of a Psi-labelled tree that H Psi-shatters.

        Psi_LD(V) = max over x, phi of 1 + min(Psi_LD(V[phi(h(x)) = 0]), Psi_LD(V[phi(h(x)) = 1])).

    ``table`` is an N x m table of labels 0..k (see `LabelTable.of`); ``psi`` is one of `psi_n`,
    `psi_bin`, `psi_g` and `psi_b`, or a list of maps, such as ``["01*", "0*1"]``.  Raises
    `DeclarationError` for an illegal table or family.  Exponential in the worst case; see
    `SplitSolver`.  BGS21, Definition 4.4.

    >>> from littlestone.dimension import psi_b, psi_bin
    >>> full = [[x, y] for x in range(4) for y in range(4)]
    >>> [psi_littlestone_dimension(full, psi) for psi in (psi_n, psi_bin, psi_b, ["01**"])]
    [2, 4, 4, 2]
    """
    H = LabelTable.of(table)
    splits = questions(H, family(psi, H.labels)).values()
    return SplitSolver(splits).dimension(H.alive)


def multiclass_littlestone_dimension(table: Any) -> int:
    """MLS(H) = Psi^N_LD(H), the mistakes that an adversary can force who reveals the true label.

    BGS21, Definition 2.11 and section 4.2; see `psi_littlestone_dimension`.

    >>> multiclass_littlestone_dimension([[0, 0, 0], [1, 1, 1], [2, 2, 2]])
    1
    """
    return psi_littlestone_dimension(table, psi_n)


@dataclass(frozen=True)
class PsiTree:
    """A complete Psi-labelled tree as a heap: node i has the children 2i + 1 and 2i + 2.

    ``questions`` are those of the 2^d - 1 inner nodes, the root first; the left child is the answer
    0.  ``leaves`` are the numbers of the hypotheses at the 2^d leaves, from left to right.
    """

    questions: tuple[Question, ...]
    leaves: tuple[int, ...]

    @property
    def depth(self) -> int:
        """The number d of questions on every path from the root to a leaf."""
        return len(self.leaves).bit_length() - 1


def psi_tree(table: Any, psi: Family | Iterable[CollapsingMap | str]) -> PsiTree:
    """A deepest Psi-labelled tree that the table Psi-shatters; 2^d leaves, d = Psi_LD.

    Arguments and errors as for `psi_littlestone_dimension`.

    >>> tree = psi_tree([[0, 2], [1, 2], [1, 0]], psi_n)
    >>> tree.depth, is_psi_shattered([[0, 2], [1, 2], [1, 0]], tree)
    (1, True)
    """
    *_, exact = psi_tree_brackets(table, psi)
    return exact.witness


def psi_littlestone_bounds(
    table: Any, psi: Family | Iterable[CollapsingMap | str], *, time_limit: float | None = 10
) -> Bracket[PsiTree]:
    """Psi_LD(H), or what is known of it after ``time_limit`` seconds; ``witness`` is a tree.

    >>> psi_littlestone_bounds([[0, 2], [1, 2], [1, 0]], psi_n).upper
    1
    """
    return last(psi_tree_brackets(table, psi), time_limit)


def psi_tree_brackets(
    table: Any, psi: Family | Iterable[CollapsingMap | str]
) -> Iterator[Bracket[PsiTree]]:
    """Ever closer bounds of Psi_LD(H); the last ones are equal."""
    H = LabelTable.of(table)
    splits = questions(H, family(psi, H.labels))
    solver, asked, lower = SplitSolver(splits.values()), list(splits), 0
    most, above = H.size.bit_length() - 1, "the number of hypotheses"

    def known() -> Bracket[PsiTree]:
        tree = solver.tree(H.alive, lower)
        return Bracket(
            lower, most, PsiTree(tuple(asked[i] for i in tree.splits), tree.leaves), above
        )

    yield known()
    while lower < most:
        # From below: each yes comes with a tree, and the first no settles the dimension.
        if solver.at_least(H.alive, lower + 1):
            lower += 1
        else:
            most, above = lower, "a search for more"
        yield known()


def is_psi_shattered(table: Any, tree: PsiTree) -> bool:
    """Whether every leaf of ``tree`` holds a hypothesis that answers as its path says.

    Read off the values of the table, without search: O(d 2^d).  BGS21, Definition 4.3.

    >>> is_psi_shattered([[0], [0]], PsiTree((Question(0, CollapsingMap((0,), (1,))),), (0, 1)))
    False
    """
    H = LabelTable.of(table)
    count, width = H.values.shape
    # The checks below index the table only after shapes and ranges are known.
    size = len(tree.leaves)
    if size.bit_count() != 1 or len(tree.questions) != size - 1:
        return False
    if not all(0 <= leaf < count for leaf in tree.leaves):
        return False
    if not all(0 <= question.point < width for question in tree.questions):
        return False
    return all(
        question.phi(int(H.values[leaf, question.point])) == answer
        for leaf, path in zip(tree.leaves, paths(size), strict=True)
        for question, answer in ((tree.questions[node], answer) for node, answer in path)
    )
