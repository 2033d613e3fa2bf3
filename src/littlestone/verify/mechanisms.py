"""The privacy of mechanisms: claims against exact distributions on all tiny neighbouring data."""

from __future__ import annotations

import math
from fractions import Fraction

from littlestone.audit.drawn import drawn
from littlestone.audit.subject import find_subject
from littlestone.privacy.accounting.composed import Composed
from littlestone.privacy.budget import Budget
from littlestone.privacy.mechanisms.lists.sparse_sampling import SparseSampling
from littlestone.privacy.mechanisms.scores.exponential import ExponentialMechanism
from littlestone.verify.statement import Outcome, Statement, Status, statement

EPSILON, DELTA = Fraction(1), Fraction(1, 1000)


def audited(
    subject: str,
    *,
    status: Status = "as stated",
    epsilon: Fraction = EPSILON,
    drawn_at: int | None = None,
    steps: int | None = None,
    **words: str,
) -> Statement:
    """The row of an audited mechanism or learner; ``words`` are id, says, code and proof.

    Its draws are followed on the last pair, at epsilon ``drawn_at`` if ``epsilon`` spreads them too
    widely, and for the last ``steps`` of a stream.
    """

    def run() -> Outcome:
        find = find_subject(subject).make
        audit = find(epsilon, DELTA).exact()
        claim = audit.claim
        stated = f"({float(claim.epsilon):.6g}, {float(claim.delta):.3g})-DP, as asked"
        found = f"epsilon {audit.epsilon:.4f} at that delta, the worst of {audit.pairs:,} pairs"
        if not audit.holds or claim.epsilon > epsilon or claim.delta > DELTA:
            return Outcome(stated, found, False)
        followed = find(Fraction(drawn_at or epsilon), DELTA)
        pairs = followed.pairs[-1:]
        if steps:
            pairs = tuple((one[-steps:], other[-steps:]) for one, other in pairs)
        draws = drawn(followed, pairs)
        return Outcome(stated, f"{found}; {draws}", draws.holds)

    scope = "the exact law, on tiny data and all their neighbours; its draws, followed, on one pair"
    if drawn_at or steps:
        shown = [f"epsilon {drawn_at}"] * bool(drawn_at) + [f"{steps} steps"] * bool(steps)
        scope += f", for {', '.join(shown)}"
    return statement(scope=scope, status=status, **words)(run)


sparse_sampling = audited(
    "sparse-sampling",
    id="Lyu25 Algorithm 1",
    says="sparse sampling is private (GKM20 Lemma 36)",
    code="privacy.mechanisms.lists.sparse_sampling.SparseSampling",
    proof="proofs/sparse-sampling.md#theorem-1-privacy",
    status="changed",
)
above_threshold = audited(
    "above-threshold",
    id="Lyu25 Algorithm 2",
    says="AboveThreshold with fresh noise is private",
    code="privacy.mechanisms.thresholds.above_threshold.AboveThreshold",
    proof="proofs/above-threshold.md#theorem-2-the-exact-worst-case",
    status="mended",
)
stable_histogram = audited(
    "stable-histogram",
    id="BLM20 Lemma 15",
    says="the stable histogram is private",
    code="privacy.mechanisms.lists.stable_histogram.StableHistogram",
    proof="proofs/stable-histogram.md#theorem-1-privacy-blm20-lemma-15-with-its-constants",
)
choosing = audited(
    "choosing-mechanism",
    id="BNS13",
    says="the choosing mechanism for bounded growth is private",
    code="privacy.mechanisms.lists.choosing.ChoosingMechanism",
    proof="proofs/choosing.md#theorem-1-privacy",
)
choosing_costs = audited(
    "choosing-mechanism-loss",
    id="BNS13",
    says="with gain 2 and loss 3, the choosing mechanism is private",
    code="privacy.mechanisms.lists.choosing.ChoosingMechanism",
    proof="proofs/choosing.md#theorem-1-privacy",
)
exponential_costs = audited(
    "exponential-learner-missed",
    id="KLN+11 Theorem 3.4",
    says="private if a missed positive costs 3 and a false alarm 1",
    code="learners.ExponentialLearner",
    proof="proofs/exponential-mechanism.md#theorem-5-mistakes-that-do-not-all-cost-the-same",
)
sparse_vector = audited(
    "sparse-vector",
    id="Sparse vector technique",
    says="it is private",
    code="privacy.mechanisms.thresholds.sparse_vector.SparseVector",
    proof="proofs/sparse-vector.md#theorem-1-privacy",
)
composed = audited(
    "composed-draws",
    id="Lyu25 section 3.4, concurrent composition",
    says="composed draws, the second depending on the first",
    code="privacy.accounting.composed.Composed",
    proof="proofs/composition.md#theorem-6-interleaved-interactive-events",
)

