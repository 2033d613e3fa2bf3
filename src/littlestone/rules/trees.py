"""Decision trees over tests of single columns: rules, lists of rules and trees are all of this kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count, groupby
from math import comb
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from littlestone.data.sample import Records
from littlestone.points import MISSING, OTHER, Cells, Domain, FiniteColumn, Listed, Product
from littlestone.rules.base import Hypothesis, Place, label_count, numbers
from littlestone.rules.languages.form import Outcome, among, case

Node = Any
"""A label, or a `Split`."""

_MOST_POINTS = 1 << 16
"""The largest domain on which the labels of single points are changed."""


@dataclass(frozen=True)
class ColumnTest:
    """1[x_j in accepted] for the column j = ``column``; ``accepted`` holds points of that column.

    >>> from littlestone.points import Cells, Listed
    >>> table = Product((Cells(("0", "18", "65"), "age"), Listed(("F", "M"), "sex")))
    >>> ColumnTest(0, frozenset(["18"])).words(table), ColumnTest(1, frozenset(["F"])).words(table)
    ('18 <= age < 65', 'sex is F')
    """

    column: int
    accepted: frozenset[str]

    def words(self, domain: Product) -> str:
        """The test as people write it."""
        column = domain.columns[self.column]
        if not isinstance(column, FiniteColumn):
            return " or ".join(f"{column.name} {_is(column, v)}" for v in sorted(self.accepted))
        if isinstance(column, Listed):
            listed = [f"{column.name} {_is(column, v)}" for v in column if v in self.accepted]
            return " or ".join(listed) or "never"
        return (
            " or ".join(_interval(column, *run) for run in runs_of_points(column, self.accepted))
            or "never"
        )


def _is(column: Domain[Any], value: str) -> str:
    if value == MISSING:
        return "is missing"
    plain = value.replace("_", "").replace("-", "").isalnum() and value != "missing"
    unlisted = value == OTHER and isinstance(column, Listed)
    return f"is {value}" if plain or unlisted else f"is {value!r}"


def _interval(column: Domain[str], first: int, last: int) -> str:
    """The cells number first to last, 0 being the missing values, as an interval of numbers."""
    points, name = list(column), column.name
    if first == 0:
        missing = f"{name} is missing"
        return missing if last == 0 else f"{missing} or {_interval(column, 1, last)}"
    low, high = points[first], points[last + 1] if last + 1 < len(points) else ""
    if first == 1:
        return f"{name} < {high}" if high else f"{name} is not missing"
    return f"{low} <= {name} < {high}" if high else f"{name} >= {low}"


def runs_of_points(column: FiniteColumn, accepted: frozenset[str]) -> list[tuple[int, int]]:
    """The accepted points as runs (first, last) of places."""
    runs = []
    for inside, run in groupby(enumerate(column.points), lambda pair: pair[1] in accepted):
        places = [i for i, _ in run]
        runs += [(places[0], places[-1])] if inside else []
    return runs


@dataclass(frozen=True)
class Split:
    """A node of a tree: ``yes`` where the test holds, ``no`` elsewhere."""

    test: ColumnTest
    yes: Node
    no: Node


def split(test: ColumnTest, yes: Node, no: Node) -> Node:
    """The node with this test, or its one branch if both branches are the same."""
    return yes if yes == no else Split(test, yes, no)


def prune(node: Node, domain: Product) -> Node:
    """The same function of declared columns without tests whose answer the tests above them give.

    >>> from littlestone.points import Cells
    >>> table = Product((Cells(("0", "18", "65"), "age"),))
    >>> adult, old = ColumnTest(0, frozenset(["18", "65"])), ColumnTest(0, frozenset(["65"]))
    >>> prune(Split(old, Split(adult, 1, 0), 0), table) == Split(old, 1, 0)
    True
    """
    columns: Any = domain.columns
    return _prune(node, [frozenset(column.points) for column in columns])


def _prune(node: Node, left: Sequence[frozenset[str]]) -> Node:
    """``left`` are the points of each column that reach the node."""
    if not isinstance(node, Split):
        return node
    j, accepted = node.test.column, node.test.accepted
    inside, outside = left[j] & accepted, left[j] - accepted
    if not inside:
        return _prune(node.no, left)
    if not outside:
        return _prune(node.yes, left)
    yes = _prune(node.yes, [*left[:j], inside, *left[j + 1 :]])
    return split(node.test, yes, _prune(node.no, [*left[:j], outside, *left[j + 1 :]]))


def conjunction(tests: Sequence[ColumnTest], yes: Node = 1, no: Node = 0) -> Node:
    """The node "if all tests hold then ``yes``, else ``no``"."""
    node = yes
    for test in reversed(tests):
        node = Split(test, node, no)
    return node


def at_least(least: int, tests: Sequence[ColumnTest]) -> Node:
    """The node "if at least ``least`` of the tests hold then 1, else 0"."""
    if not 0 < least <= len(tests):
        return int(least <= 0)
    first, *rest = tests
    return Split(first, at_least(least - 1, rest), at_least(least, rest))


def _checklist(node: Node) -> tuple[int, list[ColumnTest]] | None:
    """The M and the tests of a node "at least M of these tests", if M is neither 1 nor all."""
    tests = list(dict.fromkeys(_tests(node)))  # in order, because the first branch asks them all
    for least in range(2, len(tests)):
        if node == at_least(least, tests):
            return least, tests
    return None


@dataclass(frozen=True)
class DecisionTree(Hypothesis[Any]):
    """The function that follows tests of single columns from ``root`` to a label in 0, ..., k.

    Two trees are equal if they are written alike, because the form is what people read: equal functions
    may be unequal trees.  `of_labels` writes each function in one way.

    >>> from littlestone.points import Cells, Listed
    >>> table = Product((Cells(("0", "18", "65"), "age"), Listed(("F", "M"), "sex")))
    >>> old, female = ColumnTest(0, frozenset(["65"])), ColumnTest(1, frozenset(["F"]))
    >>> rule = DecisionTree(table, conjunction([old, female]))
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
        return cls(domain, _grow(domain, label, ()), labels)

    def __call__(self, x: Any) -> int:
        return _follow(self.root, x)

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
        return tuple(_leaves(self.root, self.domain, {}, []))

    @property
    def regions(self) -> list[dict[int, frozenset[str]]]:
        """For each leaf, from left to right, the points of declared columns that reach it."""
        return list(_regions(self.root, self.domain, {}))

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
        return _follow(self._leaf_tree, x)

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
        return self._simple(self.root) if rules is None else _join_rules(rules, self.domain)

    def _simple(self, node: Split) -> str:
        if (checked := _checklist(node)) is not None:
            least, tests = checked
            return f"at least {least} of ({', '.join(test.words(self.domain) for test in tests)})"
        rules, yes, rest = _alternatives(node, self.domain)
        asked = _join_rules(rules, self.domain)
        if rest == 0 and isinstance(yes, Split):
            inner = self._simple(yes)
            if not all(rules):
                return inner
            alone = len(rules) == 1 and (len(rules[0]) > 1 or " or " not in asked)
            return inner and f"{asked if alone else f'({asked})'} and ({inner})"
        return asked if (yes, rest) == (1, 0) else ""

    def words(self) -> str:
        return self.condition or _node_words(self.root, numbers(self.labels), self.domain)

    @property
    def tested_columns(self) -> tuple[str, ...]:
        return tuple(
            self.domain.column_names[j] for j in sorted(_columns_of_node(self.root)) or [0]
        )

    @property
    def tests(self) -> list[ColumnTest]:
        """All tests of the tree."""
        return list(_tests(self.root))

    def question(self, node: Split) -> tuple[list[ColumnTest], Node, Node]:
        """What is asked at a node, at most once of each column, and the nodes after yes and no.

        Tests that follow each other and whose no leads to the same place are one question.
        """
        tests, yes = _conjunction(node)
        return _merge_tests(tests), yes, node.no

    def ask(self, tests: Sequence[ColumnTest]) -> str:
        """A question in words."""
        return _join_rules([tests], self.domain)

    def _change(self, labels: Mapping[Any, int]) -> Self | None:
        if (self.domain.size or _MOST_POINTS + 1) > _MOST_POINTS:
            return None
        return self.of_labels(self.domain, lambda x: labels.get(x, self(x)), self.labels)

    def sentence(self, label: str) -> str:
        return super().sentence(label) if self.condition else f"{label}  =  {self.words()}"

    def words_with(self, names: Sequence[str]) -> str:
        if type(self.root) is int:
            return f"always {names[self.root]}"
        return _node_words(self.root, names, self.domain)

    def _intervals(self) -> list[Rule] | None:
        """The one test of a tree over a single column of numbers; None for other trees."""
        j, *others = _columns_of_node(self.root)
        column = self.domain.columns[j]
        if others or not isinstance(column, Cells):
            return None
        accepted = frozenset(v for v in column.points if self({j: v}))
        return _shortest([[ColumnTest(j, accepted)]], self.domain)

    def witness(self, other: Self) -> Any:
        found = _difference(self.root, other.root, self.domain)
        if found is None:
            return None
        return tuple(found.get(j, c.examples(1)[0]) for j, c in enumerate(self.domain.columns))

    def form(self) -> dict[str, object]:
        return {"labels": self.labels, "tree": _node_form(self.root, self.domain)}

    @classmethod
    def from_form(cls, domain: Domain[Any], form: Mapping[str, Any]) -> Self:
        labels = label_count(form["labels"])
        if not isinstance(domain, Product):
            raise ValueError
        root = _read(form["tree"], domain, labels)
        if _node_form(root, domain) != form["tree"]:  # such as a run from its end to its start
            raise ValueError
        return cls(domain, root, labels)


