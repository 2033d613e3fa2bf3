"""BLM20, Lemma 12, is false: counted from the definitions of sections 3.2 and 4.2, in whole numbers.

Nothing of the package is used, so this also checks the row that says so.  A function is the tuple of
its labels.  What the SOA knows is (V, h): the functions left, none if the examples fit no function,
and its rule.
"""

from collections import Counter
from collections.abc import Callable
from functools import cache
from math import lcm

import pytest

Function = tuple[int, ...]
Known = tuple[frozenset[Function], Function]
Pick = Callable[[list[int]], list[int]]
"""The points, of equal chances, among those where two rules differ."""

POINTS = range(11)
CLASS = frozenset(
    tuple(mask >> x & 1 for x in POINTS) for mask in (136, 240, 644, 794, 1078, 1336, 1688)
)
TARGET = tuple(1336 >> x & 1 for x in POINTS)
D = 2


def weights(n: int) -> dict[int, int]:
    """Those of the points under D, over 20 n."""
    few = {1: 12, 2: 4, 4: 12, 6: 3, 9: 1}
    return {0: 20 * n - sum(few.values()), **few}


def shatters(V: frozenset[Function], depth: int) -> bool:
    """Whether V shatters a complete binary tree of that depth."""
    if depth == 0:
        return bool(V)
    return any(all(shatters(with_label(V, x, y), depth - 1) for y in (0, 1)) for x in POINTS)


@cache
def with_label(V: frozenset[Function], x: int, y: int) -> frozenset[Function]:
    return frozenset(h for h in V if h[x] == y)


@cache
def ldim(V: frozenset[Function]) -> int:
    return next(depth for depth in range(-1, D + 1) if not shatters(V, depth + 1))


@cache
def soa(V: frozenset[Function], tie: int) -> Function:
    """Argmax of LDim at each point."""
    zero_one = [[ldim(with_label(V, x, y)) for y in (0, 1)] for x in POINTS]
    return tuple(tie if zero == one else int(one > zero) for zero, one in zero_one)


@cache
def after(known: Known, x: int, y: int, tie: int) -> Known:
    """Definition 8: one more example."""
    V, h = known
    left = with_label(V, x, y)
    return (left, soa(left, tie)) if left else (left, (*h[:x], y, *h[x + 1 :]))


def frequencies(n: int, tie: int, pick: Pick) -> list[Counter[Function]]:
    """For k = 0, 1, 2, how often each rule is SOA(S T)."""
    found: list[Counter[Function]] = []
    samples = Counter({(CLASS, soa(CLASS, tie)): 1})  # D_0
    while True:
        for _ in range(n):  # T
            longer = Counter[Known]()
            for known, p in samples.items():
                for x, q in weights(n).items():
                    longer[after(known, x, TARGET[x], tie)] += p * q
            samples = longer
        rules = Counter[Function]()
        for (_, h), p in samples.items():
            rules[h] += p
        found.append(rules)
        if len(found) > D:
            return found
        after_the_match = Counter[Known]()
        for known, p in samples.items():
            for g, q in rules.items():
                if picked := pick([x for x in POINTS if known[1][x] != g[x]]):
                    for x in picked:  # it wins if the label is not its own
                        won = after(known, x, 1 - known[1][x], tie)
                        after_the_match[won] += p * q * (lcm(*POINTS[1:]) // len(picked))
        samples = after_the_match


PICKS: dict[str, Pick] = {"first": lambda xs: xs[:1], "last": lambda xs: xs[-1:], "uniform": list}


@pytest.mark.parametrize("pick", PICKS.values(), ids=PICKS)
@pytest.mark.parametrize("tie", [0, 1])
@pytest.mark.parametrize("n", [3, 5, 10, 20])
def test_no_rule_has_the_frequency_of_the_lemma(n: int, tie: int, pick: Pick) -> None:
    for rules in frequencies(n, tie, pick):
        assert max(rules.values()) * 2**D < rules.total()


def test_the_class_has_that_dimension_and_the_target() -> None:
    assert shatters(CLASS, D)
    assert not shatters(CLASS, D + 1)
    assert TARGET in CLASS
