"""The online learner of equality rules: one rule, made more general where it errs."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import combinations
from typing import Any, cast

from littlestone.classes.base import HypothesisClass
from littlestone.classes.rules import EqualityRules
from littlestone.learn.base import require_plan
from littlestone.learn.stream.base import MistakeBound, PrivateOnlineLearner, exact_doubt
from littlestone.learn.stream.keys import least_sum, wait
from littlestone.learn.stream.private_stream import PrivateStream
from littlestone.points import Product
from littlestone.privacy.cost import Budget
from littlestone.privacy.mechanisms.competition import Terms
from littlestone.privacy.mechanisms.continual_selection import ContinualSelection, SoloCompetitions
from littlestone.privacy.mechanisms.sparse_selection import least_power
from littlestone.privacy.tape import Tape
from littlestone.rules import RuleUnion
from littlestone.rules.rules import Rule

WITHDRAW = -1

Shape = frozenset[int]

MOST_COLUMNS = 10
"""The most columns of a record; it then supports 2^10 rules."""


class RuleStream(PrivateStream[Rule]):
    """A run of `RuleLearner`; only its counts depend on more than what was published.

    Without a rule, rules compete to be the first.  With a rule, each change of it is a key of its own.
    """

    def __init__(
        self,
        domain: Product,
        mechanism: ContinualSelection[Rule],
        unlikely: Fraction,
        tape: Tape,
    ) -> None:
        super().__init__(RuleUnion(domain, frozenset()), mechanism.horizon, tape)
        self._mechanism, self._unlikely = mechanism, unlikely
        self._competition = mechanism.competition(tape)
        self._all = frozenset(range(len(domain.columns)))
        self._columns, self._withdrawn = self._all, list[Shape]()
        self._rule: Rule | None = None
        self._compete()

    def _mistaken(self, x: Rule, y: int) -> None:
        if self._rule is None:
            self._competition.count(self._steps, self.rules(x))
        else:
            self._changes.count(self._steps, self.change(self._rule, x, y))

    @property
    def _due(self) -> int:
        return self._competition.due if self._rule is None else self._changes.due

    def _hit(self) -> None:
        if self._rule is None:
            self._take(self._competition.select())
        else:
            self._change(self._changes.select())

    def rules(self, x: Rule) -> Iterable[Rule]:
        """The rules that a positive record supports."""
        return (tuple(v if c in shape else None for c, v in enumerate(x)) for shape in self._shapes)

    @staticmethod
    def change(rule: Rule, x: Rule, y: int) -> int:
        """The change that a wrongly predicted record asks for: to drop a column, or to withdraw."""
        if y == 0:
            return WITHDRAW
        # A positive record that the rule does not cover: the first column at which they differ.
        pairs = enumerate(zip(rule, x, strict=True))
        return next(c for c, (asked, v) in pairs if asked is not None and asked != v)

    def _take(self, rule: Rule) -> None:
        """Publish a first rule."""
        self._rule = rule
        self._changes = SoloCompetitions[int](self._mechanism.terms(1), self._horizon, self._tape)
        self._show_rule()

    def _change(self, selected: frozenset[int]) -> None:
        """Make these changes of the rule."""
        rule, self._columns = cast(Rule, self._rule), self._columns - selected
        if WITHDRAW in selected:
            self._withdrawn.append(_shape(rule))
            self._rule = None
            self._compete()
        else:
            self._rule = tuple(None if c in selected else v for c, v in enumerate(rule))
        self._show_rule()

    def _show_rule(self) -> None:
        rules = () if self._rule is None else (self._rule,)
        self._publish(RuleUnion(cast(Product, self._domain), frozenset(rules)))

    def _compete(self) -> None:
        """Begin the competition of all remaining shapes; narrow ones have a lead."""
        self._shapes = _shapes(self._columns, self._withdrawn)
        if not self._shapes:  # no rule agrees with all labels, so begin anew
            self._columns, self._withdrawn = self._all, []
            self._shapes = _shapes(self._columns, [])
        terms = self._mechanism.terms(len(self._shapes), shared=len(self._shapes) > 1)
        records, most = lead(terms, self._unlikely), len(self._columns)
        self._competition.begin(terms, lambda rule: records * (most - len(_shape(rule))))


class RuleLearner(PrivateOnlineLearner[Rule]):
    """Publish one rule "column is value and ...", or none; change it when it is often mistaken.

    Without a rule, each positive record supports all rules that cover it, of up to 2^m shapes.  A
    rule needs some more records for each column that it leaves open, so a rule that lacks a column of
    the true rule is selected first with probability at most ``doubt``.  With a rule, a positive record
    that it misses asks to drop the first column at which they differ, and a negative record that it
    covers asks to withdraw the rule and its shape.  `ContinualSelection` selects each first rule and
    `SoloCompetitions` each change, and a record takes part in one of them.  So the whole stream is
    (epsilon, delta)-DP, whatever the labels are.

    On a stream that agrees with a rule, no change is wrong: a dropped column is not in the true rule,
    and the true rule has a column that a withdrawn rule lacks.  With probability 1 - doubt none is
    withdrawn, and there are at most m drops.  Each change takes about 34 records at epsilon 1, even if
    an adversary who sees all published rules chooses them.  Proofs: docs/proofs/continual-selection.md.

    Improper: a rule may have more equalities than those of the class.  Time: up to 2^m tallies a
    mistake.  Raises `DeclarationError` for other classes and delta = 0, and `EmptyClassError`.

    >>> from littlestone.classes import EqualityRules
    >>> H = EqualityRules.over_columns("origin", "dest", max_literals=2)
    >>> learner = RuleLearner(H, Budget(1, "1e-6"), horizon=200_000)
    >>> print(learner.cost())
    epsilon 1, delta 0.000001 (replace-one)
    >>> learner.mistake_bound(0.05).mistakes
    186
    """

    method = "rules"

    def __init__(
        self,
        hypotheses: HypothesisClass[Any],
        budget: Budget,
        *,
        horizon: int,
        doubt: object = Fraction(1, 40),
    ) -> None:
        super().__init__(hypotheses, horizon)
        if not isinstance(hypotheses, EqualityRules):
            raise self.unfit(
                found="it is not a class of equality rules",
                declare="rules(COLUMN, ...; at most R)",
            )
        if (columns := len(hypotheses.domain.columns)) > MOST_COLUMNS:
            raise self.unfit(
                found=f"it has {columns} columns, and each record speaks for 2^{columns} rules",
                declare=f"rules of at most {MOST_COLUMNS} columns",
            )
        hypotheses.require_learnable()
        self.hypotheses: EqualityRules = hypotheses
        self.doubt = exact_doubt(doubt)
        self.mechanism: ContinualSelection[Rule] = ContinualSelection(
            budget=budget,
            horizon=horizon,
            growth=2 ** len(hypotheses.domain.columns),
            shared=True,
        )

    @property
    def declared_sizes(self) -> str:
        # The event does not know the doubt, and handicaps depend on it.
        return f"{self.event}; doubt={self.doubt}"

    @property
    def _unlikely(self) -> Fraction:
        """How much heavier a rule must be than one that lacks a column of it."""
        return self.hypotheses.max_literals / self.doubt

    def stream(self, tape: Tape) -> RuleStream:
        return RuleStream(self.hypotheses.domain, self.mechanism, self._unlikely, tape)

    def mistake_bound(self, beta: float) -> MistakeBound | None:
        """The least M that the waits for a first rule and m drops exceed rarely enough.

        None if beta <= `doubt`; then declare a smaller one.  docs/proofs/continual-selection.md.
        """
        require_plan(0.5, beta)
        left, columns = beta - float(self.doubt), len(self.hypotheses.domain.columns)
        if left <= 0:
            return None
        # One wait for the first rule and one for each drop: docs/proofs/continual-selection.md,
        # Theorem 6.
        rare = left / (1000 * (columns + 1))
        first, drop = (wait(terms, rare) for terms in self._terms)
        mistakes = lead(self._terms[0], self._unlikely) * columns
        mistakes += least_sum([(first, 1), (drop, columns)], left)
        return MistakeBound(mistakes, beta, "docs/proofs/continual-selection.md, Theorem 6")

    @property
    def _terms(self) -> tuple[Terms, Terms]:
        """Those of the first rule and of a change."""
        return self.mechanism.terms(self.mechanism.growth, shared=True), self.mechanism.terms(1)

    def measured_mistakes(self) -> int:
        """The mistakes that the first rule takes, and one change of it."""
        return round(sum(terms.expected_records for terms in self._terms))


def lead(terms: Terms, unlikely: Fraction) -> int:
    """The records by which a rule of one more column leads: it is that much heavier, or more."""
    return least_power(terms.base, unlikely)


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
