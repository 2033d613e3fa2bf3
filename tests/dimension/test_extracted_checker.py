"""The checker that is extracted from its proof in Coq agrees with checker/check.c."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from random import Random

import forging
import numpy as np
import pytest
from benchmarks.named_tables import table
from forging import certificate_of, changed
from test_changed_certificates import compiled, statuses

pytestmark = [
    pytest.mark.deep,
    pytest.mark.skipif(
        not shutil.which("coqc") or not shutil.which("ocamlopt"), reason="takes Coq and OCaml"
    ),
]

COQ = Path(__file__).parents[2] / "coq"
CHANGES = 2_000


@pytest.fixture(scope="module")
def extracted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("coq")
    shutil.copytree(COQ, folder, dirs_exist_ok=True)
    subprocess.run(["make", "-C", folder, "certificates"], check=True)
    return folder / "certificates"


@pytest.mark.parametrize(
    "values",
    [
        table("thresholds", 60),
        table("intervals", 9, 2),
        table("decision_lists", 3),
        table("juntas", 4, 2),
        table("dnf", 4, 3, 3),
        table("kneser", 8, 3),
        table("paley", 61),
        table("reed_muller", 1, 4),
        table("random", 200, 130, 20, 1),
    ],
    ids=lambda values: "x".join(map(str, values.shape)),
)
@pytest.mark.parametrize("patience", [0, 1 << 30], ids=["symmetries", "plain"])
def test_certificates_of_the_families_are_accepted(
    values: np.ndarray, patience: int, extracted: Path
) -> None:
    rows, certificate = certificate_of(values, patience)
    data = certificate.to_bytes()
    assert statuses(extracted, rows, [data, data[:-1], data + b"\0"]) == "011"


def test_ten_thousand_changed_files(extracted: Path, tmp_path: Path) -> None:
    program, rng, accepted = compiled(tmp_path, "-O2"), Random(12), 0
    for rows, certificate in forging.certified():  # the last one uses symmetries
        data = certificate.to_bytes()
        files = [data, *(changed(data, rng) for _ in range(CHANGES))]
        expected = statuses(program, rows, files)
        found = statuses(extracted, rows, files)
        assert [a == "0" for a in found] == [b == "0" for b in expected]
        accepted += found.count("0")
    assert accepted > 4


def test_forged_files_are_accepted_where_the_program_in_c_does(
    extracted: Path, tmp_path: Path
) -> None:
    program = compiled(tmp_path, "-O2")
    for rows, files in forging.forged():
        found = statuses(extracted, rows, files)
        assert found[0] == "0"
        assert [a == "0" for a in found] == [b == "0" for b in statuses(program, rows, files)]
