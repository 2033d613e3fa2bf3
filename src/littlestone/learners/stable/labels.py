"""Tournaments of samples with several labels, of which the label is guessed."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from littlestone.classes import FiniteClass
from littlestone.hypotheses import TableFunction

Examples = Sequence[tuple[Any, int]]


@dataclass(frozen=True)
class LabelSOA:
    """What the SOA of several labels knows after a sequence, realizable or not; immutable.

    From the first example on that leaves the version space empty, that stays as it was, and an example
    only sets the label of its point: as `ExtendedSOA` of two labels.
    """

    version_space: FiniteClass
    patches: frozenset[tuple[Any, int]] = frozenset()
    realizable: bool = True

    def after(self, examples: Examples) -> LabelSOA:
        """What it knows after all of ``examples``, in their order."""
        state = self
        for x, y in examples:
            state = state.update(x, y)
        return state

    def update(self, x: Any, y: int) -> LabelSOA:
        """What it knows after one more example."""
        if self.realizable:
            V = self.version_space.restrict(x, y)
            if not V.is_empty():
                return replace(self, version_space=V)
        kept = frozenset(patch for patch in self.patches if patch[0] != x)
        return replace(self, patches=kept | {(x, y)}, realizable=False)

    def rule(self) -> TableFunction:
        """The SOA of the version space, but at the patched points."""
        V, patched = self.version_space, dict(self.patches)
        values = (patched[x] if x in patched else V.soa_label(x) for x in V.domain)
        return TableFunction.from_labels(V.domain, values, V.labels)


def stable_classifier(
    H: FiniteClass, k: int, blocks: Iterator[Examples], rng: random.Random
) -> TableFunction | None:
    """SOA(S T) for S ~ D~_k and a block T, as `stable_rule`, with a label guessed among all of H's.

    None if the blocks run out.

    >>> H = FiniteClass.from_array([[0, 2], [1, 2], [1, 1]], labels=3)
    >>> stable_classifier(H, 0, iter([[("x0", 1)]]), random.Random(0)).values().tolist()
    [1, 1]
    """
    found = _contender(LabelSOA(H), k, blocks, rng)
    return None if found is None else found.rule()


def _contender(
    start: LabelSOA, k: int, blocks: Iterator[Examples], rng: random.Random
) -> LabelSOA | None:
    """What the SOA knows after S T."""
    state = _winner(start, k, blocks, rng) if k else start
    block = next(blocks, None)
    return None if state is None or block is None else state.after(block)


def _winner(
    start: LabelSOA, k: int, blocks: Iterator[Examples], rng: random.Random
) -> LabelSOA | None:
    """What the SOA knows after S ~ D~_k, for k >= 1."""
    while True:
        one, other = (_contender(start, k - 1, blocks, rng) for _ in range(2))
        if one is None or other is None:
            return None
        f, g = one.rule(), other.rule()
        x = next((x for x in f.domain if f(x) != g(x)), None)
        if x is not None:
            y = rng.randrange(f.labels)
            return (one if f(x) != y else other).update(x, y)
