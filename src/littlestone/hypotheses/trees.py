"""Decision trees over tests of single columns: rules, lists of rules and trees are all of this kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Self

from littlestone.domains import MISSING, Domain, Listed, Parted, Product
from littlestone.hypotheses.base import Hypothesis, label_count, numbers

Node = Any
"""A label, or a `Split`."""

_MOST_POINTS = 1 << 16
"""The largest domain on which the labels of single points are changed."""


@dataclass(frozen=True)
class ColumnTest:
    """1[x_j in accepted] for the column j = ``column``; ``accepted`` holds points of that column.

    >>> from littlestone.domains import Cells, Listed
    >>> table = Product((Cells(("0", "18", "65"), "age"), Listed(("F", "M"), "sex")))
    >>> ColumnTest(0, frozenset(["18"])).words(table), ColumnTest(1, frozenset(["F"])).words(table)
    ('18 <= age < 65', 'sex is F')
    """

    column: int
    accepted: frozenset[str]

    def words(self, domain: Product) -> str:
        """The test as people write it."""
        column = domain.columns[self.column]
        if not isinstance(column, Parted):
            return " or ".join(f"{column.name} {_is(column, v)}" for v in sorted(self.accepted))
        if isinstance(column, Listed):
            listed = [f"{column.name} {_is(column, v)}" for v in column if v in self.accepted]
            return " or ".join(listed) or "never"
        return (
            " or ".join(_interval(column, *run) for run in runs(column, self.accepted)) or "never"
        )


def _is(column: Domain[Any], value: str) -> str:
    if value == MISSING:
        return "is missing"
    plain = value.replace("_", "").replace("-", "").isalnum()
    return f"is {value}" if plain else f"is {value!r}"


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


def runs(column: Parted, accepted: frozenset[str]) -> list[tuple[int, int]]:
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


def pruned(node: Node, domain: Product) -> Node:
    """The same function without tests whose answer the tests above them give.

    >>> from littlestone.domains import Cells
    >>> table = Product((Cells(("0", "18", "65"), "age"),))
    >>> adult, old = ColumnTest(0, frozenset(["18", "65"])), ColumnTest(0, frozenset(["65"]))
    >>> pruned(Split(old, Split(adult, 1, 0), 0), table) == Split(old, 1, 0)
    True
    """
    columns = [frozenset(c.points) if isinstance(c, Parted) else None for c in domain.columns]
    return _pruned(node, columns, [frozenset()] * len(columns))


def _pruned(
    node: Node, left: Sequence[frozenset[str] | None], out: Sequence[frozenset[str]]
) -> Node:
    """``left`` are the points of each column that reach the node; None is all but those in ``out``."""
    if not isinstance(node, Split):
        return node
    j, accepted = node.test.column, node.test.accepted
    here = left[j]
    inside = accepted - out[j] if here is None else accepted & here
    outside = None if here is None else here - accepted
    if not inside:
        return _pruned(node.no, left, out)
    if outside is not None and not outside:
        return _pruned(node.yes, left, out)
    yes = _pruned(node.yes, [*left[:j], inside, *left[j + 1 :]], out)
    beyond = [*out[:j], out[j] | accepted, *out[j + 1 :]]
    return split(node.test, yes, _pruned(node.no, [*left[:j], outside, *left[j + 1 :]], beyond))


def conjunction(tests: Sequence[ColumnTest], yes: Node = 1, no: Node = 0) -> Node:
    """The node "if all tests hold then ``yes``, else ``no``"."""
    node = yes
    for test in reversed(tests):
        node = Split(test, node, no)
    return node


def disjunction(tests: Sequence[ColumnTest], yes: Node = 1, no: Node = 0) -> Node:
    """The node "if some test holds then ``yes``, else ``no``"."""
    node = no
    for test in reversed(tests):
        node = Split(test, yes, node)
    return node


@dataclass(frozen=True)
class DecisionTree(Hypothesis[Any]):
    """The function that follows tests of single columns from ``root`` to a label in 0, ..., k.

    Two trees are equal if they are written alike, because the form is what people read: equal functions
    may be unequal trees.  `of_labels` writes each function in one way.

    >>> from littlestone.domains import Cells, Listed
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
        return cls(domain, _grown(domain, label, ()), labels)

    def __call__(self, x: Any) -> int:
        node = self.root
        while isinstance(node, Split):
            node = node.yes if x[node.test.column] in node.test.accepted else node.no
        return int(node)

    @property
    def condition(self) -> str:
        """The condition for label 1 if it is "these tests, or those, or ..."; else empty."""
        return self._simple(self.root)

    def words(self) -> str:
        return self.condition or _said(self.root, numbers(self.labels), self.domain)

    @property
    def tests(self) -> list[ColumnTest]:
        """All tests of the tree."""
        return list(_tests(self.root))

    def question(self, node: Split) -> tuple[list[ColumnTest], Node, Node]:
        """What is asked at a node, and the nodes after yes and no.

        Tests that follow each other and whose no leads to the same place are one question.
        """
        tests, yes = _conjoined(node)
        return tests, yes, node.no

    def asked(self, tests: Sequence[ColumnTest]) -> str:
        """A question in words."""
        return _joined(tests, self.domain)

    def _changed(self, labels: Mapping[Any, int]) -> Self | None:
        if (self.domain.size or _MOST_POINTS + 1) > _MOST_POINTS:
            return None
        return self.of_labels(self.domain, lambda x: labels.get(x, self(x)), self.labels)

    def sentence(self, label: str) -> str:
        return super().sentence(label) if self.condition else f"{label}  =  {self.words()}"

    def named(self, names: Sequence[str]) -> str:
        return f"always {names[self.root]}" if type(self.root) is int else self._named(names)

    def _named(self, names: Sequence[str]) -> str:
        return _said(self.root, names, self.domain)

    def _simple(self, node: Node) -> str:
        if not isinstance(node, Split):
            return f"always {node}"
        rules = []
        while isinstance(node, Split):
            tests, yes = _conjoined(node)
            if yes != 1 or self.labels > 2:
                return ""
            rules.append((_joined(tests, self.domain), len(tests)))
            node = node.no
        if node != 0:
            return ""
        several = len(rules) > 1
        return " or ".join(f"({rule})" if several and n > 1 else rule for rule, n in rules)

    def witness(self, other: Self) -> Any:
        found = _difference(self.root, other.root, self.domain)
        if found is None:
            return None
        return tuple(found.get(j, c.examples(1)[0]) for j, c in enumerate(self.domain.columns))

    def form(self) -> dict[str, object]:
        return {"labels": self.labels, "tree": _written(self.root, self.domain)}

    @classmethod
    def from_form(cls, domain: Domain[Any], form: Mapping[str, Any]) -> Self:
        labels = label_count(form["labels"])
        if not isinstance(domain, Product):
            raise ValueError
        root = _read(form["tree"], domain, labels)
        if _written(root, domain) != form["tree"]:  # such as a run from its end to its start
            raise ValueError
        return cls(domain, root, labels)


