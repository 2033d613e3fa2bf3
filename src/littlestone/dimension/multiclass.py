"""Psi-Littlestone dimensions with their shattered trees (BGS21, section 4); sizes of shattered sets.

Collapsing maps phi: {0, ..., k} -> {0, 1, *} ask about labels; Psi is a family of them.  The VC,
Natarajan and graph dimensions are sizes of largest shattered sets.  The dual class has the points as
functions of the hypotheses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, product
from typing import Any

from littlestone.base.errors import DeclarationError
from littlestone.dimension.search.splits import Bracket, Split, SplitSolver, last, look, paths
from littlestone.dimension.tables import LabelTable, binary

MOST_LABELS = 12
"""Psi^B has 2^(p-1) - 1 partitions of the p labels of a point, so it is refused beyond this p."""


@dataclass(frozen=True)
class CollapsingMap:
    """The map phi with phi(y) = 0 for the labels y in ``zero``, 1 in ``one``, and * elsewhere.

    (BGS21, section 4.1.)

    >>> CollapsingMap.from_text("01*")
    CollapsingMap(zero=(0,), one=(1,))
    """

    zero: tuple[int, ...]
    one: tuple[int, ...]

    @classmethod
    def from_text(cls, text: str) -> CollapsingMap:
        """The map whose values at the labels 0, 1, 2, ... are the characters 0, 1 and * of ``text``.

        Raises `DeclarationError` for any other character.
        """
        if set(text) - set("01*"):
            raise DeclarationError(
                f"read the collapsing map {text!r}",
                found="it holds other characters than 0, 1 and *",
                fix="write one character for each label, such as 01* for the labels 0, 1 and 2",
            )
        zero, one = (tuple(y for y, c in enumerate(text) if c == answer) for answer in "01")
        return cls(zero, one)

    def __call__(self, y: int) -> int | None:
        """phi(y), with None for *."""
        return 0 if y in self.zero else 1 if y in self.one else None

    def __str__(self) -> str:
        return " or ".join(map(str, self.zero)) + " / " + " or ".join(map(str, self.one))


Family = Callable[[Sequence[int]], Iterable[CollapsingMap]]
"""A family Psi, as a function from the labels that occur at a point to its maps on these labels."""


def psi_n(labels: Sequence[int]) -> Iterator[CollapsingMap]:
    """Psi^N, a map for every pair of labels: its dimension is the multiclass Littlestone dimension."""
    return (CollapsingMap((w,), (v,)) for w, v in combinations(labels, 2))


def psi_bin(labels: Sequence[int]) -> Iterator[CollapsingMap]:
    """Psi^bin, a map for every bit of a label.

    >>> [str(phi) for phi in psi_bin(range(4))]
    ['0 or 2 / 1 or 3', '0 or 1 / 2 or 3']
    """
    for i in range(max(labels).bit_length()):
        zero, one = (tuple(y for y in labels if y >> i & 1 == answer) for answer in (0, 1))
        yield CollapsingMap(zero, one)


def psi_g(labels: Sequence[int]) -> Iterator[CollapsingMap]:
    """Psi^G, a map for every label: that label against the rest (the graph variant)."""
    for y in labels:
        yield CollapsingMap((y,), tuple(v for v in labels if v != y))


def psi_b(labels: Sequence[int]) -> Iterator[CollapsingMap]:
    """Psi^B, all maps.  Sending a * to 0 or 1 only adds to a side, so the two-sided ones suffice.

    Raises `DeclarationError` for more than `MOST_LABELS` labels at one point.
    """
    if len(labels) > MOST_LABELS:
        raise DeclarationError(
            f"take all collapsing maps of the {len(labels)} labels at one point",
            found=f"they are more than {MOST_LABELS}, so there are {2 ** (len(labels) - 1) - 1:,}",
            fix="take Psi^N or Psi^bin, or give the maps that matter",
        )
    first, *others = labels
    # Label `first` is always on side 0, because swapping the sides gives the same split.
    for size in range(len(others)):
        for more in combinations(others, size):
            zero = (first, *more)
            yield CollapsingMap(zero, tuple(y for y in others if y not in more))


@dataclass(frozen=True)
class Question:
    """A node of a Psi-labelled tree: the value of phi at the label of point ``point``."""

    point: int
    phi: CollapsingMap


def family(psi: Family | Iterable[CollapsingMap | str], labels: int) -> Family:
    """``psi`` as a family: itself, or the family of the given maps or texts such as ``"01*"``.

    Raises `DeclarationError` without a map, for a map of labels beyond ``labels`` - 1, and for one that
    gives a label two values.
    """
    if callable(psi):
        return psi
    maps = [CollapsingMap.from_text(phi) if isinstance(phi, str) else phi for phi in psi]
    for phi in maps:
        named = (*phi.zero, *phi.one)
        if len(set(named)) < len(named) or not all(0 <= y < labels for y in named):
            raise DeclarationError(
                f"use the collapsing map {phi}",
                found=f"the labels are 0..{labels - 1}, and each has one value",
                fix=f"map {labels} labels to 0, 1 or *",
            )
    if not maps:
        raise DeclarationError(
            "take a Psi-dimension", found="there is no collapsing map", fix="give at least one"
        )
    return lambda _: maps


def questions(H: LabelTable, psi: Family) -> dict[Question, Split]:
    """The questions of ``psi`` at the points of ``H`` that separate it, each with its split.

    Questions at one point that split the hypotheses alike are one, under the name of the first.
    """
    found: dict[Question, Split] = {}
    for point, here in enumerate(H.masks):
        known: set[Split] = set()
        for phi in psi(tuple(here)) if len(here) > 1 else ():
            # The masks are disjoint, so a sum is a union.
            zero, one = (sum(here.get(y, 0) for y in side) for side in (phi.zero, phi.one))
            if zero and one and not known & {(zero, one), (one, zero)}:
                known.add((zero, one))
                found[Question(point, phi)] = zero, one
    return found


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

    def bracket() -> Bracket[PsiTree]:
        tree = solver.tree(H.alive, lower)
        return Bracket(
            lower, most, PsiTree(tuple(asked[i] for i in tree.splits), tree.leaves), above
        )

    yield bracket()
    while lower < most:
        # From below: each yes comes with a tree, and the first no settles the dimension.
        if solver.at_least(H.alive, lower + 1):
            lower += 1
        else:
            most, above = lower, "a search for more"
        yield bracket()


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


def zero_cover_number(table: Any, tree: Sequence[int]) -> int:
    """N(0, H, z), the size of the smallest 0-cover of H on the input-labelled tree z.

        N(0, V, z) = sum over labels y of max(N(0, V_y, z_left), N(0, V_y, z_right)),

    where V_y are the hypotheses in V that give the root of z the label y.  Below the leaves, N is 1
    if V is not empty.  For an empty V, N is 0.  The reason: the trees of a cover with y at the root
    need to cover V_y only, and they cover the two subtrees of z independently.

    ``tree`` is a heap of 2^b - 1 numbers of points, in which node i has the children 2i + 1 and 2i + 2.
    Raises `DeclarationError` for another length or an unknown point.  Takes
    O(2^b min(N, (k + 1)^b)) steps.  Source: BGS21, Definition 5.5.

    >>> zero_cover_number([[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1]], [1, 2, 0])
    4
    """
    H = LabelTable.of(table)
    if (len(tree) + 1).bit_count() != 1 or not all(0 <= x < len(H.points) for x in tree):
        raise DeclarationError(
            f"cover a class on a tree of {len(tree)} nodes",
            found=f"a tree is a heap of 2^b - 1 points, numbered 0..{len(H.points) - 1}",
            fix="give the points from the root on, level by level",
        )

    def cover(alive: int, node: int) -> int:
        if node >= len(tree):
            return 1
        # Trees of a cover with different labels at the root cover different pieces, so the sizes
        # add up.
        pieces = (alive & mask for mask in H.masks[tree[node]].values())
        return sum(
            max(cover(piece, 2 * node + 1), cover(piece, 2 * node + 2)) for piece in pieces if piece
        )

    return cover(H.alive, 0)


def zero_cover_function(table: Any, depth: int) -> int:
    """N(0, H, b), the maximum of N(0, H, z) over all input-labelled trees z of depth b.

    All version spaces that reach the root of a subtree share that subtree.  So the recursion is over
    families F of version spaces:

        S(F, b) = max over x and partitions of {V_(x,y) : V in F, y} into L and R
                  of S(L, b - 1) + S(R, b - 1),      S(F, 0) = |F|,  S(empty, b) = 0.

    S(F, b) is the maximum over z of the sum of N(0, V, z) over V in F, because each piece may take the
    larger of its two subtrees.  For 0/1 tables, N(0, V, b) = max over x of N(0, V_0, b - 1) +
    N(0, V_1, b - 1).

    Raises `DeclarationError` for a negative depth.  The time is exponential in the number of pieces,
    which is at most (k + 1)^b, so depths must be small or labels few.  Source: BGS21, Definition 5.5.

    >>> [zero_cover_function([[0, 0], [0, 1], [1, 1], [2, 0]], b) for b in range(4)]
    [1, 3, 4, 4]
    """
    H = LabelTable.of(table)
    if depth < 0:
        raise DeclarationError(
            f"take trees of depth {depth}", found="it is negative", fix="give a depth of at least 0"
        )
    columns = tuple({tuple(here.values()) for here in H.masks})

    @cache
    def most(family: tuple[int, ...], b: int) -> int:
        # A single hypothesis needs one tree.  Only larger version spaces leave a choice.
        single = sum(mask.bit_count() == 1 for mask in family)
        family = tuple(sorted(mask for mask in family if mask.bit_count() > 1))
        if not family or b == 0:
            return single + len(family)
        return single + max(partitions(pieces(family, column), b - 1) for column in columns)

    def pieces(family: tuple[int, ...], column: tuple[int, ...]) -> tuple[int, ...]:
        found = (mask & part for mask in family for part in column)
        return tuple(sorted(piece for piece in found if piece))

    @cache
    def partitions(family: tuple[int, ...], b: int) -> int:
        single = tuple(mask for mask in family if mask.bit_count() == 1)
        first, *others = [mask for mask in family if mask.bit_count() > 1] or [0]
        if not first:
            return len(single)
        if b == 0:
            return len(family)
        best = 0
        # The first piece goes left: exchanging the two sides gives the same sum.
        for right in product((False, True), repeat=len(others)):
            sides = [first], []  # type: tuple[list[int], list[int]]
            for mask, side in zip(others, right, strict=True):
                sides[side].append(mask)
            best = max(best, sum(most(tuple(side), b) for side in sides))
        return len(single) + best

    return most((H.alive,), depth)


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
