"""Classifiers of diffprivlib, on numbers that hide keys: run by `benchmarks.many_labels`, elsewhere.

``python with_diffprivlib.py ARRAYS.npz``, in an environment of its own, where diffprivlib is.  The
file has the arrays ``x`` and ``y`` to fit, ``x_test`` and ``y_test`` to score, of floats in [0, 1] and
labels 0..k-1: one number is for the tree, several are for naive Bayes.  Prints lines of JSON: the
classifier, epsilon, accuracy, seconds, or an error.
"""

import importlib
import json
import sys
import time
import warnings

import numpy as np

# An epsilon for records added or removed costs twice that for records replaced.
EPSILONS = (0.1, 1.0, 3.0)
DEPTH = 15  # 2^15 leaves for some thousand keys


def main(path: str) -> None:
    """Fit and score each classifier at each epsilon."""
    warnings.simplefilter("ignore")
    models = importlib.import_module("diffprivlib.models")
    with np.load(path) as arrays:
        x, y, x_test, y_test = (arrays[name] for name in ("x", "y", "x_test", "y_test"))
    bounds = (np.zeros(x.shape[1]), np.ones(x.shape[1]))
    classes = np.arange(int(max(y.max(), y_test.max())) + 1)
    for epsilon in EPSILONS:
        spent = {"epsilon": epsilon / 2, "bounds": bounds, "random_state": 0}
        if x.shape[1] == 1:
            name, model = (
                "DecisionTree",
                models.DecisionTreeClassifier(max_depth=DEPTH, classes=classes, **spent),
            )
        else:
            name, model = "GaussianNB", models.GaussianNB(**spent)
        start = time.perf_counter()
        found: dict[str, object] = {"classifier": name, "epsilon": epsilon}
        try:
            model.fit(x, y)
            found["accuracy"] = float(np.mean(model.predict(x_test) == y_test))
        except Exception as error:
            found["error"] = f"{type(error).__name__}: {error}"[:200]
        print(json.dumps({**found, "seconds": time.perf_counter() - start}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
