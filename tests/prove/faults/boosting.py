"""Faults that turn the rows of `prove/papers/boosting.py` red."""

from __future__ import annotations

from planting import Fault

FAULTS: dict[str, list[Fault]] = {
    "weak_means_strong": [
        Fault(
            "littlestone.dimension.half_graphs:threshold_dimension",
            "len(half_graph(table).points)",
            "len(half_graph(table).points) - 1",
            "a threshold is not counted",
        ),
        Fault(
            "littlestone.learn.papers.globally_stable:proved_sizes",
            "math.log(1 / eta) / alpha",
            "math.log(1 / eta) / alpha**2",
            "blocks grow as alpha^-2",
        ),
    ],
    "identity": [
        Fault(
            "littlestone.learn.papers.boosting:Walk.weights",
            "self.rounds // 2 - r for",
            "self.rounds // 2 - r + 1 for",
            "weights of one vote more",
        )
    ],
    "algorithmic": [
        Fault(
            "littlestone.learn.papers.boosting:BoostingLearner.plan",
            "self.walk.rounds * size",
            "self.walk.rounds**2 * size",
            "each round has the records of all",
        ),
    ],
}
