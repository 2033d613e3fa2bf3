"""The privacy of mechanisms: claims against exact distributions on all tiny neighbouring data."""

from __future__ import annotations

import math
from fractions import Fraction

from littlestone.audit.subject import find_subject
from littlestone.privacy.accounting.composed import Composed
from littlestone.privacy.budget import Budget
from littlestone.privacy.mechanisms.lists.sparse_sampling import SparseSampling
from littlestone.privacy.mechanisms.scores.exponential import ExponentialMechanism
from littlestone.verify.statement import Outcome, Statement, statement

EPSILON, DELTA = Fraction(1), Fraction(1, 1000)


def audited(name: str, subject: str, epsilon: Fraction = EPSILON) -> Statement:
    """The row of an audited mechanism or learner."""

    def run() -> Outcome:
        audit = find_subject(subject).make(epsilon, DELTA).exact()
        return Outcome(
            f"({float(audit.claim.epsilon):.6g}, {float(audit.claim.delta):.3g})-DP",
            f"epsilon {audit.epsilon:.4f} at that delta, the worst of {audit.pairs:,} pairs",
            audit.holds,
        )

    return Statement(name, run)


sparse_sampling = audited(
    "Lyu25 Algorithm 1 (GKM20 Lemma 36): sparse sampling is private", "sparse-sampling"
)
above_threshold = audited(
    "Lyu25 Algorithm 2: AboveThreshold with fresh noise is private", "above-threshold"
)
stable_histogram = audited("BLM20 Lemma 15: the stable histogram is private", "stable-histogram")
choosing = audited(
    "BNS13: the choosing mechanism for bounded growth is private", "choosing-mechanism"
)
choosing_costs = audited(
    "BNS13, with gain 2 and loss 3: the choosing mechanism is private", "choosing-mechanism-loss"
)
exponential_costs = audited(
    "KLN+11, Theorem 3.4: private if a missed positive costs 3 and a false alarm 1",
    "exponential-learner-missed",
)
sparse_vector = audited("The sparse vector technique is private", "sparse-vector")
relabelling = audited(
    "ABMS20, Theorem 2.3: relabelling by the sample's own labels is private", "relabelling-learner"
)
agnostic = audited("LWY25: relabelling by the others' labels is private", "agnostic-learner")
composed = audited("Composed draws, the second depending on the first", "composed-draws")

# At epsilon 5 a stream of few steps can be told from another.
MORE = Fraction(5)
one_sided_threshold = audited(
    "A counter with one-sided noise is epsilon-DP over all its hits", "one-sided-threshold"
)
continual_keys = audited(
    "Keys of a stream, each selected soon after it is named often", "continual-key-selection", MORE
)
continual_own = audited(
    "Candidates of a stream, with skips of their own", "continual-selection-own", MORE
)
continual_shared = audited(
    "Candidates of a stream, with shared skips", "continual-selection-shared", MORE
)
confirmations = audited(
    "Keys of a finite set, confirmed again and again with delta 0", "continual-confirmation"
)
online_confirmed = audited(
    "Online learning by confirmations: all that is published", "online-confirmed-learner"
)
tallies = audited(
    "Noisy counts of all cells, published again and again with delta 0", "continual-tallies"
)
online_tallied = audited(
    "Online learning by tallies: all that is published", "online-tallied-learner"
)
the_rest = audited("Keys, or all keys, by what the rest of them would gain", "rest-selection")
single_key_labels = audited(
    "Any class of Littlestone dimension 1 by the functions that records name",
    "single-key-learner-labels",
)
counted_lines = audited(
    "Lines of a plane, counted by the points of the sample on them", "exponential-learner-lines"
)
cover = audited("Sets of rules that cover positives and avoid negatives", "cover-learner")
online_keys = audited("Online learning of sets: all that is published", "online-key-learner", MORE)
online_rules = audited(
    "Online learning of equality rules: all that is published", "online-rule-learner", MORE
)
online_teachers = audited(
    "Lyu25 Algorithms 3 and 4, repaired: all that teachers of a stream publish",
    "online-teacher-learner",
    MORE,
)


@statement("Lyu25 Algorithm 1: B = 10 ln(L / delta) / eps suffices; the least B is a tenth of it")
def least_bottom() -> Outcome:
    """The paper's B beside the least one, and the delta of one less than the least."""
    wrong, ratios = 0, []
    for size in (1, 10, 100, 10**4):
        for epsilon in (Fraction(1, 10), Fraction(1), Fraction(2)):
            mechanism = SparseSampling[int](Budget(epsilon, Fraction(1, 10**6)), list_size=size)
            r, B = mechanism.base, mechanism.bottom
            wrong += size * r > mechanism.delta * (r**B + size * r)
            wrong += size * r <= mechanism.delta * (r ** (B - 1) + size * r)
            ratios.append(mechanism.bottom / _paper_bottom(size, epsilon))
    return Outcome(
        "delta0 = L r / (r^B + L r) <= delta for B, and not for B - 1",
        f"{wrong} failures in 24; B is {min(ratios):.2f} to {max(ratios):.2f} of the paper's",
        wrong == 0,
    )


def _paper_bottom(size: int, epsilon: Fraction) -> float:
    """10 ln(L / delta) / eps, with eps per unit of score, half of ours."""
    return 10 * math.log(size * 10**6) / (float(epsilon) / 2)


@statement("Bounded range (DDR20, CR21): 100 exponential mechanisms of eps = .1 at delta = 1e-6")
def hundred_draws() -> Outcome:
    """The certified epsilon of the composition."""
    draws = Composed([(ExponentialMechanism(Fraction(1, 10)), 100)], Fraction(1, 10**6))
    epsilon = draws.cost().epsilon
    return Outcome(
        "at most 2.42, against 10 by addition",
        f"{float(epsilon):.5f}, by {draws.account.method}",
        epsilon <= Fraction(242, 100),
    )
