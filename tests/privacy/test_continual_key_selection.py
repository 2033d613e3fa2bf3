"""Continual selection of keys: exact divergences of all neighbouring streams, and exact waits."""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

import pytest
from threshold_audit import chi_square, worst

from littlestone.base.errors import DeclarationError
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.mechanisms.competition import Terms
from littlestone.privacy.mechanisms.continual_selection import (
    ContinualKeySelection,
    ContinualSelection,
    SoloCompetitions,
    law_of_selections,
)
from littlestone.privacy.tape import Tape
from littlestone.prove.audit.claims import hockey_stick, neighbours
from littlestone.prove.audit.subject import Trials
from one_epoch import LONG, RATIO, SHORT, Selections, Stream, chance, one_epoch, times
from scripted import Script

Law = Callable[[ContinualKeySelection[str], Stream], dict[Selections, Fraction]]
KEYS = (None, "a", "b")


def honest(mechanism: ContinualKeySelection[str], stream: Stream) -> dict[Selections, Fraction]:
    return mechanism.distribution(stream)


def both_ways(pairs: Any) -> Iterator[tuple[Any, Any]]:
    for one, other in pairs:
        yield one, other
        yield other, one


def private(law: Law, length: int = 4, mechanism: ContinualKeySelection[str] = SHORT) -> bool:
    """Whether the claim holds on all neighbouring streams of that length."""
    pairs = both_ways(neighbours(KEYS, length))
    return worst(lambda s: law(mechanism, s), pairs, RATIO) <= mechanism.delta


def test_private_on_all_neighbouring_streams() -> None:
    assert private(honest)
    assert private(honest, 5, replace(SHORT, delta=Fraction(3, 5)))


def test_a_horizon_that_is_short_of_the_stream() -> None:
    mechanism = replace(SHORT, horizon=2)
    assert private(honest, 4, mechanism)
    for sets in mechanism.distribution(("a", "a", "a", "a")):
        assert not any(sets[2:])


def test_private_when_what_is_named_depends_on_what_was_selected() -> None:
    """A record names one key as long as none was selected, and another one from then on."""

    def law(records: tuple[Stream, ...]) -> dict[Selections, Fraction]:
        found: dict[Selections, Fraction] = {}
        for stream in {tuple(r[i] for r, i in zip(records, bits, strict=True)) for bits in BITS}:
            for sets, mass in SHORT.distribution(stream).items():
                before = [any(sets[:t]) for t in range(3)]
                if stream == tuple(r[i] for r, i in zip(records, before, strict=True)):
                    found[sets] = mass
        assert sum(found.values()) == 1
        return found

    BITS = list(product((0, 1), repeat=3))
    kinds = list(product(KEYS, KEYS))
    pairs = both_ways(neighbours(kinds[:7], 3))
    assert worst(law, pairs, RATIO) <= SHORT.delta


def test_one_epoch_is_what_the_distribution_says() -> None:
    stream = ("a", None, "a", None, None)
    expected = SHORT.distribution(stream)
    found = one_epoch(SHORT, stream)
    for sets, mass in expected.items():
        if not sets[0] and not sets[1]:
            assert found[sets] == mass


def test_the_bounds_are_reached() -> None:
    """Each of r1 and r2 by one key, and delta by a record that is alone with its key."""
    never = frozenset[str]()
    # A record of a key that is far from selected: only the ratio of the chances hides it.
    last = (never,) * 59 + (frozenset("a"),)
    most, least = (one_epoch(LONG, times(k))[last] for k in (4, 3))
    assert 2 <= most / least < Fraction(21, 10)
    # One that makes a selection nearly sure: only the skipped records hide it.
    most, least = (one_epoch(LONG, times(k))[(never,) * 60] for k in (20, 21))
    assert Fraction(145, 100) < most / least <= Fraction(3, 2)
    alone = hockey_stick(one_epoch(LONG, times(1)), one_epoch(LONG, times(0)), RATIO)
    assert Fraction(99, 100) < alone / LONG.delta <= 1


def test_waits_are_the_tests_they_skip(monkeypatch: pytest.MonkeyPatch) -> None:
    """The session's own code along every outcome of its waits and skips."""
    script, mechanism = Script(), replace(SHORT, horizon=4)
    script.take_over(monkeypatch)
    for stream in [("a", "a", None, "a"), ("a", "b", "a", "b"), (None, "b", "b", None)]:

        def run(stream: Stream = stream) -> Selections:
            return mechanism.draw(stream, receipt=Free())  # type: ignore[arg-type]

        found = script.explore(run)
        expected = mechanism.distribution(stream)
        assert {sets: mass for sets, mass in found.items() if mass} == expected


class Free:
    """In place of a receipt, where the samplers are a script's."""

    def redeem(self, event: object) -> random.Random:
        return random.Random(0)


