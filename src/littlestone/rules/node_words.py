"""Nodes of decision trees in words, as short as they can be said."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import Any

from littlestone.points import FiniteColumn, Listed, Product
from littlestone.rules.base import Place
from littlestone.rules.nodes import (
    ColumnTest,
    Leaf,
    Node,
    Split,
    at_least,
    runs_of_points,
    tests_below,
)

Rule = list[ColumnTest]
"""Tests that must all hold; at most one of each column."""


def leading_tests(node: Split) -> tuple[list[ColumnTest], Node]:
    """The tests that lead on from the node, all of which leave to the same node; and where to."""
    tests, yes = [node.test], node.yes
    while isinstance(yes, Split) and yes.no == node.no:
        tests.append(yes.test)
        yes = yes.yes
    return tests, yes


def merge_tests(tests: Sequence[ColumnTest]) -> Rule:
    """The tests with one of each column, which holds where all of that column hold."""
    accepted: dict[int, frozenset[str]] = {}
    for test in tests:
        accepted[test.column] = test.accepted & accepted.get(test.column, test.accepted)
    return [ColumnTest(j, values) for j, values in accepted.items()]


def checklist(node: Node) -> tuple[int, list[ColumnTest]] | None:
    """The M and the tests of a node "at least M of these tests", if M is neither 1 nor all."""
    tests = list(
        dict.fromkeys(tests_below(node))
    )  # in order, because the first branch asks them all
    for least in range(2, len(tests)):
        if node == at_least(least, tests):
            return least, tests
    return None


def alternatives(node: Split, domain: Product) -> tuple[list[Rule], Node, Node]:
    """The rules that lead from here to one label, one after the other; that label; and where else to.

    If the first rule leads to no label, it is the only one.
    """
    tests, yes = leading_tests(node)
    rules, rest = [merge_tests(tests)], node.no
    while isinstance(rest, Split) and not isinstance(yes, Split):
        tests, label = leading_tests(rest)
        if label != yes:
            break
        rules.append(merge_tests(tests))
        rest = rest.no
    return shorten(rules, domain), yes, rest


def shorten(rules: Sequence[Rule], domain: Product) -> list[Rule]:
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


def join_rules(rules: Sequence[Sequence[ColumnTest]], domain: Product) -> str:
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


def words_of(node: Node, names: Sequence[str], domain: Product) -> str:
    """``A if this or that, else B``; with tests on both sides ``if this then (A), else (B)``."""
    if not isinstance(node, Split):
        return names[node]
    rules, yes, rest = alternatives(node, domain)
    if not all(rules):  # a rule without tests always holds
        return words_of(yes, names, domain)
    if not rules:
        return words_of(rest, names, domain)
    asked, no = join_rules(rules, domain), words_of(rest, names, domain)
    if isinstance(yes, Split):
        no = f"({no})" if isinstance(rest, Split) else no
        return f"if {asked} then ({words_of(yes, names, domain)}), else {no}"
    return f"{names[yes]} if {asked}, else {no}"


def _answer(test: ColumnTest, holds: bool, domain: Product) -> str:
    words = test.words(domain)
    if not holds:
        return f"not ({words})"
    return f"({words})" if " or " in words else words


def place_of_leaf(leaf: Leaf, domain: Product) -> Place:
    """The leaf in words, and of how many it is one.

    Its code says how many declared columns it asks for, which, and which points of each: by the places
    where a grid changes sides, or by the values that a list has on its smaller side
    (docs/proofs/risks.md, Theorem 3).
    """
    label, left, answers = leaf
    sides, asked = list[str](), [_answer(test, holds, domain) for test, holds in answers]
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
