"""Synthetic data by MST and AIM on small tables: run in an environment of its own, where dpmm is.

``python with_synthetic.py FOLDER FOUND.json``.  A file ``NAME.npz`` of the folder has the ``codes`` of
the rows, numbers in at most 17 cells of their range, and the ``sizes`` of the columns; the labels
``y``, 0 or 1; the ``order`` of the rows and the number ``size`` of those to learn from.  Boosted trees
learn from as many synthetic records.  What is found is, for each method and table, the test error, the
AUC, the log loss and the CPU seconds.  What FOUND.json has is not measured again.
"""

import importlib
import json
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

EPSILON = 1.0
DELTA = 1e-6


def measure(table: Any, make: Any) -> list[float]:
    """The error, AUC, log loss and CPU seconds of boosted trees on synthetic records."""
    frame = importlib.import_module("pandas").DataFrame(
        np.column_stack([table["codes"], table["y"]])
    )
    frame.columns = [*(f"c{j}" for j in range(len(table["sizes"]))), "y"]
    domain = dict(zip(frame.columns, [*map(int, table["sizes"]), 2], strict=True))
    size = int(table["size"])
    learn, score = table["order"][:size], table["order"][size:]
    start = time.process_time()
    model = make(epsilon=EPSILON, delta=DELTA, disable_processing=True, n_jobs=1)
    model.fit(frame.iloc[learn].reset_index(drop=True), domain)
    drawn = model.generate(n_records=size)
    seconds = time.process_time() - start
    labels, y = drawn["y"].to_numpy().astype(int), table["y"][score]
    risks = np.full(len(score), labels.mean())
    if 0 < labels.sum() < size:
        ensemble = importlib.import_module("sklearn.ensemble")
        trees = ensemble.HistGradientBoostingClassifier(random_state=0)
        trees.fit(drawn[frame.columns[:-1]].to_numpy(), labels)
        risks = trees.predict_proba(table["codes"][score])[:, 1]
    known = np.clip(risks, 0.001, 0.999)
    ranked = importlib.import_module("sklearn.metrics").roc_auc_score(y, risks)
    loss = -np.mean(np.log(np.where(y == 1, known, 1 - known)))
    found = (np.mean((risks > 0.5) != y), ranked, loss, seconds)
    return [round(float(value), 4) for value in found]


def main(folder: Path, found: Path) -> None:
    """Measure both methods on each table."""
    warnings.simplefilter("ignore")
    pipelines = importlib.import_module("dpmm.pipelines")
    kept = json.loads(found.read_text(encoding="utf-8")) if found.exists() else {}
    for path in sorted(folder.glob("*.npz")):
        with np.load(path) as given:
            table = {name: given[name] for name in given.files}
        for method, make in (("MST", pipelines.MSTPipeline), ("AIM", pipelines.AIMPipeline)):
            if path.stem not in kept.setdefault(method, {}):
                kept[method][path.stem] = measure(table, make)
                found.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
