"""Every citation has an entry in the bibliography, every entry is cited, no link or path is broken."""

import re
from pathlib import Path

from each import each

ROOT = Path(__file__).parent.parent
BIBLIOGRAPHY = ROOT / "docs" / "bibliography.md"
PAGES = [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]
CITING = [page for page in PAGES if page != BIBLIOGRAPHY]
SOURCES = sorted(ROOT.glob("src/littlestone/**/*.py"))
ROOMS = ("benchmarks", "checker", "coq", "core", "docs", "src", "tests", "tools")
FILES = {
    f"/{path.relative_to(ROOT).as_posix()}" + "/" * path.is_dir()
    for room in ROOMS
    for path in ROOT.glob(f"{room}/**/*")
}

KEY = re.compile(r"(?<![\w+-])[A-Za-z]{2,5}\+?\d\d(?![\w+])")
NO_KEY = re.compile(r"(u?int|U?Int|float|Float)\d\d")  # names of types
NAMED = re.compile(r"\b[A-Z][a-z]+(?: et al\.)?,? \(?(?:1[89]|20)\d\d\)")  # Author (2000)
LINK = re.compile(r"\[[^\[\]]*\]\(([^)\s]+)\)")


def entries() -> list[str]:
    return re.findall(r"^### (.+)$", BIBLIOGRAPHY.read_text(encoding="utf-8"), re.MULTILINE)


def prose(text: str) -> str:
    """The text of a page without its code."""
    return re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.DOTALL)


def cited(text: str) -> set[str]:
    found = {key for key in KEY.findall(text) if not NO_KEY.fullmatch(key)}
    found = {key for key in found if re.search("[A-Z]", key)}
    return found | ({"Lec5"} if re.search(r"\blec(ture )?5\b", text, re.IGNORECASE) else set())


def anchor(heading: str) -> str:
    """The anchor that GitHub gives a heading."""
    words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
    return re.sub(r"[^\w\- ]", "", words).replace(" ", "-")


def test_the_keys_are_unique_and_in_order() -> None:
    keys = entries()
    assert len(keys) > 40
    assert keys == sorted(set(keys), key=str.lower)


@each("page", CITING, ids=lambda page: page.stem)
def test_what_a_page_cites_is_linked_to_an_entry(page: Path) -> None:
    text = prose(page.read_text(encoding="utf-8"))
    assert cited(text) <= {*entries()}
    flowing = "\n".join(line for line in text.splitlines() if line[:1] not in ("#", "|"))
    for key in cited(flowing):
        assert f"[{key}](" in text, f"{key} is not linked at its first use"
    for key, target in re.findall(r"\[([^\[\]]*)\]\([^)]*bibliography\.md#([^)]*)\)", text):
        assert target == anchor(key)


def test_docstrings_cite_entries() -> None:
    for source in SOURCES:
        assert cited(source.read_text(encoding="utf-8")) <= {*entries()}, source


def test_every_entry_is_cited() -> None:
    texts = [path.read_text(encoding="utf-8") for path in [*CITING, *SOURCES]]
    assert {*entries()} == set.union(*map(cited, texts))


def test_sources_are_cited_by_their_keys() -> None:
    for path in [*CITING, *SOURCES]:
        text = path.read_text(encoding="utf-8")
        found = NAMED.findall(prose(text) if path.suffix == ".md" else text)
        assert not found, f"{path} cites {found} without a key"


@each("page", PAGES, ids=lambda page: page.stem)
def test_links_lead_somewhere(page: Path) -> None:
    for link in LINK.findall(prose(page.read_text(encoding="utf-8"))):
        if link.startswith(("http:", "https:", "mailto:")):
            continue
        path, _, part = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{link} does not exist"
        if part:
            text = re.sub(r"```.*?```", "", target.read_text(encoding="utf-8"), flags=re.DOTALL)
            headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
            assert part in map(anchor, headings), f"{link} has no such heading"


def lost(text: str) -> set[str]:
    """The files and folders of code that a page names and that do not exist.

    A path begins in any folder.  A file that a block of the page makes is there, and NAME is any name.
    """
    named = set(re.findall(r"`([\w./-]*\w\.(?:py|cpp|hpp)|[\w./-]+/\w+/)`", text))
    named = {re.sub(r"\w*NAME\.py$", "", path) for path in named}
    named -= set(re.findall(r"^# (\w+\.py)$", text, re.MULTILINE))
    return {path for path in named if not any(file.endswith(f"/{path}") for file in FILES)}


@each("page", [*PAGES, ROOT / "CONTRIBUTING.md"], ids=lambda page: page.stem)
def test_files_that_a_page_names_exist(page: Path) -> None:
    assert lost(page.read_text(encoding="utf-8")) == set()


def test_a_file_that_is_gone_is_noticed() -> None:
    text = "`learn/base.py`, `base.py`, `learn/plan/`, `learn/NAME.py`, `own.py`\n# own.py\n"
    assert lost(text) == set()
    gone = {"learn/gone.py", "gone.py", "learn/gone/", "learn/gone/NAME.py", "gone.cpp"}
    named = lost("".join(f"See `{path}`." for path in gone))
    assert named == {"learn/gone.py", "gone.py", "learn/gone/", "gone.cpp"}
