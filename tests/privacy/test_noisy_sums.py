"""Noisy sums: exact draws, the certified curve of Gaussian noise, and what a sequence costs."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy import special, stats

from each import each
from littlestone.base.errors import DeclarationError, LedgerError, TooLargeError
from littlestone.privacy.accounting import gaussian
from littlestone.privacy.accounting.composed import Composition
from littlestone.privacy.accounting.gaussian import (
    CORE,
    LIKENESS,
    delta_above,
    fits_after,
    greatest_mu_squared,
)
from littlestone.privacy.cost import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.mechanisms import noisy_sums
from littlestone.privacy.mechanisms.exponential import ExponentialMechanism
from littlestone.privacy.mechanisms.noisy_sums import (
    MOST_SUMS,
    DrawThenSums,
    GaussianNoise,
    LaplaceNoise,
    NoisySums,
    SumStep,
)
from littlestone.privacy.rational import enclose_exp
from littlestone.privacy.samplers import noise as samplers
from littlestone.privacy.samplers.noise import below_exp, discrete_gaussian, two_sided
from littlestone.prove.audit.choices import ChoiceGenerator, Choices

STEP = SumStep(count=3, l1=2, squared=2, share=Fraction(1, 2))
FAR = [*range(-9, 9), -(10**3), 10**5, -(10**9), 10**12]
TINY, ONE = Fraction(1, 10**6), Fraction(1)


@cache
def exp_minus(p: int, q: int) -> Fraction:
    """e^(-p/q) to 64 bits."""
    return min(ONE, Fraction(2**64, enclose_exp(Fraction(min(p, 100 * q), q), 64)[0]))


@pytest.mark.parametrize(("p", "q"), [(0, 1), (1, 3), (1, 1), (7, 5), (5, 2)])
def test_a_coin_of_e_to_the_minus_x_by_its_own_code(p: int, q: int) -> None:
    choices = Choices()
    law = choices.explore(lambda: below_exp(p, q, choices.generator()), Fraction(1, 2**24))
    left = 1 - sum(law.values())
    # What was given up may belong to either side.
    assert left < Fraction(1, 10**4)
    assert law[True] - Fraction(1, 2**60) <= exp_minus(p, q) <= law[True] + left


class AgainError(Exception):
    """A draw was rejected, and begins anew."""


def first_round(draw: Callable[[Any], int], choices: Choices) -> dict[int, Fraction]:
    """The law of ``draw`` if nothing is rejected, which is that of all rounds: they are alike."""

    def run() -> int | None:
        try:
            return draw(choices.generator())
        except AgainError:
            return None

    law = choices.explore(run, Fraction(1, 2**50))
    kept = sum(mass for x, mass in law.items() if x is not None)
    assert 1 - law.pop(None, 0) - kept < Fraction(1, 2**30)
    return {x: mass / kept for x, mass in law.items() if x is not None}


def flip(p: int, q: int, rng: Any) -> bool:
    """A coin of e^(-p/q) as one choice; the test of `below_exp` is about the coins."""
    return not rng.choose([chance := exp_minus(p, q), 1 - chance])


def assert_law(found: dict[int, Fraction], noise: GaussianNoise | LaplaceNoise) -> None:
    for x in range(-12, 13):
        stated = noise.at_least(x) - noise.at_least(x + 1)
        assert abs(found.get(x, 0) - stated) < Fraction(1, 2**28)


@pytest.mark.parametrize("scale", ["1", "2", "5", "3/2", "1/3", "7/4"])
def test_laplace_numbers_have_their_law_by_their_own_code(
    scale: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rounds = []

    def begin(rng: Any, n: int) -> int:
        rounds.append(n)
        if len(rounds) > 1:
            raise AgainError
        return int(rng.choose([Fraction(1, n)] * n))

    def draw(rng: Any) -> int:
        rounds.clear()
        return two_sided(Fraction(scale), rng)

    monkeypatch.setattr(samplers, "below_exp", flip)
    monkeypatch.setattr(ChoiceGenerator, "randrange", begin)
    assert_law(first_round(draw, Choices()), LaplaceNoise(Fraction(scale)))


@pytest.mark.parametrize("variance", [1, 3, 4, 10])
def test_gaussian_numbers_have_their_law_by_their_own_code(
    variance: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rounds, proposed = [], LaplaceNoise(Fraction(math.isqrt(variance) + 1))
    reach = 25 * int(proposed.scale)
    masses = [proposed.at_least(x) - proposed.at_least(x + 1) for x in range(-reach, reach + 1)]

    def two_sided_once(scale: Fraction, rng: Any) -> int:
        """One choice; the test before this one is about this law."""
        assert scale == proposed.scale
        rounds.append(scale)
        if len(rounds) > 1:
            raise AgainError
        return int(rng.choose(masses)) - reach

    def draw(rng: Any) -> int:
        rounds.clear()
        return discrete_gaussian(variance, rng)

    monkeypatch.setattr(samplers, "below_exp", flip)
    monkeypatch.setattr(samplers, "two_sided", two_sided_once)
    assert_law(first_round(draw, Choices()), GaussianNoise(variance))


@pytest.mark.parametrize("variance", [1, 824, 80_605_460, 10**15])
def test_a_gaussian_number_of_any_variance_has_its_weight(
    variance: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The weight of x is that of its proposal times that of the coin that keeps it."""

    def exponent(x: int) -> Fraction:
        found = list[Fraction]()

        def propose(scale: Fraction, rng: Any) -> int:
            found.append(abs(x) / scale)
            return x

        def keep(p: int, q: int, rng: Any) -> bool:
            found.append(Fraction(p, q))
            return True

        monkeypatch.setattr(samplers, "two_sided", propose)
        monkeypatch.setattr(samplers, "below_exp", keep)
        assert discrete_gaussian(variance, random.Random(0)) == x
        return found[0] + found[1]

    assert len({exponent(x) - Fraction(x * x, 2 * variance) for x in FAR}) == 1


