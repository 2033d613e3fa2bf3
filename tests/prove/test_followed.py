"""Every subject's runs, by their own code, against the exact distribution that its audit speaks of."""

import random
from fractions import Fraction
from math import prod
from typing import Any

import pytest
from plants.harness import plants

from littlestone.base.errors import DeclarationError
from littlestone.privacy.mechanisms.competition import Terms
from littlestone.privacy.mechanisms.continual_selection import make_terms
from littlestone.privacy.mechanisms.threshold_tests import probability
from littlestone.privacy.rational import exp_above
from littlestone.prove.audit import find_subjects
from littlestone.prove.audit.choices import Choices, follow
from littlestone.prove.audit.claims import hockey_stick
from littlestone.prove.audit.subject import SubjectMaker, law_of

pytestmark = pytest.mark.deep

ONE = Fraction(1)
# Runs that permute records, or draw many numbers, have too many likely ways.
MANY = {
    "agnostic-learner",
    "boosting-learner",
    "continual-confirmation",
    "continual-medians",
    "continual-sides",
    "continual-tallies",
    "drawn-sums",
    "ggkm-learner",
    "globally-stable-learner",
    "globally-stable-learner-labels",
    "group-estimates",
    "irreducible-learner",
    "irreducible-learner-label-votes",
    "noisy-radii-learner",
    "noisy-sums",
    "noisy-sums-pure",
    "online-confirmed-intervals",
    "online-confirmed-learner",
    "online-confirmed-thresholds",
    "online-staged-learner",
    "online-tallied-intervals",
    "online-tallied-learner",
    "online-tallied-thresholds",
    "online-teacher-learner",
    "relabelling-learner",
    "risks-of-blocks",
    "risks-of-leaves",
    "risks-of-steps",
    "rule-estimates",
    "unread-shares",
}
# A single step, where each further one draws a wait.
SHORT = {
    "one-sided-threshold": ((False,),),
}


@pytest.mark.parametrize(
    "named",
    [named for named in find_subjects() if named.name not in MANY],
    ids=lambda named: named.name,
)
def test_every_subject_follows_its_law(named: SubjectMaker) -> None:
    subject, known = named.make(ONE, Fraction(1, 1000)), []
    for data in SHORT.get(named.name, subject.pairs[-1]):
        law, found = subject.distribution(data), law_of(subject, data)
        assert all(mass <= law.get(output, 0) for output, mass in found.items())
        known.append(sum(found.values()))
    assert max(known) > Fraction(9, 10)


def test_numbers_are_chosen_as_far_as_they_are_compared() -> None:
    """Against all numbers of six bits, which are shifted, scaled, compared and appended to."""

    def by_parts(first: Any, fresh: Any) -> tuple[bool, ...]:
        more = first << 3 | fresh
        return 3 * first >= 11, first < 5, more > 37, (more >> 1) + 2 <= 9, 1 + more - 4 >= 12

    choices, expected = Choices(), dict[Any, Fraction]()
    rng = choices.generator
    found = choices.explore(lambda: by_parts(rng().getrandbits(3), rng().getrandbits(3)))
    for first in range(8):
        for fresh in range(8):
            output = by_parts(first, fresh)
            expected[output] = expected.get(output, Fraction(0)) + Fraction(1, 64)
    assert found == expected


def test_bits_are_appended_more_than_once() -> None:
    """A number that is compared with 7/10 by 2, 4, 8 and 16 of its bits."""

    def below(rng: random.Random) -> bool | None:
        number, bits = rng.getrandbits(2), 2
        while bits < 17:
            if 10 * (number + 1) <= 7 << bits:
                return True
            if 10 * number >= 7 << bits:
                return False
            number, bits = number << bits | rng.getrandbits(bits), 2 * bits
        return None

    choices = Choices()
    law = choices.explore(lambda: below(choices.generator()))
    cell = 7 * 2**16 // 10
    known: dict[Any, Fraction] = {True: Fraction(cell, 2**16), None: Fraction(1, 2**16)}
    assert law == {**known, False: 1 - Fraction(cell + 1, 2**16)}


