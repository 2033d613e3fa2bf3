"""Private estimates of a released rule: paid with it, noise of the right size, intervals that hold."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from declaring import choose_task
from littlestone.base.errors import BudgetExceededError, DeclarationError, ModelError
from littlestone.classes import Subsets, Thresholds, parse_class
from littlestone.data import open_table
from littlestone.data.label import Label
from littlestone.data.sample import Sample
from littlestone.learn import ChoosingLearner, ExponentialLearner, Release
from littlestone.learn.declared.schema import Schema
from littlestone.learn.plan import choose_learner
from littlestone.learn.results.estimate import Estimate, UnreadRecords
from littlestone.points import Integers
from littlestone.points.units import Unit
from littlestone.privacy import Budget
from littlestone.privacy.cost import PrivacyCost
from littlestone.privacy.draws import cells, estimate_parts
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.mechanisms.cell_counts import CellCounts
from littlestone.privacy.randomness import seeded_generator
from planting import Fault, turns_red

H = Thresholds.on(0, 9)
SAMPLE = Sample[Any].from_counts(H.domain, {2: [40, 3], 5: [2, 30], 8: [5, 20]})
BETA = Fraction(1, 20)


def test_cells_are_those_of_the_definition() -> None:
    rule = H.hypothesis(4)
    examples = [(x, y) for x, n in {2: (40, 3), 5: (2, 30), 8: (5, 20)}.items() for y in (0, 1)
                for _ in range(n[y])]  # fmt: skip
    expected = [sum((rule(x), y) == kind for x, y in examples) for kind in ((1, 1), (1, 0), (0, 1))]
    assert list(cells(rule, SAMPLE)) == expected


@pytest.mark.parametrize(
    ("text", "delta"),
    [
        ("thresholds(x, 0..9)", "0"),
        ("subsets(x; at most 3, integers)", "1e-6"),
        ("rule_sets(integers(x); at most 3 rules of 1)", "1e-6"),
    ],
)
def test_one_entry_pays_for_the_rule_and_its_estimate(text: str, delta: str) -> None:
    learner, _ = choose_learner(parse_class(text), Budget(1, delta))
    sample = Sample.from_examples(learner.hypotheses.domain, [(3, 1)] * 50 + [(4, 0)] * 50)
    with Ledger() as ledger:
        release = learner.fit(sample, ledger=ledger, dataset="d", estimate=Fraction("0.25"))
        (entry,) = ledger.entries()
        assert entry.cost == release.cost == learner.event_with(Fraction("0.25")).cost()
        assert release.cost.within(PrivacyCost(Fraction("1.25"), Fraction(delta)))
    assert release.estimate is not None
    assert "counts of 3 cells" in entry.mechanism
    assert Release.from_json(release.to_json()) == release


def test_a_refused_budget_refuses_both() -> None:
    learner = ExponentialLearner(H, Budget(1))
    with Ledger() as ledger:
        ledger.set_limit("d", PrivacyCost(Fraction(1)))
        with pytest.raises(BudgetExceededError):
            learner.fit(SAMPLE, ledger=ledger, dataset="d", estimate=Fraction("0.1"))
        assert not ledger.entries()
        assert learner.fit(SAMPLE, ledger=ledger, dataset="d").estimate is None
    wrongs: list[Any] = [Fraction(0), Fraction(-1), 1, 0.5, "0.5", True]
    for wrong in wrongs:
        with pytest.raises(DeclarationError, match="epsilon"):
            learner.event_with(wrong)


def test_peeling_and_its_estimate_cost_no_more_than_their_sum() -> None:
    learner = ChoosingLearner(Subsets(Integers(), 40), Budget(1, "1e-6"))
    total = learner.event_with(Fraction("0.1")).cost()
    assert total.epsilon <= learner.cost().epsilon + Fraction(1, 10)
    assert total.delta <= learner.cost().delta


@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(1), Fraction(3)])
def test_noise_stays_within_the_bound_as_often_as_it_says(epsilon: Fraction) -> None:
    counts = CellCounts(epsilon, 3)
    a, t = counts.ratio, counts.within(BETA)

    def beyond(t: int) -> Fraction:
        return 3 * 2 * a ** (t + 1) / (1 + a)

    assert beyond(t) <= BETA < beyond(t - 1)


def test_the_law_of_noisy_counts_is_whole() -> None:
    counts = CellCounts(Fraction(1), 2)
    law, a = counts.distribution((1, 2)), counts.ratio
    assert sum(law.values()) == 1
    assert law[1, 2] == ((1 - a) / (1 + a)) ** 2
    assert counts.distribution((1, 2), n=0) == {(0, 0): 1}


def test_intervals_hold_as_often_as_they_say() -> None:
    rule, rng, held, trials = H.hypothesis(4), seeded_generator(4), 0, 200
    right, wrong, missed = cells(rule, SAMPLE)
    truth = {
        "precision": Fraction(right, right + wrong),
        "recall": Fraction(right, right + missed),
        "error": Fraction(wrong + missed, SAMPLE.n),
    }
    counts = CellCounts(Fraction(1), 3)
    with Ledger() as ledger:
        for _ in range(trials):
            receipt = ledger.spend(counts, dataset="d", what="test", rng=rng)
            noisy = counts.draw((right, wrong, missed), receipt=receipt)
            estimate = Estimate(Fraction(1), SAMPLE.n, *noisy)
            shares = {name: getattr(estimate, name)(BETA) for name in truth}
            held += all(shares[name].low <= truth[name] <= shares[name].high for name in truth)
            assert all(
                0 <= share.low <= share.middle <= share.high <= 1 for share in shares.values()
            )
    assert held >= trials * 0.95 - 10


@pytest.mark.parametrize("noisy", [(0, 0, 0), (-9, -9, -9), (-3, 900, 900), (10**9, 5, -(10**9))])
def test_no_noise_makes_an_estimate_impossible(noisy: tuple[int, int, int]) -> None:
    estimate = Estimate(Fraction(1), 100, *noisy)
    for share in (estimate.precision(BETA), estimate.recall(BETA), estimate.error(BETA)):
        assert 0 <= share.low <= share.middle <= share.high <= 1
    assert len(estimate.rows()) == 5


def test_a_damaged_estimate_is_no_model() -> None:
    with Ledger() as ledger:
        release = ExponentialLearner(H, Budget(1)).fit(
            SAMPLE, ledger=ledger, dataset="d", estimate=Fraction(1)
        )
    wrong: list[Any] = [
        {},
        [],
        7,
        {"budget": Budget("1")},
        {"budget": Budget("1"), "true positives": 0.5},
    ]
    for damaged in wrong:
        data = {**release.to_json(), "estimate": damaged}
        with pytest.raises(ModelError):
            Release.from_json(data)


RECORDS = [
    ("7", "1", "Ja"),
    ("4;5", "x", "ja"),
    ("60", "x", "Nein"),
    ("", "3", "Nein"),
    ("8", "2", "JA"),
]
TASK = choose_task(
    Label.parse("ill", "Ja"),
    "conditions(age: 0..100, b: 0..9; at most 1)",
    Budget(1),
    estimate=1,
)


def csv_of(folder: Path, times: int = 1) -> Path:
    lines = [f"{a},{b},{y},p{i}\n" for i, (a, b, y) in enumerate(RECORDS * times)]
    path = folder / "t.csv"
    path.write_text("age,b,ill,who\n" + "".join(lines), encoding="utf-8")
    return path


def counts_each_record_once(folder: Path) -> None:
    assert TASK.declaration.read(open_table(csv_of(folder, 3))).unread == (2 * 3, 2 * 3)


def test_a_record_is_counted_once_however_many_of_its_cells_are_unread(tmp_path: Path) -> None:
    counts_each_record_once(tmp_path)
    of_units = replace(TASK.declaration, unit=Unit("who", 1))
    assert of_units.read(open_table(csv_of(tmp_path, 3))).unread == (6, 6)


@pytest.mark.parametrize(
    "fault",
    [
        Fault(
            "littlestone.learn.declared.checking:Faults.__call__",
            "np.maximum.reduce(cells)",
            "np.add.reduce(cells)",
            "A record is counted once for each of its unread cells.",
        ),
        Fault(
            "littlestone.data.reading:_Sampling._count",
            "int(fault @ counts)",
            "int(fault.sum())",
            "Equal rows that an engine or a batch counts together are one record.",
        ),
    ],
    ids=lambda fault: fault.mistake,
)
def test_a_wrong_count_of_unread_records_is_noticed(
    fault: Fault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns_red(fault, counts_each_record_once, monkeypatch, tmp_path)


def test_engines_and_frames_count_what_files_count(tmp_path: Path) -> None:
    a, b, y = zip(*RECORDS, strict=True)
    task = choose_task(
        Label.parse("ill", "Ja"), "conditions(b in {1, 3}, ill2 in {Ja}; at most 1)", Budget(1),
        estimate=1,
    )  # fmt: skip
    frame = pl.DataFrame({"age": a, "b": b, "ill": y, "ill2": y})
    frame.write_csv(tmp_path / "u.csv")
    expected = task.declaration.read(open_table(tmp_path / "u.csv")).unread
    assert expected == (len(RECORDS) - 1, 2)
    for source in (frame, frame.lazy(), frame.to_arrow(), frame.to_pandas()):
        assert task.declaration.read(open_table(source)).unread == expected


def test_cells_that_a_schema_reads_are_no_faults(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(
        '[columns.age]\ntype = "number"\nrange = [0, 100]\nstep = 1\ndecimal = ","\n'
        '[columns.ill]\nvalues = ["Ja", "Nein"]\nignore_case = true\n',
        encoding="utf-8",
    )
    path = tmp_path / "t.csv"
    path.write_text('age,ill\n"4,5",ja\n"x",NEIN\n"1.5",Jein\n,Ja\n', encoding="utf-8")
    schema = Schema.read(tmp_path / "s.toml")
    task = choose_task(
        Label.parse("ill", "Ja"), "conditions(age; at most 1)", Budget(1),
        estimate=1, schema=schema,
    )  # fmt: skip
    sample = task.declaration.read(task.declaration.open(path, "d").table)
    assert sample.unread == (2, 1)  # x and 1.5; Jein.  An empty cell is no fault.
    assert sample.n == 4


def test_the_shares_are_part_of_what_was_asked(tmp_path: Path) -> None:
    sample = TASK.declaration.read(open_table(csv_of(tmp_path, 30)))
    with Ledger() as ledger:
        release = TASK.fit(sample, ledger=ledger, dataset="d")
        (entry,) = ledger.entries()
    assert entry.cost == release.cost == TASK.event.cost() == PrivacyCost(Fraction(2))
    assert release.estimate is not None
    assert release.estimate.unread is not None
    assert release.estimate.total_epsilon == 1
    assert Release.from_json(release.to_json()) == release
    rows = dict(release.estimate.rows())
    assert rows["unread"].startswith("cells about ")
    assert "; labels about " in rows["unread"]
    assert "all six with probability 95%" in rows["estimates"]
    assert TASK.learner.event_with(None).cost() == PrivacyCost(Fraction(1))


def draws_nothing_before_the_spend(folder: Path) -> None:
    rng, book = seeded_generator(3), Ledger()
    book.set_limit("d", PrivacyCost(Fraction(3, 2)))
    sample = TASK.declaration.read(open_table(csv_of(folder)))
    before = rng.getstate()
    with pytest.raises(BudgetExceededError):
        TASK.fit(sample, ledger=book, dataset="d", rng=rng)
    assert rng.getstate() == before


def test_shares_are_drawn_after_the_spend(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    early = Fault(
        "littlestone.privacy.draws:Draw.pay_and_draw",
        "receipt = ledger.spend(",
        "rng and rng.random(); receipt = ledger.spend(",
        "A draw comes before the spend.",
    )
    turns_red(early, draws_nothing_before_the_spend, monkeypatch, tmp_path)


@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(1), Fraction(20)])
def test_all_intervals_fail_together_as_rarely_as_they_say(epsilon: Fraction) -> None:
    of_rule, of_unread = estimate_parts(epsilon, shares=True)
    assert of_rule.epsilon + of_unread.epsilon == epsilon

    def beyond(part: CellCounts, noise: int) -> Fraction:
        return 2 * part.ratio ** (noise + 1) / (1 + part.ratio)

    n, middle = 10**9, 5 * 10**8
    unread = UnreadRecords(of_unread.epsilon, middle, middle)
    estimate = Estimate(of_rule.epsilon, n, middle, middle, middle, unread=unread)
    share = estimate.precision(BETA)  # middle + t over n, exactly
    t = int(share.high * n) - middle
    shares = estimate.unread_shares(BETA)
    assert shares is not None
    u = int(shares[0].high * n) - middle
    assert 3 * beyond(of_rule, t) + 2 * beyond(of_unread, u) <= BETA
    assert 3 * beyond(of_rule, t - 1) + 2 * beyond(of_unread, u - 1) > BETA


def test_a_group_and_a_sample_without_cells_buy_no_shares() -> None:
    rule = choose_task(
        Label.parse("ill", "1"), "thresholds(x, 0..9)", Budget(1), group=True, above="0.3"
    )
    assert not rule.declaration.shares
    with Ledger() as ledger:
        release = ExponentialLearner(H, Budget(1)).fit(
            SAMPLE, ledger=ledger, dataset="d", estimate=Fraction(1)
        )
    assert release.estimate is not None
    assert release.estimate.unread is None
    assert "unread" not in dict(release.estimate.rows())
    old: Any = release.to_json()
    assert "unread" not in old["estimate"]
    assert Release.from_json(old) == release


@pytest.mark.parametrize("wrong", [{}, 7, {"epsilon": "1", "cells": 0.5, "labels": 1}, None])
def test_damaged_shares_are_no_model(wrong: Any, tmp_path: Path) -> None:
    with Ledger() as ledger:
        release = TASK.fit(
            TASK.declaration.read(open_table(csv_of(tmp_path))), ledger=ledger, dataset="d"
        )
    data: Any = release.to_json()
    with pytest.raises(ModelError):
        Release.from_json({**data, "estimate": {**data["estimate"], "unread": wrong}})
