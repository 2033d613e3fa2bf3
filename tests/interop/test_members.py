"""Every host that fits a classifier: it hands over each record once and as it is, or is refused."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import river
import river.base
from joblib import parallel_config
from river import (
    active,
    compose,
    drift,
    imblearn,
    metrics,
    model_selection,
    multiclass,
)
from river import bandit as bandits
from river import ensemble as river_ensemble
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    StackingClassifier,
    VotingClassifier,
)
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.feature_selection import RFE, RFECV, SelectFromModel, SequentialFeatureSelector
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    FixedThresholdClassifier,
    GridSearchCV,
    HalvingGridSearchCV,
    HalvingRandomSearchCV,
    KFold,
    RandomizedSearchCV,
    RepeatedStratifiedKFold,
    StratifiedKFold,
    TunedThresholdClassifierCV,
    cross_val_predict,
    cross_val_score,
    cross_validate,
    learning_curve,
    permutation_test_score,
    validation_curve,
)
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier, OutputCodeClassifier
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, LabelEncoder
from sklearn.semi_supervised import SelfTrainingClassifier
from sklearn.utils import all_estimators

from littlestone.base.errors import (
    BudgetExceededError,
    DeclarationError,
    LedgerError,
    NotPrivateWarning,
)
from littlestone.interop.river import LittlestoneOnlineClassifier
from littlestone.interop.scikit_learn import LittlestoneClassifier
from littlestone.privacy.cost import PrivacyCost
from littlestone.privacy.ledger import Ledger

X = np.array([[10], [90]] * 30)
Y = np.array([0, 1] * 30)


def cuts(**options: Any) -> LittlestoneClassifier:
    declared = {"hypotheses": "thresholds(x, 0..100)", "epsilon": 1, "classes": (0, 1)}
    return LittlestoneClassifier(**{**declared, "ledger": Ledger(), "dataset": "d", **options})


Host = Callable[[LittlestoneClassifier], Any]

GRID = {"epsilon": [1]}
SPENDS: dict[str, tuple[Host, int]] = {  # what they spend, at epsilon 1 a fit
    "Pipeline": (lambda m: make_pipeline(FunctionTransformer(), m).fit(X, Y), 1),
    "GridSearchCV": (lambda m: GridSearchCV(m, GRID, cv=KFold(2)).fit(X, Y), 3),
    "RandomizedSearchCV": (
        lambda m: RandomizedSearchCV(m, GRID, cv=KFold(2), n_iter=1).fit(X, Y),
        3,
    ),
    "HalvingGridSearchCV": (lambda m: HalvingGridSearchCV(m, GRID, cv=KFold(2)).fit(X, Y), 3),
    "HalvingRandomSearchCV": (
        lambda m: HalvingRandomSearchCV(m, GRID, cv=KFold(2), n_candidates=1).fit(X, Y),
        3,
    ),
    "cross_validate": (lambda m: cross_validate(m, X, Y, cv=KFold(2)), 2),
    "cross_val_predict": (lambda m: cross_val_predict(m, X, Y, cv=KFold(2)), 2),
    "learning_curve": (lambda m: learning_curve(m, X, Y, cv=KFold(2), train_sizes=[0.5, 1.0]), 4),
    "validation_curve": (
        lambda m: validation_curve(m, X, Y, param_name="epsilon", param_range=[1], cv=KFold(2)),
        2,
    ),
    "FrozenEstimator": (lambda m: BaggingClassifier(FrozenEstimator(m.fit(X, Y))).fit(X, Y), 1),
}
REFUSED: dict[str, Host] = {
    "BaggingClassifier": lambda m: BaggingClassifier(m),
    "VotingClassifier": lambda m: VotingClassifier([("m", m)]),
    "StackingClassifier": lambda m: StackingClassifier([("m", m)], cv=KFold(2)),
    "OneVsRestClassifier": OneVsRestClassifier,
    "OneVsOneClassifier": OneVsOneClassifier,
    "ClassifierChain": lambda m: ClassifierChain(m),
    "MultiOutputClassifier": lambda m: MultiOutputClassifier(m),
    "SelfTrainingClassifier": SelfTrainingClassifier,
    "RFE": RFE,
    "RFECV": lambda m: RFECV(m, cv=KFold(2)),
    "SelectFromModel": SelectFromModel,
    "SequentialFeatureSelector": lambda m: SequentialFeatureSelector(m, cv=KFold(2)),
}
UNFIT: dict[str, Host] = {  # they want weights of records or scores of predictions, and say so
    "AdaBoostClassifier": AdaBoostClassifier,
    "OutputCodeClassifier": OutputCodeClassifier,
    "CalibratedClassifierCV": CalibratedClassifierCV,
    "FixedThresholdClassifier": FixedThresholdClassifier,
    "TunedThresholdClassifierCV": TunedThresholdClassifierCV,
}


@pytest.mark.parametrize("name", SPENDS)
def test_a_host_that_hands_over_records_as_they_are_may_fit(name: str) -> None:
    host, fits = SPENDS[name]
    with Ledger() as ledger:
        host(cuts(ledger=ledger))
        assert ledger.total("d").epsilon == fits


@pytest.mark.filterwarnings("ignore:y contains no unlabeled samples")
@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("inner", [lambda m: m, lambda m: make_pipeline(FunctionTransformer(), m)])
def test_every_other_host_is_refused_before_anything_is_spent(
    name: str, inner: Callable[[Any], Any]
) -> None:
    y = np.stack([Y, 1 - Y], axis=1) if name in ("ClassifierChain", "MultiOutputClassifier") else Y
    two_columns = "Feature" in name or "RFE" in name
    features = np.hstack([X, X]) if two_columns else X
    hypotheses = "rules(a, b; at most 1)" if two_columns else "thresholds(x, 0..100)"
    with Ledger() as ledger:
        member = inner(cuts(ledger=ledger, hypotheses=hypotheses))
        # A search for columns makes an error of its own of those of all fits.
        with pytest.raises(ValueError, match="learn inside sklearn") as error:
            REFUSED[name](member).fit(features, y)
        assert ledger.entries() == []
    assert "method='boosting'" in str(error.value)


@pytest.mark.parametrize("name", UNFIT)
def test_some_hosts_refuse_the_classifier(name: str) -> None:
    with Ledger() as ledger:
        with pytest.raises(ValueError, match=r"sample_weight|predict_proba|decision_function"):
            UNFIT[name](cuts(ledger=ledger)).fit(X, Y)
        assert ledger.entries() == []


def test_permuted_labels_are_refused() -> None:
    """A record's label goes to another record, so that one record is in two."""
    with Ledger() as ledger:
        with pytest.raises(DeclarationError, match="learn inside sklearn"):
            permutation_test_score(cuts(ledger=ledger), X, Y, cv=KFold(2), n_permutations=3)
        assert ledger.entries() == []


