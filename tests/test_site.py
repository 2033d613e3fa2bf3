"""The README, the glossary and what `make docs` makes of the pages.  A strict build is `make docs`."""

import doctest
import importlib
import re
import tomllib
from pathlib import Path
from types import ModuleType
from xml.etree.ElementTree import tostring

import pytest

from each import each

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]


def tool(name: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(ROOT / "tools")
    return importlib.import_module(name)


@pytest.fixture
def formulas(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    return tool("formulas", monkeypatch)


def on_pypi() -> str:
    """The README as PyPI gets it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    text = README
    for change in project["tool"]["hatch"]["metadata"]["hooks"]["fancy-pypi-readme"][
        "substitutions"
    ]:
        text = re.sub(change["pattern"], change["replacement"], text)
    return text


def test_pypi_shows_no_link_that_leads_nowhere() -> None:
    links = re.findall(r"\]\(([^)]*)\)", on_pypi())
    assert [link for link in links if not link.startswith("https:")] == []
    assert "I have a table (`docs/tutorial-table.md`)" in on_pypi()


def test_pypi_renders_the_readme() -> None:
    renderer = pytest.importorskip("readme_renderer.markdown", reason="pip install '.[docs]'")
    assert renderer.render(on_pypi()) is not None


def rows(text: str) -> dict[str, list[str]]:
    found = re.findall(r"^\| ([^|]+) \| ([\d,]+) \| (.*) \|$", text, re.MULTILINE)
    return {task: [size, *cells.replace("*", "").split(" | ")] for task, size, cells in found}


def at_epsilon_1(page: str) -> str:
    text = (ROOT / "docs" / "benchmarks" / page).read_text(encoding="utf-8")
    return re.split(
        r"^## Epsilon 0\.1$|^## Epsilon 4$", text[text.index("\n## Epsilon 1\n") :], flags=re.M
    )[0]


def test_the_figures_of_the_readme_are_those_of_the_pages() -> None:
    trees, points = at_epsilon_1("ordinary-tables.md"), at_epsilon_1("score-sheets.md")
    assert len(rows(README)) == 10
    for task, (size, *figures) in rows(README).items():
        line = re.compile(rf"^{re.escape(task)} +(\d+) +\d+ +(.*)$", re.MULTILINE)
        ours, _, majority, boosting, _, five, *_ = line.findall(trees)[0][1].split()
        records, sheet = line.findall(points)[0]
        _, with_points, _, _, _, *areas = sheet.split()
        assert [size.replace(",", ""), *figures] == [
            records, ours, with_points, boosting, five, majority, *areas[:2]
        ]  # fmt: skip


def test_the_counts_of_the_readme_are_those_of_the_pages() -> None:
    trees = at_epsilon_1("ordinary-tables.md")
    page = (ROOT / "docs" / "benchmarks" / "score-sheets.md").read_text(encoding="utf-8")
    wins = page[page.index("## Wins") : page.index("## Epsilon 0.1")]
    words = " ".join(README.split())
    for text, name, sentence in (
        (
            trees,
            "error below all five of diffprivlib",
            "On {} of {} the tree's error is below all five",
        ),
        (trees, "error below DP-EBM", "on {} of {} it is below DP-EBM's"),
        (wins, "error, beside DP-EBM", "a smaller error than DP-EBM on {} of {}"),
        (wins, "AUC, beside DP-EBM", "the higher AUC on {}"),
        (wins, "log loss, beside DP-EBM", "the smaller log loss on {}"),
        (wins, "error, beside the tree", "it errs less than the tree on {}"),
    ):
        counted = re.search(rf"^{name}  +(.*)$", text, re.MULTILINE)
        assert counted, name
        counts = re.findall(r"(\d+) of (\d+)", counted[1])
        assert sentence.format(*counts[len(counts) > 1]) in words  # epsilon .1, 1 and 4 on one line


def test_the_glossary_has_one_sentence_for_each_term() -> None:
    text = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    terms = re.findall(r"^### (.+)\n\n((?:.+\n)+)(?=\n|\Z)", text, re.MULTILINE)
    assert len(terms) == text.count("\n### ") > 40
    for term, words in terms:
        sentence = re.sub(r"\]\([^)]*\)|\.\.\.", "]", words).strip()
        assert sentence.endswith("."), term
        assert not re.search(r"[.!?] [A-Z]", sentence), f"{term} has more than one sentence"


@each("page", PAGES, ids=lambda page: page.stem)
def test_no_line_begins_with_a_sign_that_markdown_takes_for_a_list(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert re.findall(r"^ {0,3}(?:[-+] |>(?! \*\*)).*", text, re.MULTILINE) == []


def test_the_examples_of_formulas(formulas: ModuleType) -> None:
    assert doctest.testmod(formulas).failed == 0


def test_a_formula_is_typeset(formulas: ModuleType) -> None:
    shown = tostring(formulas.formula("sum over g in H of 2^-x_1 >= S'"), encoding="unicode")
    for part in ("<munder>", "∑", "<msup>", "<msub>", "≥", "′"):
        assert part in shown


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Pr[h | S] <= r^2 Pr[h | S'] holds", "Pr[h | S] <= r^2 Pr[h | S']"),
        ("x_i, y_i and", "x_i"),
        ("e^epsilon q too", "e^epsilon q"),
        ("(epsilon, delta)-DP", "(epsilon, delta)"),
        ("n records", "n"),
        ("a record", ""),
        ("i.e. this", ""),
        ("(see Theorem 3)", ""),
        ("sum of errors", ""),
        ("2 of them", ""),
    ],
)
def test_formulas_in_prose(text: str, found: str, formulas: ModuleType) -> None:
    assert text[: formulas.ends(text, 0)] == found


def test_the_name_of_a_part_is_no_formula(formulas: ModuleType) -> None:
    assert formulas.ends("part (b) is", 6) == 6
    assert formulas.ends("errors(h*) is", 7) == 9


def test_tables_of_figures_and_code_are_no_formulas(formulas: ModuleType) -> None:
    assert formulas.is_formula("HS(r) <= delta")
    assert not formulas.is_formula("k      0      1\nrate   0.1    0.2")
    assert not formulas.is_formula(">>> x = 1")


def test_lists_are_read_as_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("mkdocs", reason="pip install '.[docs]'")
    as_lists = tool("site_hooks", monkeypatch).as_lists
    assert as_lists("1. One.\n\n   More.\n2. Two.") == "1. One.\n\n    More.\n\n2. Two."
    assert as_lists("```\n   code\n```") == "```\n   code\n```"


def test_the_first_use_of_a_term_leads_to_the_glossary(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("mkdocs", reason="pip install '.[docs]'")
    with_terms = tool("site_hooks", monkeypatch).with_terms
    text = "# A version space\n\nTwo `version space` or version\nspaces, a version space."
    linked = text.replace("version\nspaces", "[version\nspaces](g.md#version-space)")
    assert with_terms(text, "g.md") == linked
