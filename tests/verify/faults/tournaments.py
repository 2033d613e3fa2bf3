"""Faults that turn the rows of `verify/tournaments.py` red."""

from __future__ import annotations

from planting import Fault

RIGHT_WINS = Fault(
    "littlestone.learners.stable.tournament:_winner",
    "f(x) != y else",
    "f(x) == y else",
    "the right rule wins",
)
NO_EXAMPLE = Fault(
    "littlestone.learners.stable.tournament:_winner",
    ".update(x, y)",
    "",
    "the sample lacks the tournament's example",
)
ALWAYS_1 = Fault(
    "littlestone.learners.stable.tournament:_winner",
    "rng.randrange(start.version_space.labels)",
    "1",
    "y is 1",
)
FAULTS: dict[str, list[Fault]] = {
    "tournaments": [RIGHT_WINS, NO_EXAMPLE, ALWAYS_1],
    "globally_stable_code": [RIGHT_WINS, NO_EXAMPLE, ALWAYS_1],
    "batches_in_turn": [
        Fault(
            "littlestone.learners.globally_stable:GloballyStableLearner.rule",
            "i % len(sizes.caps)",
            "0",
            "k is always 0",
        )
    ],
}
NOT_YET: set[str] = set()
