"""The online learner of rules: private as a whole process, right in every change, and few mistakes."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from littlestone.base.errors import DeclarationError, EmptyClassError, ModelError
from littlestone.classes import EqualityRules, Subsets
from littlestone.learn.stream import RuleLearner, choose_online_learner
from littlestone.learn.stream.rules import WITHDRAW, RuleStream, lead
from littlestone.points import Integers
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.mechanisms.competition import Terms
from littlestone.privacy.mechanisms.continual_selection import (
    ContinualSelection,
    SoloCompetitions,
    first,
    make_terms,
)
from littlestone.privacy.randomness import seeded_generator
from littlestone.privacy.tape import Tape
from littlestone.prove.audit.claims import hockey_stick, neighbours
from littlestone.prove.audit.subjects.streams import of_rules
from littlestone.rules import RuleUnion
from scripted import Script

ONE = EqualityRules.over_columns("origin", max_literals=1)
TWO = EqualityRules.over_columns("origin", "dest", max_literals=2)
FOUR = EqualityRules.over_columns("origin", "dest", "plane", "hour", max_literals=2)
DELTA = Fraction(1, 5)


class Short(ContinualSelection[Any]):
    """With skips of their own, and e^epsilon = 4 in every epoch, so that exact audits are quick."""

    def terms(self, growth: int, *, shared: bool = False) -> Terms:
        skip = {1: Fraction(1, 2), 2: Fraction(2, 3)}[growth]
        return make_terms(growth, False, skip, 4 * skip**growth, DELTA / self.horizon)


class AtOnce(RuleStream):
    """The first positive record is made a rule at once."""

    def _mistaken(self, x: Any, y: int) -> None:
        if y and self._rule is None:
            self._take(x)
        else:
            super()._mistaken(x, y)


class Told(RuleStream):
    """What is published tells how many rules were spoken for."""

    @property
    def hypothesis(self) -> RuleUnion:
        return RuleUnion(self._domain, frozenset([(f"{len(self._competition._records)} rules",)]))


POINTS = [(("JFK",), 0), (("JFK",), 1), (("LGA",), 1)]
MECHANISM = Short(budget=Budget(1, DELTA), horizon=3, growth=2)


def drawn(monkeypatch: pytest.MonkeyPatch, kind: type[RuleStream]) -> dict[Any, Any]:
    """The laws of what is published for all streams of 2 records, along all random bits."""
    script = Script()
    script.take_over(monkeypatch)

    def law(records: Any) -> dict[Any, Fraction]:
        def run() -> Any:
            stream = kind(ONE.domain, MECHANISM, Fraction(1), Tape(script.generator()))
            published = []
            for x, y in records:
                stream.update(x, y)
                published.append(stream.hypothesis.words())
            return tuple(published)

        return script.explore(run)

    return {records: law(records) for records in product(POINTS, repeat=2)}


def by_law(n: int) -> dict[Any, Any]:
    """The same for n records, from the laws of the mechanisms."""
    stream = RuleStream(ONE.domain, MECHANISM, Fraction(1), Tape(random.Random(0)))
    return {records: of_rules(stream, records) for records in product(POINTS, repeat=n)}


def private(laws: dict[Any, Any]) -> bool:
    """Whether the claim holds for all neighbouring streams."""
    n = len(next(iter(laws)))
    return all(
        hockey_stick(laws[one], laws[other], Fraction(4)) <= DELTA
        for a, b in neighbours(POINTS, n)
        for one, other in ((a, b), (b, a))
    )


def test_the_whole_process_is_private(monkeypatch: pytest.MonkeyPatch) -> None:
    laws = by_law(2)
    for records, law in drawn(monkeypatch, RuleStream).items():
        assert {output: p for output, p in law.items() if p} == {
            output: p for output, p in laws[records].items() if p
        }
    assert private(laws)
    assert private(by_law(3))


@pytest.mark.deep
@pytest.mark.parametrize("plant", [AtOnce, Told])
def test_planted_bugs_are_caught(plant: type[RuleStream], monkeypatch: pytest.MonkeyPatch) -> None:
    assert not private(drawn(monkeypatch, plant))


def begun(H: EqualityRules, seed: int, horizon: int = 20_000) -> RuleStream:
    learner = RuleLearner(H, Budget(1, "1e-6"), horizon=horizon)
    with Ledger() as ledger:
        stream = learner.start(ledger=ledger, dataset="d", rng=seeded_generator(seed))
    assert isinstance(stream, RuleStream)
    return stream


def records(target: tuple[str | None, ...], seed: int, n: int = 8000) -> Any:
    """Flights of few origins and many other values, every twentieth of the target's."""
    rng = random.Random(seed)
    for _ in range(n):
        x = [
            ("JFK", "LGA", "EWR")[rng.randrange(3)],
            *(f"v{rng.randrange(30)}" for _ in target[1:]),
        ]
        if rng.random() < 0.05:
            x = [v if asked is None else asked for asked, v in zip(target, x, strict=True)]
        y = all(asked in (None, v) for asked, v in zip(target, x, strict=True))
        yield tuple(x), int(y)


