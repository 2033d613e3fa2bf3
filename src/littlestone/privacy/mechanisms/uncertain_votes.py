"""What an uncertain answer of a vote costs: the largest moment over all numbers of votes."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from heapq import heappop, heappush

from littlestone.privacy.samplers.reals import Enclosure, power_of

_NEAR = Fraction(257, 256)
_FAR = 32  # beyond 32 N votes from the middle, one bound is good for all
_PLACES = 160  # binary places, and twice as many more as N has


def moment_per_hit(ratio: Fraction, order: int, voters: int, threshold: int) -> Fraction | None:
    """The largest factor by which an uncertain answer multiplies sum p^a q^(1 - a); None if unbounded.

    With r = ``ratio`` = 1 + 1 / N, a = ``order`` = b + 1, and the laws p and q of `BetweenThresholds`
    at neighbouring votes, it is the least G such that, at all votes,

        sum of p^a q^-b over uncertain answers  <=  G (1 - sum of p^a q^-b over certain answers).

    It is rounded up: G - 1 by at most 1/256 of itself.  The votes of k = ``voters`` are searched in
    O(log k) ranges, about a hundred: docs/proofs/private-prediction.md, Lemma 2.

    >>> round(float(moment_per_hit(Fraction(101, 100), 2, 10**6, 510_000)), 6)
    1.0001
    >>> round(float(moment_per_hit(Fraction(101, 100), 2, 9, 5)), 6)
    1.000222
    """
    question = _Question(ratio, order, voters, threshold)
    far = question.far
    ranges: list[tuple[bool, Fraction, int, int]] = []
    largest = Fraction(1)

    def add_range(first: int, last: int) -> None:
        if first <= last:
            bound = question.bound(first, last)
            heappush(ranges, (bound is not None, -(bound or Fraction(0)), first, last))

    # Three ranges at first: the middle, and two tails in which one bound holds for every vote.
    add_range(question.least, -far - 1)
    add_range(max(question.least, -far), min(question.most, far))
    add_range(far + 1, question.most)
    # The range with the largest bound is halved, until the factor of some vote comes near to it.
    while True:
        bounded, bound, first, last = heappop(ranges)
        # The range with the largest bound cannot be halved: its bound is the answer.
        if first == last or last < -far or first > far:
            return -bound if bounded else None
        middle = (first + last) // 2
        if bounded:
            largest = max(largest, question.bound(middle, middle) or largest)
            if -bound - 1 <= _NEAR * (largest - 1):
                return -bound
        add_range(first, middle)
        add_range(middle + 1, last)


class _Question:
    """Bounds for one question, by j: the votes for one label less half of the voters.

    That label has odds o = r^j.  A certain answer has weight w = h o for it and u = h' / o against it;
    with one vote more, these are r o, r w and u / r.  Whole numbers stand for multiples of 2^-places.
    """

    def __init__(self, ratio: Fraction, order: int, voters: int, threshold: int) -> None:
        self.far = int(_FAR / (ratio - 1))
        """Beyond this j, and below its opposite, all votes have one bound."""
        self.least = -(voters // 2)
        self.most = voters - 1 + self.least
        self._a, self._b, self._odd = order, order - 1, voters % 2
        self._up, self._down = ratio.numerator, ratio.denominator
        # The laws differ by about 1 / N^2.
        self._places = _PLACES + 2 * (self._down // (self._up - self._down)).bit_length()
        self._one = 1 << self._places
        self._falls, self._rises = self._power(-self._b)[1], self._power(self._b)[1]
        # Upper bounds are enough, because the factors grow with both.
        self._for = self._power(voters // 2 - threshold)[1]
        self._against = _above(self._for * self._up**self._odd, self._down**self._odd)

    def bound(self, first: int, last: int) -> Fraction | None:
        """At least the factors of all votes from ``first`` to ``last``; None if there is no bound."""
        low = self._power(first)[0] if first >= -self.far else None
        high = self._power(last)[1] if last <= self.far else None
        rest = self._rest(low, high)
        if rest <= 0:
            return None
        # Half of an odd number is rounded: with the labels exchanged, the odds are o / r.
        least = low * self._down // self._up if low and self._odd else low
        return max(Fraction(1), Fraction(self._moment_of_label(least, high), rest))

    def _rest(self, low: int | None, high: int | None) -> int:
        """At most X^a / Y^b - u r^b - w r^-b for odds in a range; X and Y are the sums of weights.

        It is at least A - u B - w C by the tangent at any slope s, and u B + w C is convex in o.
        """
        s = self._slope(low, high)
        plus = self._a * power_of(s, self._b, self._places)[0]
        minus = self._b * power_of(s, self._a, self._places)[1]
        B = self._rises - plus + _above(minus * self._down, self._up)
        C = self._falls - plus + _above(minus * self._up, self._down)
        ends = [o for o in (low, high) if o is not None]
        # B is 0 if the range has no low end, and C if it has no high end.
        most = max(
            (_above(self._against * B, o) if low is not None else 0)
            + (_above(self._for * C * o, self._one**2) if high is not None else 0)
            for o in ends
        )
        return plus - minus - most

    def _slope(self, low: int | None, high: int | None) -> Enclosure:
        """About X / Y in the middle of a range; its limit r or 1 / r if the range has no end."""
        if low is None or high is None:
            return self._power(1 if low is None else -1)
        o = (low + high) // 2
        u, w = (self._against << self._places) // o, self._for * o >> self._places
        Y = self._one + u * self._down // self._up + w * self._up // self._down
        s = ((self._one + u + w) << self._places) // Y
        return s, s

    def _moment_of_label(self, low: int | None, high: int | None) -> int:
        """At least the moment of the label of an uncertain answer, for odds in a range."""
        p, q = self._worst_odds
        if low is not None and low * q > p * self._one:
            return self._label_moment(low, self._one)
        if high is not None and high * q < p * self._one:
            return self._label_moment(high, self._one)
        return self._worst_label

    @cached_property
    def _worst_odds(self) -> tuple[int, int]:
        """The odds, as a fraction, below which the moment of a label grows and above which it falls."""
        r, t = Fraction(self._up, self._down), Fraction(self._falls, self._one)
        worst = (t + self._b * r - self._a) / (r + self._b * t - self._a * r * t)
        return worst.numerator, worst.denominator

    @cached_property
    def _worst_label(self) -> int:
        return self._label_moment(*self._worst_odds)

    def _label_moment(self, p: int, q: int) -> int:
        """(1 + o r^-b) (1 + r o)^b / (1 + o)^a at o = p / q, rounded up."""
        moved = _above((q * self._down + p * self._up) << self._places, self._down * (q + p))
        stayed = _above(q * self._one + p * self._falls, q + p)
        moments = power_of((moved, moved), self._b, self._places)
        return _above(stayed * moments[1], self._one)

    def _power(self, j: int) -> Enclosure:
        """Numbers around r^j."""
        up, down = (self._up, self._down) if j > 0 else (self._down, self._up)
        x = (up << self._places) // down
        return power_of((x, x + 1), abs(j), self._places)


def _above(x: int, y: int) -> int:
    """X / y, rounded up."""
    return -(-x // y)
