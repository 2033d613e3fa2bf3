"""Faults that turn the rows of `prove/papers/lyu25_online.py` red."""

from __future__ import annotations

from planting import Fault

TREES = "littlestone.learn.stream.stage_sizes"
LEAVES = f"{TREES}:stage_leaves"
SIZES = "littlestone.learn.stream.stage_sizes"
SELECTION = "littlestone.privacy.mechanisms.sparse_selection:SparseSelection"
COUNTER = "littlestone.privacy.mechanisms.threshold_tests:OneSidedThreshold"
ONE_CHUNK = Fault(
    LEAVES,
    "next((chunk for chunk in chunks",
    "next((chunk for chunk in chunks[:1]",
    "only the first chunk counts",
)
FAULTS: dict[str, list[Fault]] = {
    "mistakes_before_a_hit": [
        Fault(
            f"{COUNTER}._first_hit",
            "chance_of_first_hit(self.shrink, self.shrink",
            "chance_of_first_hit((1 + self.shrink) / 2, (1 + self.shrink) / 2",
            "half the rate",
        ),
    ],
    "errors_of_chunks": [
        Fault(
            f"{TREES}:errs",
            "sum(f(x) != y for x, y in chunk)",
            "max(0, sum(f(x) != y for x, y in chunk) - 1)",
            "one error of a chunk is forgiven",
        ),
    ],
    "levels_of_chunks": [
        Fault(
            f"{SIZES}:divergence",
            "return zero +",
            "return 2 * zero + 2 *",
            "the divergence is twice too large",
        ),
    ],
    "stages_end_a_dimension": [
        Fault(
            LEAVES,
            "errs(f, chunk) > level",
            "errs(f, chunk) >= level",
            "what errs at the level is dropped",
        ),
        Fault(LEAVES, "waiting.append(V.restrict(x, 1 - y))", "pass", "sides are dropped"),
    ],
    "exposed_and_essential": [
        Fault(
            "littlestone.theory.decomposition.tree_search:Decompositions.dimension",
            "space.deepest(t) >= 0",
            "True",
            "DDim is always 0",
        ),
    ],
    "bottom_with_their_teachers": [
        Fault(
            f"{SELECTION}.chances",
            "weights.get(None, 0) + self.base ** (self.bottom - top)",
            "weights.get(None, 0) + self.base ** -top",
            "bottom has the score 0",
        ),
    ],
    "their_teachers_are_too_few": [
        Fault(
            f"{SELECTION}.bottom",
            "self.fresh * (1 / self._limit - 1)",
            "Fraction(1)",
            "any B is private",
        ),
        Fault(
            f"{SELECTION}.chances",
            "self.base ** (score - top) for",
            "self.base ** (3 * score - top) for",
            "the candidates have three times their score",
        ),
    ],
    "trees_only_grow": [
        Fault(
            LEAVES,
            "(chunk for chunk in chunks if",
            "(chunk for chunk in reversed(chunks) if",
            "chunks are looked at in reverse order",
        ),
    ],
    "the_potential_falls": [
        ONE_CHUNK,
    ],
    "few_calls": [ONE_CHUNK],
}
