"""Calibrated sample sizes for sets, or tables, of at most 1 to 5 elements: simulated, not proved.

``python -m benchmarks.calibration [--jobs N] [RUNS] [METHOD ...]`` finds, for every learner that
applies to `Subsets` or `Lookup` and has a simulation here, or for those that are named, the least n at
which at most 5% of the runs err by more than alpha = 0.1, at delta 1e-6.  It writes their rows of
``src/littlestone/learn/plan/calibrated.json``, which planning reads, and ``docs/figures/subsets.svg``.
All seeds are fixed, so the rows are the same for any number N of processes, by default one for each
core.  One core takes about half an hour, of which `irreducible` takes ten minutes.

Partition, single_key, lookup and choosing are simulated by their exact law
(`benchmarks.affordable.laws`), at epsilon .1, .3, 1 and 3.  ``between`` as the only argument
checks what planning says between these.  `irreducible` is simulated at epsilon 1 alone: its teachers,
and so the time, grow like 1/epsilon.

A run draws how many of n records, or of a teacher's m, show each element of the true set; other
records are negative and all different.  What a learner does is a function of these counts.  For
`irreducible`, a teacher that meets element a of the set c_a times lists the subsets of those it met
that miss at most alpha m examples, and fewer than any subset of fewer elements does.

`radii` is simulated at epsilon 1 alone as well: a subset is listed from its own errors on until one of
fewer elements errs as seldom.

`check` compares each simulation with the learner itself.  The least n is one of a grid of ratio 1.01,
and its share of failures is two standard errors below 5%.  For `irreducible` the ratio is 1.06, the
share is at most 5%, and no larger n up to about 1.4 n fails too often.  `worst` then
climbs, from the worst profiles and from random distributions, to one that fails more often at this n.
If it does on fresh seeds too, n is that of this distribution, and the search goes on.
"""

from __future__ import annotations

import json
import math
from argparse import ArgumentParser
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache, partial
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.affordable.laws import Floats, Law, law
from benchmarks.harness import require
from littlestone.base.errors import DeclarationError
from littlestone.base.work import spread
from littlestone.classes import HypothesisClass, Lookup, Subsets
from littlestone.cli.console import bar
from littlestone.data.sample import Sample
from littlestone.learn import (
    ChoosingLearner,
    IrreducibleLearner,
    LookupLearner,
    PartitionLearner,
    PrivateLearner,
    RadiiLearner,
    SingleKeyLearner,
)
from littlestone.learn.plan import find_calibration, plan
from littlestone.points import Integers
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.randomness import seeded_generator

EPSILON, DELTA, ALPHA, BETA = 1, "1e-6", 0.1, 0.05
EPSILONS = (1, 0.1, 0.3, 3)
GOAL: dict[str, Any] = {"budget": Budget(EPSILON, DELTA)}
LARGEST = 5  # elements
EDGE = 1.001 * ALPHA  # to miss so much is just too much
TRIED, CLIMBED, ROUNDS = 60, 120, 4  # random distributions, steps of a climb, climbs
OTHERS = 1000  # a point, and those after it, that no set holds
ROOT = Path(__file__).parent.parent
FILE = ROOT / "src/littlestone/learn/plan/calibrated.json"
FIGURE = ROOT / "docs/figures/subsets.svg"

Counts = NDArray[np.int64]
Profile = Callable[[int], Floats]
Simulation = Callable[[Any, Floats, int, int, int], Floats]
"""learner, the weights of the elements, n, runs, the number of a seed -> chances of failure."""


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


@cache
def _law(learner: Any, elements: int) -> Law:
    """The law of the learner on so many elements, and one point for all other records."""
    found = law(learner, [*((i, 1) for i in range(elements)), (OTHERS, 0)])
    assert found is not None
    return found


def drawn(learner: Any, w: Floats, n: int, runs: int, seed: int = 0) -> Floats:
    """The chances of failure of a learner whose law is known."""
    weights = np.append(w, 1 - w.sum())
    return _law(learner, len(w)).chances(weights, n, runs, ALPHA, seeded(n, seed))


def subsets(d: int) -> Counts:
    """The subsets of d elements as rows; number 0 is the empty one."""
    return np.arange(2**d)[:, None] >> np.arange(d) & 1


def fewest_missed(met: Counts) -> Counts:
    """The examples that the best subset of each size misses, 0 to all elements; one row for each."""
    heaviest = np.sort(met, axis=1)[:, ::-1].cumsum(axis=1)
    total = met.sum(axis=1, keepdims=True)
    fewest: Counts = np.concatenate([total, total - heaviest], axis=1)
    return fewest


def lists(met: Counts, m: int) -> NDArray[np.bool_]:
    """Which subsets each teacher lists; ``met[i, a]`` counts the examples of element a at teacher i."""
    sets = subsets(met.shape[1])
    size = sets.sum(axis=1)
    missed = met @ (1 - sets).T
    least = fewest_missed(met)
    fewer = np.where(size > 0, least[:, np.maximum(size - 1, 0)], m + 1)
    legal = (met == 0).astype(np.int64) @ sets.T == 0
    listed: NDArray[np.bool_] = legal & (missed <= int(ALPHA * m)) & (missed < fewer)
    return listed


