"""The learner of classes of Littlestone dimension 1: it releases one function that records name."""

from __future__ import annotations

from fractions import Fraction

from littlestone.classes.base import HypothesisClass
from littlestone.classes.dimensions.closed_forms import has_one_mistake
from littlestone.classes.promises.named import NamedFunctions
from littlestone.data.sample import Sample
from littlestone.learn.base import (
    MOST_WORK,
    Bound,
    Caveat,
    PrivateLearner,
    Setting,
    has_rule,
)
from littlestone.learn.plan.missed import KeySizes, miss_chances
from littlestone.points import Point
from littlestone.privacy.cost import Budget
from littlestone.privacy.ledger import Receipt
from littlestone.privacy.mechanisms.single_key_selection import SingleKeySelection
from littlestone.rules import Hypothesis


class SingleKeyLearner(PrivateLearner[Point]):
    """Release the SOA, or one function that records name; for samples without wrong labels.

    For classes H, finite or infinite and of any number of labels, with LDim(H) <= 1.  Let f be the SOA
    of H, which is public.  A record (x, y) with y != f(x) names the one function of H that gives x the
    label y (`NamedFunctions`).  `SingleKeySelection` releases one function by how many records name
    it; if it releases none, f is released.  Without wrong labels only the right function is ever named.

    (epsilon, delta)-DP for every sample: one replaced record lowers one count and raises one.  It needs
    about half the records of the choosing mechanism, but does not weigh records that speak against
    a function.  Time: one version space for each distinct record with y != f(x).  Raises
    `DeclarationError` for other classes and delta = 0.  Source: docs/proofs/single-key-selection.md.

    >>> from littlestone.classes import parse_class
    >>> for text in ("points(merchant)", "linear(x, y, z; q 101, dimension 1)"):
    ...     learner = SingleKeyLearner(parse_class(text), Budget(1, "1e-6"))
    ...     print(learner.plan(0.1, 0.05, setting="realizable").n)
    219
    219
    """

    method = "single_key"
    several = True
    caveat = Caveat.CLEAN_LABELS
    takes_void = True

    def __init__(self, hypotheses: HypothesisClass[Point], budget: Budget) -> None:
        super().__init__(hypotheses, budget)
        if not has_one_mistake(hypotheses):
            raise self.unfit(
                found="its Littlestone dimension is above 1",
                declare="points(COLUMN), or another class of Littlestone dimension 1",
            )
        self.named = NamedFunctions(hypotheses)
        self.mechanism = SingleKeySelection[Hypothesis[Point]](budget)

    def draw(self, sample: Sample[Point], *, receipt: Receipt) -> Hypothesis[Point]:
        # Counts of positives only: a replaced record lowers one and raises one, as the mechanism
        # demands (docs/proofs/single-key-selection.md, Theorem 1).
        found = self.mechanism.draw_scores(self.named.counts(sample), receipt=receipt)
        return self.named.rest if found is None else found

    def distribution(self, sample: Sample[Point]) -> dict[Hypothesis[Point], Fraction]:
        law = self.mechanism._distribution(self.named.counts(sample))
        return {self.named.rest if h is None else h: mass for h, mass in law.items()}

    def work(self, n: int) -> int:
        """Finding the functions that records name, and the SOA."""
        return self.named.work(n) if has_rule(self.hypotheses) else MOST_WORK + 1

    def plan(self, alpha: float, beta: float, *, setting: Setting = "agnostic") -> Bound | None:
        """The least n with E[1 - q(Bin(n, alpha))] <= beta for realizable samples; None for others.

        It sums positive floats instead of exact numbers; the margin covers their rounding.
        """
        source = "docs/proofs/single-key-selection.md, Theorem 3"
        return KeySizes(1, miss_chances, self.mechanism, source).plan(alpha, beta, setting)
