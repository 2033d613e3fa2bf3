"""The online learner of equality rules: one rule, made more general where it errs."""

from __future__ import annotations

import random
from collections.abc import Iterable
from itertools import combinations
from typing import Any

from littlestone.classes.base import HypothesisClass
from littlestone.classes.rules import EqualityRules
from littlestone.domains import Product
from littlestone.errors import DeclarationError
from littlestone.hypotheses import RuleUnion
from littlestone.hypotheses.rules import Rule
from littlestone.learners.base import require_plan
from littlestone.learners.online.base import (
    Journal,
    MistakeBound,
    PrivateOnlineLearner,
    PrivateStream,
    foreign_entry,
)
from littlestone.privacy.budget import Budget
from littlestone.privacy.ledger import Receipt
from littlestone.privacy.mechanisms.competition import Competition, CompetitionJournal
from littlestone.privacy.mechanisms.continual_selection import ContinualSelection

WITHDRAW = -1
_HANDICAP = 5  # records for each column that a rule leaves open, so that the narrowest one is first

Key = Rule | int
Shape = frozenset[int]


class RuleStream(PrivateStream[Rule]):
    """A run of `RuleLearner`; all its state but the session is a function of what was published."""

    def __init__(
        self, domain: Product, mechanism: ContinualSelection[Key], session: Competition[Key]
    ) -> None:
        super().__init__(RuleUnion(domain, frozenset()))
        self._mechanism, self._session = mechanism, session
        self._all = frozenset(range(len(domain.columns)))
        self._columns, self._withdrawn = self._all, list[Shape]()
        self._rule: Rule | None = None
        self._begin()

    @property
    def steps(self) -> int:
        return self._session.steps

    def _learn(self, x: Rule, y: int) -> None:
        self._take(self._session.step(self.named(x, y)))

    def go_to(self, step: int) -> None:
        step = min(step, self._mechanism.horizon)
        while (due := self._session.due) <= step:
            self._session.steps = due - 1
            self._take(self._session.step())
        self._session.steps = max(self._session.steps, step)

    def restore(self, step: int, named: Iterable[Key], drawn: Iterable[int]) -> None:
        """Take a step of the journal."""
        self._take(self._session.restore(step, named, drawn))

    def named(self, x: Rule, y: int) -> Iterable[Key]:
        """What a record speaks for; nothing, if it is predicted rightly."""
        if self._published(x) == y:
            return ()
        if self._rule is None:
            return (
                tuple(v if c in shape else None for c, v in enumerate(x)) for shape in self._shapes
            )
        if y == 0:
            return (WITHDRAW,)
        # A positive record that the rule does not cover: the first column at which they differ.
        pairs = enumerate(zip(self._rule, x, strict=True))
        return (next(c for c, (asked, v) in pairs if asked is not None and asked != v),)

    def _take(self, selected: Key | None) -> None:
        if selected is None:
            return
        if isinstance(selected, tuple):
            self._rule = selected
        elif self._rule is not None and selected == WITHDRAW:
            self._withdrawn.append(_shape(self._rule))
            self._rule = None
        elif self._rule is not None:
            self._columns -= {selected}
            self._rule = tuple(None if c == selected else v for c, v in enumerate(self._rule))
        rules = () if self._rule is None else (self._rule,)
        self._publish(RuleUnion(self._domain, frozenset(rules)), self.steps)
        self._begin()

    def _begin(self) -> None:
        """Begin an epoch: for a rule out of all shapes that are left, or for a change of the rule."""
        if self._rule is not None:
            self._session.begin(self._mechanism.rates(1))
            return
        self._shapes = _shapes(self._columns, self._withdrawn)
        if not self._shapes:  # no rule agrees with all labels: begin anew
            self._columns, self._withdrawn = self._all, []
            self._shapes = _shapes(self._columns, [])
        growth, most = len(self._shapes), len(self._columns)

        def handicap(key: Key) -> int:
            return _HANDICAP * (most - len(_shape(key))) if isinstance(key, tuple) else 0

        rates = self._mechanism.rates(growth, shared=growth > 1)
        self._session.begin(rates, handicap)


