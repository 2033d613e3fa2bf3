"""The majority vote is the majority at every point, in the one form that the function has."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from littlestone.classes import parse_class
from littlestone.points import Disjoint, Domain, Grid, Integers, Names, Product, Reals, Strings
from littlestone.privacy.randomness import seeded_generator
from littlestone.rules import (
    DirectSum,
    FiniteSet,
    Hypothesis,
    RuleUnion,
    StepFunction,
    TableFunction,
    has_majority,
    majority,
)

RNG = seeded_generator(11)
GRID, REALS, NAMES = Grid(0, 6), Reals(), Names(("a", "b", "c", "d"), "name")
RULES = Product((Strings("s"), Strings("t")))


def steps(domain: Domain[Any]) -> StepFunction:
    changes = tuple(RNG.randrange(8) for _ in range(RNG.randrange(4)))
    return StepFunction(domain, RNG.randrange(2), changes)


def table(domain: Domain[Any]) -> TableFunction:
    return TableFunction(domain, (RNG.randrange(16),))


def members(domain: Domain[Any]) -> FiniteSet:
    return FiniteSet(domain, frozenset(x for x in range(5) if RNG.randrange(2)))


def rules(domain: Domain[Any]) -> RuleUnion:
    values = (None, "u", "v")
    return RuleUnion(
        domain,
        frozenset((RNG.choice(values), RNG.choice(values)) for _ in range(RNG.randrange(3))),
    )


def both(domain: Disjoint) -> DirectSum:
    return DirectSum(domain, (steps(domain.columns[0]), table(domain.columns[1])))


KINDS: list[tuple[Any, Any, list[Any]]] = [
    (steps, GRID, list(GRID)),
    (steps, REALS, [x / 2 for x in range(-1, 18)]),
    (table, NAMES, list(NAMES)),
    (members, Integers(), list(range(6))),
    (rules, RULES, list(product("uvw", repeat=2))),
    (both, Disjoint((GRID, NAMES)), [*((0, x) for x in GRID), *((1, x) for x in NAMES)]),
]


@pytest.mark.parametrize(("make", "domain", "points"), KINDS, ids=lambda v: str(v)[:20])
def test_the_vote_at_every_point(make: Any, domain: Any, points: list[Any]) -> None:
    for count in (1, 2, 3, 4, 5, 9) * 8:
        voters: list[Hypothesis[Any]] = [make(domain) for _ in range(count)]
        found = majority(voters)
        assert found is not None
        assert [found(x) for x in points] == [
            int(2 * sum(h(x) for h in voters) > count) for x in points
        ]
        assert found == majority(voters[::-1])
        assert Hypothesis.from_json(found.to_json()) == found
        assert majority([voters[0]] * 3) == voters[0]


def test_functions_of_other_kinds_are_written_label_by_label() -> None:
    lines = parse_class("affine(x, y; q 3, dimension 1)")
    V = lines.restrict((0, 0), 1).restrict((1, 1), 1).restrict((0, 1), 0)
    voters = [V.soa(), lines.restrict((2, 0), 1).restrict((2, 1), 1).soa(), lines.soa()]
    found = majority(voters)
    assert found is not None
    assert all(found(x) == (sum(h(x) for h in voters) > 1) for x in lines.domain)
    assert majority([parse_class("affine(x, y, z; q 1009, dimension 2)").soa()]) is None


def test_no_function_is_made_to_know_that_a_small_domain_has_votes() -> None:
    def never() -> Hypothesis[Any]:
        raise AssertionError

    assert has_majority(GRID, never)
    assert has_majority(RULES, lambda: RuleUnion(RULES, frozenset()))
    zeros = parse_class("affine(a, b, c; q 101, dimension 1)").soa()
    assert has_majority(zeros.domain, never)
    far = parse_class("affine(a, b, c; q 103, dimension 1)").soa()
    assert not has_majority(far.domain, lambda: far)
    assert majority([zeros]) is zeros
