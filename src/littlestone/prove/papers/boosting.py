"""Learners over learners: boosting (BLM20, Theorem 6), and the privacy of relabelled samples."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, permutations, product, starmap
from typing import Any

from littlestone.classes import FiniteClass, Thresholds
from littlestone.dimension import threshold_dimension
from littlestone.learn import (
    AgnosticLearner,
    BoostingLearner,
    ExponentialLearner,
    GloballyStableLearner,
    RelabellingLearner,
)
from littlestone.learn.papers.agnostic import AgnosticTransformation
from littlestone.learn.papers.boosting import Walk
from littlestone.privacy.accounting.subsampled import OtherLabels, OwnLabels, Relabelling
from littlestone.privacy.cost import Budget, PrivacyCost
from littlestone.privacy.mechanisms.exponential import ExponentialMechanism
from littlestone.privacy.rational import exp_below, sum_masses
from littlestone.prove.audit.claims import exact_audit
from littlestone.prove.audit.subject import find_subject, follow_draws
from littlestone.prove.audit.subjects.reductions import CLASS, Masses, law_of_relabelling
from littlestone.prove.audit.subjects.whole_learners import Records
from littlestone.prove.papers.statement import Outcome, Trial, statement, unordered_classes

EPSILON, ALPHA = Fraction(1, 10), 1 / 16
"""The parameters of the weak learner of Theorem 6; its beta is 1/16 too."""


def _tables(trial: Trial) -> list[FiniteClass]:
    """Every class of three points, or of four, of Littlestone dimension 1 and 2."""
    tables = unordered_classes(trial.pick(3, 4))
    return [H for H in tables if 1 <= H.littlestone_dimension() <= 2]


def _thresholds(H: FiniteClass) -> int:
    """The largest t with h_1, ..., h_t and x_1, ..., x_t such that h_i(x_j) = 1 iff i <= j."""
    rows = H.table().tolist()
    return max(
        t
        for t in range(len(rows[0]) + 1)
        for points in permutations(range(len(rows[0])), t)
        if {(0,) * i + (1,) * (t - i) for i in range(t)}
        <= {tuple(r[x] for x in points) for r in rows}
    )


@statement("BLM20 Theorem 6")
def weak_means_strong(trial: Trial) -> Outcome:
    """Each step of its proof except the lower bound for thresholds.

    The weak learner is `ExponentialLearner` at epsilon 0.1 and its proved n for alpha = beta = 1/16.  A
    class with t thresholds at most has LDim < 2^(t + 1) (ALMM19, Theorem 3), and for that LDim the
    learner of Theorem 1, with proved sizes, takes C_H ln(1 / (beta delta)) / (alpha epsilon)
    records: C_H is a number of d, shown over a grid of alpha, beta, epsilon and delta down to 1e-3 and
    1e-24.  That
    t is finite where a weak learner exists (n_0 grows as log* t) is not run: finite tables have a
    finite t anyway.

    says: a class with a weak private learner has a strong one, that of Theorem 1
    scope: the chain of its proof on every class of three points of LDim 1 and 2, without the lower
        bound for thresholds
    deep: every class of four points of LDim 1 and 2
    code: learn.ExponentialLearner.plan, dimension.threshold_dimension,
        learn.GloballyStableLearner.plan
    proof: proofs/boosting.md
    """
    wrong, spread, tables = 0, 1.0, _tables(trial)
    shown: dict[int, float] = {}
    for H in tables:
        d = H.littlestone_dimension()
        weak = ExponentialLearner(H, Budget(EPSILON))
        wrong += weak.plan(ALPHA, ALPHA, setting="realizable").n < 1
        t = threshold_dimension(H.table())
        wrong += not d < 2 ** (t + 1) or t != _thresholds(H)
        if d in shown:  # the sizes are those of d
            continue
        constants = []
        for alpha, beta, epsilon, delta in product(
            (0.1, 0.001), (0.1, 1e-6), ("1", "0.01"), ("1e-6", "1e-24")
        ):
            goal: dict[str, Any] = {"alpha": alpha, "beta": beta}
            strong = GloballyStableLearner.with_proved_bound(H, Budget(epsilon, delta), **goal)
            bound = strong.plan(**goal, setting="realizable")
            if bound is None:
                return Outcome("none is proved", False, stated="a size")
            unit = -math.log(beta * float(delta)) / (alpha * float(epsilon))
            constants.append(bound.n / unit)
        shown[d] = max(constants)
        spread = max(spread, max(constants) / min(constants))
    return Outcome(
        f"{wrong} failures in {len(tables)} tables; "
        + ", ".join(f"C_H = {c:,.0f} for d = {d}" for d, c in sorted(shown.items()))
        + f", at most {spread:.1f} times its least value over the grid",
        wrong == 0 and spread < 50,
        stated="LDim < 2^(t + 1), and n <= C_H ln(1 / (beta delta)) / (alpha epsilon)",
    )


@statement("Boosting by majority")
def identity(trial: Trial) -> Outcome:
    """Err = lost + sum_t W_t (e_t - 1/2 + gamma), exactly, for random votes and distributions.

    says: the error of the vote, round by round
    scope: random votes and distributions on six points, at most 9 rounds
    stated: equal
    code: learn.papers.boosting.Walk
    proof: proofs/boosting.md#theorem-2-accuracy
    """
    rng, wrong, runs = trial.draws(7), 0, 0
    for gamma, rounds in product(map(Fraction, ("1/10", "1/4", "2/5")), (3, 5, 9)):
        walk = Walk(rounds, gamma)
        for _ in range(trial.pick(20, 400)):
            weights = [1 + rng.randrange(5) for _ in range(6)]
            mass = [Fraction(w, sum(weights)) for w in weights]
            right, total = [0] * 6, walk.majority_error
            for t in range(1, rounds + 1):
                unit = (gamma + Fraction(1, 2)).denominator ** (rounds - t)
                votes = [rng.randrange(3) > 0 for _ in mass]
                for m, r, vote in zip(mass, right, votes, strict=True):
                    weight = m * Fraction(walk.weights(t)[r], unit)
                    total += weight * ((not vote) - Fraction(1, 2) + gamma)
                right = [r + vote for r, vote in zip(right, votes, strict=True)]
            error = sum(m for m, r in zip(mass, right, strict=True) if 2 * r < rounds)
            wrong, runs = wrong + (total != error), runs + 1
    return Outcome(f"{wrong} of {runs} differ", wrong == 0)


@statement("Boosting by majority")
def algorithmic() -> Outcome:
    """From error 1/4 at epsilon 0.1, for the weak learner's own epsilon and delta.

    Theorem 6 gives more: any epsilon and delta.  BLM20 estimates n_0 log(1/beta) / (alpha^2
    epsilon) records for pure privacy, with composition.

    says: error alpha for n_0 log(1/alpha)^(3/2) / alpha records, up to a factor
    scope: planned sizes for thresholds on 100 points, error 1/4 and four alphas
    code: learn.BoostingLearner.plan
    proof: proofs/boosting.md#theorem-2-accuracy
    """
    H, shown, exact = Thresholds.on(0, 99), [], True
    for alpha in (0.1, 0.03, 0.01, 0.003):
        goal: dict[str, Any] = {"alpha": alpha, "beta": ALPHA}
        learner = BoostingLearner.with_proved_bound(H, Budget(EPSILON), **goal)
        bound = learner.plan(**goal, setting="realizable")
        weak = learner.weak.plan(0.25, ALPHA, setting="realizable")
        if bound is None or weak is None:
            return Outcome("none is proved", False, stated="a size")
        exact &= learner.cost() == learner.weak.cost()
        shown.append(bound.n / (weak.n * math.log(1 / alpha) ** 1.5 / alpha))
    return Outcome(
        f"factors {', '.join(f'{c:.1f}' for c in shown)} for alpha = .1, .03, .01, .003",
        exact and max(shown) < 2 * min(shown),
        stated="bounded, at the weak learner's cost",
    )


Learner = AgnosticTransformation[Any]
Law = Callable[[Learner, Records], Masses]


@dataclass(frozen=True)
class Stage:
    """Two neighbours, what is claimed of the relabelling, and a sample that a learner looks for.

    The learner releases one of two answers, the rarer one with probability e^(-inner distance) / 2,
    where the distance is the number of records in which the relabelled sample differs from ``sought``.
    """

    H: FiniteClass
    relabelling: Relabelling
    inner: Fraction
    pair: tuple[Records, Records]
    sought: Records

    @property
    def claim(self) -> PrivacyCost:
        """The cost of the relabelling together with that learner."""
        return self.relabelling.cost(PrivacyCost(self.inner))

    def learner(self, kind: type[Learner]) -> Learner:
        """The transformation; what it learns with only says what was paid."""
        return kind(
            self.H,
            Budget(self.claim.epsilon),
            relabelling=self.relabelling,
            realizable=lambda budget: ExponentialLearner(self.H, Budget(self.inner)),
        )

    def law_of_answers(
        self, kind: type[Learner], law: Law = law_of_relabelling
    ) -> Callable[[Records], Masses]:
        """The exact law of the answers, by an exact law of the relabelled sample."""
        learner, sought = self.learner(kind), Counter(self.sought)
        base = exp_below(self.inner, bits=64)

        def law_of_batch(records: Records) -> Masses:
            def answers(found: Any, p: Fraction) -> Iterator[tuple[Hashable, Fraction]]:
                have: Counter[Any] = Counter(dict(found))
                shown = base ** -((have - sought).total()) / 2
                # The number of records is public.
                yield (have.total(), True), p * shown
                yield (have.total(), False), p * (1 - shown)

            return sum_masses(chain.from_iterable(starmap(answers, law(learner, records).items())))

        return law_of_batch


def at(records: tuple[tuple[int, int], ...]) -> Records:
    """The records at the points of these numbers."""
    return tuple((f"x{i}", y) for i, y in records)


def move_record(
    rest: tuple[tuple[int, int], ...], one: tuple[int, int], other: tuple[int, int]
) -> tuple[Records, Records]:
    """Two neighbours: one record after all others is replaced by another."""
    return at((*rest, one)), at((*rest, other))


TWO = FiniteClass.from_array([[0], [1]])
FEW = Stage(
    TWO,
    OtherLabels(ExponentialMechanism(Fraction(1)), share=200_000, weight=4),
    Fraction(5),
    move_record(((0, 0),) * 100_001 + ((0, 1),) * 99_998, (0, 1), (0, 0)),
    at(((0, 1),)),
)
"""One record of very many is relabelled: nearly all that changes is what the others say about it."""

SHARP = Stage(
    CLASS,
    OwnLabels(ExponentialMechanism(Fraction(4)), share=1),
    Fraction(8),
    move_record(((0, 0), (1, 0)), (2, 0), (3, 1)),
    at(((0, 1), (1, 1), (2, 0))),
)
"""Two patterns, each of which gains an extension that is right where the other loses one."""

FAR = Stage(
    FiniteClass.from_array([[0, 0, 0, 0], [1, 0, 1, 1]]),
    OtherLabels(ExponentialMechanism(Fraction(8)), share=5, weight=1),
    Fraction(32),
    move_record((*((3, 0),) * 8, (0, 0)), (1, 0), (2, 0)),
    at(((0, 1), (1, 0))),
)
"""The points are u, x, x', z.  The second hypothesis labels u as no other does; at x it agrees with
the first one, which is far better, and at x' and z it does not."""

