"""The classifier does what `fit` does, with whatever scikit-learn hands over, and forgets no cost."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV, calibration_curve
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import FitFailedWarning, NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.metrics import get_scorer, roc_auc_score
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from littlestone.base.errors import (
    BudgetExceededError,
    DeclarationError,
    LedgerError,
    NotPrivateWarning,
    TableError,
)
from littlestone.classes import Thresholds, parse_class
from littlestone.data import Condition, Label, open_table, plain_values, read_sample
from littlestone.interop.declarations import target_values
from littlestone.interop.features import feature_table
from littlestone.interop.scikit_learn import LittlestoneClassifier
from littlestone.learn import Release
from littlestone.learn.plan import choose_learner
from littlestone.privacy import Budget
from littlestone.privacy.cost import PrivacyCost
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.randomness import seeded_generator
from littlestone.prove.laws.domains import OUTSIDE, Liar, hostile

pytestmark = pytest.mark.filterwarnings("ignore::littlestone.base.errors.NotPrivateWarning")

RULES = "rules(origin, dest; at most 2)"
G = np.random.default_rng(1)
FLIGHTS = {
    "hour": G.integers(0, 24, 3000).tolist(),
    "origin": G.choice(["JFK", "EWR", "LGA"], 3000).tolist(),
    "dest": G.choice(["HNL", "BOS", "ORD"], 3000).tolist(),
}
CARRIER = np.where(
    (np.array(FLIGHTS["origin"]) == "JFK") & (np.array(FLIGHTS["dest"]) == "HNL"), "HA", "other"
)
FRAMES = [pd.DataFrame(FLIGHTS), pl.DataFrame(FLIGHTS), pa.table(FLIGHTS)]


def rules(**options: Any) -> LittlestoneClassifier:
    declared = {"epsilon": 1, "delta": "1e-6", "classes": ("other", "HA"), "simulation_seed": 7}
    return LittlestoneClassifier(
        RULES, **{"ledger": Ledger(), "dataset": "d", **declared, **options}
    )


def cuts(**options: Any) -> LittlestoneClassifier:
    declared = {"hypotheses": "thresholds(x, 0..100)", "epsilon": 1, "classes": (0, 1)}
    rest = {"ledger": Ledger(), "dataset": "d", "simulation_seed": 7}
    return LittlestoneClassifier(**{**declared, **rest, **options})


@pytest.mark.parametrize("X", FRAMES, ids=lambda X: type(X).__module__)
def test_the_release_is_the_one_of_fit(X: Any) -> None:
    model = rules().fit(X, CARRIER)
    table = pa.table({**FLIGHTS, "y": CARRIER.tolist()})
    learner, _ = choose_learner(parse_class(RULES), Budget(1, "1e-6"))
    label = Label.parse("y", "HA")
    sample = read_sample(open_table(table), learner.hypotheses.domain, label)
    with Ledger() as ledger:
        release = learner.fit(
            sample, ledger=ledger, dataset="d", label=str(label), rng=seeded_generator(7)
        )
    assert model.release_.accuracy.startswith("On new records, the error is at most ")
    assert replace(model.release_, accuracy="") == release
    assert release.words() == "y == HA  <=>  origin is 'JFK' and dest is 'HNL'"
    assert Release.from_json(model.release_.to_json()) == model.release_
    assert model.n_features_in_ == 3
    assert model.feature_names_in_.tolist() == ["hour", "origin", "dest"]
    assert (model.predict(X) == CARRIER).all()


@pytest.mark.deep
def test_arrays_and_lists_are_read_by_position() -> None:
    records = list(zip(FLIGHTS["origin"], FLIGHTS["dest"], strict=True))
    expected = rules().fit(FRAMES[0], CARRIER).hypothesis_
    unnamed = pd.DataFrame(records)
    for X in (records, np.array(records), np.array(records, dtype=object), unnamed):
        for y in (CARRIER, CARRIER.tolist(), pd.Series(CARRIER), pl.Series(CARRIER.tolist())):
            model = rules().fit(X, y)
            assert model.hypothesis_ == expected
            assert not hasattr(model, "feature_names_in_")
            assert model.n_features_in_ == 2
        assert (model.predict(X) == CARRIER).all()
    swapped = rules().fit([record[::-1] for record in records], CARRIER)
    assert swapped.hypothesis_ != expected


def test_an_array_after_a_frame_has_the_columns_of_the_frame() -> None:
    model = rules().fit(FRAMES[0], CARRIER)
    with pytest.warns(UserWarning, match="feature names"):
        predicted = model.predict(FRAMES[0].to_numpy())
    assert (predicted == CARRIER).all()


def test_a_frame_needs_the_columns_of_the_class_alone() -> None:
    model = rules().fit(FRAMES[0], CARRIER)
    assert (model.predict(FRAMES[1].select("dest", "origin")) == CARRIER).all()
    with pytest.raises(TableError, match="'dest'"):
        model.predict(FRAMES[1].select("hour", "origin"))
    with pytest.warns(UserWarning, match="names"), pytest.raises(ValueError, match="2 features"):
        model.predict(np.zeros((3, 2)))


@pytest.mark.parametrize(
    "X",
    [[10, 90] * 200, np.array([[10], [90]] * 200), pd.Series([10, 90] * 200), [[10], (90,)] * 200],
    ids=["list", "array", "series", "records"],
)
def test_one_column_may_be_one_dimensional(X: Any) -> None:
    model = cuts(epsilon=5).fit(X, [0, 1] * 200)
    assert model.predict(X).tolist() == [0, 1] * 200
    assert model.n_features_in_ == 1


WILD: list[Any] = [
    None,
    float("nan"),
    float("inf"),
    10**5000,
    -1,
    "?",
    [],
    [[1]],
    {"a": 1},
    1j,
    b"",
    object(),
]


def test_any_record_and_label_is_data() -> None:
    cells = np.empty((len(WILD), 1), dtype=object)
    cells[:, 0] = WILD
    for X in (WILD, cells, [[value] for value in WILD], [[1, 2, 3], (), 5, "x"] * 3):
        model = cuts().fit(X, WILD)
        assert set(model.predict(X)) <= {0, 1}
        assert model.release_.n == len(WILD)
    objects = [*hostile(), *OUTSIDE, Liar(np.ndarray, "x")]
    for pairs in (objects, [[value] * 2 for value in objects], [(value,) for value in objects]):
        model = rules().fit(pairs, objects)
        assert (len(model.predict(pairs)), model.release_.n) == (len(objects), len(objects))
    model = rules().fit([*WILD, ["a"], ["a", "b", "c"]], [*WILD, "HA", 3])
    assert set(model.predict([*WILD, ["a"]])) <= {"HA", "other"}


BIG = 2**53 + 1
ONE_COLUMN = [
    pa.array,
    lambda values: pa.chunked_array([values]),
    pl.Series,
    lambda values: pd.Series(values, dtype="Int64"),
]


@pytest.mark.parametrize("make", ONE_COLUMN)
def test_a_missing_value_does_not_change_how_others_are_read(make: Callable[..., Any]) -> None:
    """In numpy a missing value makes floats of all whole numbers, which large ones do not survive."""
    for last in (5, None):
        assert target_values(make([BIG, last]), Label("y", Condition("==", "1")))[0] == BIG
        ((first,), _) = feature_table(make([BIG, last]), ["id"]).rows(["id"])
        assert first == BIG
        assert type(first) is int


@pytest.mark.parametrize(
    "values",
    [
        pd.Series([pd.NaT, pd.NaT]),
        pl.Series([None, None], dtype=pl.List(pl.Int64)),
        pl.Series([None], dtype=pl.Date),
        pa.array([None], pa.binary()),
    ],
)
def test_a_declared_type_is_refused_without_a_value_too(values: Any) -> None:
    with pytest.raises(TableError):
        plain_values(values)


@pytest.mark.parametrize("make", [np.array, pd.Series, pl.Series, pa.array])
@pytest.mark.parametrize("values", [[True, False], [1, 0], [1.5, 0.5]])
def test_numbers_and_truth_values_show_no_text(make: Any, values: list[Any]) -> None:
    with pytest.raises(DeclarationError, match="one of numbers"):
        target_values(make(values), Label("y", Condition("==", "sick")))


def test_labels_are_declared() -> None:
    X = [10, 90] * 300
    declared: list[tuple[tuple[Any, Any], list[Any]]] = [
        ((0, 1), [0, 1]),
        ((False, True), [0, 1]),
        ((False, True), [False, True]),
        (("no", "yes"), ["no", "yes"]),
        (("no", "yes"), ["maybe", "yes"]),
        (("no", "yes"), [None, "yes"]),
        ((-1, 1), [-1.0, 1.0]),
        ((0, "a"), [0, "a"]),
    ]
    for classes, y in declared:
        model = cuts(classes=classes, epsilon=5).fit(X, y * 300)
        assert model.predict([10, 90]).tolist() == list(classes)
        assert [type(label) for label in model.classes_.tolist()] == [type(c) for c in classes]
    assert cuts(classes=np.array([0, 1])).fit(X, y * 300).classes_.dtype == np.array([0, 1]).dtype
    only_one_occurs = cuts(classes=("no", "yes")).fit(X, ["yes"] * 600)
    assert only_one_occurs.classes_.tolist() == ["no", "yes"]


@pytest.mark.parametrize(
    ("options", "X", "y", "message"),
    [
        ({"classes": (1, 1)}, [1], [1], "apart"),
        ({"classes": (1, "1.0")}, [1], [1], "apart"),
        ({"classes": (0, None)}, [1], [1], "apart"),
        ({"classes": (0, 1, 2)}, [1], [1], "two labels"),
        ({"classes": "no"}, [1], [1], "not a sequence"),
        ({"classes": {0, 1}}, [1], [1], "not a sequence"),
        ({"classes": None}, [1], [1], "classes is missing"),
        ({"hypotheses": 5}, [1], [1], "neither a class"),
        ({"ledger": None}, [1], [1], "ledger"),
        ({"simulation_seed": 1.5}, [1], [1], "simulation_seed"),
        ({"simulation_seed": True}, [1], [1], "simulation_seed"),
        ({"simulation_seed": np.random.RandomState(0)}, [1], [1], "simulation_seed"),
        ({"epsilon": 0}, [1], [1], "epsilon"),
        ({"method": "magic"}, [1], [1], "method"),
        ({"dataset": ""}, [1], [1], "data set"),
        ({"hypotheses": "nothing(x)"}, [1], [1], "class"),
        ({}, np.zeros((3, 2)), [1, 1, 1], "maximum of 1"),
        ({}, np.zeros((3, 1, 1)), [1, 1, 1], "shape"),
        ({}, "text", [1], "type str"),
        ({}, 5, [1], "type int"),
        ({}, [1, 2], [1], "2 records and 1 labels"),
        ({}, [], [], "no rows"),
        ({}, [1], np.zeros((1, 2)), "shape"),
        ({}, [1, 2], np.array([[0], [1]]), r"shape \(2, 1\)"),
        ({}, [1, 2], pd.DataFrame({"y": [0, 1]}), r"shape \(2, 1\)"),
        ({}, [1, 2], pl.DataFrame({"y": [0, 1]}), r"shape \(2, 1\)"),
        ({}, [1, 2], pa.table({"y": [0, 1]}), r"shape \(2, 1\)"),
        ({}, [1], np.array(1), r"shape \(\)"),
        ({}, [1, 2], "01", "type str"),
        ({}, [1, 2], b"01", "type bytes"),
        ({}, [1, 2], {0, 1}, "type set"),
        ({}, [1, 2], frozenset({0, 1}), "type frozenset"),
        ({}, [1, 2], {0: 1, 1: 0}, "type dict"),
        ({}, [1, 2], iter([0, 1]), "type list_iterator"),
        ({}, [1], 1, "type int"),
        ({"classes": ("no", "yes")}, [1, 2], np.array([0, 1]), "no number is such a label"),
        ({"classes": ("no", "yes")}, [1, 2], np.array([True, False]), "no number is such a label"),
        ({"classes": ("no", "yes")}, [1, 2], pd.Series([0.5, 1]), "no number is such a label"),
        ({"classes": ("no", "yes")}, [1, 2], pl.Series([0, 1]), "no number is such a label"),
        ({"classes": ("no", "yes")}, [1, 2], pa.array([0, 1]), "no number is such a label"),
        ({}, pd.DataFrame({"z": [1]}), [1], "column 'x'"),
    ],
)
def test_what_is_refused_is_refused_before_anything_is_spent(
    options: dict[str, Any], X: Any, y: Any, message: str
) -> None:
    with Ledger() as ledger:
        model = cuts(ledger=ledger).set_params(**options)
        with pytest.raises((DeclarationError, TableError), match=message):
            model.fit(X, y)
        assert ledger.entries() == []
    with pytest.raises(NotFittedError):
        model.predict([1])


def test_every_fit_spends_and_a_limit_stops_it() -> None:
    with Ledger() as ledger:
        ledger.set_limit("d", PrivacyCost(Fraction(2)))
        model = cuts(ledger=ledger)
        first = model.fit([10, 90] * 50, [0, 1] * 50).release_
        clone(model).fit([10, 90] * 50, [0, 1] * 50)
        with pytest.raises(BudgetExceededError):
            model.fit([1], [1])
        assert model.release_ is first
        assert ledger.total("d").epsilon == 2


def test_only_the_systems_generator_is_private() -> None:
    assert cuts(simulation_seed=None).fit([1], [1]).release_.private
    assert not cuts(simulation_seed=np.int64(3)).fit([1], [1]).release_.private


def test_parameters_are_kept_as_they_are_given(tmp_path: Path) -> None:
    model = cuts()
    assert clone(model).ledger is model.ledger
    assert set(model.get_params()) == {
        "hypotheses", "epsilon", "delta", "method", "setting", "estimate", "risk", "cost", "classes",
        "ledger", "dataset", "create_ledger", "schema", "unit", "max_records",
        "simulation_seed",
    }  # fmt: skip
    declared = LittlestoneClassifier(
        Thresholds.on(0, 100, "x"),
        epsilon=5,
        classes=(0, 1),
        ledger=tmp_path / "l",
        dataset="d",
        create_ledger=True,
    )
    declared.set_params(simulation_seed=3).fit([10, 90] * 50, [0, 1] * 50)
    again = pickle.loads(pickle.dumps(declared))
    assert again.release_ == declared.release_
    assert again.predict([10, 90]).tolist() == [0, 1]
    again.fit([10, 90], [0, 1])
    with Ledger(tmp_path / "l") as ledger:
        assert ledger.total("d").epsilon == 10


def test_the_learner_is_the_one_that_drew() -> None:
    small, large = ([list(range(20)) * k, [0] * 10 * k + [1] * 10 * k] for k in (5, 100))
    model = cuts(hypotheses="trees(x: 0..100 step 10; depth 2)")
    for (x, y), method in ((small, "exponential"), (large, "regrown")):
        assert model.fit(x, y).learner_.method == method
        assert model.release_.mechanism == str(model.learner_.event)


def test_costs_are_those_of_fit() -> None:
    x, y = [10] * 300 + [90] * 500, [0] * 300 + [1] * 200 + [0] * 300
    assert cuts(epsilon=2).fit(x, y).predict([90]).tolist() == [0]
    model = cuts(epsilon=2, cost=(5, 1)).fit(x, y)
    assert model.predict([10, 90]).tolist() == [0, 1]
    assert (model.release_.mistakes.missed, model.release_.mistakes.alarm) == (5, 1)
    assert clone(model).get_params()["cost"] == (5, 1)


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ({"cost": "5"}, "5:1 on the command line"),
        ({"cost": (5, 1), "method": "boosting"}, "to fix it: "),
        (
            {"cost": (5, 1), "classes": (0, 1, 2), "hypotheses": "lookup(x; at most 2)"},
            "more than two|several labels|3 labels",
        ),
    ],
)
def test_costs_that_cannot_be_counted_spend_nothing(options: dict[str, Any], found: str) -> None:
    model = cuts(delta="1e-6", **options)
    with pytest.raises(DeclarationError, match=found):
        model.fit([10, 90], [0, 1])
    assert model.ledger.total("d").epsilon == 0


def test_a_ledger_is_shared_and_never_copied() -> None:
    with pytest.raises(LedgerError, match="path"):
        pickle.dumps(cuts())


def test_in_a_pipeline_and_after_a_column_transformer() -> None:
    X = FRAMES[0]
    chosen = ColumnTransformer(
        [("places", "passthrough", ["origin", "dest"])], verbose_feature_names_out=False
    )
    for output in ("default", "pandas", "polars"):
        pipeline = make_pipeline(clone(chosen).set_output(transform=output), rules())
        assert (pipeline.fit(X, CARRIER).predict(X) == CARRIER).all()
        assert pipeline.score(X, CARRIER) == 1
    upper = make_pipeline(FunctionTransformer(lambda frame: frame), rules()).fit(X, CARRIER)
    assert (upper.predict(X) == CARRIER).all()


def test_each_fold_spends() -> None:
    """Five training sets overlap, so their costs add up."""
    ledger = Ledger()
    scores = cross_val_score(rules(ledger=ledger), FRAMES[1], CARRIER, cv=KFold(5))
    assert scores.min() == 1
    assert ledger.total("d") == PrivacyCost(Fraction(5), Fraction(5, 10**6))


def test_a_grid_search_stops_at_the_limit() -> None:
    X, y = np.array([[10], [90]] * 60), [0, 1] * 60
    grid = {"hypotheses": [f"thresholds(x, 0..{high})" for high in (100, 200, 400)]}
    with Ledger() as ledger:
        ledger.set_limit("d", PrivacyCost(Fraction(7)))
        search = GridSearchCV(cuts(ledger=ledger), grid, cv=KFold(3), error_score="raise")
        with pytest.raises(BudgetExceededError):
            search.fit(X, y)
        assert ledger.total("d").epsilon == 7
    with Ledger() as ledger:
        ledger.set_limit("d", PrivacyCost(Fraction(7)))
        with (
            pytest.warns(FitFailedWarning, match="2 fits failed"),
            pytest.warns(UserWarning, match="non-finite"),
            pytest.raises(BudgetExceededError),
        ):
            # What is left after the search does not pay for the last fit, on all records.
            GridSearchCV(cuts(ledger=ledger), grid, cv=KFold(3)).fit(X, y)
        assert ledger.total("d").epsilon == 7


@pytest.mark.deep
def test_scikit_learn_is_imported_when_it_is_asked_for() -> None:
    program = (
        "import sys, littlestone, littlestone.interop, littlestone.learn, littlestone.cli\n"
        "assert 'sklearn' not in sys.modules\n"
        "sys.modules['sklearn'] = None\n"
        "import littlestone.interop.scikit_learn\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert ran.stderr.endswith("to fix it: pip install 'scikit-learn>=1.6'\n")
    assert "AssertionError" not in ran.stderr


def test_a_column_may_have_the_name_of_the_label() -> None:
    model = cuts(hypotheses="thresholds(y, 0..100)", epsilon=5).fit([10, 90] * 99, [0, 1] * 99)
    assert model.release_.words().startswith("y' == 1  <=>  y >= ")


def test_the_label_s_own_column_is_no_feature() -> None:
    ledger = Ledger()
    model = LittlestoneClassifier(
        "points(city)", epsilon=5, delta="1e-3", classes=("no", "yes"), ledger=ledger, dataset="d"
    )
    labels = ["no", "yes"]
    for y in (pd.Series(labels, name="city"), pl.Series("city", labels)):
        with pytest.raises(DeclarationError, match="which holds the label itself"):
            model.fit(pd.DataFrame({"city": ["no", "yes"]}), y)
    assert ledger.entries() == []


@pytest.mark.parametrize(
    "kind",
    [list, lambda y: pd.Series(y, dtype=object), lambda y: np.array(y, dtype=object)],
    ids=["list", "pandas", "numpy"],
)
def test_a_missing_label_is_never_predicted(kind: Callable[[Any], Any]) -> None:
    model = LittlestoneClassifier(
        "thresholds(x, 0..9)", epsilon=50, classes=("no", "yes"), ledger=Ledger(), dataset="d"
    ).fit([0, 9] * 100, ["no", "yes"] * 100)
    x, y = [0, 9, 0, 9], ["no", "yes", None, float("nan")]
    assert model.score(x, kind(y)) == 0.5
    assert model.score(x, kind(y), sample_weight=[1, 1, 0, 0]) == 1
    with pytest.raises(ValueError, match="there are 4 records and 3 labels"):
        model.score(x, kind(y[:3]))


def test_errors_in_python_speak_no_options_of_the_command_line() -> None:
    given: Any
    for given in ({}, {"positive": 1, "labels": "a,b"}, {"positive": 1, "default": "a"}):
        with pytest.raises(DeclarationError) as error:
            Label.parse("y", **given)
        assert "--" not in str(error.value)
    with pytest.raises(DeclarationError) as error:
        parse_class("thresholds(x, 0..9)", 3)
    assert "--" not in str(error.value)


def test_too_large_boxes_may_take_a_larger_step() -> None:
    with pytest.raises(DeclarationError, match="a coarser step"):
        choose_learner(parse_class("boxes(a 0..1000, b 0..1000)"), Budget(1))


def of_patients(**more: object) -> LittlestoneClassifier:
    declared = {"epsilon": 5, "classes": (0, 1), "ledger": Ledger(), "dataset": "d", **more}
    return LittlestoneClassifier("thresholds(age, 0..100)", **declared)  # type: ignore[arg-type]


FRAME = pd.DataFrame({"patient": [i % 40 for i in range(200)], "age": [i % 90 for i in range(200)]})
SICK = [int(age >= 50) for age in FRAME["age"]]


@pytest.mark.parametrize("X", [FRAME, FRAME[["age", "patient"]].to_numpy()], ids=["frame", "array"])
def test_units_are_protected_with_all_their_records(X: Any) -> None:
    model = of_patients(unit="patient", max_records=2).fit(X, SICK)
    assert model.release_.units == 40
    assert str(model.release_.cost) == "epsilon 5, delta 0 (replace-one-unit: patient)"
    assert model.ledger.total("d") == model.release_.cost
    assert set(model.predict(X)) == {0, 1}
    with pytest.raises(DeclarationError, match="how many records"):
        of_patients(unit="patient").fit(X, SICK)


def test_a_schema_declares_columns_and_the_unit(tmp_path: Path) -> None:
    path = tmp_path / "schema.toml"
    path.write_text(
        'unit = "patient"\nmax_records = 1\n[columns]\npatient = {type = "text"}\n'
        'age = {type = "integer", range = [0, 100]}\n'
    )
    model = of_patients(schema=path).set_params(hypotheses="thresholds(age)").fit(FRAME, SICK)
    assert model.release_.units == 40
    assert model.score(FRAME, SICK) > 0.5


def test_folds_of_units_are_no_guarantee() -> None:
    model = of_patients(unit="patient", max_records=2)
    with pytest.warns(NotPrivateWarning, match="NO GUARANTEE for units"):
        cross_val_score(model, FRAME, SICK, cv=KFold(2))


def test_risks_are_those_of_the_release_and_hosts_use_them() -> None:
    X, y = FRAMES[0], np.where(np.random.default_rng(3).random(3000) < 0.1, "HA", CARRIER)
    made = rules(risk=True, epsilon=2)
    assert hasattr(made, "predict_proba")
    assert not hasattr(rules(), "predict_proba")
    with pytest.raises(NotFittedError):
        made.predict_proba(X)
    made.fit(X, y)
    found = made.predict_proba(X)
    assert np.allclose(found.sum(axis=1), 1)
    assert made.classes_.tolist() == ["HA", "other"]
    assert (found[:, ::-1] == made.release_.predict_proba(X)).all()
    positive = y == "other"
    assert roc_auc_score(positive, found[:, 1]) > 0.6
    assert get_scorer("roc_auc")(made, X, y) > 0.6
    assert get_scorer("neg_log_loss")(made, X, y) > -0.5
    truth, said = calibration_curve(positive, found[:, 1])
    assert np.abs(truth - said).max() < 0.1
    calibrated = CalibratedClassifierCV(FrozenEstimator(made)).fit(X, y)
    assert calibrated.predict_proba(X).shape == (3000, 2)
