"""The ledger in one process: exact totals, limits, receipts, files, and every refusal."""

from __future__ import annotations

import copy
import os
import pickle
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from itertools import chain, repeat
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from spending import Answer

from littlestone.base.errors import BudgetExceededError, DeclarationError, LedgerError
from littlestone.privacy.cost import Budget, PrivacyCost, decimal_text, exact
from littlestone.privacy.event import Event
from littlestone.privacy.ledger import Entry, Ledger, Part, Receipt, rows
from littlestone.privacy.ledger import file as file_tables
from littlestone.privacy.ledger import file as ledger_file
from littlestone.privacy.randomness import is_cryptographic, seeded_generator, system_generator
from planting import Fault, plant

TENTH = Answer(exact(0.1, what="epsilon"))
ONE = PrivacyCost(Fraction(1))
FOLD = Part.fold(2, 5)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "budget.ledger"


def tenths_admitted(ledger: Ledger) -> int:
    """How many spends of 0.1 a limit of 1 admits, twenty being tried."""
    ledger.set_limit("people", ONE)
    admitted = 0
    for _ in range(20):
        try:
            ledger.spend(TENTH, dataset="people", what="a look")
        except BudgetExceededError:
            continue
        admitted += 1
    return admitted


# Totals and limits


def test_a_limit_of_one_admits_exactly_ten_tenths() -> None:
    with Ledger() as ledger:
        assert tenths_admitted(ledger) == 10
        assert ledger.total("people") == ONE
        assert len(ledger.entries()) == 10


def test_costs_kept_as_floats_would_be_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "Fraction", lambda text: Fraction(float(Fraction(text))))
    assert tenths_admitted(Ledger()) == 9  # the float 0.1 is above 1/10


def test_the_last_digit_of_delta_counts() -> None:
    ledger = Ledger()
    ledger.set_limit("people", PrivacyCost(Fraction(9), Fraction(1, 10**30)))
    ledger.spend(Answer(Fraction(1), Fraction(1, 10**30)), dataset="people", what="all of it")
    with pytest.raises(BudgetExceededError):
        ledger.spend(Answer(Fraction(1), Fraction(1, 10**60)), dataset="people", what="a crumb")


def test_epsilon_and_delta_are_limited_each_on_its_own() -> None:
    ledger = Ledger()
    ledger.set_limit("people", PrivacyCost(Fraction(1), Fraction(1, 2)))
    half = Fraction(1, 2)
    ledger.spend(Answer(half, Fraction(1, 4)), dataset="people", what="a look")
    ledger.spend(Answer(Fraction(0), Fraction(1, 8)), dataset="people", what="a look")
    for event in (Answer(half, Fraction(1, 4)), Answer(Fraction(2, 3), Fraction(1, 8))):
        with pytest.raises(BudgetExceededError):
            ledger.spend(event, dataset="people", what="a look")
    ledger.spend(Answer(half, Fraction(1, 8)), dataset="people", what="a look")
    assert ledger.total("people") == ledger.limit("people")


def test_data_sets_have_budgets_of_their_own() -> None:
    ledger = Ledger()
    ledger.set_limit("people", PrivacyCost(Fraction(1, 10)))
    ledger.spend(TENTH, dataset="people", what="a look")
    ledger.spend(TENTH, dataset="Zürich 东京", what="a look")
    with pytest.raises(BudgetExceededError, match=r"the total would be epsilon 0\.2, delta 0"):
        ledger.spend(TENTH, dataset="people", what="a look")
    ledger.spend(TENTH, dataset="Zürich 东京", what="a look")
    ledger.set_limit("unused", ONE)
    assert ledger.datasets() == ["Zürich 东京", "people", "unused"]
    assert ledger.total("Zürich 东京") == PrivacyCost(Fraction(1, 5))
    assert (ledger.limit("people"), ledger.limit("Zürich 东京")) == (TENTH.cost(), None)
    assert (ledger.total("never seen"), ledger.entries("never seen")) == (
        PrivacyCost(0 * ONE.epsilon),
        [],
    )


def test_a_lowered_limit_refuses_everything_after_it_and_a_raised_one_admits() -> None:
    ledger = Ledger()
    ledger.spend(TENTH, dataset="people", what="a look")
    ledger.set_limit("people", PrivacyCost(Fraction(1, 20)))
    for event in (TENTH, Answer(Fraction(0))):
        with pytest.raises(BudgetExceededError):
            ledger.spend(event, dataset="people", what="a look")
    ledger.set_limit("people", ONE)
    assert ledger.spend(TENTH, dataset="people", what="a look").number == 2


def test_everything_is_still_there_after_reopening(path: Path) -> None:
    before = datetime.now(UTC) - timedelta(seconds=1)
    with Ledger(path) as ledger:
        ledger.set_limit("people", ONE)
        third = Answer(Fraction(1, 3), Fraction(1, 10**9))
        ledger.set_limit("people", PrivacyCost(Fraction(1), Fraction(1, 2)))
        receipt = ledger.spend(third, dataset="people", what="a first look")
        written = ledger.entries()
    assert (receipt.number, receipt.dataset, receipt.event) == (1, "people", third)
    with Ledger(str(path), create=False) as ledger:
        assert ledger.path == str(path)
        assert ledger.entries("people") == ledger.entries() == written == [receipt.entry]
        (entry,) = written
        assert entry == Entry(1, "people", "a first look", str(third), third.cost(), entry.at)
        assert before <= datetime.fromisoformat(entry.at) <= datetime.now(UTC)
        assert ledger.total("people") == third.cost()
        assert ledger.limit("people") == PrivacyCost(Fraction(1), Fraction(1, 2))


