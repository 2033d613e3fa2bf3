"""Online baselines: GL21 at dimension 1, and KMM+23."""

from __future__ import annotations

from fractions import Fraction

from littlestone.classes import FiniteClass
from littlestone.privacy.cost import Budget
from littlestone.privacy.mechanisms.thresholds.between_thresholds import BetweenThresholds
from littlestone.privacy.mechanisms.thresholds.uncertain_votes import moment_per_hit
from littlestone.prove.papers.statement import Outcome, Trial, statement


@statement(
    id="GL21 at LDim 1",
    says="every mistake of the SOA names the target",
    code="classes.FiniteClass.soa",
    scope="random tables of dimension 1 on four points",
    status="as stated",
)
def one_mistake_names_the_target(trial: Trial) -> Outcome:
    """The functions that agree with a mistake, on random tables of dimension 1."""
    rng = trial.array(11)
    classes = mistakes = wrong = 0
    for _ in range(trial.pick(400, 20_000)):
        H = FiniteClass.from_array(rng.integers(0, 2, (int(rng.integers(2, 6)), 4)))
        if H.littlestone_dimension() != 1:
            continue
        classes += 1
        soa = H.soa()
        for h in H:
            for x in H.domain:
                if soa(x) != h(x):
                    mistakes += 1
                    wrong += H.restrict(x, h(x)).soa() != h
    return Outcome(
        "SOA of H|(x,y) is the target for every mistake (x,y)",
        f"{wrong} of {mistakes} mistakes name another, on {classes} classes",
        wrong == 0 < mistakes,
    )


@statement(
    id="KMM+23",
    says="certain votes are free, and an uncertain one costs what Theorem 1 allows",
    code=(
        "privacy.mechanisms.thresholds.uncertain_votes.moment_per_hit, "
        "privacy.mechanisms.thresholds.between_thresholds.BetweenThresholds"
    ),
    scope="exact moments of all pairs of neighbouring counts, four settings",
    status="as stated",
    proof="proofs/private-prediction.md#theorem-1-certain-votes-are-free",
)
def certain_votes_are_free() -> Outcome:
    """The moment of every question against (1 - its certain part) times the bound."""
    tried = wrong = 0
    largest = Fraction(0)
    for voters, margin, order in ((30, 10, 2), (30, 10, 4), (61, 25, 3), (61, 1, 2)):
        votes = BetweenThresholds(
            budget=Budget(4, Fraction(1, 1000)),
            voters=voters,
            threshold=voters // 2 + margin,
            hits=3,
            horizon=10,
        )
        ratio = 1 + Fraction(1, votes.steepness)
        bound = moment_per_hit(ratio, order, voters, votes.threshold)
        laws = [votes.probabilities(n) for n in range(voters + 1)]
        for n in range(voters):
            for p, q in ((laws[n], laws[n + 1]), (laws[n + 1], laws[n])):
                moments = {a: p[a] ** order * q[a] ** (1 - order) for a in p}
                certain = sum((m for (_, sure), m in moments.items() if sure), Fraction(0))
                moment = (sum(moments.values(), Fraction(0)) - certain) / (1 - certain)
                tried += 1
                wrong += bound is None or moment > bound
                largest = max(largest, (moment - 1) / (bound - 1)) if bound else largest
    return Outcome(
        "uncertain moments <= G (1 - certain moments)",
        f"{wrong} failures in {tried} pairs of votes; at most {float(largest):.2f} of what is allowed",
        wrong == 0,
    )
