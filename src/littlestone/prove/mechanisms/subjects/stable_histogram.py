"""The stable histogram, on all tiny samples of keys."""

from __future__ import annotations

from fractions import Fraction

from littlestone.privacy.budget import Budget
from littlestone.privacy.mechanisms.lists.stable_histogram import Histogram, StableHistogram
from littlestone.prove.mechanisms.neighbours import neighbours
from littlestone.prove.mechanisms.subject import Subject, mechanism_subject, subject

Keys = tuple[str | None, ...]


@subject(
    "stable-histogram",
    id="BLM20 Lemma 15",
    code="privacy.mechanisms.lists.stable_histogram.StableHistogram",
    proof="proofs/stable-histogram.md#theorem-1-privacy-blm20-lemma-15-with-its-constants",
)
def stable_histogram(epsilon: Fraction, delta: Fraction) -> Subject[Keys]:
    """The stable histogram of one key a record; needs a delta."""
    mechanism = StableHistogram[str](Budget(epsilon, delta))

    def cell(keys: Keys, released: Histogram[str]) -> Histogram[str]:
        most = max(mechanism.threshold, len(keys))
        return frozenset((key, min(count, most)) for key, count in released)

    # A record moves from one key to another, both at the threshold.
    many: Keys = ("a", "b") * mechanism.threshold
    one_at_it: Keys = ("a",) * (mechanism.threshold - 1)
    return mechanism_subject(
        mechanism,
        pairs=[
            *neighbours((None, "a", "b", "c"), 3, ordered=False),
            (("a", *one_at_it), ("b", *one_at_it)),
        ],
        large=(("a", *many), ("b", *many)),
        read=lambda keys: keys,
        cell=cell,
    )