def test_threads_share_a_ledger(path: Path) -> None:
    ledger = Ledger(path)
    ledger.set_limit("people", ONE)
    numbers: list[int] = []

    def work() -> None:
        for _ in range(20):
            try:
                numbers.append(ledger.spend(TENTH, dataset="people", what="a look").number)
            except BudgetExceededError:
                return

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(numbers) == list(range(1, 11))
    assert ledger.total("people") == ONE


amounts = st.builds(Fraction, st.integers(0, 6), st.integers(1, 12))
costs = st.builds(PrivacyCost, amounts, amounts)
moves = st.tuples(st.sampled_from(["spend", "limit", "reopen"]), st.sampled_from("ab"), costs)


@pytest.mark.deep
@settings(max_examples=50, deadline=None)
@given(st.lists(moves, max_size=12))
def test_any_sequence_does_what_two_dictionaries_would(
    sequence: list[tuple[str, str, PrivacyCost]],
) -> None:
    limits: dict[str, PrivacyCost] = {}
    spent: list[tuple[str, PrivacyCost]] = []

    def total(name: str) -> PrivacyCost:
        return sum((cost for owner, cost in spent if owner == name), start=PrivacyCost(Fraction(0)))

    with tempfile.TemporaryDirectory() as folder:
        ledger = Ledger(Path(folder, "budget.ledger"))
        for move, name, cost in sequence:
            if move == "reopen":
                ledger.close()
                ledger = Ledger(Path(folder, "budget.ledger"), create=False)
            elif move == "limit":
                ledger.set_limit(name, cost)
                limits[name] = cost
            elif name in limits and not (total(name) + cost).within(limits[name]):
                with pytest.raises(BudgetExceededError):
                    ledger.spend(Answer(cost.epsilon, cost.delta), dataset=name, what="a look")
            else:
                ledger.spend(Answer(cost.epsilon, cost.delta), dataset=name, what="a look")
                spent.append((name, cost))
            assert [(entry.dataset, entry.cost) for entry in ledger.entries()] == spent
            assert ledger.datasets() == sorted({*limits, *(owner for owner, _ in spent)})
            for owner in "ab":
                assert ledger.total(owner) == total(owner)
                assert ledger.limit(owner) == limits.get(owner)
        ledger.close()


# Receipts


def test_a_receipt_pays_for_one_draw() -> None:
    receipt = Ledger().spend(TENTH, dataset="people", what="a look")
    receipt.redeem(Answer(Fraction(1, 10)))  # equal to the event paid for
    with pytest.raises(LedgerError, match="it has paid for a draw already"):
        receipt.redeem(TENTH)


def test_a_receipt_tells_the_total_and_the_limit_of_its_own_moment() -> None:
    ledger = Ledger()
    first = ledger.spend(TENTH, dataset="people", what="a look")
    ledger.set_limit("people", ONE)
    second = ledger.spend(TENTH, dataset="people", what="a look")
    ledger.set_limit("people", TENTH.cost())
    ledger.close()  # nothing is read later
    assert (first.total, first.limit) == (TENTH.cost(), None)
    assert (second.total, second.limit) == (PrivacyCost(Fraction(1, 5)), ONE)


def test_a_receipt_hands_out_the_generator_of_its_spend() -> None:
    rng = seeded_generator(1)
    with Ledger() as ledger:
        seeded = ledger.spend(TENTH, dataset="people", what="a look", rng=rng)
        usual = ledger.spend(TENTH, dataset="people", what="a look")
    assert not seeded.private
    assert seeded.redeem(TENTH) is rng
    assert usual.private
    assert is_cryptographic(usual.redeem(TENTH))


def test_what_is_no_generator_is_refused_before_the_spend() -> None:
    floats: Any = np.random.default_rng(0)
    with Ledger() as ledger:
        with pytest.raises(DeclarationError, match=r"not a random\.Random"):
            ledger.spend(TENTH, dataset="people", what="a look", rng=floats)
        assert not ledger.entries()


def test_a_receipt_pays_for_no_other_event_and_survives_the_refusal() -> None:
    receipt = Ledger().spend(TENTH, dataset="people", what="a look")
    with pytest.raises(LedgerError, match=r"it pays for answer\(1/10, 0\), epsilon 0.1"):
        receipt.redeem(Answer(Fraction(2, 10)))
    receipt.redeem(TENTH)


def test_a_receipt_pays_for_no_other_kind_of_event_of_the_same_text_and_cost() -> None:
    class Impostor(Answer):
        pass

    receipt = Ledger().spend(TENTH, dataset="people", what="a look")
    with pytest.raises(LedgerError, match="it pays for"):
        receipt.redeem(Impostor(TENTH.epsilon))


def test_an_event_that_grew_after_it_was_paid_is_refused() -> None:
    @dataclass
    class Growing(Event):
        epsilon: int

        def cost(self) -> PrivacyCost:
            return PrivacyCost(Fraction(self.epsilon))

        def __str__(self) -> str:
            return "growing"

    event = Growing(1)
    receipt = Ledger().spend(event, dataset="people", what="a look")
    event.epsilon = 2
    with pytest.raises(LedgerError, match="it pays for growing, epsilon 1,"):
        receipt.redeem(event)


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, pickle.dumps])
def test_a_receipt_cannot_be_copied(duplicate: Callable[[object], object]) -> None:
    receipt = Ledger().spend(TENTH, dataset="people", what="a look")
    with pytest.raises(LedgerError, match="copy a receipt"):
        duplicate(receipt)


def test_a_receipt_cannot_be_forged() -> None:
    entry = Entry(1, "people", "a look", str(TENTH), TENTH.cost(), "2026-01-01T00:00:00+00:00")
    with pytest.raises(LedgerError, match="only a recorded spend makes one"):
        Receipt(TENTH, entry, ONE, None, system_generator())


def test_one_of_many_threads_redeems() -> None:
    receipt = Ledger().spend(TENTH, dataset="people", what="a look")
    start, outcomes = threading.Barrier(8), []

    def work() -> None:
        start.wait()
        try:
            receipt.redeem(TENTH)
        except LedgerError:
            outcomes.append(False)
        else:
            outcomes.append(True)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == [False] * 7 + [True]


