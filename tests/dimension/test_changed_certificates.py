"""Both checkers against the page of the format: 5,000 changed certificates."""

from __future__ import annotations

import shutil
import subprocess
from collections import Counter
from functools import cache
from pathlib import Path
from random import Random

import forging
import numpy as np
import pytest
from claims_by_the_page import HEAD, proved
from forging import Rows, changed, forged

from littlestone.dimension import GraphCertificate
from littlestone.errors import DeclarationError

pytestmark = pytest.mark.deep

HERE = Path(__file__).parent
CHECKER = HERE.parents[1] / "checker" / "check.c"
CHANGES = 1250
STRICT = (
    "-O1",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-fsanitize=address,undefined",
    "-fno-sanitize-recover",
)


@cache
def batteries() -> list[tuple[Rows, list[bytes]]]:
    """Tables, each with its certificate and with changed ones."""
    rng = Random(7)
    made = []
    for rows, certificate in forging.certified():
        data = certificate.to_bytes()
        made.append((rows, [data, *(changed(data, rng) for _ in range(CHANGES))]))
    return made


def compiled(folder: Path, source: str, *options: str) -> Path:
    """The C program, in a process that checks many certificates."""
    compiler = shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("no C compiler is installed")
    (folder / "check.c").write_text(source)
    made = folder / "many"
    flags = ["-std=c11", *options, "-I", str(folder), "-o", str(made)]
    subprocess.run([compiler, *flags, str(HERE / "many_certificates.c")], check=True)
    return made


def statuses(program: Path, rows: Rows, files: list[bytes]) -> str:
    """The exit status for each file."""
    table, given, out = (program.with_name(name) for name in ("table.npy", "given", "out"))
    np.save(table, np.array(rows, np.uint8))
    given.write_bytes(b"".join(b"%d\n%s" % (len(data), data) for data in files))
    environment = {"ASAN_OPTIONS": "detect_leaks=0"}
    subprocess.run([program, table, given, out], check=True, env=environment, timeout=300)
    return out.read_text()


def by_the_page(rows: Rows, data: bytes) -> bool:
    """Whether a file proves both of its bounds."""
    found = proved(rows, data)
    return found is not None and found[1] is not None


def by_the_package(rows: Rows, data: bytes) -> bool:
    """The same, as `littlestone certify` sees it."""
    try:
        verdicts = GraphCertificate.read(data).check(rows)
    except DeclarationError:
        return False
    return all(verdict.proved for verdict in verdicts)


def what_changed(before: bytes, after: bytes) -> str:
    """In which part an accepted file differs from the certificate that it was made of."""
    if after[HEAD:] == before[HEAD:]:
        return "fingerprint"
    old, new = GraphCertificate.read(before), GraphCertificate.read(before[:HEAD] + after[HEAD:])
    if new.upper > old.upper:
        return "a larger upper bound"
    if new.tree != old.tree:
        return "another shattered tree"
    return "another proof" if new.text != old.text else "longer numbers"


def test_the_c_program_accepts_what_the_page_does(tmp_path: Path) -> None:
    """Whatever it accepts is valid word by word, and says what is true of the table."""
    program = compiled(tmp_path, CHECKER.read_text(), *STRICT)
    seen: Counter[str] = Counter()
    for rows, files in batteries():
        honest = GraphCertificate.read(files[0])
        for i, (data, status) in enumerate(zip(files, statuses(program, rows, files), strict=True)):
            seen[status] += 1
            if i < 25:
                assert (status == "0") == by_the_page(rows, data)
            if status == "0":
                lower, upper = proved(rows, data) or (99, 0)
                assert upper is not None
                assert lower <= honest.lower <= upper
                seen[what_changed(files[0], data)] += 1
    assert seen["0"] + seen["1"] + seen["2"] == 4 * (CHANGES + 1)
    assert seen["0"] > 24
    assert set(seen) - {"0", "1", "2"} <= {
        "fingerprint", "a larger upper bound", "another shattered tree", "another proof",
    }  # fmt: skip


