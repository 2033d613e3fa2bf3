"""The symmetries that a certificate declares, before its claims.

Words in generators make further elements, and some elements make a group.
docs/certificate-format.md says what the numbers mean.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from littlestone.dimension.septets import written

Permutation = NDArray[np.int64]  # of the literals 2 * column + value
Word = Sequence[int]  # letters: 2 e for element e, 2 e + 1 for its inverse


def declared(
    generators: Sequence[Permutation], words: Sequence[Word], groups: Sequence[Sequence[int]]
) -> bytes:
    """The text that declares them; the generators are the first group, which is left out."""
    said = [len(generators)]
    for image in generators:
        said += image[::2].tolist()
    if generators:
        for lists in (words, groups):
            said.append(len(lists))
            for numbers_ in lists:
                said += [len(numbers_), *numbers_]
    return written(said)