# Refused declarations


@pytest.mark.parametrize(
    "name",
    [
        "",
        " people",
        "people\n",
        "peo\nple",
        "a\x00b",
        "a\u200bb",
        "\ud800",
        "a\ufe0f",
        "a\U000e01ef",
    ],
)
def test_names_that_could_mislead_a_reader_are_refused(name: str) -> None:
    ledger = Ledger()
    for use in (
        lambda: ledger.spend(TENTH, dataset=name, what="a look"),
        lambda: ledger.spend(TENTH, dataset="people", what=name),
        lambda: ledger.set_limit(name, ONE),
        lambda: ledger.total(name),
        lambda: ledger.limit(name),
        lambda: ledger.entries(name),
    ):
        with pytest.raises(DeclarationError):
            use()
    assert ledger.datasets() == []


def test_names_have_what_is_seen_behind_the_last_selector_of_variants() -> None:
    ledger = Ledger()
    ledger.set_limit("a\ufe10", ONE)
    assert ledger.limit("a\ufe10") == ONE


@pytest.mark.parametrize(
    "cost",
    [
        PrivacyCost(Fraction(-1, 10)),
        PrivacyCost(Fraction(1), Fraction(-1, 10)),
        PrivacyCost(0.1),  # type: ignore[arg-type]
        PrivacyCost(Fraction(1), float("nan")),  # type: ignore[arg-type]
    ],
)
def test_negative_and_inexact_costs_are_refused(cost: PrivacyCost) -> None:
    ledger = Ledger()
    with pytest.raises(DeclarationError):
        ledger.spend(Answer(cost.epsilon, cost.delta), dataset="people", what="a look")
    with pytest.raises(DeclarationError):
        ledger.set_limit("people", cost)
    assert ledger.datasets() == []


# Costs of any length of fraction


def forty() -> list[Fraction]:
    """Fractions of sixty digits, whose denominators have no common factor."""
    return [Fraction(10**58 + k, p**n) for k, p in enumerate(PRIMES) for n in [digits(p)]]


PRIMES = [p for p in range(3, 200) if p != 5 and all(p % q for q in range(2, p))][:40]


def digits(p: int) -> int:
    """The greatest power of ``p`` with at most sixty digits."""
    return max(n for n in range(200) if p**n < 10**60)


def test_no_legal_costs_make_a_ledger_that_cannot_be_read(path: Path) -> None:
    costs = forty()
    assert len(costs) == 40
    exactly = Fraction(0)
    with Ledger(path) as ledger:
        for cost in costs:
            receipt = ledger.spend(Answer(cost, cost / 10**20), dataset="people", what="a look")
            exactly += cost
            # What is charged is never less, and the total is the sum of what is charged.
            assert 0 <= receipt.entry.cost.epsilon - cost < Fraction(1, 10**100)
            receipt.redeem(Answer(cost, cost / 10**20))
        total = ledger.total("people").epsilon
        assert 0 < total - exactly < Fraction(40, 10**100)
        assert total.denominator < 10**300
        (*_, (_, last)) = ledger.history("people")
        assert last.epsilon == total == sum(entry.cost.epsilon for entry in ledger.entries())
        assert len(decimal_text(total)) < 700
        # Short costs are still charged as they are.
        third = Answer(Fraction(1, 3))
        before = ledger.total("people").epsilon
        for _ in range(3):
            ledger.spend(third, dataset="people", what="a look")
        assert ledger.total("people").epsilon == before + 1


def test_deltas_are_kept_short_by_themselves() -> None:
    """Beside epsilons of one digit."""
    ledger = Ledger()
    for cost in forty():
        delta = cost / 10**20
        entry = ledger.spend(Answer(Fraction(1), delta), dataset="people", what="a look").entry
        assert entry.cost.epsilon == 1
        assert 0 <= entry.cost.delta - delta < Fraction(1, 10**100)
    assert ledger.total("people").delta.denominator < 10**300


def test_three_thirds_are_one() -> None:
    ledger = Ledger()
    ledger.set_limit("people", ONE)
    for _ in range(3):
        ledger.spend(Answer(Fraction(1, 3)), dataset="people", what="a look")
    assert ledger.total("people") == ONE


def test_a_ledger_of_long_old_fractions_can_be_read_and_spent_on(path: Path) -> None:
    """Of 190 digits each, as they were once allowed; the total has beyond seven thousand."""
    rows = [
        f"INSERT INTO entries VALUES ({k}, 'people', 'a look', 'answer',"
        f" '{10**189 + k}/{p ** max(n for n in range(600) if p**n < 10**190)}', '0/1',"
        " 'replace-one', '')"
        for k, p in enumerate(PRIMES, 4)
    ]
    tables_of_another(path, *FORMAT_1, *rows)
    with Ledger(path) as ledger:
        total = ledger.total("people").epsilon
        assert total.denominator > 10**7000
        assert len(decimal_text(total)) > 14000
        assert len(str(ledger.total("people"))) > 14000
        cost = Fraction(1, 211**40)
        with pytest.raises(BudgetExceededError) as caught:
            ledger.spend(Answer(cost), dataset="people", what="a look")
        assert str(caught.value)
        ledger.set_limit("people", PrivacyCost(Fraction(10**99)))
        receipt = ledger.spend(Answer(cost), dataset="people", what="a look")
        # One more factor, of the decimal grid, and none ever after.
        assert receipt.total is not None
        unit = receipt.total.epsilon.denominator
        ledger.spend(Answer(Fraction(1, 223**40)), dataset="people", what="a look")
        assert ledger.total("people").epsilon.denominator <= unit * 10**100