def released(learner: Any, scores: Floats, w: Floats, rng: np.random.Generator) -> Floats:
    """For each run whether what is drawn fails; a row of ``scores`` has one for each subset."""
    # Bottom is released as the empty set, subset number 0.
    bottom = np.full((len(scores), 1), learner.mechanism.bottom)
    scores = np.concatenate([scores, bottom], axis=1) * math.log(learner.mechanism.base)
    sets = subsets(len(w))
    drawn = (scores + rng.gumbel(size=scores.shape)).argmax(axis=1) % len(sets)
    return failed((1 - sets[drawn]) @ w)


def voted(learner: Any, w: Floats, n: int, runs: int, seed: int = 0) -> Floats:
    """For each run whether the learner of teachers fails."""
    k, rng, sets = learner.teachers, seeded(n, seed), subsets(len(w))
    m = n // k
    met = rng.multinomial(m, [*w, 1 - w.sum()], size=runs * k)[:, :-1]
    votes = lists(met, m).reshape(runs, k, len(sets)).sum(axis=1)
    scores = np.where(votes > 0, votes, -np.inf)
    return released(learner, scores, w, rng)


def listed_long(learner: Any, w: Floats, n: int, runs: int, seed: int = 0) -> Floats:
    """For each run whether the learner of radii fails."""
    rng, sets = seeded(n, seed), subsets(len(w))
    size = sets.sum(axis=1)
    met = rng.multinomial(n, [*w, 1 - w.sum()], size=runs)[:, :-1]
    missed, least = met @ (1 - sets).T, fewest_missed(met)
    # A set is listed from its own errors on, until a set of fewer elements has as few.
    ends = np.minimum(least[:, np.maximum(size - 1, 0)], learner.radii)
    radii = np.where((met == 0).astype(np.int64) @ sets.T == 0, ends - missed, 0)
    handicaps = np.array([0, *learner.handicaps[::-1]])[size]
    scores = np.where((size > 0) & (radii > 0), radii - handicaps, -np.inf)
    return released(learner, scores, w, rng)


SIMULATIONS: dict[type[PrivateLearner[Any]], tuple[Simulation, int, tuple[float, ...]]] = {
    PartitionLearner: (drawn, 100, EPSILONS),
    SingleKeyLearner: (drawn, 100, EPSILONS),
    LookupLearner: (drawn, 100, EPSILONS),
    ChoosingLearner: (drawn, 100, EPSILONS),
    IrreducibleLearner: (voted, 1, (EPSILON,)),
    RadiiLearner: (listed_long, 20, (EPSILON,)),
}
"""The simulation of each learner, how many times as many runs it takes, and its epsilons."""


def failed(errors: Floats) -> Floats:
    """1 for each error above alpha, and 0 for the others."""
    found: Floats = (errors > ALPHA + 1e-12).astype(float)
    return found


def declared(kind: type[PrivateLearner[Any]], d: int) -> HypothesisClass[Any]:
    """The class of d elements that this kind of learner is for."""
    return Lookup(Integers(), 2, d) if kind is LookupLearner else Subsets(Integers(), d)


def bisected(failing: Callable[[int], float], runs: int) -> int:
    """The least n of a grid of ratio 1.01 that is enough, where a larger one always is.

    The share of failures is two standard errors below beta, so it is not there by chance.
    """
    sizes = sorted({math.ceil(20 * 1.01**i) for i in range(1000)})
    enough = BETA - 2 * math.sqrt(BETA * (1 - BETA) / runs)
    low, high = -1, len(sizes) - 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if failing(sizes[middle]) <= enough else (middle, high)
    return sizes[high]


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
        counts |= {OTHERS + i: [1, 0] for i in range(rest)}
        sample = Sample.from_counts(Integers(), counts)
        with Ledger() as ledger:
            h = learner.fit(sample, ledger=ledger, dataset="d", rng=rng).hypothesis
        wrong.append(sum(share for i, share in enumerate(w) if not h(i)))
    simulated = float(simulate(learner, w, n, 20 * runs, 0).mean())
    measured = float(failed(np.array(wrong)).mean())
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
        return float(simulate(learner, w, n, runs, 0).mean()) if w.sum() < 1 else 0.0

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
    return float(simulate(learner, top, n, 4 * runs, 1).mean()), top


class Wanted(NamedTuple):
    """A row to simulate: a method at an epsilon, for sets of at most k elements."""

    method: str
    epsilon: float
    k: int
    runs: int


def measured(runs: int, methods: Collection[str], jobs: int | None = None) -> list[dict[str, Any]]:
    """One row for each learner, epsilon and number of elements, by ``jobs`` processes."""
    wanted = [
        Wanted(kind.method, epsilon, d, runs)
        for kind, (_, _, epsilons) in SIMULATIONS.items()
        for epsilon in epsilons
        for d in range(1, LARGEST + 1)
        if kind.method in methods
    ]
    with bar("simulating"):
        found = dict(spread(row, wanted, jobs=jobs, what="simulating"))
    rows = [made for i in range(len(wanted)) if (made := found[i]) is not None]
    for made in rows:
        about = {name: value for name, value in made.items() if name != "n"}
        print(f"{about}: worst {max(made['n'].items(), key=lambda pair: pair[1])}", flush=True)
    return rows


