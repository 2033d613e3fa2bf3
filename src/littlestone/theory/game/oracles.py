"""An online learner that knows nothing of its class but an oracle for consistent hypotheses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from littlestone.points.labels import require_label
from littlestone.theory.game.players import Player

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
