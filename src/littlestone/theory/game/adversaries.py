"""Adversaries of the online game that choose their sequence during the game."""

from __future__ import annotations

import math
import random
from abc import ABC, abstractmethod
from typing import Generic

from littlestone.base.errors import DeclarationError, require_generator
from littlestone.classes.base import Enumerable, HypothesisClass, require_class
from littlestone.points import Point
from littlestone.rules import Hypothesis


class Adversary(ABC, Generic[Point]):
    """The learner's opponent in the online game: picks x_t, sees the prediction, reveals y_t."""

    endless: bool = False
    """Whether `next_point` never returns None.  A game then needs a number of rounds."""

    @abstractmethod
    def next_point(self) -> Point | None:
        """The point x_t of the next round; None if the adversary has no more points."""

    @abstractmethod
    def label(self, x: Point, prediction: int) -> int:
        """The label y_t of ``x``, which is the last point that `next_point` returned."""


class TreeAdversary(Adversary[Point]):
    """Walks down a tree that H shatters and contradicts the prediction in every round.

    The lower bound of lecture 5, Theorem 2: a shattered tree of depth LDim(H) forces **exactly
    LDim(H) mistakes, in as many rounds, on every deterministic learner**, and every branch agrees
    with a hypothesis of H.  Each node of the tree is the `mistake_point` of the version space.  The
    answer is the least label that is not predicted and keeps a tree as deep as needed.  The adversary
    is endless if LDim(H) is infinite, and plays no round if LDim(H) <= 0.

    >>> from littlestone.classes import Thresholds
    >>> adversary = TreeAdversary(Thresholds.on(0, 6))
    >>> adversary.next_point(), adversary.label(3, 0), adversary.next_point()
    (3, 1, 1)
    """

    def __init__(self, H: HypothesisClass[Point]) -> None:
        require_class(H)
        self.version_space = H
        self.depth_left = H.littlestone_dimension()
        self.endless = self.depth_left == math.inf

    def next_point(self) -> Point | None:
        # After an unnecessary mistake, the version space may have a larger dimension than the subtree;
        # the walk still ends at the leaf.
        return self.version_space.mistake_point() if self.depth_left > 0 else None

    def label(self, x: Point, prediction: int) -> int:
        V = self.version_space
        others = [y for y in range(V.labels) if y != prediction]
        if (
            V.labels == 2
        ):  # both labels keep a subtree, so the dimension, which may be slow, is not needed
            y = others[0]
        else:
            least = self.depth_left - 1
            y = next(y for y in others if V.restrict(x, y).littlestone_dimension() >= least)
        self.version_space = V.restrict(x, y)
        self.depth_left -= 1
        return y


class RandomAdversary(Adversary[Point]):
    """Random points of the domain, labelled by one function of the class: realizable and endless.

    The function is ``target``, a hypothesis of H, if it is given.  Otherwise it is drawn from H.  If H
    is finite, the draw is uniform.  If H is infinite, each label is drawn uniformly from those that
    some remaining hypothesis gives, so one hypothesis agrees with all labels at every round.  ``rng``
    is the system's generator by default; give a seeded generator to repeat a simulation.

    Raises `DeclarationError` if H is empty or ``target`` is on another domain.

    >>> from littlestone.classes import Thresholds
    >>> H = Thresholds.on(0, 9)
    >>> RandomAdversary(H, rng=random.Random(0), target=H.hypothesis(4)).label(7, prediction=0)
    1
    """

    endless = True

    def __init__(
        self,
        H: HypothesisClass[Point],
        *,
        rng: random.Random | None = None,
        target: Hypothesis[Point] | None = None,
    ) -> None:
        require_class(H)
        if rng is not None:
            require_generator(rng)
        if H.is_empty() or (target is not None and target.domain != H.domain):
            raise DeclarationError(
                f"draw a target from {H}",
                found="it is empty" if target is None else "the given target is on another domain",
                fix="give a class with at least one hypothesis, and a target that is one of them",
            )
        self.version_space = H
        self.rng = random.SystemRandom() if rng is None else rng
        if target is None and isinstance(H, Enumerable) and H.size is not None:
            target = H.hypothesis(self.rng.randrange(H.size))
        self.target = target

    def next_point(self) -> Point:
        return self.version_space.domain.random_point(self.rng)

    def label(self, x: Point, prediction: int) -> int:
        if self.target is not None:
            return self.target(x)
        left = [self.version_space.restrict(x, y) for y in range(self.version_space.labels)]
        sizes = [V.size for V in left]
        known = [size for size in sizes if size is not None]
        if len(known) == len(left):
            # Labels drawn in proportion to the sizes are the labels of one uniform hypothesis.
            u = self.rng.randrange(sum(known))
            y = next(y for y in reversed(range(len(known))) if u < sum(known[y:]))
        else:
            possible = [y for y, V in enumerate(left) if not V.is_empty()]
            y = possible[self.rng.randrange(len(possible))] if len(possible) > 1 else possible[0]
        self.version_space = left[y]
        return y
