"""What a subject draws: the law of its runs, by their own code, against its distribution and claim."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial

from littlestone.privacy.rational import exp_above
from littlestone.prove.audit.choices import follow
from littlestone.prove.audit.claims import Data, hockey_stick
from littlestone.prove.audit.subject import Subject

RUNS = 1000
"""About how many runs of one law are followed at most; few laws need as many."""

_ENOUGH = Fraction(1, 2)


def law_of(subject: Subject[Data], data: Data, runs: int = RUNS) -> dict[Hashable, Fraction]:
    """Lower bounds of the probabilities of all outputs of a run on ``data``, as `follow` has them.

    >>> from littlestone.prove.audit import find_subject
    >>> coin = find_subject("randomized-response").make(Fraction(1), Fraction(0))
    >>> [round(float(p), 3) for p in law_of(coin, 1).values()]
    [0.731, 0.269]
    """
    run = cache(partial(subject.runs, 2 * runs))  # `follow` always has the same generator
    return follow(lambda rng: subject.cell(data, run(rng)(data)), runs)


@dataclass(frozen=True)
class DrawComparison:
    """What was found of the draws on some pairs of data sets.

    ``known`` is the least part of a law that was followed.  ``wrong`` outputs are drawn more often than
    the distribution says, and ``beyond`` ordered pairs break the claim by their draws alone.
    """

    known: Fraction
    wrong: int
    beyond: int

    @property
    def holds(self) -> bool:
        """Whether the draws agree with the distribution and the claim, and more than half is known."""
        return not self.wrong and not self.beyond and self.known > _ENOUGH

    def __str__(self) -> str:
        if self.wrong or self.beyond:
            return (
                f"{self.wrong} outputs are drawn more often than it says, "
                f"{self.beyond} pairs of draws exceed the claim"
            )
        return f"the draws agree, {float(self.known):.0%} followed"


def follow_draws(
    subject: Subject[Data], pairs: Iterable[tuple[Data, Data]], runs: int = RUNS
) -> DrawComparison:
    """Follow the draws on all ``pairs``, and compare them with the stated distribution.

    Where a part u of the law q was not followed, p(Y) - e^epsilon (q(Y) + u) is at most what the true
    laws have, so that a pair that is beyond the claim is so for certain.

    >>> from littlestone.prove.audit import find_subject
    >>> subject = find_subject("exponential-learner-table").make(Fraction(1), Fraction(0))
    >>> str(follow_draws(subject, subject.pairs[-1:]))
    'the draws agree, 100% followed'
    """
    listed = list(pairs)
    laws = {data: law_of(subject, data, runs) for pair in listed for data in pair}
    # A lower bound above the stated mass shows another law, and one below it shows nothing
    # (docs/proofs/audit.md, "Real sizes", step 1).
    wrong = sum(
        mass > said.get(output, 0)
        for data, law in laws.items()
        for said in [subject.distribution(data)]
        for output, mass in law.items()
    )
    claim = subject.event.cost()
    ratio = exp_above(claim.epsilon)
    # What was not followed of the other law may lie in the same outputs, so it is added there (step 3).
    beyond = sum(
        hockey_stick(laws[one], laws[other], ratio) - ratio * (1 - sum(laws[other].values()))
        > claim.delta
        for pair in listed
        for one, other in (pair, pair[::-1])
    )
    return DrawComparison(
        min(sum(law.values(), Fraction(0)) for law in laws.values()), wrong, beyond
    )
