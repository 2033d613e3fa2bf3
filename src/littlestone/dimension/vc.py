"""The VC, Natarajan and graph dimensions of a table: largest shattered sets, and the search for them.

The dual class has the points as functions of the hypotheses.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from littlestone.dimension.multiclass import (
    CollapsingMap,
    Family,
    Question,
    family,
    multiclass_littlestone_dimension,
    psi_g,
    psi_n,
    questions,
)
from littlestone.dimension.search.splits import Bracket, Split, last, look
from littlestone.dimension.tables import LabelTable, binary

Asked = tuple[Question, ...]


def shattered_brackets(splits: Mapping[Question, Split], alive: int) -> Iterator[Bracket[Asked]]:
    """The largest number d of questions at distinct points to which H gives all 2^d tuples of answers.

    It is the Psi-dimension of BCHL95, and the questions are the witness.  ``splits`` maps each question
    to its two masks of hypotheses, for the answers 0 and 1.  ``alive`` is the mask of all hypotheses.

    1. Search for a shattered set of size d, for d = 1, 2, ..., until there is none.
    2. The questions chosen so far divide the hypotheses into cells, one for each tuple of answers.
       With r more questions, every cell needs at least 2^r hypotheses.
    3. A question that leaves fewer than 2^(r-1) hypotheses of a cell on one side is useless in every
       extension.
    4. Questions are tried in a fixed order, so each set is tried once.

    Takes O(#splits^d) steps in the worst case, where d <= log2 |H|.
    """
    best: Asked = ()
    most = min(alive.bit_count().bit_length() - 1, len({question.point for question in splits}))
    order = sorted(splits, key=lambda q: -min(mask.bit_count() for mask in splits[q]))
    yield Bracket(0, most, best, "the number of hypotheses and points")
    while len(best) < most:
        found = _extend((), [alive], order, len(best) + 1, splits)
        if found is None:
            yield Bracket(len(best), len(best), best, "a search for more")
            return
        best = found
        yield Bracket(len(best), most, best, "the number of hypotheses and points")


def largest_shattered(splits: Mapping[Question, Split], alive: int) -> Asked:
    """The witness of the last of the `shattered_brackets`."""
    *_, exact = shattered_brackets(splits, alive)
    return exact.witness


def _extend(
    chosen: tuple[Question, ...],
    cells: list[int],
    usable: Sequence[Question],
    more: int,
    splits: Mapping[Question, Split],
) -> tuple[Question, ...] | None:
    """A shattered set of the ``chosen`` and ``more`` of the ``usable`` questions; None without one."""
    look()
    if more == 0:
        return chosen
    least = 1 << (more - 1)
    cells = sorted(cells, key=int.bit_count)  # the smallest cell rules a question out soonest
    if cells[0].bit_count() < 2 * least:
        return None
    fits: list[tuple[Question, list[int]]] = []
    for question in usable:
        zero, one = splits[question]
        pieces: list[int] = []
        for cell in cells:
            left, right = cell & zero, cell & one
            # Step 3 above: a side that is too small stays too small in every extension.
            if left.bit_count() < least or right.bit_count() < least:
                break
            pieces += (left, right)
        else:
            if more == 1:
                return (*chosen, question)
            fits.append((question, pieces))
    for number, (question, pieces) in enumerate(fits, start=1):
        # A point is asked once in a shattered set, and a set is tried in one order only.
        later = [other for other, _ in fits[number:] if other.point != question.point]
        if len(later) < more - 1:
            continue
        found = _extend((*chosen, question), pieces, later, more - 1, splits)
        if found is not None:
            return found
    return None


def vc_dimension(table: Any) -> int:
    """VC(H), the largest number of points on which H has all 2^d patterns of labels.

    ``table`` is an N x m table of 0s and 1s, one row per hypothesis; see `LabelTable.of`.  Raises
    `DeclarationError` for anything else.  O(m^d) sets in the worst case, d <= log2 N.
    Introduced by Vapnik and Chervonenkis (VC71).

    >>> vc_dimension([[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1]])
    1
    """
    return len(shattered_set(table))


def shattered_set(table: Any) -> tuple[int, ...]:
    """The numbers of the points of a largest shattered set.

    >>> shattered_set([[0, 0, 1], [0, 1, 1], [1, 1, 0], [1, 1, 1], [1, 0, 1]])
    (0, 1)
    """
    H = binary(table, "take the VC dimension")
    found = largest_shattered(questions(H, psi_n), H.alive)
    return tuple(sorted(question.point for question in found))


def is_shattered_set(table: Any, points: Sequence[int]) -> bool:
    """Whether the table has all 2^d patterns on the d distinct ``points``; O(N d).

    >>> is_shattered_set([[0, 0], [0, 1], [1, 1]], [0, 1])
    False
    """
    H = binary(table, "check a shattered set")
    if not all(0 <= x < len(H.points) for x in points) or len(set(points)) < len(points):
        return False
    patterns = set(map(tuple, H.values[:, list(points)].tolist()))
    return len(patterns) == 1 << len(points)


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


def dual_vc_dimension(table: Any) -> int:
    """VC*(H), the VC dimension of the transposed 0/1 table; VC* < 2^(VC + 1) (Ass83).

    Raises `DeclarationError` as `vc_dimension`.

    >>> dual_vc_dimension([[0, 0, 1, 1], [0, 1, 0, 1]])
    2
    """
    return vc_dimension(binary(table, "take the dual VC dimension").transpose())


def dual_littlestone_dimension(table: Any) -> int:
    """LDim*(H), the Littlestone dimension of the transposed 0/1 table.

    Raises `DeclarationError` for a table with other labels.

    >>> dual_littlestone_dimension([[0, 0, 0], [0, 0, 1], [0, 1, 1]])
    1
    """
    H = binary(table, "take the dual Littlestone dimension")
    return multiclass_littlestone_dimension(H.transpose())
