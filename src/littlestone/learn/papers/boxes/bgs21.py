"""The box of BGS21: a learner of several labels from learners of bits."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from littlestone.classes import FiniteClass
from littlestone.learn.papers.boxes.base import Example, Rule, Sample, box
from littlestone.privacy.randomness import Choose

Learner = Callable[[Sample, FiniteClass, Choose], Rule]
"""B^i: examples with the labels 0 and 1, and the class H|_i."""


def bin2dec(bits: Sequence[int]) -> int:
    """The label with these bits, the first of which counts 1.

    >>> bin2dec([1, 0, 1])
    5
    """
    return sum(bit << i for i, bit in enumerate(bits))


@box("BGS21 Figure 1")
def algorithm_a(
    S: Sequence[Example],
    H: FiniteClass,
    B: Sequence[Learner],
    SC: Sequence[int],
    *,
    choose: Choose,
) -> Rule:
    """Part i has SC_i examples, of which B^i learns bit i; bin2dec joins the bits.

    promise: (epsilon, delta)-differentially private if each B^i is
    found: kept, also for labels that no hypothesis gives. If k + 1 is no power of two, the bits can
        spell a label above k
    ours: learn.BitPartsLearner
    mend: a label above k is replaced by k
    """
    bits, start = [], 0
    for i, (learner, size) in enumerate(zip(B, SC, strict=True)):
        part = S[start : start + size]
        start += size
        binary = tuple((x, y >> i & 1) for x, y in part)
        bits.append(learner(binary, H.bit_class(i), choose))
    return tuple(map(bin2dec, zip(*bits, strict=True)))
