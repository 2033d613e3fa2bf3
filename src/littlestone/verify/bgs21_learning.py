"""BGS21, section 3: learning several labels by learners of the bits."""

from __future__ import annotations

from fractions import Fraction
from functools import cache, partial
from math import log

import numpy as np

from littlestone.audit import find_subject
from littlestone.classes import FiniteClass, Outcomes, Subsets
from littlestone.dimension import LabelTable, multiclass_littlestone_dimension
from littlestone.domains import Integers
from littlestone.learners import BitPartsLearner, BitsLearner, IrreducibleLearner
from littlestone.privacy.budget import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.sample import Sample
from littlestone.verify.bgs21 import bit_class_cap
from littlestone.verify.statement import Outcome, Trial, statement

ALPHA, BETA = 0.1, 0.05


@statement(
    id="BGS21 Theorem 3.1",
    says="privacy: the parts together cost what one bit costs",
    code="learners.BitPartsLearner, learners.BitsLearner",
    scope="the exact law, on all neighbouring samples of four records",
    status="as stated",
    proof="proofs/multiclass-learning.md#theorem-2-privacy-one-part-a-bit",
)
def parts_are_private() -> Outcome:
    """Exact on all neighbouring samples of four records, and for bits on all records, composed."""
    audits = [
        find_subject(name).make(Fraction(1), Fraction(0)).exact()
        for name in ("bit-parts-learner", "bits-learner")
    ]
    exact = [f"{audit.epsilon:.2f}" for audit in audits]
    return Outcome(
        "epsilon 1",
        f"exactly {exact[0]} with parts, {exact[1]} with bits on all records",
        all(audit.holds for audit in audits),
    )


@statement(
    id="BGS21 Theorem 3.1",
    says="error: sum of SC_i(alpha / b, beta / b) records suffice",
    code="learners.BitPartsLearner.plan, learners.BitPartsLearner.fit, learners.BitsLearner.plan",
    scope="one class of rules with an outcome, many runs of each learner",
    status="repaired",
    proof="proofs/multiclass-learning.md#theorem-3-error-without-wrong-labels",
)
def parts_are_accurate(trial: Trial) -> Outcome:
    """One rule with an outcome: 20 runs at the planned size, each on 500 new records."""
    H = Outcomes.of("origin", "dest", labels=3, max_rules=1)
    failures, sizes, runs = 0, [], trial.size(20, 400)
    for kind in (BitPartsLearner, BitsLearner):
        learner = kind(H, Budget(1, "1e-6"))
        bound = learner.plan(ALPHA, BETA, setting="realizable")
        n = 0 if bound is None else bound.n
        sizes.append(n)
        for seed in range(runs):
            rng = trial.draws(seed)
            drawn = [(rng.choice("JENS"), rng.choice("HL")) for _ in range(n + 500)]
            examples = [(x, 2 if x == ("J", "H") else 0) for x in drawn]
            sample = Sample.from_examples(H.domain, examples[:n], labels=3)
            with Ledger() as ledger:
                draws = trial.draws(seed)
                f = learner.fit(sample, ledger=ledger, dataset="made up", rng=draws).hypothesis
            failures += sum(f(x) != y for x, y in examples[n:]) > 500 * ALPHA
    return Outcome(
        f"at most {BETA:g} of the runs err more than {ALPHA:g}",
        f"{failures} of {2 * runs}, with {sizes[0]:,} records in parts and {sizes[1]:,} under one "
        "budget",
        failures <= 2 * runs * BETA,
    )


@cache
def generic(d: int, cuts: int) -> int:
    """The proved size of the generic learner for LDim d, alpha / cuts and beta / cuts."""
    goal = {"alpha": ALPHA / cuts, "beta": BETA / cuts}
    H = Subsets(Integers(), d)
    learner = IrreducibleLearner.with_proved_bound(H, Budget(1, "1e-6"), **goal)
    bound = learner.plan(**goal, setting="realizable")
    return 0 if bound is None else bound.n


def _generic_parts(H: FiniteClass) -> int:
    """The size that the reduction plans with the generic learner for each bit class."""
    binary = partial(IrreducibleLearner.with_proved_bound, alpha=ALPHA / H.bits, beta=BETA / H.bits)
    learner = BitPartsLearner(H, Budget(1, "1e-6"), binary=binary)
    bound = learner.plan(ALPHA, BETA, setting="realizable")
    return 0 if bound is None else bound.n


# MLS 1 and bit classes of LDim 1; and MLS 1, 2, with larger ones.
CLASSES = [
    FiniteClass.from_array([[0, 1, 2, 3], [1, 2, 3, 0], [2, 3, 0, 1]], labels=4),
    FiniteClass.from_array([[0, 0], [1, 2], [2, 1], [3, 3]], labels=4),
    FiniteClass.from_array([[x, y] for x in range(4) for y in range(4)], labels=4),
]


