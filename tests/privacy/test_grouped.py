"""Group privacy: its cost, that it is tight, and that a ledger never adds it to costs of records."""

import re
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from spending import Answer as Claim

from littlestone.base.errors import BudgetExceededError, DeclarationError
from littlestone.points.units import MOST_RECORDS, Unit
from littlestone.privacy.accounting.composed import Composition
from littlestone.privacy.accounting.groups import UnitEvent, growth, record_budget
from littlestone.privacy.accounting.subsampled import Parallel
from littlestone.privacy.cost import Budget, NeighboringRelation, PrivacyCost
from littlestone.privacy.event import Guarantee
from littlestone.privacy.ledger import Ledger, Part
from littlestone.privacy.mechanisms.exponential import ExponentialMechanism
from littlestone.privacy.rational import exp_below
from littlestone.prove.audit.claims import hockey_stick

ONE = Fraction(1)
PATIENT, WARD = Unit("patient", 3), Unit("ward", 3)
OF_PATIENTS = NeighboringRelation.replace_one_unit("patient")
RECORD, UNIT = Claim(ONE), UnitEvent(Claim(ONE / 3), PATIENT)


@given(
    st.fractions(Fraction(1, 1000), 20),
    st.fractions(Fraction(1, 10**12), Fraction(1, 2)),
    st.integers(1, 40),
)
@settings(deadline=None, max_examples=60)
def test_the_budget_of_a_record_pays_for_a_unit(
    epsilon: Fraction, delta: Fraction, most: int
) -> None:
    budget, unit = Budget(epsilon, delta), Unit("patient", most)
    one = record_budget(budget, unit)
    cost = UnitEvent(Claim(one.epsilon, one.delta), unit).cost()
    assert cost.epsilon == epsilon
    assert delta * Fraction(99999, 100000) <= cost.delta <= delta
    assert cost.neighboring == OF_PATIENTS
    if most == 1:
        assert (one, cost.delta) == (budget, delta)


def test_the_delta_of_a_group_is_attained() -> None:
    """A key is released with q(s + 1) = r q(s) + d after s records: the largest curve there is."""
    epsilon, d = Fraction(1, 2), Fraction(1, 1000)
    r = exp_below(epsilon, 256)
    q = [Fraction(0)]
    for _ in range(4):
        q.append(r * q[-1] + d)
    law = [{"key": chance, "none": 1 - chance} for chance in q]
    for k in range(1, 5):
        worst = hockey_stick(law[k], law[0], r**k)
        claimed = UnitEvent(Claim(epsilon, d), Unit("patient", k)).cost().delta
        assert worst <= claimed <= worst * Fraction(100002, 100000)
        # k delta, which is often claimed, is less than that.
        assert k == 1 or worst > k * d


def test_a_pure_event_of_bounded_range_keeps_its_rho() -> None:
    unit, alone = Unit("patient", 4), ExponentialMechanism(ONE)
    grouped = UnitEvent(ExponentialMechanism(ONE / 4), unit).guarantee()
    assert grouped.epsilon == 1
    assert alone.guarantee().rho <= grouped.rho <= alone.guarantee().rho * Fraction(102, 100)
    one = UnitEvent(alone, Unit("patient", 1)).guarantee()
    assert (one.rho, one.neighboring) == (alone.guarantee().rho, OF_PATIENTS)


@dataclass(frozen=True)
class OfSmallRho(Claim):
    def guarantee(self) -> Guarantee:
        return Guarantee(self.epsilon, self.delta, ONE / 100)


def test_the_rho_of_a_group_is_proved_without_a_delta_only() -> None:
    assert UnitEvent(OfSmallRho(ONE), PATIENT).guarantee().rho == 9 * ONE / 100
    grouped = UnitEvent(OfSmallRho(ONE, ONE / 100), PATIENT)
    assert grouped.guarantee().rho == Guarantee.pure(3 * ONE).rho