@pytest.mark.parametrize(
    "cost", [Fraction(1, 10**100 + 1), Fraction(10**100 + 1), Fraction(1, 3**9000)]
)
def test_a_cost_too_long_is_refused_before_anything_is_recorded(cost: Fraction) -> None:
    ledger = Ledger()
    for number in (PrivacyCost(cost), PrivacyCost(Fraction(1), cost)):
        with pytest.raises(DeclarationError, match="at most 10\\^100"):
            ledger.spend(Long(number), dataset="people", what="a look")
        with pytest.raises(DeclarationError, match="at most 10\\^100"):
            ledger.set_limit("people", number)
    assert ledger.datasets() == []


@dataclass(frozen=True)
class Long(Event):
    """Whose text is short, though its cost is not."""

    paid: PrivacyCost

    def cost(self) -> PrivacyCost:
        return self.paid

    def __str__(self) -> str:
        return "a long cost"


# Names


def test_names_are_bounded_where_they_are_written_and_not_where_they_are_read(path: Path) -> None:
    long = "a" * 501
    old = FORMAT_1[-3].replace("people", long)
    tables_of_another(path, *FORMAT_1, old.replace("(3,", "(4,"))
    with Ledger(path) as ledger:
        for use in (
            lambda: ledger.spend(TENTH, dataset=long, what="a look"),
            lambda: ledger.spend(TENTH, dataset="a", what="a" * 100_001),
            lambda: ledger.spend(TENTH, dataset="a", what="b", part=Part(long, 1, 2)),
            lambda: ledger.set_limit(long, ONE),
            lambda: ledger.note_shape(long, columns=["age"], n=1),
        ):
            with pytest.raises(DeclarationError, match=r"characters, and .* are allowed"):
                use()
        assert ledger.total(long) == PrivacyCost(Fraction(9, 10))
        for pair in ((long + "a", "people"), ("people", long + "a")):
            with pytest.raises(DeclarationError, match=r"characters, and .* are allowed"):
                ledger.alias(*pair)
        # Another name goes on with the budget of the long one.
        ledger.alias("short", long)
        assert ledger.spend(TENTH, dataset="short", what="a look").total == ONE


def test_the_mark_of_a_seeded_spend_is_part_of_its_purpose(path: Path) -> None:
    most = 100_000 - len("simulation, NOT PRIVATE: ")
    with Ledger(path) as ledger:
        ledger.spend(TENTH, dataset="a", what="a" * most, rng=seeded_generator(1))
        with pytest.raises(DeclarationError, match=f"characters, and {most:,} are allowed"):
            ledger.spend(TENTH, dataset="a", what="a" * (most + 1), rng=seeded_generator(1))
        ledger.spend(TENTH, dataset="a", what="a" * 100_000)
        assert [len(entry.what) for entry in ledger.entries()] == [100_000] * 2


def test_a_long_old_name_and_its_limit_keep_no_short_one_from_a_new_limit(path: Path) -> None:
    long, two = "a" * 501, PrivacyCost(Fraction(2))
    limited = FORMAT_1[-4].replace("people", long)
    assert limited.startswith("INSERT INTO limits")
    tables_of_another(path, *FORMAT_1, limited)
    with Ledger(path) as ledger:
        ledger.alias(long, "people")
        assert ledger.limit("people") == ONE
        ledger.set_limit("people", two)
        assert ledger.limit("people") == ledger.limit(long) == two


# Several names of one data set


def test_names_that_are_joined_share_what_is_spent_and_the_least_limit(address: str) -> None:
    ledger = Ledger(address)
    half, two = Answer(Fraction(1, 2)), PrivacyCost(Fraction(2), Fraction(1, 2))
    ledger.spend(half, dataset="a", what="a look")
    ledger.spend(half, dataset="b", what="a look")
    ledger.set_limit("a", two)
    ledger.set_limit("b", PrivacyCost(Fraction(5), Fraction(1, 10)))
    for first, second in (("a", "b"), ("b", "a"), ("c", "b")):
        ledger.alias(first, second)
    for name in "abc":
        assert ledger.names(name) == ["a", "b", "c"]
        assert ledger.total(name) == ONE
        assert ledger.limit(name) == PrivacyCost(Fraction(2), Fraction(1, 10))
    assert ledger.spend(half, dataset="c", what="a look").total == PrivacyCost(Fraction(3, 2))
    with pytest.raises(BudgetExceededError, match=r"would be epsilon 2\.5"):
        ledger.spend(Answer(Fraction(1)), dataset="a", what="a look")
    ledger.set_limit("a", PrivacyCost(Fraction(5, 2)))
    assert ledger.spend(Answer(Fraction(1)), dataset="b", what="a look").number == 4
    assert [str(total.epsilon) for _, total in ledger.history("b")] == ["1/2", "1", "3/2", "5/2"]
    assert ledger.history() == ledger.history("a")
    assert ledger.total("d") == PrivacyCost(Fraction(0))


def test_a_limit_binds_every_name_and_the_next_one_takes_its_place_for_all() -> None:
    ledger, two = Ledger(), PrivacyCost(Fraction(2))
    ledger.set_limit("a", ONE)
    ledger.set_limit("b", PrivacyCost(Fraction(3)))
    ledger.alias("a", "b")
    ledger.alias("c", "b")
    for name in "abc":
        with pytest.raises(BudgetExceededError, match="the limit is epsilon 1,"):
            ledger.spend(Answer(Fraction(2)), dataset=name, what="a look")
    ledger.set_limit("b", two)
    assert [ledger.limit(name) for name in "abc"] == [two] * 3
    assert ledger.spend(Answer(Fraction(2)), dataset="c", what="a look").limit == two


