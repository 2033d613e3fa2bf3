"""Faults that turn the rows of `prove/papers/blm20.py` red."""

from __future__ import annotations

from planting import Fault

IGNORES = Fault(
    "littlestone.theory.game.players:ExtendedSOA.update",
    "return ExtendedSOA(V)",
    "return self",
    "the SOA learns nothing",
)
FORGETS = Fault(
    "littlestone.theory.game.players:ExtendedSOA.update",
    "others if right else others | {(x, y)}",
    "others",
    "an impossible example is forgotten",
)
FAULTS: dict[str, list[Fault]] = {
    "stability_generalizes": [IGNORES],
    "tournament_examples_are_mistakes": [FORGETS],
    "frequent_rules": [FORGETS],
    "frequent_rules_of_the_papers_soa": [
        Fault(
            "littlestone.prove.papers.definitions:Game.update",
            "self.soa(left, self.points)",
            "state.rule",
            "the SOA learns nothing",
        )
    ],
    "frequent_rules_for_long_blocks": [
        Fault(
            "littlestone.prove.papers.definitions:Game.with_long_block",
            "range(self.n)",
            "range(1)",
            "a block has one example",
        ),
        Fault(
            "littlestone.prove.papers.definitions:Game.approximate",
            "1 - (state.rule >> x & 1)",
            "state.rule >> x & 1",
            "the winner keeps its own label",
        ),
    ],
    "frequent_rules_for_larger_blocks": [
        Fault(
            "littlestone.prove.papers.definitions:Game.with_block",
            "range(self.n)",
            "range(1)",
            "a block is one example",
        ),
    ],
    "frequent_rules_repaired": [
        Fault(
            "littlestone.learn.papers.globally_stable:stability",
            "labels * (1 - eta * rho)",
            "(1 - eta * rho)",
            "a tournament's label is always right",
        )
    ],
    "frequent_rules_generalize": [FORGETS],
    "expected_draws": [
        Fault(
            "littlestone.learn.papers.globally_stable:expected_blocks",
            "2 * (found[-1] + 1)",
            "(found[-1] + 1)",
            "a round takes one sample",
        )
    ],
    "who_wins_is_not_independent": [FORGETS],
    "globally_stable": [IGNORES],
}
