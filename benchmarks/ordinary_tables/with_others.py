"""Classifiers of other libraries on ordinary tables: run in an environment of its own.

``python with_others.py FOLDER FOUND.json``.  A file ``NAME.npz`` of the folder has the rows ``x`` in
[0, 1], a list as a column for each value; the same rows ``mixed`` with a list as one column, and the
number of ``values`` of each column, 0 for a number; the labels ``y``, 0 or 1; an order of the rows for
each run in ``orders``, the number ``size`` of those to learn from, and the ``norm`` that no row
exceeds.  What is found is, for each method and table, the means over the runs of the test error, the
AUC, the log loss and the CPU seconds of the fit.  What FOUND.json has is not measured again.
"""

import importlib
import json
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

EPSILONS = (1, 0.1, 4)
DELTA = 1e-6
Model = tuple[Any, Any]  # a classifier and the rows that it takes


def methods() -> Iterator[tuple[str, Callable[[Any, int], Model]]]:
    """The name of each method, and how to make it for a table and a run."""
    linear = importlib.import_module("sklearn.linear_model")
    ensemble = importlib.import_module("sklearn.ensemble")
    private = importlib.import_module("interpret.privacy")
    yield "logistic regression", lambda t, run: (linear.LogisticRegression(max_iter=1000), t["x"])
    yield (
        "boosted trees",
        lambda t, run: (
            ensemble.HistGradientBoostingClassifier(random_state=run),
            t["x"],
        ),
    )

    def boosting(epsilon: float) -> Callable[[Any, int], Model]:
        def make(t: Any, run: int) -> Model:
            values = t["values"].tolist()
            model = private.DPExplainableBoostingClassifier(
                feature_types=[[str(i) for i in range(v)] if v else "continuous" for v in values],
                privacy_bounds={j: (0.0, 1.0) for j, v in enumerate(values) if not v},
                epsilon=epsilon,
                delta=DELTA,
                n_jobs=1,
                random_state=run,
            )
            return model, as_frame(t["mixed"], values)

        return make

    def told(make: Callable[..., Any]) -> Callable[[float], Callable[[Any, int], Model]]:
        return lambda epsilon: (
            lambda t, run: (
                make(t, epsilon=epsilon, random_state=run),
                t["x"],
            )
        )

    models = importlib.import_module("diffprivlib.models")
    within = {"bounds": (0, 1)}
    whole = {**within, "classes": np.arange(2)}
    five = {
        "tree 3": told(lambda t, **s: models.DecisionTreeClassifier(max_depth=3, **whole, **s)),
        "tree 5": told(lambda t, **s: models.DecisionTreeClassifier(max_depth=5, **whole, **s)),
        "forest": told(lambda t, **s: models.RandomForestClassifier(**whole, **s)),
        "bayes": told(lambda t, **s: models.GaussianNB(**within, **s)),
        "logistic": told(lambda t, **s: models.LogisticRegression(data_norm=float(t["norm"]), **s)),
    }
    for epsilon in EPSILONS:
        yield f"DP-EBM, {epsilon:g}", boosting(epsilon)
        yield f"DP-EBM at half, {epsilon:g}", boosting(epsilon / 2)
        for name, make in five.items():
            yield f"diffprivlib {name}, {epsilon:g}", make(epsilon)


def as_frame(mixed: Any, values: list[int]) -> Any:
    """The rows as a data frame: a list's values are texts, its other columns are numbers."""
    frame = importlib.import_module("pandas").DataFrame(mixed)
    for j, v in enumerate(values):
        if v:
            frame[j] = frame[j].astype(int).astype(str)
    return frame


def area(y: Any, risks: Any) -> float:
    """The area under the ROC curve; .5 if the labels are all the same."""
    metrics = importlib.import_module("sklearn.metrics")
    return float(metrics.roc_auc_score(y, risks)) if 0 < y.sum() < len(y) else 0.5


def measure(table: Any, make: Callable[[Any, int], Model]) -> list[float]:
    """The mean error, AUC, log loss and CPU seconds of a method on a table."""
    size, y = int(table["size"]), table["y"]
    found = []
    for run, order in enumerate(table["orders"]):
        learn, score = order[:size], order[size:]
        model, x = make(table, run)
        x, x_test = (
            (x[learn], x[score]) if isinstance(x, np.ndarray) else (x.iloc[learn], x.iloc[score])
        )
        start = time.process_time()
        model.fit(x, y[learn])
        seconds = time.process_time() - start
        labels, risks = model.predict(x_test), model.predict_proba(x_test)[:, 1]
        known = np.clip(np.nan_to_num(risks, nan=0.5), 0.001, 0.999)
        loss = -np.mean(np.log(np.where(y[score] == 1, known, 1 - known)))
        wrong = np.mean(labels.astype(int) != y[score])
        found.append([wrong, area(y[score], known), loss, seconds])
    return [round(float(value), 4) for value in np.mean(found, axis=0)]


def main(folder: Path, found: Path) -> None:
    """Measure each method on each table."""
    warnings.simplefilter("ignore")
    kept = json.loads(found.read_text(encoding="utf-8")) if found.exists() else {}
    for method, make in methods():
        for path in sorted(folder.glob("*.npz")):
            if path.stem in kept.get(method, {}):
                continue
            with np.load(path) as given:
                table = {name: given[name] for name in given.files}
            kept.setdefault(method, {})[path.stem] = measure(table, make)
            lines = (f"{json.dumps(name)}: {json.dumps(means)}" for name, means in kept.items())
            found.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
        print(method, flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
