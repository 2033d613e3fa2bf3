"""Continual confirmation, over all of its steps."""

from __future__ import annotations

from fractions import Fraction

from littlestone.audit.neighbours import neighbours
from littlestone.audit.subject import Subject, mechanism_subject, subject
from littlestone.privacy.mechanisms.streams.confirmation import ContinualConfirmation

Keys = tuple[int | None, ...]

HORIZON = 20


@subject("continual-confirmation")
def continual_confirmation(epsilon: Fraction, delta: Fraction) -> Subject[Keys]:
    """Two keys of a stream, each confirmed when it is named often; spends no delta."""
    mechanism = ContinualConfirmation(
        skip_epsilon=epsilon / 2,
        test_epsilon=epsilon / 2,
        threshold=1,
        warm=1,
        keys=2,
        horizon=HORIZON,
    )
    return mechanism_subject(
        mechanism,
        pairs=neighbours((None, 0, 1), 3),
        large=((0, *(1,) * (HORIZON - 1)), (1,) * HORIZON),
        read=lambda stream: stream,
    )
