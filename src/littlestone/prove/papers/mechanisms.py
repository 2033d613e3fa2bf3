"""The privacy of mechanisms, by exact laws on tiny neighbours, and the scores of mixed tables."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

from littlestone.classes import parse_class
from littlestone.data.sample import Sample
from littlestone.privacy.accounting.composed import Composition
from littlestone.privacy.cost import Budget
from littlestone.privacy.mechanisms.exponential import ExponentialMechanism
from littlestone.privacy.mechanisms.selection_from_lists import SparseSampling
from littlestone.privacy.scores import ErrorSums, Scores, scores_of
from littlestone.prove.audit.subject import SubjectMaker, find_subject, find_subjects, follow_draws
from littlestone.prove.papers.statement import Outcome, Statement, Trial, statement

DELTA = Fraction(1, 1000)


def audit_row(
    named: SubjectMaker,
    *,
    epsilon: int = 1,
    drawn_at: int | None = None,
    steps: int | None = None,
    **words: Any,
) -> Statement:
    """The row of an audited mechanism or learner; ``words`` are id, code, proof and maybe status.

    A few steps of a stream may take a larger ``epsilon`` to tell it from another.  Draws are followed
    on the last pair, at epsilon ``drawn_at`` if ``epsilon`` spreads them too widely, and for the last
    ``steps`` of a stream.
    """

    def run() -> Outcome:
        audit = named.make(Fraction(epsilon), DELTA).exact()
        claim = audit.claim
        stated = f"({float(claim.epsilon):.6g}, {float(claim.delta):.3g})-DP, as asked"
        found = f"epsilon {audit.epsilon:.4f} at that delta, the worst of {audit.pairs:,} pairs"
        if not audit.holds or claim.epsilon > epsilon or claim.delta > DELTA:
            return Outcome(found, False, stated=stated)
        followed = named.make(Fraction(drawn_at or epsilon), DELTA)
        pairs = followed.pairs[-1:]
        if steps:
            pairs = tuple((one[-steps:], other[-steps:]) for one, other in pairs)
        draws = follow_draws(followed, pairs)
        return Outcome(f"{found}; {draws}", draws.holds, stated=stated)

    scope = "the exact law, on tiny data and all their neighbours; its draws, followed, on one pair"
    if drawn_at or steps:
        shown = [f"epsilon {drawn_at}"] * bool(drawn_at) + [f"{steps} steps"] * bool(steps)
        scope += f", for {', '.join(shown)}"
    says = f"{named.about.partition(';')[0].removesuffix('.')}: private"
    return statement(says=says, scope=scope, **{"status": "as stated", **words})(run)


AUDITED = {named.name: audit_row(named, **named.row) for named in find_subjects() if named.row}


@statement("Lyu25 Lemma 3.1", "changed")
def least_bottom() -> Outcome:
    """The paper's B beside the least one, and the delta of one less than the least.

    says: B = 10 ln(L / delta) / eps suffices; the least B is a tenth of it
    scope: the formula for four list sizes and three epsilons, delta 1e-6
    stated: delta0 = L r / (r^B + L r) <= delta for B, and not for B - 1
    code: privacy.mechanisms.selection_from_lists.SparseSampling
    proof: proofs/sparse-sampling.md#theorem-2-it-cannot-be-improved
    """
    wrong, ratios = 0, []
    for size in (1, 10, 100, 10**4):
        for epsilon in (Fraction(1, 10), Fraction(1), Fraction(2)):
            mechanism = SparseSampling[int](Budget(epsilon, Fraction(1, 10**6)), list_size=size)
            r, B = mechanism.base, mechanism.bottom
            wrong += size * r > mechanism.delta * (r**B + size * r)
            wrong += size * r <= mechanism.delta * (r ** (B - 1) + size * r)
            ratios.append(mechanism.bottom / _paper_bottom(size, epsilon))
    return Outcome(
        f"{wrong} failures in 24; B is {min(ratios):.2f} to {max(ratios):.2f} of the paper's",
        wrong == 0,
    )


def _paper_bottom(size: int, epsilon: Fraction) -> float:
    """10 ln(L / delta) / eps, with eps per unit of score, half of ours."""
    return 10 * math.log(size * 10**6) / (float(epsilon) / 2)


@statement("Bounded range")
def hundred_draws() -> Outcome:
    """The certified epsilon of the composition.

    says: 100 exponential mechanisms of eps = .1 at delta = 1e-6 (DDR20, CR21)
    scope: one certified composition
    stated: at most 2.42, against 10 by addition
    code: privacy.accounting.composed.Composition
    proof: proofs/composition.md#theorem-3-renyi-divergences
    """
    draws = Composition([(ExponentialMechanism(Fraction(1, 10)), 100)], Fraction(1, 10**6))
    epsilon = draws.cost().epsilon
    return Outcome(
        f"{float(epsilon):.5f}, by {draws.account.method}", epsilon <= Fraction(242, 100)
    )


@statement("Gaussian sums")
def noisy_sums() -> Outcome:
    """The exact audit of two steps, whose claim is the curve of one number at (1, 1/1000).

    says: adaptive sums with Gaussian noise cost what one number N(mu, 1) costs (DRS22, Corollary
        3.3)
    scope: the exact law of two sums with discrete noise, on two records and all their neighbours
    stated: epsilon 1 at delta 1/1000, and not much less
    code: privacy.mechanisms.noisy_sums.NoisySums
    proof: proofs/gaussian.md#theorem-3-the-whole-sequence
    """
    audit = find_subject("noisy-sums").make(Fraction(1), DELTA).exact()
    return Outcome(
        f"epsilon {audit.epsilon:.4f} at that delta, the worst of {audit.pairs} pairs",
        audit.holds and audit.tightness > 0.9,
    )


CLASSES = [
    f"{kind}(age: 0..20 step 10, sex in {{F, M}}; {options})"
    for kind, options in [
        ("conditions", "at most 2, either"),
        ("conditions", "at most 2, between"),
        ("conditions", "at most 2, checklist"),
        ("trees", "depth 1"),
        ("trees", "depth 2"),
    ]
]
CLASSES += [
    "conditions(age: 0..10 step 10, sex in {F}, ward in {ICU}; at most 3, checklist)",
    "trees(age: 0..10 step 10; depth 3)",
]


@statement("Mixed tables")
def compare_scores(trial: Trial) -> Outcome:
    """The scores of written hypotheses beside the errors of each, one by one.

    says: counts of cells give the errors of every rule and tree
    scope: five classes over two columns, one over three, one in seven trees of depth 3; 20 records
    stated: each score is a number of errors
    code: classes.parse_class
    proof: proofs/conditions.md#theorem-2-scores-are-counts-of-cells
    """
    rng, checked, wrong = trial.draws(5), 0, 0
    for text in CLASSES:
        H: Any = parse_class(text)
        points = list(H.domain)
        examples = [(rng.choice(points), rng.randrange(2)) for _ in range(20)]
        sample = Sample.from_examples(H.domain, examples)
        scores = H.scores(sample)
        places = list(_places(scores))
        for place, score in places[:: 1 + len(places) // 5_000]:
            h = H.hypothesis_of_item(scores.item(place))
            checked += 1
            wrong += score != sum(h(x) != y for x, y in examples)
    return Outcome(f"{wrong} of {checked:,} differ", wrong == 0)


def _places(scores: Scores) -> Iterator[tuple[Any, int]]:
    if isinstance(scores, ErrorSums):
        for g, parts in enumerate(scores.groups):
            for chosen in product(*(list(_places(scores_of(part))) for part in parts)):
                yield (g, *(place for place, _ in chosen)), sum(errors for _, errors in chosen)
    else:
        yield from enumerate(scores.errors.tolist())
