"""Parallel composition over parts by position: exact output distributions on all tiny data sets.

Four records, each a bit.  A spend of cost (k ln 2, delta) on a part draws: with probability delta the
parity of the part's bits itself, otherwise the parity through randomized response of ratio 2^k.
Every replacement inside the part flips the parity, so the ratio is reached by each of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, product

import pytest
from spending import Answer

from littlestone.base.errors import BudgetExceededError, DeclarationError
from littlestone.privacy.cost import PrivacyCost
from littlestone.privacy.ledger import Ledger, Part
from littlestone.privacy.ledger.counts import Spending
from littlestone.prove.audit.claims import hockey_stick

Spend = tuple[Part | None, PrivacyCost]  # epsilon in units of ln 2
Records = tuple[int, ...]
Split = Callable[[Records, Part | None], Sequence[int]]
Rule = Callable[[Sequence[Spend]], PrivacyCost]

N = 4
HALVES = [Part("first and second half", index, 2) for index in (1, 2)]
FOLDS = [Part.fold(index, 2) for index in (1, 2)]
THIRDS = [Part.fold(index, 3) for index in (1, 2, 3)]
SMALL, SURE, LEAKY = (
    PrivacyCost(Fraction(1)),
    PrivacyCost(Fraction(2)),
    PrivacyCost(Fraction(1), Fraction(1, 8)),
)
MENU: list[Spend] = [
    (None, SMALL), (HALVES[0], SMALL), (HALVES[1], LEAKY), (FOLDS[0], SURE), (FOLDS[0], SMALL),
    (FOLDS[1], LEAKY), (THIRDS[0], SURE),
]  # fmt: skip


def by_position(records: Records, part: Part | None) -> Sequence[int]:
    if part is None:
        return records
    if part in HALVES:
        return records[:2] if part.index == 1 else records[2:]
    return records[part.index - 1 :: part.of]


def by_value(records: Records, part: Part | None) -> Sequence[int]:
    """Planted mistake: the zeros are one part, the ones the other; parity of the part's size."""
    assert part is not None
    return [1 for record in records if record == part.index - 1]


def outputs(spends: Sequence[Spend], records: Records, split: Split) -> dict[object, Fraction]:
    draws = []
    for part, cost in spends:
        bit, odds = sum(split(records, part)) % 2, 2 ** int(cost.epsilon)
        honest = (1 - cost.delta) / (odds + 1)
        draw = {f"says {b}": honest * (odds if b == bit else 1) for b in (0, 1)}
        draws.append(draw | ({f"sure {bit}": cost.delta} if cost.delta else {}))
    joint: dict[object, Fraction] = {}
    for chosen in product(*(draw.items() for draw in draws)):
        mass = Fraction(1)
        for _, probability in chosen:
            mass *= probability
        joint[tuple(name for name, _ in chosen)] = mass
    return joint


def neighbours() -> Iterator[tuple[Records, Records]]:
    for records in product((0, 1), repeat=N):
        for j in range(N):
            yield records, (*records[:j], 1 - records[j], *records[j + 1 :])


@cache
def worst(spends: tuple[Spend, ...], epsilon: Fraction, split: Split = by_position) -> Fraction:
    """The largest divergence at ratio 2^epsilon over all neighbours, both ways."""
    known = {records: outputs(spends, records, split) for records in product((0, 1), repeat=N)}
    ratio = Fraction(2) ** int(epsilon)
    return max(hockey_stick(known[one], known[other], ratio) for one, other in neighbours())


def total(spends: Sequence[Spend]) -> PrivacyCost:
    spending = Spending()
    for part, cost in spends:
        spending.add(cost, part)
    return spending.total


PLANS = [plan for size in (1, 2, 3) for plan in combinations_with_replacement(MENU, size)]


def violations(rule: Rule) -> int:
    costs = ((plan, rule(plan)) for plan in PLANS)
    return sum(worst(plan, cost.epsilon) > cost.delta for plan, cost in costs)


def test_the_total_holds_for_all_neighbours() -> None:
    assert violations(total) == 0


def test_the_total_of_epsilon_is_reached() -> None:
    """At half of that ratio there is a divergence, when some position is in all worst parts."""
    plans: list[tuple[Spend, ...]] = [
        ((HALVES[0], SMALL), (FOLDS[0], SURE)),
        ((None, SURE), (FOLDS[1], SURE)),
        ((FOLDS[0], SURE), (FOLDS[1], SMALL), (FOLDS[1], SURE)),
    ]
    for plan in plans:
        assert worst(plan, total(plan).epsilon) == 0 < worst(plan, total(plan).epsilon - 1)


def costliest_part(spends: Sequence[Spend]) -> PrivacyCost:
    """Planted bug: the part with the largest epsilon, and the delta of that part only."""
    paid: dict[Part | None, PrivacyCost] = {}
    for part, cost in spends:
        paid[part] = paid[part] + cost if part in paid else cost
    whole = paid.pop(None, PrivacyCost(Fraction(0)))
    for partition in {(part.partition, part.of) for part in paid if part}:
        own = [c for p, c in paid.items() if p and (p.partition, p.of) == partition]
        whole += max(own, key=lambda cost: (cost.epsilon, cost.delta))
    return whole


def partitions_in_parallel(spends: Sequence[Spend]) -> PrivacyCost:
    """Planted bug: the worst over all parts of all partitions, as if these were disjoint too."""
    parts = {part for part, _ in spends}
    whole = total([spend for spend in spends if spend[0] is None])
    sums = [total([s for s in spends if s[0] == part]) for part in parts if part]
    zero = Fraction(0)
    return whole + PrivacyCost(
        max((cost.epsilon for cost in sums), default=zero),
        max((cost.delta for cost in sums), default=zero),
    )