def test_parts_under_two_names_add_up() -> None:
    """The records may stand in another order under the other name."""
    ledger, other = Ledger(), Part.fold(3, 5)
    for name, part in (("a", FOLD), ("a", other), ("b", FOLD), ("b", other)):
        ledger.spend(TENTH, dataset=name, what="a look", part=part)
    ledger.alias("a", "b")
    assert ledger.total("a") == PrivacyCost(Fraction(1, 5))
    assert ledger.history()[-1][1] == ledger.total("a")
    # One position may stand in the second part of one and in the third of the other.
    apart = Ledger()
    apart.alias("a", "b")
    apart.spend(TENTH, dataset="a", what="a look", part=FOLD)
    total = apart.spend(TENTH, dataset="b", what="a look", part=other).total
    assert total is not None
    assert total.epsilon == Fraction(1, 5)


def test_joined_names_are_never_parted(path: Path) -> None:
    ledger = Ledger(path)
    ledger.alias("a", "b")
    for statement in ("DELETE FROM aliases", "UPDATE aliases SET same_as = 'c'"):
        with pytest.raises(sqlite3.IntegrityError, match="an entry of the ledger is never"):
            tables_of_another(path, statement)
    assert Ledger(path).names("a") == ["a", "b"]


JOINED = """
import sys
from littlestone.privacy.ledger import Ledger, rows
with Ledger(sys.argv[1]) as ledger:
    with ledger._store.transaction("join many") as connection:
        for i in range(50_000):
            rows.join(connection, f"n{i}", "n0" if sys.argv[2] == "star" else f"n{i + 1}")
        rows.join(connection, "a", "b")
        assert rows.names(connection, "a") == ["a", "b"]
        assert len(rows.names(connection, "n7")) >= 50_000
        groups = rows.joined_names(connection)
        assert groups["a"] == ["a", "b"]
        assert groups["n7"] is groups["n9"]
"""


@pytest.mark.deep
@pytest.mark.parametrize("shape", ["chain", "star"])
def test_very_many_names_take_time_in_proportion(path: Path, shape: str) -> None:
    """A second or two; the limit, of time squared, is a net that is never reached."""
    subprocess.run([sys.executable, "-c", JOINED, str(path), shape], timeout=300, check=True)


def test_a_table_of_the_same_looks_under_another_name_is_told_once(address: str) -> None:
    with Ledger(address) as ledger:
        assert ledger.note_shape("a", columns=["age", "late"], n=100) == []
        assert ledger.note_shape("b", columns=["age", "late"], n=101) == []
        assert ledger.note_shape("b", columns=["late", "age"], n=100) == []
        assert ledger.lookalikes() == []
    with Ledger(address) as ledger:
        assert ledger.note_shape("c", columns=["age", "late"], n=100) == ["a"]
        assert ledger.note_shape("c", columns=["age", "late"], n=100) == []
        assert ledger.note_shape("d", columns=["age", "late"], n=100) == ["a", "c"]
        assert ledger.lookalikes() == [["a", "c", "d"]]
        ledger.alias("a", "c")
        assert ledger.lookalikes() == [["a", "d"]]
        assert ledger.note_shape("e", columns=["age", "late"], n=100) == ["a", "d"]
        ledger.alias("e", "a")
        ledger.alias("d", "c")
        assert ledger.lookalikes() == []
        assert ledger.note_shape("a", columns=["late", "age"], n=100) == ["b"]
        assert ledger.note_shape("c", columns=["late", "age"], n=100) == ["b"]


# Files that cannot be a ledger


