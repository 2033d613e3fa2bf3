"""Sparse sampling, on all tiny collections of lists."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

from littlestone.privacy.budget import Budget
from littlestone.privacy.mechanisms.lists.sparse_sampling import SparseSampling
from littlestone.prove.mechanisms.neighbours import neighbours
from littlestone.prove.mechanisms.subject import Subject, mechanism_subject, subject

Lists = tuple[tuple[int, ...], ...]

# Empty, repeating, in both orders, and longer than the two items that count.
LISTS: Lists = ((), (0,), (0, 1), (1, 0, 2), (1, 1), (2, 2, 3))


@subject(
    "sparse-sampling",
    id="Lyu25 Algorithm 1",
    code="privacy.mechanisms.lists.sparse_sampling.SparseSampling",
    proof="proofs/sparse-sampling.md#theorem-1-privacy",
    status="changed",
)
def sparse_sampling(epsilon: Fraction, delta: Fraction) -> Subject[Lists]:
    """Sparse sampling from lists of at most two items; needs a delta."""
    mechanism = SparseSampling[int](Budget(epsilon, delta), list_size=2)
    # One item is in most lists, and one is rarer but not as rare as bottom, so each list matters.
    many = ((0,),) * (mechanism.bottom + 6) + ((1,),) * (mechanism.bottom + 3)
    crowded = [((*many, one), (*many, other)) for one, other in combinations(LISTS, 2)]
    return mechanism_subject(
        mechanism,
        pairs=[*neighbours(LISTS, 3, ordered=False), *crowded],
        large=((*many, (1,)), (*many, (0,))),
        read=lambda lists: lists,
    )
