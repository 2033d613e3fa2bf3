"""Every subject that can grow, at real size: its claim by the exact law, and its draws by that law."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest
from real_sizes import DELTA, EPSILONS, LEFT_OUT, SIZES, faults, grown, subjects

from littlestone.audit import find_subject, find_subjects
from littlestone.audit.subject import Named
from planting import Fault, plant

pytestmark = pytest.mark.deep

SMALL, REAL = SIZES
USUAL = (REAL, Fraction("0.01"))
DEEP = [(SMALL, EPSILONS[2]), (REAL, EPSILONS[0]), (REAL, EPSILONS[3])]


def found(name: str, n: int, epsilon: Fraction, draws: int = 100) -> list[str]:
    subject = find_subject(name).make(epsilon, DELTA)
    pair = grown(name, subject.pairs[len(subject.pairs) // 2], n)
    return faults(subject, pair, draws, Random(12))


@pytest.mark.parametrize("named", subjects(), ids=lambda named: named.name)
def test_claims_and_draws_at_real_size(named: Named) -> None:
    assert found(named.name, *USUAL) == []


@pytest.mark.parametrize(("n", "epsilon"), DEEP)
@pytest.mark.parametrize("named", subjects(), ids=lambda named: named.name)
def test_claims_and_draws_at_every_size(named: Named, n: int, epsilon: Fraction) -> None:
    assert found(named.name, n, epsilon, draws=50) == []


def test_what_is_left_out_is_there() -> None:
    names = [named.name for named in find_subjects()]
    for begins in LEFT_OUT:
        assert any(name.startswith(begins) for name in names), begins


FAULTS = [
    (
        "discrete-laplace-count",
        Fault(
            "littlestone.privacy.samplers.geometric:discrete_laplace",
            "geometric(Real.of(a), rng)",
            "min(63, geometric(Real.of(a), rng))",
            "Noise is at most 64.",
        ),
    ),
    (
        "exponential-mechanism",
        Fault(
            "littlestone.privacy.samplers.selection:group",
            "weights = tally.tolist()",
            "weights = [1] * len(tally)",
            "Each distinct score has one item.",
        ),
    ),
    (
        "exponential-mechanism",
        Fault(
            "littlestone.privacy.samplers.selection:item_of",
            "rng.randrange(weight)",
            "rng.randrange(min(weight, 200))",
            "Of many ties the first 200 are drawn.",
        ),
    ),
]


@pytest.mark.parametrize(("name", "fault"), FAULTS, ids=lambda one: getattr(one, "mistake", one))
def test_faults_of_large_samples_are_found(
    name: str, fault: Fault, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(fault, monkeypatch)
    assert any(found(name, REAL, epsilon, 500) for epsilon in EPSILONS)
