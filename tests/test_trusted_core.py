"""The trusted core is what docs/trusted-core.md lists, and nothing else is on the way to a rule."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
import textwrap
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parent.parent
ALLOWED = {"numpy", "filelock"}


@pytest.fixture(scope="module")
def core() -> ModuleType:
    spec = importlib.util.spec_from_file_location("trusted", ROOT / "tools" / "trusted_core.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_lists_all_that_is_imported_and_no_more(core: ModuleType) -> None:
    found, outside = core.closure()
    listed = core.listed()
    assert sorted(listed) == sorted(found)
    assert outside <= ALLOWED


def test_a_file_stands_after_those_that_it_imports(core: ModuleType) -> None:
    place = {file: i for i, file in enumerate(core.listed())}
    early = [
        (file, other)
        for file in place
        for other in core.needs(file)[0]
        if place[other] > place[file] and "__init__" not in file + other
    ]
    assert early == []


def test_an_import_of_a_class_or_a_reader_would_be_seen(core: ModuleType) -> None:
    found, outside = core.closure((*core.ENTRIES, "data/reading.py"))
    assert len(found) > len(core.listed())
    assert not outside <= ALLOWED


def test_nothing_is_imported_by_its_name_as_a_text(core: ModuleType) -> None:
    """Such an import would be missed; only names of packages are resolved so."""
    by_text = [
        file
        for file in core.listed()
        if re.search(r"import_module|__import__", (core.SOURCES / file).read_text("utf-8"))
    ]
    assert by_text == ["__init__.py", "base/lazy.py"]


def test_the_page_says_how_many_lines_there_are(core: ModuleType) -> None:
    text = core.PAGE.read_text("utf-8")
    said = re.search(r"([0-9]+) files with about ([0-9,]+) lines of code", text)
    assert said is not None
    files, code = (int(number.replace(",", "")) for number in said.groups())
    counted = sum(core.count_lines(file)[0] for file in core.listed())
    assert files == len(core.listed())
    assert abs(code - counted) <= 50
    assert counted <= 4100
    tool = [sys.executable, str(ROOT / "tools" / "trusted_core.py")]
    printed = subprocess.run(tool, capture_output=True, text=True, check=True).stdout
    assert printed.startswith(f"{files} files: {counted:,} lines of code")


def test_what_the_tables_name_exists(core: ModuleType) -> None:
    text = core.PAGE.read_text("utf-8")
    tables = text[text.index("## Code, proof") :]
    names = set(re.findall(r"`([a-z_/]+\.(?:py|cpp))`", tables))
    for name in names:
        assert any(list((ROOT / top).rglob(Path(name).name)) for top in ("src", "tests", "core")), (
            name
        )
    tests = "".join(path.read_text("utf-8") for path in (ROOT / "tests" / "classes").glob("*.py"))
    assert all(f"def {name}(" in tests for name in re.findall(r"`(test_[a-z_]+)`", tables))
    subjects = "".join(
        path.read_text("utf-8")
        for path in (core.SOURCES / "prove" / "audit" / "subjects").glob("*.py")
    )
    audits = {row.split("|")[4] for row in tables.splitlines() if row.count("|") == 6}
    for name in re.findall(r"`([a-z-]+)\*?`", " ".join(audits)):
        assert f'"{name}' in subjects, name


TOYS = """
    import json, sys
    from fractions import Fraction
    import numpy as np
    from littlestone.privacy.mechanisms.choosing import ChoosingDraw
    from littlestone.privacy.mechanisms.noisy_sums import DrawThenSums
    from littlestone.privacy.mechanisms.exponential import ExponentialDraw, ExponentialMechanism
    from littlestone.privacy.mechanisms.noisy_sums import SumStep
    from littlestone.privacy.mechanisms.record_sums import Question, SumsDraw
    from littlestone.privacy.ledger.file import LedgerFile
    from littlestone.privacy.ledger.ledger import BaseLedger
    from littlestone.privacy.cost import Budget
    from littlestone.privacy.mechanisms.choosing import ChoosingMechanism
    from littlestone.privacy.scores import Elements, ErrorRuns
    from littlestone.data.sample import Sample
    from littlestone.points.base import Domain

    class Toy:
        labels, elements_per_point, everything = 2, 1, None
        def scores(self, sample):
            return ErrorRuns(np.array([sample.positives.sum(), sample.negatives.sum()]))
        def hypothesis_of_item(self, item):
            return lambda x: item
        def elements(self, sample):
            rows = np.flatnonzero(sample.positives)
            return Elements(sample.positives[rows], sample.negatives[rows],
                            lambda i: i, lambda i: rows[i : i + 1])
        def union(self, elements):
            return frozenset(elements)

    class ToySums(SumsDraw):
        method, hypotheses = "toy sums", Toy()
        event = DrawThenSums(Budget(1, "1e-6"), ExponentialMechanism(Fraction(1, 2)),
                             (SumStep(1, 1, 1, Fraction(1)),))
        sums = event.sums
        tree = ExponentialDraw(Toy(), Fraction(1, 2))
        def encode(self, sample, tree):
            return self
        def tables(self, subsets):
            return [sample.counts.T for _ in subsets]
        def fit_of(self, n, tree):
            return self
        def question(self, released):
            return Question()
        def make_rule(self, released):
            return lambda x: round(released[0][0] / 202)

    sample = Sample(None, ("a", "b"), np.array([[1, 200], [3, 1]]))
    with BaseLedger(LedgerFile(sys.argv[1], create=True)) as ledger:
        draw = ExponentialDraw(Toy(), Fraction(1))
        draw.method = "toy"
        first = draw.pay_and_draw(
            sample, ledger=ledger, dataset="d", what="one", estimate=Fraction(1, 2)
        )
        step = ChoosingMechanism(Budget(1, "1e-6"), growth=1)
        second = ChoosingDraw(Toy(), Toy(), step, rounds=2, delta=Fraction(2, 10**6))
        chosen = second.pay_and_draw(sample, ledger=ledger, dataset="d", what="two")
        third = ToySums().pay_and_draw(sample, ledger=ledger, dataset="d", what="three")
        answers = [first.hypothesis(0), sorted(chosen.hypothesis), third.hypothesis(0),
                   str(ledger.total("d").epsilon)]
    print(json.dumps([answers, sorted(sys.modules)]))
