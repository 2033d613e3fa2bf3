"""Online learners of the game: SOA, its extension and Halving, experts where nothing fits, and oracles.

The learner of an oracle knows nothing of its class but consistent hypotheses.
"""

from __future__ import annotations

import math
import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from math import comb
from typing import Any, Generic, Self, TypeVar

from littlestone.base.errors import (
    DeclarationError,
    RealizabilityError,
    TooLargeError,
    require_generator,
)
from littlestone.classes.base import HypothesisClass, plurality_label, require_class
from littlestone.classes.thresholds import Thresholds
from littlestone.points import Names, Point
from littlestone.points.labels import require_label
from littlestone.privacy.parameters import require_whole
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


class DrawingPlayer(Player[Point]):
    """A player that draws its predictions."""

    @abstractmethod
    def chances(self, x: Point) -> Sequence[Any]:
        """The probability with which each label of ``x`` is predicted."""


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


MOST_ROUNDS, MOST_SPACES = 10**12, 200_000


class AgnosticExperts(DrawingPlayer[Point]):
    """Exponential weights on the version spaces of H: a label is drawn by their vote.

    Every sequence of labels that some hypothesis gives to the points seen so far is an expert.  Those
    that agree so far are one state, their version space V, with the weight w(V): no expert is listed.
    With n rounds left, x asked and K labels,

        N(n, l) = sum_(i <= l) C(n, i) (K - 1)^i,  N(n, -1) = 0,
        V passes on to V|(x,y) the share N(n - 1, LDim(V|(x,y))) of its weight, out of their sum,
        Pr[predict y] = the share of all weight that goes to y,

    and what goes to another label than the true one is multiplied by e^-eta, where
    eta = sqrt(8 ln N(T, d) / T).

    **The expected number of mistakes in T rounds is at most that of the best h in H plus
    sqrt(T ln N(T, d) / 2)**, d = LDim(H), for points and labels that may depend on all earlier draws
    (docs/proofs/regret.md, Theorem 1).  BPS09 has one expert for each set of at most d rounds in which
    the standard optimal algorithm errs; SSBD14, Theorem 21.10, has sqrt(2 T ln N).

    ``H`` has 0 <= LDim(H) < infinity, and ``horizon`` is T, at most 10^12.  ``rng`` draws the labels,
    by default the system's generator.  Weights are floats.  Not private.  A round takes a `restrict`
    for each label and state, and there are at most N(t, d) states after t rounds; beyond ``most``
    `update` raises `TooLargeError`.  Another round after the last one raises `DeclarationError`.

    >>> from littlestone.classes import Thresholds
    >>> learner = AgnosticExperts(Thresholds.on(0, 6), horizon=100)
    >>> round(learner.regret_bound, 1), learner.chances(3)
    (24.5, [0.5, 0.5])
    >>> for x, y in [(5, 0), (2, 1)] * 50:  # the best threshold errs on half of these records
    ...     learner.update(x, y)
    >>> round(learner.expected_mistakes, 1)
    53.8
    """

    method = "agnostic"

    def __init__(
        self,
        H: HypothesisClass[Point],
        *,
        horizon: int,
        rng: random.Random | None = None,
        most: int = MOST_SPACES,
    ) -> None:
        require_class(H)
        H.require_learnable()
        if rng is not None:
            require_generator(rng)
        require_whole("the most version spaces", most, least=1)
        require_whole("the number of rounds", horizon, least=1)
        if horizon > MOST_ROUNDS:
            raise TooLargeError(
                f"play about 2^{horizon.bit_length()} rounds with {H}",
                found=f"a learner plays at most {MOST_ROUNDS:,}",
                fix="declare fewer rounds, and begin with a new learner after them",
            )
        self.domain, self.labels, self.horizon = H.domain, H.labels, horizon
        # ln N(T, d), the bound and e^-eta are those of docs/proofs/regret.md, Theorem 1.
        experts = math.log(_patterns(horizon, int(H.littlestone_dimension()), H.labels))
        self.regret_bound = math.sqrt(horizon * experts / 2)
        self.kept = math.exp(-math.sqrt(8 * experts / horizon))
        self.rounds_left, self.expected_mistakes = horizon, 0.0
        self._most = most
        self._rng = random.SystemRandom() if rng is None else rng
        self._weights: dict[HypothesisClass[Point], float] = {H: 1.0}

    @classmethod
    def make(cls, H: HypothesisClass[Point], *, rounds: int | None) -> Self:
        if rounds is None:
            raise DeclarationError(
                f"play {H} with the learner {cls.method}",
                found="its learning rate depends on the number of rounds",
                fix="give --rounds, such as --rounds 100",
            )
        return cls(H, horizon=max(1, rounds))

    def chances(self, x: Point) -> list[float]:
        parts = self._parts(x)
        found = [math.fsum(weight for _, weight, y in parts if y == label)
                 for label in range(self.labels)]  # fmt: skip
        whole = math.fsum(found)
        return [chance / whole for chance in found]

    def predict(self, x: Point) -> int:
        return self._rng.choices(range(self.labels), self.chances(x))[0]

    def update(self, x: Point, y: int) -> None:
        require_label(y, self.labels)
        parts = self._parts(x)
        after = {V: weight * (1.0 if label == y else self.kept) for V, weight, label in parts}
        if len(after) > self._most:
            raise TooLargeError(
                f"learn from round {self.horizon - self.rounds_left + 1:,}",
                found=f"more than {self._most:,} version spaces are left",
                fix="allow more, or declare a class of smaller Littlestone dimension",
            )
        whole = math.fsum(weight for _, weight, _ in parts)
        wrong = math.fsum(weight for _, weight, label in parts if label != y)
        self.expected_mistakes += wrong / whole
        largest = max(after.values())  # so that no sum underflows
        self._weights = {V: weight / largest for V, weight in after.items()}
        self.rounds_left -= 1

    def _parts(self, x: Point) -> list[tuple[HypothesisClass[Point], float, int]]:
        """What every version space passes on: the smaller one, the weight and the label."""
        self.domain.require(x)
        if not self.rounds_left:
            raise DeclarationError(
                f"play round {self.horizon + 1:,}",
                found=f"{self.horizon:,} rounds were declared",
                fix="declare as many rounds as there are, with horizon=...",
            )
        counted: dict[int, int] = {}
        found: list[tuple[HypothesisClass[Point], float, int]] = []
        for V, weight in self._weights.items():
            sides = [(V.restrict(x, y), y) for y in range(self.labels)]
            # The shares of step 1: N(n - 1, the dimension of the side), which add up to at most
            # N(n, d).
            shares: list[int] = []
            for side, _ in sides:
                d = int(side.littlestone_dimension())
                if d not in counted:
                    counted[d] = _patterns(self.rounds_left - 1, d, self.labels)
                shares.append(counted[d])
            whole = sum(shares)
            found += [
                (side, weight * (share / whole), y)
                for (side, y), share in zip(sides, shares, strict=True)
                # A share of 0 is that of an empty side, of dimension -1.
                if share
            ]
        return found


