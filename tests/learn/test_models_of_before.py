"""Model files of version 0.1, which called a function into several labels a classifier."""

from __future__ import annotations

import json
from typing import Any

import pandas as pd
import pytest

from littlestone.base.errors import ModelError
from littlestone.learn import Release
from littlestone.points import Names, Strings

NAMES = ["on time", "late", "cancelled"]
STRINGS = Strings("tail").to_json()
BITS = [
    {"members": ["a", "c"], "kind": "FiniteSet"},
    {"members": ["b", "c"], "kind": "FiniteSet"},
]
FORMS: dict[str, dict[str, Any]] = {
    "BitClassifier": {"domain": STRINGS, "bits": BITS, "other": 1},
    "TableClassifier": {
        "domain": Names(("a", "b", "c", "d"), "tail").to_json(),
        "values": [1, 2, 1, 0],
    },
    "LookupTable": {"domain": STRINGS, "entries": [["a", 1], ["b", 2], ["c", 1]]},
}


def model(kind: str, **changes: Any) -> dict[str, Any]:
    form = {"kind": kind, "labels": NAMES, **FORMS[kind]}
    return {
        "format": "littlestone model 1",
        "rule": "whatever it was in words",
        "class": "lookup(tail; at most 3)",
        "label": "flight",
        "n": 100,
        "privacy": {
            "epsilon": "0.5",
            "delta": "0.001",
            "neighboring": "replace-one",
            "mechanism": "label selection",
            "randomness": "seeded generator: a simulation, NOT PRIVATE",
            "ledger entry": 7,
        },
        "classifier": {**form, **changes},
    }


@pytest.mark.parametrize("kind", FORMS)
def test_its_labels_keep_their_names(kind: str) -> None:
    release = Release.from_json(model(kind))
    table = pd.DataFrame({"tail": ["a", "b", "c", "d"]})
    assert release.predict(table) == ["late", "cancelled", "late", "on time"]
    assert release.labels == tuple(NAMES)
    assert (release.private, release.receipt, release.n) == (False, 7, 100)
    assert (str(release.cost.epsilon), str(release.cost.delta)) == ("1/2", "1/1000")
    again = json.loads(json.dumps(release.to_json()))
    assert "classifier" not in again
    assert Release.from_json(again) == release


@pytest.mark.parametrize("kind", FORMS)
@pytest.mark.parametrize("labels", [NAMES[:2], ["late", "late", "b"], [], [0, 1, 2], 3, None])
def test_other_labels_are_refused(kind: str, labels: Any) -> None:
    with pytest.raises(ModelError):
        Release.from_json(model(kind, labels=labels))


@pytest.mark.parametrize(
    "labels", [NAMES[:2], [*NAMES, "diverted"], ["a", "a", "b"], "abc", "", {}]
)
def test_a_model_names_every_label_once(labels: Any) -> None:
    written = Release.from_json(model("LookupTable")).to_json()
    with pytest.raises(ModelError):
        Release.from_json({**written, "labels": labels})


def test_a_model_of_a_method_that_is_gone_predicts() -> None:
    """As the method "selection" of version 0.2 wrote it."""
    column = {"kind": "cells", "starts": ["0", "5", "10"], "name": "a"}
    tree = {"kind": "DecisionTree", "labels": 2, "tree": [0, [["5", "10"]], 1, 0]}
    written = {
        **model("LookupTable"),
        "class": "one of conditions(a: 0..10 step 5; at most 1), trees(a: 0..10 step 5; depth 1)",
        "hypothesis": {**tree, "domain": {"kind": "product", "columns": [column]}},
    }
    del written["classifier"]
    best = "the best, by [a count with discrete Laplace noise, epsilon 0.25], of up to 40 runs of "
    written["privacy"]["mechanism"] = (
        f"{best}2 x [exponential mechanism on error counts, epsilon 1]"
    )
    release = Release.from_json(written)
    assert release.predict(pd.DataFrame({"a": [3, 5, 70]})) == [0, 1, 1]
    assert Release.from_json(release.to_json()) == release