"""


def test_a_run_loads_what_the_page_lists(core: ModuleType, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(TOYS), str(tmp_path / "budget.ledger")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answers, loaded = json.loads(done.stdout)
    assert answers == [1, [0], 1, "9/2"]
    ours = {core.path_of(name) for name in loaded if name.split(".")[0] == "littlestone"}
    assert ours == set(core.listed())


RUN = """
    import json, sys
    import littlestone
    from littlestone.classes import parse_class
    from littlestone.data.sample import Sample
    from littlestone.learn import ChoosingLearner, ExponentialLearner
    from littlestone.learn.score_sheet import ScoreSheetLearner
    from littlestone.learn.tree_sheet import TreeSheetLearner
    from littlestone.privacy import Budget
    from littlestone.privacy.ledger import Ledger

    ran = set()
    def look(frame, event, given):
        ran.add(frame.f_code.co_filename)

    mixed = "x: 0..9 step 1, y: 0..9 step 1"
    learners = (
        (ExponentialLearner, "thresholds(x, 0..9)"), (ChoosingLearner, "subsets(x; at most 1)"),
        (ScoreSheetLearner, f"score_sheet({mixed}; at most 2)"),
        (TreeSheetLearner, f"trees({mixed}; depth 2)"),
    )
    for Learner, text in learners:
        H = parse_class(text)
        learner = Learner(H, Budget(1, "1e-6"))
        points = [i % 10 for i in range(300)]
        if mixed in text:
            points = [H.domain.encode_record((x, x % 7)) for x in points]
        sample = Sample.from_examples(H.domain, [(x, int(i % 10 == 7)) for i, x in enumerate(points)])
        with Ledger(sys.argv[1], create=True) as ledger:
            sys.setprofile(look)
            learner.pay_and_draw(sample, ledger=ledger, dataset="d", what="a look")
            sys.setprofile(None)
    print(json.dumps(sorted(ran)))
"""


def test_between_a_sample_and_a_rule_only_listed_files_and_interfaces_run(
    core: ModuleType, tmp_path: Path
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(RUN), str(tmp_path / "budget.ledger")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    ours = {
        Path(file).relative_to(core.SOURCES).as_posix()
        for file in json.loads(done.stdout)
        if file.startswith(str(core.SOURCES))
    }
    assert "privacy/draws.py" in ours
    beyond = ours - set(core.listed())
    # The classes and rules that keep the promises of the interfaces, on the domain of the sample.
    beyond = {file for file in beyond if file.split("/")[0] not in ("classes", "rules", "points")}
    # The fit of a sheet is behind an interface too, and sees no record.
    assert {file for file in beyond if not file.startswith("learn/fitting/")} <= {
        "learn/score_sheet.py",
        "learn/tree_sheet.py",
    }