def row(wanted: Wanted) -> dict[str, Any] | None:
    """The row of calibrated.json; None if the method does not apply."""
    kind = next(kind for kind in SIMULATIONS if kind.method == wanted.method)
    simulate, factor, _ = SIMULATIONS[kind]
    try:
        learner = kind(declared(kind, wanted.k), Budget(wanted.epsilon, DELTA))
    except DeclarationError:
        return None
    usual = wanted.epsilon == EPSILON
    runs = wanted.runs * factor // (1 if usual else 2)
    n = needed(simulate, learner, wanted.k, runs, checked=usual)
    about = {"method": wanted.method, "k": wanted.k, "epsilon": str(wanted.epsilon)}
    return {**about, "runs": runs, "n": n}


def needed(
    simulate: Simulation, learner: Any, d: int, runs: int, *, checked: bool
) -> dict[str, int]:
    """The least n of each profile, and of each distribution that `worst` finds to need more."""
    teachers = getattr(learner, "teachers", 1)

    def failing(n: int, *, profile: Profile) -> float:
        return float(simulate(learner, profile(n // teachers), n, runs, 0).mean())

    def size(profile: Profile) -> int:
        of = partial(failing, profile=profile)
        return least_n(teachers, of) if teachers > 1 else bisected(of, runs)

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
    """The size after n of the grid, nearly."""
    return math.ceil(n / teachers * (1.06 if teachers > 1 else 1.01)) * teachers


def between(runs: int) -> None:
    """Check what planning says a quarter, half and three quarters of the way between two epsilons."""
    for kind, (simulate, factor, epsilons) in SIMULATIONS.items():
        ends = pairwise(sorted(epsilons))
        ways = [low * (high / low) ** (i / 4) for low, high in ends for i in (1, 2, 3)]
        for epsilon in ways:
            budget = Budget(f"{epsilon:.3f}", DELTA)
            for d in range(1, LARGEST + 1):
                H = declared(kind, d)
                found = find_calibration(kind.method, H, budget, alpha=ALPHA, beta=BETA)
                if found is None:
                    continue
                learner = kind(H, budget)
                shares = {
                    name: float(simulate(learner, w(found.n), found.n, runs * factor, 2).mean())
                    for name, w in profiles(d).items()
                }
                worst = max(shares, key=shares.__getitem__)
                said = f"{kind.method}, d = {d}, {budget.cost}: {found.n:,} records"
                print(f"{said} fail in {shares[worst]:.2%} of the runs ({worst})", flush=True)
                spread = math.sqrt(BETA * (1 - BETA) / (runs * factor))
                require(shares[worst] <= BETA + 3 * spread, said)


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
    stated = [next(f.at_one for f in p.formulas if f.theorem == "Lyu25 Theorem 2") for p in plans]
    axes.plot(ds, stated, "C1:", label="irreducible, $d^5$ formula at constant 1")
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


def write_sizes(head: Mapping[str, Any], rows: Iterable[Mapping[str, Any]]) -> None:
    """The file of calibrated sizes, one row in a line."""
    lines = ",\n".join(f"    {json.dumps(row)}" for row in rows)
    text = json.dumps(head, indent=2)
    FILE.write_text(f'{text[:-2]},\n  "sizes": [\n{lines}\n  ]\n}}\n', encoding="utf-8")


def main(runs: int, methods: Collection[str], jobs: int | None) -> None:
    """Measure, write the file and draw the figure."""
    table = json.loads(FILE.read_text(encoding="utf-8"))
    goal = {"delta": DELTA, "alpha": str(ALPHA), "beta": str(BETA)}
    kept = [row for row in table["sizes"] if row["method"] not in methods]
    order = [kind.method for kind in SIMULATIONS]
    rows = sorted(
        kept + measured(runs, methods, jobs),
        key=lambda row: [*order, row["method"]].index(row["method"]),
    )  # stable: a method's rows keep their order, and those simulated elsewhere are last
    head = {"command": "python -m benchmarks.calibration", **goal}
    write_sizes(head | {"seeds": "numpy.random.default_rng(n)"}, rows)
    figure(rows)


if __name__ == "__main__":
    from benchmarks import calibration  # by this name, other processes find it too

    parser = ArgumentParser()
    parser.add_argument("--jobs", type=int)
    parser.add_argument("words", nargs="*", metavar="[RUNS] [METHOD ...] or between")
    given = parser.parse_args()
    numbers = [int(word) for word in given.words if word.isdigit()]
    named = [word for word in given.words if not word.isdigit()]
    asked = numbers[0] if numbers else 200
    if named == ["between"]:
        between(asked)
    else:
        calibration.main(asked, named or [kind.method for kind in SIMULATIONS], given.jobs)