def tables_of_another(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


def refused(path: Path, found: str, *, create: bool = True) -> None:
    with pytest.raises(LedgerError, match=found) as error:
        Ledger(path, create=create)
    assert error.value.asked == f"open the ledger {path}"
    assert error.value.fix


def test_a_directory_that_is_missing(tmp_path: Path) -> None:
    refused(tmp_path / "no" / "budget.ledger", f"there is no directory {tmp_path}/no")


def test_a_path_that_is_a_directory(tmp_path: Path) -> None:
    refused(tmp_path, "unable to open database file")


def test_reading_makes_no_file(path: Path) -> None:
    refused(path, "there is no such file", create=False)
    assert not path.exists()


@pytest.mark.parametrize("create", [True, False])
def test_an_empty_file_is_a_ledger_without_entries(path: Path, create: bool) -> None:
    """A process killed while it makes the file leaves it empty; nothing has been drawn by then."""
    path.touch()
    with pytest.warns(UserWarning, match="new ledger") if not create else nullcontext():
        ledger = Ledger(path, create=create)
    assert ledger.is_new
    assert ledger.entries() == []


def test_a_limit_is_a_budget_or_a_cost() -> None:
    ledger = Ledger()
    ledger.set_limit("census", Budget(1, "1e-6"))
    assert ledger.limit("census") == PrivacyCost(Fraction(1), Fraction(1, 10**6))
    wrong: Any
    for wrong in (5, "1", None, Fraction(1), [1, 2]):
        with pytest.raises(DeclarationError, match="neither a Budget nor a PrivacyCost"):
            ledger.set_limit("census", wrong)


def test_a_misspelled_name_is_told(path: Path) -> None:
    with pytest.warns(UserWarning, match=r"new ledger .*: nothing is spent in it") as told:
        made = Ledger(path)
    assert told[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again = Ledger(path)
        asked = Ledger(f"{path}2", create=True)
        memory = Ledger()
    assert [book.is_new for book in (made, again, asked, memory)] == [True, False, True, True]


def test_a_file_that_is_not_a_database(path: Path) -> None:
    path.write_text("name,income\nAda,123456\n" * 100)
    refused(path, "file is not a database")
    with pytest.raises(LedgerError) as error:
        Ledger(path)
    assert "123456" not in str(error.value)
    assert path.read_text().startswith("name,income")


@pytest.mark.parametrize(
    "statements",
    [
        ("CREATE TABLE songs (title TEXT)",),
        ("PRAGMA application_id = 7",),
        ("PRAGMA user_version = 1",),
    ],
)
def test_a_database_of_another_application(path: Path, statements: tuple[str, ...]) -> None:
    tables_of_another(path, *statements)
    content = path.read_bytes()
    refused(path, "the file is not a ledger")
    assert path.read_bytes() == content


def test_a_ledger_of_a_later_version(path: Path) -> None:
    Ledger(path).close()
    tables_of_another(path, "PRAGMA user_version = 6")
    refused(path, "the file has format 6 and this version of littlestone reads 5")


FORMAT_1 = (
    "CREATE TABLE limits (dataset TEXT PRIMARY KEY, epsilon TEXT NOT NULL, delta TEXT NOT NULL,"
    " neighboring TEXT NOT NULL)",
    "CREATE TABLE entries (number INTEGER PRIMARY KEY AUTOINCREMENT, dataset TEXT NOT NULL,"
    " what TEXT NOT NULL, mechanism TEXT NOT NULL, epsilon TEXT NOT NULL, delta TEXT NOT NULL,"
    " neighboring TEXT NOT NULL, at TEXT NOT NULL)",
    "CREATE INDEX costs ON entries (dataset, epsilon, delta, neighboring)",
    "CREATE TRIGGER no_update BEFORE UPDATE ON entries"
    " BEGIN SELECT RAISE(ABORT, 'an entry of the ledger is never changed'); END",
    "CREATE TRIGGER no_delete BEFORE DELETE ON entries"
    " BEGIN SELECT RAISE(ABORT, 'an entry of the ledger is never deleted'); END",
    "INSERT INTO limits VALUES ('people', '1/1', '0/1', 'replace-one')",
    "INSERT INTO entries VALUES (3, 'people', 'a look', 'answer', '9/10', '0/1', 'replace-one', '')",
    f"PRAGMA application_id = {int.from_bytes(b'LsDP', 'big')}",
    "PRAGMA user_version = 1",
)


def test_a_ledger_of_format_1_is_brought_up_to_date(path: Path, tmp_path: Path) -> None:
    tables_of_another(path, *FORMAT_1)
    for _ in range(2):
        with Ledger(path, create=False) as ledger:
            (old, *_) = ledger.entries()
            assert old == Entry(3, "people", "a look", "answer", PrivacyCost(Fraction(9, 10)), "")
    with Ledger(path) as ledger:
        assert ledger.spend(TENTH, dataset="people", what="a look", part=FOLD).number == 4
        with pytest.raises(BudgetExceededError):
            ledger.spend(TENTH, dataset="people", what="a look", part=FOLD)
        assert ledger.total("people") == ONE
    # What it has become is what a new file is.
    Ledger(tmp_path / "new").close()
    assert definitions(path) == definitions(tmp_path / "new")


def definitions(path: Path) -> dict[str, list[object]]:
    with closing(sqlite3.connect(path)) as connection:
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master")]
        return {
            name: connection.execute(f"PRAGMA table_xinfo({name})").fetchall()
            + connection.execute(f"PRAGMA index_xinfo({name})").fetchall()
            for name in names
        }


def test_a_migration_that_is_cut_off_leaves_the_old_file(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables_of_another(path, *FORMAT_1)
    before = definitions(path)
    with monkeypatch.context() as patch:
        patch.setitem(file_tables.STEPS, 2, (*file_tables.STEPS[2], "nonsense"))
        refused(path, "syntax error")
    assert definitions(path) == before
    assert Ledger(path).total("people") == PrivacyCost(Fraction(9, 10))


@contextmanager
def unprivileged() -> Iterator[None]:
    """As an ordinary user, since the superuser may write to files marked read-only."""
    superuser = os.geteuid() == 0
    if superuser:
        os.seteuid(65534)
    try:
        yield
    finally:
        if superuser:
            os.seteuid(0)


@pytest.mark.parametrize("guarded", ["file", "directory"])
def test_what_is_read_only_is_found_out_when_opening(guarded: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "budget.ledger")
        os.chmod(folder, 0o777)
        Ledger(path).close()
        path.chmod(0o444 if guarded == "file" else 0o666)
        os.chmod(folder, 0o777 if guarded == "file" else 0o555)
        with unprivileged():
            refused(path, "SQLite says: ")
            if guarded == "directory":
                refused(Path(folder, "another.ledger"), "unable to open database file")
        os.chmod(folder, 0o777)


def test_an_old_sqlite_is_named(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 34, 1))
    refused(path, "does not know RETURNING")


def test_odd_characters_in_a_path(tmp_path: Path) -> None:
    path = tmp_path / "what? 100% #1 &mode=memory.ledger"
    Ledger(path).close()
    assert path.exists()


# Trouble while spending


def test_an_entry_is_flushed_to_the_disk_directory_included(path: Path) -> None:
    with Ledger(path)._store.transaction("read the settings") as connection:
        assert connection.execute("PRAGMA synchronous").fetchone() == (3,)  # EXTRA
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)


def test_a_full_disk_gives_no_receipt(path: Path) -> None:
    with Ledger(path) as ledger:
        ledger.spend(TENTH, dataset="people", what="a look")
        with ledger._store.transaction("shrink the disk") as connection:
            (pages,) = connection.execute("PRAGMA page_count").fetchone()
            connection.execute(f"PRAGMA max_page_count = {pages}")
        receipts = 1
        with pytest.raises(LedgerError, match="database or disk is full"):  # noqa: PT012
            while receipts < 1000:
                ledger.spend(TENTH, dataset="people", what="a look")
                receipts += 1
        assert len(ledger.entries()) == receipts
    assert len(Ledger(path).entries()) == receipts


def test_a_ledger_locked_for_too_long_gives_no_receipt(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger_file, "PATIENCE", 0.1)
    ledger = Ledger(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(LedgerError, match="database is locked"):
            ledger.spend(TENTH, dataset="people", what="a look")
        other.execute("COMMIT")
    assert ledger.spend(TENTH, dataset="people", what="a look").number == 1


def waits_though_time_flies(path: Path, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether a spend waits for another program though the clock says that it has for an hour."""
    ledger = Ledger(path)
    clock = chain([0.0], repeat(3600.0))
    monkeypatch.setattr(ledger_file, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    with closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False)) as other:
        other.execute("BEGIN IMMEDIATE")
        end = threading.Timer(ledger_file._WAIT * 10, other.execute, ["COMMIT"])
        end.start()
        try:
            return ledger.spend(TENTH, dataset="people", what="a look").number == 1
        except LedgerError:
            return False
        finally:
            end.join()


def test_a_process_that_was_stopped_has_not_waited(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert waits_though_time_flies(path, monkeypatch)
    monkeypatch.undo()
    by_the_clock = Fault("littlestone.privacy.ledger.file:_patiently",
                         "(waited > PATIENCE and looks > PATIENCE / _WAIT)", "waited > PATIENCE",
                         "gives up after the second look, because the process was stopped")  # fmt: skip
    plant(by_the_clock, monkeypatch)
    path.unlink()
    assert not waits_though_time_flies(path, monkeypatch)


def test_a_long_read_by_another_program_is_waited_for(path: Path) -> None:
    ledger = Ledger(path)
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN")
    other.execute("SELECT * FROM entries").fetchall()
    # Longer than SQLite waits by itself, so that the commit has to be tried again.
    threading.Timer(ledger_file._WAIT * 10, other.execute, ["COMMIT"]).start()
    assert ledger.spend(TENTH, dataset="people", what="a look").number == 1
    other.close()


def test_a_ledger_deleted_while_in_use_gives_no_receipt(path: Path) -> None:
    ledger = Ledger(path)
    path.unlink()
    with pytest.raises(LedgerError):
        ledger.spend(TENTH, dataset="people", what="a look")


def test_a_file_of_two_names_is_refused_before_sqlite_reads_it(path: Path) -> None:
    """A journal that a crash left is undone under its own name alone."""
    ledger, other = Ledger(path), path.with_name("other.ledger")
    ledger.spend(TENTH, dataset="people", what="a look")
    copied = path.read_bytes()
    hot = path.with_name(path.name + "-journal")
    with ledger._store.transaction("be killed in a commit") as connection:
        connection.execute("PRAGMA cache_size = 1")
        for _ in range(100):
            rows.insert(connection, "people", "a" * 1000, "b", TENTH.cost(), None)
        journal = hot.read_bytes()  # the cache is full, so what it protects is in the file by now
    ledger.close()
    path.write_bytes(copied)
    hot.write_bytes(journal)
    os.link(path, other)
    for name in (path, other):
        refused(name, r"the file has 2 names \(hard links\)")
    assert hot.read_bytes() == journal
    other.unlink()
    assert Ledger(path).spend(TENTH, dataset="people", what="a look").number == 2


def test_a_name_that_is_added_stops_the_ledger_until_it_is_removed(path: Path) -> None:
    ledger, other = Ledger(path), path.with_name("other.ledger")
    os.link(path, other)
    for use in (
        lambda: ledger.spend(TENTH, dataset="people", what="a look"),
        lambda: ledger.total("people"),
    ):
        with pytest.raises(LedgerError, match="2 names") as caught:
            use()
        assert "remove all names but one" in caught.value.fix
    other.unlink()
    os.symlink(path, other)
    assert Ledger(other).spend(TENTH, dataset="people", what="a look").number == 1
    assert ledger.total("people") == TENTH.cost()


ROW = "(9, 'a', 'b', 'c', '{}', '0/1', 'replace-one', '', '', 0, 0)"


@pytest.mark.parametrize(
    "row",
    [ROW.format(number) for number in ("nonsense", "-1/1", "1/0", "1/-2", "1", "1//2", "0.5", "/1",
                                       f"1/{'9' * 102}", f"{'9' * 202}/1")]
    + [
        ROW.format("1/2").replace("'0/1'", "X'302F31'"),
        ROW.format("1/2").replace("replace-one", "add-or-remove"),
        ROW.format("1/2").replace("'', 0, 0", "'folds', 3, 2"),
        ROW.format("1/2").replace("'', 0, 0", "'folds', 'x', 'y'"),
        ROW.format("1/2").replace("'', 0, 0", "'', 1, 2"),
        ROW.format("1/2").replace("'a'", f"'{'a' * 501}'"),
        ROW.format("1/2").replace("9,", "1,"),  # in place of the entry that is there
        *(ROW.format("1/2").replace("9,", f"{number},") for number in (-1, -9, 0, 2**63 - 1)),
        *(ROW.format("1/2").replace(f"'{column}'", bad) for column in "abc"
          for bad in ("x'61'", "'a' || char(10)", "'a' || char(0) || 'b'", "'a' || char(8232)")),
        ROW.format("1/2").replace("one', '',", "one', x'ff',"),
        ROW.format("1/2").replace("'', 0, 0", "x'ff', 1, 2"),
    ],
)  # fmt: skip
def test_no_other_hand_can_write_an_unsound_row(path: Path, row: str) -> None:
    ledger = Ledger(path)
    ledger.spend(TENTH, dataset="a", what="a look")
    for statement in ("INSERT", "INSERT OR REPLACE", "INSERT OR IGNORE"):
        with pytest.raises(sqlite3.IntegrityError, match="would not write such a row"):
            tables_of_another(path, f"{statement} INTO entries VALUES {row}")
    with pytest.raises(sqlite3.IntegrityError, match="would not write such a row"):
        tables_of_another(path, "INSERT INTO limits VALUES ('a', '-1/1', '0/1', 'replace-one')")
    ledger.set_limit("a", ONE)
    with pytest.raises(sqlite3.IntegrityError, match="would not write such a row"):
        tables_of_another(path, "UPDATE limits SET epsilon = '-1/1'")
    assert ledger.limit("a") == ONE
    assert ledger.total("a") == TENTH.cost()
    assert ledger.spend(TENTH, dataset="a", what="a look").number == 2


@pytest.mark.parametrize(
    ("table", "row"),
    [
        ("limits", "(x'61', '1/1', '0/1', 'replace-one')"),
        ("limits", "('a' || char(10), '1/1', '0/1', 'replace-one')"),
        ("aliases", "(x'61', 'b', '')"),
        ("aliases", "('a', x'62', '')"),
        ("aliases", "('a', 'b' || char(13), '')"),
        ("aliases", "('', 'b', '')"),
        ("seen", "(x'61', 'b', 1)"),
        ("seen", "('a', x'62', 1)"),
        ("seen", "('a', 'b', 'many')"),
        ("seen", "('a' || char(0), 'b', 1)"),
    ],
)
def test_no_other_hand_can_write_an_unsound_name(path: Path, table: str, row: str) -> None:
    ledger = Ledger(path)
    for statement in ("INSERT", "INSERT OR REPLACE", "INSERT OR IGNORE"):
        with pytest.raises(sqlite3.IntegrityError, match="would not write such a row"):
            tables_of_another(path, f"{statement} INTO {table} VALUES {row}")
    ledger.alias("a", "b")
    ledger.note_shape("a", columns=["age"], n=1)
    assert ledger.names("a") == ledger.datasets() == ["a", "b"]


@pytest.mark.parametrize("name", ["CAST(x'ff' AS TEXT)", "x'61ff'", "'a' || char(10)"])
def test_an_odd_name_of_an_old_file_hides_no_other_data_set(path: Path, name: str) -> None:
    odd = f"INSERT INTO entries VALUES (-1, {name}, 'b', x'ff', '1/1', '0/1', 'replace-one', '')"
    tables_of_another(path, *FORMAT_1, odd, odd.replace("-1,", "5,"))
    with Ledger(path) as ledger:
        assert "people" in ledger.datasets()
        assert ledger.spend(TENTH, dataset="people", what="a look").total == ONE


def test_bytes_in_place_of_a_text_concern_their_own_data_set(path: Path) -> None:
    bad = "INSERT INTO entries VALUES (5, 'bad', x'ff', 'c', '1/1', '0/1', 'replace-one', '')"
    tables_of_another(path, *FORMAT_1, bad)
    with Ledger(path) as ledger:
        assert len(ledger.history("people")) == 1
        with pytest.raises(LedgerError, match="'bad' in the ledger: it holds a text that this"):
            ledger.history("bad")


@pytest.mark.parametrize("tampered", ["nonsense", "1/0", "-5/1", "9" * 5000])
def test_an_unsound_row_of_an_old_file_concerns_its_own_data_set_alone(
    path: Path, tampered: str
) -> None:
    tables_of_another(path, *FORMAT_1[:-1], "PRAGMA user_version = 1")
    tables_of_another(
        path,
        f"INSERT INTO entries VALUES (4, 'a', 'b', 'c', '{tampered}', '0/1', 'replace-one', '')",
    )
    ledger = Ledger(path)
    for use in (
        lambda: ledger.spend(TENTH, dataset="a", what="a look"),
        lambda: ledger.history("a"),
        lambda: ledger.total("a"),
        ledger.entries,
    ):
        with pytest.raises(
            LedgerError, match="'a' in the ledger: it holds a cost that this package"
        ):
            use()
    assert ledger.spend(TENTH, dataset="people", what="a look").total == ONE
    assert len(ledger.history("people")) == 2


@pytest.mark.parametrize("statement", ["DELETE FROM entries", "UPDATE entries SET epsilon = '0/1'"])
def test_entries_are_only_ever_added(path: Path, statement: str) -> None:
    ledger = Ledger(path)
    ledger.spend(TENTH, dataset="people", what="a look")
    with pytest.raises(sqlite3.IntegrityError, match="an entry of the ledger is never"):
        tables_of_another(path, statement)
    assert ledger.total("people") == TENTH.cost()


def test_a_closed_ledger_refuses_every_use() -> None:
    ledger = Ledger()
    with ledger:
        pass
    ledger.close()
    with pytest.raises(LedgerError, match="the ledger is closed"):
        ledger.spend(TENTH, dataset="people", what="a look")


def test_an_interrupt_is_heard_while_waiting_and_leaves_no_lock(path: Path) -> None:
    ledger = Ledger(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(KeyboardInterrupt):  # noqa: PT012
            threading.Timer(0.2, signal.raise_signal, [signal.SIGINT]).start()
            ledger.spend(TENTH, dataset="people", what="a look")
        other.execute("COMMIT")
    assert Ledger(path).spend(TENTH, dataset="people", what="a look").number == 1


def test_an_interrupt_in_the_middle_of_a_spend_records_nothing(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> Entry:
        raise KeyboardInterrupt

    ledger = Ledger(path)
    with monkeypatch.context() as patch:
        patch.setattr(rows, "limits", interrupted)
        with pytest.raises(KeyboardInterrupt):
            ledger.spend(TENTH, dataset="people", what="a look")
    assert Ledger(path).spend(TENTH, dataset="people", what="a look").number == 1


def test_a_signal_handler_that_spends_is_refused_and_harms_nothing(path: Path) -> None:
    ledger = Ledger(path)
    with ledger._store.transaction("be interrupted") as connection:
        connection.execute("INSERT INTO limits VALUES ('people', '1/1', '0/1', 'replace-one')")
        with pytest.raises(LedgerError, match="in the middle of another use"):
            ledger.spend(TENTH, dataset="people", what="a look")
    assert ledger.limit("people") == ONE


def test_a_ledger_that_is_dropped_is_closed() -> None:
    ledger = ledger_file.LedgerFile(None, create=True)
    with ledger.transaction("look") as connection:
        pass
    del ledger
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        connection.execute("SELECT 1")
