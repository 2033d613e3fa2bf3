"""Agnostic learners out of realizable ones: patterns, scores, costs, sizes and what they learn."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from each import each
from littlestone.base.discovery import concrete
from littlestone.base.errors import DeclarationError, LedgerError, LittlestoneError
from littlestone.classes import FiniteClass, HypothesisClass, Points, RuleSets, parse_class
from littlestone.data.sample import Sample
from littlestone.learn import AgnosticLearner, GloballyStableLearner, RelabellingLearner
from littlestone.learn.papers.patterns import fewest_errors, most_points, patterns, relax
from littlestone.learn.papers.radii import RadiiLearner
from littlestone.learn.plan import candidates, choose_learner
from littlestone.points import Strings
from littlestone.privacy import Budget
from littlestone.privacy.accounting.subsampled import OtherLabels, OwnLabels, Relabelling
from littlestone.privacy.cost import PrivacyCost
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.mechanisms.exponential import ExponentialMechanism
from littlestone.privacy.randomness import seeded_generator
from littlestone.prove.laws.law import points, version_spaces

KINDS: list[Any] = [AgnosticLearner, RelabellingLearner]
CLASSES: list[type[Any]] = concrete(HypothesisClass, "littlestone.classes")


@pytest.mark.parametrize("kind", KINDS)
def test_radii_have_a_proved_size_for_any_labels(kind: Any) -> None:
    """Their share of beta is below 2^-64, which bounds of the chance of bottom must tell from 0."""
    for k in (1, 2, 3):
        H = parse_class(f"subsets(a; at most {k})")
        goal = {"alpha": 0.1, "beta": 0.05}
        learner = kind.with_proved_bound(H, Budget(1, "1e-6"), **goal, kind=RadiiLearner)
        assert isinstance(learner.realizable, RadiiLearner)
        bound = learner.plan(**goal)
        assert bound is not None
        inner = learner.realizable.plan(0.9 * 0.1 / 4, 1e-9, setting="realizable")
        assert inner is not None
        assert bound.n > inner.n


def examples(H: HypothesisClass[Any], n: int, rng: random.Random) -> Sample[Any]:
    tried = points(H)[:7]
    found = [(rng.choice(tried), rng.randrange(H.labels)) for _ in range(n)]
    return Sample.from_examples(H.domain, found, labels=H.labels)


def random_table(rng: random.Random) -> FiniteClass:
    rows = {tuple(rng.randrange(2) for _ in range(5)) for _ in range(rng.randrange(1, 9))}
    return FiniteClass.from_array(sorted(rows))


@each("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_least_errors_and_most_patterns(kind: type[Any]) -> None:
    """The least radius of an error ball that is not empty, and no more patterns than promised."""
    rng = random.Random(0)
    for H in kind.examples():
        for V in version_spaces(H, most=3):
            try:
                V.require_learnable()
                getattr(V, "require_scorable", lambda: None)()
            except LittlestoneError:
                continue
            for n in (0, 2, 4):
                sample = examples(V, n, rng)
                least = min(errors for _, errors in V.error_ball(sample, sample.n))
                assert V.least_errors(sample) == HypothesisClass.least_errors(V, sample) == least
                if V.labels == 2:
                    assert len(patterns(V, sample)[0]) <= V.growth_function(len(sample.points))


@pytest.mark.parametrize(("columns", "rules", "literals"), [(2, 2, 2), (3, 3, 1), (1, 4, 1)])
def test_least_errors_of_rule_sets(columns: int, rules: int, literals: int) -> None:
    """The search by gains finds what the walk finds, after examples too; and a thousand points."""
    rng = random.Random(5)

    def record(values: int) -> tuple[str, ...]:
        return tuple(rng.choice("abcdefgh"[:values]) for _ in range(columns))

    H = RuleSets.over_columns(*"xyz"[:columns], max_rules=rules, max_literals=literals)
    for _ in range(25):
        V, labels = H, [rng.randrange(2) for _ in range(rng.randrange(4))]
        for y in labels:
            after = V.restrict(record(3), y)
            V = V if after.is_empty() else after
        examples = [(record(3), int(rng.random() < 0.6)) for _ in range(rng.randrange(1, 9))]
        sample = Sample.from_examples(H.domain, examples)
        assert V.least_errors(sample) == HypothesisClass.least_errors(V, sample)
    hidden = [record(8) for _ in range(1000)]
    examples = [(x, int(x[0] == "a")) for x in hidden]
    assert H.least_errors(Sample.from_examples(H.domain, examples)) == 0


def test_patterns_are_all_patterns() -> None:
    rng = random.Random(1)
    for _ in range(30):
        H = random_table(rng)
        sample = examples(H, 4, rng)
        labels, spaces = patterns(H, sample)
        found = [tuple(row) for row in labels.astype(int).tolist()]
        assert len(set(found)) == len(found) == len(spaces)
        assert set(found) == {tuple(h(x) for x in sample.points) for h in H}


def test_scores_are_the_definition() -> None:
    """The least over all f in H of a #(h != f on T) + #(f errs on W)."""
    rng = random.Random(2)
    for _ in range(60):
        H, weight = random_table(rng), rng.randrange(1, 5)
        chosen, others = examples(H, 4, rng), examples(H, 9, rng)
        labels, spaces = patterns(H, chosen)
        often = chosen.negatives + chosen.positives
        scores = relax(labels, often, fewest_errors(spaces, others), weight)
        wrong = [
            sum((others.positives, others.negatives)[f(x)][j] for j, x in enumerate(others.points))
            for f in H
        ]
        for h, score in zip(labels, scores, strict=True):
            apart = [sum(often * (h != [f(x) for x in chosen.points])) for f in H]
            assert score == min(weight * a + e for a, e in zip(apart, wrong, strict=True))


