"""Stages of a stream by Lyu25: how many and how large, and the tree of a teacher on one of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any, Literal, get_args

from littlestone.base.errors import DeclarationError, TooLargeError, show_value
from littlestone.classes.base import HypothesisClass, require_few
from littlestone.privacy.mechanisms.selection_from_lists import SparseSampling
from littlestone.privacy.mechanisms.threshold_tests import OneSidedThreshold, ThresholdMechanism
from littlestone.privacy.parameters import least
from littlestone.theory.decomposition import leaf_bound, reducing_path

Chunk = tuple[tuple[Any, int], ...]
"""The examples that a teacher got in one epoch."""

ByTeacher = dict[int, list[tuple[Any, int]]]
"""The examples of one epoch, grouped by teacher."""


def stage_leaves(
    H: HypothesisClass[Any],
    chunks: Sequence[Chunk],
    level: Fraction,
    p: int,
    dimension: int,
    *,
    most: int | None = None,
) -> Iterator[HypothesisClass[Any]]:
    """The leaves V of Littlestone dimension ``dimension`` of the tree of these chunks.

    A node V is split along a path labelled by its SOA.  If V is p 2^(d - LDim(V))-reducible, with
    d = LDim(H), the path is one that reduces V.  Otherwise it is the points of the first chunk on which
    SOA_V errs more than ``level`` times its size, and what is at the end of the path is dropped.  All
    other nodes are leaves.  If no chunk has more than p points, the tree is valid except for the
    dropped ends, and it only grows with one more chunk (docs/proofs/staged-stream.md, Lemmas 1 and 2).

    Raises `TooLargeError` if it has to look at more than ``most`` version spaces.  Source: Lyu25,
    Algorithm 4, DefineClass and line 5, where the leaves are those of all trees.

    >>> from littlestone.classes import Subsets
    >>> from littlestone.points import Integers
    >>> H, chunks = Subsets(Integers(), 2), [((1, 1), (5, 0))]
    >>> for t in (2, 1, 0):
    ...     print(t, [V.soa().words() for V in stage_leaves(H, chunks, Fraction(0), 2, t)])
    2 []
    1 ['x is 1']
    0 []
    """
    d, waiting, looked = int(H.littlestone_dimension()), [H], 0
    while waiting:
        V = waiting.pop()
        looked += 1
        require_few(looked, most)
        left = int(V.littlestone_dimension())
        if left < dimension:
            continue  # and so are all nodes below
        path = reducing_path(V, p << (d - left))
        if reduced := path is not None:
            steps = list(path or ())
        else:
            f = V.soa()
            mistaken = next((chunk for chunk in chunks if errs(f, chunk) > level), None)
            if mistaken is None:
                if left == dimension:
                    yield V
                continue
            # Off this path hypotheses contradict SOA_V somewhere on the chunk; its end has SOA_V's
            # own errors and is dropped (Lemma 2).
            steps = [(x, f(x)) for x in dict.fromkeys(x for x, _ in mistaken)]
        for x, y in steps:
            waiting.append(V.restrict(x, 1 - y))
            V = V.restrict(x, y)
        if reduced:
            waiting.append(V)


def errs(f: Any, chunk: Chunk) -> Fraction:
    """The share of the chunk's examples on which f errs; 0 without examples."""
    if not chunk:
        return Fraction(0)
    return Fraction(sum(f(x) != y for x, y in chunk), len(chunk))


Adversary = Literal["oblivious", "adaptive"]

MOST_TEACHERS = 10_000_000

MOST_DIMENSION = 50
"""The largest Littlestone dimension d with sizes: the lengths of lists have some d^2 digits."""

BETA = Fraction(1, 20)
_PART = float(BETA) / 6  # for each of six events that may fail
TOP = Fraction(1, 10)  # the share of a chunk on which a listed SOA may err, in the first stage
_EXPOSED = 1 / 6  # a hypothesis that errs on a larger share of all mistakes is no longer listed
_BOTTOM = 0.01  # the largest probability of bottom in a draw
_ROUNDING = 1 + 1e-9


@dataclass(frozen=True)
class StageSizes:
    """The public numbers of a run.  Lemmas and theorems are those of docs/proofs/staged-stream.md.

    The teachers are asked ``calls`` = K times, with ``draws`` = R draws each time.  ``teachers`` = k.
    An epoch has ``threshold`` = U mistakes.  A teacher keeps ``cap`` = c examples of an epoch; c is
    also p in the first stage.  A list has at most ``list_size`` = L items.  A stage ends when, up to
    noise, k - ``margin`` teachers share no hypothesis.
    """

    calls: int
    draws: int
    teachers: int
    threshold: int
    cap: int
    list_size: int
    margin: int


