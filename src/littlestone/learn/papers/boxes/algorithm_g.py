"""Algorithm G, the globally stable learner (BLM20, section 4.3.2)."""

from __future__ import annotations

import math
from collections.abc import Sequence

from littlestone.classes import FiniteClass
from littlestone.learn.papers.boxes.base import Example, Rule, box, pick
from littlestone.learn.papers.boxes.extended_soa import extended_soa
from littlestone.learn.papers.boxes.tournament_samples import FailError, sample_tilde_d
from littlestone.privacy.randomness import Choose


def printed_sizes(d: int, alpha: float) -> tuple[int, int]:
    """The numbers n = ceil(d / alpha) and N = 8^(d + 1) n; G takes m = N + n examples.

    >>> printed_sizes(1, 0.5)
    (2, 128)
    """
    n = math.ceil(d / alpha)
    return n, 8 ** (d + 1) * n


@box("BLM20 algorithm G")
def algorithm_g(
    S: Sequence[Example], H: FiniteClass, *, n: int, N: int, tie: int = 0, choose: Choose
) -> Rule | None:
    """SOA(S T) of k uniform in {0, ..., d}, S ~ D~_k and T ~ D^n; None for "Fail".

    promise: some f of loss at most alpha has Pr[G(S) = f] >= 1 / ((d + 1) 2^(d + 1)) (Theorem 10)
    found: kept at d = 1; from d = 2 on the proof rests on Lemma 12, which is false
    ours: learn.papers.globally_stable.stable_rule
    takes: 650 examples for d = 1 and alpha = .1; 10,260 for d = 2, 122,910 for d = 3
    mend: k in turn, and sizes for eta_d (`proved_sizes`)
    """
    drawn, T = iter(S[:N]), tuple(S[N : N + n])  # 1.
    k = pick(range(int(H.littlestone_dimension()) + 1), choose)  # 2.
    try:
        sample = sample_tilde_d(k, H, drawn, n, tie=tie, choose=choose)
    except FailError:
        return None
    return extended_soa(H, sample + T, tie=tie)  # 3.
