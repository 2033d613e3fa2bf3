"""The SOA as a rule, extended to sequences that no hypothesis explains (BLM20, section 3.2)."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from littlestone.classes import FiniteClass
from littlestone.learn.papers.boxes.base import Example, Rule, box
from littlestone.learn.papers.boxes.online_game import soa


@cache
def rule_of_soa(V: FiniteClass, tie: int) -> Rule:
    """h(x) = argmax_b Ldim(V^b(x)) for all x."""
    return tuple(soa(V, x, tie=tie) for x in V.domain)


@box("BLM20 section 3.2, SOA")
def standard_optimal_algorithm(H: FiniteClass, sequence: Iterable[Example], *, tie: int = 0) -> int:
    """The number of mistakes on a realizable sequence.

    promise: at most Ldim(H) mistakes
    found: kept for either label of ties
    ours: theory.game.StandardOptimalAlgorithm
    """
    H_t, mistakes, points = H, 0, list(H.domain)  # 1. H_1 = H.
    for x, y in sequence:  # 2. For trials t = 1, 2, ...
        h_t = rule_of_soa(H_t, tie)  # (i)
        mistakes += h_t[points.index(x)] != y  # (ii)-(iv)
        H_t = H_t.restrict(x, y)  # (v)
    return mistakes


@box("BLM20 Definition 8")
def extended_soa(H: FiniteClass, sequence: Iterable[Example], *, tie: int = 0) -> Rule:
    """SOA(S): the rule after a sequence, realizable or not.

    promise: h_(t+1)(x_(t+1)) = y_(t+1) once a sequence is not realizable, and no other label changes
    found: kept for either label of ties
    ours: theory.game.players.ExtendedSOA
    """
    V, h, points, realizable = H, rule_of_soa(H, tie), list(H.domain), True
    for x, y in sequence:
        after = V.restrict(x, y)
        if realizable and not after.is_empty():
            V, h = after, rule_of_soa(after, tie)
        else:
            realizable, i = False, points.index(x)
            h = (*h[:i], y, *h[i + 1 :])
    return h