@pytest.mark.deep
@pytest.mark.parametrize(
    ("H", "target"),
    [
        (TWO, ("JFK", "HNL")),
        (TWO, ("JFK", None)),
        (FOUR, ("JFK", "HNL", None, None)),
        (FOUR, (None, None, None, "7")),
    ],
)
def test_a_rule_is_found_with_few_mistakes(H: EqualityRules, target: Any) -> None:
    found, mistakes = 0, []
    for seed in range(6):
        stream, wrong = begun(H, seed), 0
        for x, y in records(target, seed):
            wrong += stream.predict(x) != y
            stream.update(x, y)
            rule = stream._rule
            # On a realizable stream a dropped column is none of the true rule's.
            assert all(c in stream._columns for c, v in enumerate(target) if v is not None)
            assert all(any(target[c] for c in stream._all - w) for w in stream._withdrawn)
        found += rule == target
        mistakes.append(wrong)
    assert found >= 5
    assert sum(mistakes) / 6 < 140


def test_a_rule_that_is_too_narrow_is_widened_and_one_too_wide_withdrawn() -> None:
    stream = begun(TWO, 1)
    for _ in range(150):
        stream.update(("JFK", "HNL"), 1)
    assert stream._rule == ("JFK", "HNL")
    for _ in range(100):
        stream.update(("JFK", "LAX"), 1)
    assert stream.hypothesis.words() == "origin is 'JFK'"
    for _ in range(100):
        stream.update(("JFK", "SFO"), 0)
    assert stream.hypothesis.words() == "always 0"
    for t in range(600):  # no rule is left that agrees with all of this: it begins anew
        stream.update(("EWR", f"v{t}"), 1)
    assert stream.predict(("EWR", "v0")) == 1


def test_which_rules_compete_after_each_change() -> None:
    H = EqualityRules.over_columns("a", "b", "c", max_literals=2)
    made = RuleLearner(H, Budget(1, "1e-6"), horizon=5000).mechanism
    stream = RuleStream(H.domain, made, Fraction(80), Tape(random.Random(0)))
    stream._take(("1", "1", None))
    stream._change(frozenset([0]))
    stream._change(frozenset([WITHDRAW]))  # the rule "b is 1", and so that of no column
    assert stream._shapes == [{2}, {1, 2}]
    assert stream._competition.terms == made.terms(2, shared=True)
    handicap, few = stream._competition.handicap, lead(made.terms(2, shared=True), Fraction(80))
    assert (handicap((None, "1", "1")), handicap((None, None, "1"))) == (0, few)
    stream._take((None, "1", "1"))
    stream._change(frozenset([2, WITHDRAW]))  # nothing is left
    assert len(stream._shapes) == 8
    few = lead(made.terms(8, shared=True), Fraction(80))
    assert stream._competition.handicap((None, None, None)) == 3 * few


def wrong_first(lead: int) -> Fraction:
    """The chance that the first rule lacks the column of the true one, if one record comes 25 times."""
    terms = make_terms(4, True, Fraction(1, 2), Fraction(3, 2), Fraction(1, 100))
    shapes = (("JFK", "HNL"), ("JFK", None), (None, "HNL"), (None, None))
    found = dict.fromkeys(shapes, Fraction(0))
    for u in range(1, 26):
        for rule in shapes:
            found[rule] += first(terms, [shapes] * u, rule, lambda rule: lead * rule.count(None))
    return (found[None, "HNL"] + found[None, None]) / sum(found.values())