def _follow(node: Node, x: Any) -> int:
    while isinstance(node, Split):
        node = node.yes if x[node.test.column] in node.test.accepted else node.no
    return int(node)


def _regions(
    node: Node, domain: Product, left: Mapping[int, frozenset[str]]
) -> Iterator[dict[int, frozenset[str]]]:
    if not isinstance(node, Split):
        yield dict(left)
        return
    j, accepted = node.test.column, node.test.accepted
    column: Any = domain.columns[j]
    known = left.get(j, frozenset(column.points))
    yield from _regions(node.yes, domain, {**left, j: known & accepted})
    yield from _regions(node.no, domain, {**left, j: known - accepted})


def _leaves(
    node: Node, domain: Product, left: Mapping[int, frozenset[str]], asked: Sequence[str]
) -> Iterator[Place]:
    """The leaves below a node, which the points ``left`` of declared columns reach.

    ``asked`` are the answers of the tests of open columns, in words.
    """
    if not isinstance(node, Split):
        yield _leaf(node, domain, left, asked)
        return
    j, accepted = node.test.column, node.test.accepted
    column = domain.columns[j]
    if isinstance(column, FiniteColumn):
        known = left.get(j, frozenset(column.points))
        yield from _leaves(node.yes, domain, {**left, j: known & accepted}, asked)
        yield from _leaves(node.no, domain, {**left, j: known - accepted}, asked)
        return
    words = node.test.words(domain)
    yes = f"({words})" if " or " in words else words
    yield from _leaves(node.yes, domain, left, [*asked, yes])
    yield from _leaves(node.no, domain, left, [*asked, f"not ({words})"])


