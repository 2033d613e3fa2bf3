"""The affordability map: its classes, its distributions and its page."""

import random

import pytest
from benchmarks.affordability import PAGE, without_privacy
from benchmarks.affordable import needed as simulations
from benchmarks.affordable.natural import NATURAL
from benchmarks.affordable.needed import needed, profiles

from littlestone.classes import parse_class
from littlestone.learners import ExponentialLearner
from littlestone.privacy import Budget

NAMES = [name for classes in NATURAL.values() for name in classes]


def test_each_class_has_a_name_of_its_own_and_a_place_on_the_page() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert len(set(NAMES)) == len(NAMES) >= 40
    for classes in NATURAL.values():
        for name, declared in classes.items():
            assert f"| {name} | `{declared}` |" in text


def test_without_privacy() -> None:
    assert without_privacy(1001, (9, 9)) == 95
    assert without_privacy(None, (1, 1)) == 72
    assert without_privacy(None, None) is None


@pytest.mark.parametrize("text", ["thresholds(x, 0..99)", "subsets(a; at most 3)", "points(x)"])
def test_profiles_are_realizable_distributions(text: str) -> None:
    H = parse_class(text)
    for profile in profiles(H, 0.1, random.Random(0)):
        assert sum(profile.weights) == pytest.approx(1)
        assert min(profile.weights) > 0
        V = H
        for x, y in profile.examples:
            V = V.restrict(x, y)
        assert profile.error(V.soa()) == 0


def test_needed_is_about_what_is_proved_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulations, "FEW", 40)
    monkeypatch.setattr(simulations, "PATHS", 1)
    learner = ExponentialLearner(parse_class("thresholds(x, 0..9)"), Budget(1))
    proved = learner.plan(0.3, 0.2, setting="realizable")
    found = needed(learner, 0.3, 0.2, 500, most_runs=100)
    assert found is not None
    assert 10 < found.n <= 1.3 * proved.n  # one of a grid, and of few runs
