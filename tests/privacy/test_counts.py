"""What spends for rows count for units and the other way round: exact, limited, upgraded."""

import shutil
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from spending import Answer

from littlestone.base.errors import BudgetExceededError, DeclarationError
from littlestone.points.units import Unit
from littlestone.privacy.accounting.groups import UnitEvent, growth
from littlestone.privacy.cost import NeighboringRelation, PrivacyCost
from littlestone.privacy.event import Guarantee
from littlestone.privacy.ledger import Ledger, Part
from littlestone.privacy.ledger.counts import UNBOUNDED
from littlestone.privacy.mechanisms.exponential import ExponentialMechanism
from planting import Fault, plant

ROWS = NeighboringRelation.REPLACE_ONE
PATIENTS = NeighboringRelation.replace_one_unit("patient")
WARDS = NeighboringRelation.replace_one_unit("ward")
HALF, ONE = Fraction(1, 2), Fraction(1)
ROW = Answer(HALF, Fraction(1, 1000))
UNIT = UnitEvent(Answer(HALF), Unit("patient", 2))
FORMAT_4 = Path(__file__).parent / "ledgers" / "format-4.sqlite"


def totals(ledger: Ledger) -> dict[str, PrivacyCost | None]:
    return {count.relation: count.total for count in ledger.counts("visits")}


def spent(*events: Answer | UnitEvent) -> Ledger:
    ledger = Ledger()
    for event in events:
        ledger.spend(event, dataset="visits", what="a look")
    return ledger


def test_a_limit_for_rows_is_shown_after_a_spend_for_units() -> None:
    ledger, most = Ledger(), PrivacyCost(3 * ONE, ROW.delta)
    ledger.set_limit("visits", most)
    receipt = ledger.spend(UNIT, dataset="visits", what="a look")
    assert (receipt.total, receipt.limit) == (PrivacyCost(ONE), most)
    patients = PrivacyCost(2 * ONE, neighboring=PATIENTS)
    ledger.set_limit("visits", patients)
    seen = ledger.preview(UNIT, dataset="visits")
    assert (seen.before, seen.limit) == (UNIT.cost(), patients)


@pytest.mark.parametrize("events", [(ROW, UNIT), (UNIT, ROW)])
def test_rows_and_units_are_both_counted(events: tuple[Answer, UnitEvent]) -> None:
    one, other = events
    ledger = spent(one)
    assert ledger.preview(other, dataset="visits").is_refused
    with pytest.raises(BudgetExceededError, match="is spent per record; for each patient") as told:
        ledger.spend(other, dataset="visits", what="a look")
    assert "ledger unit visits --unit patient --max-records" in told.value.fix
    assert len(ledger.entries()) == 1
    ledger.declare_most("visits", Unit("patient", 3))
    ledger.spend(other, dataset="visits", what="a look")
    assert ledger.total("visits") == PrivacyCost(HALF + ONE, ROW.delta)
    total = totals(ledger)[PATIENTS]
    assert total is not None
    assert total.epsilon == 3 * HALF + ONE
    exact = ROW.delta * growth(HALF, 3)
    assert exact <= total.delta <= exact * Fraction(100001, 100000)
    assert [total for _, total in ledger.history("visits")][-1] == ledger.total("visits")


def test_a_spend_that_another_library_made_leaves_a_unit_without_a_bound() -> None:
    """It has happened, so it is recorded; then nothing more is spent until a maximum is declared."""
    ledger = spent(ROW)
    assert ledger.record(UNIT, dataset="visits", what="a mean", already_spent=True).excess
    assert totals(ledger) == {ROWS: PrivacyCost(HALF + ONE, ROW.delta), PATIENTS: None}
    assert UNBOUNDED in ledger.counts("visits")[1].text()
    for event in (ROW, UNIT):
        with pytest.raises(BudgetExceededError, match=UNBOUNDED):
            ledger.spend(event, dataset="visits", what="a look")
    ledger.declare_most("visits", Unit("patient", 3))
    assert totals(ledger)[PATIENTS] is not None


