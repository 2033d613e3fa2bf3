"""Faults that turn the rows of `verify/lyu25_online.py` red."""

from __future__ import annotations

from planting import Fault

ONE_CHUNK = Fault(
    "littlestone.learners.online.stage_trees:stage_leaves",
    "next((chunk for chunk in chunks",
    "next((chunk for chunk in chunks[:1]",
    "only the first chunk counts",
)
FAULTS: dict[str, list[Fault]] = {
    "levels_of_chunks": [
        Fault(
            "littlestone.learners.online.stage_sizes:divergence",
            "return zero +",
            "return 2 * zero + 2 *",
            "the divergence is twice too large",
        )
    ],
    "exposed_and_essential": [
        Fault(
            "littlestone.decomposition.exact:Decompositions.dimension",
            "space.deepest(t) >= 0",
            "True",
            "DDim is always 0",
        )
    ],
    "the_potential_falls": [ONE_CHUNK],
    "few_calls": [ONE_CHUNK],
}
NOT_YET = {
    "mistakes_before_a_hit",
    "errors_of_chunks",
    "stages_end_a_dimension",
    "bottom_is_rarer",
    "few_mistakes",
}
