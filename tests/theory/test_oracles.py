"""The learner that asks an oracle: what a run that is done proves, and what is remembered."""

from __future__ import annotations

import random

from littlestone.classes import FiniteClass
from littlestone.theory.game.players import OracleLearner, Rule, proving_rules

POINTS = 30


def test_a_run_that_is_done_proves_a_dimension() -> None:
    """All functions on 30 points, and an adversary for whom every prediction is wrong."""
    rng = random.Random(2)

    def ask(examples: list[tuple[int, int]]) -> Rule:
        known, share = dict(examples), rng.choice([0.05, 0.3, 0.5])
        return {x: known.get(x, int(rng.random() < share)) for x in range(POINTS)}.__getitem__

    learner = OracleLearner(ask)  # type: ignore[arg-type]
    for x in rng.sample(range(POINTS), POINTS):
        run, y = learner.run, 1 - learner.predict(x)
        learner.update(x, y)
        assert learner.predict(x) == y
        if learner.run.d > run.d:
            # The rule of the run that begins is the last one of the run that is done.
            taken = [*run.taken, *learner.run.taken]
            assert len(taken) <= proving_rules(run.d)
            table = [[rule(x) for x in range(POINTS)] for rule in taken]
            assert FiniteClass.from_array(table).littlestone_dimension() > run.d
        if learner.run.d == 3:
            break
    assert learner.run.d == 3