def test_the_first_rule_rarely_lacks_a_column_of_the_true_one() -> None:
    terms = make_terms(4, True, Fraction(1, 2), Fraction(3, 2), Fraction(1, 100))
    assert wrong_first(lead(terms, Fraction(40))) <= Fraction(1, 40)
    assert wrong_first(0) == Fraction(1, 2)  # planted: narrow rules have no lead


class Anew(RuleStream):
    """The counts of all changes begin anew after each."""

    def _change(self, selected: frozenset[int]) -> None:
        super()._change(selected)
        terms = self._mechanism.terms(1)
        self._changes = SoloCompetitions(terms, self._horizon, self._tape)


def spread(stream: RuleStream) -> int:
    """Mistakes of the same record until there is a rule, and then at all its columns in turn."""
    columns, made = len(stream._all), 0
    stream.skip_to(1000)
    while stream.predict(("v",) * columns) == 0:
        stream.update(("v",) * columns, 1)
        made += 1
    while stream._rule is not None and (asked := [c for c, v in enumerate(stream._rule) if v]):
        c = asked[made % len(asked)]
        stream.update(tuple("w" if i == c else "v" for i in range(columns)), 1)
        made += 1
    return made


def test_the_bound_holds_against_mistakes_at_all_columns_in_turn() -> None:
    H = EqualityRules.over_columns("a", "b", "c", "d", "e", "f", max_literals=2)
    learner = RuleLearner(H, Budget(1, "1e-6"), horizon=20_000)
    bound = learner.mistake_bound(0.05)
    assert bound is not None
    assert bound.adaptive
    right = [spread(begun(H, seed)) for seed in range(3)]
    assert max(right) <= bound.mistakes
    tape = Tape(seeded_generator(1))
    assert spread(Anew(H.domain, learner.mechanism, Fraction(80), tape)) > bound.mistakes


def test_no_bound_within_the_doubt() -> None:
    learner = RuleLearner(TWO, Budget(1, "1e-6"), horizon=5000, doubt="0.05")
    assert learner.mistake_bound(0.05) is None


def test_a_run_goes_on_where_its_draws_left_it() -> None:
    learner = RuleLearner(TWO, Budget(1, "1e-6"), horizon=5000)
    lines: list[list[Any]] = []
    with Ledger() as ledger:
        stream = learner.begin(learner.pay(ledger, "d", "y", seeded_generator(2)), lines.append)
    flights = list(records(("JFK", None), 2, 5000))
    for t, (x, y) in enumerate(flights, start=1):
        stream.update(x, y)
        if t % 500 == 0:
            copy = learner.resume(lines, Tape(seeded_generator(9)))
            for again in flights[copy.steps : t]:
                copy.update(*again)
            assert copy.hypothesis == stream.hypothesis
            assert copy.published_at == stream.published_at
            assert copy.steps == stream.steps
    with pytest.raises(ModelError):
        learner.resume([[1, [], [-1]]], Tape(seeded_generator(1)))


def test_which_learner_is_for_which_class() -> None:
    def method(H: Any) -> str:
        return choose_online_learner(H, Budget(1, "1e-6"), horizon=99).method

    assert method(TWO) == "rules"
    assert method(Subsets(Integers(), 2)) == "keys"
    with pytest.raises(DeclarationError, match="not a class of equality rules"):
        RuleLearner(Subsets(Integers(), 2), Budget(1, "1e-6"), horizon=9)
    with pytest.raises(EmptyClassError):
        RuleLearner(ONE.restrict(("a",), 1).restrict(("a",), 0), Budget(1, "1e-6"), horizon=9)


def test_many_columns_are_refused() -> None:
    H = EqualityRules.over_columns(*(f"c{j}" for j in range(11)), max_literals=2)
    with pytest.raises(DeclarationError, match="speaks for 2\\^11 rules"):
        RuleLearner(H, Budget(1, "1e-6"), horizon=100)
