"""Lists and sets of rules over a mixed table, which learners find rule by rule."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.ma  # `np.unique` loads it, and nothing is to be loaded after a spend
from numpy.typing import NDArray

from littlestone.base.errors import DeclarationError
from littlestone.classes.conditions import Conditions
from littlestone.classes.promises.by_table import ByTable
from littlestone.classes.text.mixed_columns import parse_columns, require_candidates
from littlestone.classes.text.spec import Spec
from littlestone.data.sample import Sample
from littlestone.points import Cells, Listed, Product
from littlestone.privacy.scores import ErrorRuns
from littlestone.rules.nodes import ColumnTest, Node, conjunction
from littlestone.rules.trees import DecisionTree

MOST_RULES = 16

MOST_SCORES = 1 << 26
"""The most scores in all rounds together: some tens of seconds."""

FORM = "rule_list(COLUMN, ...; at most K), or 'at most K rules of R' for R conditions in each rule"


class Rule(NamedTuple):
    """If all ``tests`` hold then ``yes``, else ``no`` unless a later rule says otherwise."""

    tests: tuple[ColumnTest, ...]
    yes: int
    no: int


@dataclass(frozen=True)
class InRounds(ByTable):
    """A class whose functions are made of at most ``rules`` rules, found one after another.

    Each rule is a conjunction of at most ``conditions`` conditions on different columns of
    `Conditions`.  A round scores every rule on the examples that no earlier rule covers.
    """

    rules: int = 2
    conditions: int = 1

    def __post_init__(self) -> None:
        if type(self.rules) is not int or not 1 <= self.rules <= MOST_RULES:
            raise DeclarationError(
                f"declare {self.rules!r} rules",
                found=f"the number of rules must lie between 1 and {MOST_RULES}",
                fix="ask for at most 3, which people can read",
            )
        # The class of single rules refuses for itself; each further label adds scores and cells.
        scores, cells = self.rules * self.items, self.labels * self.single.cells
        require_candidates(scores, MOST_SCORES, self.domain, "rules with so many scores")
        require_candidates(cells, MOST_SCORES, self.domain, "rules with so many cells")

    @cached_property
    def single(self) -> Conditions:
        """The class of single rules."""
        return Conditions(self.domain, None, self.conditions)

    @property
    @abstractmethod
    def items(self) -> int:
        """The number of rules to choose from in each round."""

    @abstractmethod
    def round_scores(self, sample: Sample[Any]) -> ErrorRuns:
        """The errors on ``sample`` of each rule, as if it were the last one."""

    @abstractmethod
    def rule(self, item: int) -> Rule:
        """The rule of an item of `round_scores`."""

    def function_of_rules(self, rules: Sequence[Rule]) -> DecisionTree:
        """The function of these rules, in the order in which they were found."""
        node: Node = rules[-1].no
        for rule in reversed(rules):
            if rule.yes != node:  # a rule that says what the rest says is left out
                node = conjunction(rule.tests, rule.yes, node)
        return DecisionTree(self.domain, node, self.labels)

    @property
    def forms(self) -> int:
        if self.space is not None:
            return self.space.size
        return sum(self.items ** (r + 1) for r in range(self.rules))

    def _bounds(self) -> tuple[int, int]:
        return self.single.littlestone_bounds()[0], self.forms.bit_length() - 1  # type: ignore[return-value]

    @classmethod
    def _parse_spec(cls, spec: Spec, *fields: Any) -> Any:
        spec.expect_columns(FORM, options=("at",))
        words = spec.options[0].split() if spec.options else ["at", "most", "2"]
        match words:
            case ["at", "most", rules]:
                numbers = [rules, "1"]
            case ["at", "most", rules, "rules" | "rule", "of", conditions]:
                numbers = [rules, conditions]
            case _:
                numbers = []
        if not numbers or not all(n.isascii() and n.isdigit() and len(n) < 10 for n in numbers):
            raise spec.form_error(
                f"{' '.join(words)!r} does not say how many rules there are", FORM
            )
        return cls.over_domain(parse_columns(spec), *map(int, numbers), *fields, labels=spec.labels)

    @property
    def options(self) -> str:
        most = f"at most {self.rules}"
        return most + (f" rules of {self.conditions}" if self.conditions > 1 else self._one)

    _one = ""


@dataclass(frozen=True)
class RuleLists(InRounds):
    """The decision lists "if rule 1 then y_1, else if rule 2 then y_2, ..., else z" of few rules.

    A rule is a conjunction of conditions on different columns, and y_1, y_2, ..., z are any of the
    labels.  These are the decision lists of Riv87 over the conditions of a mixed table.

    In each round an item is a label for everything, or a rule with two different labels (y, z): "if
    the rule holds then y, else z".  With N rules and L labels these are L + N L (L - 1) items.  Their
    errors come from the counts of labels that each rule covers.  The Littlestone dimension is exact for
    a table of at most 2^20 entries, and bounded otherwise (docs/proofs/conditions.md).

    >>> H = RuleLists.parse(Spec.parse("rule_list(age: 0..80 step 20, sex in {F, M}; at most 2)"))
    >>> H.items, H.rule(5)
    (26, Rule(tests=(ColumnTest(column=0, accepted=frozenset({'0'})),), yes=1, no=0))
    """

    keyword = "rule_list"
    typical = "rule_list(age: 0..120 step 5, ward in {ICU, ER}; at most 3 rules of 2)"
    group = "ordinary tables"
    several = True

    labels: int = 2

    @property
    def items(self) -> int:
        return self.labels + (self.single.size - 2) * len(self._pairs)

    @cached_property
    def _pairs(self) -> list[tuple[int, int]]:
        return [(y, z) for y in range(self.labels) for z in range(self.labels) if y != z]

    def round_scores(self, sample: Sample[Any]) -> ErrorRuns:
        totals = sample.counts.sum(axis=0)
        inside = self.single.covered_counts(sample)[:, 2:]
        right = [inside[y] + (totals[z] - inside[z]) for y, z in self._pairs]
        # Rule by rule, and its pairs of labels in their order.
        return ErrorRuns(totals.sum() - np.concatenate([totals, np.stack(right, axis=1).ravel()]))

    def rule(self, item: int) -> Rule:
        if item < self.labels:
            return Rule((), item, item)
        number, pair = divmod(item - self.labels, len(self._pairs))
        return Rule(tuple(self.single.rule(number + 2)[1]), *self._pairs[pair])

    def labels_of_forms(self, points: list[Any]) -> NDArray[Any]:
        kind = bool if self.labels == 2 else np.int64
        y = np.arange(self.labels).astype(kind)
        found = np.repeat(y[:, None], len(points), axis=1)
        covers = self.single.labels_of_forms(points)[2:]
        for _ in range(self.rules):
            longer = np.where(covers[:, None, None], y[:, None, None], found)
            found = np.unique(np.vstack([found, longer.reshape(-1, len(points))]), axis=0)
        return found

    @classmethod
    def parse(cls, spec: Spec) -> Any:
        return cls._parse_spec(spec, spec.labels)

    @classmethod
    def examples(cls) -> list[Self]:
        x, y, sex = Cells(("0", "5", "9"), "x"), Cells(("-1", "0.5"), "y"), Listed(("F",), "sex")
        found = [cls(Product((x,)), None, 2, 1), cls(Product((y, sex)), None, 1, 2)]
        found += [cls(Product((y,)), None, 2, 1, 3), cls(Product((x, sex)), None, 2, 2)]
        return [*found, found[0].restrict(("5",), 1)]


@dataclass(frozen=True)
class RuleUnions(InRounds):
    """The functions "rule 1 or rule 2 or ...": unions of few conjunctions over a mixed table.

    These are formulas in disjunctive normal form with few terms, over the conditions of `Conditions`.
    Without a rule the function is the constant 0.  In each round an item is "no further rule" or one of
    the N rules.  The Littlestone dimension is exact for a table of at most 2^20 entries, and bounded
    otherwise (docs/proofs/conditions.md).

    >>> H = RuleUnions(Product((Cells(("0", "40"), "age"), Listed(("F", "M"), "sex"))), None, 2, 2)
    >>> H.items, str(H)
    (17, 'rule_sets(age at {0, 40}, sex in {F, M}; at most 2 rules of 2)')
    """

    keyword = "rule_unions"
    group = ""
    labels = 2
    word = "rule_sets"
    _one = " rules of 1"

    @property
    def items(self) -> int:
        return self.single.size

    def round_scores(self, sample: Sample[Any]) -> ErrorRuns:
        return self.single.error_runs(sample)

    def rule(self, item: int) -> Rule:
        if item < 2:
            return Rule((), item, item)
        return Rule(tuple(self.single.rule(item)[1]), 1, 0)

    def labels_of_forms(self, points: list[Any]) -> NDArray[np.bool_]:
        covers = self.single.labels_of_forms(points)
        found = covers
        for _ in range(self.rules - 1):
            found = np.unique((found[:, None] | covers).reshape(-1, len(points)), axis=0)
        return found

    @classmethod
    def parse(cls, spec: Spec) -> Any:
        return cls._parse_spec(spec)

    @classmethod
    def examples(cls) -> list[Self]:
        x, y, sex = Cells(("0", "5", "9"), "x"), Cells(("-1", "0.5"), "y"), Listed(("F",), "sex")
        found = [cls(Product((x,)), None, 2, 1), cls(Product((y, sex)), None, 2, 2)]
        return [*found, cls(Product((x, sex)), None, 3, 1), found[0].restrict(("5",), 1)]
