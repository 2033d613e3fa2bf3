"""Calibrated sample sizes for sets of at most 1 to 5 elements: simulated, not proved.

``python -m benchmarks.calibration [RUNS]`` finds, for every learner that applies to `Subsets` and has a
simulation here, the least n at which at most 5% of the runs err by more than alpha = 0.1, at
epsilon 1 and delta 1e-6, and writes ``src/littlestone/planning/calibrated.json``, which planning
reads, and ``docs/figures/subsets.svg``.  For epsilon .1, .3 and 3 it does so for the choosing
mechanism, which is quick and has no proved size.  All seeds are fixed; it takes some ten minutes.

A run draws how many of n records, or of a teacher's m, show each element of the true set; other
records are negative and all different.  What a learner does is a function of these counts:

* partition, single_key: each element is released by its curve;
* choosing: rounds of draws among the elements not yet released, and nothing;
* irreducible: a teacher that meets element a of the set c_a times lists the subsets of those it met
  that miss at most alpha m examples, and fewer than any subset of fewer elements does;
* radii: a subset is listed from its own errors on until one of fewer elements errs as seldom.

`check` compares each simulation with the learner itself.  The least n is one of a grid of ratio
1.06, or of single records, from which no larger n of the grid up to about 1.4 n fails too often.
`worst` then climbs, from the worst profiles and from random distributions, to one that fails more often
at this n.  If it does on fresh seeds too, n is that of this distribution, and the search goes on.
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
    RadiiLearner,
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
TRIED, CLIMBED, ROUNDS = 60, 120, 4  # random distributions, steps of a climb, climbs
OTHERS = (0.1, 0.3, 3)  # epsilons for which only the choosing mechanism is simulated
ROOT = Path(__file__).parent.parent
FILE = ROOT / "src/littlestone/planning/calibrated.json"
FIGURE = ROOT / "docs/figures/subsets.svg"

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
Profile = Callable[[int], Floats]
Simulation = Callable[[Any, Floats, int, int, int], Floats]
"""learner, the weights of the elements, n, runs, the number of a seed -> errors."""


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


def seeded(n: int, seed: int) -> np.random.Generator:
    """The generator of one simulation."""
    return np.random.default_rng([n, seed] if seed else n)


def released(learner: Any, w: Floats, n: int, runs: int, seed: int = 0) -> Floats:
    """The errors of partition and of single-key selection of one key."""
    rng = seeded(n, seed)
    counts = rng.multinomial(n, [*w, 1 - w.sum()], size=runs)[:, :-1]
    curve = np.array([float(learner.mechanism.curve(s)) for s in range(200)])
    missed = rng.random(counts.shape) >= curve[np.minimum(counts, len(curve) - 1)]
    errors: Floats = missed @ w
    return errors


def chosen(learner: Any, w: Floats, n: int, runs: int, seed: int = 0) -> Floats:
    """The errors of the rounds of the choosing mechanism."""
    rng, d = seeded(n, seed), len(w)
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


def voted(learner: Any, w: Floats, n: int, runs: int, seed: int = 0) -> Floats:
    """The errors of the learner of teachers."""
    k, rng, sets = learner.teachers, seeded(n, seed), subsets(len(w))
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


def listed_long(learner: Any, w: Floats, n: int, runs: int, seed: int = 0) -> Floats:
    """The errors of the learner of radii."""
    rng, sets = seeded(n, seed), subsets(len(w))
    size = sets.sum(axis=1)
    met = rng.multinomial(n, [*w, 1 - w.sum()], size=runs)[:, :-1]
    missed, total = met @ (1 - sets).T, met.sum(axis=1, keepdims=True)
    heaviest = np.sort(met, axis=1)[:, ::-1].cumsum(axis=1)
    least = np.concatenate([total, total - heaviest], axis=1)  # missed by the best of each size
    # A set is listed from its own errors on, until a set of fewer elements has as few.
    ends = np.minimum(least[:, np.maximum(size - 1, 0)], learner.radii)
    radii = np.where((met == 0).astype(np.int64) @ sets.T == 0, ends - missed, 0)
    handicaps = np.array([0, *learner.handicaps[::-1]])[size]
    scores = np.where((size > 0) & (radii > 0), radii - handicaps, -np.inf)
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
    RadiiLearner: (listed_long, 20),
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
    sizes = sorted({math.ceil(first * 1.06**i) * teachers for i in range(180)})
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
    simulated, measured = failures(simulate(learner, w, n, 20 * runs, 0)), failures(np.array(wrong))
    spread = 5 * math.sqrt(max(simulated * (1 - simulated), 0.01) / runs)
    found = f"{measured:.3f} of the runs fail where {simulated:.3f} of the simulated ones do"
    require(abs(simulated - measured) <= spread, f"{learner.method}, n = {n}: {found}")


def edged(w: Floats, missed: NDArray[np.bool_]) -> Floats:
    """The weights, scaled so that to miss these elements is just too much."""
    scaled: Floats = w * (EDGE / w[missed].sum())
    return scaled


def worst(
    simulate: Simulation, learner: Any, d: int, n: int, runs: int, starts: list[Floats]
) -> tuple[float, Floats]:
    """The weights that fail most often at size n, of all that a search finds; and how often they do.

    It begins with the worst of ``starts`` and of random weights, just above alpha for some of their
    elements together.  Then it changes one or all of the weights by some per cent, keeps some subset
    just above alpha, and stays where the failures have become more.  The share of failures is that of
    fresh seeds, so what was found by chance does not count.
    """
    rng, tried = np.random.default_rng(d), list(starts)
    for i in range(TRIED):
        s = int(rng.integers(1, d + 1)) if i % 3 == 0 else d
        w = np.sort(rng.dirichlet(np.full(s, rng.choice([1, 5, 30, 200]))))
        tried.append(edged(w, np.arange(s) < int(rng.integers(1, s + 1))))

    def share(w: Floats) -> float:
        return failures(simulate(learner, w, n, runs, 0)) if w.sum() < 1 else 0.0

    found = sorted(((share(w), tuple(w)) for w in tried), reverse=True)
    best, top = found[0][0], np.array(found[0][1])
    for _ in range(CLIMBED):
        other = np.array(found[int(rng.integers(min(5, len(found))))][1])
        near = other if rng.random() < 0.2 else top
        factors = np.exp(rng.normal(0, rng.choice([0.02, 0.1, 0.4]), len(near)))
        if rng.random() < 0.5:
            factors = np.where(np.arange(len(near)) == rng.integers(len(near)), factors, 1.0)
        missed = rng.random(len(near)) < 0.6
        missed[rng.integers(len(near))] = True
        w = edged(near * factors, missed)
        if (more := share(w)) > best:
            best, top = more, w
    return failures(simulate(learner, top, n, 4 * runs, 1)), top


def measured(runs: int) -> list[dict[str, Any]]:
    """One row for each learner, epsilon and number of elements."""
    rows = []
    for kind, (simulate, factor) in SIMULATIONS.items():
        for epsilon in (EPSILON, *OTHERS) if kind is ChoosingLearner else (EPSILON,):
            for d in range(1, LARGEST + 1):
                try:
                    learner = kind(Subsets(Integers(), d), Budget(epsilon, DELTA))
                except DeclarationError:
                    continue
                each = runs * factor // (1 if epsilon == EPSILON else 4)
                n = needed(simulate, learner, d, each, checked=epsilon == EPSILON)
                row = {"method": kind.method, "k": d, "epsilon": str(epsilon), "runs": each}
                rows.append(row | {"n": n})
                print(f"{row}: worst {max(n.items(), key=lambda pair: pair[1])}", flush=True)
    return rows


def needed(
    simulate: Simulation, learner: Any, d: int, runs: int, *, checked: bool
) -> dict[str, int]:
    """The least n of each profile, and of each distribution that `worst` finds to need more."""
    teachers = getattr(learner, "teachers", 1)

    def failing(n: int, *, profile: Profile) -> float:
        return failures(simulate(learner, profile(n // teachers), n, runs, 0))

    def size(profile: Profile) -> int:
        return least_n(teachers, partial(failing, profile=profile))

    n = {name: size(profile) for name, profile in profiles(d).items()}
    if checked and d <= 2:
        small = n[f"{d} of alpha/{d}"] * 3 // 4
        edge = profiles(d)[f"{d} of alpha/{d}"](small // teachers)
        check(learner, simulate, edge, small)
    for _ in range(ROUNDS):
        most = max(n.values())
        starts = [profile(most // teachers) for profile in profiles(d).values()]
        share, w = worst(simulate, learner, d, most, runs, starts)
        if share <= BETA + 2 * math.sqrt(BETA * (1 - BETA) / (4 * runs)):
            break
        weights = " ".join(f"{x:.4f}" for x in sorted(w))
        # From there on, because other profiles need what they need.
        n[f"searched: {weights}"] = max(size(lambda m, w=w: w), _next(most, teachers))  # type: ignore[misc]
    return n


def _next(n: int, teachers: int) -> int:
    """The size after n of the grid of `least_n`, nearly."""
    return math.ceil(n / teachers * 1.06) * teachers


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
        sizes = {
            row["k"]: max(row["n"].values())
            for row in rows
            if row["method"] == method and row["epsilon"] == str(EPSILON)
        }
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
    goal = {"delta": DELTA, "alpha": str(ALPHA), "beta": str(BETA)}
    head = {"command": command, **goal}
    rows = measured(runs)
    lines = ",\n".join(f"    {json.dumps(row)}" for row in rows)
    table = json.dumps(head | {"seeds": "numpy.random.default_rng(n)"}, indent=2)
    FILE.write_text(f'{table[:-2]},\n  "sizes": [\n{lines}\n  ]\n}}\n', encoding="utf-8")
    figure(rows)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
