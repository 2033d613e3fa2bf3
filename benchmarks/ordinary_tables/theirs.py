"""Errors of diffprivlib's classifiers, kept under ``build`` until what they depend on changes."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.elsewhere import BUILD, PINNED, python_with_diffprivlib
from benchmarks.ordinary_tables.as_numbers import norm, numbers
from benchmarks.ordinary_tables.task import EPSILONS, RUNS, Task

WORKER = Path(__file__).with_name("with_diffprivlib.py")
KEPT = BUILD / "ordinary_tables"


def theirs(task: Task, *, recompute: bool = False) -> dict[str, dict[str, list[float]]]:
    """The test error of each run, by epsilon and classifier."""
    orders = [np.concatenate(task.split(run)) for run in range(RUNS)]
    arrays: dict[str, Any] = {
        "x": numbers(task),
        "y": task.labels,
        "orders": np.array(orders),
        "size": len(task.split(0)[0]),
        "norm": norm(task),
        "epsilons": np.array([float(epsilon) for epsilon in EPSILONS]),
    }
    digest = hashlib.sha256(WORKER.read_bytes() + " ".join(PINNED).encode())
    for array in arrays.values():
        digest.update(np.asarray(array).tobytes())
    found = KEPT / f"{digest.hexdigest()[:20]}.json"
    if recompute or not found.exists():
        KEPT.mkdir(parents=True, exist_ok=True)
        given = found.with_suffix(".npz")
        np.savez(given, **arrays)
        one_thread = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        command = [str(python_with_diffprivlib()), "-I", str(WORKER), str(given), str(found)]
        subprocess.run(command, env=one_thread, check=True)
        given.unlink()
    errors: dict[str, dict[str, list[float]]] = json.loads(found.read_text(encoding="utf-8"))
    return errors
