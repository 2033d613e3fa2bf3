"""Domains, kinds of functions and online learners, found by walking the package, obey their laws.

Domains and functions are those that the examples of the classes bring forth; a kind that is added
later is tested here without a line.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from decimal import Decimal
from functools import partial
from itertools import product
from typing import Any

import pytest

from each import each
from littlestone.base.discovery import concrete
from littlestone.base.errors import DeclarationError
from littlestone.classes import HypothesisClass, parse_class
from littlestone.learn.stream.base import PrivateOnlineLearner
from littlestone.points import (
    Cells,
    Codes,
    Dates,
    Disjoint,
    Domain,
    Grid,
    Integers,
    Listed,
    Names,
    Product,
    Reals,
    Strings,
)
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.randomness import seeded_generator
from littlestone.prove.laws import Check, yield_checks
from littlestone.prove.laws.functions import functions
from littlestone.rules import (
    BitFunction,
    Box,
    BucketTable,
    FewColumns,
    FiniteSet,
    Hypothesis,
    ScoreSheet,
)
from littlestone.rules.nodes import ColumnTest, Split
from littlestone.rules.trees import DecisionTree
from littlestone.theory.game import OnlineLearner

KINDS: list[Any] = concrete(HypothesisClass, "littlestone.classes")
EXAMPLES: list[HypothesisClass[Any]] = [H for kind in KINDS for H in kind.examples()]
CENTS = Grid(-9, 99, "price", Decimal("0.01"))
MORE: list[Domain[Any]] = [
    CENTS,
    Names(("a", "b", "1"), "n", other="b"),
    Codes("code"),
    Product((Codes("code"), Cells(("0", "0.5"), "x"), Strings("s"))),
    Dates(("2021-01-01", "2021-02-01"), "day"),
    Product((CENTS, Names(("a", "b"), "n"))),
    Disjoint((Integers("i"), Product((Strings("s"), Integers("j"))))),
    Disjoint((Reals("r"), Product((Strings("s"), Reals("t"))))),
]


def parts(domain: Domain[Any]) -> Iterator[Domain[Any]]:
    yield domain
    for column in getattr(domain, "columns", ()):
        yield from parts(column)


DOMAINS = list(dict.fromkeys(part for H in EXAMPLES for part in parts(H.domain))) + MORE


@each("check", lambda: [check for domain in DOMAINS for check in yield_checks(domain)], quick=5)
def test_every_domain_obeys_every_law(check: Check) -> None:
    check()


def test_every_kind_of_domain_is_checked() -> None:
    kinds = concrete(Domain, "littlestone.points")  # type: ignore[type-abstract]
    assert {*map(type, DOMAINS)} == set(kinds)


@pytest.fixture(scope="module")
def of_kind() -> dict[type[Any], list[Hypothesis[Any]]]:
    """Functions by their kind, of each class a few."""
    found: dict[type[Any], list[Hypothesis[Any]]] = {}
    for H in EXAMPLES:
        for h in functions(H)[::3]:
            found.setdefault(type(h), []).append(h)
    # No class has SOAs of these kinds: large classes of boxes and juntas have none at all, and learners
    # of several labels put the others together.
    hours = Product((Grid(0, 2, "hour"), Grid(0, 1, "day")))
    sides = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))
    found[Box] = [Box(hours, None), *(Box(hours, (a, b)) for a in sides for b in ((0, 1), (1, 1)))]
    found[FewColumns] = [
        FewColumns(hours, chosen, labels)
        for chosen, cells in (((0,), 3), ((1,), 2), ((0, 1), 6))
        for labels in product((0, 1), repeat=cells)
    ]
    tails = Strings("tail")
    sets = [FiniteSet(tails, frozenset(some)) for some in ("", "a", "ab")]
    found[BitFunction] = [BitFunction(tails, 3, bits, 1) for bits in product(sets, repeat=2)]
    found[BucketTable] = [BucketTable(tails, 3, given) for given in product(range(3), repeat=2)]
    ages = Product((Cells(("0", "18"), "age"), Listed(("F",), "sex")))
    found[ScoreSheet] = [
        ScoreSheet(ages, chosen, points[: len(chosen)], least, (-900, 450))
        for chosen in ((), (0,), (0, 1))
        for points in (((0, -2, 3), (1, 0, 4)), ((1, 0, 0), (0, 2, 2)))
        for least in (0, 2)
    ]
    old, male = ColumnTest(0, frozenset(["18"])), ColumnTest(1, frozenset(["F"]))
    found[ScoreSheet] += [
        ScoreSheet(ages, (0,), ((0, -2, 3),), 2, (-900, 450), DecisionTree(ages, root), leaves)
        for root in (Split(old, 1, 0), Split(male, Split(old, 1, 0), 1))
        for leaves in (((2, 0), (0, 4)) if root.yes == 1 else ((2, 0, 1), (-1, 4, 0)))
    ]
    return found


KINDS = concrete(Hypothesis, "littlestone.rules")


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_kind_of_function_obeys_every_law(
    kind: type[Any], of_kind: dict[type[Any], list[Hypothesis[Any]]]
) -> None:
    assert len(of_kind[kind]) > 1
    for check in yield_checks(of_kind[kind][:80]):
        check()


PLAYED = list(
    map(
        parse_class,
        [
            "thresholds(x, 0..9)",
            "points(id)",
            "points(id; integers)",
            "subsets(id; at most 2)",
            "rules(a, b; at most 2)",
            "stumps(x 0..1, y 0..2)",
            "parities(a, b)",
            "affine(x, y; q 5, dimension 1)",
        ],
    )
)


def made(kind: Any, H: HypothesisClass[Any]) -> OnlineLearner[Any]:
    """A learner for the class, always the same one."""
    if not issubclass(kind, PrivateOnlineLearner):
        return kind(H)  # type: ignore[no-any-return]
    learner = kind(H, Budget(3, "0.01"), horizon=30)
    return learner.start(ledger=Ledger(), dataset="d", rng=seeded_generator(1))  # type: ignore[no-any-return]


def makers() -> Iterator[tuple[str, Callable[[], OnlineLearner[Any]]]]:
    """A way to make each learner for each class."""
    kinds: list[type[Any]] = [
        *concrete(OnlineLearner, "littlestone.theory.game"),  # type: ignore[type-abstract]
        *concrete(PrivateOnlineLearner, "littlestone.learn"),  # type: ignore[type-abstract]
    ]
    for H in PLAYED:
        for kind in kinds:
            yield f"{kind.__name__} of {H}", partial(made, kind, H)


def applies(make: Callable[[], OnlineLearner[Any]]) -> bool:
    """Whether the learner takes the class, and can write its function down."""
    try:
        return make().hypothesis is not None
    except DeclarationError:
        return False


def test_every_online_learner_obeys_every_law() -> None:
    checked: Counter[str] = Counter()
    for name, make in makers():
        kind = name.split(" of ")[0]
        if checked[kind] < 2 and applies(make):
            checked[kind] += 1
            for check in yield_checks(make):
                try:
                    check()
                except AssertionError as broken:
                    raise AssertionError(f"{name}: {broken}") from None
    assert set(checked) == {name.split(" of ")[0] for name, _ in makers()}
