"""Nothing is imported between a spend and its release, because loading may fail."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.deep

PROGRAM = """
import random, sys
from littlestone.classes import parse_class
from littlestone.points import Product
from littlestone.learn.base import PrivateLearner
from littlestone.learn.plan.choice import choose_learner
from littlestone.privacy.cost import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.data.sample import Sample

text, method, labels = sys.argv[1:]
H = parse_class(text, int(labels))
learner, _ = choose_learner(H, Budget(1, "1e-3"), method=method)
if H.domain.size is None:
    points = [H.domain.encode_record([f"w{i % 3}"] * len(H.domain.column_names)) for i in range(9)]
else:
    points = list(H.domain)[:9]
examples = [(x, i % H.labels) for i, x in enumerate(points)] * 40
sample = Sample.from_examples(H.domain, examples, labels=H.labels)
spend, loaded = Ledger.spend, set()
def noted(self, *given, **named):
    receipt = spend(self, *given, **named)
    loaded.update(sys.modules)
    return receipt
Ledger.spend = noted
with Ledger() as ledger:
    learner.fit(sample, ledger=ledger, dataset="d", rng=random.Random(1))
assert loaded
print(learner.method, sorted(set(sys.modules) - loaded))
"""


@pytest.mark.parametrize(
    ("text", "method", "labels"),
    [
        ("thresholds(x, 0..9)", "exponential", 2),
        ("conditions(age: 0..8 step 1; at most 1)", "exponential", 2),
        ("trees(age: 0..8 step 1; depth 2)", "exponential", 2),
        ("trees(age: 0..8 step 1; depth 2)", "regrown", 2),
        ("boxes(x 0..3, y 0..3)", "exponential", 2),
        ("conjunctions(a, b, c)", "exponential", 2),
        ("parities(a, b, c)", "irreducible", 2),
        ("intervals(x, 0..5)", "irreducible", 2),
        ("linear(x, y; q 3, dimension 1)", "choosing", 2),
        ("points(a)", "choosing", 2),
        ("points(a)", "single_key", 2),
        ("points(a)", "radii", 2),
        ("subsets(a; at most 2)", "partition", 2),
        ("rules(a, b; at most 2)", "choosing", 2),
        ("lookup(a; at most 2)", "lookup", 3),
        ("lookup(a; at most 2)", "buckets", 3),
        ("outcomes(a, b; at most 1)", "bits", 3),
        ("rule_list(age: 0..8 step 1; at most 2)", "rounds", 2),
        ("thresholds(x, 0..9)", "agnostic", 2),
        ("thresholds(x, 0..9)", "relabelling", 2),
        ("thresholds(x, 0..3)", "proper", 2),
        ("points(a)", "globally_stable", 2),
    ],
)
def test_nothing_is_imported_after_a_spend(text: str, method: str, labels: int) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PROGRAM, text, method, str(labels)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == f"{method} []\n", done.stderr


STREAM = """
import random, sys
from littlestone.classes import parse_class
from littlestone.learn.stream import choose_online_learner, durable_run
from littlestone.privacy.cost import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.points.units import Unit

text, method = sys.argv[1:]
H = parse_class(text)
learner = choose_online_learner(H, Budget(1000, "1e-1"), horizon=2000, method=method)
pay, loaded = type(learner).pay, set()
def noted(self, *given, **named):
    receipt = pay(self, *given, **named)
    loaded.update(sys.modules)
    return receipt
type(learner).pay = noted
columns = H.domain.column_names
x = H.domain.encode_record(["a"] * len(columns)) if H.domain.size is None else min(H.domain)
with Ledger() as ledger:
    more = dict(ledger=ledger, dataset="d", label="y", rng=random.Random(1), batches=True)
    with durable_run(learner, unit=Unit("who", 1), **more) as run:
        y = 1 - run.stream.hypothesis(x)
        for i in range(2000):
            run.take([(x, y)], units=[i])
assert loaded and len(run.stream.publications) > 1, run.stream.publications
print(learner.method, sorted(set(sys.modules) - loaded))
"""


@pytest.mark.parametrize(
    ("text", "method"),
    [
        ("thresholds(x, 0..9)", "teachers"),
        ("trees(age: 0..8 step 1; depth 1)", "teachers"),
        ("subsets(a; at most 2)", "keys"),
        ("points(a)", "keys"),
        ("rules(a, b; at most 2)", "rules"),
        ("thresholds(x, 0..9)", "confirmed"),
        ("thresholds(x, 0..9)", "tallied"),
    ],
)
def test_nothing_is_imported_after_a_stream_is_paid_for(text: str, method: str) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", STREAM, text, method],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == f"{method} []\n", done.stderr
