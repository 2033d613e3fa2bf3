"""Decision lists over columns of 0s and 1s."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from littlestone.classes.spec import Spec, quoted
from littlestone.classes.tabled import Tabled, bits, distinct
from littlestone.errors import DeclarationError

MOST = 5
"""Columns: a sixth one multiplies the number of functions by more than 14."""


@dataclass(frozen=True)
class DecisionLists(Tabled):
    """The functions "if l_1 then b_1, else if l_2 then b_2, ..., else b" of literals l_i, labels b_i.

    These are the 1-decision lists of Riv87.  A function is a decision list iff it is constant, or some
    literal makes it constant and the literal's negation leaves a decision list on the other columns.
    The class lists its functions in this way: 4, 14, 96, 1050 and 15036 on 1, ..., 5 columns.

    >>> H = DecisionLists.of(["wet", "cold", "dark"])
    >>> H.size, H.littlestone_dimension()
    (96, 5)
    """

    keyword = "decision_lists"
    group = "columns of bits"

    @classmethod
    def of(cls, columns: Sequence[str]) -> Self:
        """The decision lists over the columns of these names."""
        if len(columns) > MOST:
            raise DeclarationError(
                f"list the decision lists over {len(columns)} columns",
                found=f"more than {MOST} columns have too many",
                fix=f"choose at most {MOST} columns",
            )
        declared = f"decision_lists({', '.join(map(quoted, columns))})"
        return cls.of_rows(bits(columns), _decision_lists(len(columns)), declared)

    @classmethod
    def parse(cls, spec: Spec) -> Self:
        spec.expect_columns("decision_lists(COLUMN, COLUMN, ...)")
        return cls.of(spec.arguments)

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls.of(names) for names in ("a", "ab", "abc")]


def _decision_lists(n: int) -> NDArray[np.bool_]:
    """One row per decision list, on the points of {0, 1}^n in their order."""
    lists = np.array([[False], [True]])
    for m in range(1, n + 1):
        rests = lists.reshape(-1, *(2,) * (m - 1))
        tables = [
            np.stack([rests, np.full_like(rests, b)][:: 1 if literal else -1], axis=1 + j)
            for j in range(m)
            for literal in (False, True)
            for b in (False, True)
        ]
        found = np.concatenate(tables).reshape(-1, 2**m)
        lists = found[distinct(found)]
    return lists
