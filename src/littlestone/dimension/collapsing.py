"""Collapsing maps phi: {0, ..., k} -> {0, 1, *}, and the families Psi of them that the theory uses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from littlestone.base.errors import DeclarationError
from littlestone.dimension.search.splits import Split
from littlestone.dimension.tables import LabelTable

MOST_LABELS = 12
"""Psi^B has 2^(p-1) - 1 partitions of the p labels of a point, so it is refused beyond this p."""


@dataclass(frozen=True)
class CollapsingMap:
    """The map phi with phi(y) = 0 for the labels y in ``zero``, 1 in ``one``, and * elsewhere.

    (BGS21, section 4.1.)

    >>> CollapsingMap.parse("01*")
    CollapsingMap(zero=(0,), one=(1,))
    """

    zero: tuple[int, ...]
    one: tuple[int, ...]

    @classmethod
    def parse(cls, text: str) -> CollapsingMap:
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
    maps = [CollapsingMap.parse(phi) if isinstance(phi, str) else phi for phi in psi]
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