def by_tests(mechanism: ContinualKeySelection[str], stream: Stream) -> dict[Selections, Fraction]:
    """Test by test, of each key by itself, with no word of candidates or of waits."""

    def hits(named: list[bool]) -> dict[tuple[bool, ...], Fraction]:
        found: dict[tuple[bool, ...], Fraction] = {}
        most = sum(named)
        for u in range(len(named) + 1):  # the first selection is at step u, or there is none
            mass = Fraction(0)
            for z in range(most + 1):
                p = mechanism.skip**z * (1 - mechanism.skip if z < most else 1)
                for t in range(min(u + 1, len(named))):
                    q = chance(mechanism, sum(named[: t + 1]) - z)
                    p *= q if t == u else 1 - q
                mass += p
            rest = hits(named[u + 1 :]) if u < len(named) else {(): Fraction(1)}
            for later, q in rest.items():
                key = (*[False] * u, *[True] * (u < len(named)), *later)
                found[key] = found.get(key, Fraction(0)) + mass * q
        return found

    alone = {key: hits([x == key for x in stream]) for key in set(stream) - {None}}
    found: dict[Selections, Fraction] = {}
    for chosen in product(*(p_of.items() for p_of in alone.values())):
        sets = tuple(
            frozenset(key for key, (hit, _) in zip(alone, chosen, strict=True) if key and hit[t])
            for t in range(len(stream))
        )
        found[sets] = found.get(sets, Fraction(0)) + prod(p for _, p in chosen)
    return found


def test_the_law_is_that_of_all_tests() -> None:
    for stream in product(KEYS, repeat=4):
        assert SHORT.distribution(stream) == {
            sets: mass for sets, mass in by_tests(SHORT, stream).items() if mass
        }


def test_a_key_is_selected_as_the_only_candidate_is() -> None:
    """The law of one key is that of a competition of growth 1 with the same terms."""
    for stream in product((None, "a"), repeat=5):
        alone = law_of_selections(SHORT.terms, [(key,) if key else () for key in stream])
        assert SHORT.distribution(stream) == {
            tuple(frozenset({key} if key else ()) for key in selections): mass
            for selections, mass in alone.items()
            if mass
        }
    goal: dict[str, Any] = {"budget": Budget(1, "1e-6"), "horizon": 1000}
    several = ContinualSelection[str](growth=1, **goal)
    assert ContinualKeySelection[str].within(**goal).terms == several.terms(1)


def test_draws_follow_the_distribution() -> None:
    mechanism = ContinualKeySelection[str](
        skip_epsilon=Fraction(1), test_epsilon=Fraction(2), delta=Fraction(4, 5), horizon=4
    )
    stream, rng = ("a", "b", "a", "b"), random.Random(5)
    seen: Counter[Selections] = Counter()
    with Ledger() as ledger:
        receipt = ledger.spend(Trials(mechanism, 3000), dataset="d", what="test", rng=rng)
    for _ in range(3000):
        seen[mechanism.draw(stream, receipt=receipt)] += 1
    statistic, freedom = chi_square(seen, mechanism.distribution(stream))
    assert statistic < freedom + 4 * (2 * freedom) ** 0.5


def test_enough_is_the_chance_of_the_slowest_stream() -> None:
    mechanism = ContinualKeySelection[str].within(Budget(1, "0.01"), horizon=9)
    for m, missed in zip(range(7), mechanism.terms.miss_bounds(), strict=False):
        stream = ("a",) * m
        none = (frozenset[str](),) * m
        assert missed == pytest.approx(float(mechanism.distribution(stream)[none]))
    m = mechanism.terms.sample_size(0.05)
    assert list(zip(range(m + 1), mechanism.terms.miss_bounds(), strict=False))[m][1] <= 0.05


def test_the_split_is_the_best() -> None:
    best = ContinualKeySelection[str].within(Budget(2, "1e-6"), horizon=1000)
    assert best.cost().epsilon == 2
    for share in (Fraction(1, 20), Fraction(1, 2)):
        other = replace(best, skip_epsilon=2 * share, test_epsilon=2 * (1 - share))
        assert best.terms.expected_records <= other.terms.expected_records


@pytest.mark.parametrize(
    ("name", "value"),
    [("skip_epsilon", 0), ("test_epsilon", -1), ("delta", 0), ("delta", 1), ("horizon", 0)],
)
def test_wrong_parameters_are_refused(name: str, value: object) -> None:
    with pytest.raises(DeclarationError, match=name.partition("_")[0]):
        replace(SHORT, **{name: value})  # type: ignore[arg-type]


@pytest.mark.parametrize("order", [[0, 1], [1, 0]])
def test_the_order_of_keys_that_are_due_together_is_drawn(order: list[int]) -> None:
    """Keys of one hash are listed in the order in which they came into the set."""
    sure = Terms(1, False, Fraction(0), Fraction(2), Fraction(1))
    keys: SoloCompetitions[int] = SoloCompetitions(sure, 9, Tape(random.Random(1)))
    same = [0, sys.hash_info.modulus]
    for key in same:
        keys.count(3, key)
    tape = keys._tape
    with tape.again([order]):
        assert list(keys.select()) == [same[i] for i in order]


def test_epsilon_is_split_where_fewest_records_are_expected() -> None:
    for epsilon, delta in ((20, "1e-100"), (1, "1e-6"), (1, "0.9")):
        chosen = ContinualKeySelection[str].within(Budget(epsilon, delta), horizon=1)
        assert chosen.terms.expected_records == min(
            replace(
                chosen,
                skip_epsilon=Fraction(epsilon * i, 32),
                test_epsilon=Fraction(epsilon * (32 - i), 32),
            ).terms.expected_records
            for i in range(1, 32)
        )
