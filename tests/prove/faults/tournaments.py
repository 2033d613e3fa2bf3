"""Faults that turn the rows of `prove/papers/tournaments.py` red."""

from __future__ import annotations

from planting import Fault

TOURNAMENT = "littlestone.learn.papers.globally_stable"
UPDATE = "littlestone.theory.game.players:ExtendedSOA.update"
RULE = "littlestone.learn.papers.globally_stable:GloballyStableLearner.rule"
RIGHT_WINS = Fault(
    f"{TOURNAMENT}:_winner", "f(x) != y else", "f(x) == y else", "the right rule wins"
)
NO_EXAMPLE = Fault(
    f"{TOURNAMENT}:_winner", ".update(x, y)", "", "the sample lacks the tournament's example"
)
ALWAYS_1 = Fault(
    f"{TOURNAMENT}:_winner", "rng.randrange(start.version_space.labels)", "1", "y is 1"
)
NO_BLOCK = Fault(
    f"{TOURNAMENT}:_contender", "state.after(block)", "state", "the rule has seen no T"
)
FAULTS: dict[str, list[Fault]] = {
    "tournaments": [
        RIGHT_WINS,
        NO_EXAMPLE,
        ALWAYS_1,
        NO_BLOCK,
        Fault(f"{TOURNAMENT}:_winner", "k - 1", "0", "both samples come from D_0"),
        Fault(
            f"{TOURNAMENT}:_winner",
            "if f == g:\n            continue",
            "if f == g:\n            return None",
            "equal rules end the tournament",
        ),
        Fault(
            f"{TOURNAMENT}:_contender",
            "_winner(start, k, blocks, rng) if k else start",
            "start",
            "no tournament is played",
        ),
        Fault(
            UPDATE,
            "others if right else others | {(x, y)}",
            "others",
            "an impossible example is forgotten",
        ),
        Fault(
            UPDATE,
            "realizable=False",
            "realizable=True",
            "an impossible example is taken for one that a function has",
        ),
    ],
    "globally_stable_code": [RIGHT_WINS, NO_EXAMPLE, ALWAYS_1, NO_BLOCK],
    "batches_in_turn": [
        Fault(RULE, "i % len(sizes.caps)", "0", "k is always 0"),
        Fault(RULE, "sizes.blocks(batch)", "iter([batch])", "a batch is one block"),
    ],
}