def test_scikit_learn_has_no_host_but_these() -> None:
    taking = {"estimator", "estimators", "base_estimator", "final_estimator", "steps", "classifier"}
    found = {
        name
        for name, host in all_estimators()
        if taking & set(inspect.signature(host).parameters)
        and not name.endswith(("Regressor", "RegressorChain"))
    }
    assert found <= {*SPENDS, *REFUSED, *UNFIT}


@pytest.mark.deep
def test_a_member_in_a_worker_process_is_refused(tmp_path: Path) -> None:
    place = tmp_path / "budget.ledger"
    Ledger(place).close()
    with (
        parallel_config("loky", n_jobs=2),
        pytest.raises(DeclarationError, match="learn inside sklearn"),
    ):
        BaggingClassifier(cuts(ledger=place), n_jobs=2).fit(X, Y)
    with Ledger(place) as ledger:
        assert ledger.entries() == []


WORKERS: dict[str, Host] = {
    name: REFUSED[name]
    for name in ("StackingClassifier", "OneVsRestClassifier", "RFECV", "SequentialFeatureSelector")
}


@pytest.mark.parametrize("name", WORKERS)
def test_a_host_whose_workers_call_trusted_functions_is_refused(name: str, tmp_path: Path) -> None:
    place = tmp_path / "budget.ledger"
    Ledger(place).close()
    host = WORKERS[name](cuts(ledger=place)).set_params(n_jobs=2)
    with parallel_config("loky", n_jobs=2), pytest.raises(ValueError, match="learn inside sklearn"):
        host.fit(np.hstack([X, X]) if "Feature" in name or name == "RFECV" else X, Y)
    with Ledger(place) as ledger:
        assert ledger.entries() == []


STRATIFIED = [
    None,
    2,
    StratifiedKFold(2),
    RepeatedStratifiedKFold(n_splits=2, n_repeats=1, random_state=0),
]
VALIDATIONS: dict[str, Callable[[LittlestoneClassifier, Any], Any]] = {
    "GridSearchCV": lambda m, cv: GridSearchCV(m, GRID, cv=cv).fit(X, Y),
    "HalvingGridSearchCV": lambda m, cv: HalvingGridSearchCV(m, GRID, cv=cv).fit(X, Y),
    "cross_validate": lambda m, cv: cross_validate(m, X, Y, cv=cv),
    "cross_val_score": lambda m, cv: cross_val_score(m, X, Y, cv=cv),
    "cross_val_predict": lambda m, cv: cross_val_predict(m, X, Y, cv=cv),
    "learning_curve": lambda m, cv: learning_curve(m, X, Y, cv=cv, train_sizes=[1.0]),
    "validation_curve": lambda m, cv: validation_curve(
        m, X, Y, param_name="epsilon", param_range=[1], cv=cv
    ),
}


