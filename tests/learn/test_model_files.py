"""Model files keep to their schema, and one of version 1 that was written once is read for ever."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from math import inf
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from test_every_learner import SAMPLES, applicable, learner_of

import littlestone
from littlestone.base.discovery import concrete
from littlestone.base.errors import ModelError
from littlestone.classes import HypothesisClass, parse_class
from littlestone.data import sample_from_arrays
from littlestone.learn import PrivateLearner, Release
from littlestone.learn.results.accuracy import Group
from littlestone.learn.results.estimate import Estimate
from littlestone.points import Grid, Listed, Product, Strings
from littlestone.points.units import Unit
from littlestone.privacy.cost import PrivacyCost
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.mistakes import MistakeCosts
from littlestone.privacy.randomness import seeded_generator
from littlestone.rules import (
    BitFunction,
    Box,
    BucketTable,
    FewColumns,
    FiniteSet,
    Hypothesis,
    ScoreSheet,
    StepFunction,
)
from littlestone.show.words import rows_of_release

STORED = Path(__file__).with_name("models") / "version-1.json"
SCHEMA = Path(littlestone.__file__).parent / "learn" / "results" / "model-1.schema.json"


@pytest.fixture(scope="module")
def validator() -> Any:
    jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed: make check")
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def written(value: Any) -> Any:
    return json.loads(json.dumps(value.to_json()))


def release(h: Hypothesis[Any], **more: Any) -> Release:
    cost = PrivacyCost(Fraction(1), Fraction(1, 10**6))
    return Release(h, "a class", "late > 15", 1000, cost, "a mechanism", False, 1, **more)


def test_the_model_of_every_learner_keeps_to_the_schema(validator: Any) -> None:
    tried = set()
    for kind, H in applicable():
        if kind in tried or not issubclass(kind, PrivateLearner):
            continue
        tried.add(kind)
        width = len(H.domain.column_names)
        xs, ys = SAMPLES["two points are as good"]
        sample = sample_from_arrays([[x] * width if width > 1 else x for x in xs], ys, H.domain)
        with Ledger() as ledger:
            learner = learner_of(kind, H)
            made = learner.fit(sample, ledger=ledger, dataset="d", rng=seeded_generator(1))
        validator.validate(written(made))
    assert len(tried) > 10


def test_a_model_with_risks_keeps_to_the_schema(validator: Any) -> None:
    frame = pd.DataFrame({"x": [*range(10)] * 10, "y": [0] * 50 + [1] * 50})
    with Ledger() as ledger:
        rule = "thresholds(x, 0..9)"
        made = littlestone.fit(
            frame,
            "y",
            hypotheses=rule,
            positive=1,
            epsilon=1,
            risk=True,
            ledger=ledger,
            dataset="d",
        )
    assert made.quality is not None
    validator.validate(written(made))


def test_a_function_of_every_kind_keeps_to_the_schema(validator: Any) -> None:
    hours, tails = Product((Grid(0, 2, "hour"), Grid(0, 1, "day"))), Strings("tail")
    some: list[Hypothesis[Any]] = [
        Box(hours, None), Box(hours, ((0, 1), (1, 1))), FewColumns(hours, (0,), (0, 1, 1)),
        BitFunction(tails, 3, (FiniteSet(tails, frozenset("a")),) * 2), BucketTable(tails, 3, (0, 2)),
        ScoreSheet(Product((Listed(("F",), "sex"),)), (0,), ((0, 0, 4),), 2, (-900, 450)),
    ]  # fmt: skip
    kinds: list[Any] = concrete(HypothesisClass, "littlestone.classes")
    for kind in kinds:
        some += [H.soa() for H in kind.examples() if 0 <= H.littlestone_dimension() < inf]
    for h in some:
        validator.validate(written(release(h)))
    known: list[Any] = concrete(Hypothesis, "littlestone.rules")
    assert {type(h) for h in some} == set(known)


RULE = StepFunction.threshold(Grid(0, 20, "delay"), 5)
ESTIMATE = Estimate(Fraction(1, 2), 1000, 95, -4, 11)
MORE: list[dict[str, Any]] = [
    {"estimate": ESTIMATE}, {"labels": ("on time", "late")}, {"mistakes": MistakeCosts(5, 1)},
    {"unit": Unit("patient", 4)}, {"spanning": True},
]  # fmt: skip


@pytest.mark.parametrize("more", MORE, ids=lambda more: next(iter(more)))
def test_what_a_model_may_have_besides_keeps_to_the_schema(
    validator: Any, more: dict[str, Any]
) -> None:
    validator.validate(written(release(RULE, **more)))


def test_a_group_keeps_to_the_schema(validator: Any) -> None:
    validator.validate(
        written(Group(release(RULE, estimate=ESTIMATE, mistakes=MistakeCosts(3, 1))))
    )


def test_what_no_model_says_is_against_the_schema(validator: Any) -> None:
    good = written(release(RULE))
    wrong: list[dict[str, Any]] = [
        {**good, "records": [1, 2]}, {**good, "format": "littlestone model 3"}, {**good, "n": 0},
        {**good, "privacy": {**good["privacy"], "table": "people.csv"}},
        {**good, "hypothesis": {**good["hypothesis"], "seen": 1}},
        {**good, "hypothesis": {**good["hypothesis"], "domain": {"kind": "grid", "low": 0}}},
        {key: value for key, value in good.items() if key != "hypothesis"},
    ]  # fmt: skip
    assert validator.is_valid(good)
    assert [validator.is_valid(data) for data in wrong] == [False] * len(wrong)


def test_the_stored_model_keeps_to_the_schema(validator: Any) -> None:
    validator.validate(json.loads(STORED.read_text(encoding="utf-8")))


def test_the_stored_model_of_version_1_is_read_and_predicts_as_it_did() -> None:
    """Never change the file: later versions promise to read it."""
    data = json.loads(STORED.read_text(encoding="utf-8"))
    found = Release.load(STORED)
    table = pd.DataFrame({"age": [70, 30, None, 64, 65], "ward": ["ER", "ICU", None, "ICU", "x"]})
    with pytest.warns(UserWarning, match="of 'ward' are not on its list"):
        assert found.predict(table) == ["stays", "stays", "leaves", "stays", "leaves"]
    assert found.words() == data["rule"]
    assert written(found) == data


def test_a_damaged_rule_has_one_fix() -> None:
    data = written(release(RULE))
    with pytest.raises(ModelError) as error:
        Release.from_json({**data, "hypothesis": {**data["hypothesis"], "domain": 5}})
    assert str(error.value).count("to fix it") == 1


# Cards


def skeleton(one: Release) -> str:
    """What is left of a card without the texts of the release."""
    card = one.card().replace("\\", "")
    domain = one.hypothesis.domain
    texts = [text for _, text in rows_of_release(one, None)] + [
        str(c) for c in getattr(domain, "columns", [domain])
    ]
    for text in sorted([*texts, ", ".join(one.hypothesis.tested_columns)], key=len, reverse=True):
        card = card.replace(text, "...")
    return card


def test_a_card_holds_nothing_but_the_release() -> None:
    columns = {"age": [17, 93] * 700, "height": [1.5, 1.9] * 700, "name": ["Ada", "Bob"] * 700}
    secret = pd.DataFrame({**columns, "back": [0, 1] * 700})
    made = [
        littlestone.fit(
            secret, "back", positive=1, hypotheses=declared, epsilon=epsilon, ledger=Ledger(),
            dataset="/data/secret.csv",
        )
        for declared, epsilon in (("thresholds(age, 0..120)", 1), ("thresholds(height, 1..3)", 2))
    ]  # fmt: skip
    left = [skeleton(one) for one in made]
    assert left[0] == left[1]
    for one in made:
        assert one.card() == Release.from_json(written(one)).card()
        headings = re.findall(r"^(?:\| |\* )([a-z ]+)", one.card(), re.MULTILINE)
        assert len(headings) == len({*headings})
        assert "--" not in one.card().replace("|---|---|", "")
        assert not [
            word for word in ("secret", "data/", "Ada", "Bob", "name") if word in one.card()
        ]


def test_a_card_shows_a_simulation_names_and_estimates() -> None:
    card = release(RULE, estimate=ESTIMATE, labels=("on <time>", "la|te")).card()
    assert "NOT PRIVATE" in card
    assert "la\\|te" in card
    assert "on \\<time\\>" in card
    assert "precision" in card
    assert parse_class("thresholds(delay, 0..20)").domain.name in card