def require_adversary(adversary: object) -> None:
    """Raise `DeclarationError` unless ``adversary`` is one of the two kinds."""
    if not isinstance(adversary, str) or adversary not in get_args(Adversary):
        raise DeclarationError(
            f"bound the mistakes against the adversary {show_value(adversary)}",
            found="there is no such kind",
            fix=f"use one of: {', '.join(get_args(Adversary))}",
        )


def levels(d: int) -> list[Fraction]:
    """The error share of a listed SOA per chunk, in stages 1, ..., d + 1: ((d + 1 - j) / d)^2 / 10.

    >>> [str(level) for level in levels(2)]
    ['1/10', '1/40', '0']
    """
    return [TOP * Fraction(d - j, d) ** 2 if d else Fraction(0) for j in range(d + 1)]


def divergence(x: float, y: float) -> float:
    """KL(x || y) of two coins, 0 <= x <= 1 and 0 < y < 1."""
    zero = (1 - x) * math.log((1 - x) / (1 - y)) if x < 1 else 0.0
    return zero + (x * math.log(x / y) if x else 0.0)


def rates(d: int) -> list[float]:
    """The exponents 1 - e^-KL per expected example of a chunk, for all ways to mislead a stage."""
    found = [-math.expm1(-divergence(float(TOP if d else 0), _EXPOSED))]
    steps = [float(level) for level in levels(d)]
    for high, low in pairwise(steps):
        a, b = low, high  # find the point between them that is equally far from both
        for _ in range(60):
            middle = (a + b) / 2
            nearer = divergence(low, middle) < divergence(high, middle)
            a, b = (middle, b) if nearer else (a, middle)
        found += [-math.expm1(-divergence(low, b)), -math.expm1(-divergence(high, b))]
    return found


def patterns(n: int, d: int) -> float:
    """The logarithm of sum_(i <= d) C(n, i), label patterns of a class of VC dimension d (Sauer)."""
    return math.log(sum(math.comb(n, i) for i in range(d + 1)))


def leaves(d: int, cap: int) -> list[int]:
    """The most leaves of dimension d + 1 - j in a tree of stage j, with p = 2^(j-1) c."""
    return [leaf_bound(cap << j, d, d, d - j) for j in range(d + 1)]


def calls_needed(d: int, cap: int, margin: int, base: Fraction) -> int:
    """K: one more than the calls of all stages j, 1 + (ln L_j + 2 margin ln r) / ln(5/4) each.

    By Lemma 5, without a margin in stage d + 1.  The K-th call never comes in a run without failures.
    """
    # Lemma 5: the potential falls by ln(5/4) a call, so calls are its range divided by that.
    noise = 2 * margin * log(base)
    per_stage = [math.log(n) + (noise if j < d else 0) for j, n in enumerate(leaves(d, cap))]
    return 1 + sum(1 + math.floor(x * _ROUNDING / math.log(5 / 4)) for x in per_stage)


def draws_failure(draws: int, d: int, horizon: int, adversary: Adversary) -> float:
    """The log-probability that a vote is wrong if 2/3 of what is listed is right.  Lemma 4."""
    right, wrong = (1 - _BOTTOM) * 2 / 3, (1 - _BOTTOM) / 3
    if adversary == "oblivious":
        rate = -math.log(2 * math.sqrt(right * wrong) + _BOTTOM)
        # An oblivious adversary's points are fixed beforehand: a Chernoff bound and a union over T
        # points.
        return math.log(horizon) - draws * rate
    dual = (1 << (d + 1)) - 1  # VC* < 2^(VC + 1), Ass83
    if 2 * draws <= dual:
        return 0.0
    # An adaptive one chooses points after the draws: uniform convergence over the dual class, VC* <
    # 2^(VC + 1).
    ways, gap = dual * (1 + math.log(2 * draws / dual)), 1 / 2 - wrong - _BOTTOM
    return math.log(8) + ways - draws * gap**2 / 8


def log(base: Fraction) -> float:
    """The logarithm of a ratio r > 1, which may be near 1."""
    return math.log1p(base - 1)


def slacks(counter: OneSidedThreshold, calls: int) -> tuple[int, int]:
    """(s, z): each epoch has U - s to U + z mistakes, except with two shares of `BETA`."""
    rate = log(1 / counter.shrink)
    early = math.ceil(math.log(counter.horizon / _PART) / rate * _ROUNDING)
    late = math.ceil(math.log(calls / _PART) / rate * _ROUNDING)
    return early, late


