"""The map of theorems: every numbered statement has a line, no link is dead, the page is up to date."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from littlestone.base.errors import DeclarationError
from littlestone.prove.papers.statement import Line, Outcome, Trial, papers, statement, statements

ROOT = Path(__file__).parent.parent.parent


@cache
def lines() -> list[Line]:
    return [line for paper in papers(statements()) for line in paper.lines]


def numbered(*counted: str) -> Iterator[str]:
    """ "Claim 6.1-6.4" stands for four numbers."""
    for text in counted:
        kind, _, span = text.rpartition(" ")
        first, _, last = span.partition("-")
        head, _, start = first.rpartition(".")
        end = (last or first).rpartition(".")[2]
        yield from (f"{kind} {head}{'.' * bool(head)}{i}" for i in range(int(start), int(end) + 1))


PAPERS = {  # what each paper numbers
    "L5": numbered("Definition 1-6", "Theorem 1-2", "Lemma 1", "Example 1-2", "Insight 1"),
    "BLM20": [
        *numbered("Theorem 1", "Corollary 2", "Theorem 3", "Definition 4", "Proposition 5"),
        *numbered("Theorem 6", "Definition 7-9", "Theorem 10", "Observation 11", "Lemma 12-16"),
        *numbered("Theorem 17", "section 7.1-7.6"),
    ],
    "BGS21": numbered(
        "Theorem 1.1-1.3", "Definition 2.1", "Lemma 2.2", "Definition 2.3-2.11", "Figure 1",
        "Theorem 3.1", "Corollary 3.2", "Theorem 3.3", "Corollary 3.4", "Theorem 3.5-3.6",
        "Definition 4.1-4.4", "Definition 5.1-5.5", "Theorem 5.6", "Lemma 5.7", "footnote 2",
    ),
    "Lyu25": numbered(
        "Theorem 1-3", "Proposition 1-2", "Algorithm 1-4", "Lemma 3.1-3.2", "Definition 4.1-4.3",
        "Claim 4.1", "Lemma 4.1-4.3", "Corollary 4.1", "Corollary 5.1", "Claim 6.1-6.4",
        "Lemma 6.1-6.2", "Fact 4",
    ),
}  # fmt: skip


def test_every_number_of_the_papers_has_one_line() -> None:
    ids = [line.id for line in lines()]
    assert len(ids) == len(set(ids)) > 140
    assert {f"{key} {number}" for key, numbers in PAPERS.items() for number in numbers} <= {*ids}


def dead(line: Line) -> list[str]:
    """The names of code, pages, tests and plants of a line that lead nowhere."""
    found = [name for name in line.code if not importable(f"littlestone.{name}")]
    found += [link for link in line.proof if not leads_somewhere(link)]
    return found + [test for test in line.tests if not is_there(test)]


def importable(name: str) -> bool:
    module, _, attribute = name.rpartition(".")
    try:
        importlib.import_module(name)
    except ImportError:
        if not module:
            return False
        return importable(module) and hasattr(value(module), attribute)
    return True


def value(name: str) -> object:
    module, _, attribute = name.rpartition(".")
    try:
        return importlib.import_module(name)
    except ImportError:
        return getattr(value(module), attribute)


def leads_somewhere(link: str) -> bool:
    path, _, part = link.partition("#")
    page = ROOT / "docs" / path
    if not page.is_file():
        return False
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return not part or part in {
        re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings
    }


def is_there(test: str) -> bool:
    kind, _, plant = test.partition(" ")
    if kind == "plant":
        return f"`{plant}`" in (ROOT / "docs" / "planted-bugs.md").read_text(encoding="utf-8")
    path, _, function = test.partition("::")
    source = ROOT / path
    return source.is_file() and f"def {function or 'test_'}" in source.read_text(encoding="utf-8")


def test_no_link_is_dead() -> None:
    assert {line.id: found for line in lines() if (found := dead(line))} == {}


def test_the_links_of_other_rows() -> None:
    for row in statements():
        line = replace(
            lines()[0],
            code=tuple(filter(None, row.code.split(", "))),
            proof=tuple(filter(None, row.proof.split(", "))),
            tests=(),
        )
        assert dead(line) == [], row.name


def test_a_line_says_what_runs_it_or_why_nothing_does() -> None:
    """A statement gives its reason, unless it is as stated."""
    for line in lines():
        assert line.why or line.status == "as stated", line.id
        assert line.rows or line.tests or line.why, line.id


@pytest.mark.parametrize(
    "broken",
    [
        {"code": ("theory.game.nothing",)},
        {"code": ("nowhere.play",)},
        {"code": ("theory.game.play.nothing",)},
        {"proof": ("proofs/nothing.md",)},
        {"proof": ("proofs/audit.md#nothing",)},
        {"tests": ("tests/prove/nothing.py",)},
        {"tests": ("tests/prove/test_theorem_map.py::test_nothing_of_this_name_x(",)},
        {"tests": ("plant nothing_of_this_name",)},
    ],
)
def test_a_dead_link_is_found(broken: dict[str, tuple[str, ...]]) -> None:
    line = next(line for line in lines() if not dead(line))
    assert dead(replace(line, **broken)) != []  # type: ignore[arg-type]


def row(number: str, status: str = "as stated") -> object:
    words = {"says": "1 = 1", "code": "", "scope": "numbers"}
    return statement(id=number, status=status, **words)(lambda: Outcome("1", True, "1"))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("number", "status"),
    [
        ("BLM20 Theorem 99", "as stated"),  # no such statement
        ("L5 Lemma 1", "false"),  # its rows differ, and the line says nothing
        ("BLM20 Theorem 3", "mended"),  # said twice
    ],
)
def test_a_row_that_does_not_fit_is_refused(number: str, status: str) -> None:
    with pytest.raises(DeclarationError):
        papers([*statements(), row(number, status)])  # type: ignore[list-item]


def test_a_statement_without_a_status_is_refused() -> None:
    with pytest.raises(DeclarationError, match="L5 Lemma 1"):
        papers([row for row in statements() if row.id != "L5 Lemma 1"])


def test_an_unknown_status_is_refused() -> None:
    with pytest.raises(DeclarationError, match="maybe"):
        row("L5 Lemma 1", "maybe")


def test_names_are_unique() -> None:
    rows = statements()
    assert len({row.name for row in rows}) == len(rows)


def test_the_page_is_up_to_date(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "tools")
    made = importlib.import_module("theorem_map")
    written = made.PAGE.read_text(encoding="utf-8")
    assert written == made.page(), "run python tools/theorem_map.py"


def test_the_command_names_all_that_checks_a_statement(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "tools")
    made = importlib.import_module("theorem_map")
    for line in lines():
        named = "\n".join(made.checks(line.id))
        assert all(what in named for what in [*line.tests, *(row.says for row in line.rows)])


def test_a_verdict_names_the_larger_family_if_it_went_deep() -> None:
    row = replace(statements()[0], scope="a few", deep="all", run=lambda: Outcome("", True))
    assert [row(Trial(deep=deep)).scope for deep in (False, True)] == ["a few", "a few; all"]
