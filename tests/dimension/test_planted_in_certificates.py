"""Faults planted in the writer and the checker of the package: each makes a false or no certificate."""

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

from littlestone.dimension import GraphCertificate
from littlestone.dimension.symmetry import learning
from littlestone.dimension.table import PackedTable
from littlestone.errors import DeclarationError

pytestmark = pytest.mark.deep

CHECKER = {
    "few are more": ("accepting", "few = k >= 62 or size < 1 << k", "few = size <= 1 << k"),
    "a column without a step": ("accepting", "(few or _counts(F, R, depth, k, group))", "True"),
    "a side with few rows too many": ("accepting", "half = 1 << (k - 1)", "half = 1 << k"),
    "a side lies in one without a step": ("accepting", " or dead[j] != 1 + (other & 1)", ""),
    "a claim with any number": ("accepting", "if R.claim[claim, BOUND] <= k else -1", ""),
    "a claim about another set": ("accepting", "or not _restricts(R, claim, 2 * x + side)", ""),
    "a restriction of elsewhere": ("accepting", "            if added:\n", "            if False:\n"),
    "any shape": ("accepting", "if R.prints[of, p] != R.shape[p]:", "if False:"),
    "bytes may follow": ("accepting", "[AT]) == len(reader.text)", "[AT]) >= 0"),
    "a symmetry of another table": ("symmetries", "if not _is_symmetry(image,", "if False and ("),
    "no word is inverted": ("symmetries", "_inverse(factor) if letter & 1 else factor", "factor"),
    "words in the other order": ("symmetries", "image = turn[image]", "image = image[turn]"),
    "one orbit": ("symmetries", "least[i] = _orbits(members, points)", "least[i] = 0"),
    "any rows": ("symmetries", "return np.array_equal(_sorted(moved), rows)", "return True"),
    "a group may move the path": ("accepting", "good &= R.fixed[group, R", "good |= R.fixed[group, R"),
    "a group may move the side": ("accepting", "good = R.fixed[group, x] == 1", "good = True"),
    "a group fixes points": ("symmetries", "image[::2] == 2 *", "image[::2] >> 1 =="),
    "a group moves upwards only": ("symmetries", "image[::2] == 2 *", "image[::2] <= 2 *"),
    "a claim inside is under the group": ("accepting", "below: Index = ALONE", "below: Index = group"),
    "or under the first": ("accepting", "below: Index = ALONE", "below: Index = R.fixed.shape[0] - 1"),
    "one side may split": ("looking", "if zero_split and one_split:", "if zero_split and False:"),
    "the other side": ("frames", "flip = _ZERO if side == 1 else", "flip = _ZERO if side == 0 else"),
}  # fmt: skip

WRITER = {
    "the smaller side only": ("writing", "turn < 2:", "turn < 1:"),
    "no shape is marked": ("writing", "[claim, ENDS]] = END_SHAPE", "[claim, ENDS]] = END"),
    "numbers of claims are one more": ("writing", "[CLAIMS] - 1 - claim)", "[CLAIMS] - claim)"),
    "another group": ("writing", "W.place[depth + 1] - 1)", "0)"),
    "an orbit too few": ("writing", "    return left\n", "    return left - 1\n"),
    "every step is covered by others": ("writing", "contained(F, depth, 2 * x", "(F, depth, 2 * x"),
}  # fmt: skip


@cache
def honest() -> list[tuple[PackedTable, GraphCertificate]]:
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


def checks_rightly(check: Any) -> bool:
    """Whether all honest proofs are accepted, and no forged one is."""
    for table, certificate in honest():
        checker = check(table, certificate.text, certificate.claims)
        if not checker.accepts(certificate.upper + 1):
            return False
    for rows, files in forging.forged():
        table = PackedTable.read(np.array(rows, np.uint8))
        for data in files[1:]:
            try:
                read = GraphCertificate.read(data)
            except DeclarationError:
                continue
            checker = check(table, read.text, max(1, read.claims))
            if checker.accepts(read.upper + 1):
                return False
    return True


def writes_rightly(write: Any) -> bool:
    """Whether what is written proves the dimension."""
    for i, (table, certificate) in enumerate(honest()):
        with patch.object(learning, "PATIENCE", 0 if i == 3 else 1 << 30):
            written = write(table, 1 << 20).write(certificate.upper + 1)
        rows = table.values().tolist()
        if written is None or not right(rows, certificate.upper + 1, *written):
            return False
    return True


def test_without_a_fault() -> None:
    with interpreted() as (write, check):
        assert checks_rightly(check)
        assert writes_rightly(write)


@pytest.mark.parametrize("fault", CHECKER)
def test_faults_of_the_checker_are_found(fault: str) -> None:
    with interpreted(*CHECKER[fault]) as (_, check):
        assert not checks_rightly(check)


@pytest.mark.parametrize("fault", WRITER)
def test_faults_of_the_writer_are_found(fault: str) -> None:
    with interpreted(*WRITER[fault]) as (write, _):
        assert not writes_rightly(write)