def _patterns(n: int, d: int, labels: int) -> int:
    """N(n, d): the label sequences of a class of Littlestone dimension d on a tree of depth n, at most.

    >>> [_patterns(5, d, 2) for d in (-1, 0, 1, 2)], _patterns(2, 2, 3)
    ([0, 1, 6, 16], 9)
    """
    return sum(comb(n, i) * (labels - 1) ** i for i in range(d + 1))


Rule = Callable[[Any], int]
Example = tuple[Any, int]


class OracleLearner(Player[Any]):
    """A learner of two labels that asks an oracle for hypotheses of a class, and knows nothing else.

    ``ask(examples)`` returns a hypothesis of the class that agrees with all examples so far.  It is
    asked at the start and after each mistake.  At a point that was seen the prediction is its label.
    The learner runs A_0 until LDim(H) > 0 is proved, then A_1, and so on.  A_(-1) takes one rule.  A_d

    1. keeps pairs of runs of A_(d-1), for the two labels that the rules may give to a point to come.
       The speakers of the pairs vote, and a pair weighs 8^-(its errors).  After a mistake each pair
       that erred is split: the next rule is for the speaker's side, or for the other one.
    2. When each pair has a run that is done, every x has a label y for which the rules with f(x) = y
       have LDim >= d.  A_d predicts it.
    3. After a mistake there it begins A_(d-1) again, with rules of the other label: once that is done
       as well, the rules have LDim > d.

    **Fewer than 10^d mistakes on every realizable sequence, if 1 <= d = LDim(H)**, whatever the oracle
    answers (docs/proofs/oracles.md).  KS24 has O(256^d), and at least 3^d for every such learner.
    There are up to 2^mistakes pairs, so it is for small classes.

    >>> from littlestone.classes import FiniteClass
    >>> from littlestone.theory.game import TreeAdversary, play
    >>> H = FiniteClass.from_array([[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1]])
    >>> def ask(examples):
    ...     V = H
    ...     for x, y in examples:
    ...         V = V.restrict(x, y)
    ...     return next(iter(V))
    >>> play(OracleLearner(ask), TreeAdversary(H)).mistakes, most_mistakes(2)
    (2, 73)
    """

    def __init__(self, ask: Callable[[Sequence[Example]], Rule]) -> None:
        self.ask = ask
        self.seen: dict[Any, int] = {}
        self.run = _begin(0, ask([]))

    def predict(self, x: Any) -> int:
        return self.seen[x] if x in self.seen else self.run.predict(x)

    def update(self, x: Any, y: int) -> None:
        require_label(y, 2)
        erred = self.predict(x) != y
        seen = {**self.seen, x: y}
        if erred:
            rule = self.ask(list(seen.items()))
            self.run = self.run.learn(x, y, rule)
            while self.run.is_done:
                self.run = _begin(self.run.d + 1, rule)
        self.seen = seen


