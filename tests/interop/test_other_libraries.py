"""dp-accounting's events, ours among them, and our learners as measurements of OpenDP."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from littlestone.base.errors import BudgetExceededError, DeclarationError
from littlestone.classes import Points, Thresholds
from littlestone.data.sample import Sample
from littlestone.learn import ChoosingLearner, ExponentialLearner
from littlestone.points import Integers
from littlestone.privacy import Budget
from littlestone.privacy.accounting.composed import Composition
from littlestone.privacy.cost import PrivacyCost
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.mechanisms.exponential import ExponentialMechanism

EPSILONS = ["0.001", "0.1", "0.7", 1, 3, 20, 200]


class TestAccounting:
    """Both ways between dp-accounting and our events."""

    @pytest.fixture(autouse=True)
    def _library(self) -> None:
        self.lib = pytest.importorskip("dp_accounting", reason="pip install '.[neighbours]'")
        from littlestone.interop import dp_accounting as shell

        self.shell = shell

    @pytest.mark.parametrize("epsilon", EPSILONS)
    def test_an_event_that_goes_out_is_no_better_than_ours(self, epsilon: object) -> None:
        mechanism = ExponentialMechanism(Budget(epsilon).epsilon)
        (sent,) = self.shell.to_dp_accounting([mechanism])[0].events
        p = Fraction(sent.noise_parameter) / 2
        assert (1 - p) / p >= Fraction(math.exp(float(mechanism.epsilon) * (1 - 1e-12)))
        (rho,) = self.shell.to_dp_accounting([mechanism], "zcdp")[0].events
        assert Fraction(rho.rho) >= mechanism.guarantee().rho

    @pytest.mark.parametrize("epsilon", ["0.1", 1, 3])
    def test_an_event_comes_back_as_it_was(self, epsilon: object) -> None:
        mechanism = ExponentialMechanism(Budget(epsilon).epsilon)
        sent, _ = self.shell.to_dp_accounting([mechanism])
        back = self.shell.from_dp_accounting(sent, neighbours="replace-one").cost()
        assert mechanism.epsilon <= back.epsilon < mechanism.epsilon * (1 + Fraction(1, 10**8))

    def test_both_accountants_find_nearly_the_same(self) -> None:
        mechanism, delta = ExponentialMechanism(Fraction(1, 10)), Fraction(1, 10**6)
        ours = Composition([(mechanism, 100)], delta).cost().epsilon
        sent, more = self.shell.to_dp_accounting([mechanism] * 100, "zcdp")
        relation = self.lib.NeighboringRelation.REPLACE_ONE
        theirs = self.lib.rdp.RdpAccountant(neighboring_relation=relation).compose(sent)
        found = theirs.get_epsilon(1e-6)
        assert more == 0
        assert len(sent.events) == 100
        assert abs(found - float(ours)) < 0.03

    def test_deltas_are_handed_over_beside(self) -> None:
        learner = ChoosingLearner(Points(Integers()), Budget(1, "1e-6"))
        _, delta = self.shell.to_dp_accounting([learner.event, learner.event])
        pieces = [piece for piece, _ in learner.event.pieces()]
        assert delta == 2 * sum(piece.delta for piece in pieces) > 0

    def test_what_is_recorded_is_what_the_noise_gives(self) -> None:
        lib, read = self.lib, self.shell.from_dp_accounting
        one = {"neighbours": "replace-one"}
        assert read(lib.LaplaceDpEvent(0.5), **one).cost().epsilon == 2
        assert read(lib.LaplaceDpEvent(0.5), neighbours="add-remove").cost().epsilon == 4
        assert read(lib.NoOpDpEvent(), **one).cost().epsilon == 0
        gaussian = lib.SelfComposedDpEvent(lib.GaussianDpEvent(2.0), 4)
        half = read(gaussian, delta="1e-6", **one).cost()
        assert half == read(lib.ZCDpEvent(0.5), delta="1e-6", **one).cost()
        assert half.delta == Fraction(1, 10**6)
        # Many small epsilons are cheaper as a rho, and few are not.
        small = lib.ComposedDpEvent([lib.LaplaceDpEvent(100.0)] * 1000)
        assert read(small, delta="1e-6", **one).cost().epsilon < 2
        assert read(lib.LaplaceDpEvent(1.0), delta="1e-6", **one).cost().epsilon == 1

    def test_a_limit_counts_both_libraries(self) -> None:
        ledger = Ledger()
        ledger.set_limit("visits", PrivacyCost(Fraction(2)))
        event = self.shell.from_dp_accounting(self.lib.LaplaceDpEvent(1.0), neighbours="add-remove")
        ledger.record(event, dataset="visits", what="a mean")
        with pytest.raises(BudgetExceededError):
            ledger.spend(ExponentialMechanism(Fraction(1)), dataset="visits", what="a rule")

    def test_other_events_are_refused_by_name(self) -> None:
        lib = self.lib
        for event in (
            lib.PoissonSampledDpEvent(0.1, lib.GaussianDpEvent(1.0)), lib.NonPrivateDpEvent(),
            lib.UnsupportedDpEvent(), lib.ZCDpEvent(0.5, 0.1), lib.GaussianDpEvent(0.0),
            lib.LaplaceDpEvent(-1.0), lib.LaplaceDpEvent(float("nan")), "an event", None,
        ):  # fmt: skip
            with pytest.raises(DeclarationError):
                self.shell.from_dp_accounting(event, neighbours="replace-one", delta="1e-6")
        with pytest.raises(DeclarationError):
            self.shell.from_dp_accounting(lib.GaussianDpEvent(1.0), neighbours="replace-one")
        with pytest.raises(DeclarationError):
            self.shell.from_dp_accounting(lib.LaplaceDpEvent(1.0), neighbours="")


def forgets_delta_grows(cost: PrivacyCost, distance: int) -> tuple[float, float]:
    return float(distance * cost.epsilon), float(distance * cost.delta)


class TestMeasurement:
    """Learners in OpenDP."""

    @pytest.fixture(autouse=True)
    def _library(self) -> None:
        self.dp = pytest.importorskip("opendp.prelude", reason="pip install '.[neighbours]'")
        from littlestone.interop.opendp import as_measurement

        self.shell = as_measurement

    def test_it_spends_before_it_draws_and_releases(self) -> None:
        learner = ExponentialLearner(Thresholds.on(0, 9), Budget(1))
        ledger = Ledger()
        measurement = self.shell(learner, ledger=ledger, dataset="visits")
        release = measurement([(7, 1), (8, 1), (1, 0), ("2", 0)])
        assert release.private
        assert release.n == 4
        assert ledger.total("visits").epsilon == 1
        ledger.set_limit("visits", PrivacyCost(Fraction(1)))
        with pytest.raises(Exception, match="would pass it"):
            measurement([(7, 1)])
        assert ledger.total("visits").epsilon == 1

    def test_the_map_is_that_of_groups(self) -> None:
        learner = ChoosingLearner(Points(Integers()), Budget("0.5", "1e-6"))
        measurement = self.shell(learner, ledger=Ledger(), dataset="visits")
        assert measurement.map(0) == (0.0, 0.0)
        assert measurement.map(1) == (0.5, pytest.approx(1e-6, rel=1e-9))
        epsilon, delta = measurement.map(3)
        assert epsilon == 1.5
        assert delta >= (1 + math.exp(0.5) + math.e) * 1e-6
        assert delta > forgets_delta_grows(learner.cost(), 3)[1]
        assert measurement.map(10**6) == (500_000.0, 1.0)

    def test_distances_are_of_the_exact_law(self) -> None:
        learner = ExponentialLearner(Thresholds.on(0, 2), Budget(1))
        measurement = self.shell(learner, ledger=Ledger(), dataset="visits")

        def law(records: tuple[Any, ...]) -> dict[Any, Fraction]:
            sample = Sample.from_examples(learner.hypotheses.domain, records)
            return learner.distribution(sample)

        examples = list(product((0, 1, 2), (0, 1)))
        laws = {pair: law(pair) for pair in product(examples, repeat=2)}
        for one, other in product(laws, repeat=2):
            distance = sum(a != b for a, b in zip(one, other, strict=True))
            worst = max(laws[one][h] / laws[other][h] for h in laws[one])
            assert float(worst) <= math.exp(measurement.map(distance)) * (1 + 1e-12)

    def test_it_composes_with_measurements_of_opendp(self) -> None:
        learner = ExponentialLearner(Thresholds.on(0, 9), Budget("0.25"))
        one = self.shell(learner, ledger=Ledger(), dataset="visits")
        two = self.dp.c.make_composition([one, one])
        assert two.map(d_in=1) == 0.5
        assert len(two([(7, 1), (1, 0)])) == 2