def _leaf(
    label: int, domain: Product, left: Mapping[int, frozenset[str]], asked: Sequence[str]
) -> Place:
    """The leaf in words, and of how many it is one.

    Its code says how many declared columns it asks for, which, and which points of each: by the places
    where a grid changes sides, or by the values that a list has on its smaller side
    (docs/proofs/risks.md, Theorem 3).
    """
    sides: list[str] = []
    sets = 2
    for j, accepted in sorted(left.items()):
        column: Any = domain.columns[j]
        size = column.size
        if len(accepted) == size:
            continue
        chosen, rest = ColumnTest(j, accepted), frozenset(column.points) - accepted
        words, others = chosen.words(domain), ColumnTest(j, rest).words(domain)
        if isinstance(column, Listed):
            words = min(words, f"not ({others})", key=len)
            few = min(len(accepted), len(rest))
            ways = comb(size, few)
        else:
            few = 2 * len(runs_of_points(column, accepted))
            few -= (column.points[0] in accepted) + (column.points[-1] in accepted)
            ways = comb(size - 1, few)
        sides.append(f"({words})" if " or " in words and not words.startswith("not (") else words)
        sets *= 2 * len(domain.columns) * 2 * 2**few * ways
    said = " and ".join([*sides, *asked]) or "always"
    if said.startswith("(") and len(sides) + len(asked) == 1:
        said = said[1:-1]
    return Place(said, int(label), None if asked else sets)