def test_a_spend_for_units_of_one_column_counts_for_those_of_another_like_rows() -> None:
    ledger = spent(UNIT)
    ledger.declare_most("visits", Unit("ward", 5))
    assert totals(ledger) == {
        PATIENTS: UNIT.cost(),
        WARDS: PrivacyCost(Fraction(5), neighboring=WARDS),
    }
    ward = UnitEvent(Answer(HALF), Unit("ward", 1))
    with pytest.raises(BudgetExceededError, match="is spent per ward; for each patient"):
        ledger.spend(ward, dataset="visits", what="a look")
    ledger.declare_most("visits", Unit("patient", 2))
    ledger.spend(ward, dataset="visits", what="a look")
    assert totals(ledger)[PATIENTS] == PrivacyCost(ONE + 2 * HALF, neighboring=PATIENTS)
    assert totals(ledger)[ROWS] == PrivacyCost(ONE + HALF)
    assert totals(ledger)[WARDS] == PrivacyCost(5 + HALF, neighboring=WARDS)


def test_a_spend_may_pass_neither_limit() -> None:
    ledger = spent(ROW)
    ledger.set_limit("visits", PrivacyCost(Fraction(2), Fraction(1, 10)))
    ledger.set_limit("visits", PrivacyCost(Fraction(4), Fraction(1, 10), PATIENTS))
    with pytest.raises(BudgetExceededError, match=UNBOUNDED):
        ledger.spend(UNIT, dataset="visits", what="a look")
    ledger.declare_most("visits", Unit("patient", 4))
    ledger.spend(UNIT, dataset="visits", what="a look")  # 2 + 1 for a patient, 1.5 for a row
    with pytest.raises(BudgetExceededError, match=r"epsilon 5, .* limit is epsilon 4,"):
        ledger.spend(ROW, dataset="visits", what="a look")
    ledger.set_limit("visits", PrivacyCost(Fraction(10), Fraction(1, 10), PATIENTS))
    ledger.spend(ROW, dataset="visits", what="a look")
    with pytest.raises(BudgetExceededError, match=r"limit is epsilon 2,"):
        ledger.spend(ROW, dataset="visits", what="a look")
    assert len(ledger.entries()) == 3


def test_a_limit_for_units_refuses_rows_alone() -> None:
    ledger = Ledger()
    ledger.set_limit("visits", PrivacyCost(ONE, neighboring=PATIENTS))
    with pytest.raises(BudgetExceededError, match=UNBOUNDED):
        ledger.spend(ROW, dataset="visits", what="a look")
    assert ledger.entries() == []


def test_a_declaration_says_that_nobody_enforced_it_and_never_shrinks() -> None:
    ledger = Ledger()
    ledger.declare_most("visits", Unit("patient", 3))
    ledger.spend(ROW, dataset="visits", what="a look")
    (_, count) = ledger.counts("visits")
    assert count.text().endswith(
        "at most 3 records of each patient: a promise that nobody enforced"
    )
    with pytest.raises(DeclarationError, match="at most 3 are declared already"):
        ledger.declare_most("visits", Unit("patient", 2))
    ledger.declare_most("visits", Unit("patient", 4))
    (_, count) = ledger.counts("visits")
    assert count.total is not None
    assert count.total.epsilon == 2
    assert "declared after a spend, a promise that nobody enforced" in count.text()


@pytest.mark.parametrize("event", [ROW, UNIT])
@pytest.mark.parametrize("column", ["patient", "ward"])
def test_a_declaration_changes_no_earlier_total(event: Answer | UnitEvent, column: str) -> None:
    """Only the count of its own column is new; it is told beside the others."""
    ledger = spent(event, event)
    ledger.set_limit("visits", PrivacyCost(Fraction(3), Fraction(1, 10), event.cost().neighboring))
    before = ledger.total("visits"), ledger.limit("visits"), ledger.history("visits")
    counted = totals(ledger)
    ledger.declare_most("visits", Unit(column, 3))
    assert (ledger.total("visits"), ledger.limit("visits"), ledger.history("visits")) == before
    assert {relation: totals(ledger)[relation] for relation in counted} == counted
    assert ledger.spend(event, dataset="visits", what="a look").number == 3  # the limit is the same


