"""A shell needs a schema, a budget and a ledger, and names all that it lacks at once."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from littlestone.base.errors import DeclarationError
from littlestone.interop.river import LittlestoneOnlineClassifier
from littlestone.interop.scikit_learn import LittlestoneClassifier
from littlestone.privacy.ledger import Ledger

SCHEMA: dict[str, Any] = {
    "target": "back",
    "positive": "yes",
    "columns": {
        "age": {"range": [0, 120], "step": 10},
        "sex": {"values": ["F", "M"]},
        "back": {"values": ["no", "yes"]},
    },
}
X = pd.DataFrame({"age": [30, 70] * 500, "sex": ["F", "M", "M", "F"] * 250})
Y = ["no", "yes"] * 500


def labelled(**column: Any) -> dict[str, Any]:
    return {**SCHEMA, "columns": {**SCHEMA["columns"], "back": column}}


def paid(**given: Any) -> dict[str, Any]:
    return {"epsilon": 4, "ledger": Ledger(), "dataset": "d", **given}


def test_scikit_learn_takes_class_and_labels_from_the_schema() -> None:
    model = LittlestoneClassifier(**paid(schema=SCHEMA)).fit(X, Y)
    assert model.classes_.tolist() == ["no", "yes"]
    assert model.release_.taken.startswith("trees(*; depth 2), because none was given")
    assert model.release_.label == "back == yes"
    assert model.predict(X.head(2)).tolist() == ["no", "yes"]
    assert model.score(X, Y) == 1


@pytest.mark.parametrize(
    ("kind", "positive", "labels", "classes"),
    [
        ("number", "> 15", [3, 90], [False, True]),
        ("integer", 1, [0, 1], [0, 1]),
        ("boolean", True, [False, True], [False, True]),
    ],
)
def test_the_schema_says_what_a_label_means(
    kind: str, positive: Any, labels: list[Any], classes: list[Any]
) -> None:
    schema = {**labelled(type=kind), "positive": positive}
    model = LittlestoneClassifier(**paid(schema=schema)).fit(X, labels * 500)
    assert model.classes_.tolist() == classes
    assert model.predict(X.head(2)).tolist() == classes
    assert model.score(X, labels * 500) == 1


def test_a_label_without_a_negative_name_is_asked_for() -> None:
    open_label = {**labelled(type="text"), "positive": "yes"}
    with pytest.raises(DeclarationError, match=r"classes is missing\n.*add classes="):
        LittlestoneClassifier(**paid(schema=open_label)).fit(X, Y)
    named = LittlestoneClassifier(**paid(schema=open_label, classes=("no", "yes"))).fit(X, Y)
    assert named.predict(X.head(2)).tolist() == ["no", "yes"]


def test_a_shell_names_all_that_is_missing() -> None:
    found = "class or schema, classes, epsilon, ledger and dataset are missing"
    with pytest.raises(DeclarationError, match=found):
        LittlestoneClassifier().fit(X, Y)
    with pytest.raises(DeclarationError, match="ledger and dataset are missing"):
        LittlestoneClassifier(epsilon=1, schema=SCHEMA).fit(X, Y)
    found = "class or schema, epsilon, delta, horizon, ledger and dataset are missing"
    with pytest.raises(DeclarationError, match=found):
        LittlestoneOnlineClassifier()


def test_river_takes_class_and_label_from_the_schema() -> None:
    model = LittlestoneOnlineClassifier(**paid(schema=SCHEMA, delta=0, horizon=2000))
    assert str(model.learner.hypotheses).startswith(
        "conditions(age: 0..120 step 10, sex in {F, M}; at"
    )
    model.learn_one({"age": 70, "sex": "F"}, "yes")
    assert model.predict_one({"age": 30, "sex": "F"}) in ("no", "yes")