def _grown(domain: Product, label: Callable[[Any], int], known: tuple[str, ...]) -> Node:
    """The tree of the labels of all records that begin with the values ``known``."""
    j = len(known)
    if j == len(domain.columns):
        return label(known)
    values: dict[Node, list[str]] = {}
    for v in domain.columns[j]:
        values.setdefault(_grown(domain, label, (*known, v)), []).append(v)
    (node, _), *others = values.items()
    for child, alike in others:
        node = Split(ColumnTest(j, frozenset(alike)), child, node)
    return node


def _conjoined(node: Split) -> tuple[list[ColumnTest], Node]:
    """The tests that lead on from the node, each of which leaves to one and the same; and where to."""
    tests, yes = [node.test], node.yes
    while isinstance(yes, Split) and yes.no == node.no:
        tests.append(yes.test)
        yes = yes.yes
    return tests, yes


def _joined(tests: Sequence[ColumnTest], domain: Product) -> str:
    found = (test.words(domain) for test in tests)
    return " and ".join(f"({w})" if len(tests) > 1 and " or " in w else w for w in found)


def _said(node: Node, names: Sequence[str], domain: Product) -> str:
    """``A if this and that, else B``; with tests on both sides ``if this then (A), else (B)``."""
    if not isinstance(node, Split):
        return names[node]
    tests, yes = _conjoined(node)
    asked = _joined(tests, domain)
    no = _said(node.no, names, domain)
    if isinstance(yes, Split):
        no = f"({no})" if isinstance(node.no, Split) else no
        return f"if {asked} then ({_said(yes, names, domain)}), else {no}"
    return f"{names[yes]} if {asked}, else {no}"


def _written(node: Node, domain: Product) -> object:
    """The node as plain JSON: a label, or [column, accepted, yes, no].

    Accepted are runs [first, last] of points of a declared column, or the values of an open one.
    """
    if not isinstance(node, Split):
        return node
    column = domain.columns[node.test.column]
    accepted: list[Any] = sorted(node.test.accepted)
    if isinstance(column, Parted):
        points = column.points
        accepted = [[points[a], points[b]] for a, b in runs(column, node.test.accepted)]
    return [node.test.column, accepted, _written(node.yes, domain), _written(node.no, domain)]


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
        if isinstance(column, Parted):
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


def _columns(node: Node) -> set[int]:
    return {test.column for test in _tests(node)}


def _decided(node: Node, j: int, holds: Mapping[frozenset[str], bool]) -> Node:
    """The tree where the tests of column j have these answers."""
    if not isinstance(node, Split):
        return node
    if node.test.column == j:
        return _decided(node.yes if holds[node.test.accepted] else node.no, j, holds)
    return split(node.test, _decided(node.yes, j, holds), _decided(node.no, j, holds))


def _difference(f: Node, g: Node, domain: Product) -> dict[int, str] | None:
    """Values of columns at which two trees have different labels; None if they are equal."""
    if not isinstance(f, Split) and not isinstance(g, Split):
        return None if f == g else {}
    j = min(_columns(f) | _columns(g))
    tests = dict.fromkeys(test.accepted for h in (f, g) for test in _tests(h) if test.column == j)
    seen = set()
    for value in _values(domain.columns[j], frozenset().union(*tests)):
        holds = {accepted: value in accepted for accepted in tests}
        if (answers := tuple(holds.values())) in seen:
            continue
        seen.add(answers)
        found = _difference(_decided(f, j, holds), _decided(g, j, holds), domain)
        if found is not None:
            return {j: value, **found}
    return None


def _values(column: Domain[str], named: frozenset[str]) -> list[str]:
    """The points of a declared column; of an open one, those that are named and one that is not."""
    if isinstance(column, Parted):
        return list(column.points)
    return [*sorted(named), next(x for x in column if x not in named)]