class RuleLearner(PrivateOnlineLearner[Rule]):
    """Publish one rule "column is value and ...", or none; change it where it is often mistaken.

    Without a rule each positive record speaks for all rules that cover it, of up to 2^m shapes, and
    the narrowest of nearly equal ones is likely.  With a rule, a positive record that it misses
    speaks for dropping the first column at which they differ, and a negative one that it covers for
    withdrawing it, and its shape.  Each change is a selection of `ContinualSelection`, in which a
    record takes part once: so the whole stream is (epsilon, delta)-DP, whatever the labels are.

    On a stream that agrees with a rule no change is wrong: a dropped column is none of the true rule's,
    and the true rule has a column that a withdrawn one has not.  So there are at most m drops.
    Improper: a rule may have more equalities than those of the class.  Up to 2^m tallies a mistake.
    Raises `DeclarationError` for other classes and delta = 0.

    >>> from littlestone.classes import EqualityRules
    >>> H = EqualityRules.of("origin", "dest", max_literals=2)
    >>> learner = RuleLearner(H, Budget(1, "1e-6"), horizon=200_000)
    >>> print(learner.cost())
    epsilon 1, delta 0.000001 (replace-one)
    """

    method = "rules"

    def __init__(self, hypotheses: HypothesisClass[Any], budget: Budget, *, horizon: int) -> None:
        super().__init__(hypotheses, horizon)
        if not isinstance(hypotheses, EqualityRules):
            raise DeclarationError(
                f"learn {hypotheses} online by the method {self.method}",
                found="it is no class of equality rules",
                fix="declare rules(COLUMN, ...; at most R), or take another method",
            )
        self.hypotheses: EqualityRules = hypotheses
        shapes = 2 ** len(hypotheses.domain.columns)
        self.mechanism: ContinualSelection[Key] = ContinualSelection(
            budget=budget,
            horizon=horizon,
            growth=shapes,
            shared=True,
        )

    @property
    def event(self) -> ContinualSelection[Key]:
        return self.mechanism

    def begin(self, receipt: Receipt, journal: Journal | None) -> RuleStream:
        session = self.mechanism.start(receipt=receipt, journal=_told(journal))
        return RuleStream(self.hypotheses.domain, self.mechanism, session)

    def resume(
        self, entries: Iterable[list[Any]], rng: random.Random, journal: Journal | None
    ) -> RuleStream:
        session = self.mechanism.resume(rng, _told(journal))
        stream = RuleStream(self.hypotheses.domain, self.mechanism, session)
        for entry in entries:
            match entry:
                case [int(step), [*named], [*drawn]] if stream.steps < step <= self.horizon and all(
                    type(number) is int and number >= 0 for number in drawn
                ):
                    keys = [_read(self.hypotheses.domain, key) for key in named]
                    stream.restore(step, keys, drawn)
                case _:
                    raise foreign_entry("rules")
        return stream

    def mistake_bound(self, beta: float) -> MistakeBound | None:
        """None: it is measured by ``python -m benchmarks.mistakes``, and not proved."""
        require_plan(0.5, beta)
        return None

    def measured_mistakes(self) -> int:
        """What the first rule takes, and one change of it."""
        first = self.mechanism.rates(self.mechanism.growth, shared=self.mechanism.growth > 1)
        return round(first.expected_records + self.mechanism.rates(1).expected_records)


def _told(journal: Journal | None) -> CompetitionJournal[Key] | None:
    if journal is None:
        return None
    return lambda step, named, drawn: journal([step, named, drawn])


def _read(domain: Product, key: object) -> Key:
    """What a record named, as it was before JSON made a list of a rule."""
    columns = domain.columns
    match key:
        case [*values] if len(values) == len(columns) and all(
            v is None or v in column for v, column in zip(values, columns, strict=True)
        ):
            return tuple(values)
        case int(column) if type(column) is int and WITHDRAW <= column < len(columns):
            return column
    raise foreign_entry("rules")


def _shape(rule: Rule) -> Shape:
    return frozenset(c for c, v in enumerate(rule) if v is not None)


def _shapes(columns: Shape, withdrawn: list[Shape]) -> list[Shape]:
    """The sets of columns that a rule may have, which are in no withdrawn one's."""
    every = (
        frozenset(chosen)
        for size in range(len(columns) + 1)
        for chosen in combinations(sorted(columns), size)
    )
    return [shape for shape in every if not any(shape <= other for other in withdrawn)]
