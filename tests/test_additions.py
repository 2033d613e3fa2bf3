"""A class, an online learner and a mechanism of somebody else's package, found without an edit here.

The package is written into a folder; all that names it is its metadata, as if it were installed.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from littlestone import core

pytestmark = pytest.mark.deep

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "how-to" / "add-a-class.md"
CLASS = "all_but_one(city, Ulm, Bonn, Jena)"

LEARNER = '''
    """The one exception of a stream, published once many records name it."""

    from dataclasses import dataclass

    from littlestone.base.errors import DeclarationError
    from littlestone.learn.stream import PrivateOnlineLearner
    from littlestone.learn.stream.keys import KeyStream, Naming
    from littlestone.privacy.mechanisms.continual_selection import ContinualKeySelection
    from mine.all_but_one import AllButOne


    @dataclass(frozen=True)
    class ExceptionNaming(Naming):
        """A negative record names its point, and a positive one nothing."""

        hypotheses: AllButOne

        @property
        def max_keys(self):
            return int(self.hypotheses.size > 1)

        @property
        def source(self):
            return "nowhere"

        def key(self, x, y):
            return None if y else x

        def after(self, h, selected):
            return self.hypotheses.restrict(min(selected), 0).soa()


    class ExceptionLearner(PrivateOnlineLearner):
        """Publish the point that many negative records name, as the exception."""

        method = "exception"

        def __init__(self, hypotheses, budget, *, horizon):
            super().__init__(hypotheses, horizon)
            if not isinstance(hypotheses, AllButOne):
                raise DeclarationError(
                    f"learn {hypotheses} by the method exception",
                    found="it is not a class of exceptions",
                    fix="declare all_but_one(...)",
                )
            self.naming = ExceptionNaming(hypotheses)
            self.mechanism = ContinualKeySelection.within(budget, horizon=horizon)

        @property
        def event(self):
            return self.mechanism

        def stream(self, tape):
            return KeyStream(self.naming, self.mechanism, tape)

        def mistake_bound(self, beta):
            return None
'''

MECHANISM = '''
    """Randomized response of one of several labels."""

    from dataclasses import dataclass
    from fractions import Fraction
    from functools import cached_property

    from littlestone.prove.audit import mechanism_subject, subject
    from littlestone.privacy.cost import PrivacyCost, decimal_text
    from littlestone.privacy.event import Mechanism
    from littlestone.privacy.rational import exp_below
    from littlestone.privacy.samplers.reals import Real
    from littlestone.privacy.samplers.reals import bernoulli


    @dataclass(frozen=True)
    class LabelResponse(Mechanism):
        """The label y with probability r / (r + k), r <= e^epsilon, else any of the k others."""

        epsilon: Fraction
        k: int

        @cached_property
        def truth(self):
            r = exp_below(self.epsilon)
            return r / (r + self.k){WRONG}

        def cost(self):
            return PrivacyCost(self.epsilon)

        def draw(self, data, *, receipt):
            rng = receipt.redeem(self)
            if bernoulli(Real.of(self.truth), rng):
                return data
            other = rng.randrange(self.k)
            return other + (other >= data)

        def distribution(self, data):
            lie = (1 - self.truth) / self.k
            return {y: self.truth if y == data else lie for y in range(self.k + 1)}

        def __str__(self):
            return f"response of {self.k + 1} labels, epsilon {decimal_text(self.epsilon)}"


    @subject("NAME")
    def label_response(epsilon, delta):
        """One of four labels, told with lies; spends no delta."""
        pairs = [(y, z) for y in range(4) for z in range(4) if y != z]
        return mechanism_subject(
            LabelResponse(epsilon, 3), pairs=pairs, large=(0, 3)
        )
'''

ANSWER = '''
    """The answer of most records, told by a mechanism that sometimes lies."""

    from fractions import Fraction

    from littlestone.learn.base import Bound, PrivateLearner
    from MECHANISM import LabelResponse


    class AnswerLearner(PrivateLearner):
        """Release the SOA, or its second best: a constant that the most common label decides."""

        method = "answer"
        several = False
        tolerates_label_noise = True

        def __init__(self, hypotheses, budget):
            super().__init__(hypotheses, budget)
            self.mechanism = LabelResponse(budget.epsilon, 1)

        @property
        def event(self):
            return self.mechanism

        def release(self, answer):
            V = self.hypotheses
            x = V.mistake_point()
            return V.soa() if answer or x is None else V.restrict(x, 0).soa()

        def draw(self, sample, *, receipt):
            most = int(2 * sample.counts[:, 1].sum() >= sample.counts.sum())
            return self.release(self.mechanism.draw(most, receipt=receipt))

        def distribution(self, sample):
            most = int(2 * sample.counts[:, 1].sum() >= sample.counts.sum())
            return {self.release(y): p for y, p in self.mechanism.distribution(most).items()}

        def plan(self, alpha, beta, *, setting="agnostic"):
            return Bound(12_345, alpha, beta, setting, "nowhere")
'''

ANSWER_AUDIT = '''
    from functools import partial

    from littlestone.data.sample import Sample
    from littlestone.privacy.cost import Budget
    from littlestone.prove.audit import neighbours
    from littlestone.prove.audit import subject
    from littlestone.prove.audit.subjects.whole_learners import subject_of_learner
    from LEARNER import AnswerLearner
    from CLASS import AllButOne


    @subject("answer-learner")
    def answer_learner(epsilon, delta):
        """The learner of answers, of three exceptions; spends no delta."""
        (H,) = AllButOne.examples()
        learner = AnswerLearner(H, Budget(epsilon, delta))
        records = tuple((x, y) for x in "ab" for y in (0, 1))
        law = lambda data: learner.distribution(Sample.from_examples(H.domain, data))
        return subject_of_learner(learner, law, neighbours(records, 2, ordered=False), around=9)
'''


def named(text: str, **modules: str) -> str:
    """A source in which the capitals stand for modules."""
    for word, module in modules.items():
        text = text.replace(f"from {word} import", f"from {module} import")
    return text


METADATA = {
    "METADATA": "Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n",
    "entry_points.txt": """
        [littlestone]
        all_but_one = mine.all_but_one
        exception = mine.exception
        answer = mine.answer
        answer_audit = mine.answer_audit
        label_response = mine.label_response
        wrong_response = mine.wrong_response
    """,
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the package stands, the class of the how-to page among its modules, and two tables."""
    folder = tmp_path_factory.mktemp("somebody")
    (block,) = re.findall(r"```python\n(# all_but_one\.py\n.*?)```", PAGE.read_text("utf-8"), re.S)
    wrong = MECHANISM.replace("{WRONG}", " + Fraction(1, 20)").replace("NAME", "wrong-response")
    sources = {
        "mine/__init__.py": "",
        "mine/all_but_one.py": block,
        "mine/exception.py": LEARNER,
        "mine/answer.py": named(ANSWER, MECHANISM="mine.label_response"),
        "mine/answer_audit.py": named(
            ANSWER_AUDIT, LEARNER="mine.answer", CLASS="mine.all_but_one"
        ),
        "mine/label_response.py": MECHANISM.replace("{WRONG}", "").replace(
            "NAME", "label-response"
        ),
        "mine/wrong_response.py": wrong,
        **{f"mine-1.0.dist-info/{name}": text for name, text in METADATA.items()},
        "table.csv": "city,on_time\n" + "Ulm,1\nBonn,0\nJena,1\n" * 700,
    }
    for name, text in sources.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(dedent(text), encoding="utf-8")
    return folder