def most_mistakes(d: int) -> int:
    """The most mistakes of `OracleLearner` on a class of Littlestone dimension d.

    It is the sum of m_i - 1 for i = 0, ..., d, less 1, with the m_i of `proving_rules`.

    >>> [most_mistakes(d) for d in range(4)]
    [0, 7, 73, 720]
    """
    return sum(proving_rules(i) - 1 for i in range(d + 1)) - 1


def proving_rules(d: int) -> int:
    """m_d: so many rules of the oracle, one after each mistake of a run of depth d, have LDim > d.

        m_(-1) = 1,  m_d = m_(d-1) + 1 + K,  K >= 0 the least with (5/8)^K < 8^(3 - 2 m_(d-1)).

    >>> [proving_rules(d) for d in range(-1, 4)]
    [1, 2, 8, 67, 648]
    """
    if d < 0:
        return 1
    before, K = proving_rules(d - 1), 0
    while 5**K * 8 ** (2 * before) >= 8 ** (K + 3):
        K += 1
    return before + 1 + K


@dataclass(frozen=True)
class _Run:
    """A learner of mistakes and rules: with m_d rules, those that it took have LDim > d.

    It begins with a rule, and takes another one after each of its mistakes.
    """

    d: int
    taken: tuple[Rule, ...]
    pairs: tuple[_Pair, ...] = ()
    proofs: tuple[tuple[Rule, ...], ...] = ()
    """Rules of runs of depth d - 1 that are done.  With no pair left, one of them agrees at each x."""
    last: _Run | None = None

    @property
    def is_done(self) -> bool:
        return self.d < 0 or (self.last is not None and self.last.is_done)

    def predict(self, x: Any) -> int:
        if self.last is not None:
            return self.last.predict(x)
        if not self.pairs:
            return next(rules[0](x) for rules in self.proofs if len({f(x) for f in rules}) == 1)
        votes = {0: 0, 1: 0}
        most = max(pair.errors for pair in self.pairs)
        for pair in self.pairs:
            votes[pair.speaker.predict(x)] += 8 ** (most - pair.errors)
        return int(votes[1] > votes[0])

    def learn(self, x: Any, y: int, rule: Rule) -> _Run:
        """The run after a mistake at x, where the label is y, and the next rule."""
        taken = (*self.taken, rule)
        if self.last is not None:
            return replace(self, taken=taken, last=self.last.learn(x, y, rule))
        if not self.pairs:
            return replace(self, taken=taken, last=_begin(self.d - 1, rule))
        pairs: list[_Pair] = []
        for pair in self.pairs:
            pairs += [pair] if pair.speaker.predict(x) == y else pair.split(x, y, rule)
        return replace(self, taken=taken)._settle(pairs)

    def _settle(self, pairs: Sequence[_Pair]) -> _Run:
        done = [pair.speaker.taken for pair in pairs if pair.speaker.is_done]
        left = tuple(pair for pair in pairs if not pair.speaker.is_done)
        return replace(self, pairs=left, proofs=(*self.proofs, *done))


@dataclass(frozen=True)
class _Pair:
    """Two runs of depth d - 1, one for each label that the rules may give to a point to come."""

    errors: int
    speaker: _Run
    silent: _Run | None = None
    missed: Example | None = None
    """The last mistake of the silent run, after which it waits for a rule."""

    def split(self, x: Any, y: int, rule: Rule) -> list[_Pair]:
        """After a mistake of the speaker: the rule is for its side, or for that of the silent run."""
        if self.silent is None or self.missed is None:
            other = _begin(self.speaker.d, rule)
        else:
            other = self.silent.learn(*self.missed, rule)
        return [
            replace(self, errors=self.errors + 1, speaker=self.speaker.learn(x, y, rule)),
            _Pair(self.errors + 1, other, self.speaker, (x, y)),
        ]


def _begin(d: int, rule: Rule) -> _Run:
    run = _Run(d, (rule,))
    return run if d < 0 else run._settle([_Pair(0, _begin(d - 1, rule))])
