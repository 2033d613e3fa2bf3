"""The Natarajan and graph dimensions of a table of labels, with the sets that it shatters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import Any

from littlestone.dimension.collapsing import (
    CollapsingMap,
    Family,
    Question,
    family,
    psi_g,
    psi_n,
    questions,
)
from littlestone.dimension.search.brackets import Bracket, last
from littlestone.dimension.search.shattered_sets import largest_shattered, shattered_brackets
from littlestone.dimension.tables.label_table import LabelTable


def natarajan_dimension(table: Any) -> int:
    """The largest number of points with two labels each such that H has all 2^d ways to choose one.

    ``table`` is an N x m table of labels 0..k; see `LabelTable.of`.  Raises `DeclarationError` for
    anything else.  Introduced by Natarajan (Nat89); it is the Psi^N-dimension of BCHL95.

    >>> natarajan_dimension([[0, 0], [0, 2], [2, 0], [2, 2], [1, 1]])
    2
    """
    return len(psi_shattered_set(table, psi_n))


def graph_dimension(table: Any) -> int:
    """The largest number of points with a label each such that H has all 2^d patterns of hits.

    Arguments and errors as for `natarajan_dimension`, which it is at least (Nat89).

    >>> graph_dimension([[0, 0], [0, 2], [2, 0], [1, 2]])
    2
    """
    return len(psi_shattered_set(table, psi_g))


def psi_shattered_set(
    table: Any, psi: Family | Iterable[CollapsingMap | str]
) -> tuple[Question, ...]:
    """A largest set of points with a map of ``psi`` each to which H gives all 2^d tuples of answers.

    >>> psi_shattered_set([[0], [2]], psi_n)
    (Question(point=0, phi=CollapsingMap(zero=(0,), one=(2,))),)
    """
    H = LabelTable.of(table)
    found = largest_shattered(questions(H, family(psi, H.labels)), H.alive)
    return tuple(sorted(found, key=lambda question: question.point))


def psi_shattered_bounds(
    table: Any, psi: Family | Iterable[CollapsingMap | str], *, time_limit: float | None = 10
) -> Bracket[tuple[Question, ...]]:
    """The Psi-dimension, or what is known of it after ``time_limit`` seconds.

    ``psi_n`` gives the VC and Natarajan dimensions, ``psi_g`` the graph dimension.

    >>> psi_shattered_bounds([[0], [2]], psi_n).upper
    1
    """
    return last(psi_shattered_brackets(table, psi), time_limit)


def psi_shattered_brackets(
    table: Any, psi: Family | Iterable[CollapsingMap | str]
) -> Iterator[Bracket[tuple[Question, ...]]]:
    """Ever closer bounds of the Psi-dimension; the last ones are equal."""
    H = LabelTable.of(table)
    return shattered_brackets(questions(H, family(psi, H.labels)), H.alive)


def is_psi_shattered_set(table: Any, asked: Sequence[Question]) -> bool:
    """Whether the questions are at distinct points and all 2^d tuples of answers occur; O(N d + 2^d).

    >>> is_psi_shattered_set([[0], [2]], psi_shattered_set([[0], [2]], psi_n))
    True
    """
    H = LabelTable.of(table)
    points = [question.point for question in asked]
    if not all(0 <= x < len(H.points) for x in points) or len(set(points)) < len(points):
        return False
    answers = {
        tuple(question.phi(int(row[question.point])) for question in asked) for row in H.values
    }
    return answers >= set(product((0, 1), repeat=len(asked)))
