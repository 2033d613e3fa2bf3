"""Spends of other libraries: what they cost under our neighbours, and how a ledger records them."""

import threading
from fractions import Fraction
from itertools import product
from math import exp
from pathlib import Path

import pytest

from littlestone.base.errors import BudgetExceededError, DeclarationError
from littlestone.privacy.accounting.elsewhere import Elsewhere
from littlestone.privacy.cost import NeighboringRelation, PrivacyCost
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.mechanisms.exponential import ExponentialMechanism
from littlestone.privacy.rational import exp_above, exp_below
from littlestone.prove.audit.claims import hockey_stick

ONE = PrivacyCost(Fraction(1))
HALF = Elsewhere.declare("0.5", neighbours="replace-one")


def count(records: tuple[int, ...], r: Fraction) -> dict[object, Fraction]:
    """The number of ones, with a record a sign, with two-sided geometric noise cut at 40."""
    centre = sum(2 * x - 1 for x in records)
    weights = {y: r ** -abs(y - centre) for y in range(-40, 41)}
    total = sum(weights.values())
    return {y: weight / total for y, weight in weights.items()}


def worst(law, epsilon: Fraction) -> Fraction:  # type: ignore[no-untyped-def]
    """The largest delta at ``epsilon`` over all data sets of 2 bits and one record replaced."""
    sets = list(product((0, 1), repeat=2))
    return max(
        hockey_stick(law(S), law(T), exp_above(epsilon, 256))
        for S, T in product(sets, sets)
        if sum(a != b for a, b in zip(S, T, strict=True)) == 1
    )


@pytest.mark.deep
def test_a_removal_and_an_addition_cost_twice() -> None:
    """Noise for sensitivity 1: a record replaced moves this sum of signs by 2."""
    epsilon = Fraction(1, 2)
    r = exp_below(epsilon, 256)
    cost = Elsewhere.declare(epsilon, neighbours="add-remove").cost()
    assert worst(lambda S: count(S, r), cost.epsilon) < Fraction(1, 10**6)  # cut at 40
    # Planted: the factor 2 is forgotten.
    assert worst(lambda S: count(S, r), epsilon) > Fraction(1, 10)


def test_delta_grows_by_more_than_twice() -> None:
    cost = Elsewhere.declare(1, Fraction(1, 1000), neighbours="add-remove").cost()
    assert cost.epsilon == 2
    assert Fraction(1 + exp(1)) / 1000 <= cost.delta <= Fraction("0.00371829")


def test_costs_are_exact_and_rounded_up() -> None:
    assert Elsewhere.declare("0.1", neighbours="replace-one").cost().epsilon == Fraction(1, 10)
    assert Elsewhere.declare("1/3", neighbours="add-remove").cost().epsilon == Fraction(2, 3)
    assert Elsewhere.declare(5000, "1e-9", neighbours="add-remove").cost().delta == 1
    one = Elsewhere.from_rho("0.5", "1e-6", neighbours="replace-one").cost()
    two = Elsewhere.from_rho("0.125", "1e-6", neighbours="add-remove").cost()
    assert one == two  # 4 rho
    # The Gaussian mechanism of noise 1 has epsilon 4.8866 at 1e-6 by its loss distribution.
    assert 4.886 < one.epsilon < 5.23


@pytest.mark.parametrize("wrong", ["nan", "inf", "-1", "x", "1e401", "", True, None])
def test_what_is_no_epsilon_is_refused(wrong: object) -> None:
    with pytest.raises(DeclarationError):
        Elsewhere.declare(wrong, neighbours="replace-one")
    with pytest.raises(DeclarationError):
        Elsewhere.from_rho(wrong, "1e-6", neighbours="replace-one")


def test_a_delta_is_a_probability_and_neighbours_are_said() -> None:
    for delta in ("-1e-9", "1", "nan"):
        with pytest.raises(DeclarationError):
            Elsewhere.declare(1, delta, neighbours="replace-one")
    with pytest.raises(DeclarationError, match="delta above 0"):
        Elsewhere.from_rho(1, 0, neighbours="replace-one")
    with pytest.raises(DeclarationError, match="for which neighbours"):
        Elsewhere.declare(1, neighbours="")


def test_a_spend_beyond_the_limit_is_recorded_only_if_it_has_happened() -> None:
    ledger = Ledger()
    ledger.set_limit("d", ONE)
    ledger.spend(ExponentialMechanism(Fraction(3, 4)), dataset="d", what="a rule")
    with pytest.raises(BudgetExceededError, match="do not run it"):
        ledger.record(HALF, dataset="d", what="a mean")
    assert ledger.total("d").epsilon == Fraction(3, 4)
    done = ledger.record(HALF, dataset="d", what="a mean", already_spent=True)
    assert done.after is not None
    assert (done.after.epsilon, done.excess) == (Fraction(5, 4), ["epsilon"])
    with pytest.raises(BudgetExceededError):
        ledger.spend(ExponentialMechanism(Fraction(1, 100)), dataset="d", what="a rule")
    assert [entry.mechanism for entry in ledger.entries("d")][1].startswith(
        "elsewhere: epsilon 0.5"
    )


def test_units_and_records_are_counted_side_by_side() -> None:
    ledger = Ledger()
    ledger.record(HALF, dataset="d", what="a mean")
    unit = Elsewhere.declare("0.5", neighbours="add-remove", unit="patient")
    assert unit.cost().neighboring == NeighboringRelation.replace_one_unit("patient")
    ledger.record(unit, dataset="d", what="a mean", already_spent=True)
    assert ledger.total("d") == HALF.cost() + PrivacyCost(unit.cost().epsilon)
    assert [count.total is None for count in ledger.counts("d")] == [False, True]


@pytest.mark.parametrize("what", ["a\nb", "\x1b[2J", "a\u202eb", " ", ""])
def test_a_purpose_is_one_visible_line(what: str) -> None:
    ledger = Ledger()
    with pytest.raises(DeclarationError):
        ledger.record(HALF, dataset="d", what=what)
    assert ledger.entries() == []


def test_two_who_record_at_once_do_not_pass_the_limit(tmp_path: Path) -> None:
    path, done = tmp_path / "l", list[str]()
    with Ledger(path, create=True) as ledger:
        ledger.set_limit("d", ONE)

    def work() -> None:
        with Ledger(path) as ledger:
            for _ in range(3):
                try:
                    ledger.record(HALF, dataset="d", what="a mean")
                    done.append("recorded")
                except BudgetExceededError:
                    done.append("refused")

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(done) == ["recorded"] * 2 + ["refused"] * 4
