"""DefineClass, and the lists of essential hypotheses that teachers make of it (Lyu25, Algorithm 4)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cache

from littlestone.classes import FiniteClass
from littlestone.learn.papers.boxes.base import Rule, Sample, box, count_errors, rules_of
from littlestone.theory.decomposition import essential_hypotheses

Rules = tuple[Rule, ...]


def error_rate(H: FiniteClass, h: Rule, T: Sample) -> Fraction:
    """err_T(h), 0 for an empty T."""
    return Fraction(count_errors(H, h, T), len(T)) if T else Fraction(0)


@cache
def essential_rules(H: FiniteClass, rules: Rules, p: int, d: int) -> Rules:
    """The (p, d)-essential hypotheses to a class of rules over the points of H."""
    if not rules:
        return ()
    points = list(H.domain)
    kept = FiniteClass.from_array(rules, points=points, name=H.domain.name)
    return tuple(tuple(int(f(x)) for x in points) for f in essential_hypotheses(kept, p, d))


@box("Lyu25 section 6, DefineClass")
def define_class(H: FiniteClass, S: Sequence[Sample], j: int) -> Rules:
    """{h in H : err_(T_i)(h) <= (1 - 1/d)^j / 10 for all i}, S = {T_1, ..., T_l}.

    promise: H_i^(j+1) lies in all H_i'^j, given Claim 6.2
    found: Claim 6.3 proves it with 1 - 1/(5d) in the place of 1 - 1/d; for d = 1 all levels are 0, and
        for parts of fewer than 10 examples too
    ours: learn.stream.stage_sizes.levels
    mend: levels for the sizes of parts, apart by what Lemma 3 of docs/proofs/staged-stream.md says
    """
    d = int(H.littlestone_dimension())
    level = Fraction(1, 10) * (1 - Fraction(1, d)) ** j
    return tuple(h for h in rules_of(H) if all(error_rate(H, h, T) <= level for T in S))
