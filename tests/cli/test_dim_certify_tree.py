"""``dim --certificate``, ``certify`` and ``tree``: journeys, damage, limits and drawings."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import pytest
from running import Ran, run

from littlestone.classes import Enumerable, parse_class
from littlestone.dimension import Bounds, Certificate, littlestone_bounds
from littlestone.errors import DeclarationError
from littlestone.pictures.tree import Node
from littlestone.report.tree import class_tree

RULES = "rule,a,b,c\nnone,0,0,0\nlow,0,0,1\nmid,0,1,1\nhigh,1,1,1\n"
Data = dict[str, Any]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rules.csv").write_text(RULES)
    return tmp_path


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
    made = run("dim", "t.npy", "--certificate", "t.json", "--json")
    assert made.status == 0, made
    d = json.loads(made.out)["littlestone_dimension"]
    assert dimension in (None, d)
    checked = run("certify", "t.npy", "t.json")
    assert checked.status == 0
    lower, upper = checked.out.splitlines()
    assert lower == f"LDim >= {d}: proved by a shattered tree"
    assert upper.startswith(f"LDim < {d + 1}: proved by ")
    verdicts = json.loads(run("certify", "t.npy", "t.json", "--json").out)
    assert [verdict["proved"] for verdict in verdicts] == [True, True]


def test_a_declared_table_and_its_file_have_one_certificate(folder: Path) -> None:
    assert run("dim", "finite(x, rules.csv)", "--certificate", "a.json").status == 0
    assert run("dim", "rules.csv", "--certificate", "b.json").status == 0
    assert Path("a.json").read_text() == Path("b.json").read_text()
    assert run("certify", "finite(x, rules.csv)", "b.json").status == 0


def _of_balls(folder: Path) -> Data:
    np.save("balls.npy", np.array(balls(9)))
    assert run("dim", "balls.npy", "--certificate", "balls.json").status == 0
    data: Data = json.loads(Path("balls.json").read_text())
    assert len(data["claims"]) >= 1
    return data


def _certify(data: object) -> Ran:
    Path("damaged.json").write_text(data if isinstance(data, str) else json.dumps(data))
    return run("certify", "balls.npy", "damaged.json")


def test_flipped_leaves_fail(folder: Path) -> None:
    data = _of_balls(folder)
    leaves = data["tree"]["leaves"]
    for i in range(len(leaves)):
        changed = {**data["tree"], "leaves": [*leaves[:i], (leaves[i] + 1) % 36, *leaves[i + 1 :]]}
        ran = _certify({**data, "tree": changed})
        # Another leaf may serve as well, if it gives the same answers on the path.
        if ran.status == 0:
            continue
        assert (ran.status, "NOT proved" in ran.out.splitlines()[0]) == (1, True)
    swapped = {**data["tree"], "leaves": leaves[::-1]}
    assert "NOT proved: a leaf" in _certify({**data, "tree": swapped}).out


def test_needed_claims_cannot_be_left_out_or_changed(folder: Path) -> None:
    """A sparse random table: claims about its sides are needed."""
    np.save("sparse.npy", np.random.default_rng(1).random((1000, 100)) < 0.15)
    assert run("dim", "sparse.npy", "--certificate", "sparse.json").status == 0
    data = json.loads(Path("sparse.json").read_text())
    first, *rest = data["claims"]
    assert len(rest) > 2
    assert first == [7]
    for claims in ([], [[path[0] - 1, *path[1:]] for path in rest], [path[:1] for path in rest]):
        Path("damaged.json").write_text(json.dumps({**data, "claims": [first, *claims]}))
        ran = run("certify", "sparse.npy", "damaged.json")
        assert ran.status == 1
        assert "LDim < 7: NOT proved: claim " in ran.out


def test_a_smaller_upper_bound_is_not_proved_by_one_claim(folder: Path) -> None:
    """Functions that only columns with a single 1 tell apart are different all the same."""
    np.save("balls.npy", np.array([[0, 1, 0], [0, 0, 0], [1, 0, 1], [1, 0, 0]]))
    assert run("dim", "balls.npy", "--certificate", "balls.json").status == 0
    data = json.loads(Path("balls.json").read_text())
    assert data["upper"] == 2
    tree = {"points": [0], "leaves": [0, 2]}
    ran = _certify({**data, "lower": 1, "upper": 1, "tree": tree, "claims": [[2]]})
    assert (ran.status, "LDim < 2: NOT proved" in ran.out) == (1, True)


WRONG: list[object] = [True, 1.5, "1", [[]], {"a": 1}, -1, 10**30]


def _changes(data: Data) -> Iterator[object]:
    text = json.dumps(data)
    yield from ("", "[]", "nonsense", "null", text[: len(text) // 2], "[" * 100_000, "9" * 5000)
    for key in data:
        yield {name: value for name, value in data.items() if name != key}
        yield from ({**data, key: value} for value in WRONG)
    yield {**data, "more": 1}
    yield {**data, "lower": data["lower"] - 1}
    yield {**data, "upper": data["upper"] - 1}
    yield {**data, "upper": data["upper"] + 1}
    yield {**data, "lower": None}
    wrong: object
    for wrong in ([], 3, [0.0], [True], ["0"], [None], [10**30], [0, 1], {"0": 1}):
        yield {**data, "tree": {**data["tree"], "points": wrong}}
        yield {**data, "tree": {**data["tree"], "leaves": wrong}}
    first = data["claims"][0]
    for wrong in ([], 3, "ab", [first, 3], [first, []], [[first[0], 0]], [first, ["1"]]):
        yield {**data, "claims": wrong}
    yield {**data, "claims": [[first[0] - 1], *data["claims"][1:]]}


def test_damaged_files_are_refused_in_words(folder: Path) -> None:
    data = _of_balls(folder)
    for changed in _changes(data):
        ran = _certify(changed)
        assert ran.status == 2, changed
        refused(ran)
    # Legal to read, wrong, and no reason to take long.
    for claim in ([10**18], [-5], [1, 10**18], [1, -3]):
        ran = _certify({**data, "claims": [*data["claims"], claim]})
        assert ran.status == (0 if claim == [10**18] else 1), claim  # LDim < 10^18 is true
    for where in ("points", "leaves"):
        for wrong in (-1, 10**6, 2**62):
            values = [wrong, *data["tree"][where][1:]]
            ran = _certify({**data, "tree": {**data["tree"], where: values}})
            assert (ran.status, "NOT proved" in ran.out) == (1, True)


def test_files_that_are_none_are_refused(folder: Path) -> None:
    _of_balls(folder)
    refused(run("certify", "balls.npy", "absent.json"), "absent.json", "no such file")
    refused(run("certify", "balls.npy", str(folder)), "no such file")
    Path("bytes.json").write_bytes(b"\xff\xfe\x00")
    refused(run("certify", "balls.npy", "bytes.json"), "bytes.json", "not readable")
    refused(run("certify", "absent.npy", "balls.json"), "absent.npy", "no such file")
    refused(run("certify", "thresholds(x, 1..7)", "balls.json"), "about tables")


def test_a_certificate_of_another_table_is_refused(folder: Path) -> None:
    _of_balls(folder)
    other = np.array(balls(9))
    other[7] = 1
    for values in (other, np.array(balls(9))[::-1], np.array(balls(10))):
        np.save("other.npy", values)
        refused(run("certify", "other.npy", "balls.json"), "another", "fingerprints")
    with pytest.raises(DeclarationError, match="another"):
        Certificate.load("balls.json").check(other)


@pytest.mark.deep
def test_a_time_limit_leaves_bounds_and_a_tree(folder: Path) -> None:
    hard = random_file(folder, "hard.npy", (20_000, 300), 0.2)
    ran = run("dim", hard, "--time-limit", "1", "--certificate", "hard.json")
    assert ran.status == 0
    assert "(interrupted by the time limit)" in ran.out
    assert "no proof of the upper bound" in ran.out
    found = Certificate.load("hard.json")
    assert 0 <= found.lower < found.upper <= 14
    assert f"between {found.lower} and {found.upper} " in ran.out
    checked = run("certify", hard, "hard.json")
    assert checked.status == 0
    assert f"LDim >= {found.lower}: proved by a shattered tree" in checked.out
    data = json.loads(Path("hard.json").read_text())
    for upper, verdict in (
        (14, "LDim < 15: proved by counting: there are 20,000 hyp"),
        (13, "LDim < 14: stated without a proof"),
    ):
        Path("hard.json").write_text(json.dumps({**data, "upper": upper}))
        assert verdict in run("certify", hard, "hard.json").out
    shown = json.loads(run("dim", hard, "--time-limit", "1", "--json").out)
    assert shown["littlestone_dimension"] is None
    assert shown["lower"] < shown["upper"]
    drawn = run("tree", hard, "--time-limit", "1", "--levels", "2")
    assert "there may be a deeper tree" in drawn.out


def test_a_limit_or_ctrl_c_while_claims_are_written_keeps_the_dimension(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = random_file(folder, "t.npy", (3000, 40), 0.3)
    assert run("dim", table).status == 0
    for stop, status in [("time", 0), ("key", 130)]:

        def refutation(_: object, k: int, stop: str = stop) -> None:
            if stop == "key":
                raise KeyboardInterrupt

        monkeypatch.setattr("littlestone.dimension.engine.driver.Engine.refutation", refutation)
        ran = run("dim", table, "--certificate", "t.json")
        assert ran.status == status
        assert ran.out.startswith("Littlestone dimension 9 (interrupted")
        checked = run("certify", table, "t.json")
        assert (checked.status, "LDim < 10: stated without" in checked.out) == (0, True)


def test_the_time_limit_reaches_the_writer_of_the_binary_form(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped = Event()

    def write(_: object, k: int) -> None:
        assert stopped.wait(60)

    writer = "littlestone.dimension.proof.writing.GraphWriter"
    monkeypatch.setattr(f"{writer}.write", write)
    monkeypatch.setattr(f"{writer}.stop", lambda _: stopped.set())
    np.save("balls.npy", np.array(balls(9)))
    ran = run("dim", "balls.npy", "--certificate", "balls.ldim", "--time-limit", "1")
    assert ran.status == 0
    assert "dimension 2 (interrupted by the time limit)" in ran.out
    assert "no proof of the upper bound" in ran.out
    assert run("certify", "balls.npy", "balls.ldim").status == 0


def bounds_with_ctrl_c(table: Any, **options: Any) -> Bounds:
    """`littlestone_bounds`, where Ctrl+C is pressed as soon as the search makes progress."""
    pressed: list[int] = []

    def progress(lower: int, upper: int, nodes: int, seconds: float) -> None:
        if nodes and not pressed:
            pressed.append(nodes)
            signal.raise_signal(signal.SIGINT)

    return littlestone_bounds(table, **{**options, "progress": progress})


def test_ctrl_c_leaves_bounds_and_a_tree(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("littlestone.cli.dim.littlestone_bounds", bounds_with_ctrl_c)
    hard = random_file(folder, "hard.npy", (20_000, 300), 0.2)
    ran = run("dim", hard, "--certificate", "hard.json")
    assert ran.status == 130
    assert "(interrupted)" in ran.out
    assert run("certify", hard, "hard.json").status == 0


@pytest.mark.deep
@pytest.mark.skipif(os.name != "posix", reason="sends the signal of Ctrl+C")
def test_ctrl_c_while_waiting_for_the_search(folder: Path) -> None:
    """The signal reaches a main thread that waits: the engine must rest before its tree is taken."""
    hard = random_file(folder, "hard.npy", (20_000, 300), 0.2)
    assert run("dim", hard, "--time-limit", "1").status == 0  # compiles
    timer = threading.Timer(3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        ran = run("dim", hard, "--certificate", "hard.json")
    finally:
        timer.cancel()
    assert ran.status == 130
    checked = run("certify", hard, "hard.json")
    assert (checked.status, "proved by a shattered tree" in checked.out) == (0, True)


def test_ctrl_c_before_the_search_leaves_what_counting_tells(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def pressed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("littlestone.cli.dim.littlestone_bounds", pressed)
    ran = run("dim", "rules.csv", "--certificate", "rules.json")
    assert (ran.status, ran.out.splitlines()[0]) == (
        130,
        "Littlestone dimension between 0 and 2 (interrupted)",
    )
    assert run("certify", "rules.csv", "rules.json").status == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("dim", "thresholds(x, 1..7)", "--certificate", "c.json"), ("about tables",)),
        (("dim", "rules.csv", "--certificate", "rules.csv"), ("is the same file as the table",)),
        (("dim", "rules.csv", "--certificate", "absent/c.json"), ("c.json",)),
        (("dim", "wide.npy", "--memory-limit", "0"), ("limit is 0;",)),
        (("tree", "rules.csv", "--out", "tree.pdf"), (".svg, .png or .html",)),
        (("tree", "rules.csv", "--out", "tree"), (".svg, .png or .html",)),
        (("tree", "rules.csv", "--out", "absent/tree.svg"), ("tree.svg",)),
        (("tree", "thresholds(x)"), ("LOW..HIGH",)),
        (("tree", "absent.csv"), ("no such file",)),
    ],
)
def test_what_is_refused(folder: Path, arguments: tuple[str, ...], words: tuple[str, ...]) -> None:
    random_file(folder, "wide.npy", (20_000, 300), 0.2)
    before = sorted(folder.iterdir())
    refused(run(*arguments), *words)
    assert sorted(folder.iterdir()) == before
    assert Path("rules.csv").read_text() == RULES


def test_a_tree_in_the_terminal(folder: Path) -> None:
    lines = [line.split()[-2:] for line in run("tree", "rules.csv").out.splitlines()]
    assert lines == [
        ["b"],
        ["0", "c"],
        ["0", "none"],
        ["1", "low"],
        ["1", "a"],
        ["0", "mid"],
        ["1", "high"],
    ]
    cut = run("tree", "rules.csv", "--levels", "1").out
    assert "... 1 more level\n" in cut
    assert "the top 1 of 2 levels" in cut
    assert run("tree", "points(merchant)").out.split()[0] == "v0"
    assert "the top 4 of 64 levels" in run("tree", f"thresholds(x, 1..{2**64 - 1})").out


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
    assert run("tree", "t.csv", "--out", name).status == 0
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
    assert run("tree", "t.csv", "--out", name).status == 0
    assert Path(name).read_bytes() == content


@pytest.mark.parametrize(
    "text", ["thresholds(x, 1..1)", "points(merchant)", "thresholds(x, 1..999)"]
)
def test_figures_of_declared_classes(folder: Path, text: str) -> None:
    assert run("tree", text, "--out", "t.svg", "--levels", "6").status == 0
    assert text in Path("t.svg").read_text()


def test_without_matplotlib_the_command_to_install_it_is_told(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "matplotlib"]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    refused(run("tree", "rules.csv", "--out", "t.png"), "pip install 'matplotlib>=3.9'")
    assert not Path("t.png").exists()
    assert run("tree", "rules.csv", "--out", "t.svg").status == 0
    assert run("tree", "rules.csv").status == 0


def test_the_library_writes_the_same_certificates(folder: Path) -> None:
    table = np.array(balls(9))
    made = Certificate.of(table, littlestone_bounds(table, certificate=True))
    _of_balls(folder)
    assert Certificate.load("balls.json") == made
    assert all(verdict.proved for verdict in made.check(table))
