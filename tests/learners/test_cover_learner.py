"""Rules that cover the positives: private on tiny tables, and as good as proved on clean labels."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from littlestone.classes import parse_class
from littlestone.errors import DeclarationError
from littlestone.learners import ChoosingLearner, CoverLearner, Release
from littlestone.learners.base import Caveat
from littlestone.learners.rounds import RoundsLearner
from littlestone.planning import candidates, choose_learner
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.randomness import seeded_generator
from littlestone.sample import Sample
from littlestone.units import Unit

LISTED = "rule_sets(x: 0..100 step 20, y: 0..100 step 20; at most 2 rules of 2)"
OPEN = "rule_sets(u, v; at most 3 rules of 2)"


def made(text: str, budget: Budget | None = None, **goal: Any) -> CoverLearner[Any]:
    H: Any = parse_class(text)
    return CoverLearner(H, budget or Budget(1, "1e-6"), **goal)


def by_definition(learner: CoverLearner[Any], n: int, alpha: float, beta: float) -> bool:
    """Whether the bound of Theorem 2 is at most beta for some l, found on a grid of its own."""
    L, K, b = learner.rounds, learner.rules, learner.finder.spare
    kept, lam = (K / (K + 1)) ** L, math.log(float(learner.finder.mechanism.base))
    opened = hasattr(learner.finder.mechanism, "bottom")
    H: Any = learner.hypotheses
    ways = n * H.elements_per_point + 1 if opened else H.items
    taken = L if opened else 0
    if n * kept < K * (b + (learner.finder.mechanism.bottom if opened else 0)):
        return False
    passes = L * math.exp(-lam * b)
    assert passes <= 0.01 + 1e-12
    logs = [
        L * math.log(ways)
        + tilt * (n * kept + K + L * b)
        + (n - taken) * math.log(1 - alpha * (1 - math.exp(-tilt)))
        for tilt in np.linspace(lam / 50, lam, 400)
    ]
    return bool(min(logs) <= math.log(beta - passes))


@pytest.mark.parametrize(
    ("text", "budget"),
    [(LISTED, Budget(1)), (LISTED, Budget(2, "1e-6")), (OPEN, Budget(1, "1e-6"))],
)
def test_the_size_is_that_of_the_theorem(text: str, budget: Budget) -> None:
    learner = made(text, budget)
    bound = learner.plan(0.1, 0.05, setting="realizable")
    assert bound is not None
    assert by_definition(learner, bound.n, 0.1, 0.05)
    # The reserve of the proof for passes is a share of beta, and the grids differ.
    assert not by_definition(learner, int(0.98 * bound.n), 0.1, 0.04)
    assert learner.plan(0.1, 0.05) is None
    assert learner.plan(0.1, 0.005, setting="realizable") is None
    assert learner.plan(0.001, 0.05, setting="realizable") is None
    better = (
        type(learner)
        .with_proved_bound(learner.hypotheses, budget, alpha=0.02, beta=0.001)
        .plan(0.02, 0.001, setting="realizable")
    )
    assert better is not None
    assert better.n > bound.n


def test_caps_are_public_and_fall() -> None:
    learner = made(LISTED, Budget(1))
    caps = learner.caps(30_000)
    assert len(caps) == learner.rounds
    assert caps[:3] == [10_000, 6_666, 4_444]
    left = 30_000
    for cap in caps:
        assert left // 3 == cap
        left -= cap
        assert left >= 2 * cap
    assert left <= 30_000 * (2 / 3) ** learner.rounds + 2
    assert learner.caps(1) == [0] * learner.rounds


def test_passes_are_seldom_and_their_errors_public() -> None:
    for text, budget in ((LISTED, Budget(1)), (OPEN, Budget(1, "1e-6"))):
        finder = made(text, budget).finder
        base = finder.mechanism.base
        assert finder.rounds / base**finder.spare <= Fraction(1, 100)
        assert finder.rounds / base ** (finder.spare - 1) > Fraction(1, 100)


def error_of(learner: Any, sample: Sample[Any], seed: int = 1) -> float:
    with Ledger() as ledger:
        release = learner.fit(sample, ledger=ledger, dataset="d", rng=seeded_generator(seed))
    assert Release.from_json(release.to_json()) == release
    h = release.hypothesis
    pairs = zip(sample.points, sample.counts.tolist(), strict=True)
    return sum(int(n[1 - h(x)]) for x, n in pairs) / sample.n


def broad(n: int) -> Sample[Any]:
    """x < 40 or y >= 60, with which a general rule competes."""
    H = parse_class(LISTED)
    g = np.random.default_rng(4)
    x, y = g.integers(0, 100, n).tolist(), g.integers(0, 100, n).tolist()
    rows = [((str(a), str(b)), int(a < 40 or b >= 60)) for a, b in zip(x, y, strict=True)]
    return Sample.from_examples(H.domain, rows)


def test_what_is_proved_is_found() -> None:
    learner = made(LISTED, Budget(1))
    bound = learner.plan(0.1, 0.05, setting="realizable")
    assert bound is not None
    sample = broad(bound.n)
    assert [error_of(learner, sample, seed) <= 0.1 for seed in range(10)].count(False) <= 2


def test_a_general_rule_does_not_win() -> None:
    """Three of four values are positive: counting errors finds the constant 1, whatever n is."""
    H: Any = parse_class("rule_sets(u; at most 3 rules of 1)")
    counts = {(value,): [0, 10_000] if value != "d" else [10_000, 0] for value in "abcd"}
    sample = Sample[Any].from_counts(H.domain, counts)
    budget = Budget(1, "1e-6")
    assert error_of(ChoosingLearner(H, budget), sample) == 0.25
    assert error_of(CoverLearner(H, budget), sample) == 0
    listed: Any = parse_class("rule_sets(u in {a, b, c, d}; at most 3 rules of 1)")
    again = Sample[Any].from_counts(listed.domain, counts)
    assert error_of(CoverLearner(listed, Budget(1)), again) == 0
    assert error_of(RoundsLearner(listed, Budget(1)), again) <= 0.25


def test_the_union_is_that_of_the_rules() -> None:
    H: Any = parse_class("rule_sets(x at {0, 5}, s in {a}; at most 2 rules of 2)")
    rng, points = np.random.default_rng(1), list(H.domain)
    for _ in range(300):
        rules = [H.rule(int(i)) for i in rng.integers(1, H.items, rng.integers(0, 6))]
        h = H.united(rules)
        for x in points:
            held = (all(x[t.column] in t.accepted for t in rule.tests) for rule in rules)
            assert h(x) == any(held)
    wide, narrow = (
        next(r for r in map(H.rule, range(2, H.items)) if len(r.tests) == k) for k in (1, 2)
    )
    assert wide.tests[0] in narrow.tests
    assert H.united([narrow, wide]) == H.united([wide]) == H.united([wide, narrow])
    assert H.united([]).words() == "always 0"


def test_draws_follow_the_distribution() -> None:
    from scipy import stats

    for text, budget in (
        ("rule_sets(x at {0}; at most 2 rules of 1)", Budget(2)),
        ("rule_sets(u; at most 2 rules of 1)", Budget(4, "0.1")),
    ):
        learner = made(text, budget, alpha="0.9", beta="0.5")
        sample = Sample.from_examples(
            learner.hypotheses.domain, [(("5",), 1)] * 40 + [(("",), 0)] * 8 + [(("",), 1)] * 9
        )
        exact = learner.distribution(sample)
        assert sum(exact.values()) == 1
        rng, drawn = seeded_generator(5), dict.fromkeys(exact, 0)
        with Ledger() as ledger:
            for _ in range(700):
                receipt = ledger.spend(learner.event, dataset="d", what="test", rng=rng)
                drawn[learner.draw(sample, receipt=receipt)] += 1
        pairs = [(drawn[h], 700 * float(p)) for h, p in exact.items()]
        cells = [pair for pair in pairs if pair[1] >= 5]
        rare = [pair for pair in pairs if pair[1] < 5]
        if rare:
            cells.append((sum(a for a, _ in rare), sum(b for _, b in rare)))
        assert stats.chisquare(*zip(*cells, strict=True)).pvalue > 1e-4


@pytest.mark.parametrize(
    "text",
    [
        "rule_sets(x at {0}; at most 1 rules of 1)",
        "rules(a, b; at most 2)",
        "subsets(a; at most 3)",
        "points(a)",
        "trees(x at {0}; depth 1)",
        "rule_list(x at {0}; at most 2)",
    ],
)
def test_other_classes_are_refused(text: str) -> None:
    with pytest.raises(DeclarationError, match="sets of several rules"):
        made(text)


def test_units_are_refused() -> None:
    with pytest.raises(DeclarationError, match="divides the records or counts them"):
        made(LISTED, Budget(1)).event_with(None, Unit("id", 2))


def test_it_is_chosen_by_name_only() -> None:
    H: Any = parse_class(LISTED.replace("20", "5"))  # too large for a table, and refused as fast
    assert CoverLearner.caveat is Caveat.CLEAN_AND_MANY
    for setting in ("agnostic", "realizable"):
        goal: dict[str, Any] = {"setting": setting}
        assert choose_learner(H, Budget(1), **goal)[0].method == "rounds"
        found = {c.method: c for c in candidates(H, Budget(1), **goal)}
        words = found["cover"].words()
        assert "10% error, with clean labels" in words
        assert words.endswith("only for many records without a wrong label")
    learner, why = choose_learner(H, Budget(1), method="cover", alpha=0.2)
    assert learner.method == "cover"
    assert why == "cover: asked for"
    assert learner.event.cost() == Budget(1).cost