@statement(
    id="BGS21 Corollary 3.2",
    says="the sum of SC(d_i, alpha / b, beta / b), d_i = LDim(H|_i)",
    code="learners.BitPartsLearner.plan",
    scope="three tables of four labels; parts of equal size, so the sum is b times the largest",
    status="repaired",
    proof="proofs/multiclass-learning.md#sizes-bgs21-corollaries-32-and-34-theorem-36",
)
def sizes_by_bit_classes() -> Outcome:
    """By the proved sizes of the learner of every Littlestone class; parts are equal."""
    found = []
    for H in CLASSES:
        d = [H.bit_class(i).littlestone_dimension() for i in range(H.bits)]
        found.append((_generic_parts(H), H.bits * generic(max(d), H.bits)))
    return Outcome(
        "b max SC(d_i, ...)",
        "; ".join(f"{planned:,}" for planned, _ in found) + " records, as stated",
        all(planned == stated > 0 for planned, stated in found),
    )


@statement(
    id="BGS21 Corollary 3.4",
    says="b SC(6 d ln(k + 1), alpha / b, beta / b), d = MLS(H)",
    code="learners.BitPartsLearner.plan, learners.IrreducibleLearner.plan",
    scope="planned sizes for three tables of four labels",
    status="as stated",
    proof="proofs/multiclass-learning.md#sizes-bgs21-corollaries-32-and-34-theorem-36",
)
def sizes_by_mls() -> Outcome:
    """The same sizes below those of the cap of Theorem 3.3, and of the sharper one."""
    found = []
    for H in CLASSES:
        d, k, b = H.littlestone_dimension(), H.labels - 1, H.bits
        caps = bit_class_cap(d, k), int(6 * d * log(k + 1))
        found.append((_generic_parts(H), *(b * generic(cap, b) for cap in caps)))
    return Outcome(
        "planned <= that of the sharper cap <= that of 6 d ln(k + 1)",
        "; ".join(" <= ".join(f"{n:,}" for n in sizes) for sizes in found),
        all(sizes == tuple(sorted(sizes)) for sizes in found),
    )


# The simplex code of 8 words, c_j(y) = parity of y & j for j = 1, ..., 7: any two differ in 4 bits.
CODE = np.array([[(y & j).bit_count() % 2 for j in range(1, 8)] for y in range(8)])


@statement(
    id="Codes that correct errors",
    says="err(f) <= sum of err(h_j) / 2 for distance 4, LDim <= the cap",
    code="verify.bgs21.bit_class_cap",
    scope="the simplex code of 8 words: random wrong bits and random tables",
    status="as stated",
    proof="proofs/multiclass-learning.md#theorem-4-one-logarithm-less-codes-that-correct-errors",
)
def codes(trial: Trial) -> Outcome:
    """docs/proofs/multiclass-learning.md, Theorem 4: random wrong bits, and random tables."""
    rng, ratios, gaps = trial.array(4), [], []
    for share in (0.02, 0.1, 0.3):
        for _ in range(trial.size(20, 1000)):
            truth = rng.integers(0, 8, size=400)
            wrong = rng.random((400, 7)) < share
            bits = CODE[truth] ^ wrong
            nearest = np.abs(bits[:, None, :] - CODE).sum(axis=2).argmin(axis=1)
            ratios.append(np.mean(nearest != truth) / (wrong.sum() / 400 / 2))
    for _ in range(trial.size(20, 500)):
        values = rng.integers(0, 8, size=(12, 3))
        d = multiclass_littlestone_dimension(LabelTable.of(values, labels=8))
        coded = [LabelTable.of(CODE[values, j], labels=2) for j in range(7)]
        gaps.append(bit_class_cap(d, 7) - max(map(multiclass_littlestone_dimension, coded)))
    return Outcome(
        "ratio <= 1, gap >= 0",
        f"largest ratio {max(ratios):.2f} of {len(ratios)}; least gap {min(gaps)} of {len(gaps)}",
        max(ratios) <= 1 and min(gaps) >= 0,
    )


@statement(
    id="Rules with outcomes",
    says="MLS(H) = LDim(H|_i)",
    code="classes.Outcomes",
    scope="one to three outcomes over one to three columns",
    status="as stated",
    proof="proofs/outcomes.md#theorem-1-bit-classes",
)
def rules_with_outcomes() -> Outcome:
    """For one, two and three outcomes, over one, two and three columns."""
    found = []
    for m, r, s in [(1, 1, 1), (1, 1, 2), (2, 1, 1), (2, 2, 1), (2, 1, 2), (2, 2, 2), (3, 2, 1)]:
        for k in (1, 2, 3):
            H = Outcomes.of(*"abc"[:m], labels=k + 1, max_rules=s, max_literals=r)
            found.append((H.littlestone_dimension(), H.bit_class(0).littlestone_dimension()))
    equal = sum(mls == bit for mls, bit in found)
    return Outcome("equal", f"on {equal} of {len(found)} classes", equal == len(found))
