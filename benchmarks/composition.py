"""What composed events cost, and how long it takes to say so.

Beside dp-accounting's privacy loss distributions and naive addition.  The epsilon of each is in its
row.  Ours is certified in rationals; dp-accounting's is made of floats, on a grid of step 1e-4, and
knows the pieces' epsilons and deltas only, so it cannot see the bounded range of selections.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import reduce
from typing import Any

from benchmarks.harness import Case, Contender, require
from littlestone.privacy.accounting.composed import Composition, accounts
from littlestone.privacy.cost import PrivacyCost
from littlestone.privacy.event import Event
from littlestone.privacy.mechanisms.exponential import ExponentialMechanism

DELTA = Fraction(1, 10**6)


class Pure(Event):
    """Any event that is epsilon-DP."""

    def __init__(self, epsilon: Fraction) -> None:
        self._epsilon = epsilon

    def cost(self) -> PrivacyCost:
        return PrivacyCost(self._epsilon)

    def __str__(self) -> str:
        return f"any {self._epsilon}-DP event"


def tasks() -> dict[str, Composition]:
    """The composed events, by title."""
    selection, pure = ExponentialMechanism, Pure
    cent, tenth = Fraction(1, 100), Fraction(1, 10)
    mixed = [(pure(Fraction(3, 10)), 2), (selection(tenth), 50)]
    different = [(pure(Fraction(i, 100)), 20) for i in range(1, 11)]
    return {
        "100 selections of 0.1": Composition([(selection(tenth), 100)], DELTA),
        "10 selections of 0.1": Composition([(selection(tenth), 10)], DELTA),
        "1,000 pure events of 0.01": Composition([(pure(cent), 1000)], DELTA),
        "30 pure events of 1": Composition([(pure(Fraction(1)), 30)], DELTA),
        "20 pure events each of 0.01 to 0.1": Composition(different, DELTA),
        "2 pure events of 0.3, 50 selections of 0.1": Composition(mixed, DELTA),
    }


def pld_epsilon(event: Event, delta: float, *, interval: float = 1e-4) -> float:
    """The epsilon of ``event`` by dp-accounting's loss distributions of its pieces, as floats.

    Each (epsilon, delta)-DP piece is dominated by one loss distribution.  They are convolved on a grid
    of step ``interval`` in nats, rounded up.
    """
    distributions: Any = importlib.import_module("dp_accounting.pld.privacy_loss_distribution")
    common: Any = importlib.import_module("dp_accounting.pld.common")
    composed = reduce(
        lambda first, second: first.compose(second),
        (
            distributions.from_privacy_parameters(
                common.DifferentialPrivacyParameters(float(piece.epsilon), float(piece.delta)),
                value_discretization_interval=interval,
            ).self_compose(n)
            for piece, n in event.pieces()
        ),
    )
    return float(composed.get_epsilon_for_delta(delta))


def cases() -> Iterator[Case]:
    """Selections, pure events, equal and different ones, and both together."""
    installed = importlib.util.find_spec("dp_accounting") is not None
    for title, event in tasks().items():
        yield case(title, event, installed)


def case(title: str, event: Composition, installed: bool) -> Case:
    """One composed event by all ways."""
    certified = accounts(event, DELTA)
    basic = sum((n * piece.epsilon for piece, n in event.pieces()), Fraction(0))

    def ours() -> float:
        return float(accounts(event, DELTA)[0].epsilon)

    def pld() -> float:
        return pld_epsilon(event, float(DELTA))

    def contender(name: str, run: Callable[[], float]) -> Contender:
        expected = run()
        return Contender(
            f"{name}: epsilon {expected:.5g}", run, lambda answer: same(answer, expected)
        )

    def same(answer: float, expected: float) -> None:
        require(answer == expected, f"{answer} after {expected}")

    require(certified[0].epsilon <= basic, "an account is worse than addition")
    others = [contender("addition", lambda: float(basic))]
    if installed:
        others.append(contender("dp-accounting PLD", pld))
    notes = [] if installed else ["dp-accounting was left out: pip install '.[bench]'."]
    best = contender(f"littlestone, {certified[0].method}", ours)
    return Case(title, best, others, repeats=5, patience=3, notes=notes)
