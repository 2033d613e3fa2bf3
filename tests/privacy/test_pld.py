"""dp-accounting agrees with optimal composition, to the tolerance of its grid."""

from __future__ import annotations

import sys
from fractions import Fraction

import pytest
from spending import Answer

from littlestone.errors import DeclarationError
from littlestone.privacy.accounting.account import accounts
from littlestone.privacy.accounting.composed import Composed
from littlestone.privacy.accounting.pld import pld_epsilon, response_event, zcdp_event
from littlestone.privacy.accounting.renyi import zcdp_epsilon

dp_accounting = pytest.importorskip("dp_accounting")

MILLIONTH = Fraction(1, 10**6)
EVENTS = [
    Composed([(Answer(Fraction(1, 10)), 30)], MILLIONTH),
    Composed([(Answer(Fraction(1, 2)), 3), (Answer(Fraction(1, 5)), 4)], MILLIONTH),
    Composed([(Answer(Fraction(1, 2), MILLIONTH / 100), 10)], MILLIONTH),
]


def optimal(event: Composed) -> float:
    found = {account.method: account.epsilon for account in accounts(event, event.delta)}
    return float(found["optimal composition of epsilons"])


def draws(event: Composed) -> int:
    return sum(n for _, n in event.pieces())


@pytest.mark.parametrize("event", EVENTS, ids=str)
def test_privacy_loss_distributions_are_optimal_composition(event: Composed) -> None:
    step = 1e-4
    assert pld_epsilon(event, 1e-6, interval=step) == pytest.approx(
        optimal(event), abs=2 * step * draws(event)
    )


@pytest.mark.parametrize("event", EVENTS[:2], ids=str)
def test_its_accountant_counts_every_response(event: Composed) -> None:
    accountant = dp_accounting.pld.PLDAccountant(dp_accounting.NeighboringRelation.REPLACE_ONE)
    accountant.compose(response_event(event))
    assert accountant.get_epsilon(1e-6) == pytest.approx(optimal(event), abs=2e-4 * draws(event))


def test_its_renyi_accountant_agrees() -> None:
    event = EVENTS[0]
    accountant = dp_accounting.rdp.RdpAccountant(
        neighboring_relation=dp_accounting.NeighboringRelation.REPLACE_ONE
    )
    accountant.compose(zcdp_event(event))
    ours = float(zcdp_epsilon(event.guarantee().rho, MILLIONTH))
    assert accountant.get_epsilon(1e-6) == pytest.approx(ours, rel=0.01)


def test_a_delta_cannot_be_a_response() -> None:
    with pytest.raises(DeclarationError, match="has a delta"):
        response_event(EVENTS[2])


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "dp_accounting", None)
    with pytest.raises(DeclarationError, match=r"dp-accounting.*\n.*pip install"):
        zcdp_event(EVENTS[0])