@pytest.mark.parametrize("share", [2, 5, 40])
def test_costs_are_the_formula(share: int) -> None:
    """Rounded up, and by at most one of the sixth digit."""
    eta, inner = Fraction(1, 7), PrivacyCost(Fraction(2, 5), Fraction(1, 1000))
    choice = ExponentialMechanism(eta)
    cases: list[tuple[Relabelling, float, float]] = [
        (OwnLabels(choice, share), (1 + math.exp(eta / 2)) ** 2 * math.exp(0.4), 1.0),
        (OtherLabels(choice, share, 3), 4 * math.exp(3 * eta + 0.4), math.exp(eta)),
    ]
    for relabelling, K, E in cases:
        exact = math.log(E * (1 + (K - 1) / share) / (1 + (E - 1) / share))
        cost = relabelling.cost(inner)
        assert 0 <= cost.epsilon - exact <= 1e-5 * exact
        assert cost.delta == inner.delta / share


def test_room_is_the_largest_that_fits() -> None:
    relabelling = OtherLabels(ExponentialMechanism(Fraction(1, 10)), 8, 4)
    target = PrivacyCost(Fraction(1), Fraction(1, 10**6))
    room = relabelling.room(target)
    assert relabelling.cost(room).within(target)
    more = PrivacyCost(room.epsilon + Fraction(1, 1000), room.delta)
    assert not relabelling.cost(more).within(target)


def test_the_cost_is_within_the_target_and_the_sample_is_of_public_size() -> None:
    H = parse_class("subsets(id; at most 3)")
    for kind in KINDS:
        for epsilon in ("0.01", "0.5", "8"):
            learner = kind(H, Budget(epsilon, "1e-6"))
            target = PrivacyCost(Fraction(epsilon), Fraction(1, 10**6))
            assert learner.cost().within(target)
            assert learner.part_size(10**9) == learner.most_points == most_points(H)
            assert learner.part_size(500) <= 500 // learner.relabelling.share


def test_fewer_records_than_the_share_tell_nothing() -> None:
    H = Points(Strings("id"))
    for kind in KINDS:
        learner = kind(H, Budget("0.1", "1e-6"))
        sample = Sample.from_examples(H.domain, [("a", 1)])
        with Ledger() as ledger:
            assert learner.fit(sample, ledger=ledger, dataset="d").hypothesis == H.soa()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("text", ["points(id)", "thresholds(x, 0..50)", "rules(a, b; at most 2)"])
def test_wrong_labels_are_learned_from(kind: Any, text: str) -> None:
    """With a tenth of the labels wrong, nearly the best of the class."""
    H = parse_class(text)
    rng, target = seeded_generator(3), 20
    wide = len(H.domain.column_names) > 1

    def example() -> tuple[Any, int]:
        x = target if rng.random() < 0.5 else rng.randrange(50)
        label = int(x >= target) if text.startswith("thresholds") else int(x == target)
        point = (str(x), str(x % 3)) if wide else (x if text.startswith("thresholds") else str(x))
        return point, label ^ int(rng.random() < 0.1)

    sample = Sample.from_examples(H.domain, [example() for _ in range(6000)])
    learner = kind(H, Budget(4, "1e-6"))
    with Ledger() as ledger:
        h = learner.fit(sample, ledger=ledger, dataset="d", rng=rng).hypothesis
    labels = np.array([h(x) for x in sample.points])
    errors = np.where(labels, sample.negatives, sample.positives).sum()
    assert errors <= H.least_errors(sample) + 0.05 * sample.n


