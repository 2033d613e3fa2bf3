"""Scikit-learn's own checks of estimators; those that ask for what privacy forbids must fail."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.utils.estimator_checks import check_estimator

from littlestone.interop.scikit_learn import LittlestoneClassifier

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "scikit-learn.md"

EXPECTED = {
    "check_classifiers_classes": "It takes the names of the classes from y.",
    "check_classifiers_regression_target": "It wants an error for labels that are fractions.",
    "check_classifier_not_supporting_multiclass": "It wants an error where a third label occurs.",
    "check_supervised_y_no_nan": "It wants an error for a label that is missing or infinite.",
    "check_complex_data": "It wants an error for a value that is a complex number.",
    "check_supervised_y_2d": "It wants a warning for y of shape (n, 1), which is refused.",
    "check_fit1d": "It wants an error for a one-dimensional X, which here is one column.",
}


class OfAnyWidth(LittlestoneClassifier):
    """The checks make X of one to ten columns; this declares a class for as many, by the shape."""

    def fit(self, X: Any, y: Any) -> OfAnyWidth:
        shape = X.shape if hasattr(X, "shape") else np.asarray(X).shape
        width = max(1, shape[1]) if len(shape) > 1 else 1
        columns = ", ".join(f"x{j}" for j in range(width))
        self.hypotheses, declared = f"rules({columns}; at most 1)", self.hypotheses
        try:
            super().fit(X, y)
            return self
        finally:
            self.hypotheses = declared


def failures(folder: Path) -> dict[str, str]:
    """The checks that fail, with how."""
    model = OfAnyWidth(
        "rules(x0; at most 1)",
        epsilon=20,
        delta="1e-6",
        method="choosing",
        classes=(0, 1),
        ledger=str(folder / "checks.ledger"),
        dataset="made up",
        create_ledger=True,
        simulation_seed=0,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = check_estimator(model, on_fail=None, on_skip=None)
    assert len(found) > 40
    return {
        check["check_name"]: str(check["exception"])
        for check in found
        if check["status"] == "failed"
    }


@pytest.mark.deep
def test_those_checks_fail_that_ask_for_what_privacy_forbids(tmp_path: Path) -> None:
    failed = failures(tmp_path)
    assert {name: error for name, error in failed.items() if name not in EXPECTED} == {}
    assert set(failed) == set(EXPECTED)


def test_the_page_lists_them() -> None:
    page = PAGE.read_text(encoding="utf-8")
    listed = [line for line in page.splitlines() if line.startswith("| `check_")]
    assert listed == [f"| `{name}` | {reason} |" for name, reason in EXPECTED.items()]
