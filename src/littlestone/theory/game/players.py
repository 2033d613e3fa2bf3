"""Online learners of the game: the standard optimal algorithm, its extension, and Halving."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Generic, Self, TypeVar

from littlestone.base.errors import DeclarationError, RealizabilityError
from littlestone.classes.base import HypothesisClass, plurality_label, require_class
from littlestone.classes.thresholds import Thresholds
from littlestone.points import Names, Point
from littlestone.points.labels import require_label
from littlestone.rules import Hypothesis, TableFunction

Class = TypeVar("Class", bound=HypothesisClass[Any])


class Player(ABC, Generic[Point]):
    """A player that sees x_t, predicts a label and learns y_t in the online game.

    See lecture 5, section 4.  A player has state.  Only `update` changes it, and an `update` that
    raises changes nothing.
    """

    method: str = ""
    """Its name for `littlestone theory play`; empty if it is not played there."""

    labels: int = 2
    """The number k + 1 of the labels 0, ..., k of the game."""

    @classmethod
    def make(cls, H: HypothesisClass[Point], *, rounds: int | None) -> Self:
        """The learner of H for a game of that many rounds, or until the adversary stops."""
        return cls(H)  # type: ignore[call-arg]

    @abstractmethod
    def predict(self, x: Point) -> int:
        """Predict the label of ``x``; this changes nothing."""

    @abstractmethod
    def update(self, x: Point, y: int) -> None:
        """Learn that the label of ``x`` is ``y``."""


class OnlineLearner(Player[Point]):
    """A player that predicts with a hypothesis."""

    @property
    @abstractmethod
    def hypothesis(self) -> Hypothesis[Point]:
        """The current function, which `predict` uses until the next `update`."""


def consistent(version_space: Class, x: Any, y: int) -> Class:
    """The version space V|(x,y), checked to be nonempty.

    Raises `DeclarationError` if y is not a label, and `RealizabilityError` if no hypothesis of V gives
    ``x`` the label ``y``.

    >>> from littlestone.classes import Thresholds
    >>> consistent(Thresholds.on(0, 9), 4, 1).size
    5
    """
    require_label(y, version_space.labels)
    kept = version_space.restrict(x, y)
    if kept.is_empty():
        raise RealizabilityError(
            f"learn that {version_space.domain.words(x)!r} has the label {y}",
            found="every hypothesis that agrees with the examples before gives it another label",
            fix="declare a larger class, or correct the label: the game needs one hypothesis that "
            "agrees with all labels",
        )
    return kept


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


@dataclass(frozen=True)
class ExtendedSOA(Generic[Point]):
    """The state of the SOA after a sequence; immutable, so a sequence can be extended in several ways.

    While the sequence is realizable, the rule is SOA_V of the version space V.  When an example would
    leave V empty, V no longer changes: that example and each later (x, y) only set the rule's label of
    x to y (BLM20, Definition 8).  So the rule is SOA_V except at the points of ``set_labels``.  The
    rule agrees with every realizable sequence, and with the last examples of any other sequence.

    >>> from littlestone.classes import Thresholds
    >>> start = ExtendedSOA(Thresholds.on(0, 9))
    >>> start.after([(3, 1), (2, 0)]).hypothesis().words()
    'x >= 3'
    >>> start.after([(3, 1), (2, 0), (7, 0)]).hypothesis().words()
    '3 <= x < 7 or x >= 8'
    """

    version_space: HypothesisClass[Point]
    set_labels: frozenset[tuple[Point, int]] = frozenset()
    """Pairs (x, y) with a label y other than SOA_V(x), at most one for each x."""
    realizable: bool = True

    def update(self, x: Point, y: int) -> ExtendedSOA[Point]:
        """The state after one more example; costs one `restrict`."""
        if self.realizable:
            V = self.version_space.restrict(x, y)
            if not V.is_empty():
                return ExtendedSOA(V)
        # Only the last label of a point counts.
        others = frozenset(pair for pair in self.set_labels if pair[0] != x)
        right = self.version_space.soa_label(x) == y
        return replace(self, set_labels=others if right else others | {(x, y)}, realizable=False)

    def after(self, examples: Iterable[tuple[Point, int]]) -> ExtendedSOA[Point]:
        """The state after all of ``examples``, in their order."""
        state = self
        for x, y in examples:
            state = state.update(x, y)
        return state

    def hypothesis(self) -> Hypothesis[Point] | None:
        """The rule; None if the class's kind of function cannot represent the set labels."""
        return self.version_space.soa().patch(dict(self.set_labels))


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
                found="it has infinitely many hypotheses, or too many to count",
                fix="use the standard optimal algorithm, which needs only a finite Littlestone "
                "dimension",
            )
        self.version_space, self.labels = H, H.labels
        # floor(log2 |H|): each mistake leaves at most half of V, and V keeps one hypothesis.
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
