"""The checker against the page of the format: 6,000 changed certificates."""

from __future__ import annotations

import shutil
import subprocess
from collections import Counter
from functools import cache, partial
from pathlib import Path
from random import Random

import forging
import numpy as np
import pytest
from claims_by_the_page import HEAD, proved
from forging import Rows, changed, forged

from limits import limit_memory
from littlestone.base.errors import DeclarationError
from littlestone.dimension import Certificate
from whole_grid import WHOLE

pytestmark = pytest.mark.deep

HERE = Path(__file__).parent
CHECKER = HERE.parents[1] / "checker"
CHANGES = 1250
STRICT = (
    "-O1",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-DCHECK_PLAIN",
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


def compiled(folder: Path, *options: str, old: str = "", new: str = "") -> Path:
    """A program that checks many certificates; in the checker's text, ``old`` has become ``new``."""
    compiler = shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("no C compiler is installed")
    texts = {path.name: path.read_text() for path in CHECKER.glob("*.[ch]")}
    assert not old or sum(text.count(old) for text in texts.values()) == 1
    for name, text in texts.items():
        (folder / name).write_text(text.replace(old, new) if old else text)
    flags = ["-std=c11", *(options or ["-O1"]), "-I", str(folder), "-o", str(folder / "many")]
    sources = [str(HERE / "many_certificates.c"), str(folder / "check.c")]
    subprocess.run([compiler, *flags, *sources], check=True)
    return folder / "many"


def statuses(program: Path, rows: Rows, files: list[bytes], *room: str) -> str:
    """The exit status for each file."""
    table, given, out = (program.with_name(name) for name in ("table.npy", "given", "out"))
    np.save(table, np.array(rows, np.uint8))
    given.write_bytes(b"".join(b"%d\n%s" % (len(data), data) for data in files))
    environment = {"ASAN_OPTIONS": "detect_leaks=0"}
    # The sanitizer of addresses shadows all of them.
    subprocess.run(
        [program, table, given, out, *room],
        check=True,
        env=environment,
        timeout=300,
        preexec_fn=partial(limit_memory, None),
    )
    return out.read_text()


def by_the_page(rows: Rows, data: bytes) -> bool:
    """Whether a file proves both of its bounds."""
    found = proved(rows, data)
    return found is not None and found[1] is not None


def by_the_package(rows: Rows, data: bytes) -> bool:
    """The same, as `littlestone theory certify` sees it."""
    try:
        verdicts = Certificate.read(data).check(rows)
    except DeclarationError:
        return False
    return all(verdict.proved for verdict in verdicts)


def what_changed(before: bytes, after: bytes) -> str:
    """In which part an accepted file differs from the certificate that it was made of."""
    if after[HEAD:] == before[HEAD:]:
        return "fingerprint"
    old, new = Certificate.read(before), Certificate.read(before[:HEAD] + after[HEAD:])
    if new.upper > old.upper:
        return "a larger upper bound"
    if new.tree != old.tree:
        return "another shattered tree"
    return "another proof" if new.text != old.text else "longer numbers"


def test_the_c_program_accepts_what_the_page_does(tmp_path: Path) -> None:
    """Whatever it accepts is valid word by word, and says what is true of the table."""
    program = compiled(tmp_path, *STRICT)
    seen: Counter[str] = Counter()
    for rows, files in batteries():
        honest = Certificate.read(files[0])
        for i, (data, status) in enumerate(zip(files, statuses(program, rows, files), strict=True)):
            seen[status] += 1
            if i < 25:
                assert (status == "0") == by_the_page(rows, data)
            if status == "0":
                lower, upper = proved(rows, data) or (99, 0)
                assert upper is not None
                assert lower <= honest.lower <= upper
                seen[what_changed(files[0], data)] += 1
    assert seen["0"] + seen["1"] + seen["2"] == len(batteries()) * (CHANGES + 1)
    assert seen["0"] > 24
    assert set(seen) - {"0", "1", "2"} <= {
        "fingerprint", "a larger upper bound", "another shattered tree", "another proof",
    }  # fmt: skip


def test_the_package_accepts_nothing_more() -> None:
    for rows, files in batteries():
        for data in files[: CHANGES // 5]:
            assert not by_the_package(rows, data) or by_the_page(rows, data)
        assert by_the_package(rows, files[0])


def test_a_check_that_may_take_little_memory_says_so(tmp_path: Path) -> None:
    """Wherever memory ends, it is all given back; and more of it changes no other answer."""
    program = compiled(tmp_path, *STRICT)
    for rows, files in batteries():
        enough, seen = statuses(program, rows, files[:40]), set()
        for room in range(0, 200_000, 7_001):
            found = statuses(program, rows, files[:40], str(room))
            assert all(mine in ("3", theirs) for mine, theirs in zip(found, enough, strict=True))
            seen |= set(found)
        assert "3" in seen


def test_no_forged_certificate_is_accepted(tmp_path: Path) -> None:
    program = compiled(tmp_path, *STRICT)
    for rows, files in forged():
        assert by_the_page(rows, files[0])
        assert not any(by_the_page(rows, data) for data in files[1:])
        found = statuses(program, rows, files)
        assert found[0] == "0"
        assert "0" not in found[1:]
        assert [by_the_package(rows, data) for data in files] == [True, *[False] * (len(files) - 1)]


# Faults of the checker, each a piece of its text and what it becomes.
FAULTS = {
    "a claim needs no step where it has few rows more": ("rows >> k == 0", "rows >> k <= 1"),
    "the only claim needs no step where it has few rows more": (
        "!(rows >> k) &&",
        "rows >> k <= 1 &&",
    ),
    "any side is small enough": ("(size_t)1 << (k - 1), tried", "(size_t)1 << k, tried"),
    "a side may split a little": ("<< (k - 2), take", "<< (k - 1), take"),
    "the smaller side alone": ("turn < 2 && k > 2", "turn < 1 && k > 2"),
    "columns of a contained side are equal": (" && inside(v, x, 0, y, !t)", ""),
    "a side lies in any other": (" && inside(v, x, s, value / 2, value & 1)", ""),
    "a side lies in one that has no step": ("dead[value / 2] == 1 + value % 2 && ", ""),
    "a claim with any number": ("claims[c->made - 1 - value].k >= k", "0"),
    "a claim with the same number": (".k >= k) return", ".k > k) return"),
    "a claim about another set": (
        "literal != literal && !c->path",
        "literal != literal && c->path",
    ),
    "any shape": ("other->shape && has_shape(c, &side, other->shape)", "other->shape != NULL"),
    "a shape of other columns": ("good = *slot_in(s, one) != 0", "good = 1"),
    "what was found of another claim": ("word a = me, next", "word a = 0, next"),
    "columns without a step": ("if (!*orbit && !repeated(v, x)) return 0;", ""),
    "the claim inside is read only": (
        "int good = accept(c, &side, k - 1, me, literal, g);",
        "int good = 1; accept(c, &side, k - 1, me, literal, g);",
    ),
    "a symmetry of another table": ("good && permutes_rows(f, v, c->columns, to, images)", "good"),
    "two columns go to one": (" && !met[literal / 2]", ""),
    "the last row may go anywhere": ("first + i < v->rows; i++)", "first + i + 1 < v->rows; i++)"),
    "a column beyond the last": ("literal < 2 * c->columns &&", "literal <= 2 * c->columns &&"),
    "a word in itself": ("good = letter / 2 < c->elements", "good = letter / 2 <= c->elements"),
    "any number of elements": ("if (words > MOST - generators) return 0;", ""),
    "any number of groups": ("if (more > MOST || (generators", "if ((generators"),
    "no word is inverted": ("letter & 1 ? back[to[i]] : by[to[i]]", "by[to[i]]"),
    "one orbit": ("b = first(g->orbit, to[2 * x] / 2)", "b = 0"),
    "no orbits": ("g->orbit[a > b ? a : b] = a > b ? b : a", "(void)b"),
    "a group may move the path": ("if (g->moved[claims[a].literal / 2]) return 0", ""),
    "a group may move the side": ("if (g->moved[x]) return 0;", ""),
    "a group fixes points": ("to[2 * x] != 2 * x", "to[2 * x] / 2 != x"),
    "a group moves upwards only": ("to[2 * x] != 2 * x", "to[2 * x] > 2 * x"),
    "every claim is under the first group": (
        "kind ? c->groups + value : &c->none",
        "c->grouped ? c->groups : &c->none",
    ),
    "leaves are not looked at": ("(row[w] ^ values[w]) & mine[w]", "row[w] & 0"),
    "a path may ask twice": ("!= answer) return 0;", "> 1) return 0;"),
    "a leaf begins like another": ("depth - 1 - (word)__builtin", "depth - (word)__builtin"),
    "more bytes may follow": (" && c->at == job->size", ""),
    "fewer claims than declared": ("&& c->made == c->declared", ""),
    "a carry is lost": ("carry[i / 2] = (total & a) | (one & b)", "carry[i / 2] = total & a"),
    "the last rows do not count": ("first < n; first +=", "first + AT_ONCE * each < n; first +="),
    "half of the rows do not count": ("half >= width; half /= 2", "half > width; half /= 2"),
    "too many ones are not seen": ("many &= few, any |= many", "any |= many"),
    "the first eight words alone": (
        "part < width; part += 8) {\n        vector plane",
        "part < 1; part += 8) {\n        vector plane",
    ),
    "places that are listed twice": ("n = after;", ""),
    "the sum of narrow columns": (
        "splits = n >= least && v->rows",
        "splits = n > least && v->rows",
    ),
}


# Every other one, as each takes seconds; WHOLE_GRID=1 plants all.
@pytest.mark.parametrize("fault", list(FAULTS)[:: 1 if WHOLE else 2])
def test_planted_faults_of_the_c_program_are_found(fault: str, tmp_path: Path) -> None:
    old, new = FAULTS[fault]
    program = compiled(tmp_path, old=old, new=new)
    for rows, files in [*forged(), *((rows, files[:300]) for rows, files in batteries())]:
        try:
            found = statuses(program, rows, files)
        except subprocess.CalledProcessError:  # it has crashed
            return
        accepted = (data for data, status in zip(files, found, strict=True) if status == "0")
        if found[0] != "0" or not all(by_the_page(rows, data) for data in accepted):
            return
    pytest.fail("the checker with this fault answers as the page does")
