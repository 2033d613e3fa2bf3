"""``python -m benchmarks.cover``: sets of rules, found by cover and by the learner that counts errors.

Three unions of two rules over two columns of 20 cuts, and one of three values of an open column; all
labels are clean.  The table shows mean and largest test errors of 12 runs at epsilon 1.  Before it
stand the proved sizes for an error of .1 with probability .95: of cover for clean labels, and of
rounds above the best single rule.  Takes two minutes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness import require
from littlestone.classes import HypothesisClass, parse_class
from littlestone.learners import ChoosingLearner, CoverLearner, PrivateLearner
from littlestone.learners.rounds import RoundsLearner
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.randomness import seeded_generator
from littlestone.sample import Sample

Numbers = NDArray[np.int64]
Truth = Callable[[Numbers, Numbers], NDArray[np.bool_]]

DECLARED = "rule_sets(x: 0..100 step 5, y: 0..100 step 5; at most 2 rules of 2)"
OPEN = "rule_sets(u; at most 3 rules of 1)"
TASKS: dict[str, Truth] = {
    "corners": lambda x, y: (x < 20) & (y < 20) | (x >= 80) & (y >= 80),
    "narrow": lambda x, y: (x < 35) & (y < 15) | (x >= 65) & (y >= 85),
    "broad": lambda x, y: (x < 50) | (y >= 50),
}


def sample_of(H: HypothesisClass[Any], rows: list[tuple[Any, ...]], labels: Any) -> Sample[Any]:
    """The sample of these rows, whose values are texts."""
    return Sample.from_examples(H.domain, zip(rows, map(int, labels), strict=True))


def drawn(H: HypothesisClass[Any], truth: Truth, n: int, g: np.random.Generator) -> Sample[Any]:
    """N records of two uniform columns."""
    x, y = g.integers(0, 100, n), g.integers(0, 100, n)
    rows = list(zip(map(str, x.tolist()), map(str, y.tolist()), strict=True))
    return sample_of(H, rows, truth(x, y))


def values(H: HypothesisClass[Any], n: int, g: np.random.Generator) -> Sample[Any]:
    """N records of four values, of which three are positive: all four as often."""
    rows = [(value,) for value in g.choice(list("abcd"), n).tolist()]
    return sample_of(H, rows, [row[0] != "d" for row in rows])


def errors(
    learner: PrivateLearner[Any], draw: Callable[[int, np.random.Generator], Sample[Any]], n: int
) -> list[float]:
    """The test errors of 12 runs."""
    g, rng, found = np.random.default_rng(n), seeded_generator(n), list[float]()
    with Ledger() as ledger:
        for run in range(12):
            h = learner.fit(draw(n, g), ledger=ledger, dataset=str(run), rng=rng).hypothesis
            held = draw(4_000, g)
            pairs = zip(held.points, held.counts.tolist(), strict=True)
            found.append(sum(counts[1 - h(x)] for x, counts in pairs) / held.n)
    return found


def main() -> None:
    """Print the sizes and the errors; cover must keep what is proved and find the broad rules."""
    two, three = parse_class(DECLARED), parse_class(OPEN)
    pure, delta = Budget(1), Budget(1, "1e-6")
    learners: dict[HypothesisClass[Any], tuple[PrivateLearner[Any], CoverLearner[Any]]] = {
        two: (RoundsLearner(two, pure), CoverLearner(two, pure)),
        three: (ChoosingLearner(three, delta), CoverLearner(three, delta)),
    }
    for H, (other, ours) in learners.items():
        bound, versus = ours.plan(0.1, 0.05, setting="realizable"), other.plan(0.1, 0.05)
        require(bound is not None, "cover has a proved size")
        print(f"{H}: cover {bound.n:,}" if bound else "")  # it has one
        if versus is not None:
            print(f"  {other.method} {versus.n:,}, above {versus.versus}")
    print(f"{'task':<14} {'n':>6} {'counting errors':>17} {'cover':>17}   mean, largest")
    for name, truth in [*TASKS.items(), ("three of four", None)]:
        H = two if truth else three
        other, ours = learners[H]

        def draw(n: int, g: Any, H: Any = H, truth: Any = truth) -> Sample[Any]:
            return drawn(H, truth, n, g) if truth else values(H, n, g)

        for n in (1_000, 3_000, 10_000, 30_000, 60_000):
            theirs, found = errors(other, draw, n), errors(ours, draw, n)
            print(
                f"{name:<14} {n:>6,} {np.mean(theirs):>8.3f} {max(theirs):>8.3f} "
                f"{np.mean(found):>8.3f} {max(found):>8.3f}",
                flush=True,
            )
            bound = ours.plan(0.1, 0.05, setting="realizable")
            if bound is not None and n >= bound.n:
                require(np.mean(np.array(found) > 0.1) <= 0.25, f"{name}: cover fails too often")
            if name == "broad" and n >= 3_000:
                require(max(found) < 0.05 < max(theirs), "cover finds the broad rules, rounds not")


if __name__ == "__main__":
    main()
