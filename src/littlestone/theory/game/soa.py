"""The standard optimal algorithm: the deterministic online learner with the fewest mistakes."""

from __future__ import annotations

from littlestone.classes.base import HypothesisClass, require_class
from littlestone.points import Point
from littlestone.rules import Hypothesis
from littlestone.theory.game.base import OnlineLearner, consistent


class StandardOptimalAlgorithm(OnlineLearner[Point]):
    """The SOA predicts the label that keeps the Littlestone dimension of the version space V_t.

    In round t it predicts

        SOA_{V_t}(x) = the least y for which LDim(V_t|(x,y)) = LDim(V_t)

    (Lyu25, section 4, for two labels), then keeps V_{t+1} = V_t|(x_t,y_t).  This is lecture 5's
    argmax_y LDim(V_t|(x,y)) (Definition 6) unless no label keeps the dimension.  Then the prediction is
    the last label that some hypothesis of V_t gives, so it is a canonical function of V_t.

    **At most LDim(H) mistakes on every realizable sequence** (lecture 5, Lemma 1; for several labels
    DSBS11), the fewest that any deterministic learner can promise (Theorem 2).  A label that keeps
    LDim(V_t) is the prediction, or two would keep it and shatter a tree of depth LDim(V_t) + 1; so
    every mistake lowers LDim(V_t), which starts at LDim(H) and stays at least 0.

    ``H`` is a class with 0 <= LDim(H) < infinity.  Raises `EmptyClassError` or
    `InfiniteDimensionError` for any other class, `DeclarationError` for a point outside the domain, and
    `RealizabilityError` for a label that no remaining hypothesis gives; the learner is then unchanged.
    A prediction costs one `soa_label`, and an update one `restrict`.

    >>> from littlestone.classes import Thresholds
    >>> from littlestone.theory.game import TreeAdversary, play
    >>> H = Thresholds.on(0, 2**20 - 2)
    >>> play(StandardOptimalAlgorithm(H), TreeAdversary(H)).mistakes
    20
    >>> from littlestone.classes import FiniteClass
    >>> H = FiniteClass.from_array([[x, y] for x in range(3) for y in range(4)], labels=4)
    >>> play(StandardOptimalAlgorithm(H), TreeAdversary(H)).mistakes
    2
    """

    method = "soa"

    def __init__(self, H: HypothesisClass[Point]) -> None:
        require_class(H)
        H.require_learnable()
        self.version_space, self.labels = H, H.labels
        self.mistake_bound = int(H.littlestone_dimension())

    @property
    def hypothesis(self) -> Hypothesis[Point]:
        return self.version_space.soa()

    def predict(self, x: Point) -> int:
        self.version_space.domain.require(x)
        return self.version_space.soa_label(x)

    def update(self, x: Point, y: int) -> None:
        self.version_space = consistent(self.version_space, x, y)