def test_whole_draws_are_those_of_a_generator() -> None:
    """Shuffles, samples and choices ask for all of a number."""

    def drawn(rng: random.Random) -> tuple[Any, ...]:
        items = [1, 2, 3]
        rng.shuffle(items)
        return (*items, rng.choice("ab"), *rng.sample(range(2), 1))

    choices = Choices()
    law = choices.explore(lambda: drawn(choices.generator()))
    assert len(law) == 24
    assert set(law.values()) == {Fraction(1, 24)}


def test_what_cannot_be_followed_is_refused() -> None:
    choices = Choices()
    with pytest.raises(DeclarationError, match="float"):
        choices.explore(lambda: choices.generator().random())
    with pytest.raises(DeclarationError, match="64 bits"):
        choices.explore(lambda: int(choices.generator().getrandbits(64)))


def test_an_error_of_the_code_is_raised() -> None:
    def fails(rng: random.Random) -> int:
        return 1 // int(rng.randrange(2))

    with pytest.raises(ZeroDivisionError):
        follow(fails)


# That the mistakes in the draws break what is claimed.


def test_levels_that_count_once_break_the_claim() -> None:
    """Twelve keys are sure to fire; the one with a record more than the others has half of all."""
    (plant,) = (plant for plant in plants() if plant.name == "single_key_levels_once")
    one, other = plant.broken.pairs[0]
    p, q = (law_of(plant.broken, data) for data in (one, other))
    assert sum(p.values()) == sum(q.values()) == 1
    claim = plant.broken.event.cost()
    assert hockey_stick(p, q, exp_above(claim.epsilon)) > 5 * claim.delta


def test_less_noise_of_the_threshold_breaks_the_claim() -> None:
    """A record that keeps the count from the threshold for long is hidden by rho alone."""
    honest, less = Fraction(1, 2), Fraction(482, 1000)
    for scale, private in ((honest, True), (less, False)):
        p, q = (probability([gap] * 80, [False] * 80, scale, honest) for gap in (0, -1))
        assert (p <= 2 * q) is private


def told(terms: Terms, z: int, steps: int, silent: int) -> list[dict[Any, Fraction]]:
    """Of streams that name a key at ``steps`` steps, at one more or not, and are silent from then on.

    How often it was selected before that step, when last, and whether it is selected at that step,
    later, or never again; all with z skipped records.
    """

    def hit(count: int) -> Fraction:
        return min(ONE, terms.weight(count - z)) if count else Fraction(0)

    still = [prod((1 - hit(i) for i in range(1, c + 1)), start=ONE) for c in range(steps + 1)]
    ends, found, times = {0: ONE}, [dict[Any, Fraction](), dict[Any, Fraction]()], 0
    while ends:
        for end, mass in ends.items():
            for named, law in enumerate(found):
                p, here = hit(steps - end + named), mass * still[steps - end]
                never = (1 - p) ** (silent + 1)
                for rest, q in (("now", p), ("never", never), ("later", 1 - p - never)):
                    law[times, end, rest] = here * q
        after = dict[int, Fraction]()
        for end, mass in ends.items():
            for c in range(1, steps - end + 1):
                p = mass * still[c - 1] * hit(c)
                after[end + c] = after.get(end + c, Fraction(0)) + p
        ends, times = {end: mass for end, mass in after.items() if mass}, times + 1
    return found


def test_skips_that_are_kept_break_the_claim() -> None:
    """Many selections tell how many records are skipped, and then nothing hides the last one."""
    steps, silent, delta, skip, most = 19, 10, Fraction(1, 1000), Fraction(3, 10), 12
    terms = make_terms(1, True, skip, Fraction(30), delta / (steps + 1 + silent))
    laws = dict[Any, Fraction](), dict[Any, Fraction]()
    for z in range(most):
        for law, given in zip(laws, told(terms, z, steps, silent), strict=True):
            for output, mass in given.items():
                law[output] = law.get(output, Fraction(0)) + (1 - skip) * skip**z * mass
    ratio = terms.base**2 / terms.skip  # e^epsilon; the rest of Z is less than skip^most
    assert hockey_stick(*laws, ratio) - ratio * skip**most > 100 * delta