def test_the_delta_of_a_group_is_at_most_one() -> None:
    assert UnitEvent(Claim(ONE, ONE / 2), Unit("patient", 9)).cost().delta == 1
    # Powers such as e^900,000 are not worked out.
    growth.cache_clear()
    huge = Claim(900 * ONE, ONE / 10**90)
    assert UnitEvent(huge, Unit("patient", MOST_RECORDS)).cost().delta == 1
    pure = UnitEvent(Claim(900 * ONE), Unit("patient", MOST_RECORDS))
    assert pure.cost() == PrivacyCost(900_000 * ONE, 0 * ONE, OF_PATIENTS)
    assert growth.cache_info().currsize == 0


@pytest.mark.parametrize(
    ("epsilon", "delta", "most"),
    [("1e-8", 0, 100), (1000, "1e-6", 2), (500, "1e-6", MOST_RECORDS)],
)
def test_a_share_that_is_no_budget_is_refused(epsilon: object, delta: object, most: int) -> None:
    with pytest.raises(DeclarationError, match="divide epsilon") as error:
        record_budget(Budget(epsilon, delta), Unit("patient", most))
    assert not re.search(r"\d{20}", str(error.value))


def test_the_delta_of_one_record_is_printed_in_few_digits() -> None:
    assert str(record_budget(Budget(100, "1e-6"), Unit("patient", 1000))) == (
        "epsilon 0.1, delta 3.91243805709e-51"
    )


def test_units_are_not_grouped_again_nor_charged_in_parallel() -> None:
    for make in (
        lambda: UnitEvent(UNIT, PATIENT),
        lambda: Parallel([UNIT, UNIT]),
        lambda: Composition([(UNIT, 1), (RECORD, 1)]),
        lambda: Composition([(UNIT, 1), (UnitEvent(Claim(ONE), WARD), 1)]),
    ):
        with pytest.raises(DeclarationError):
            make()
    assert Composition([(UNIT, 2)]).cost() == PrivacyCost(Fraction(2), neighboring=OF_PATIENTS)


@pytest.mark.parametrize("text", ["", "replace-one-unit: ", "replace-one-unit", "add-remove"])
def test_other_texts_are_no_relation(text: str) -> None:
    with pytest.raises(ValueError, match="not a neighbouring relation"):
        NeighboringRelation(text)


def test_units_have_no_parts() -> None:
    """Records of one unit may lie in several folds, so folds do not compose in parallel."""
    with Ledger() as ledger, pytest.raises(DeclarationError, match="several parts"):
        ledger.spend(UNIT, dataset="visits", what="a look", part=Part.fold(1, 2))


@pytest.mark.parametrize("column", [" patient", "pa\ntient", "x" * 501])
def test_a_unit_that_cannot_be_told_from_others_is_refused(column: str) -> None:
    with Ledger() as ledger, pytest.raises(DeclarationError, match="name of a unit"):
        ledger.spend(UnitEvent(RECORD, Unit(column, 1)), dataset="visits", what="a look")


def test_a_file_keeps_the_unit_and_refuses_unknown_relations(tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    with Ledger(path) as ledger:
        ledger.spend(UNIT, dataset="visits", what="a look")
    with Ledger(path) as ledger:
        assert ledger.entries()[0].cost == UNIT.cost()
        assert ledger.history()[0][1] == UNIT.cost()
    row = "'visits', 'a', 'a', '1/1', '0/1', '{}', '', '{}', {}, {}"
    columns = "dataset, what, mechanism, epsilon, delta, neighboring, at, partition, part, parts"
    with closing(sqlite3.connect(path)) as file:
        for relation, *part in (
            ("replace-one-unit: ", "", 0, 0),
            ("replace-one-unit", "", 0, 0),
            ("replace-one-unit: a\nb", "", 0, 0),
            ("replace-one-unit: patient", "folds", 1, 2),
        ):
            with pytest.raises(sqlite3.IntegrityError, match="would not write"):
                file.execute(
                    f"INSERT INTO entries ({columns}) VALUES ({row.format(relation, *part)})"
                )
        # Another program may add a cost for rows; then the count for patients has no bound.
        file.execute(
            f"INSERT INTO entries ({columns}) VALUES ({row.format('replace-one', '', 0, 0)})"
        )
        file.commit()
    with Ledger(path) as ledger:
        with pytest.raises(BudgetExceededError, match="no largest number of records"):
            ledger.spend(UNIT, dataset="visits", what="a look")
        assert [count.total is None for count in ledger.counts("visits")] == [False, True]
