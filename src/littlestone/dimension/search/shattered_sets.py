"""The search for VC, Natarajan and graph dimensions: a largest shattered set of splits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from littlestone.dimension.collapsing import Question
from littlestone.dimension.search.brackets import Bracket, look
from littlestone.dimension.search.splits import Split

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
