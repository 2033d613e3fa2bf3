"""All functions of a class of rules with outcomes, on few values a column, by the definition."""

from __future__ import annotations

from itertools import combinations, product
from typing import Any

import numpy as np

from littlestone.classes import FiniteClass, Outcomes
from littlestone.points import Integers


def outcomes(m: int, r: int, s: int, k: int) -> Outcomes:
    columns = [Integers(name) for name in "abc"[:m]]
    return Outcomes.over_columns(*columns, labels=k + 1, max_rules=s, max_literals=r)


def records(m: int, values: int) -> list[tuple[int, ...]]:
    return list(product(range(values), repeat=m))


def obeyed(x: tuple[int, ...], rule: tuple[Any, ...]) -> bool:
    return all(v in (None, u) for u, v in zip(x, rule, strict=True))


def functions(m: int, r: int, s: int, k: int, values: int) -> np.ndarray[Any, Any]:
    """Every set of at most s rules that never disagree, as the row of its labels at all records."""
    points = records(m, values)
    rules = [c for c in product([None, *range(values)], repeat=m) if m - c.count(None) <= r]
    rows = set()
    for size in range(s + 1):
        for chosen in combinations(product(rules, range(1, k + 1)), size):
            at = [{y for rule, y in chosen if obeyed(x, rule)} for x in points]
            # Rules that do not exclude each other meet at one of these records.
            if all(len(found) <= 1 for found in at):
                rows.add(tuple(max(found, default=0) for found in at))
    return np.array(sorted(rows))


def named(table: np.ndarray[Any, Any], k: int) -> FiniteClass:
    return FiniteClass.from_array(table, labels=k + 1)
