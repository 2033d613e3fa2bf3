"""The choosing mechanism, on all tiny samples of records that name the hypotheses covering them."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product

from littlestone.privacy.budget import Budget
from littlestone.privacy.mechanisms.lists.choosing import ChoosingMechanism
from littlestone.prove.mechanisms.neighbours import neighbours
from littlestone.prove.mechanisms.subject import Subject, mechanism_subject, subject

Records = tuple[tuple[tuple[str, ...], bool], ...]

# Repeats, both orders, and more than the two hypotheses that count; both labels.
COVERING = ((), ("a",), ("b", "a"), ("b", "a", "c"), ("c", "c", "a"))
RECORDS: Records = tuple(product(COVERING, (True, False)))


def choosing_subject(mechanism: ChoosingMechanism[str]) -> Subject[Records]:
    """The mechanism on all tiny pairs, and on pairs beside a hypothesis that is as likely as bottom."""
    many: Records = ((("a",), True),) * -(-mechanism.bottom // mechanism.gain)
    crowded = [((*many, one), (*many, other)) for one, other in combinations(RECORDS, 2)]
    return mechanism_subject(
        mechanism,
        pairs=[*neighbours(RECORDS, 2, ordered=False), *crowded],
        large=((*many, (("a",), True)), (*many, (("a",), False))),
        read=lambda records: records,
    )


@subject(
    "choosing-mechanism",
    id="BNS13",
    code="privacy.mechanisms.lists.choosing.ChoosingMechanism",
    proof="proofs/choosing.md#theorem-1-privacy",
)
def choosing_mechanism(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The choosing mechanism where a record brings at most two hypotheses; needs a delta."""
    return choosing_subject(ChoosingMechanism[str](Budget(epsilon, delta), growth=2))


@subject("choosing-mechanism-gain")
def choosing_gain(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The choosing mechanism where a positive record gains 3 and a negative one loses 1."""
    return choosing_subject(ChoosingMechanism[str](Budget(epsilon, delta), 2, gain=3))


@subject(
    "choosing-mechanism-loss",
    id="BNS13",
    code="privacy.mechanisms.lists.choosing.ChoosingMechanism",
    proof="proofs/choosing.md#theorem-1-privacy",
)
def choosing_loss(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The choosing mechanism where a positive record gains 2 and a negative one loses 3."""
    return choosing_subject(ChoosingMechanism[str](Budget(epsilon, delta), 2, gain=2, loss=3))
