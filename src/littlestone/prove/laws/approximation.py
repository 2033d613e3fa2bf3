"""Laws of classes whose hypotheses approximate their SOAs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from littlestone.base.errors import DeclarationError
from littlestone.classes.base import Enumerable
from littlestone.classes.promises.covering import ProperApproximation, mixture_of_rows
from littlestone.prove.laws.core import Class, expect, points, version_spaces
from littlestone.prove.laws.covering import _has
from littlestone.rules import Hypothesis

ALPHAS = (Fraction(1, 2), Fraction(1, 5), Fraction(1, 16))
SEARCHED = 12  # the most points at which a version space is restricted to the labels of an SOA
ROWS = 128  # the most hypotheses of a class for which a mixture is searched

Mixed = list[Hypothesis[Any]]


def _furthest(f: Hypothesis[Any], mixed: Mixed, tried: Sequence[Any]) -> tuple[Fraction, Any]:
    """The largest share of a mixture that is wrong at a single point, with that point."""
    shares = [(Fraction(sum(h(x) != f(x) for h in mixed), len(mixed)), x) for x in tried]
    return max(shares, key=lambda share: share[0], default=(Fraction(0), None))


def _mixable(H: ProperApproximation[Any]) -> bool:
    try:
        H.require_mixture()
    except DeclarationError:
        return False
    return True


def _soas(H: Class) -> list[Hypothesis[Any]]:
    spaces = version_spaces(H, most=10)
    return list(dict.fromkeys(V.soa() for V in spaces if 0 <= V.littlestone_dimension() < math.inf))


def mixtures_are_of_members(H: ProperApproximation[Any]) -> None:
    """`mixture(f, alpha)` is always the same list of hypotheses of H, at most `most_mixed` of them."""
    for f in _soas(H) if _mixable(H) else []:
        for alpha in ALPHAS:
            mixed, most, at = H.mixture(f, alpha), H.most_mixed(alpha), {"f": f, "alpha": alpha}
            expect(len(mixed) > 0, "a mixture has a hypothesis", **at)
            law = "mixture(f, alpha) is a function of f and alpha alone"
            expect(mixed == H.mixture(f, alpha), law, **at)
            tried = points(H)
            for h in dict.fromkeys(mixed):
                expect(_has(H, h, tried), "the hypotheses that are mixed are in H", **at, h=h)
            different = len(set(mixed))
            law = "no more than `most_mixed` hypotheses are mixed"
            expect(most is None or different <= most, law, **at, different=different, most=most)


def mixtures_are_close(H: ProperApproximation[Any]) -> None:
    """At each x, at most a share alpha of `mixture(f, alpha)` differs from f, where this is promised.

    It is promised if `most_mixed` is a number and a mixture within alpha / 2 exists.  In a small
    class, the check looks for one among all hypotheses.  On an infinite domain, it restricts the
    class to labels of f until the SOA of the version space is f itself.
    """
    for f in _soas(H) if _mixable(H) else []:
        for alpha in ALPHAS:
            if H.most_mixed(alpha) is None:
                continue
            mixed = H.mixture(f, alpha)
            tried = list(dict.fromkeys([*points(H), *_differing(f, mixed)]))
            share, x = _furthest(f, mixed, tried)
            if share > alpha:
                law = "at most an alpha share of mixture(f, alpha) is wrong at a point"
                expect(not _close_one_is_known(H, f, alpha, tried), law, f=f, x=x, share=share)


def _differing(f: Hypothesis[Any], mixed: Mixed) -> list[Any]:
    """Points at which the hypotheses differ from f, which the points tried so far may not show."""
    alike = (h for h in dict.fromkeys(mixed) if type(h) is type(f) and h != f)
    return [f.witness(h) for h in alike][:64]


def _close_one_is_known(
    H: ProperApproximation[Any], f: Hypothesis[Any], alpha: Fraction, tried: list[Any]
) -> bool:
    if isinstance(H, Enumerable) and H.size is not None and H.domain.size is not None:
        if H.size > ROWS or H.domain.size > len(tried):
            return False
        rows = [H.hypothesis(i) for i in range(H.size)]
        table = np.array([[bool(h(x)) for x in tried] for h in rows])
        wanted = np.array([bool(f(x)) for x in tried])
        close = [rows[i] for i in mixture_of_rows(table, wanted, alpha / 2)]
        return _furthest(f, close, tried)[0] <= alpha / 2
    if H.domain.size is not None:
        return False
    V: Class = H
    for x in tried:
        V = V.restrict(x, f(x))
    for _ in range(SEARCHED):
        if V.is_empty():
            return False
        g = V.soa()
        x = V.mistake_point() if g == f or type(g) is not type(f) else f.witness(g)
        if x is None:
            return g == f
        V = V.restrict(x, f(x))
    return not V.is_empty() and V.soa() == f