def test_names_that_are_joined_have_the_largest_number() -> None:
    ledger = spent(ROW)
    ledger.declare_most("copy", Unit("patient", 5))
    ledger.declare_most("visits", Unit("patient", 2))
    ledger.alias("copy", "visits")
    total = totals(ledger)[PATIENTS]
    assert total is not None
    assert total.epsilon == 5 * HALF


def test_a_ledger_of_format_4_is_brought_up_to_date_without_loss(tmp_path: Path) -> None:
    path = tmp_path / "old.ledger"
    shutil.copyfile(FORMAT_4, path)
    for _ in range(2):
        with Ledger(path, create=False) as ledger:
            assert [entry.number for entry in ledger.entries()] == [1, 2, 3, 4]
            assert ledger.total("visits") == PrivacyCost(Fraction(3, 4))
            assert ledger.limit("copy of visits") == PrivacyCost(Fraction(3), Fraction(1, 10**5))
            assert ledger.total("people") == PrivacyCost(ONE, neighboring=PATIENTS)
            assert ledger.limit("people") == PrivacyCost(Fraction(2), neighboring=PATIENTS)
            assert ledger.lookalikes() == []
    with Ledger(path) as ledger:
        ledger.declare_most("visits", Unit("patient", 2))
        with pytest.raises(BudgetExceededError):
            ledger.spend(Answer(Fraction(3)), dataset="copy of visits", what="too much")
        with pytest.raises(BudgetExceededError, match=UNBOUNDED):
            ledger.spend(ROW, dataset="people", what="a look")
        ledger.spend(Answer(HALF), dataset="visits", what="a look")
        assert totals(ledger)[PATIENTS] == PrivacyCost(Fraction(5, 2), neighboring=PATIENTS)


# Theorem 4 on the least tables: each record is a bit, a release is each bit told with its own chance.


def laws(parts: tuple[tuple[int, Fraction], ...], records: tuple[int, ...]) -> dict[Any, Fraction]:
    """Part p of records[p::2] (or all, for p = 2): with probability q the bits, else nothing.

    After that, randomized response on the sum of its bits: e^epsilon is 2.
    """
    found: dict[Any, Fraction] = {(): ONE}
    for part, q in parts:
        seen = records if part == 2 else records[part::2]
        right = Fraction(2 ** sum(seen), 2 ** sum(seen) + 2 ** (len(seen) - sum(seen)))
        one = {("all", seen): q, 1: (1 - q) * right, 0: (1 - q) * (1 - right)}
        found = {
            (*before, y): mass * chance
            for before, mass in found.items()
            for y, chance in one.items()
            if chance
        }
    return found


def worst(
    parts: tuple[tuple[int, Fraction], ...], k: int
) -> Iterator[tuple[dict[Any, Fraction], dict[Any, Fraction]]]:
    """All pairs of tables of four bits that differ in at most k places."""
    for one, other in product(product((0, 1), repeat=4), repeat=2):
        if 0 < sum(a != b for a, b in zip(one, other, strict=True)) <= k:
            yield laws(parts, one), laws(parts, other)


LN_4 = Fraction(13863, 10000)  # above ln 4, by which one bit moves the odds of a response


def counted_at(k: int, parts: tuple[tuple[int, Fraction], ...]) -> PrivacyCost:
    ledger = Ledger()
    ledger.declare_most("visits", Unit("patient", k))
    for part, q in parts:
        where = None if part == 2 else Part.fold(part + 1, 2)
        ledger.spend(Answer(LN_4, q), dataset="visits", what="a look", part=where)
    total = totals(ledger)[PATIENTS]
    assert total is not None
    return total


SPENDS = [
    ((2, Fraction(1, 100)),),
    ((0, Fraction(1, 100)), (1, Fraction(1, 50))),
    ((0, Fraction(1, 100)), (1, Fraction(1, 100)), (0, Fraction(0)), (2, Fraction(0))),
]


def holds(k: int, parts: tuple[tuple[int, Fraction], ...]) -> bool:
    claim = counted_at(k, parts)
    power = Fraction(4) ** int(claim.epsilon / LN_4)  # e^claim, from below within what LN_4 adds
    return all(
        sum(max(Fraction(0), mass - power * q.get(y, Fraction(0))) for y, mass in p.items())
        <= claim.delta
        for p, q in worst(parts, k)
    )