def _grow(domain: Product, label: Callable[[Any], int], known: tuple[str, ...]) -> Node:
    """The tree of the labels of all records that begin with the values ``known``."""
    j = len(known)
    if j == len(domain.columns):
        return label(known)
    values: dict[Node, list[str]] = {}
    for v in domain.columns[j]:
        values.setdefault(_grow(domain, label, (*known, v)), []).append(v)
    (node, _), *others = values.items()
    for child, alike in others:
        node = Split(ColumnTest(j, frozenset(alike)), child, node)
    return node


def _conjunction(node: Split) -> tuple[list[ColumnTest], Node]:
    """The tests that lead on from the node, all of which leave to the same node; and where to."""
    tests, yes = [node.test], node.yes
    while isinstance(yes, Split) and yes.no == node.no:
        tests.append(yes.test)
        yes = yes.yes
    return tests, yes


Rule = list[ColumnTest]
"""Tests that must all hold; at most one of each column."""


def _alternatives(node: Split, domain: Product) -> tuple[list[Rule], Node, Node]:
    """The rules that lead from here to one label, one after the other; that label; and where else to.

    If the first rule leads to no label, it is the only one.
    """
    tests, yes = _conjunction(node)
    rules, rest = [_merge_tests(tests)], node.no
    while isinstance(rest, Split) and not isinstance(yes, Split):
        tests, label = _conjunction(rest)
        if label != yes:
            break
        rules.append(_merge_tests(tests))
        rest = rest.no
    return _shortest(rules, domain), yes, rest


def _merge_tests(tests: Sequence[ColumnTest]) -> Rule:
    """The tests with one of each column, which holds where all of that column hold."""
    accepted: dict[int, frozenset[str]] = {}
    for test in tests:
        accepted[test.column] = test.accepted & accepted.get(test.column, test.accepted)
    return [ColumnTest(j, values) for j, values in accepted.items()]


def _shortest(rules: Sequence[Rule], domain: Product) -> list[Rule]:
    """The rules, with those that differ in one column as one, and without what says nothing more.

    That is: tests that always hold, rules that never do, and rules that imply another.
    """

    def is_always(test: ColumnTest) -> bool:
        column = domain.columns[test.column]
        return isinstance(column, FiniteColumn) and len(test.accepted) == column.size

    found: list[Rule] = []
    for rule in rules:
        if all(t.accepted for t in rule):
            _join(found, rule)
    found = [[t for t in rule if not is_always(t)] for rule in found]
    kept: list[Rule] = []
    for i, rule in enumerate(found):
        others = [*kept, *found[i + 1 :]]
        if not any(_implies(rule, other) for other in others):
            kept.append(rule)
    return kept


def _join(found: list[Rule], rule: Rule) -> None:
    """Add a rule, as one with those that have all its tests but that of one column.

    ``(A and C) or (B and C)`` is ``(A or B) and C``, so ``x < 5 or x >= 5`` is ``x is not missing``.
    """
    for at, other in enumerate(found):
        differing = [t for t in rule if t not in other]
        opposite = [t for t in other if t not in rule]
        if not differing or not opposite:
            continue
        if len(differing) == len(opposite) == 1 and differing[0].column == opposite[0].column:
            test = opposite[0]
            union = ColumnTest(test.column, test.accepted | differing[0].accepted)
            del found[at]
            _join(found, [union if t == test else t for t in other])
            return
    found.append(rule)


def _implies(rule: Rule, other: Rule) -> bool:
    """Whether each test of the other holds because a test of the rule does."""
    return all(any(t.column == u.column and t.accepted <= u.accepted for t in rule) for u in other)


def _outcome(node: Node, domain: Product) -> Outcome:
    if not isinstance(node, Split):
        return int(node)
    holds = among(domain.columns[node.test.column], node.test.accepted)
    return case([(holds, _outcome(node.yes, domain))], _outcome(node.no, domain))


def _join_rules(rules: Sequence[Sequence[ColumnTest]], domain: Product) -> str:
    """The rules in words, such as ``(age >= 65 and sex is F) or ward is ICU``."""
    words = [
        " and ".join(_parenthesize(test, domain, len(rule)) for test in rule) for rule in rules
    ]
    if "" in words:
        return "always 1"
    several = len(rules) > 1
    return (
        " or ".join(
            f"({said})" if several and len(rule) > 1 else said
            for rule, said in zip(rules, words, strict=True)
        )
        or "always 0"
    )