def run(folder: Path, *words: str, found: bool = True) -> subprocess.CompletedProcess[str]:
    """What Python does with these words, the package being on its path or not."""
    paths = [str(folder)] * found + [str(ROOT / "src")]
    return subprocess.run(
        [sys.executable, *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )


def littlestone(folder: Path, *words: str) -> str:
    """What the command prints, which succeeds; without the package it does not."""
    without = run(folder, "-P", "-m", "littlestone", *words, found=False)
    assert without.returncode == 2
    assert "there is no" in without.stderr
    done = run(folder, "-P", "-m", "littlestone", *words)
    assert done.returncode == 0, done.stderr
    return done.stdout


LEARNED = (
    "table.csv", "--target", "on_time", "--positive", "1", "--class", CLASS,
    "--epsilon", "1", "--delta", "1e-6", "--seed", "1",
)  # fmt: skip


def test_the_class_keeps_the_laws_of_all_classes(folder: Path) -> None:
    code = f"""
        from littlestone.prove.laws import yield_checks
        from littlestone.classes import parse_class
        H = parse_class({CLASS!r})
        assert str(H) == {CLASS!r}, H
        checks = list(yield_checks(H))
        for check in checks:
            check()
        print(len(checks) > 10, H.littlestone_dimension())
    """
    done = run(folder, "-c", dedent(code))
    assert done.stdout == "True 1\n", done.stderr


def test_fit_learns_the_class(folder: Path) -> None:
    words = ("fit", *LEARNED, "--ledger", "fit.ledger", "--out", "model.json")
    assert "city is not 'Bonn'" in littlestone(folder, *words)
    predicted = run(folder, "-m", "littlestone", "predict", "model.json", "table.csv")
    assert predicted.stdout.splitlines()[-3:] == ["1", "0", "1"], predicted.stderr


@pytest.mark.parametrize("method", ["exception", "auto"])
def test_stream_learns_by_the_learner(folder: Path, method: str) -> None:
    words = ("stream", *LEARNED, "--horizon", "2100", "--ledger", f"{method}.ledger")
    first, *published = littlestone(folder, *words, "--method", method).splitlines()
    assert "exception" in json.loads(first)["method"]
    rules = [json.loads(line)["rule"] for line in published]
    assert rules[-1] == "city is not 'Bonn'"


def test_audit_finds_the_mechanism(folder: Path) -> None:
    made = littlestone(folder, "audit", "label-response", "--epsilon", "1", "--seed", "1")
    assert "response of 4 labels, epsilon 1" in made
    assert "FAILS" not in made
    assert "label-response" in run(folder, "-m", "littlestone", "audit", "--list").stdout


def test_fit_plan_and_audit_know_a_learner_of_two_files(folder: Path) -> None:
    words = ("--ledger", "answer.ledger", "--method", "answer")
    assert "answer" in littlestone(folder, "fit", *LEARNED, *words)
    assert "12,345" in littlestone(folder, "plan", CLASS, "--epsilon", "1")
    audited = littlestone(folder, "audit", "answer-learner", "--epsilon", "1", "--seed", "1")
    assert "FAILS" not in audited


def subject_of(mechanism: str, module: str) -> tuple[str, str]:
    """The code of a mechanism, and its audit, as two files."""
    code, audit = mechanism.split("    @subject(")
    code = code.replace("    from littlestone.prove.audit import mechanism_subject, subject\n", "")
    header = (
        "    from littlestone.prove.audit import mechanism_subject, subject\n"
        f"    from {module} import LabelResponse\n\n\n"
    )
    return code, f"{header}    @subject({audit}"


# An editable install finds its own sources before those on the path.
FROM_THE_PATH = """
import sys
sys.meta_path[:] = [each for each in sys.meta_path if "ScikitBuild" not in type(each).__name__]
from littlestone.cli import main
main()
"""


def test_two_files_in_this_package_are_enough(tmp_path: Path) -> None:
    """Nothing else of the package changes: no list, no table of names, no catalogue."""
    package = tmp_path / "littlestone"
    shutil.copytree(ROOT / "src/littlestone", package, ignore=shutil.ignore_patterns("__pycache__"))
    for built in Path(str(core.__file__)).parent.glob("_c*.so"):
        shutil.copy(built, package)
    (block,) = re.findall(r"```python\n(# all_but_one\.py\n.*?)```", PAGE.read_text("utf-8"), re.S)
    home = "littlestone.privacy.mechanisms.label_response"
    right = MECHANISM.replace("{WRONG}", "").replace("NAME", "label-response")
    code, audit = subject_of(right, home)
    added = {
        "classes/all_but_one.py": block,
        "learn/answer.py": named(ANSWER, MECHANISM=home),
        "prove/audit/subjects/answer.py": named(
            ANSWER_AUDIT,
            LEARNER="littlestone.learn.answer",
            CLASS="littlestone.classes.all_but_one",
        ),
        "privacy/mechanisms/label_response.py": code,
        "prove/audit/subjects/label_response.py": audit,
    }
    for name, text in added.items():
        assert not (package / name).exists()
        (package / name).write_text(dedent(text), encoding="utf-8")
    (tmp_path / "table.csv").write_text("city,on_time\n" + "Ulm,1\nBonn,0\nJena,1\n" * 100)
    for words, shown in (
        (("classes",), "all_but_one("),
        (("fit", *LEARNED, "--ledger", "l", "--method", "answer"), "method"),
        (("plan", CLASS, "--epsilon", "1"), "12,345"),
        (("audit", "label-response", "--epsilon", "1", "--seed", "1"), "response of 4 labels"),
        (("audit", "answer-learner", "--epsilon", "1", "--seed", "1"), "response of 2 labels"),
    ):
        done = subprocess.run(
            [sys.executable, "-P", "-c", FROM_THE_PATH, *words],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(tmp_path), "COLUMNS": "200"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert shown in done.stdout
        assert "FAILS" not in done.stdout


def test_audit_refutes_the_wrong_one(folder: Path) -> None:
    done = run(folder, "-m", "littlestone", "audit", "wrong-response", "--epsilon", "1")
    assert done.returncode == 1
    assert "FAILS" in done.stdout


COMPLETE = """
    from littlestone.classes import Thresholds
    class Mine(Thresholds):
        keyword = "mine"
"""
LACKING = """
    from littlestone.classes import BinaryClass, DeclaredClass
    class Base(DeclaredClass, BinaryClass):
        def size(self): ...
    class Mine(Base):
        keyword = "mine"
        def soa(self): ...
"""


@pytest.mark.parametrize(
    ("module", "words"),
    [
        (COMPLETE, "6"),
        ("import nowhere", "the entry point 'own' of the group littlestone: it raises "
                           "ModuleNotFoundError: No module named 'nowhere'"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
        (LACKING, "cannot use the class broken.Mine: it lacks __str__, examples, is_empty, "),
        (COMPLETE.replace('"mine"', '"points"'), "littlestone.classes.points.Points has it too"),
        (COMPLETE.replace('"mine"', '"my own"'), "the keyword of broken.Mine: it is not one word"),
        (COMPLETE.replace('"mine"', "None"), "None as the keyword of broken.Mine"),
    ],
    ids=["legal", "import", "error", "lacking", "taken", "spaces", "none"],
)  # fmt: skip
def test_what_is_wrong_with_a_module_is_named(tmp_path: Path, module: str, words: str) -> None:
    (tmp_path / "broken.py").write_text(dedent(module))
    information = tmp_path / "broken-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text(METADATA["METADATA"].replace("mine", "broken"))
    (information / "entry_points.txt").write_text("[littlestone]\nown = broken\n")
    done = run(tmp_path, "-m", "littlestone", "dim", "mine(x, 1..100)")
    assert words in " ".join((done.stdout + done.stderr).split())
    assert done.returncode == 2 * (module != COMPLETE)
    done = run(tmp_path, "-m", "littlestone", "dim", "thresholds(x, 1..100)")
    assert (done.returncode, done.stdout.splitlines()[0]) == (0, "Littlestone dimension 6")
