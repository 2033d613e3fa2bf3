"""Random declarations and damaged models end in a value or in an error of the package."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from declarations import damaged

from littlestone.base.discovery import concrete
from littlestone.base.errors import ModelError
from littlestone.classes import parse_class
from littlestone.classes.text.declared import DeclaredClass
from littlestone.data.sample import Sample
from littlestone.learn import BitsLearner, LookupLearner, Release
from littlestone.learn.plan import choose_learner
from littlestone.points import Domain
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.randomness import seeded_generator
from littlestone.rules import Hypothesis

HERE = Path(__file__).parent
NUMBERS = (20_040, 20_320)  # of cases that the long run, from 0 on, does not have
SECONDS = 60  # of CPU for one case: a net, for a hang that no limit stops


@pytest.mark.deep
def test_declarations_are_answered_or_refused_by_name() -> None:
    command = [
        sys.executable,
        str(HERE / "declarations.py"),
        "--chunk",
        *map(str, (*NUMBERS, SECONDS)),
    ]
    run = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert run.returncode == 0, run.stderr[-3000:]
    found = [json.loads(line) for line in run.stdout.splitlines()]
    assert [number for number, *_ in found] == list(range(*NUMBERS))
    failed = [case for case in found if not case[1].startswith(("answered", "refused"))]
    assert not failed, failed[:3]
    outcomes = Counter(case[1] for case in found)
    assert outcomes["answered"] > 40, outcomes  # the generator still makes legal ones


def models() -> list[dict[str, Any]]:
    """A model of every kind of hypothesis that a class has, and of some with named labels."""
    rng = seeded_generator(3)
    learner, _ = choose_learner(parse_class("points(x)"), Budget(1, "1e-6"))
    sample = Sample.from_examples(learner.hypotheses.domain, [("a", 1)] * 40)
    several = parse_class("lookup(x; at most 2)", labels=3)
    names = ("a", "b", "c")
    examples = Sample.from_examples(several.domain, [("v", "b")] * 40, labels=names)
    with Ledger() as book:
        spent: dict[str, Any] = {"ledger": book, "dataset": "d", "rng": rng}
        whole = learner.fit(sample, estimate=Fraction(1), **spent).to_json()
        found = [
            kind(several, Budget(1, "1e-6")).fit(examples, labels=names, **spent).to_json()
            for kind in (BitsLearner, LookupLearner)
        ]
    classes: list[Any] = concrete(DeclaredClass, "littlestone.classes")
    forms = [kind.examples()[0].soa().to_json() for kind in classes]
    return [*found, *({**whole, "hypothesis": form} for form in forms)]


READERS: list[tuple[Callable[[Any], object], tuple[str, ...]]] = [
    (Release.from_json, ()),
    (Hypothesis.from_json, ("hypothesis",)),
    (Domain.from_json, ("hypothesis", "domain")),
]


@pytest.mark.deep
def test_damaged_models_are_refused_by_name() -> None:
    rng, refused = random.Random(7), 0
    for model in models():
        for _ in range(60):
            changed = damaged(model, rng)
            for read, path in READERS:
                part = changed
                for key in path:
                    part = part.get(key) if isinstance(part, dict) else None
                try:
                    read(part)
                except ModelError as error:
                    refused += 1
                    str(error)
    assert refused > 300


def test_lists_at_any_depth_are_refused() -> None:
    for model in models():
        for key in model["hypothesis"]:
            values: list[Any] = [[], [[]], [[[]]], [{}]]
            for value in values:
                changed = {**model, "hypothesis": {**model["hypothesis"], key: value}}
                try:
                    Release.from_json(changed)
                except ModelError:
                    continue
