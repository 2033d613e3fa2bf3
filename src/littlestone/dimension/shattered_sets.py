"""The engine for VC, Natarajan and graph dimensions: the largest shattered set of splits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from littlestone.dimension.collapsing import Question
from littlestone.dimension.splits import Split


def largest_shattered(splits: Mapping[Question, Split], alive: int) -> tuple[Question, ...]:
    """A largest set of questions at distinct points to which H gives all 2^d tuples of answers.

    This is the Psi-dimension of BCHL95, with its witness.
    ``splits`` maps every question to its masks of hypotheses (answer 0, answer 1); ``alive`` is the
    mask of all hypotheses.

    1. For d = 1, 2, ...: look for a shattered set of size d, until there is none.
    2. A set chosen so far cuts the hypotheses into cells, one a tuple of answers; r more questions
       need at least 2^r hypotheses in every cell.
    3. A question that leaves a cell with less than 2^(r-1) on a side is of no use in any extension.
    4. Questions are tried in one order, so that every set is met once.

    O(#splits^d) in the worst case, with d <= log2 |H|.
    """
    best: tuple[Question, ...] = ()
    order = sorted(splits, key=lambda q: -min(mask.bit_count() for mask in splits[q]))
    while (found := _extend((), [alive], order, len(best) + 1, splits)) is not None:
        best = found
    return best


def _extend(
    chosen: tuple[Question, ...],
    cells: list[int],
    usable: Sequence[Question],
    more: int,
    splits: Mapping[Question, Split],
) -> tuple[Question, ...] | None:
    """A shattered set of ``chosen`` and so many ``more`` of the ``usable`` questions, if any."""
    if more == 0:
        return chosen
    least = 1 << (more - 1)
    cells = sorted(cells, key=int.bit_count)  # the smallest cell refuses soonest
    if cells[0].bit_count() < 2 * least:
        return None
    fits: list[tuple[Question, list[int]]] = []
    for question in usable:
        zero, one = splits[question]
        pieces: list[int] = []
        for cell in cells:
            left, right = cell & zero, cell & one
            if left.bit_count() < least or right.bit_count() < least:
                break
            pieces += (left, right)
        else:
            if more == 1:
                return (*chosen, question)
            fits.append((question, pieces))
    for number, (question, pieces) in enumerate(fits, start=1):
        later = [other for other, _ in fits[number:] if other.point != question.point]
        if len(later) < more - 1:
            continue
        found = _extend((*chosen, question), pieces, later, more - 1, splits)
        if found is not None:
            return found
    return None
