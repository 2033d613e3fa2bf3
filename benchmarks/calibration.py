"""Calibrated sample sizes for sets of at most 1 to 5 elements: simulated, not proved.

``python -m benchmarks.calibration [RUNS]`` finds, for every learner that applies to `Subsets` and has a
simulation here, the least n at which at most 5% of the runs err by more than alpha = 0.1, at
epsilon 1 and delta 1e-6, and writes ``src/littlestone/planning/calibrated.json``, which planning
reads, and ``docs/figures/subsets.svg``.  All seeds are fixed; it takes a few minutes.

A run draws how many of n records, or of a teacher's m, show each element of the true set; other
records are negative and all different.  What a learner does is a function of these counts:

* partition, single_key: each element is released by its curve;
* choosing: rounds of draws among the elements not yet released, and nothing;
* irreducible: a teacher that meets element a of the set c_a times lists the subsets of those it met
  that miss at most alpha m examples, and fewer than any subset of fewer elements does.

`check` compares each simulation with the learner itself.  The least n is one of a grid of ratio
1.06, or of single records, from which no larger n of the grid up to about 1.4 n fails too often.
`search` then looks for a distribution that needs more than the worst of the profiles, and the
benchmark fails if it finds one.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness import require
from littlestone.classes import Subsets
from littlestone.domains import Integers
from littlestone.errors import DeclarationError
from littlestone.learners import (
    ChoosingLearner,
    IrreducibleLearner,
    PartitionLearner,
    PrivateLearner,
    SingleKeyLearner,
)
from littlestone.planning import plan
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.randomness import seeded_generator
from littlestone.sample import Sample

EPSILON, DELTA, ALPHA, BETA = 1, "1e-6", 0.1, 0.05
GOAL: dict[str, Any] = {"budget": Budget(EPSILON, DELTA)}
LARGEST = 5  # elements
EDGE = 1.001 * ALPHA  # to miss so much is just too much
TRIED = 200  # random distributions
ROOT = Path(__file__).parent.parent
FILE = ROOT / "src/littlestone/planning/calibrated.json"
FIGURE = ROOT / "docs/figures/subsets.svg"

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
Profile = Callable[[int], Floats]
Simulation = Callable[[Any, Floats, int, int], Floats]
"""learner, the weights of the elements (one row for all runs, or one a run), n, runs -> errors."""


def profiles(d: int) -> dict[str, Profile]:
    """The probabilities of the elements of the true set, for teachers of m records each.

    With s <= d elements of weight just above alpha / j each, missing any j of them is one too many:
    of all that were tried, the worst distribution of a learner was always one of these.
    """
    found: dict[str, Profile] = {
        f"{s} of alpha/{j}": lambda m, s=s, j=j: np.full(s, EDGE / j)  # type: ignore[misc]
        for s in range(1, d + 1)
        for j in range(1, s + 1)
    }
    found |= {
        "even": lambda m: np.full(d, 0.5 / d),
        "geometric": lambda m: 0.5 ** np.arange(1.0, d + 1),
    }
    if d > 1:
        squares = np.arange(1.0, d + 1) ** 2
        found |= {
            "heavy and edge": lambda m: np.array([0.3] + [EDGE / (d - 1)] * (d - 1)),
            "squares": lambda m: 2.1 * ALPHA * squares / squares.sum(),
            # Half of the teachers meet each element but the first.
            "halves": lambda m: np.array([0.3] + [math.log(2) / m] * (d - 1)),
        }
    return found


def released(learner: Any, w: Floats, n: int, runs: int) -> Floats:
    """The errors of partition and of single-key selection of one key."""
    rng = np.random.default_rng(n)
    counts = rng.multinomial(n, [*w, 1 - w.sum()], size=runs)[:, :-1]
    curve = np.array([float(learner.mechanism.curve(s)) for s in range(200)])
    missed = rng.random(counts.shape) >= curve[np.minimum(counts, len(curve) - 1)]
    errors: Floats = missed @ w
    return errors


def chosen(learner: Any, w: Floats, n: int, runs: int) -> Floats:
    """The errors of the rounds of the choosing mechanism."""
    rng, d = np.random.default_rng(n), len(w)
    counts = rng.multinomial(n, [*w, 1 - w.sum()], size=runs)[:, :-1].astype(float)
    log_base, bottom = math.log(learner.mechanism.base), learner.mechanism.bottom
    missed = np.ones((runs, d), dtype=bool)
    for _ in range(learner.rounds):
        scores = np.where(missed & (counts > 0), counts, -np.inf)
        scores = np.concatenate([scores, np.full((runs, 1), float(bottom))], axis=1) * log_base
        drawn = (scores + rng.gumbel(size=scores.shape)).argmax(axis=1)
        missed[drawn < d, drawn[drawn < d]] = False
    errors: Floats = missed @ w
    return errors


def subsets(d: int) -> Counts:
    """The subsets of d elements as rows; number 0 is the empty one."""
    return np.arange(2**d)[:, None] >> np.arange(d) & 1


def lists(met: Counts, m: int) -> NDArray[np.bool_]:
    """Which subsets each teacher lists; ``met[i, a]`` counts the examples of element a at teacher i."""
    sets = subsets(met.shape[1])
    size = sets.sum(axis=1)
    missed = met @ (1 - sets).T
    heaviest = np.sort(met, axis=1)[:, ::-1].cumsum(axis=1)
    total = met.sum(axis=1, keepdims=True)
    least = np.concatenate([total, total - heaviest], axis=1)  # missed by the best of each size
    fewer = np.where(size > 0, least[:, np.maximum(size - 1, 0)], m + 1)
    legal = (met == 0).astype(np.int64) @ sets.T == 0
    listed: NDArray[np.bool_] = legal & (missed <= int(ALPHA * m)) & (missed < fewer)
    return listed


def voted(learner: Any, w: Floats, n: int, runs: int) -> Floats:
    """The errors of the learner of teachers."""
    k, rng, sets = learner.teachers, np.random.default_rng(n), subsets(len(w))
    m = n // k
    met = rng.multinomial(m, [*w, 1 - w.sum()], size=runs * k)[:, :-1]
    votes = lists(met, m).reshape(runs, k, len(sets)).sum(axis=1)
    scores = np.where(votes > 0, votes, -np.inf)
    # Bottom is released as the empty set, subset number 0.
    scores = np.concatenate([scores, np.full((runs, 1), learner.mechanism.bottom)], axis=1)
    scores = scores * math.log(learner.mechanism.base)
    drawn = (scores + rng.gumbel(size=scores.shape)).argmax(axis=1) % len(sets)
    errors: Floats = (1 - sets[drawn]) @ w
    return errors


SIMULATIONS: dict[type[PrivateLearner[Any]], tuple[Simulation, int]] = {
    PartitionLearner: (released, 100),
    SingleKeyLearner: (released, 100),
    ChoosingLearner: (chosen, 100),
    IrreducibleLearner: (voted, 1),
}
"""The simulation of each learner, and how many times as many runs it takes in the same time."""


def failures(errors: Floats) -> float:
    """The share of errors above alpha."""
    return float((errors > ALPHA + 1e-12).mean())


def least_n(teachers: int, failing: Callable[[int], float]) -> int:
    """The least n of the grid from which six sizes in a row fail seldom enough.

    ``failing`` says how large a share of the runs with n records does.
    """
    first = 4 if teachers > 1 else 20
    sizes = sorted({math.ceil(first * 1.06**i) * teachers for i in range(140)})
    # From somewhat below the first of every eighth size that is enough: smaller ones fail far more.
    coarse = next((i for i in range(0, len(sizes), 8) if failing(sizes[i]) <= BETA), None)
    good = 0
    for i in range(max(0, (coarse or 0) - 12), len(sizes)):
        good = good + 1 if failing(sizes[i]) <= BETA else 0
        if good == 6:
            return sizes[i - 5]
    raise RuntimeError("no size of the grid is enough")


def check(learner: Any, simulate: Simulation, w: Floats, n: int, runs: int = 60) -> None:
    """The simulated share of failures is that of the learner, up to five standard errors."""
    rng, g, wrong = seeded_generator(1), np.random.default_rng(2), []
    for _ in range(runs):
        *ones, rest = g.multinomial(n, [*w, 1 - w.sum()]).tolist()
        counts = {i: [0, c] for i, c in enumerate(ones) if c}
        counts |= {1000 + i: [1, 0] for i in range(rest)}
        sample = Sample.from_counts(Integers(), counts)
        with Ledger() as ledger:
            h = learner.fit(sample, ledger=ledger, dataset="d", rng=rng).hypothesis
        wrong.append(sum(share for i, share in enumerate(w) if not h(i)))
    simulated, measured = failures(simulate(learner, w, n, 20 * runs)), failures(np.array(wrong))
    spread = 5 * math.sqrt(max(simulated * (1 - simulated), 0.01) / runs)
    found = f"{measured:.3f} of the runs fail where {simulated:.3f} of the simulated ones do"
    require(abs(simulated - measured) <= spread, f"{learner.method}, n = {n}: {found}")


def search(simulate: Simulation, learner: Any, d: int, n: int, runs: int) -> None:
    """No worse distribution is found: random ones, on the edge of an error above alpha, at size n.

    The weights of up to d elements are random, and scaled so that missing the j lightest is just too
    much.  Those that fail most often are run ten times as often.
    """
    rng, tried = np.random.default_rng(d), []
    for i in range(TRIED):
        s = int(rng.integers(1, d + 1)) if i % 3 == 0 else d
        w = np.sort(rng.dirichlet(np.full(s, rng.choice([1, 5, 30, 200]))))
        j = s if i % 2 else int(rng.integers(1, s + 1))
        w *= EDGE / w[:j].sum()
        if w.sum() < 1:
            tried.append((failures(simulate(learner, w, n, runs // 4)), w))
    for _, w in sorted(tried, key=lambda found: -found[0])[:5]:
        share = failures(simulate(learner, w, n, 2 * runs))
        spread = 3 * math.sqrt(BETA * (1 - BETA) / (2 * runs))
        worse = f"{share:.3f} of the runs fail at n = {n} with weights {w.round(4).tolist()}"
        require(share <= BETA + spread, f"{learner.method}, d = {d}: {worse}")


def measured(runs: int) -> list[dict[str, Any]]:
    """One row for each learner and number of elements."""
    rows = []
    for kind, (simulate, factor) in SIMULATIONS.items():
        for d in range(1, LARGEST + 1):
            try:
                learner = kind(Subsets(Integers(), d), **GOAL)
            except DeclarationError:
                continue
            teachers = getattr(learner, "teachers", 1)

            def failing(
                n: int, *, profile: Profile, learner: Any = learner, teachers: int = teachers
            ) -> float:
                return failures(simulate(learner, profile(n // teachers), n, runs * factor))  # noqa: B023

            n = {
                name: least_n(teachers, partial(failing, profile=profile))
                for name, profile in profiles(d).items()
            }
            if d <= 2:
                size = n[f"{d} of alpha/{d}"] * 3 // 4
                edge = profiles(d)[f"{d} of alpha/{d}"](size // teachers)
                check(learner, simulate, edge, size)
            search(simulate, learner, d, max(n.values()), runs * factor)
            rows.append({"method": kind.method, "k": d, "runs": runs * factor, "n": n})
            print(f"{kind.method}, d = {d}: {n}; worst {max(n.values()):,}", flush=True)
    return rows


def figure(rows: list[dict[str, Any]]) -> None:
    """Draw n against d: of the paper, proved, and calibrated."""
    from matplotlib import rcParams
    from matplotlib.figure import Figure

    rcParams["svg.hashsalt"] = "calibration"  # the same figure at every run
    picture = Figure(figsize=(6.4, 4.4), layout="constrained")
    axes = picture.add_subplot()
    ds = list(range(1, LARGEST + 1))
    plans = [plan(Subsets(Integers(), d), **GOAL, alpha=0.1, beta=0.05) for d in ds]

    def line(label: str, style: str, size: Callable[[Any], Any], method: str) -> None:
        found = [
            (d, bound.n)
            for d, p in zip(ds, plans, strict=True)
            for row in p.rows
            if row.method == method and (bound := size(row)) is not None
        ]
        axes.plot(*zip(*found, strict=True), style, label=label)

    line("irreducible, proved", "C1-o", lambda row: row.tuned, "irreducible")
    line("irreducible, $d^5$ formula at constant 1", "C1:", lambda row: row.paper, "irreducible")
    for method, colour in (("irreducible", "C1"), ("choosing", "C2"), ("partition", "C0")):
        sizes = {row["k"]: max(row["n"].values()) for row in rows if row["method"] == method}
        label = f"{method}, calibrated"
        axes.plot(list(sizes), list(sizes.values()), f"{colour}--s", label=label)
    line("partition, proved", "C0-o", lambda row: row.realizable, "partition")
    axes.plot(ds, [p.lower[-1].n for p in plans], "k-", label="lower bound")
    axes.set(yscale="log", xlabel="d, elements of the set at most", ylabel="records n", xticks=ds)
    axes.set_title(
        "Subsets: error 0.1, failure 0.05, $\\epsilon$ = 1, $\\delta$ = 1e-6", fontsize=10
    )
    axes.legend(fontsize=7)
    FIGURE.parent.mkdir(exist_ok=True)
    picture.savefig(FIGURE, metadata={"Date": None})


def main(runs: int) -> None:
    """Measure, write the file and draw the figure."""
    command = "python -m benchmarks.calibration" + ("" if runs == 200 else f" {runs}")
    goal = {"epsilon": str(EPSILON), "delta": DELTA, "alpha": str(ALPHA), "beta": str(BETA)}
    head = {"command": command, **goal}
    rows = measured(runs)
    lines = ",\n".join(f"    {json.dumps(row)}" for row in rows)
    table = json.dumps(head | {"seeds": "numpy.random.default_rng(n)"}, indent=2)
    FILE.write_text(f'{table[:-2]},\n  "sizes": [\n{lines}\n  ]\n}}\n', encoding="utf-8")
    figure(rows)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
