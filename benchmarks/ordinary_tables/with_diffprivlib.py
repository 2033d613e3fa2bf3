"""Five classifiers of diffprivlib on numbers: run in an environment of its own, where diffprivlib is.

``python with_diffprivlib.py ARRAYS.npz FOUND.json``.  The file has the rows ``x`` in [0, 1], their
labels ``y``, 0 or 1, an order of the rows for each run in ``orders``, the number of rows ``size`` to
learn from, the ``norm`` that no row exceeds, and ``epsilons``.  What is found is, for each epsilon and
classifier, the share of wrong predictions on the other rows in each run.
"""

import importlib
import json
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np


def classifiers(models: Any, norm: float) -> dict[str, Callable[..., Any]]:
    """How to make each of the five from an epsilon and a seed; what is not named is the default."""
    within = {"bounds": (0, 1)}
    told = {**within, "classes": np.arange(2)}
    return {
        "tree 3": lambda **spent: models.DecisionTreeClassifier(max_depth=3, **told, **spent),
        "tree 5": lambda **spent: models.DecisionTreeClassifier(max_depth=5, **told, **spent),
        "forest": lambda **spent: models.RandomForestClassifier(**told, **spent),
        "bayes": lambda **spent: models.GaussianNB(**within, **spent),
        "logistic": lambda **spent: models.LogisticRegression(data_norm=norm, **spent),
    }


def main(arrays: Path, found: Path) -> None:
    """Fit and score each classifier at each epsilon, once a run."""
    warnings.simplefilter("ignore")
    models = importlib.import_module("diffprivlib.models")
    with np.load(arrays) as given:
        x, y, orders, epsilons = (given[name] for name in ("x", "y", "orders", "epsilons"))
        size, norm = int(given["size"]), float(given["norm"])
    errors: dict[str, dict[str, list[float]]] = {}
    for epsilon in epsilons.tolist():
        of_epsilon = errors.setdefault(f"{epsilon:g}", {})
        for name, make in classifiers(models, norm).items():
            of_epsilon[name] = []
            for run, order in enumerate(orders):
                learn, score = order[:size], order[size:]
                model = make(epsilon=epsilon, random_state=run).fit(x[learn], y[learn])
                of_epsilon[name].append(float(np.mean(model.predict(x[score]) != y[score])))
    found.write_text(json.dumps(errors), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
