"""Continual selection: exact divergences of all neighbouring streams, both kinds of skips."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

import pytest
from threshold_audit import chi_square

from littlestone.base.errors import DeclarationError
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.mechanisms.competition import Competition, Terms
from littlestone.privacy.mechanisms.continual_selection import (
    ContinualSelection,
    first,
    law_of_selections,
    make_terms,
)
from littlestone.privacy.rational import exp_below
from littlestone.privacy.tape import Tape
from littlestone.prove.audit.claims import hockey_stick, neighbours
from littlestone.prove.audit.subject import Trials
from scripted import Script

Stream = tuple[tuple[str, ...], ...]
Law = dict[tuple[str | None, ...], Fraction]
RECORDS = [(), ("a",), ("b",), ("a", "b")]
SKIP, BASE = Fraction(2, 3), Fraction(2)
KINDS = pytest.mark.parametrize("shared", [False, True], ids=["own", "shared"])


def ratio(shared: bool) -> Fraction:
    """e^epsilon for two candidates a record."""
    return BASE**2 / SKIP if shared else BASE / SKIP**2


def terms(shared: bool, delta: Fraction, horizon: int) -> Terms:
    return make_terms(2, shared, SKIP, BASE, delta / horizon)


def excess(
    found: Callable[[Stream], Law],
    shared: bool,
    delta: Fraction,
    length: int,
    records: Any = RECORDS,
) -> Fraction:
    """How far the divergence exceeds delta on the worst of all neighbouring streams."""
    laws = {stream: found(stream) for stream in product(records, repeat=length)}
    pairs = list(neighbours(records, length))
    return max(
        hockey_stick(laws[one], laws[other], ratio(shared)) - delta
        for a, b in pairs
        for one, other in ((a, b), (b, a))
    )


@KINDS
@pytest.mark.parametrize(
    ("delta", "length"), [(Fraction(1, 5), 3), (Fraction(9, 10), 3), (Fraction(1, 10), 4)]
)
def test_private_on_all_neighbouring_streams(shared: bool, delta: Fraction, length: int) -> None:
    chosen = terms(shared, delta, length)
    assert excess(lambda stream: law_of_selections(chosen, stream), shared, delta, length) <= 0


def stepped(competing: Competition[str], step: int, named: Iterable[str]) -> str | None:
    competing.count(step, named)
    return competing.select() if competing.due == step else None


def run_law(chosen: Terms, horizon: int, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The law of a competition's own code, along every outcome of its choices; skips up to 3."""
    script = Script()
    script.take_over(monkeypatch)

    def found(stream: Stream) -> Law:
        def run() -> tuple[str | None, ...]:
            competing = Competition[str](chosen, horizon, Tape(script.generator()))
            return tuple(stepped(competing, t, named) for t, named in enumerate(stream, start=1))

        return script.explore(run)

    return found


def test_the_session_follows_the_law(monkeypatch: pytest.MonkeyPatch) -> None:
    """With own skips, of which more than three are as good as three on three steps."""
    chosen = make_terms(2, False, Fraction(1, 2), Fraction(2), Fraction(1, 2))
    found = run_law(chosen, 3, monkeypatch)
    for stream in [(("a", "b"), ("a",), ("b",)), (("a", "b"),) * 3, (("b",), (), ("a", "b"))]:
        seen = {out: mass for out, mass in found(stream).items() if mass}
        assert seen == {
            out: mass for out, mass in law_of_selections(chosen, stream).items() if mass
        }


def test_shared_skips_are_summed_up_exactly() -> None:
    chosen = terms(True, Fraction(9, 10), 3)
    for stream in [(("a",), ("a", "b"), ("b",)), (("a", "b"),) * 3]:
        sums: dict[Any, Fraction] = {}
        for z in range(60):
            # A number of skips that is certain is a handicap of all.
            lower = Terms(2, True, Fraction(0), BASE, chosen.first / BASE**z)
            for out, mass in law_of_selections(lower, stream).items():
                if sum(x is not None for x in out) <= 1 and (out[-1] or not any(out)):
                    p = (1 - SKIP) * SKIP**z * mass
                    sums[out] = sums.get(out, Fraction(0)) + p
        exact = law_of_selections(chosen, stream)
        for out, mass in sums.items():
            assert abs(exact[out] - mass) < Fraction(1, 10**9)


ONE = make_terms(1, False, SKIP, BASE, Fraction(1, 1000) / 40)


def named(times: int, *, key: str = "a") -> Stream:
    """A key is named at first, and nothing from then on."""
    return ((key,),) * times + ((),) * (40 - times)