def _parenthesize(test: ColumnTest, domain: Product, among: int) -> str:
    words = test.words(domain)
    return f"({words})" if among > 1 and " or " in words else words


def _node_words(node: Node, names: Sequence[str], domain: Product) -> str:
    """``A if this or that, else B``; with tests on both sides ``if this then (A), else (B)``."""
    if not isinstance(node, Split):
        return names[node]
    rules, yes, rest = _alternatives(node, domain)
    if not all(rules):  # a rule without tests always holds
        return _node_words(yes, names, domain)
    if not rules:
        return _node_words(rest, names, domain)
    asked, no = _join_rules(rules, domain), _node_words(rest, names, domain)
    if isinstance(yes, Split):
        no = f"({no})" if isinstance(rest, Split) else no
        return f"if {asked} then ({_node_words(yes, names, domain)}), else {no}"
    return f"{names[yes]} if {asked}, else {no}"


def _node_form(node: Node, domain: Product) -> object:
    """The node as plain JSON: a label, or [column, accepted, yes, no].

    Accepted are runs [first, last] of points of a declared column, or the values of an open one.
    """
    if not isinstance(node, Split):
        return node
    column = domain.columns[node.test.column]
    accepted: list[Any] = sorted(node.test.accepted)
    if isinstance(column, FiniteColumn):
        points = column.points
        accepted = [[points[a], points[b]] for a, b in runs_of_points(column, node.test.accepted)]
    return [node.test.column, accepted, _node_form(node.yes, domain), _node_form(node.no, domain)]


def _read(form: Any, domain: Product, labels: int, depth: int = 0) -> Node:
    if type(form) is int and 0 <= form < labels:
        return form
    if type(form) is not list:
        raise ValueError
    j, accepted, yes, no = form
    if type(j) is not int or not 0 <= j < len(domain.columns):
        raise ValueError
    if type(accepted) is not list or not accepted:
        raise ValueError
    if depth > _DEEPEST:
        raise ValueError
    column, values = domain.columns[j], list[str]()
    for part in accepted:
        if isinstance(column, FiniteColumn):
            first, last = map(column.index, part)
            values += column.points[first : last + 1]
        elif part in column:
            values.append(part)
        else:
            raise ValueError
    test = ColumnTest(j, frozenset(values))
    return Split(test, _read(yes, domain, labels, depth + 1), _read(no, domain, labels, depth + 1))


_DEEPEST = 300


def _tests(node: Node) -> Iterator[ColumnTest]:
    if isinstance(node, Split):
        yield node.test
        yield from _tests(node.yes)
        yield from _tests(node.no)


def _columns_of_node(node: Node) -> set[int]:
    return {test.column for test in _tests(node)}


def _decide(node: Node, j: int, holds: Mapping[frozenset[str], bool]) -> Node:
    """The tree where the tests of column j have these answers."""
    if not isinstance(node, Split):
        return node
    if node.test.column == j:
        return _decide(node.yes if holds[node.test.accepted] else node.no, j, holds)
    return split(node.test, _decide(node.yes, j, holds), _decide(node.no, j, holds))


def _difference(f: Node, g: Node, domain: Product) -> dict[int, str] | None:
    """Values of columns at which two trees have different labels; None if they are equal."""
    if not isinstance(f, Split) and not isinstance(g, Split):
        return None if f == g else {}
    j = min(_columns_of_node(f) | _columns_of_node(g))
    tests = dict.fromkeys(test.accepted for h in (f, g) for test in _tests(h) if test.column == j)
    seen = set()
    for value in _values(domain.columns[j], frozenset().union(*tests)):
        holds = {accepted: value in accepted for accepted in tests}
        if (answers := tuple(holds.values())) in seen:
            continue
        seen.add(answers)
        found = _difference(_decide(f, j, holds), _decide(g, j, holds), domain)
        if found is not None:
            return {j: value, **found}
    return None


def _values(column: Domain[str], named: frozenset[str]) -> list[str]:
    """The points of a declared column; of an open one, the named ones and one other."""
    if isinstance(column, FiniteColumn):
        return list(column.points)
    return [*sorted(named), next(x for x in column if x not in named)]
