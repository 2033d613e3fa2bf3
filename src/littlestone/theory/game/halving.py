"""Halving: the majority vote of a finite version space."""

from __future__ import annotations

from typing import Any

from littlestone.base.errors import DeclarationError
from littlestone.classes.base import HypothesisClass, plurality_label, require_class
from littlestone.classes.thresholds import Thresholds
from littlestone.points import Names, Point
from littlestone.rules import Hypothesis, TableFunction
from littlestone.theory.game.base import OnlineLearner, consistent


class Halving(OnlineLearner[Point]):
    """Halving predicts the label that most of the version space V_t gives, the last if tied.

        argmax_y |{h in V_t : h(x) = y}|

    **At most floor(log2 |H|) mistakes on every realizable sequence** (lecture 5, section 4): every
    mistake leaves at most half of V_t, because at least as many hypotheses give the prediction as the
    true label, and V_t keeps at least one.  In the worst case Halving makes at least LDim(H) mistakes,
    the bound of the standard optimal algorithm, and sometimes many more.

    ``H`` is a class of finitely many hypotheses.  Raises `DeclarationError` for an infinite class, and
    otherwise the same errors as `StandardOptimalAlgorithm`.  One prediction costs one `restrict`.

    >>> import numpy as np
    >>> from littlestone.classes import FiniteClass
    >>> H = FiniteClass.from_array(np.eye(8, dtype=int))
    >>> Halving(H).mistake_bound, H.littlestone_dimension()
    (3, 1)
    """

    method = "halving"

    def __init__(self, H: HypothesisClass[Point]) -> None:
        require_class(H)
        H.require_learnable()
        if H.size is None:
            raise DeclarationError(
                f"take majority votes of {H}",
                found="its hypotheses are infinitely many or too many to count, so no half is known",
                fix="use the standard optimal algorithm, which needs only a finite Littlestone "
                "dimension",
            )
        self.version_space, self.labels = H, H.labels
        self.mistake_bound = H.size.bit_length() - 1

    @property
    def hypothesis(self) -> Hypothesis[Point]:
        return majority(self.version_space)

    def predict(self, x: Point) -> int:
        self.version_space.domain.require(x)
        return plurality_label(self.version_space, x)

    def update(self, x: Point, y: int) -> None:
        self.version_space = consistent(self.version_space, x, y)


def majority(V: HypothesisClass[Any]) -> Hypothesis[Any]:
    """The majority vote of V in canonical form: x -> the label that most of V gives, the last if tied.

    Over named points the vote is a table, at the cost of one `restrict` per point.  Thresholds form a
    chain, and its majority vote is its (lower) median: O(1).  For other functions the majority may be
    of another kind or have no short form (a vote of parities).  This function then raises
    `DeclarationError`; `Halving.predict` still finds every single label.

    >>> majority(Thresholds.on(0, 8)).words()
    'x >= 4'
    """
    V.require_learnable()
    if isinstance(V.domain, Names):
        given = (plurality_label(V, x) for x in V.domain)
        return TableFunction.from_labels(V.domain, given, V.labels)
    if isinstance(V, Thresholds) and V.size is not None:
        return V.hypothesis((V.size - 1) // 2)
    raise DeclarationError(
        f"write down the majority vote of {V}",
        found="it has no canonical form over this domain",
        fix="ask for its labels one by one with predict(), or use the standard optimal algorithm",
    )
