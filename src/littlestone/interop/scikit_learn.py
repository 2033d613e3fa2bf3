"""A scikit-learn classifier over the private learners (needs the extra ``sklearn``)."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Self, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from littlestone.base.errors import DeclarationError, install_command
from littlestone.classes import HypothesisClass
from littlestone.data import read_mapped
from littlestone.interop.declarations import (
    LedgerPlace,
    class_labels,
    declaration_of,
    generator,
    labels_of,
    open_ledger,
    refuse_as_member,
    target_values,
    unit_column,
)
from littlestone.interop.features import (
    feature_names,
    feature_table,
    join_labels,
    warn_of_folds_by_label,
    warn_of_folds_of_records,
)
from littlestone.learn.base import Setting
from littlestone.learn.declared.declaration import Declaration
from littlestone.learn.declared.declaring import SchemaOrFile, open_schema, refuse_as_feature
from littlestone.learn.declared.task import Task
from littlestone.points import text
from littlestone.points.labels import label_number
from littlestone.privacy.ledger import Ledger

try:
    from sklearn.base import BaseEstimator, ClassifierMixin
    from sklearn.utils.metaestimators import available_if
    from sklearn.utils.validation import check_is_fitted, validate_data
except ImportError:
    raise ImportError(
        "cannot make a scikit-learn classifier: scikit-learn is not installed\n"
        f"to fix it: {install_command('sklearn')}"
    ) from None


# Everything else in scikit-learn that fits a classifier changes the records or labels, or chooses by
# them.
_TRUSTED = (
    "sklearn.base.",
    "sklearn.pipeline.",
    "sklearn.utils.",
    "sklearn.model_selection._search.",
    "sklearn.model_selection._search_successive_halving.",
    *(
        f"sklearn.model_selection._validation.{name}"
        for name in ("cross_val", "_fit_and_", "learning_curve", "validation_curve")
    ),
)


class LittlestoneClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Learn a rule of a declared class with (epsilon, delta)-differential privacy.

    ``hypotheses`` is a class or its text.  ``classes`` = (negative, positive) are the two labels, or
    all labels with the default first.  ``method``, ``setting``, ``estimate``, ``risk`` and ``cost`` are
    those of ``littlestone fit``: ``cost=(5, 1)`` means that a missed positive costs five false alarms.
    With ``risk`` it has `predict_proba`, so scores of ranks and calibration curves work.
    All are declarations, and none is read from the data.  Any value is read; NaN and unknown labels
    count as the first label.  The columns of a frame are found by name, those of an array by position.

    With a ``schema`` (or its file) the text of a class may name its columns, and ``hypotheses`` and
    ``classes`` may be left out: as in `littlestone.fit`, a class is taken, and the labels are those of
    the schema.  `fit` names all that is missing at once.  With a ``unit``, or
    that of the schema, the guarantee is for each value of this column, of whose records
    ``max_records`` are used; an array has it as its last column.  Do not cross-validate then.

    Each `fit` spends its cost on ``dataset`` in ``ledger`` before it draws.  ``ledger`` is a path or an
    address, opened for the spend, or a `Ledger`; neither has a default.  A relative path is made
    absolute at once.  It is an error if the ledger does not exist, unless ``create_ledger`` is true,
    because a ledger made by accident would not know what other fits have spent.  ``Ledger()`` stays in
    memory and is for simulations.

    ``simulation_seed`` is None or a whole number, with which the release is a simulation, says so and
    warns.  No host sets it, unlike ``random_state``, which ensembles set.  As a member of an ensemble
    the classifier refuses to learn; ``method="boosting"`` makes an ensemble for the cost of one rule.

    `fit` sets ``release_`` (the whole private release, and the model file), ``hypothesis_``, and the
    public ``learner_``, ``classes_``, ``n_features_in_`` and ``feature_names_in_``.

    >>> from littlestone.privacy.ledger import Ledger
    >>> model = LittlestoneClassifier("thresholds(age, 0..120)", epsilon=1, classes=("well", "sick"),
    ...                               ledger=Ledger(), dataset="clinic")
    >>> ages, labels = [20, 50] * 400, ["well", "sick"] * 400
    >>> model.fit(ages, labels).predict([19, 51, None]).tolist()
    ['well', 'sick', 'well']
    """

    ledger = LedgerPlace()

    def __init__(
        self,
        hypotheses: HypothesisClass[Any] | str | None = None,
        *,
        epsilon: object = None,
        classes: Sequence[object] | None = None,
        ledger: Ledger | str | os.PathLike[str] | None = None,
        dataset: str | None = None,
        delta: object = 0,
        method: str = "auto",
        setting: Setting = "agnostic",
        estimate: object = None,
        risk: bool = False,
        cost: object = None,
        schema: SchemaOrFile = None,
        unit: str | None = None,
        max_records: int | None = None,
        create_ledger: bool = False,
        simulation_seed: int | None = None,
    ) -> None:
        self.hypotheses = hypotheses
        self.epsilon = epsilon
        self.classes = classes
        self.ledger = ledger
        self.dataset = dataset
        self.delta = delta
        self.method = method
        self.setting = setting
        self.estimate = estimate
        self.risk = risk
        self.cost = cost
        self.schema = schema
        self.unit = unit
        self.max_records = max_records
        self.create_ledger = create_ledger
        self.simulation_seed = simulation_seed

    def fit(self, X: Any, y: Any) -> Self:
        """Spend, then draw a rule from the records (X, y), and return the classifier itself.

        Before anything is spent, raises `DeclarationError` for illegal parameters, types and shapes and
        inside an ensemble, and `TableError` for missing columns.  Before anything is drawn, raises
        `BudgetExceededError` or `LedgerError`.  No error depends on a record.
        """
        _refuse_as_member()
        task = Task.choose(declaration_of(self))
        declaration = task.declaration
        label, columns = declaration.label, _columns(declaration)
        named = getattr(y, "name", None)
        if isinstance(named, str):
            refuse_as_feature(replace(label, column=named), declaration.known_class)
        rng = generator(self.simulation_seed)
        table = feature_table(X, columns)
        records = join_labels(table, columns, label.column, target_values(y, label))
        sample = declaration.read(records, rng=rng)
        task = task.for_records(sample.n)
        for hint in task.hints(sample.n):
            warnings.warn(hint, stacklevel=2)
        with open_ledger(self.ledger, create=self.create_ledger) as ledger:
            release = task.fit(sample, ledger=ledger, dataset=cast(str, self.dataset), rng=rng)
        names = feature_names(X)
        self.n_features_in_ = len(table.columns)
        if names is not None:
            self.feature_names_in_ = np.array(names, dtype=object)
        elif hasattr(self, "feature_names_in_"):  # from an earlier fit
            del self.feature_names_in_
        # Hosts compare columns of risks with labels in sorted order, so the classes are in it.
        self._labels = _array(class_labels(labels_of(self)))
        self._order = _order(self._labels)
        self.classes_ = self._labels[self._order]
        self.learner_, self._columns = task.learner, columns
        self.release_ = release
        self.hypothesis_ = release.hypothesis
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """The label of every record, whatever its values.

        Raises `ValueError` unless a frame has the columns of the class and an array has as many columns
        as at `fit`.
        """
        check_is_fitted(self)
        said = np.array([place.label for place in self.hypothesis_.places])
        labels: NDArray[Any] = self._labels[said[self._place_numbers(X)]]
        return labels

    @available_if(lambda self: self._has_risks())  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The risk of each of ``classes_`` at the place of the rule where a record is, a row a record.

        The classes are in sorted order, as scikit-learn has them, and not as they were declared.
        It exists if ``risk`` is true, or if the rule itself says risks.  Errors are those of `predict`.
        """
        check_is_fitted(self)
        found: NDArray[np.float64] = np.array(self.release_.rates, np.float64)[
            self._place_numbers(X)
        ]
        return found[:, self._order]

    def _has_risks(self) -> bool:
        """Whether `predict_proba` exists, as hosts ask before they call it."""
        told = hasattr(self, "release_") and self.release_.hypothesis.risks is not None
        return bool(self.risk) or told

    def _place_numbers(self, X: Any) -> NDArray[np.intp]:
        """The place in the rule of each record."""
        domain = self.learner_.hypotheses.domain
        if feature_names(X) is None and len(getattr(X, "shape", ())) == 2:
            # As in all of scikit-learn: as many columns, and a warning if names are lost.
            validate_data(self, X, reset=False, skip_check_array=True)
        # An array's columns are those of the fitted frame, if there was one.
        names = getattr(self, "feature_names_in_", self._columns)
        table = feature_table(X, list(names))
        return np.fromiter(read_mapped(table, domain, self.hypothesis_.places_of), np.intp)

    def score(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> float:
        """The share of records that `predict` labels as ``y`` does; a missing label is not a label.

        NOT PRIVATE: it reveals the records, and no ledger records it.  For public or made-up data.
        Raises `DeclarationError` unless there is one label for each record.
        """
        label = declaration_of(self).label
        # By the schema's own label, or by the classes; a missing label belongs to no class.
        number = label_number(list(map(text, class_labels(labels_of(self)))), default=-1)
        given = list(map(label if self.classes is None else number, target_values(y, label)))
        predicted = list(map(number, self.predict(X)))
        if len(given) != len(predicted):
            raise DeclarationError(
                "score predictions",
                found=f"there are {len(predicted)} records and {len(given)} labels",
                fix="give one label for each record",
            )
        weights = None if sample_weight is None else np.asarray(sample_weight, float)
        return float(np.average(np.equal(given, predicted), weights=weights))

    def __sklearn_clone__(self) -> Any:
        # Hosts clone an estimator before they hand it to worker processes.  There the host is no
        # longer on the stack if the function that it calls is trusted.
        _refuse_as_member()
        warn_of_folds_by_label()
        if unit_column(open_schema(self.schema), self.unit):
            warn_of_folds_of_records()
        return super().__sklearn_clone__()

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "hypothesis_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        given = labels_of(self)
        several = isinstance(given, Sequence | np.ndarray) and len(given) > 2
        tags.classifier_tags.multi_class = several
        tags.classifier_tags.poor_score = True  # on data that no rule of the class fits
        tags.input_tags.allow_nan = tags.input_tags.string = tags.input_tags.categorical = True
        return tags


def _columns(declaration: Declaration) -> tuple[str, ...]:
    """The columns of X: those of the class, and then that of the unit unless it is one of them."""
    own = (name for name in declaration.columns if name != declaration.label.column)
    return tuple(dict.fromkeys(own))


def _refuse_as_member() -> None:
    refuse_as_member(
        "sklearn",
        _TRUSTED,
        fix="fit it by itself; method='boosting' makes an ensemble for the cost of one rule",
    )


def _array(classes: Sequence[object]) -> NDArray[Any]:
    """The labels as an array of unchanged objects; numpy would turn (0, "a") into texts."""
    labels = np.array(classes)
    same = all(type(a) is type(b) for a, b in zip(labels.tolist(), classes, strict=True))
    return labels if same else np.array(classes, dtype=object)


def _order(labels: NDArray[Any]) -> NDArray[np.intp]:
    """The places of the labels in sorted order; as they are, if they do not compare.

    >>> _order(np.array(["well", "sick"])).tolist(), _order(np.array([0, "a"], dtype=object)).tolist()
    ([1, 0], [0, 1])
    """
    try:
        return np.argsort(labels, kind="stable")
    except TypeError:
        return np.arange(len(labels))
