"""The online learner of equality rules: one rule, made more general where it errs."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from typing import Any, cast

from littlestone.classes.base import HypothesisClass
from littlestone.classes.rules import EqualityRules
from littlestone.domains import Product
from littlestone.hypotheses import RuleUnion
from littlestone.hypotheses.rules import Rule
from littlestone.learners.base import require_plan, unfit
from littlestone.learners.online.base import MistakeBound, PrivateOnlineLearner, PrivateStream
from littlestone.privacy.budget import Budget
from littlestone.privacy.mechanisms.streams.continual_selection import ContinualSelection
from littlestone.privacy.tape import Tape

WITHDRAW = -1
_HANDICAP = 5  # records per column that a rule leaves open, so that the narrowest rule comes first

Named = Rule | int
Shape = frozenset[int]


class RuleStream(PrivateStream[Rule]):
    """A run of `RuleLearner`; only its competition depends on more than what was published."""

    def __init__(self, domain: Product, mechanism: ContinualSelection[Named], tape: Tape) -> None:
        super().__init__(RuleUnion(domain, frozenset()), mechanism.horizon, tape)
        self._mechanism, self._competition = mechanism, mechanism.competition(tape)
        self._all = frozenset(range(len(domain.columns)))
        self._columns, self._withdrawn = self._all, list[Shape]()
        self._rule: Rule | None = None
        self._change()

    def _mistaken(self, x: Rule, y: int) -> None:
        self._competition.count(self._steps, self.named(x, y))

    @property
    def _due(self) -> int:
        return self._competition.due

    def _hit(self) -> None:
        self._take(self._competition.select())

    def named(self, x: Rule, y: int) -> Iterable[Named]:
        """The candidates that a wrongly predicted record speaks for."""
        if self._rule is None:
            return (
                tuple(v if c in shape else None for c, v in enumerate(x)) for shape in self._shapes
            )
        if y == 0:
            return (WITHDRAW,)
        # A positive record that the rule does not cover: the first column at which they differ.
        pairs = enumerate(zip(self._rule, x, strict=True))
        return (next(c for c, (asked, v) in pairs if asked is not None and asked != v),)

    def _take(self, selected: Named) -> None:
        if isinstance(selected, tuple):
            self._rule = selected
        elif self._rule is not None and selected == WITHDRAW:
            self._withdrawn.append(_shape(self._rule))
            self._rule = None
        elif self._rule is not None:
            self._columns -= {selected}
            self._rule = tuple(None if c == selected else v for c, v in enumerate(self._rule))
        rules = () if self._rule is None else (self._rule,)
        self._publish(RuleUnion(cast(Product, self._domain), frozenset(rules)))
        self._change()

    def _change(self) -> None:
        """Begin an epoch, to select a rule from all shapes that are left or a change of the rule."""
        if self._rule is not None:
            self._competition.begin(self._mechanism.terms(1))
            return
        self._shapes = _shapes(self._columns, self._withdrawn)
        if not self._shapes:  # no rule agrees with all labels, so begin anew
            self._columns, self._withdrawn = self._all, []
            self._shapes = _shapes(self._columns, [])
        growth, most = len(self._shapes), len(self._columns)

        def handicap(key: Named) -> int:
            return _HANDICAP * (most - len(_shape(key))) if isinstance(key, tuple) else 0

        terms = self._mechanism.terms(growth, shared=growth > 1)
        self._competition.begin(terms, handicap)


class RuleLearner(PrivateOnlineLearner[Rule]):
    """Publish one rule "column is value and ...", or none; change it when it is often mistaken.

    Without a rule, each positive record speaks for all rules that cover it, of up to 2^m shapes;
    among rules of nearly equal score the narrowest is likely.  With a rule, a positive record that the
    rule misses speaks for dropping the first column at which they differ.  A negative record that the
    rule covers speaks for withdrawing the rule and its shape.  `ContinualSelection` selects each
    change, and a record takes part in one selection.  So the whole stream is (epsilon, delta)-DP,
    whatever the labels are.

    On a stream that agrees with a rule, no change is wrong: a dropped column is not in the true rule,
    and the true rule has a column that a withdrawn rule lacks.  So there are at most m drops.
    Improper: a rule may have more equalities than those of the class.  Time: up to 2^m tallies a
    mistake.  Raises `DeclarationError` for other classes and delta = 0.

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
            raise unfit(
                hypotheses,
                self.method,
                found="it is no class of equality rules",
                declare="rules(COLUMN, ...; at most R)",
                online=True,
            )
        self.hypotheses: EqualityRules = hypotheses
        shapes = 2 ** len(hypotheses.domain.columns)
        self.mechanism: ContinualSelection[Named] = ContinualSelection(
            budget=budget,
            horizon=horizon,
            growth=shapes,
            shared=True,
        )

    @property
    def event(self) -> ContinualSelection[Named]:
        return self.mechanism

    def stream(self, tape: Tape) -> RuleStream:
        return RuleStream(self.hypotheses.domain, self.mechanism, tape)

    def mistake_bound(self, beta: float) -> MistakeBound | None:
        """None: ``python -m benchmarks.mistakes`` measures it, and nothing is proved."""
        require_plan(0.5, beta)
        return None

    def measured_mistakes(self) -> int:
        """The mistakes that the first rule takes, and one change of it."""
        first = self.mechanism.terms(self.mechanism.growth, shared=self.mechanism.growth > 1)
        return round(first.expected_records + self.mechanism.terms(1).expected_records)


def _shape(rule: Rule) -> Shape:
    return frozenset(c for c, v in enumerate(rule) if v is not None)


def _shapes(columns: Shape, withdrawn: list[Shape]) -> list[Shape]:
    """The sets of columns that a rule may have: those that are part of no withdrawn set."""
    every = (
        frozenset(chosen)
        for size in range(len(columns) + 1)
        for chosen in combinations(sorted(columns), size)
    )
    return [shape for shape in every if not any(shape <= other for other in withdrawn)]
