"""``dim --certificate``, ``certify`` and ``tree``: journeys, damage, limits and drawings."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import pytest
from running import Ran, run

from littlestone.base.errors import DeclarationError
from littlestone.classes import Enumerable, parse_class
from littlestone.dimension import Bounds, Certificate, MistakeTree, littlestone_bounds
from littlestone.pictures.tree import Node
from littlestone.show.tree import class_tree

RULES = "rule,a,b,c\nnone,0,0,0\nlow,0,0,1\nmid,0,1,1\nhigh,1,1,1\n"
CHECKER = Path(__file__).parents[2] / "checker"
WRITER = "littlestone.dimension.search.engine.ClaimWriter"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rules.csv").write_text(RULES)
    return tmp_path


def test_a_class_without_its_columns_is_shown_with_them(folder: Path) -> None:
    ran = run("dim", "thresholds")
    assert (ran.status, ran.out) == (2, "")
    assert "a class has its columns in parentheses" in ran.err
    assert "thresholds(x, 1..7)" in ran.err


def random_file(folder: Path, name: str, shape: tuple[int, int], p: float = 0.5) -> str:
    np.save(folder / name, np.random.default_rng(3).random(shape) < p)
    return name


def refused(ran: Ran, *words: str) -> None:
    assert (ran.status, ran.out) == (2, ""), ran
    assert ran.err.startswith("error: ")
    assert "to fix it: " in ran.err
    for word in words:
        assert word in ran.err


def balls(n: int) -> list[list[int]]:
    return [[code >> x & 1 for x in range(n)] for code in range(2**n) if code.bit_count() == 2]


@pytest.mark.parametrize(
    ("table", "dimension"),
    [
        ([[0]], 0),
        ([[1, 0], [1, 0]], 0),
        ([[0, 1], [1, 0], [0, 1]], 1),
        ([[int(x >= t) for x in range(31)] for t in range(32)], 5),
        (balls(9), 2),
        ([[1 - y for y in row] for row in balls(12)], 2),
        (np.random.default_rng(0).integers(0, 2, (200, 12)).tolist(), None),
        (np.random.default_rng(1).integers(0, 2, (3000, 40)).tolist(), None),
    ],
)
def test_a_certificate_comes_back(folder: Path, table: list[list[int]], dimension: object) -> None:
    np.save("t.npy", np.array(table))
    made = run("dim", "t.npy", "--certificate", "t.ldim", "--json")
    assert made.status == 0, made
    d = json.loads(made.out)["littlestone_dimension"]
    assert dimension in (None, d)
    checked = run("theory", "certify", "t.npy", "t.ldim")
    assert checked.status == 0
    lower, upper = checked.out.splitlines()
    assert lower == f"LDim >= {d}: proved by a shattered tree"
    assert upper.startswith(f"LDim < {d + 1}: proved by ")
    verdicts = json.loads(run("theory", "certify", "t.npy", "t.ldim", "--json").out)
    assert [verdict["proved"] for verdict in verdicts] == [True, True]


def test_a_declared_table_and_its_file_have_one_certificate(folder: Path) -> None:
    assert run("dim", "finite(x, rules.csv)", "--certificate", "a.ldim").status == 0
    assert run("dim", "rules.csv", "--certificate", "b.ldim").status == 0
    assert Path("a.ldim").read_bytes() == Path("b.ldim").read_bytes()
    assert run("theory", "certify", "finite(x, rules.csv)", "b.ldim").status == 0


def _of_balls() -> Certificate:
    np.save("balls.npy", np.array(balls(9)))
    assert run("dim", "balls.npy", "--certificate", "balls.ldim").status == 0
    return Certificate.load("balls.ldim")


def _certify(certificate: Certificate) -> Ran:
    Path("damaged.ldim").write_bytes(certificate.to_bytes())
    return run("theory", "certify", "balls.npy", "damaged.ldim")


def test_flipped_leaves_fail(folder: Path) -> None:
    honest = _of_balls()
    points, leaves = honest.tree.points, honest.tree.leaves
    for i in range(len(leaves)):
        for leaf in ((leaves[i] + 1) % 36, 10**6, 2**62):
            changed = MistakeTree(points, (*leaves[:i], leaf, *leaves[i + 1 :]))
            ran = _certify(replace(honest, tree=changed))
            # Another leaf may serve as well, if it gives the same answers on the path.
            if ran.status == 0 and leaf < 36:
                continue
            assert (ran.status, "NOT proved" in ran.out.splitlines()[0]) == (1, True)
    swapped = MistakeTree(points, leaves[::-1])
    assert "NOT proved: a leaf" in _certify(replace(honest, tree=swapped)).out
    beyond = MistakeTree((10**6, *points[1:]), leaves)
    assert "NOT proved: a leaf" in _certify(replace(honest, tree=beyond)).out


def test_a_smaller_upper_bound_is_not_proved_by_one_claim(folder: Path) -> None:
    """Functions that only columns with a single 1 tell apart are different all the same."""
    np.save("balls.npy", np.array([[0, 1, 0], [0, 0, 0], [1, 0, 1], [1, 0, 0]]))
    assert run("dim", "balls.npy", "--certificate", "balls.ldim").status == 0
    honest = Certificate.load("balls.ldim")
    assert honest.upper == 2
    less = replace(
        honest, lower=1, upper=1, tree=MistakeTree((0,), (0, 2)), claims=1, text=bytes(2)
    )
    ran = _certify(less)
    assert (ran.status, "LDim < 2: NOT proved: claim 1 does" in ran.out) == (1, True)


def test_files_that_are_none_are_refused(folder: Path) -> None:
    data = _of_balls().to_bytes()
    refused(run("theory", "certify", "balls.npy", "absent.ldim"), "absent.ldim", "no such file")
    refused(run("theory", "certify", "balls.npy", str(folder)), "no such file")
    refused(run("theory", "certify", "absent.npy", "balls.ldim"), "absent.npy", "no such file")
    refused(run("theory", "certify", "thresholds(x, 1..7)", "balls.ldim"), "about tables")
    for wrong, found in (
        (b"\xff\xfe\x00", "not a certificate of form 3"),
        (b'{"format": "littlestone-certificate 1", "claims": [[3]]}', "as JSON"),
        (data.replace(b"certificate 3", b"certificate 2"), "written by version 0.1"),
        (data[:59], "cut off"),
    ):
        Path("wrong.ldim").write_bytes(wrong)
        refused(run("theory", "certify", "balls.npy", "wrong.ldim"), "wrong.ldim", found)


def test_a_certificate_of_another_table_is_refused(folder: Path) -> None:
    honest = _of_balls()
    other = np.array(balls(9))
    other[7] = 1
    for values in (other, np.array(balls(9))[::-1], np.array(balls(10))):
        np.save("other.npy", values)
        refused(run("theory", "certify", "other.npy", "balls.ldim"), "another", "fingerprints")
    with pytest.raises(DeclarationError, match="another"):
        honest.check(other)


def checker(folder: Path) -> Path:
    """The program, as its Makefile makes it."""
    if shutil.which("make") is None or not (shutil.which("cc") or shutil.which("gcc")):
        pytest.skip("no C compiler is installed")
    shutil.copytree(CHECKER, folder, ignore=shutil.ignore_patterns("check"), dirs_exist_ok=True)
    compiler = "cc" if shutil.which("cc") else "gcc"
    flags = "CFLAGS=-O1 -Wall -Wextra -Wpedantic -Werror"
    subprocess.run(["make", "-s", "-C", folder, f"CC={compiler}", flags], check=True)
    return folder / "check"


@pytest.mark.deep
def test_the_program_and_certify_end_alike(tmp_path: Path) -> None:
    """With status 0 only if both bounds are proved; so not for an upper bound without a proof."""
    check = checker(tmp_path / "made")
    table = np.random.default_rng(1).random((1000, 100)) < 0.15
    certificate = Certificate.of(table, littlestone_bounds(table))
    low = MistakeTree((), (0,))
    counted = replace(certificate, lower=0, upper=10, tree=low, claims=0, text=b"")
    stated = replace(certificate, claims=0, text=b"")
    false = replace(certificate, lower=0, upper=certificate.upper - 1, tree=low)
    damaged = certificate.to_bytes()[:-1]
    cut_off = certificate.to_bytes()[:70]
    given, file = tmp_path / "table.npy", tmp_path / "made.ldim"
    np.save(given, table)
    for wanted, data in [
        (0, certificate.to_bytes()),
        (0, counted.to_bytes()),
        (1, stated.to_bytes()),
        (1, false.to_bytes()),
        (1, damaged),
        (2, cut_off),
        (2, b"{}"),
    ]:
        file.write_bytes(data)
        done = subprocess.run([check, given, file], capture_output=True, check=False, timeout=60)
        assert (done.returncode, done.stderr == b"") == (wanted, wanted < 2)
        assert run("theory", "certify", str(given), str(file)).status == wanted


@pytest.mark.deep
def test_a_time_limit_leaves_bounds_and_a_tree(folder: Path) -> None:
    hard = random_file(folder, "hard.npy", (20_000, 300), 0.2)
    ran = run("dim", hard, "--time-limit", "1", "--certificate", "hard.ldim")
    assert ran.status == 0
    assert "(interrupted by the time limit)" in ran.out
    assert "no proof of the upper bound" in ran.out
    found = Certificate.load("hard.ldim")
    assert 0 <= found.lower < found.upper <= 14
    assert f"between {found.lower} and {found.upper} " in ran.out
    for upper, status, verdict in (
        (14, 0, "LDim < 15: proved by counting: there are 20,000 hyp"),
        (13, 1, "LDim < 14: stated without a proof"),
    ):
        Path("hard.ldim").write_bytes(replace(found, upper=upper).to_bytes())
        checked = run("theory", "certify", hard, "hard.ldim")
        assert (checked.status, verdict in checked.out) == (status, True)
        assert f"LDim >= {found.lower}: proved by a shattered tree" in checked.out
    shown = json.loads(run("dim", hard, "--time-limit", "1", "--json").out)
    assert shown["littlestone_dimension"] is None
    assert shown["lower"] < shown["upper"]
    drawn = run("theory", "tree", hard, "--time-limit", "1", "--levels", "2")
    assert "there may be a deeper tree" in drawn.out


def test_ctrl_c_while_claims_are_written_keeps_the_dimension(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def pressed(_: object, k: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(f"{WRITER}.write", pressed)
    table = random_file(folder, "t.npy", (3000, 40), 0.3)
    ran = run("dim", table, "--certificate", "t.ldim")
    assert ran.status == 130
    assert ran.out.startswith("Littlestone dimension 9 (interrupted")
    checked = run("theory", "certify", table, "t.ldim")
    assert (checked.status, "LDim < 10: stated without" in checked.out) == (1, True)


def test_the_time_limit_reaches_the_writer(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stopped = Event()

    def write(_: object, k: int) -> None:
        assert stopped.wait(60)

    monkeypatch.setattr(f"{WRITER}.write", write)
    monkeypatch.setattr(f"{WRITER}.stop", lambda _: stopped.set())
    np.save("balls.npy", np.array(balls(9)))
    ran = run("dim", "balls.npy", "--certificate", "balls.ldim", "--time-limit", "1")
    assert ran.status == 0
    assert "dimension 2 (interrupted by the time limit)" in ran.out
    assert "no proof of the upper bound" in ran.out
    assert run("theory", "certify", "balls.npy", "balls.ldim").status == 1


def bounds_with_ctrl_c(table: Any, **options: Any) -> Bounds:
    """`littlestone_bounds`, where Ctrl+C is pressed as soon as the search makes progress."""
    pressed: list[int] = []

    def progress(lower: int, upper: int, nodes: int, seconds: float) -> None:
        if nodes and not pressed:
            pressed.append(nodes)
            signal.raise_signal(signal.SIGINT)

    return littlestone_bounds(table, **{**options, "progress": progress})


def test_ctrl_c_leaves_bounds_and_a_tree(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("littlestone.dimension.littlestone_bounds", bounds_with_ctrl_c)
    hard = random_file(folder, "hard.npy", (20_000, 300), 0.2)
    ran = run("dim", hard, "--certificate", "hard.ldim")
    assert ran.status == 130
    assert "(interrupted)" in ran.out
    assert "proved by a shattered tree" in run("theory", "certify", hard, "hard.ldim").out


@pytest.mark.deep
@pytest.mark.skipif(os.name != "posix", reason="sends the signal of Ctrl+C")
def test_ctrl_c_while_waiting_for_the_search(folder: Path) -> None:
    """The signal reaches a main thread that waits: the engine must rest before its tree is taken."""
    hard = random_file(
        folder, "hard.npy", (30_000, 300), 0.3
    )  # not settled in a minute on two cores
    timer = threading.Timer(2, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        ran = run("dim", hard, "--certificate", "hard.ldim", "--time-limit", "60")
    finally:
        timer.cancel()
    assert ran.status == 130
    checked = run("theory", "certify", hard, "hard.ldim")
    assert "proved by a shattered tree" in checked.out


def test_ctrl_c_as_the_bounds_meet_writes_no_long_proof(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    solve = littlestone_bounds
    met = lambda table, **options: replace(solve(table, **options), interrupted=True)  # noqa: E731
    monkeypatch.setattr("littlestone.dimension.littlestone_bounds", met)
    for options in [], ["--time-limit", "9"]:
        ran = run("dim", "rules.csv", "--certificate", "rules.ldim", *options)
        assert (ran.status, "(interrupted)" in ran.out) == (130, True)
        assert "no proof of the upper bound" in ran.out


def test_ctrl_c_before_the_search_leaves_what_counting_tells(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def pressed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("littlestone.dimension.littlestone_bounds", pressed)
    ran = run("dim", "rules.csv", "--certificate", "rules.ldim")
    assert (ran.status, ran.out.splitlines()[0]) == (
        130,
        "Littlestone dimension between 0 and 2 (interrupted)",
    )
    assert run("theory", "certify", "rules.csv", "rules.ldim").status == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("dim", "thresholds(x, 1..7)", "--certificate", "c.ldim"), ("about tables",)),
        (("dim", "rules.csv", "--certificate", "rules.csv"), ("is the same file as the table",)),
        (("dim", "rules.csv", "--certificate", "absent/c.ldim"), ("c.ldim",)),
        (("dim", "wide.npy", "--memory-limit", "0"), ("limit is 0;",)),
        (("theory", "tree", "rules.csv", "--out", "tree.pdf"), (".svg, .png or .html",)),
        (("theory", "tree", "rules.csv", "--out", "tree"), (".svg, .png or .html",)),
        (("theory", "tree", "rules.csv", "--out", "absent/tree.svg"), ("tree.svg",)),
        (("theory", "tree", "thresholds(x)"), ("LOW..HIGH",)),
        (("theory", "tree", "absent.csv"), ("no such file",)),
    ],
)
def test_what_is_refused(folder: Path, arguments: tuple[str, ...], words: tuple[str, ...]) -> None:
    random_file(folder, "wide.npy", (20_000, 300), 0.2)
    before = sorted(folder.iterdir())
    refused(run(*arguments), *words)
    assert sorted(folder.iterdir()) == before
    assert Path("rules.csv").read_text() == RULES


def test_a_tree_in_the_terminal(folder: Path) -> None:
    lines = [line.split()[-2:] for line in run("theory", "tree", "rules.csv").out.splitlines()]
    assert lines == [
        ["b"],
        ["0", "c"],
        ["0", "none"],
        ["1", "low"],
        ["1", "a"],
        ["0", "mid"],
        ["1", "high"],
    ]
    cut = run("theory", "tree", "rules.csv", "--levels", "1").out
    assert "... 1 more level\n" in cut
    assert "the top 1 of 2 levels" in cut
    assert run("theory", "tree", "points(merchant)").out.split()[0] == "v0"
    assert "the top 4 of 64 levels" in run("theory", "tree", f"thresholds(x, 1..{2**64 - 1})").out


def test_the_trees_of_declared_classes_are_shattered() -> None:
    """Each end is a hypothesis that gives the answers on its path."""
    for text in ("thresholds(x, 1..7)", "thresholds(x, 0..20)", "thresholds(x, 0..1; step 0.1)"):
        H = parse_class(text)
        root = class_tree(H, 9)
        assert root.ends == 2 ** int(H.littlestone_dimension())
        assert isinstance(H, Enumerable)
        words = {h.words(): h for h in map(H.hypothesis, range(H.size or 0))}
        points = {H.domain.words(x): x for x in H.domain}
        for end, path in _ends(root, ()):
            assert all(words[end](points[x]) == y for x, y in path), (text, end)


def _ends(node: Node, path: tuple[Any, ...]) -> Iterator[tuple[str, tuple[Any, ...]]]:
    if not node.after:
        yield node.text, path
        return
    for y, below in node.after:
        yield from _ends(below, (*path, (node.text, y)))


@pytest.mark.parametrize("name", ["tree.svg", "tree.PNG"])
def test_figures(folder: Path, name: str) -> None:
    names = ["$pend$ > $5", "Zürich & <co>", "東京"]
    table = ["rule," + ",".join(names), *(f"r{i},{i >> 2},{i >> 1 & 1},{i & 1}" for i in range(8))]
    Path("t.csv").write_text("\n".join(table), encoding="utf-8")
    assert run("theory", "tree", "t.csv", "--out", name).status == 0
    content = Path(name).read_bytes()
    if name.endswith("PNG"):
        assert content.startswith(b"\x89PNG")
        return
    text = content.decode()
    for shown in (
        "$pend$ &gt; $5",
        "Zürich &amp; &lt;co&gt;",
        "東京",
        *(f"r{i}" for i in range(8)),
    ):
        assert f">{shown}<" in text
    assert run("theory", "tree", "t.csv", "--out", name).status == 0
    assert Path(name).read_bytes() == content


@pytest.mark.parametrize(
    "text", ["thresholds(x, 1..1)", "points(merchant)", "thresholds(x, 1..999)"]
)
def test_figures_of_declared_classes(folder: Path, text: str) -> None:
    assert run("theory", "tree", text, "--out", "t.svg", "--levels", "6").status == 0
    assert text in Path("t.svg").read_text()


def test_without_matplotlib_the_command_to_install_it_is_told(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "matplotlib"]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    refused(run("theory", "tree", "rules.csv", "--out", "t.png"), "pip install 'matplotlib>=3.9'")
    assert not Path("t.png").exists()
    assert run("theory", "tree", "rules.csv", "--out", "t.svg").status == 0
    assert run("theory", "tree", "rules.csv").status == 0


def test_the_library_writes_the_same_certificates(folder: Path) -> None:
    table = np.array(balls(9))
    made = Certificate.of(table, littlestone_bounds(table))
    assert _of_balls() == made
    assert all(verdict.proved for verdict in made.check(table))