BEHIND = Stage(
    FiniteClass.from_array([[0, 0, 0, 0, 0, 0, 0], [1, 1, 1, 0, 1, 1, 0], [1, 1, 1, 1, 1, 0, 1]]),
    OtherLabels(ExponentialMechanism(Fraction(12)), share=2, weight=1),
    Fraction(24),
    move_record(((0, 1), (1, 0), (2, 0), (3, 0), *((6, 0),) * 5), (4, 1), (5, 0)),
    at(((0, 1), (1, 1), (2, 1), (3, 1), (4, 1))),
)
"""The points are four u, x, x', z: the third hypothesis alone labels all u by 1; the second one comes
after it, and is better than the first at x and worse at x'."""


def _audit(kind: type[Learner], *stages: Stage, used: float) -> Outcome:
    audits = [
        exact_audit(stage.law_of_answers(kind), [stage.pair], stage.learner(kind).event)
        for stage in stages
    ]
    claims = (f"{float(audit.claim.epsilon):.4g}" for audit in audits)
    return Outcome(
        ", ".join(f"{audit.epsilon:.2f} ({audit.tightness:.0%})" for audit in audits),
        all(audit.holds and audit.tightness >= used for audit in audits),
        stated=f"epsilon {', '.join(claims)}, of which {used:.0%} is used",
    )


@statement("ABMS20 Theorem 2.3")
def own_labels() -> Outcome:
    """Two patterns on three records, of which one is replaced; all records are relabelled.

    says: relabelling by the sample's own labels is private
    scope: the exact law of its code, on the pair and the learner that show most
    code: learn.RelabellingLearner, privacy.accounting.subsampled.OwnLabels
    proof: proofs/agnostic.md#theorem-1-privacy
    """
    found = _audit(RelabellingLearner, SHARP, used=0.97)
    subject = find_subject("relabelling-learner").make(Fraction(10), Fraction(0))
    draws = follow_draws(subject, subject.pairs[-1:])
    return Outcome(f"{found.measured}; {draws}", found.holds and draws.holds, stated=found.stated)


@statement("LWY25")
def other_labels() -> Outcome:
    """One record of many is relabelled; one of five; and one of two.

    says: relabelling by the others' labels is private
    scope: exact laws of its code, on three pairs with the learners that show most
    code: learn.AgnosticLearner, privacy.accounting.subsampled.OtherLabels
    proof: proofs/agnostic.md#theorem-1-privacy
    """
    return _audit(AgnosticLearner, FEW, FAR, BEHIND, used=0.5)
