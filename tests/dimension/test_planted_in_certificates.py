"""Faults planted in the writer: each makes a false or no certificate."""

from __future__ import annotations

from functools import cache
from typing import Any
from unittest.mock import patch

import forging
import numpy as np
import pytest
from claims_by_the_page import Proof, RefusedError, Text
from forging import Rows
from interpreted import interpreted

from littlestone.dimension import Certificate
from littlestone.dimension.symmetry import learning
from littlestone.dimension.table import PackedTable

pytestmark = pytest.mark.deep

WRITER = {
    "the smaller side only": ("writing", "turn < 2:", "turn < 1:"),
    "no shape is marked": ("writing", "[claim, ENDS]] = END_SHAPE", "[claim, ENDS]] = END"),
    "numbers of claims are one more": ("writing", "[CLAIMS] - 1 - claim)", "[CLAIMS] - claim)"),
    "another group": ("writing", "W.place[depth + 1] - 1)", "0)"),
    "an orbit too few": ("writing", "    return left\n", "    return left - 1\n"),
    "every step is covered by others": ("writing", "contained(F, depth, 2 * x", "(F, depth, 2 * x"),
}  # fmt: skip


@cache
def honest() -> list[tuple[PackedTable, Certificate]]:
    return [
        (PackedTable.read(np.array(rows, np.uint8)), certificate)
        for rows, certificate in forging.certified()
    ]


def right(rows: Rows, k: int, text: bytes, claims: int) -> bool:
    """Whether a text proves LDim < k, by the page."""
    proof = Proof(rows, Text(text))
    try:
        proof.prove(k)
    except RefusedError:
        return False
    return len(proof.claims) == claims and proof.text.at == len(text)


def writes_rightly(write: Any) -> bool:
    """Whether what is written proves the dimension."""
    for i, (table, certificate) in enumerate(honest()):
        with patch.object(learning, "PATIENCE", 0 if i == len(honest()) - 1 else 1 << 30):
            written = write(table, 1 << 20).write(certificate.upper + 1)
        rows = table.values().tolist()
        if written is None or not right(rows, certificate.upper + 1, *written):
            return False
    return True


def test_without_a_fault() -> None:
    with interpreted() as write:
        assert writes_rightly(write)


@pytest.mark.parametrize("fault", WRITER)
def test_faults_of_the_writer_are_found(fault: str) -> None:
    with interpreted(*WRITER[fault]) as write:
        assert not writes_rightly(write)
