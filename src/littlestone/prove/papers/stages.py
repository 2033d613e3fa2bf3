"""BLM20, section 4.2: D_k exactly, by the SOA that learners run, on small classes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any, cast

from littlestone.classes import FiniteClass
from littlestone.prove.papers.families import unordered_classes
from littlestone.prove.papers.statement import Trial
from littlestone.rules import Hypothesis, disagreement
from littlestone.theory.game.players import ExtendedSOA

# A state of the SOA, whether all tournament examples agree with the target, and its mass: whole numbers
# in the ratio of the probabilities.
Law = dict[tuple[ExtendedSOA[Any], bool], int]


@dataclass(frozen=True)
class Stage:
    """The exact D_k, SOA(S T) for S ~ D_k and T ~ D^n, and the expected blocks that S takes."""

    samples: Law
    rules: dict[Hypothesis[Any], Fraction]
    agreeing: Fraction
    blocks: Fraction

    @property
    def top(self) -> Fraction:
        """The probability of the most frequent rule."""
        return max(self.rules.values())


@dataclass(frozen=True)
class Setting:
    """A class, a target, the uniform distribution on the points of its domain, and n."""

    H: FiniteClass
    target: Hypothesis[Any]
    n: int

    @property
    def d(self) -> int:
        """The Littlestone dimension."""
        return self.H.littlestone_dimension()

    def loss(self, f: Hypothesis[Any]) -> Fraction:
        """Pr[f(x) != target(x)]."""
        points = list(self.H.domain)
        return Fraction(sum(f(x) != self.target(x) for x in points), len(points))


@cache
def rule_of(state: ExtendedSOA[Any]) -> Hypothesis[Any]:
    """The rule of the SOA after these examples."""
    return cast("Hypothesis[Any]", state.hypothesis())  # a table can hold every function


_differ = cache(disagreement)


@cache
def stages(setting: Setting) -> tuple[Stage, ...]:
    """D_0, ..., D_d, up to the first that is impossible because two rules are always equal."""
    stages: list[Stage] = []
    samples: Law = {(ExtendedSOA(setting.H), True): 1}
    blocks = Fraction(0)
    for _ in range(setting.d + 1):
        law = _with_block(samples, setting)
        masses: dict[Hypothesis[Any], int] = defaultdict(int)
        for (state, _), mass in law.items():
            masses[rule_of(state)] += mass
        total = sum(masses.values())
        rules = {f: Fraction(mass, total) for f, mass in masses.items()}
        agreeing = sum(mass for (_, agrees), mass in samples.items() if agrees)
        agree = Fraction(agreeing, sum(samples.values()))
        stages.append(Stage(samples, rules, agree, blocks))
        differ = 1 - sum(p * p for p in rules.values())
        if not differ:
            break
        blocks = 2 * (blocks + 1) / differ
        decided = {f: _decide(f, masses) for f in masses}
        samples = defaultdict(int)
        for (state, agrees), mass in law.items():
            f = rule_of(state)
            # Against every other rule, first or second: it wins if y is not its own label.
            for x, against in decided[f].items():
                y = 1 - f(x)
                after = state.update(x, y), agrees and y == setting.target(x)
                samples[after] += mass * against
    return tuple(stages)


def _decide(f: Hypothesis[Any], masses: Mapping[Hypothesis[Any], int]) -> dict[Any, int]:
    """At each point, how much of the other rules f meets there."""
    found: dict[Any, int] = defaultdict(int)
    for g, mass in masses.items():
        if g != f:
            found[_differ(f, g)] += mass
    return found


def _with_block(samples: Law, setting: Setting) -> Law:
    law, points = samples, list(setting.H.domain)
    for _ in range(setting.n):
        longer: Law = defaultdict(int)
        for (state, agrees), mass in law.items():
            for x in points:
                longer[state.update(x, setting.target(x)), agrees] += mass
        law = longer
    return law


def _masks(points: int, rows: Sequence[int]) -> FiniteClass:
    return FiniteClass.from_array([[row >> x & 1 for x in range(points)] for row in rows])


FIVE = [64, 161, 166, 20, 56]
SPREAD = Setting((_H := _masks(8, FIVE)), _H.hypothesis(3), 1)
"""Five functions on eight points with LDim = 2, for which no rule is ever frequent."""


@cache
def settings(trial: Trial) -> tuple[Setting, ...]:
    """Every class of three points with every target, n = 1; `SPREAD`; and two classes with n = 2.

    Deep adds n = 2 for all of them, and random classes of LDim 1 and 2 on at most six points.
    """
    small = [H for H in unordered_classes(3) if H.littlestone_dimension() > 0]
    found = [SPREAD, *(Setting(H, h, 1) for H in small for h in H)]
    larger = _masks(3, [0, 4, 6, 7]), _masks(6, [0, 1, 2, 4, 8, 16, 32])
    found += [Setting(H, H.hypothesis(i), n) for H in larger for i in (0, 1) for n in (1, 2)]
    if trial.deep:
        found += [Setting(H, h, 2) for H in small for h in H]
        rng = trial.array(2020)
        while len(found) < 1500:
            size, points = int(rng.integers(2, 7)), int(rng.integers(2, 7))
            H = FiniteClass.from_array(rng.random((size, points)) < rng.choice([0.25, 0.5]))
            if 1 <= H.littlestone_dimension() <= 2:
                found += [Setting(H, H.hypothesis(i), 1 + len(found) % 2) for i in (0, H.size - 1)]
    return tuple(found)


def all_rules(trial: Trial) -> Iterator[tuple[Setting, int, Hypothesis[Any], Fraction]]:
    """All rules of all stages: the setting, k, the rule and its probability."""
    for setting in settings(trial):
        for k, stage in enumerate(stages(setting)):
            for f, p in stage.rules.items():
                yield setting, k, f, p
