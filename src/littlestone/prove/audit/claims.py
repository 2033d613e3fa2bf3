"""Exact audits: the claims of a mechanism against its output distributions on tiny neighbours.

Everything that decides a verdict is a rational number.  An audit of tiny data sets proves nothing about
large ones, but a mistake that breaks a guarantee nearly always shows on three records.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from itertools import chain, combinations, combinations_with_replacement, product
from typing import Generic, TypeVar

from littlestone.base.errors import DeclarationError
from littlestone.base.work import spread
from littlestone.privacy.cost import PrivacyCost
from littlestone.privacy.event import Event
from littlestone.privacy.rational import exp_below

Record = TypeVar("Record")
Output = TypeVar("Output", bound=Hashable)


def neighbours(
    records: Sequence[Record], n: int, *, ordered: bool = True
) -> Iterator[tuple[tuple[Record, ...], tuple[Record, ...]]]:
    """Every pair of data sets of n >= 1 records that differ in one record, each pair once.

    With r possible ``records`` these are n r^(n-1) r(r-1)/2 pairs of sequences.  For a mechanism that
    is known to read a multiset, ``ordered=False`` gives each pair of multisets once.

    >>> list(neighbours("ab", 1))
    [(('a',), ('b',))]
    >>> len(list(neighbours("ab", 3))), len(list(neighbours("ab", 3, ordered=False)))
    (12, 3)
    """
    rests: Iterator[tuple[Record, ...]] = (
        product(records, repeat=n - 1) if ordered else combinations_with_replacement(records, n - 1)
    )
    for rest in rests:
        # Without an order the place of the record that changes says nothing.
        for i in range(n if ordered else 1):
            for one, other in combinations(records, 2):
                yield (*rest[:i], one, *rest[i:]), (*rest[:i], other, *rest[i:])


def hockey_stick(
    p: Mapping[Output, Fraction], q: Mapping[Output, Fraction], ratio: Fraction
) -> Fraction:
    """The hockey-stick divergence sup_Y (p(Y) - ratio q(Y)) = sum over y of (p(y) - ratio q(y))_+.

    With ``ratio`` <= e^epsilon, a value of at most delta in both directions proves (epsilon, delta)
    for this pair of data sets.  Exact.

    >>> hockey_stick({0: Fraction(3, 4), 1: Fraction(1, 4)}, {0: Fraction(1)}, Fraction(1))
    Fraction(1, 4)
    """
    zero = found = Fraction(0)
    for y, mass in p.items():
        other = q.get(y, zero)
        # A fraction takes a gcd of long numbers, and most terms are 0.
        whole = mass.denominator * ratio.denominator * other.denominator
        taken = ratio.numerator * other.numerator * mass.denominator
        left = mass.numerator * ratio.denominator * other.denominator - taken
        if left > 0:
            found += Fraction(left, whole)
    return found


Data = TypeVar("Data", bound=Hashable)
Value = TypeVar("Value")
Masses = Mapping[Hashable, Fraction]
Distribution = Callable[[Data], Masses]

_LARGEST = 40  # exp_below is sharp up to 44
_ORDERS = (2, 4, 16)  # whole orders keep Renyi moments rational
_BITS = 256  # of the terms of a moment
_WIDEST = 4000  # a moment may be e^4000; larger bounds say little and take long


@dataclass(frozen=True)
class Worst(Generic[Data]):
    """The largest value over all pairs in both directions, and the ordered pair that reaches it."""

    value: Fraction | None
    pair: tuple[Data, Data]


@dataclass(frozen=True)
class Row(Generic[Data]):
    """One line of an audit: a quantity at ``at``, its claimed and its exact value; None is infinity.

    ``delta`` is the hockey-stick divergence at ``at`` = epsilon'.  ``moment`` is of order ``at``: the
    sum of p^order q^(1-order) outside delta, which rho-zCDP bounds by e^(rho order (order - 1)).
    """

    quantity: str
    at: Fraction
    claimed: Fraction
    exact: Worst[Data]

    @property
    def holds(self) -> bool:
        """Whether the exact value is at most the claimed one."""
        return self.exact.value is not None and self.exact.value <= self.claimed


@dataclass(frozen=True)
class ExactAudit(Generic[Data]):
    """The claims of an event against the exact values on ``pairs`` pairs of neighbours.

    ``ratio`` is e to the exact epsilon at the claimed delta: the least r >= 1 at which the
    hockey-stick divergence of every pair is at most delta, or None if no r will do.
    """

    claim: PrivacyCost
    rows: tuple[Row[Data], ...]
    ratio: Worst[Data]
    pairs: int

    @property
    def holds(self) -> bool:
        """Whether every exact value is at most the claimed one."""
        return all(row.holds for row in self.rows)

    @property
    def epsilon(self) -> float:
        """The least epsilon that is true at the claimed delta, rounded; for people."""
        return math.inf if self.ratio.value is None else nats(self.ratio.value)

    @property
    def tightness(self) -> float:
        """The true epsilon over the claimed one: 1 if the claim is sharp, more if it is false."""
        return self.epsilon / float(self.claim.epsilon)


def exact_audit(
    distribution: Distribution[Data],
    pairs: Iterable[tuple[Data, Data]],
    event: Event,
    *,
    jobs: int | None = 1,
) -> ExactAudit[Data]:
    """Compare ``event``'s cost and guarantee with the exact ``distribution`` on all ``pairs``.

    Delta is compared at 0, 1/2, 1 and 3/2 of the claimed epsilon.  Moments are compared outside the
    guarantee's delta, at those orders where rho promises less than e^4000.  ``jobs`` processes work out
    the distributions, as `spread` says.

    >>> from littlestone.prove.audit.subjects.composed import RandomizedResponse
    >>> claimed = RandomizedResponse(Fraction(1))
    >>> audit = exact_audit(claimed.distribution, [(0, 1)], claimed)
    >>> audit.holds, round(audit.tightness, 6)
    (True, 1.0)
    >>> audit = exact_audit(RandomizedResponse(Fraction(2)).distribution, [(0, 1)], claimed)
    >>> audit.holds, round(audit.tightness, 6)
    (False, 2.0)
    """
    claim, guarantee = event.cost(), event.guarantee()
    tested = list(pairs)
    known = _work_out(distribution, tested, jobs)
    # At 0, 1/2, 1 and 3/2 of the claim: a law may keep it at its own epsilon and break what follows
    # at others.
    at = sorted({claim.epsilon * i / 2 for i in range(4)})
    claims: list[tuple[str, Fraction, Fraction, _Measure]] = []
    for epsilon in at:
        # Both the measured delta and the claimed one are taken at this ratio, so rounding it is fair.
        r = ratio_below(epsilon)
        claims.append(("delta", epsilon, claimed_delta(claim, r), partial(_Two.stick, ratio=r)))
    for order in _ORDERS:
        exponent = guarantee.rho * order * (order - 1)
        if exponent <= _WIDEST:
            moment = partial(_Two.moment, order=order, delta=guarantee.delta)
            claims.append(("moment", Fraction(order), ratio_below(exponent), moment))
    least = partial(_Two.least_ratio, delta=claim.delta)
    *found, ratio = _worst(known, tested, [*(measure for *_, measure in claims), least])
    rows = [
        Row(quantity, place, most, worst)
        for (quantity, place, most, _), worst in zip(claims, found, strict=True)
    ]
    return ExactAudit(claim, tuple(rows), ratio, len(tested))


def exact_curve(
    distribution: Distribution[Data],
    pairs: Iterable[tuple[Data, Data]],
    ratios: Sequence[Fraction],
) -> list[Worst[Data]]:
    """At each ratio, the largest hockey-stick divergence over ``pairs``, in both directions.

    At ratios <= e^epsilon, such as `ratio_below` gives, it is at least delta(epsilon).

    >>> third = Fraction(1, 3)
    >>> coin = {0: {"x": 2 * third, "y": third}, 1: {"x": third, "y": 2 * third}}
    >>> [worst.value for worst in exact_curve(coin.get, [(0, 1)], [Fraction(1), Fraction(2)])]
    [Fraction(1, 3), Fraction(0, 1)]
    """
    tested = list(pairs)
    sticks = [partial(_Two.stick, ratio=ratio) for ratio in ratios]
    return _worst(_work_out(distribution, tested), tested, sticks)


def ratio_below(epsilon: Fraction) -> Fraction:
    """A rational that is certainly at most e^epsilon, and equal to it to 250 bits; epsilon >= 0.

    >>> float(ratio_below(Fraction(1)))
    2.718281828459045
    """
    # e^epsilon is the power of a smaller one, where the series is sharp.
    parts = max(1, math.ceil(epsilon / _LARGEST))
    return exp_below(epsilon / parts, bits=256) ** parts


def claimed_delta(claim: PrivacyCost, ratio: Fraction) -> Fraction:
    """The delta that (epsilon, delta)-DP implies at another ratio, by the mechanism that dominates.

    That mechanism tells all with probability delta, and otherwise is randomized response (KOV15):
    delta + (1 - delta) (e^epsilon - ratio)_+ / (e^epsilon + 1).

    >>> claimed_delta(PrivacyCost(Fraction(1), Fraction(1, 10)), Fraction(3))
    Fraction(1, 10)
    """
    # Where the two bounds of the proof meet (docs/proofs/audit.md, "Claims at other epsilons", step 3).
    r = ratio_below(claim.epsilon)
    return claim.delta + (1 - claim.delta) * max(Fraction(0), r - ratio) / (r + 1)


def least_ratio(p: Masses, q: Masses, delta: Fraction) -> Fraction | None:
    """The least r >= 1 with sum over y of (p(y) - r q(y))_+ <= delta; None if there is none.

    >>> third = Fraction(1, 3)
    >>> least_ratio({0: 2 * third, 1: third}, {0: third, 1: 2 * third}, Fraction(0))
    Fraction(2, 1)
    """
    return _Two(p, q).least_ratio(delta)


def renyi_moment(
    p: Masses, q: Masses, order: int, delta: Fraction = Fraction(0)
) -> Fraction | None:
    """The least sum over y of p'(y)^order q(y)^(1 - order) of a p' <= p of mass 1 - ``delta``.

    At delta = 0 it is e^((order - 1) D_order(p || q)); None if it is infinite.  Because x^order is
    convex, it is least if p' / q is capped: p' = min(p, r q), with the r that cuts off exactly delta.
    It is rounded up by one part in 2^250.

    >>> renyi_moment({0: Fraction(1)}, {0: Fraction(1, 2), 1: Fraction(1, 2)}, 2)
    Fraction(2, 1)
    >>> renyi_moment({0: Fraction(1)}, {0: Fraction(1, 2), 1: Fraction(1, 2)}, 2, Fraction(1, 2))
    Fraction(1, 2)
    """
    return _Two(p, q).moment(order, delta)


def _up(x: Fraction) -> tuple[int, int]:
    """``x`` >= 0 rounded up to 256 significant bits: a and s >= 0 with a / 2^s.

    >>> for x in (Fraction(1, 3), Fraction(10**99, 7)):
    ...     a, s = _up(x)
    ...     print(0 < Fraction(a, 2**s) - x < x / 2**255)
    True
    True
    """
    shift = _BITS - x.numerator.bit_length() + x.denominator.bit_length()
    # Both ways round up, so a moment is never understated.
    if shift < 0:
        return -(-x.numerator // (x.denominator << -shift)) << -shift, 0
    return -(-(x.numerator << shift) // x.denominator), shift


class _Two:
    """Two distributions, and the long numbers that several measures share, computed once."""

    def __init__(self, p: Masses, q: Masses) -> None:
        self.p, self.q = p, q
        self._ratios: dict[Fraction, Fraction | None] = {}
        self._terms: dict[Fraction, list[tuple[int, int, int, int]]] = {}

    def stick(self, ratio: Fraction) -> Fraction:
        return hockey_stick(self.p, self.q, ratio=ratio)

    def least_ratio(self, delta: Fraction) -> Fraction | None:
        r = self._ratio(delta)
        return None if r is None else max(Fraction(1), r)

    def moment(self, order: int, delta: Fraction) -> Fraction | None:
        r = self._ratio(delta)
        if r is None:
            return None
        # p' (p' / q)^(order - 1), with short numbers, so that powers and their sum are short too.
        if delta not in self._terms:
            self._terms[delta] = [
                (*_up(min(self.p[y], r * self.q[y])), *_up(min(ratio, r)))
                for ratio, y in self._joining
            ]
        terms = [
            (mass * ratio ** (order - 1), s + (order - 1) * t)
            for mass, s, ratio, t in self._terms[delta]
        ]
        longest = max((shift for _, shift in terms), default=0)
        return Fraction(sum(term << (longest - shift) for term, shift in terms), 1 << longest)

    @cached_property
    def _joining(self) -> list[tuple[Fraction, Hashable]]:
        """The outputs of both, the largest likelihood ratio first."""
        ratios = [(mass / self.q[y], y) for y, mass in self.p.items() if self.q.get(y)]
        return sorted(ratios, key=lambda joining: -joining[0])

    def _ratio(self, delta: Fraction) -> Fraction | None:
        """The least r >= 0 with sum over y of (p(y) - r q(y))_+ <= delta; None if there is none."""
        if delta not in self._ratios:
            self._ratios[delta] = self._search_epsilon(delta)
        return self._ratios[delta]

    def _search_epsilon(self, delta: Fraction) -> Fraction | None:
        p, q = self.p, self.q
        inside_p = sum((mass for y, mass in p.items() if not q.get(y)), Fraction(0))
        # Outputs that only P has exceed delta at every ratio.
        if inside_p > delta:
            return None
        # The divergence is linear in r between two likelihood ratios, at which an output joins the sum.
        inside_q = Fraction(0)
        for ratio, y in self._joining:
            # The root lies above the next output's ratio, so no further output counts.
            if inside_q and inside_p - delta >= ratio * inside_q:
                break
            inside_p, inside_q = inside_p + p[y], inside_q + q[y]
        return max(Fraction(0), (inside_p - delta) / inside_q) if inside_q else Fraction(0)


_Measure = Callable[[_Two], Fraction | None]


def nats(ratio: Fraction) -> float:
    """The logarithm of a ratio >= 1, rounded, whatever its size.

    >>> round(nats(Fraction(2**3000)), 3)
    2079.442
    """
    if ratio < 2:
        return math.log1p(float(ratio - 1))
    return math.log(ratio.numerator) - math.log(ratio.denominator)


def _worst(
    known: Distribution[Data],
    pairs: Sequence[tuple[Data, Data]],
    measures: Sequence[_Measure],
) -> list[Worst[Data]]:
    """For each measure the largest value over all pairs in both directions; None is infinity."""
    if not pairs:
        raise DeclarationError(
            "audit a mechanism", found="there is no pair of neighbours", fix="give at least one"
        )
    worst = [Worst[Data](Fraction(-1), pairs[0]) for _ in measures]
    done: set[tuple[int, int]] = set()
    for pair in pairs:
        p, q = map(known, pair)
        # Many data sets share few distributions.
        if (id(p), id(q)) in done:
            continue
        done |= {(id(p), id(q)), (id(q), id(p))}
        for two, ordered in ((_Two(p, q), pair), (_Two(q, p), pair[::-1])):
            for i, measure in enumerate(measures):
                most = worst[i].value
                if most is not None and ((value := measure(two)) is None or value > most):
                    worst[i] = Worst(value, ordered)
    return worst


def _work_out(
    distribution: Distribution[Data], pairs: Sequence[tuple[Data, Data]], jobs: int | None = 1
) -> Distribution[Data]:
    """``distribution`` on all data sets of the pairs; equal distributions become one object."""
    tiny = list(dict.fromkeys(chain.from_iterable(pairs)))
    distinct: dict[frozenset[tuple[Hashable, Fraction]], Masses] = {}
    known: dict[Data, Masses] = {}
    work = partial(_masses_of, distribution)
    for i, masses in spread(work, tiny, jobs=jobs, what="exact laws on tiny data"):
        known[tiny[i]] = distinct.setdefault(frozenset(masses.items()), masses)
    return known.__getitem__


def _masses_of(distribution: Distribution[Data], data: Data) -> Masses:
    masses = distribution(data)
    total = sum(masses.values(), Fraction(0))
    if total != 1 or min(masses.values()) < 0:
        raise DeclarationError(
            "audit a mechanism by its distribution",
            found=f"its probabilities add up to {float(total)}, or one is negative",
            fix="correct `distribution`: an audit is only as good as it is",
        )
    return masses
