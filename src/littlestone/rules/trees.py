"""Decision trees over tests of single columns: rules, lists of rules and trees are all of this kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from littlestone.data.sample import Records
from littlestone.points import Cells, Domain, Product
from littlestone.rules.base import Hypothesis, Place, label_count, numbers
from littlestone.rules.languages.form import Outcome, among, case
from littlestone.rules.node_words import (
    Rule,
    alternatives,
    checklist,
    join_rules,
    leading_tests,
    merge_tests,
    place_of_leaf,
    shorten,
    words_of,
)
from littlestone.rules.nodes import (
    ColumnTest,
    Node,
    Split,
    columns_below,
    difference,
    label_at,
    leaves_below,
    node_of_labels,
    read_node,
    tests_below,
    write_node,
)

_MOST_POINTS = 1 << 16
"""The largest domain on which the labels of single points are changed."""


@dataclass(frozen=True)
class DecisionTree(Hypothesis[Any]):
    """The function that follows tests of single columns from ``root`` to a label in 0, ..., k.

    Two trees are equal if they are written alike, because the form is what people read: equal functions
    may be unequal trees.  `of_labels` writes each function in one way.

    >>> from littlestone.points import Cells, Listed
    >>> table = Product((Cells(("0", "18", "65"), "age"), Listed(("F", "M"), "sex")))
    >>> old, female = ColumnTest(0, frozenset(["65"])), ColumnTest(1, frozenset(["F"]))
    >>> rule = DecisionTree(table, Split(old, Split(female, 1, 0), 0))
    >>> rule.words(), rule(("65", "F")), rule(("65", ""))
    ('age >= 65 and sex is F', 1, 0)
    """

    canonical = False

    domain: Product
    root: Node
    labels: int = 2

    @classmethod
    def of_labels(cls, domain: Product, label: Callable[[Any], int], labels: int = 2) -> Self:
        """The tree of a function on declared columns, which is asked at every point of the domain.

        It tests the columns in order and merges equal branches, so equal functions give one tree.
        """
        return cls(domain, node_of_labels(domain, label, ()), labels)

    def __call__(self, x: Any) -> int:
        return label_at(self.root, x)

    def outcome(self) -> Outcome:
        return _outcome(self.root, self.domain)

    @cached_property
    def places(self) -> tuple[Place, ...]:
        """Its leaves, from left to right.

        >>> from littlestone.points import Cells
        >>> table = Product((Cells(("0", "18", "65"), "age"),))
        >>> rule = DecisionTree(table, Split(ColumnTest(0, frozenset(["65"])), 1, 0))
        >>> [place.words for place in rule.places]
        ['age >= 65', 'age is missing or age < 65']
        """
        leaves = leaves_below(self.root, self.domain)
        return tuple(place_of_leaf(leaf, self.domain) for leaf in leaves)

    @property
    def points_of_places(
        self,
    ) -> tuple[Self, Sequence[int], Sequence[int], Sequence[Sequence[int]]]:
        """Itself, the numbers of its leaves, and columns and points: a place is a sum of points."""
        return self, range(len(self.places)), (), ()

    @property
    def regions(self) -> list[dict[int, frozenset[str]]]:
        """For each leaf, from left to right, the points of declared columns that reach it."""
        return [left for _, left, _ in leaves_below(self.root, self.domain)]

    @cached_property
    def _leaf_tree(self) -> Node:
        """The same tests, with the number of each leaf in place of its label."""
        leaves = count()

        def number(node: Node) -> Node:
            if not isinstance(node, Split):
                return next(leaves)
            yes = number(node.yes)
            return Split(node.test, yes, number(node.no))

        return number(self.root)

    def place(self, x: Any) -> int:
        return label_at(self._leaf_tree, x)

    def places_of(self, points: Sequence[Any]) -> NDArray[np.int64]:
        if not isinstance(points, Records):
            return super().places_of(points)
        found = np.zeros(len(points), np.int64)

        def fill(node: Node, inside: NDArray[np.intp]) -> None:
            if not isinstance(node, Split):
                found[inside] = node
                return
            # Each value of a column is compared once, however many records have it.
            values, codes = points.columns[node.test.column]
            accepted = np.fromiter((v in node.test.accepted for v in values), bool, len(values))
            holds = accepted[codes[inside]]
            fill(node.yes, inside[holds])
            fill(node.no, inside[~holds])

        fill(self._leaf_tree, np.arange(len(points)))
        return found

    def place_outcome(self) -> Outcome:
        return _outcome(self._leaf_tree, self.domain)

    @property
    def condition(self) -> str:
        """The condition for label 1 if it is "these tests, or those", or "this test, and one of these".

        Or if it is "at least two of these tests", or more.

        It is empty for other trees.  It leaves out what says nothing more: ``age >= 70 or age >= 65``
        is ``age >= 65``.
        """
        if not isinstance(self.root, Split):
            return f"always {self.root}"
        if self.labels > 2:
            return ""
        rules = self._intervals()
        return self._simple(self.root) if rules is None else join_rules(rules, self.domain)

    def _simple(self, node: Split) -> str:
        if (checked := checklist(node)) is not None:
            least, tests = checked
            return f"at least {least} of ({', '.join(test.words(self.domain) for test in tests)})"
        rules, yes, rest = alternatives(node, self.domain)
        asked = join_rules(rules, self.domain)
        if rest == 0 and isinstance(yes, Split):
            inner = self._simple(yes)
            if not all(rules):
                return inner
            alone = len(rules) == 1 and (len(rules[0]) > 1 or " or " not in asked)
            return inner and f"{asked if alone else f'({asked})'} and ({inner})"
        return asked if (yes, rest) == (1, 0) else ""

    def words(self) -> str:
        return self.condition or words_of(self.root, numbers(self.labels), self.domain)

    @property
    def tested_columns(self) -> tuple[str, ...]:
        return tuple(self.domain.column_names[j] for j in sorted(columns_below(self.root)) or [0])

    @property
    def tests(self) -> list[ColumnTest]:
        """All tests of the tree."""
        return list(tests_below(self.root))

    def question(self, node: Split) -> tuple[list[ColumnTest], Node, Node]:
        """What is asked at a node, at most once of each column, and the nodes after yes and no.

        Tests that label_at each other and whose no leads to the same place are one question.
        """
        tests, yes = leading_tests(node)
        return merge_tests(tests), yes, node.no

    def ask(self, tests: Sequence[ColumnTest]) -> str:
        """A question in words."""
        return join_rules([tests], self.domain)

    def _change(self, labels: Mapping[Any, int]) -> Self | None:
        if (self.domain.size or _MOST_POINTS + 1) > _MOST_POINTS:
            return None
        return self.of_labels(self.domain, lambda x: labels.get(x, self(x)), self.labels)

    def sentence(self, label: str) -> str:
        return super().sentence(label) if self.condition else f"{label}  =  {self.words()}"

    def words_with(self, names: Sequence[str]) -> str:
        if type(self.root) is int:
            return f"always {names[self.root]}"
        return words_of(self.root, names, self.domain)

    def _intervals(self) -> list[Rule] | None:
        """The one test of a tree over a single column of numbers; None for other trees."""
        j, *others = columns_below(self.root)
        column = self.domain.columns[j]
        if others or not isinstance(column, Cells):
            return None
        accepted = frozenset(v for v in column.points if self({j: v}))
        return shorten([[ColumnTest(j, accepted)]], self.domain)

    def witness(self, other: Self) -> Any:
        found = difference(self.root, other.root, self.domain)
        if found is None:
            return None
        return tuple(found.get(j, c.examples(1)[0]) for j, c in enumerate(self.domain.columns))

    def form(self) -> dict[str, object]:
        return {"labels": self.labels, "tree": write_node(self.root, self.domain)}

    @classmethod
    def from_form(cls, domain: Domain[Any], form: Mapping[str, Any]) -> Self:
        labels = label_count(form["labels"])
        if not isinstance(domain, Product):
            raise ValueError
        root = read_node(form["tree"], domain, labels)
        if write_node(root, domain) != form["tree"]:  # such as a run from its end to its start
            raise ValueError
        return cls(domain, root, labels)


def _outcome(node: Node, domain: Product) -> Outcome:
    if not isinstance(node, Split):
        return int(node)
    holds = among(domain.columns[node.test.column], node.test.accepted)
    return case([(holds, _outcome(node.yes, domain))], _outcome(node.no, domain))