def selected(chosen: Terms, stream: Stream) -> Fraction:
    """The probability that anything is."""
    steps = range(1, len(stream) + 1)
    keys = {x for record in stream for x in record}
    return sum((first(chosen, stream[:u], key) for u in steps for key in keys), Fraction(0))


def quiet_ratio(chosen: Terms) -> Fraction:
    """The largest change of the chance that nothing is selected, by one record."""
    still = [1 - selected(chosen, named(k)) for k in range(10, 15)]
    return max(a / b for a, b in pairwise(still))


def last_ratio(chosen: Terms) -> Fraction:
    """The largest change of the chance to be selected at the last step, but for delta."""
    chances = [first(chosen, named(k), "a") for k in range(3, 9)]
    return max(b / a for a, b in pairwise(chances))


def test_the_bounds_are_reached() -> None:
    delta = Fraction(1, 1000)
    assert Fraction(14, 10) < quiet_ratio(ONE) <= 1 / SKIP
    assert BASE <= last_ratio(ONE) < Fraction(21, 10)
    assert delta / 4 < selected(ONE, named(1)) <= delta


def test_the_bounds_of_shared_skips_are_reached() -> None:
    delta = Fraction(1, 100)
    chosen = terms(True, delta, 3)
    lost, empty = (law_of_selections(chosen, (named, (), ())) for named in (("a", "b"), ()))
    assert hockey_stick(lost, empty, ratio(True)) > Fraction(99, 100) * delta

    def late(last: str) -> Fraction:
        stream = (("r",), *(("s",),) * 12, (last,), *((),) * 40)
        return first(terms(True, delta, 3), stream, "r")

    assert Fraction(95, 100) * ratio(True) < late("r") / late("s") <= ratio(True)


def test_a_record_names_no_more_than_it_may() -> None:
    crowd = tuple("abcd")
    mechanism = ContinualSelection[str](budget=Budget(1, Fraction(1, 1000)), horizon=40, growth=1)
    chosen = mechanism.terms(1)
    competing = Competition[str](chosen, 40, Tape(random.Random(0)))
    competing.count(1, crowd)
    assert set(competing._records) == {"a"}
    assert mechanism.distribution((crowd,)) == mechanism.distribution((("a",),))


def test_draws_follow_the_distribution() -> None:
    mechanism = ContinualSelection[str](
        budget=Budget(3, Fraction(9, 10)), horizon=3, growth=2, shared=True
    )
    stream, rng = (("a", "b"), ("a",), ("b",)), random.Random(5)
    seen: Counter[Any] = Counter()
    with Ledger() as ledger:
        receipt = ledger.spend(Trials(mechanism, 3000), dataset="d", what="test", rng=rng)
    for _ in range(3000):
        seen[mechanism.draw(stream, receipt=receipt)] += 1
    statistic, freedom = chi_square(seen, mechanism.distribution(stream))
    assert statistic < freedom + 4 * (2 * freedom) ** 0.5


def test_handicaps_are_records_that_do_not_count() -> None:
    rng, early = random.Random(1), 0
    chosen = make_terms(2, True, Fraction(9, 10), Fraction(3, 2), Fraction(1, 10**6))
    for _ in range(40):
        competing = Competition[str](chosen, 10**6, Tape(rng))
        competing.begin(chosen, lambda key: 12 if key == "b" else 0)
        steps = iter(range(1, 10**6))
        while (found := stepped(competing, next(steps), ("a", "b"))) is None:
            pass
        early += found == "a"
    assert early >= 36  # b has odds of (3/2)^-12


def test_rates_keep_within_the_declared_cost() -> None:
    for growth, shared in ((1, False), (4, False), (4, True)):
        mechanism = ContinualSelection[str](
            budget=Budget(1, "1e-6"),
            horizon=1000,
            growth=growth,
            shared=shared,
        )
        chosen = mechanism.terms(growth, shared=shared)
        spent = chosen.base**2 / chosen.skip if shared else chosen.base / chosen.skip**growth
        assert Fraction(99, 100) < spent / exp_below(Fraction(1), bits=256) <= 1


@pytest.mark.parametrize(("name", "value"), [("budget", Budget(1)), ("horizon", 0), ("growth", 0)])
def test_wrong_parameters_are_refused(name: str, value: object) -> None:
    right = {"budget": Budget(1, "1e-6"), "horizon": 9, "growth": 2}
    with pytest.raises(DeclarationError, match="delta" if name == "budget" else name):
        ContinualSelection(**{**right, name: value})  # type: ignore[arg-type]