def by_name_alone(spends: Sequence[Spend]) -> PrivacyCost:
    """Planted bug: fold 1 of 2 and fold 3 of 3 are taken for parts of one partition."""
    return total([(part and Part(part.partition, part.index, 9), cost) for part, cost in spends])


def worst_spend(spends: Sequence[Spend]) -> PrivacyCost:
    """Planted bug: the worst spend of each part, not the sum."""
    latest = {(part, cost) for part, cost in spends if part}
    biggest = {part: max((c for p, c in latest if p == part), key=lambda c: c.epsilon)
               for part, _ in latest}  # fmt: skip
    return total([spend for spend in spends if spend[0] is None] + list(biggest.items()))


@pytest.mark.parametrize(
    "bug", [costliest_part, partitions_in_parallel, by_name_alone, worst_spend]
)
def test_a_wrong_total_would_be_caught(bug: Rule) -> None:
    assert violations(bug) > 0


def test_parts_by_value_cost_more() -> None:
    """One replaced record leaves one part and enters the other, and both draws see it."""
    plan: tuple[Spend, ...] = ((FOLDS[0], SMALL), (FOLDS[1], SMALL))
    assert worst(plan, total(plan).epsilon) == 0
    assert worst(plan, total(plan).epsilon, split=by_value) > 0


def test_each_position_s_total_and_the_total_stand_under_the_same_limits() -> None:
    """Maxima of epsilon and of delta apart refuse nothing that a check part by part admits."""
    for plan in PLANS:
        wholes = [cost for part, cost in plan if part is None]
        partitions = sorted({(part.partition, part.of) for part, _ in plan if part})
        positions = product(*([(*kind, i + 1) for i in range(kind[1])] for kind in partitions))
        sums = []
        for position in positions:
            paid = [c for p, c in plan if p and (p.partition, p.of, p.index) in position]
            sums.append(sum([*wholes, *paid], start=PrivacyCost(Fraction(0))))
        for epsilon, delta in product(range(8), range(4)):
            limit = PrivacyCost(Fraction(epsilon), Fraction(delta, 8))
            assert all(c.within(limit) for c in sums) == total(plan).within(limit)


# The ledger, in both stores.


def test_folds_share_a_limit_and_partitions_add_up(address: str) -> None:
    half = Answer(Fraction(1, 2), Fraction(1, 100))
    with Ledger(address) as ledger:
        ledger.set_limit("people", PrivacyCost(Fraction(3, 2), Fraction(1, 10)))
        for index in range(1, 6):
            ledger.spend(half, dataset="people", what="a fold", part=Part.fold(index, 5))
        assert ledger.total("people") == half.cost()
        ledger.spend(half, dataset="people", what="a half", part=HALVES[0])
        ledger.spend(half, dataset="people", what="all")
        assert ledger.total("people").epsilon == Fraction(3, 2)
        for full in (None, HALVES[0], Part.fold(3, 5), Part.fold(1, 6)):
            assert ledger.preview(half, dataset="people", part=full).is_refused
            with pytest.raises(BudgetExceededError, match="the total would be epsilon 2, delta"):
                ledger.spend(half, dataset="people", what="too much", part=full)
        free = ledger.preview(half, dataset="people", part=HALVES[1])
        assert (free.is_refused, free.before, free.after) == (False, free.after, free.before)
        last = ledger.spend(half, dataset="people", what="free", part=HALVES[1])
    with Ledger(address, create=False) as ledger:
        assert [entry.part for entry in ledger.entries()] == [
            *(Part.fold(index, 5) for index in range(1, 6)), HALVES[0], None, HALVES[1],
        ]  # fmt: skip
        assert ledger.entries()[-1] == last.entry
        totals = [total.epsilon for _, total in ledger.history()]
        assert totals == [Fraction(1, 2)] * 5 + [Fraction(1), Fraction(3, 2), Fraction(3, 2)]


def test_a_history_ends_in_the_totals(address: str) -> None:
    ledger = Ledger(address)
    for number, (part, cost) in enumerate(MENU * 3):
        event = Answer(cost.epsilon, cost.delta)
        ledger.spend(event, dataset="ab"[number % 2], what="a look", part=part)
        last = {entry.dataset: total for entry, total in ledger.history()}
        assert last == {name: ledger.total(name) for name in ledger.datasets()}
    assert ledger.history("b") == [line for line in ledger.history() if line[0].dataset == "b"]


def test_a_preview_records_nothing(address: str) -> None:
    ledger = Ledger(address)
    ledger.set_limit("people", PrivacyCost(Fraction(1)))
    for epsilon, refused in ((Fraction(1), False), (Fraction(2), True)):
        preview = ledger.preview(Answer(epsilon), dataset="people")
        assert preview.after is not None
        assert preview.before is not None
        assert (preview.is_refused, preview.after.epsilon) == (refused, epsilon)
        assert (preview.before.epsilon, preview.cost.epsilon) == (Fraction(0), epsilon)
    assert not ledger.preview(Answer(), dataset="no limit").is_refused
    assert ledger.entries() == []


@pytest.mark.parametrize(
    ("partition", "index", "of"),
    [("", 1, 2), ("a\nb", 1, 2), ("folds", 0, 2), ("folds", 3, 2), ("folds", 1, 2**31),
     ("folds", True, 2), ("folds", 1.0, 2), ("folds", "1", 2)],
)  # fmt: skip
def test_parts_that_are_none_are_refused(partition: str, index: int, of: int) -> None:
    with pytest.raises(DeclarationError):
        Part(partition, index, of)
