"""Nodes of decision trees: tests of single columns that lead to labels."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from littlestone.points import MISSING, OTHER, Domain, FiniteColumn, Listed, Product

Node = Any
"""A label, or a `Split`."""


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


_DEEPEST = 300
"""The most splits above a label in a file."""


def read_node(form: Any, domain: Product, labels: int, depth: int = 0) -> Node:
    """The node that `write_node` wrote; ValueError for anything else."""
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
    below = (read_node(form, domain, labels, depth + 1) for form in (yes, no))
    return Split(test, *below)


def write_node(node: Node, domain: Product) -> object:
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
    return [node.test.column, accepted, write_node(node.yes, domain), write_node(node.no, domain)]


def label_at(node: Node, x: Any) -> int:
    """The label to which the tests lead a point."""
    while isinstance(node, Split):
        node = node.yes if x[node.test.column] in node.test.accepted else node.no
    return int(node)


Leaf = tuple[int, dict[int, frozenset[str]], tuple[tuple[ColumnTest, bool], ...]]
"""A label, the points of declared columns that reach it, and the answers of tests of open ones."""


def leaves_below(node: Node, domain: Product, at: Leaf = (0, {}, ())) -> Iterator[Leaf]:
    """The leaves below a node, which what ``at`` says reaches; from left to right."""
    _, left, asked = at
    if not isinstance(node, Split):
        yield int(node), left, asked
        return
    test, column = node.test, domain.columns[node.test.column]
    for holds, below in ((True, node.yes), (False, node.no)):
        if isinstance(column, FiniteColumn):
            known = left.get(test.column, frozenset(column.points))
            kept = known & test.accepted if holds else known - test.accepted
            yield from leaves_below(below, domain, (0, {**left, test.column: kept}, asked))
        else:
            yield from leaves_below(below, domain, (0, left, (*asked, (test, holds))))


def node_of_labels(domain: Product, label: Callable[[Any], int], known: tuple[str, ...]) -> Node:
    """The tree of the labels of all records that begin with the values ``known``."""
    j = len(known)
    if j == len(domain.columns):
        return label(known)
    values: dict[Node, list[str]] = {}
    for v in domain.columns[j]:
        values.setdefault(node_of_labels(domain, label, (*known, v)), []).append(v)
    (node, _), *others = values.items()
    for child, alike in others:
        node = Split(ColumnTest(j, frozenset(alike)), child, node)
    return node


def tests_below(node: Node) -> Iterator[ColumnTest]:
    """All tests from here on, those of the yes first."""
    if isinstance(node, Split):
        yield node.test
        yield from tests_below(node.yes)
        yield from tests_below(node.no)


def columns_below(node: Node) -> set[int]:
    """The columns that are asked for from here on."""
    return {test.column for test in tests_below(node)}


def difference(f: Node, g: Node, domain: Product) -> dict[int, str] | None:
    """Values of columns at which two trees have different labels; None if they are equal."""
    if not isinstance(f, Split) and not isinstance(g, Split):
        return None if f == g else {}
    j = min(columns_below(f) | columns_below(g))
    tests = dict.fromkeys(
        test.accepted for h in (f, g) for test in tests_below(h) if test.column == j
    )
    seen = set()
    for value in _values(domain.columns[j], frozenset().union(*tests)):
        holds = {accepted: value in accepted for accepted in tests}
        if (answers := tuple(holds.values())) in seen:
            continue
        seen.add(answers)
        found = difference(_decide(f, j, holds), _decide(g, j, holds), domain)
        if found is not None:
            return {j: value, **found}
    return None


def _decide(node: Node, j: int, holds: Mapping[frozenset[str], bool]) -> Node:
    """The tree where the tests of column j have these answers."""
    if not isinstance(node, Split):
        return node
    if node.test.column == j:
        return _decide(node.yes if holds[node.test.accepted] else node.no, j, holds)
    return split(node.test, _decide(node.yes, j, holds), _decide(node.no, j, holds))


def _values(column: Domain[str], named: frozenset[str]) -> list[str]:
    """The points of a declared column; of an open one, the named ones and one other."""
    if isinstance(column, FiniteColumn):
        return list(column.points)
    return [*sorted(named), next(x for x in column if x not in named)]