def test_plans() -> None:
    """Proved sizes, which grow as alpha falls; those of the paper's learner are explicit."""
    H = Points(Strings("id"))
    goal: dict[str, Any] = {"budget": Budget(1, "1e-6")}
    learner = AgnosticLearner(H, **goal)
    bound = learner.plan(0.1, 0.05)
    assert bound is not None
    m = learner.part_size(bound.n)
    assert learner.failure(m, bound.n - m, 0.1, 0.05) <= 3 * 0.05 / 4
    small = AgnosticLearner(H, alpha="0.2", **goal).plan(0.2, 0.05)
    assert small is not None
    assert small.n < bound.n
    # Corollary 2 of Bun, Livni and Moran (2020), with the constants of their learner here.
    least = FiniteClass.from_array([[0, 1], [1, 0]])
    paper = AgnosticLearner.with_proved_bound(
        least, **goal, alpha=0.2, beta=0.1, kind=GloballyStableLearner
    )
    explicit = paper.plan(0.2, 0.1)
    assert explicit is not None
    assert paper.realizable.method == "globally_stable"


def test_the_setting_is_declared() -> None:
    H = parse_class("subsets(id; at most 2)")
    goal: dict[str, Any] = {"budget": Budget(1, "1e-6")}
    assert choose_learner(H, **goal)[0].method == "partition"
    assert choose_learner(H, **goal, setting="agnostic")[0].tolerates_label_noise
    conics = parse_class("polynomial_zeros(x, y; q 101, degree 2)")
    assert choose_learner(conics, **goal, setting="realizable")[0].method == "irreducible"
    assert choose_learner(conics, **goal)[0].method == "agnostic"
    first, *_ = candidates(parse_class("thresholds(x, 0..9)"), **goal, setting="agnostic")
    assert first.bound is not None
    assert first.bound.setting == "agnostic"
    with pytest.raises(DeclarationError, match="setting"):
        choose_learner(H, **goal, setting="noisy")  # type: ignore[arg-type]


def test_what_is_refused() -> None:
    H, other = Points(Strings("id")), Points(Strings("name"))
    goal: dict[str, Any] = {"budget": Budget(1, "1e-6")}
    own = OwnLabels(ExponentialMechanism(Fraction(1, 10)), 8)
    with pytest.raises(DeclarationError, match="relabelling is of type"):
        AgnosticLearner(H, **goal, relabelling=own)
    with pytest.raises(DeclarationError, match="realizable learner learns"):
        RelabellingLearner(
            H, **goal, realizable=lambda budget: GloballyStableLearner(other, budget)
        )
    with pytest.raises(DeclarationError, match="it costs"):
        RelabellingLearner(
            H, **goal, realizable=lambda budget: GloballyStableLearner(H, Budget(9, "1e-6"))
        )
    with pytest.raises(DeclarationError, match="leaves nothing"):
        AgnosticLearner(
            H, Budget("0.5", "1e-6"),
            relabelling=OtherLabels(ExponentialMechanism(Fraction(1)), 2, 1),
        )  # fmt: skip
    with pytest.raises(DeclarationError, match="share"):
        OtherLabels(ExponentialMechanism(Fraction(1)), 1, 1)
    with pytest.raises(DeclarationError, match="alpha"):
        AgnosticLearner(H, **goal, alpha=2)


@pytest.mark.parametrize("kind", KINDS)
def test_a_receipt_pays_for_the_declared_relabelling(kind: Any) -> None:
    """Another share or weight costs more, although choice and inner learner are the same."""
    H = parse_class("thresholds(x, 0..9)")
    cheap, dear = (kind(H, Budget(epsilon, "1e-6")) for epsilon in ("0.5", 1))
    sample = Sample.from_examples(H.domain, [(x, x > 4) for x in range(10)])
    with Ledger() as ledger:
        receipt = ledger.spend(cheap.event, dataset="d", what="test", rng=seeded_generator(1))
        with pytest.raises(LedgerError):
            dear.draw(sample, receipt=receipt)
        cheap.draw(sample, receipt=receipt)
        assert cheap.event in [event for event, _ in cheap.event.uses()]


def test_far_is_the_bound_of_theorem_2() -> None:
    learner = AgnosticLearner(parse_class("thresholds(x, 0..6)"), Budget(1, "1e-6"))
    x = 0.2 * 4000 - 4 - 300
    bound = 2 * learner.hypotheses.growth_function(4000**2) * math.exp(-x * x / (2 * 4000))
    assert bound <= learner.far(4000, 0.2, 300) <= bound * (1 + 1e-6)
