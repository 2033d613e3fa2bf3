"""Measures of other libraries' classifiers, kept beside this file until they are measured again."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.elsewhere import BUILD, WITH_DPMM, python_elsewhere
from benchmarks.ordinary_tables.as_numbers import codes, mixed, norm, numbers
from benchmarks.ordinary_tables.task import Task

RIVAL_RUNS = 5  # of the 20: the others are slow
WORKER = Path(__file__).with_name("with_others.py")
KEPT = Path(__file__).with_name("theirs.json")
KEPT_SYNTHETIC = Path(__file__).with_name("synthetic.json")
SMALL = (
    "Titanic, survivors",
    "landings by the autopilot",
    "breast cancer, biopsies",
    "turnout of voters",
    "diabetes, Pima",
    "respiratory illness, good status",
)
"""The tables for synthetic data, where one fit takes up to some minutes."""
Measures = dict[str, dict[str, list[float]]]
"""By method and table: the mean test error, AUC, log loss and CPU seconds of a fit."""


def theirs(tasks: Sequence[Task], *, recompute: bool = False) -> Measures:
    """Measure what is not kept yet; everything, if ``recompute``."""
    if recompute:
        KEPT.unlink(missing_ok=True)
    found: Measures = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
    methods = list(found.values())
    if not methods or any(key(task) not in kept for task in tasks for kept in methods):
        folder = BUILD / "ordinary_tables"
        folder.mkdir(parents=True, exist_ok=True)
        for task in tasks:
            write(task, folder / f"{key(task)}.npz")
        one_thread = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        command = [str(python_elsewhere()), "-I", str(WORKER), str(folder), str(KEPT)]
        subprocess.run(command, env=one_thread, check=True)
        found = json.loads(KEPT.read_text(encoding="utf-8"))
    return found


def synthetic(tasks: Sequence[Task], *, recompute: bool = False) -> Measures:
    """Measure MST and AIM at epsilon 1 on `SMALL` tables in the first run, if they are not kept."""
    if recompute:
        KEPT_SYNTHETIC.unlink(missing_ok=True)
    if not KEPT_SYNTHETIC.exists():
        folder = BUILD / "synthetic"
        folder.mkdir(parents=True, exist_ok=True)
        for task in tasks:
            if task.name in SMALL:
                rows, sizes = codes(task)
                learn, score = task.split(0)
                np.savez(
                    folder / f"{key(task)}.npz",
                    codes=rows,
                    sizes=sizes,
                    y=task.labels,
                    order=np.concatenate([learn, score]),
                    size=len(learn),
                )
        python = python_elsewhere(WITH_DPMM)
        worker = WORKER.with_name("with_synthetic.py")
        command = [str(python), "-I", str(worker), str(folder), str(KEPT_SYNTHETIC)]
        subprocess.run(command, check=True)
    found: Measures = json.loads(KEPT_SYNTHETIC.read_text(encoding="utf-8"))
    return found


def key(task: Task) -> str:
    """The name of a task as the name of a file."""
    return re.sub(r"\W+", "-", task.name).strip("-").lower()


def write(task: Task, path: Path) -> None:
    """The arrays that `WORKER` reads."""
    rows, values = mixed(task)
    np.savez(
        path,
        x=numbers(task),
        mixed=rows,
        values=values,
        y=task.labels,
        orders=[np.concatenate(task.split(run)) for run in range(RIVAL_RUNS)],
        size=len(task.split(0)[0]),
        norm=norm(task),
    )
