"""The learner of lookup tables: by label selection, each key gets its most frequent label or none."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from littlestone.classes import HypothesisClass, Lookup
from littlestone.data.sample import Sample
from littlestone.learn.base import Bound, PrivateLearner, Setting, unfit
from littlestone.learn.plan.missed import MOST_STEPS, KeySizes, require_curve, require_values
from littlestone.privacy.cost import Budget
from littlestone.privacy.ledger import Receipt
from littlestone.privacy.mechanisms.label_selection import LabelSelection
from littlestone.rules import LookupTable


def require_lookup(H: HypothesisClass[Any], method: str) -> Lookup:
    """H, or `DeclarationError` if it is not a class of lookup tables."""
    if not isinstance(H, Lookup):
        raise unfit(
            H,
            method,
            found="it is not a class of lookup tables",
            declare="lookup(COLUMN; at most M)",
        )
    return H


class LookupLearner(PrivateLearner[Any]):
    """Release each key with the label that wins its race; other keys have the default label.

    (epsilon, delta)-DP for every sample, by `LabelSelection`.  The table may have more entries than
    those of the class, if for more keys the most frequent label is not the default.  Wrong labels do
    little harm: a label wins over one with t more records with probability at most e^(-epsilon t / 2).
    Time: O(distinct pairs of point and label).  Raises `DeclarationError` for other classes and
    delta = 0.  Source: docs/proofs/lookup.md.

    >>> from littlestone.points import Strings
    >>> H = Lookup(Strings("tailnum"), 3, 2)
    >>> LookupLearner(H, Budget(1, "1e-6")).plan(0.1, 0.05, setting="realizable").n
    603
    """

    method = "lookup"
    several = True
    tolerates_label_noise = True
    takes_void = True

    def __init__(self, hypotheses: HypothesisClass[Any], budget: Budget) -> None:
        super().__init__(hypotheses, budget)
        self.hypotheses: Lookup = require_lookup(hypotheses, self.method)
        self.mechanism = LabelSelection[Any](budget)
        most, source = self.hypotheses.most, "docs/proofs/lookup.md, Theorem 2"
        self._sizes = KeySizes(most, _miss_chances, self.mechanism, source)

    def draw(self, sample: Sample[Any], *, receipt: Receipt) -> LookupTable:
        # If all records of a key have the default label, it has no entry, whatever wins its race.
        named = np.flatnonzero(sample.counts[:, 1:].any(axis=1))
        keys = sample.points_at(named)
        # Keys that occur, with their counts; keys that do not occur are never looked at
        # (docs/proofs/lookup.md, Theorem 1).
        entries = self.mechanism.draw_counts(keys, sample.counts[named], receipt=receipt)
        return LookupTable(self.hypotheses.domain, self.hypotheses.labels, entries)

    def plan(self, alpha: float, beta: float, *, setting: Setting = "agnostic") -> Bound | None:
        """The size for realizable samples (docs/proofs/lookup.md, Theorem 2); None for others."""
        return self._sizes.plan(alpha, beta, setting)

    def is_enough(
        self, n: int, alpha: float, beta: float, *, setting: Setting = "agnostic"
    ) -> bool:
        return self._sizes.is_enough(n, alpha, beta, setting)


@lru_cache(maxsize=16)
def _miss_chances(mechanism: LabelSelection[Any]) -> NDArray[np.float64]:
    """1 - q(0), 1 - q(1), ..., until it is below 1e-30, which the margin covers."""
    require_curve(mechanism.budget)
    # From 1 on the weights grow by a factor of at most e^(epsilon / 2), up to 1e30.
    require_values(int(138 / mechanism.epsilon), MOST_STEPS)
    found = [1.0]
    while found[-1] > 1e-30:
        require_values(len(found), MOST_STEPS)
        if mechanism.weight(len(found) - 1)[0] >= 1:
            # 1 - q = 1 / (2 w) from here on, and w grows by the factor r.
            found.append(found[-1] / float(mechanism.base) * (1 + 1e-15))
        else:
            found.append(float(1 - mechanism.chance(len(found))))
    return np.array(found)
