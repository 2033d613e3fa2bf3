"""Every draw, by its own code along every outcome of its random bits, has the law that is audited."""

from dataclasses import replace
from fractions import Fraction
from random import Random

import numpy as np
import pytest
from plants.harness import draws_exactly

from exact_draws import Draws
from littlestone.privacy.samplers import selection
from littlestone.privacy.samplers.noise import discrete_laplace, geometric
from littlestone.privacy.samplers.reals import Real
from littlestone.prove.audit import find_subjects
from littlestone.prove.audit.choices import Choices
from littlestone.prove.audit.subject import SubjectMaker
from littlestone.prove.audit.subjects import online, streams, timed

pytestmark = pytest.mark.deep

STEPS = 2  # of streams, and their horizon: each draw has as many outcomes as there are steps left

# Many outcomes of small probability: at a large epsilon there are fewer.
LARGE = {
    "boosting-learner": 2,
    "continual-confirmation": 4,
    "continual-medians": 8,
    "online-confirmed-intervals": 4,
    "online-confirmed-learner": 4,
    "online-confirmed-thresholds": 4,
    "online-staged-learner": 30,
    "continual-sides": 30,
    "continual-tallies": 8,
    "noisy-radii-learner": 4,
    "online-tallied-learner": 8,
    "online-tallied-thresholds": 30,
    "online-teacher-learner": 10,
    "group-estimates": 50,
    "risks-of-blocks": 30,
    "risks-of-leaves": 30,
    "risks-of-steps": 20,
    "rule-estimates": 10,
    "unread-shares": 30,
}

# Their data have many records at any epsilon; `relabelling-learner`, `online-key-learner` and
# `continual-sides` have the same draws.  Noisy numbers are followed, round by round, in
# tests/privacy/test_noisy_sums.py.
LEFT_OUT = {
    "agnostic-learner",
    "drawn-sums",
    "noisy-sums",
    "noisy-sums-pure",
    "online-key-learner-long",
    "online-tallied-intervals",
}


@pytest.mark.parametrize(
    "named",
    [named for named in find_subjects() if named.name not in LEFT_OUT],
    ids=lambda named: named.name,
)
def test_the_law_of_every_draw_is_the_one_that_is_audited(
    named: SubjectMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module, name in (
        (online, "LONG"),
        (streams, "LONG"),
        (streams, "HORIZON"),
        (timed, "LONG"),
        (timed, "STEPS"),
    ):
        monkeypatch.setattr(module, name, STEPS)
    # At a small delta the staged learner's tests have a noisy threshold.
    large = named.name in LARGE
    delta = Fraction(1, 1000 if large else 5)
    subject = named.make(Fraction(LARGE.get(named.name, 2)), delta)
    if named.name.startswith(("online", "continual", "one-sided")):
        pairs = tuple((one[-STEPS:], other[-STEPS:]) for one, other in subject.pairs[-9:])
        subject = replace(subject, pairs=pairs)
    assert draws_exactly(subject, most=1 if large else 3)


def test_a_run_that_is_as_likely_as_the_least_is_followed() -> None:
    choices, half = Choices(), Fraction(1, 2)
    run = lambda: choices.choose([half, half / 2, half / 2])  # noqa: E731
    assert choices.explore(run, half) == {0: half}
    assert sum(choices.explore(run, half / 2).values()) == 1


def test_choices_have_the_law_of_what_they_replace() -> None:
    """Each of the random bits that `Draws` knows, beside its definition."""
    third, half = Fraction(1, 3), Fraction(1, 2)
    draws = Draws()
    thirds = {0: third, 1: third, 2: third}
    assert draws.law(lambda rng: rng.randrange(3)) == (thirds, Fraction(0))
    assert draws.law(lambda rng: rng.getrandbits(80) < 3 << 78)[0] == {
        True: 3 * half**2,
        False: half**2,
    }

    def shuffled(rng: Random) -> str:
        letters = list("aab")
        rng.shuffle(letters)
        return "".join(letters)

    assert draws.law(shuffled)[0] == {"aab": third, "aba": third, "baa": third}
    law, left_out = draws.law(lambda rng: geometric(Real.of(half), rng))
    assert law[3] == half**4
    assert 0 < left_out < Fraction(1, 10**6)
    noise, _ = draws.law(lambda rng: discrete_laplace(half, rng))
    assert abs(noise[0] - third) + abs(noise[-2] - third * half**2) < Fraction(1, 1 << 200)
    errors, base = np.array([1, 0]), Fraction(2)
    assert draws.law(lambda rng: selection.draw_item(errors, [2, 1], base, rng))[0] == {
        0: half**2, 1: half**2, 2: half,
    }  # fmt: skip