# At epsilon 5 a stream of few steps can be told from another.
MORE = Fraction(5)
one_sided_threshold = audited(
    "one-sided-threshold",
    drawn_at=3,
    steps=1,
    id="Streams",
    says="a counter with one-sided noise is epsilon-DP over all its hits",
    code="privacy.mechanisms.thresholds.one_sided_threshold.OneSidedThreshold",
    proof="proofs/online-teachers.md#theorem-1-the-counter",
)
continual_keys = audited(
    "continual-key-selection",
    id="Streams",
    says="keys, each selected soon after it is named often",
    code="privacy.mechanisms.streams.continual_key_selection.ContinualKeySelection",
    proof="proofs/continual-key-selection.md#theorem-1-privacy",
    epsilon=MORE,
)
continual_own = audited(
    "continual-selection-own",
    id="Streams",
    says="candidates, with skips of their own",
    code="privacy.mechanisms.streams.continual_selection.ContinualSelection",
    proof="proofs/continual-selection.md#theorem-1-privacy",
    epsilon=MORE,
)
continual_shared = audited(
    "continual-selection-shared",
    id="Streams",
    says="candidates, with shared skips",
    code="privacy.mechanisms.streams.continual_selection.ContinualSelection",
    proof="proofs/continual-selection.md#theorem-1-privacy",
    epsilon=MORE,
)
confirmations = audited(
    "continual-confirmation",
    drawn_at=6,
    steps=2,
    id="Streams",
    says="keys of a finite set, confirmed again and again with delta 0",
    code="privacy.mechanisms.streams.confirmation",
    proof="proofs/confirmation.md#theorem-1-privacy",
)
online_confirmed = audited(
    "online-confirmed-learner",
    drawn_at=4,
    steps=2,
    id="Streams",
    says="learning by confirmations: all that is published",
    code="learners.online.ConfirmedLearner",
    proof="proofs/confirmation.md#theorem-1-privacy",
)
tallies = audited(
    "continual-tallies",
    drawn_at=8,
    steps=2,
    id="Streams",
    says="noisy counts of all cells, published again and again with delta 0",
    code="privacy.mechanisms.streams.tallies",
    proof="proofs/tallies.md#theorem-1-privacy",
)
online_tallied = audited(
    "online-tallied-learner",
    drawn_at=6,
    steps=2,
    id="Streams",
    says="learning by tallies: all that is published",
    code="learners.online.TalliedLearner",
    proof="proofs/tallies.md#theorem-1-privacy",
)
the_rest = audited(
    "rest-selection",
    id="Keys",
    says="keys, or all keys, by what the rest of them would gain",
    code="privacy.mechanisms.keys.rest_selection",
    proof="proofs/partition-selection.md#theorem-3-all-keys",
)
single_key_labels = audited(
    "single-key-learner-labels",
    id="Keys",
    says="any class of Littlestone dimension 1 by the functions that records name",
    code="learners.SingleKeyLearner",
    proof="proofs/single-key-selection.md#theorem-3-every-class-of-littlestone-dimension-1",
)
counted_lines = audited(
    "exponential-learner-lines",
    id="Lines of a plane",
    says="counted by the points of the sample on them",
    code="learners.ExponentialLearner",
    proof="proofs/exponential-mechanism.md#theorem-7-hypotheses-that-are-counted",
)
online_keys = audited(
    "online-key-learner",
    id="Streams",
    says="learning of sets: all that is published",
    code="learners.online.KeyLearner",
    proof="proofs/continual-key-selection.md#theorem-1-privacy",
    epsilon=MORE,
)
online_rules = audited(
    "online-rule-learner",
    id="Streams",
    says="learning of equality rules: all that is published",
    code="learners.online.RuleLearner",
    proof="proofs/continual-selection.md#theorem-4-privacy-of-the-learner",
    epsilon=MORE,
)
online_teachers = audited(
    "online-teacher-learner",
    drawn_at=20,
    steps=1,
    id="Streams",
    says="learning of teachers: all that is published",
    code="learners.online.TeacherLearner",
    proof="proofs/online-teachers.md#theorem-2-the-whole-process",
    epsilon=MORE,
)

irreducible = audited(
    "irreducible-learner",
    id="Lyu25 Corollary 5.1",
    says="the irreducible learner is private as a whole",
    code="learners.IrreducibleLearner",
    proof="proofs/irreducible.md#theorem-2-the-proved-size",
    status="changed",
)
online_staged = audited(
    "online-staged-learner",
    drawn_at=40,
    steps=2,
    id="Lyu25 section 6.1",
    says="Algorithms 3 and 4, mended: all that is published, with its counter, tests and draws",
    code="learners.online.StagedOnlineLearner, learners.online.stage_stream.StagedStream",
    proof="proofs/staged-stream.md#theorem-1-privacy",
    epsilon=MORE,
    status="mended",
)


@statement(
    id="Lyu25 Lemma 3.1",
    says="B = 10 ln(L / delta) / eps suffices; the least B is a tenth of it",
    code="privacy.mechanisms.lists.sparse_sampling.SparseSampling",
    scope="the formula for four list sizes and three epsilons, delta 1e-6",
    status="changed",
    proof="proofs/sparse-sampling.md#theorem-2-it-cannot-be-improved",
)
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


@statement(
    id="Bounded range",
    says="100 exponential mechanisms of eps = .1 at delta = 1e-6 (DDR20, CR21)",
    code="privacy.accounting.composed.Composed",
    scope="one certified composition",
    status="as stated",
    proof="proofs/composition.md#theorem-2-optimal-composition",
)
def hundred_draws() -> Outcome:
    """The certified epsilon of the composition."""
    draws = Composed([(ExponentialMechanism(Fraction(1, 10)), 100)], Fraction(1, 10**6))
    epsilon = draws.cost().epsilon
    return Outcome(
        "at most 2.42, against 10 by addition",
        f"{float(epsilon):.5f}, by {draws.account.method}",
        epsilon <= Fraction(242, 100),
    )