@pytest.mark.parametrize("scale", ["1/3", "16000", "128000/7", "1000000000/999999999"])
def test_a_laplace_number_of_any_scale_has_its_weight(
    scale: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the numbers Z = 0, 1, ... of weight e^(-Z / t), those of one floor(Z / s) are one number."""
    t, s = Fraction(scale).numerator, Fraction(scale).denominator

    class Told(random.Random):
        def randrange(self, n: int) -> int:  # type: ignore[override]
            assert n == t
            return u

        def getrandbits(self, k: int) -> int:
            return int(negative)

    def keep(p: int, q: int, rng: Any) -> bool:
        coins.append(Fraction(p, q))
        return len(coins) <= v + 1

    monkeypatch.setattr(samplers, "below_exp", keep)
    for u, v, negative in product({0, 1 % t, t // 2, t - 1}, (0, 1, 7), (False, True)):
        coins, z = list[Fraction](), u + t * v
        if negative and z < s:
            continue  # -0 is drawn again
        assert two_sided(Fraction(scale), Told()) == (-1 if negative else 1) * (z // s)
        # The last coin is the one that ends the run.
        assert sum(coins[:-1]) == Fraction(z, t)


def test_each_sum_has_a_number_of_the_noise_that_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    given = list[object]()

    def draw(size: object, rng: Any) -> int:
        given.append(size)
        return len(given)

    monkeypatch.setattr(noisy_sums, "discrete_gaussian", draw)
    monkeypatch.setattr(noisy_sums, "two_sided", draw)
    assert GaussianNoise(7).add((0, 5, 0), random.Random(0)) == (1, 7, 3)
    assert LaplaceNoise(ONE / 3).add((0, 5, 0), random.Random(0)) == (4, 10, 6)
    assert given == [7, 7, 7, ONE / 3, ONE / 3, ONE / 3]


@pytest.mark.parametrize("variance", [1, 30, 10**8])
def test_many_numbers_have_their_law(variance: int) -> None:
    rng, sigma = random.Random(4), math.sqrt(variance)
    drawn = [discrete_gaussian(variance, rng) for _ in range(4000)]
    edges = sorted({math.floor(sigma * stats.norm.ppf(i / 12)) for i in range(1, 12)})
    tail = {edge: float(stats.norm.cdf((edge + 0.5) / sigma)) for edge in edges}
    if variance == 1:  # here the continuous law is not near enough
        noise = GaussianNoise(1)
        tail = {edge: float(1 - noise.at_least(edge + 1)) for edge in edges}
    expected = 4000 * np.diff([0, *tail.values(), 1])
    seen = Counter(int(np.searchsorted(edges, x)) for x in drawn)
    assert stats.chisquare([seen[i] for i in range(len(edges) + 1)], expected).pvalue > 1e-4


def test_the_curve_is_a_bound_and_sharp() -> None:
    for mu in (0.03, 0.3, 1.0, 3.0, 9.0):
        for epsilon in (0.01, 0.5, 2.0, 20.0):
            a, b = epsilon / mu - mu / 2, epsilon / mu + mu / 2
            if not -8 < a < 30:
                continue
            ratio = [math.sqrt(math.pi / 2) * special.erfcx(t / math.sqrt(2)) for t in (a, b)]
            near = math.exp(-a * a / 2) / math.sqrt(2 * math.pi) * (ratio[0] - ratio[1])
            found = delta_above(Fraction(mu) ** 2, Fraction(epsilon))
            assert float(found) == pytest.approx(near, rel=1e-9)


@pytest.mark.parametrize(
    ("mu_squared", "epsilon", "digits"),
    [  # by 60 digits of another library
        ("1/4", "1", "0.0068295949831145753842"),
        ("1/10000", "1/3", "2.2472349385436143711e-247"),
        ("1/10000", "1/1000", "0.0035110920258420982562"),
        ("81", "40", "0.47815557445153369951"),
        ("400", "100", "0.9999996146685564468"),
    ],
)
def test_the_curve_to_many_digits(mu_squared: str, epsilon: str, digits: str) -> None:
    found = delta_above(Fraction(mu_squared), Fraction(epsilon))
    known = Fraction(digits)
    assert known * (1 - Fraction(1, 10**12)) < found < known * (1 + Fraction(1, 10**11))


@pytest.mark.parametrize(("epsilon", "bits"), [("1", 7199), ("0.60505", 2635)])
def test_far_away_the_curve_is_bounded_by_a_power_of_two(epsilon: str, bits: int) -> None:
    # With mu = 1/100, a = 100 epsilon - 1/200: beyond 60.  Delta itself is below 2^(-0.721 a^2).
    assert delta_above(Fraction(1, 10_000), Fraction(epsilon)) == Fraction(1, 2**bits)


def test_the_largest_mu_fits_and_hardly_more_does() -> None:
    for epsilon, delta in ((Fraction(1), TINY), (Fraction(1, 10), TINY), (Fraction(30), TINY)):
        mu_squared = greatest_mu_squared(epsilon, delta)
        assert delta_above(mu_squared, epsilon) <= delta
        assert delta_above(mu_squared * (1 + Fraction(1, 10**11)), epsilon) > delta


def test_the_likeness_covers_the_factors() -> None:
    # theta, with 39.478 < 4 pi^2; the terms from the second on are below 10^-60.
    theta = 2 / Fraction(enclose_exp(Fraction("39.478"), 64)[0], 2**64) + Fraction(1, 10**60)
    assert CORE == 2
    assert 4 * theta < LIKENESS


def test_a_sequence_spends_all_of_its_budget_and_no_more() -> None:
    event = NoisySums(Budget(1, "1e-6"), (STEP, STEP))

    def delta(core: int) -> Fraction:
        pairs = zip(event.steps, event.noises, strict=True)
        each = [Fraction(step.squared) / (noise.variance - core) for step, noise in pairs]
        return delta_above(sum(each, Fraction(0)), event.epsilon)

    assert delta(CORE) <= event.delta < delta(CORE + 1)
    assert event.cost() == event.budget.cost
    assert event.guarantee().rho < Fraction(1, 30)


def test_many_numbers_pay_for_being_discrete() -> None:
    event = NoisySums(Budget(1, "1e-6"), (SumStep(MOST_SUMS, 2, 2, Fraction(1)),))
    unlike = MOST_SUMS * LIKENESS

    def delta(mu_squared: Fraction) -> Fraction:
        return delta_above(mu_squared, event.epsilon - unlike) * (1 + unlike)

    most = event.mu_squared
    assert delta(most) <= event.delta < delta(most * (1 + Fraction(1, 10**11)))


def test_laplace_noise_divides_epsilon() -> None:
    event = NoisySums(Budget(2), (STEP, SumStep(1, 3, 5, Fraction(1, 4))))
    assert [str(noise) for noise in event.noises] == [
        "Laplace noise of scale 2",
        "Laplace noise of scale 6",
    ]


def test_beside_others_rho_counts() -> None:
    other = ExponentialMechanism(Fraction(1, 2))
    sums = NoisySums(Budget(1, "1e-6"), (STEP,))
    whole = Composition([(sums, 1), (other, 1)], Fraction(1, 10**6))
    assert whole.cost().epsilon < Fraction(5, 4)


def test_one_receipt_pays_for_all_steps_once() -> None:
    event = NoisySums(Budget(1, "1e-6"), (STEP, SumStep(2, 1, 1, Fraction(1, 4))))
    asked = []

    def ask(released: tuple[tuple[int, ...], ...]) -> np.ndarray:
        asked.append(released)
        return np.full(3 - len(released), 10**12)

    with Ledger() as ledger:
        receipt = ledger.spend(event, dataset="made up", what="sums", rng=random.Random(0))
        found = event.draw(ask, receipt=receipt)
        with pytest.raises(LedgerError):
            event.draw(ask, receipt=receipt)
    assert [len(noisy) for noisy in found] == [3, 2]
    assert asked == [(), found[:1]]
    assert all(type(x) is int and abs(x - 10**12) < 1000 for noisy in found for x in noisy)


def test_steps_are_refused_before_any_spend() -> None:
    with pytest.raises(DeclarationError, match=r"add up to 1\.5"):
        NoisySums(Budget(1), (STEP, STEP, STEP))
    with pytest.raises(DeclarationError, match="add up to 0"):
        NoisySums(Budget(1), ())
    with pytest.raises(TooLargeError, match="noisy sums"):
        NoisySums(Budget(1), (SumStep(MOST_SUMS + 1, 1, 1, Fraction(1)),))
    for share in (Fraction(0), 0.5, Fraction(3, 2)):
        with pytest.raises(DeclarationError, match="share"):
            SumStep(1, 1, 1, share)  # type: ignore[arg-type]
    with pytest.raises(DeclarationError, match="squared"):
        SumStep(1, 1, 0, Fraction(1))


@pytest.mark.deep
@pytest.mark.parametrize("variance", [3, 500, 10**6, 10**12])
def test_a_hundred_thousand_numbers_have_their_law(variance: int) -> None:
    rng, sigma, n = random.Random(6), math.sqrt(variance), 10**5
    drawn = np.array([discrete_gaussian(variance, rng) for _ in range(n)])
    edges = np.unique([math.floor(sigma * stats.norm.ppf(i / 40)) for i in range(1, 40)])
    if variance < 10**4:
        noise = GaussianNoise(variance)
        below = [float(1 - noise.at_least(int(edge) + 1)) for edge in edges]
    else:  # the continuous law is as near as 10^-4 of a bin
        below = [float(stats.norm.cdf((edge + 0.5) / sigma)) for edge in edges]
    seen = np.bincount(np.searchsorted(edges, drawn), minlength=len(edges) + 1)
    assert stats.chisquare(seen, n * np.diff([0, *below, 1])).pvalue > 1e-3


@pytest.mark.parametrize(("squared", "private"), [(200, True), (100, False)])
def test_two_sums_that_move_together_need_their_norm(squared: int, private: bool) -> None:
    """One falls by 10 and the other rises by 10: their difference says all, and moves by 20."""
    event = NoisySums(Budget(1, "0.001"), (SumStep(2, 20, squared, ONE),))
    (noise,) = event.noises
    one = [float(noise.at_least(x) - noise.at_least(x + 1)) for x in range(-500, 501)]
    both = np.convolve(one, one)
    delta = float(np.maximum(both[20:] - math.e * both[:-20], 0).sum())
    assert (delta <= 0.001) is private
    assert delta > 0.00099


def test_the_continued_fraction_encloses_what_the_series_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for t in (4, 5, 6):
        low, high = gaussian._enclose_ratio(t << 128, 128)
        with monkeypatch.context() as patch:
            patch.setattr(gaussian, "_NEAR", 9)
            sharp = gaussian._enclose_ratio(t << 328, 328)
        assert low << 200 <= sharp[0] < sharp[1] <= high << 200


@each(("epsilon", "eta", "delta"), [
    ("1", "1/2", 0), ("1/1000", "7/8000", 0), ("1", "1/2", "1e-6"), ("1/1000", "7/8000", "1e-9"),
])  # fmt: skip
def test_sums_after_a_draw_have_what_it_leaves_or_what_fits(
    epsilon: str, eta: str, delta: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also if the rough search ends where nothing fits: what it finds is checked."""
    drawn, step = Fraction(eta), SumStep(count=10, l1=2, squared=2, share=Fraction(1))
    budget = Budget(epsilon, delta)
    left = budget.epsilon - drawn
    for too_far in (False, True):
        with monkeypatch.context() as patch:
            if too_far:
                patch.setattr(noisy_sums, "bisect_left", lambda *given, **more: 1023)
            noisy_sums._sums_after.cache_clear()
            sums = DrawThenSums(budget, ExponentialMechanism(drawn), (step,)).sums
        if too_far or not delta:
            assert sums.epsilon == left
        else:
            assert sums.epsilon > left
            whole, rest = budget.epsilon - sums.unlike, budget.delta / (1 + sums.unlike)
            assert fits_after(sums.mu_squared, whole, rest, drawn)
    noisy_sums._sums_after.cache_clear()


def test_a_draw_leaves_a_sixteenth_to_the_sums() -> None:
    step = SumStep(count=10, l1=2, squared=2, share=Fraction(1))
    with pytest.raises(DeclarationError, match="before noisy sums"):
        DrawThenSums(Budget(1), ExponentialMechanism(Fraction(31, 32)), (step,))


def test_the_law_of_sums_is_around_them() -> None:
    """Symmetric noise makes a law of the negative sums as private."""
    law = NoisySums(
        Budget(2), (SumStep(count=1, l1=1, squared=1, share=Fraction(1)),)
    ).distribution(lambda released: [1])
    assert max(law, key=lambda noisy: law[noisy]) == ((1,),)
    assert law[((0,),)] == law[((2,),)] > law[((-1,),)] == law[((3,),)]