def test_the_package_accepts_nothing_more() -> None:
    for rows, files in batteries():
        for data in files[: CHANGES // 5]:
            assert not by_the_package(rows, data) or by_the_page(rows, data)
        assert by_the_package(rows, files[0])


def test_no_forged_certificate_is_accepted(tmp_path: Path) -> None:
    program = compiled(tmp_path, CHECKER.read_text(), *STRICT)
    for rows, files in forged():
        assert by_the_page(rows, files[0])
        assert not any(by_the_page(rows, data) for data in files[1:])
        found = statuses(program, rows, files)
        assert found[0] == "0"
        assert "0" not in found[1:]
        assert [by_the_package(rows, data) for data in files] == [True, *[False] * (len(files) - 1)]


# Faults of the C program, each a piece of its text and what it becomes.
FAULTS = {
    "a claim needs no step where it has few rows more": ("v->rows >> k == 0", "v->rows >> k <= 1"),
    "any side is small enough": ("(size_t)1 << (k - 1)", "(size_t)1 << k"),
    "rule 2 for k = 2": ("return k > 2 && !(split0 && split1)", "return !(split0 && split1)"),
    "a side may split a little": ("least = half / 2", "least = half"),
    "the other side decides": ("return k > 2 && !(split0 &&", "return k > 2 && !(split0 ||"),
    "columns of as many ones are equal": (" && inside(v, x, 1, y, 1)", ""),
    "a side lies in any other": (" && inside(v, x, s, value / 2, value & 1)", ""),
    "a side lies in one that has no step": ("dead[value / 2] == 1 + value % 2 && ", ""),
    "a claim with any number": ("claims[made - 1 - value].k >= k", "0"),
    "a claim with the same number": (".k >= k) return", ".k > k) return"),
    "a claim about another set": ("literal != literal && !path", "literal != literal && path"),
    "any shape": ("c->rows == side.rows && c->size == size && !memcmp(c->shape, shape, size)", "1"),
    "columns without a step": ("good = *orbit || repeated(v, x)", "good = 1"),
    "the claim inside is read only": ("good = accept(&side, k - 1", "accept(&side, k - 1"),
    "a symmetry of another table": ("good && permutes_rows(to)", "good"),
    "two columns go to one": (" && !met[literal / 2]", ""),
    "the last row may go anywhere": (
        "for (size_t i = 0; i < rows && good; i++) {",
        "for (size_t i = 0; i + 1 < rows && good; i++) {",
    ),
    "a column beyond the last": ("literal < 2 * columns &&", "literal <= 2 * columns &&"),
    "a word in itself": ("good = letter / 2 < elements", "good = letter / 2 <= elements"),
    "any number of elements": ("if (words > MOST - generators) return 0;", ""),
    "any number of groups": ("if (more > MOST) return 0;", ""),
    "no word is inverted": ("letter & 1 ? back[to[i]] : by[to[i]]", "by[to[i]]"),
    "one orbit": ("b = first(g->orbit, to[2 * x] / 2)", "b = 0"),
    "no orbits": ("g->orbit[a > b ? a : b] = a > b ? b : a", "(void)b"),
    "a group may move the path": ("if (g->moved[claims[a].literal / 2]) return 0", ""),
    "a group may move the side": ("if (g->moved[x]) return 0;", ""),
    "a group fixes points": ("to[2 * x] != 2 * x", "to[2 * x] / 2 != x"),
    "a group moves upwards only": ("to[2 * x] != 2 * x", "to[2 * x] > 2 * x"),
    "every claim is under the first group": (
        "kind ? groups + p : &none",
        "grouped ? groups : &none",
    ),
    "leaves are not looked at": ("!= (i >> (depth - level - 1) & 1)) return 0", "> 1) return 0"),
    "more bytes may follow": ("above = above && at == file_size", ""),
    "fewer claims than declared": (" && made == declared;", ";"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_planted_faults_of_the_c_program_are_found(fault: str, tmp_path: Path) -> None:
    source, (old, new) = CHECKER.read_text(), FAULTS[fault]
    assert source.count(old) == 1
    program = compiled(tmp_path, source.replace(old, new))
    wrong = 0
    for rows, files in [*forged(), *((rows, files[:300]) for rows, files in batteries())]:
        found = statuses(program, rows, files)
        wrong += sum(
            status == "0" and not by_the_page(rows, data)
            for data, status in zip(files, found, strict=True)
        )
        wrong += found[0] != "0"
    assert wrong
