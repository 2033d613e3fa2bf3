"""Thresholds on all whole numbers: trees of every depth, none infinite; other domains are refused."""

from __future__ import annotations

import json
import math
from itertools import product

import pytest
from typer.testing import CliRunner

from littlestone.base.errors import DeclarationError, InfiniteDimensionError
from littlestone.classes import Intervals, Thresholds, parse_class
from littlestone.cli import app
from littlestone.points import Integers, Reals, Strings
from littlestone.prove.papers.lecture5 import Patient
from littlestone.theory.game import TreeAdversary, play

NATURAL = Thresholds(Integers("age"), -1, math.inf)


def test_their_trees_are_unbounded_and_none_is_infinite() -> None:
    assert parse_class("thresholds(age, 0..)") == NATURAL
    assert str(NATURAL) == "thresholds(age, 0..)"
    assert NATURAL.littlestone_dimension() == math.inf
    assert not NATURAL.has_infinite_tree()
    assert not Thresholds.over(Integers()).has_infinite_tree()
    assert Thresholds.over(Reals()).has_infinite_tree()
    # Whatever the root is, the label 1 leaves finitely many cuts.
    assert [NATURAL.restrict(x, 1).size for x in (-5, 0, 9, 10**30)] == [0, 1, 10, 10**30 + 1]
    assert NATURAL.restrict(10**30, 0).littlestone_dimension() == math.inf
    # A predictor of 0 errs at the first point, and then as often as 2^64 cuts allow.
    played = play(Patient(), TreeAdversary(NATURAL), rounds=100)
    assert played.mistakes == len(played.rounds) == 65
    with pytest.raises(InfiniteDimensionError):
        NATURAL.soa()


def test_all_whole_numbers_are_natural_numbers_on_each_side() -> None:
    H = Thresholds.over(Integers())
    assert H.mistake_point() == 0
    for V in (H.restrict(0, 0), H.restrict(0, 1)):
        x = V.mistake_point()
        assert x is not None
        below = [V.restrict(x, y).littlestone_dimension() for y in (0, 1)]
        assert sorted(below) == [64, math.inf]


@pytest.mark.parametrize(
    ("parts", "infinite"),
    [("thresholds(x, 0..), thresholds(y, 0..)", False), ("thresholds(x, 0..), points(y)", False),
     ("thresholds(x, 0..), thresholds(y, reals)", True)],
)  # fmt: skip
def test_direct_sums_have_an_infinite_tree_if_a_part_has(parts: str, infinite: bool) -> None:
    H = parse_class(f"direct_sum({parts})")
    assert H.littlestone_dimension() == math.inf
    assert H.has_infinite_tree() == infinite


def test_dim_says_so() -> None:
    run = CliRunner()
    shown = run.invoke(app, ["dim", "direct_sum(thresholds(x, 0..), points(y))"]).stdout
    assert "Littlestone dimension infinite\n" in shown
    assert "of every depth, none infinite" in shown
    data = json.loads(run.invoke(app, ["dim", "thresholds(x, reals)", "--json"]).stdout)
    assert data["infinite_tree"]


def test_other_domains_are_refused_and_the_error_says_why() -> None:
    with pytest.raises(InfiniteDimensionError, match="although no mistake tree is infinite"):
        Intervals.over(Integers("age"))  # type: ignore[arg-type]
    for kind, domain in product((Thresholds, Intervals), (Strings(), "age", None)):
        with pytest.raises(DeclarationError, match="not a range of numbers"):
            kind.over(domain)  # type: ignore[attr-defined]


def test_the_learner_of_natural_thresholds() -> None:
    """On every cut below 40 and every order of a few points, it errs at most 1 + log2(x + 1) times."""
    for cut in range(40):
        learner, mistakes, first = Patient(), 0, None
        for x in [0, 30, 90, 60, 45, 35, 38, 39, 41, *range(50)]:
            y = int(x >= cut)
            if learner.predict(x) != y:
                mistakes += 1
                first = x if first is None else first
            learner.update(x, y)
            assert learner.predict(x) == y
        assert mistakes <= (0 if first is None else (first + 1).bit_length())
