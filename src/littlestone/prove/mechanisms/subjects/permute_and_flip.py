"""Permute-and-flip, on the same tiny vectors of error counts as the exponential mechanism."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from littlestone.privacy.mechanisms.scores.permute_and_flip import PermuteAndFlip
from littlestone.privacy.scores import ErrorRuns
from littlestone.prove.mechanisms.subject import Subject, mechanism_subject, subject
from littlestone.prove.mechanisms.subjects.exponential_mechanism import Errors, neighbouring_errors


@subject("permute-and-flip")
def permute_and_flip(epsilon: Fraction, delta: Fraction) -> Subject[Errors]:
    """Permute-and-flip on error counts; spends no delta."""
    return mechanism_subject(
        PermuteAndFlip(epsilon),
        pairs=neighbouring_errors(3, 3),
        large=((1, *[0] * 9), (0, *[1] * 9)),
        read=lambda errors: ErrorRuns(np.array(errors)),
    )