def with_proved_bound(
    d: int,
    adversary: Adversary,
    counter: OneSidedThreshold,
    tests: ThresholdMechanism,
    sampling: Callable[[int, int], SparseSampling[Any]],
    given: dict[str, int],
) -> StageSizes:
    """The sizes with which `failure` is at most `BETA`; those ``given`` stay as they are.

    ``sampling`` makes a mechanism from a number of draws and a list size.  Only the noises of
    ``counter`` and ``tests`` matter.  Raises `TooLargeError` beyond `MOST_TEACHERS`.
    """
    part, exponents = _PART * (1 - 1e-6), rates(d)
    cap, calls = given.get("cap", d + 1), 1
    while True:
        # Search from below: fewer draws have less noise, and give a stage more calls.
        calls = given.get("calls", max(calls, calls_needed(d, cap, 0, Fraction(2))))
        lists = given.get("list_size", max(leaves(d, cap)))

        def convincing(draws: int, calls: int = calls) -> bool:
            found = draws_failure(draws, d, counter.horizon, adversary)
            return calls * math.exp(min(found, 1.0)) <= part

        draws = given.get("draws") or least(convincing)
        step = sampling(calls * draws, lists)

        def quiet(m: int, calls: int = calls) -> bool:
            return 2 * (calls + d) * tests.tail(m + 1) <= part

        margin = least(quiet) if d else 0
        needed = given.get("calls", calls_needed(d, cap, margin, step.base))
        # More calls need more noise, which may need more calls: go around until they agree.
        if needed > calls:
            calls = needed
            continue
        clear = math.ceil(math.log(1 / _BOTTOM - 1) / log(step.base) * _ROUNDING)
        k = given.get("teachers", step.bottom + 2 * margin + clear)
        if k > MOST_TEACHERS:  # later rounds only need more
            raise TooLargeError(
                "find sizes of a stream by the method staged for which its mistakes are proved",
                found=f"there would be more than {MOST_TEACHERS:,} teachers, and a call asks each",
                fix="allow a larger epsilon or delta, declare a smaller class, or give sizes",
            )
        early, late = slacks(counter, calls)

        def faithful(
            U: int, ks: int = calls * k, k: int = k, s: int = early, z: int = late
        ) -> bool:
            ways = math.log(ks) + patterns(U + z, d)
            return sum(math.exp(min(ways - (U - s) / k * x, 1.0)) for x in exponents) <= part

        threshold = given.get("threshold") or least(faithful)
        mean = (threshold + late) / k

        def roomy(c: int, mean: float = mean, ks: int = calls * k) -> bool:
            return ks * math.exp(_log_crowding(mean, c)) <= part

        room = given.get("cap", least(roomy))
        if room <= cap:
            return StageSizes(calls, draws, k, threshold, cap, lists, margin)
        cap = room + room // 50  # a little more, so that a few rounds are enough


def failure(
    sizes: StageSizes,
    d: int,
    adversary: Adversary,
    counter: OneSidedThreshold,
    tests: ThresholdMechanism,
    sampling: SparseSampling[Any],
) -> float:
    """Bound the probability that a run makes more than K (U + z) mistakes; at most 1.  Theorem 2."""
    early, late = slacks(counter, sizes.calls)
    fewest, most = sizes.threshold - early, sizes.threshold + late
    enough = (
        fewest > 0
        and sizes.cap > d
        and sizes.list_size >= max(leaves(d, sizes.cap))
        and (sizes.teachers - 1) * log(sampling.base) >= math.log(sizes.teachers) * _ROUNDING
        and sizes.calls >= calls_needed(d, sizes.cap, sizes.margin, sampling.base)
        and (sizes.teachers - 2 * sizes.margin - sampling.bottom) * log(sampling.base)
        >= math.log(1 / _BOTTOM - 1) * _ROUNDING
    )
    if not enough:
        return 1.0
    k, calls = sizes.teachers, math.log(sizes.calls)
    crowded = _log_crowding(most / k, sizes.cap)
    logarithms = [calls + math.log(k) + crowded]
    ways = calls + math.log(k) + patterns(most, d)
    logarithms += [ways - fewest / k * rate for rate in rates(d)]
    logarithms.append(calls + draws_failure(sizes.draws, d, counter.horizon, adversary))
    total = sum(math.exp(min(x, 1.0)) for x in logarithms) + 2 * _PART
    total += 2 * (sizes.calls + d) * tests.tail(sizes.margin + 1) if d else 0.0
    return min(1.0, total * _ROUNDING)


def _log_crowding(mean: float, cap: int) -> float:
    """The log of a bound of Pr[a chunk has more than ``cap`` examples], if it has ``mean`` expected."""
    x = cap + 1
    return x - mean - x * math.log(x / mean) if x > mean else 0.0