@pytest.mark.parametrize(("k", "parts"), list(product((1, 2, 3), SPENDS)))
def test_what_rows_count_for_units_holds_for_all_small_tables(
    k: int, parts: tuple[tuple[int, Fraction], ...]
) -> None:
    """Parts by position stay parallel: of k records, j_P are in part P, and growth is convex in j."""
    assert holds(k, parts)


def test_a_count_of_one_row_would_not_hold_for_three_records(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plant(FAULTS[0], monkeypatch)
    assert not holds(3, SPENDS[0])


COUNTS = "littlestone.privacy.ledger.counts"
FAULTS = [
    Fault(f"{COUNTS}:convert_cost", "cost = of_group(cost, most.records)", "pass",
          "a spend for rows counts once for a unit"),
    Fault(f"{COUNTS}:convert_cost", "of_group(cost, most.records)",
          "PrivacyCost(most.records * cost.epsilon, most.records * cost.delta)",
          "delta only k times"),
    Fault(f"{COUNTS}:convert_cost", "if most is None:\n            return None",
          "if most is None:\n            return replace(cost, neighboring=relation)",
          "without a maximum a unit counts as a row"),
    Fault("littlestone.privacy.ledger.ledger:_preview",
          "for protected in later.neighbour_relations",
          "for protected in later.neighbour_relations if protected == relation",
          "only the limit of the spend's own neighbours binds"),
    Fault("littlestone.privacy.ledger.ledger:_preview",
          "later.neighbour_relations", "later.limits", "a bound may be lost where there is no limit"),
    Fault(f"{COUNTS}:convert_cost", "if cost.neighboring == relation:",
          "if most is None and cost.neighboring == relation:",
          "a declaration changes the totals of spends for these units"),
    Fault("littlestone.privacy.ledger.ledger:BaseLedger.declare_most",
          "unit.most < known.records", "False", "a smaller maximum is accepted in silence"),
    Fault("littlestone.privacy.ledger.rows:most",
          "found[unit].records < records", "True", "the last maximum counts, not the largest"),
    Fault("littlestone.privacy.ledger.rows:most",
          "_spent_before(connection, names, after)", "False", "a late declaration is not told"),
    Fault("littlestone.privacy.ledger.file:_prepare", "range(version, FORMAT)",
          "range(version, FORMAT - 1)", "the last upgrade is missing"),
]  # fmt: skip


@pytest.mark.deep
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.mistake)
def test_each_planted_fault_is_caught(
    fault: Fault, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    plant(fault, monkeypatch)
    caught = 0
    checks: tuple[Callable[[], None], ...] = (
        lambda: test_rows_and_units_are_both_counted((ROW, UNIT)),
        lambda: test_what_rows_count_for_units_holds_for_all_small_tables(3, SPENDS[0]),
        test_a_spend_may_pass_neither_limit,
        test_a_declaration_says_that_nobody_enforced_it_and_never_shrinks,
        lambda: test_a_declaration_changes_no_earlier_total(UNIT, "patient"),
        test_names_that_are_joined_have_the_largest_number,
        lambda: test_a_ledger_of_format_4_is_brought_up_to_date_without_loss(tmp_path),
    )
    for check in checks:
        try:
            check()
        except (Exception, pytest.fail.Exception):
            caught += 1
    assert caught


def test_the_rho_of_k_records_is_k_squared(monkeypatch: pytest.MonkeyPatch) -> None:
    one = ExponentialMechanism(Fraction(1, 10))

    def rho(k: int) -> Fraction:
        guarantee: Guarantee = UnitEvent(one, Unit("patient", k)).guarantee()
        return guarantee.rho

    assert rho(3) == 9 * one.guarantee().rho
    fault = Fault("littlestone.privacy.accounting.groups:UnitEvent.guarantee",
                  "k**2 * one.rho", "k * one.rho", "rho times k")  # fmt: skip
    plant(fault, monkeypatch)
    assert rho(3) != 9 * one.guarantee().rho
