"""The online game of several labels: the standard optimal algorithm, and its adversaries."""

from __future__ import annotations

import random

from littlestone.domains import Point
from littlestone.errors import RealizabilityError
from littlestone.multiclass import MulticlassClass
from littlestone.online.adversaries import Adversary
from littlestone.online.base import Player, require_label


class MulticlassSOA(Player[Point]):
    """Predict the least y of the largest MLS(V|(x,y)), then keep V|(x,y) for the true label y.

    **At most MLS(H) mistakes on every realizable sequence** (DSBS11): if y is the truth and another
    label was predicted, MLS(V|(x,y)) < MLS(V), or both would keep it, and below (x; y, prediction)
    hang two trees that make one of depth MLS(V) + 1.  No deterministic learner promises fewer:
    `MulticlassTreeAdversary`.

    Raises `EmptyClassError` for an empty class, `DeclarationError` for a point outside the domain or a
    label that is none, and `RealizabilityError` for a label that no function left could give; the
    player is then as it was before.

    >>> from littlestone.multiclass import TableClass
    >>> from littlestone.online import play
    >>> H = TableClass.of([[x, y] for x in range(3) for y in range(4)])
    >>> play(MulticlassSOA(H), MulticlassTreeAdversary(H)).mistakes
    2
    """

    def __init__(self, H: MulticlassClass[Point]) -> None:
        H.require_learnable()
        self.version_space, self.labels = H, len(H.labels)
        self.mistake_bound = H.littlestone_dimension()

    def predict(self, x: Point) -> int:
        self.version_space.domain.require(x)
        return self.version_space.soa_label(x)

    def update(self, x: Point, y: int) -> None:
        require_label(y, self.labels)
        kept = self.version_space.restrict(x, y)
        if kept.is_empty():
            raise RealizabilityError(
                f"learn that {kept.domain.words(x)!r} has the label {kept.labels[y]}",
                found="every function that agrees with the examples before gives it another label",
                fix="declare a larger class, or correct the label",
            )
        self.version_space = kept


class MulticlassTreeAdversary(Adversary[Point]):
    """Walks down a tree that H shatters, and gives of the two labels of a node one not predicted.

    It forces **exactly MLS(H) mistakes, in as many rounds, on every deterministic learner**, and
    every branch agrees with a function of H.  Node by node it is the `mistake_question` of the version
    space, so the walk ends after MLS(H) rounds also where a learner errs without need.

    >>> from littlestone.multiclass import TableClass
    >>> adversary = MulticlassTreeAdversary(TableClass.of([[0], [2]]))
    >>> adversary.next_point(), adversary.label("x0", 0), adversary.next_point()
    ('x0', 2, None)
    """

    def __init__(self, H: MulticlassClass[Point]) -> None:
        self.version_space = H
        self.depth_left = H.littlestone_dimension()
        self._labels = (0, 0)

    def next_point(self) -> Point | None:
        question = self.version_space.mistake_question() if self.depth_left > 0 else None
        if question is None:
            return None
        x, *labels = question
        self._labels = (labels[0], labels[1])
        return x

    def label(self, x: Point, prediction: int) -> int:
        one, other = self._labels
        y = other if prediction == one else one
        self.version_space = self.version_space.restrict(x, y)
        self.depth_left -= 1
        return y


class MulticlassRandomAdversary(Adversary[Point]):
    """Random points, with labels drawn among those that leave a function of H; endless.

    ``rng`` is the system's generator unless a seeded one is given, to repeat a simulation.

    >>> from littlestone.multiclass import TableClass
    >>> adversary = MulticlassRandomAdversary(TableClass.of([[2]]), rng=random.Random(0))
    >>> adversary.label(adversary.next_point(), 0)
    2
    """

    endless = True

    def __init__(self, H: MulticlassClass[Point], *, rng: random.Random | None = None) -> None:
        H.require_learnable()
        self.version_space = H
        self.rng = random.SystemRandom() if rng is None else rng

    def next_point(self) -> Point:
        return self.version_space.domain.random_point(self.rng)

    def label(self, x: Point, prediction: int) -> int:
        left = [self.version_space.restrict(x, y) for y in range(len(self.version_space.labels))]
        y = self.rng.choice([y for y, V in enumerate(left) if not V.is_empty()])
        self.version_space = left[y]
        return y
