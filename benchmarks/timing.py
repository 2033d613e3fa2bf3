"""``python -m benchmarks.timing``: what the time of a fit shows of one record, for the learner of keys.

The class is a table of 1,000 points, of which each hypothesis labels one or none with 1.  In the first
sample all labels are 0, as its SOA says.  In the second one label is 1.  The times are CPU times of
fits in one process, in turn.  The area is the chance that a fit to the second sample takes longer.
"""

from __future__ import annotations

import statistics
import sys
import time
from typing import Any

import numpy as np

from littlestone.classes import FiniteClass
from littlestone.data.sample import Sample
from littlestone.learn import SingleKeyLearner
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger

POINTS, RUNS = 1000, 200


def main() -> None:
    """Print the table."""
    H = FiniteClass.from_array(np.vstack([np.zeros(POINTS, int), np.eye(POINTS, dtype=int)[1:]]))
    learner = SingleKeyLearner(H, Budget(1, "1e-6"))
    points: list[Any] = list(H.domain)
    samples = [
        Sample[Any].from_examples(H.domain, [(x, int(x == points[k])) for x in points])
        for k in (0, 500)
    ]
    with Ledger() as ledger:

        def fit(sample: Sample[Any]) -> None:
            learner.fit(sample, ledger=ledger, dataset="made up")

        for sample in samples:
            fit(sample)  # caches
        times = [[_seconds(fit, sample) for sample in samples] for _ in range(RUNS)]
        calls = [_calls(fit, sample) for sample in samples]
    agreeing, contradicted = (sorted(column) for column in zip(*times, strict=True))
    area = statistics.mean(a < b for a in agreeing for b in contradicted)
    print(f"{'labels that contradict the SOA':<32} {'median ms':>10} {'calls':>8}")
    for number, found, called in zip((0, 1), (agreeing, contradicted), calls, strict=True):
        print(f"{number:<32} {1e3 * statistics.median(found):>10.2f} {called:>8,}")
    print(f"area under the curve: {area:.2f}, in {RUNS} runs each")


def _seconds(fit: Any, sample: Any) -> float:
    before = time.process_time()
    fit(sample)
    return time.process_time() - before


def _calls(fit: Any, sample: Any) -> int:
    """The function calls of a fit."""
    found = 0

    def count(frame: Any, event: str, argument: Any) -> None:
        nonlocal found
        found += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        fit(sample)
    finally:
        sys.setprofile(None)
    return found


if __name__ == "__main__":
    main()
