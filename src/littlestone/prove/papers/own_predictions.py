"""POP of KMM+23: what all others are told of a record, by the exact law of the box."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

from littlestone.classes import FiniteClass
from littlestone.learn.papers.boxes.base import Sample
from littlestone.learn.papers.boxes.private_online_procedure import private_online_procedure
from littlestone.privacy.rational import sum_masses
from littlestone.prove.audit.claims import least_ratio, nats
from littlestone.prove.papers.printed import law
from littlestone.prove.papers.statement import Outcome, statement

Law = dict[Any, Fraction]


def others_see(found: Law, i: int) -> Law:
    """The law of all predictions but number ``i``, with the step at which they end."""
    return sum_masses(
        ((*given[:i], None, *given[i + 1 :]) if len(given) > i else given, p)
        for given, p in found.items()
    )


def apart(p: Law, q: Law) -> float:
    """The least epsilon of two laws, with delta = 0."""
    ratios = least_ratio(p, q, Fraction(0)), least_ratio(q, p, Fraction(0))
    return max(nats(ratio) if ratio is not None else float("inf") for ratio in ratios)


@statement("KMM+23 POP")
def others_are_told_little() -> Outcome:
    """At (x0, .) all copies say 1; at (x1, .) two of four do, after two mistakes there.

    says: all predictions but a record's own cost epsilon_vote a vote and epsilon_count a count after it
    scope: the exact law of its code, k = 4, two points: all pairs of three records, one pair of four
    stated: at most that; more if the count has hardly any noise, or with the record's own prediction
    code: learn.papers.boxes.private_online_procedure.private_online_procedure
    proof: notes/boxes.md#kmm23-pop
    """
    H = FiniteClass.from_array([[1, 0], [1, 1]])

    def tell(S: Sample, r: int, vote: Fraction, count: Fraction) -> Law:
        return law(
            lambda choose: private_online_procedure(
                S, H, k=4, r=r, epsilon_vote=vote, epsilon_count=count, choose=choose
            )
        )

    vote, count = Fraction(1), Fraction(1, 8)
    records = list(product(H.domain, (0, 1)))
    # Nobody is told anything after the last label, so it is 0.
    streams = [(*S, (x, 0)) for S in product(records, repeat=2) for x in H.domain]
    laws = {S: tell(S, 2, vote, count) for S in streams}
    shares, kept = list[float](), True
    for i in (0, 1):
        allowed = float((2 - i) * vote + (3 - i) * count)
        seen = {S: others_see(laws[S], i) for S in streams}
        pairs = [(S, (*S[:i], z, *S[i + 1 :])) for S in streams for z in records if z > S[i]]
        spent = max(apart(seen[S], seen[other]) for S, other in pairs)
        shares.append(spent / allowed)
        kept = kept and spent <= allowed

    def laws_of_pair(count: Fraction) -> list[Law]:
        known = ("x1", 1)
        return [tell((known, known, (x, 1), known), 3, Fraction(4), count) for x in H.domain]

    noisy, exact = laws_of_pair(Fraction(1, 32)), laws_of_pair(Fraction(60))
    allowed, own = 4 + 2 / 32, apart(*noisy)
    hidden, shown = (apart(*(others_see(p, 2) for p in laws)) for laws in (noisy, exact))
    return Outcome(
        f"{max(shares):.3f} of that; of {allowed:.2f} it takes {hidden:.2f}, "
        f"{shown:.2f} by an exact count, {own:.1f} with its own",
        kept and hidden <= allowed < min(shown, own),
    )
