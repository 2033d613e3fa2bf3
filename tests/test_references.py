"""Every citation has an entry in the bibliography, every entry is cited, no link or path is broken."""

import re
from pathlib import Path

from each import each

ROOT = Path(__file__).parent.parent
BIBLIOGRAPHY = ROOT / "docs" / "bibliography.md"
PAGES = [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]
CITING = [page for page in PAGES if page != BIBLIOGRAPHY]
SOURCES = sorted(ROOT.glob("src/littlestone/**/*.py"))
FILES = [path.relative_to(ROOT).as_posix() for path in ROOT.glob("[a-z]*/**/*.py")]

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
    """The Python files that a page names in code, from any folder on, and that do not exist."""
    named = set(re.findall(r"`([\w./-]+/\w+\.py)`", text))
    named = {path for path in named if "NAME" not in path}  # a name of your own
    return {path for path in named if not any(f"/{file}".endswith(f"/{path}") for file in FILES)}


@each("page", PAGES, ids=lambda page: page.stem)
def test_files_that_a_page_names_exist(page: Path) -> None:
    assert lost(page.read_text(encoding="utf-8")) == set()


def test_a_file_that_is_gone_is_noticed() -> None:
    assert lost("See `learn/base.py` and `learn/gone.py`.") == {"learn/gone.py"}
