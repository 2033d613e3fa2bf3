"""Blocks of a stream beside river's Hoeffding tree: ``python -m benchmarks drifting_streams``.

Six streams of river, two of them of real records, with wrong labels and drift.  Each record is
predicted before it is learned from.  Shown are the share of mistakes at epsilon 1, delta 1e-6, of a
score sheet or tree (``blocks`` with growing blocks, and with blocks of 2,000 records), of river's
HoeffdingTreeClassifier, which is not private, and of the label that is more frequent in the stream.

Asserted: a run spends once, what it costs is epsilon 1, and after each block something is published.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from importlib import import_module
from itertools import islice
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.harness import require
from littlestone.classes import parse_class
from littlestone.learn.stream import BlockLearner
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.randomness import seeded_generator

ON_REQUEST = True
RECORDS = 50_000
STEADY = 2_000
BUDGET = Budget(1, "1e-6")

AGRAWAL = (
    "score_sheet(age: 20..80 step 5, salary: 20000..150000 step 10000, commission: 0..75000 step 5000,"
    " elevel: 0..4, car: 1..21 step 4, zipcode: 0..8, hvalue: 0..1000000 step 100000,"
    " hyears: 0..30 step 3, loan: 0..500000 step 50000; at most 8)"
)
SEA = "score_sheet(0: 0..10, 1: 0..10, 2: 0..10; at most 3)"
STAGGER = "trees(size in {0, 1, 2}, color in {0, 1, 2}, shape in {0, 1, 2}; depth 2)"
HYPERPLANE = f"score_sheet({', '.join(f'{i}: 0..1 step 0.1' for i in range(10))}; at most 8)"
BANANAS = "score_sheet(1: -3..3 step 0.5, 2: -3..3 step 0.5; at most 2)"
PHISHING = (
    "score_sheet(empty_server_form_handler: 0..1 step 0.5, popup_window: 0..1 step 0.5,"
    " https: 0..1 step 0.5, request_from_other_domain: 0..1 step 0.5,"
    " anchor_from_other_domain: 0..1 step 0.5, is_popular: 0..1 step 0.5, long_url: 0..1 step 0.5,"
    " age_of_domain: 0..1, ip_in_url: 0..1; at most 8)"
)


def streams() -> Iterator[tuple[str, str, Any]]:
    """The name, the class that is declared, and the records of each stream."""
    datasets: Any = import_module("river.datasets")
    synth = datasets.synth
    yield "Phishing", PHISHING, datasets.Phishing()
    yield "Bananas", BANANAS, datasets.Bananas()
    yield "Agrawal, 10% wrong", AGRAWAL, synth.Agrawal(seed=1, perturbation=0.1)
    sea = [synth.SEA(variant=variant, noise=0.1, seed=1) for variant in (0, 3)]
    drift = synth.ConceptDriftStream(*sea, position=RECORDS // 2, width=500, seed=1)
    yield "SEA, drift, 10% wrong", SEA, drift
    stagger = [synth.STAGGER(classification_function=number, seed=1) for number in (0, 1)]
    drift = synth.ConceptDriftStream(*stagger, position=RECORDS // 2, width=500, seed=1)
    yield "STAGGER, drift", STAGGER, drift
    hyperplane = synth.Hyperplane(seed=1, n_features=10, n_drift_features=4, mag_change=0.001)
    yield "Hyperplane, slow drift", HYPERPLANE, hyperplane


def errors_of_blocks(text: str, records: list[Any], seed: int, **options: int) -> tuple[int, float]:
    """The mistakes of one private run, and its CPU seconds."""
    H = parse_class(text)
    points = [(H.domain.encode([x[name] for name in H.domain.column_names]), y) for x, y in records]
    learner = BlockLearner(H, BUDGET, horizon=len(records), **options)
    require(learner.cost().epsilon <= 1, "the run costs more than was declared")
    begun, mistakes = time.process_time(), 0
    with Ledger() as ledger:
        stream = learner.start(ledger=ledger, dataset="d", rng=seeded_generator(seed))
        for x, y in points:
            mistakes += stream.predict(x) != y
            stream.update(x, y)
        require(len(list(ledger.entries("d"))) == 1, "a run is one entry")
    require(len(stream.publications) == 1 + learner.publications, "a block has no rule")
    return mistakes, time.process_time() - begun


def errors_of_river(records: list[Any]) -> tuple[int, float]:
    """The mistakes of a Hoeffding tree, which sees every record, and its CPU seconds."""
    tree: Any = import_module("river.tree")
    model, mistakes, begun = tree.HoeffdingTreeClassifier(), 0, time.process_time()
    for x, y in records:
        mistakes += (model.predict_one(x) or 0) != y
        model.learn_one(x, y)
    return mistakes, time.process_time() - begun


def show(console: Console) -> None:
    """A row for each stream."""
    table = Table(box=None)
    for name in ("stream", "records", "blocks", "of 2,000", "Hoeffding tree", "frequent label"):
        table.add_column(name, justify="left" if name == "stream" else "right")
    seconds = [0.0, 0.0]
    for name, text, source in streams():
        rows = islice(source, RECORDS)
        records = [({str(name): value for name, value in x.items()}, int(y)) for x, y in rows]
        n, runs, found = len(records), 3, list[float]()
        steady = {"first": min(STEADY, n // 2), "growth": 1}
        for options in (dict[str, int](), steady):
            done = [errors_of_blocks(text, records, seed, **options) for seed in range(runs)]
            found.append(sum(mistakes for mistakes, _ in done) / runs / n)
            seconds[0] += sum(spent for _, spent in done) / runs
        mistakes, spent = errors_of_river(records)
        seconds[1] += 2 * spent
        ones = sum(y for _, y in records)
        shown = [*found, mistakes / n, min(ones, n - ones) / n]
        table.add_row(name, f"{n:,}", *(f"{share:.3f}" for share in shown))
    console.print(table)
    console.print(f"CPU of a run, blocks / Hoeffding tree: {seconds[0] / seconds[1]:.2f}")