@pytest.mark.deep
@pytest.mark.parametrize("name", VALIDATIONS)
def test_folds_by_label_warn(name: str) -> None:
    for cv in STRATIFIED:
        with pytest.warns(NotPrivateWarning, match="NO GUARANTEE") as told:
            VALIDATIONS[name](cuts(), cv)
        assert {warning.filename for warning in told} == {__file__}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        VALIDATIONS[name](cuts(), KFold(2))


def test_folds_by_label_of_a_pipeline_warn_and_a_list_of_folds_does_not() -> None:
    model = make_pipeline(FunctionTransformer(), cuts())
    with pytest.warns(NotPrivateWarning, match="NO GUARANTEE"):
        cross_val_score(model, X, Y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cross_val_score(model, X, Y, cv=[(np.arange(30), np.arange(30, 60))])


def test_an_ensemble_by_boosting_costs_one_rule() -> None:
    with Ledger() as ledger:
        cuts(ledger=ledger, method="boosting", epsilon=2).fit(X, Y)
        assert ledger.total("d") == PrivacyCost(Fraction(2))


class Renumbering:
    """A host of another package, which no stack tells: it numbers the labels that occur."""

    def __init__(self, member: LittlestoneClassifier) -> None:
        self.member = member

    def fit(self, X: Any, y: Any) -> None:
        self.member.fit(X, LabelEncoder().fit_transform(y))


def test_renumbered_labels_are_told_by_their_type() -> None:
    with Ledger() as ledger:
        host = Renumbering(cuts(ledger=ledger, classes=("no", "yes")))
        for y in (["no", "yes"] * 30, ["yes"] * 60):
            with pytest.raises(DeclarationError, match="no number is such a label"):
                host.fit(X, y)
        assert ledger.entries() == []


@pytest.mark.parametrize("seed", [0, np.int64(3)])
def test_a_seed_warns_and_no_host_fills_it(seed: Any) -> None:
    with pytest.warns(NotPrivateWarning, match="NOT PRIVATE") as told:
        assert not cuts(simulation_seed=seed).fit(X, Y).release_.private
    assert cuts().fit(X, Y).release_.private
    from sklearn.ensemble._base import _set_random_states

    inside = make_pipeline(FunctionTransformer(), cuts())
    _set_random_states(inside, 5)
    assert inside[-1].simulation_seed is None
    assert "random_state" not in cuts().get_params()
    with pytest.warns(NotPrivateWarning):
        online = doors(simulation_seed=seed)
    with pytest.warns(NotPrivateWarning) as told_online:
        online.learn_one({"id": "a"}, True)
    # The line of the caller, not one of ours.
    assert {Path(one.filename).name for one in (*told, *told_online)} == {Path(__file__).name}


def doors(**options: Any) -> LittlestoneOnlineClassifier:
    declared = {"hypotheses": "subsets(id; at most 2)", "epsilon": 1, "delta": "1e-6"}
    rest = {"horizon": 4000, "ledger": Ledger(), "dataset": "d"}
    return LittlestoneOnlineClassifier(**{**declared, **rest, **options})


Wrapped = Callable[[Any], Any]
ensemble: Any = river_ensemble
accuracy: Any = metrics.Accuracy
one_vs_one: Any = multiclass.OneVsOneClassifier

ALLOWED: dict[str, Wrapped] = {
    "Pipeline": lambda m: compose.Select("id") | m,
    "VotingClassifier": lambda m: ensemble.VotingClassifier([m, m.clone()]),
}
DENIED: dict[str, Wrapped] = {
    "EntropySampler": lambda m: active.EntropySampler(m),
    "DriftRetrainingClassifier": lambda m: drift.DriftRetrainingClassifier(m),
    "ADWINBaggingClassifier": lambda m: ensemble.ADWINBaggingClassifier(m, seed=1),
    "BaggingClassifier": lambda m: ensemble.BaggingClassifier(m, seed=1),
    "LeveragingBaggingClassifier": lambda m: ensemble.LeveragingBaggingClassifier(m, seed=1),
    "ADWINBoostingClassifier": lambda m: ensemble.ADWINBoostingClassifier(m, seed=1),
    "AdaBoostClassifier": lambda m: ensemble.AdaBoostClassifier(m, seed=1),
    "BOLEClassifier": lambda m: ensemble.BOLEClassifier(m, seed=1),
    "StackingClassifier": lambda m: ensemble.StackingClassifier([m, m.clone()], m.clone()),
    "SRPClassifier": lambda m: ensemble.SRPClassifier(m, n_models=2, seed=1),
    "HardSamplingClassifier": lambda m: imblearn.HardSamplingClassifier(m, size=2, p=0.0),
    "RandomOverSampler": lambda m: imblearn.RandomOverSampler(m, {True: 0.5, False: 0.5}, seed=1),
    "RandomSampler": lambda m: imblearn.RandomSampler(m, {True: 0.5, False: 0.5}, seed=1),
    "RandomUnderSampler": lambda m: imblearn.RandomUnderSampler(m, {True: 0.5, False: 0.5}, seed=1),
    "BanditClassifier": lambda m: model_selection.BanditClassifier(
        [m, m.clone()], accuracy(), bandits.EpsilonGreedy(0.1, 0.1, seed=1)
    ),
    "SuccessiveHalvingClassifier": lambda m: model_selection.SuccessiveHalvingClassifier(
        [m, m.clone()], accuracy(), budget=100
    ),
    "OutputCodeClassifier": lambda m: multiclass.OutputCodeClassifier(m, code_size=2, seed=1),
    "OneVsOneClassifier": lambda m: one_vs_one(m),
    "OneVsRestClassifier": lambda m: multiclass.OneVsRestClassifier(m),
}


def taught(host: Any) -> None:
    for t in range(30):
        host.learn_one({"id": f"d{t % 3}"}, t % 2 == 0)


@pytest.mark.parametrize("name", ALLOWED)
def test_a_host_of_streams_that_hands_over_each_record_once_may_teach(name: str) -> None:
    ledger = Ledger()
    host = ALLOWED[name](doors(ledger=ledger))
    taught(host)
    assert ledger.total("d").epsilon == (2 if name == "VotingClassifier" else 1)


@pytest.mark.parametrize("name", DENIED)
@pytest.mark.parametrize("inner", [lambda m: m, lambda m: compose.Select("id") | m])
def test_every_other_host_of_streams_is_refused(name: str, inner: Wrapped) -> None:
    ledger = Ledger()
    host = DENIED[name](inner(doors(ledger=ledger)))
    with pytest.raises(DeclarationError, match="learn inside river"):
        taught(host)
    assert ledger.entries() == []


def _classes(package: Any) -> Iterator[type]:
    for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        if ".test_" not in found.name and ".datasets" not in found.name:
            with suppress(ImportError):  # of an extra of river's
                module = importlib.import_module(found.name)
                yield from filter(inspect.isclass, vars(module).values())


def test_river_has_no_host_but_these() -> None:
    taking = {"model", "models", "classifier", "classifiers", "meta_classifier", "base_model"}
    found = {
        host.__name__
        for host in _classes(river)
        if issubclass(host, river.base.Classifier)
        and not inspect.isabstract(host)
        and taking & set(inspect.signature(host).parameters)
    }
    assert found <= {*ALLOWED, *DENIED}
    assert len(found) > 15


def test_a_refit_at_a_drift_keeps_the_last_rule_where_the_budget_is_over() -> None:
    """Whoever refits by the labels would learn from an exception when; the rule just stays."""
    ledger = Ledger()
    ledger.set_limit("d", PrivacyCost(Fraction(2), Fraction(1, 1000)))
    model = doors(ledger=ledger)
    for _ in range(2):
        for _ in range(200):
            model.learn_one({"id": "a"}, True)
        published, since = model.hypothesis, model.published_at
        assert not model.is_frozen
        model = model.clone()
    for again in (model, model.clone(), model.clone().clone()):
        again.learn_one({"id": "b"}, True)
        assert again.is_frozen
        for _ in range(200):
            again.learn_one({"id": "b"}, True)
        assert (again.hypothesis, again.published_at) == (published, since)
    assert len(ledger.entries()) == 2
    for first in (doors(ledger=ledger), model.clone({"epsilon": 2})):
        with pytest.raises(BudgetExceededError):
            first.learn_one({"id": "b"}, True)
    ledger.close()
    with pytest.raises(LedgerError, match="the ledger is closed"):
        model.clone().learn_one({"id": "b"}, True)


def test_logistic_regression_still_bags() -> None:
    """The refusal is of our classifier alone."""
    assert BaggingClassifier(LogisticRegression()).fit(X, Y).score(X, Y) == 1
    assert Pipeline([("m", LogisticRegression())]).fit(X, Y).score(X, Y) == 1
