"""Tournaments of several labels: the whole distribution on tiny samples, and real draws."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable
from fractions import Fraction
from functools import cache, partial
from itertools import permutations, product
from typing import Any

import pytest

from exact_draws import Draws, apart
from littlestone.base.errors import DeclarationError
from littlestone.classes import FiniteClass, parse_class
from littlestone.data.sample import Sample
from littlestone.learn import GloballyStableLearner
from littlestone.learn.papers import globally_stable
from littlestone.learn.papers.globally_stable import BatchSizes, errors, proved_sizes, stability
from littlestone.learn.papers.teachers import permute_examples
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger, Receipt
from littlestone.privacy.randomness import seeded_generator
from littlestone.prove.audit.claims import exact_audit, neighbours
from littlestone.prove.audit.subject import receipt_for_trials
from littlestone.prove.audit.subjects.whole_learners import released_text
from littlestone.theory.game import StandardOptimalAlgorithm
from littlestone.theory.game.players import ExtendedSOA
from scripted import Script

H = FiniteClass.from_array([[0], [1], [2]], labels=3)
RECORDS = tuple(product(H.domain, range(3)))
TOURNAMENTS = BatchSizes(block=1, caps=(0, 2), batches=2, fresh=1)
Masses = dict[Any, Fraction]


def in_order(
    learner: GloballyStableLearner[Any], sizes: BatchSizes, reused: bool
) -> Callable[[Any], Masses]:
    """Exactly what is released of records in a known order: all guesses, and both mechanisms."""

    @cache
    def rule(batch: Any, i: int) -> Masses:
        script = Script()
        return script.explore(lambda: learner.rule(batch, i, sizes, script.generator()))

    def of(records: Any) -> Masses:
        masses: Masses = defaultdict(Fraction)
        fresh, batches = sizes.split(records)
        laws = [rule(tuple(batch), i).items() for i, batch in enumerate(batches)]
        for chosen in product(*laws):
            rules, weight = [f for f, _ in chosen], Fraction(1)
            for _, mass in chosen:
                weight *= mass
            for found, mass in learner.histogram.distribution(rules).items():
                left = [f for f, count in found if count >= sizes.keep] or [H.soa()]
                drawn = learner.choice.distribution(errors(left, records if reused else fresh))
                for j, p in drawn.items():
                    masses[released_text(left[j])] += weight * mass * p
        return dict(masses)

    return cache(of)


@pytest.mark.parametrize(("epsilon", "delta"), [("1", "0.2"), ("2", "0.3")])
def test_private_on_every_tiny_pair(epsilon: str, delta: str) -> None:
    """With the order known: the uniform one of `draw` can only hide more."""
    learner = GloballyStableLearner(H, Budget(epsilon, delta), sizes=TOURNAMENTS)
    pairs = list(neighbours(RECORDS, TOURNAMENTS.n))
    assert exact_audit(in_order(learner, TOURNAMENTS, False), pairs, learner.event).holds


def test_records_that_vote_and_choose_are_caught() -> None:
    sizes, (a, b) = BatchSizes(block=1, caps=(0,), batches=9, fresh=0), RECORDS[:2]
    learner = GloballyStableLearner(H, Budget(4, "0.01"), sizes=sizes)
    pairs = [((a,) * (i + 1) + (b,) * (8 - i), (a,) * i + (b,) * (9 - i)) for i in range(9)]
    for reused in (False, True):
        law = in_order(learner, sizes, reused)
        assert exact_audit(law, pairs, learner.event).holds != reused


class ChoosesOnAllRecords(GloballyStableLearner[Any]):
    """All records choose, also those that voted."""

    def draw(self, sample: Any, *, receipt: Receipt) -> Any:
        with pytest.MonkeyPatch.context() as patch:
            everything = permute_examples(sample, receipt._rng)
            patch.setattr(globally_stable, "errors", lambda rules, fresh: errors(rules, everything))
            return super().draw(sample, receipt=receipt)


def draws_as_told(kind: type[GloballyStableLearner[Any]]) -> bool:
    """Whether `draw` itself, along every outcome of its random bits, has the law that is audited."""
    sizes = BatchSizes(block=1, caps=(0,), batches=3, fresh=1)
    learner = kind(H, Budget(3, "0.3"), sizes=sizes)
    (x,), labels = H.domain, (1, 1, 1, 2)
    sample = Sample.from_examples(H.domain, [(x, y) for y in labels], labels=3)
    receipt = cache(partial(receipt_for_trials, learner.event, 10**6))  # of one generator
    law, left_out = Draws(Fraction(1, 10**6)).law(
        lambda rng: released_text(learner.draw(sample, receipt=receipt(rng)))
    )
    told, expected = in_order(learner, sizes, False), defaultdict[Any, Fraction](Fraction)
    for order in permutations(labels):
        for text, mass in told(tuple((x, y) for y in order)).items():
            expected[text] += mass / 24
    assert left_out < Fraction(1, 200)
    return apart(law, expected) <= left_out


@pytest.mark.deep
def test_the_draw_has_the_law_that_is_audited() -> None:
    assert draws_as_told(GloballyStableLearner)
    assert not draws_as_told(ChoosesOnAllRecords)


def test_the_rule_is_the_soa_and_then_what_it_saw() -> None:
    table = FiniteClass.from_array([[0, 1, 2], [1, 1, 0], [2, 0, 0], [1, 2, 2]], labels=3)
    rng = random.Random(4)
    for _ in range(40):
        examples = [(rng.choice(table.domain.points), rng.randrange(3)) for _ in range(4)]
        state, player, realizable = ExtendedSOA(table), StandardOptimalAlgorithm(table), True
        rule = table.soa()
        for x, y in examples:
            state = state.update(x, y)
            realizable = realizable and not player.version_space.restrict(x, y).is_empty()
            found = state.hypothesis()
            assert found is not None
            rule = found
            if realizable:
                player.update(x, y)
                assert [*map(rule, table.domain)] == [*map(player.predict, table.domain)]
            assert rule(x) == y
            assert state.realizable == realizable
        if not realizable:
            assert all(
                rule(x) == y for x, y in dict(examples).items() if (x, y) in state.set_labels
            )


def test_sizes_grow_with_the_labels() -> None:
    """A tournament guesses one of all labels, and is right that much more rarely."""
    table = [[0, 1, 1], [1, 0, 1], [0, 0, 0]]
    goal: dict[str, Any] = {"budget": Budget(1, "1e-6"), "alpha": 0.1, "beta": 0.05}
    two, three = (
        GloballyStableLearner.with_proved_bound(FiniteClass.from_array(table, labels=k), **goal)
        for k in (2, 3)
    )
    assert two.dimension == three.dimension
    assert two.sizes is not None
    assert three.sizes is not None
    assert two.sizes.n < three.sizes.n
    assert stability(1, 3) == pytest.approx(1 / 3)
    assert stability(2, 3) < stability(2)
    sizes = [proved_sizes(1, 0.1, 0.05, Budget(1, "1e-6"), labels=k).n for k in (2, 3, 8)]
    assert sizes == sorted(sizes)


def test_it_learns() -> None:
    table = FiniteClass.from_array([[x, y] for x in range(3) for y in range(3)], labels=3)
    learner = GloballyStableLearner(table, Budget(4, "1e-6"))
    assert learner.plan(0.1, 0.05, setting="realizable") is None
    rng, right = random.Random(2), 0
    for seed in range(5):
        xs = [rng.choice(table.domain.points) for _ in range(8000)]
        examples = [(x, "c" if x == "x0" else "b") for x in xs]
        sample = Sample.from_examples(table.domain, examples, labels=list("abc"))
        with Ledger() as ledger:
            f = learner.fit(
                sample, ledger=ledger, dataset="d", rng=seeded_generator(seed)
            ).hypothesis
        right += [f(x) for x in table.domain] == [2, 1]
    assert right >= 4


def test_declarations() -> None:
    for alpha in (0, 1, "no"):
        with pytest.raises(DeclarationError):
            GloballyStableLearner(H, Budget(1, "1e-6"), alpha=alpha)
    outcomes = parse_class("outcomes(a; at most 1)", labels=3)
    dimension = outcomes.littlestone_dimension()
    assert GloballyStableLearner(outcomes, Budget(1, "1e-6")).dimension == dimension == 2
