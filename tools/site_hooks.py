"""What `make docs` does to the pages on their way to the site."""

from __future__ import annotations

import html
import re
import sys
from pathlib import Path
from typing import Any

from markdown import Extension, Markdown
from markdown.inlinepatterns import InlineProcessor
from markdown.treeprocessors import Treeprocessor
from markdown.util import AtomicString
from mkdocs.exceptions import PluginError

sys.path.insert(0, str(Path(__file__).parent))
import formulas


def _final(element: Any) -> Any:
    """``element`` with texts that Markdown leaves as they are."""
    for part in element.iter():
        part.text = AtomicString(part.text or "")
    return element


class _InProse(InlineProcessor):
    def __init__(self, typeset: Typeset) -> None:
        super().__init__(r"(?<![\w'’.\-\x03])[A-Za-z(\[{#.\d]")
        self.typeset = typeset
        self.read = ""  # the text before the last formula: Markdown starts again after each one

    def handleMatch(self, m: Any, data: str) -> tuple[Any, int | None, int | None]:  # noqa: N802
        seen = m.start() < len(self.read) and data.startswith(self.read)
        end = m.start() if seen else formulas.ends(data, m.start())
        found = data[m.start() : end]
        if not found or not (self.typeset.proof or "^" in found):
            return None, None, None
        self.read = data[: m.start()]
        return _final(formulas.formula(found)), m.start(), end


class _Indented(Treeprocessor):
    def run(self, root: Any) -> None:
        for parent in root.iter():
            for place, child in enumerate(parent):
                text = (
                    html.unescape(child[0].text or "") if child.tag == "pre" and len(child) else ""
                )
                if text and formulas.is_formula(text):
                    parent[place] = _final(formulas.lines(text))


class Typeset(Extension):
    """Mathematics of indented formulas, and of those in prose.

    Outside of proofs prose is typeset only if it has powers: a command takes epsilon, not a letter.
    """

    proof = False

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802
        md.inlinePatterns.register(_InProse(self), "formulas", 65)  # after code, links and HTML
        md.treeprocessors.register(_Indented(md), "formulas", 40)  # before code is coloured


def as_lists(markdown: str) -> str:
    """``markdown`` with lists that Python-Markdown reads as others do.

    A paragraph of an item takes four spaces, and an item after such a paragraph an empty line.
    """
    lines: list[str] = []
    fenced = inside = False  # of a block of code; of a later paragraph of an item
    for line in markdown.splitlines():
        fenced ^= line.lstrip().startswith("```")
        if not fenced and re.match(r" {3}\S", line):
            inside = inside or not lines[-1]
            line = f" {line}"
        elif inside and re.match(r"(\*|\d+\.) ", line):
            lines.append("")
        inside = inside and line.startswith(" ")
        lines.append(line)
    return "\n".join(lines)


TERMS = (
    "agnostic",
    "decomposition tree",
    "exponential mechanism",
    "global stability",
    "irreducible",
    "Littlestone dimension",
    "mistake bound",
    "open vocabulary",
    "post-processing",
    "realizable",
    "sensitivity",
    "shattered tree",
    "SOA",
    "sparse vector",
    "threshold dimension",
    "VC dimension",
    "version space",
)
NO_PROSE = re.compile(
    r"(^```.*?^```$|^[#|].*?$|^ {4}.*?$|`[^`\n]*`|!?\[[^\]]*\]\([^)]*\))", re.DOTALL | re.MULTILINE
)


def with_terms(markdown: str, glossary: str) -> str:
    """``markdown`` in which the first use of each term of theory leads to the ``glossary``."""
    parts = NO_PROSE.split(markdown)
    for term in TERMS:
        target = f"{glossary}#{term.lower().replace(' ', '-')}"
        words = r"\s".join(map(re.escape, term.split()))
        word = re.compile(rf"(?<![\w-])({words}s?)(?![\w-])")
        if target in markdown:
            continue
        for place in range(0, len(parts), 2):
            parts[place], found = word.subn(rf"[\1]({target})", parts[place], count=1)
            if found:
                parts[place : place + 1] = NO_PROSE.split(parts[place])
                break
    return "".join(parts)


TYPESET = Typeset()


def on_config(config: Any) -> Any:
    """Add mathematics to what pages and docstrings may hold."""
    config.markdown_extensions.append(TYPESET)
    return config


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Say whether the page is a proof, mend lists, and link to terms and to lists of pages."""
    path = page.file.src_uri
    if path.endswith("SUMMARY.md"):  # a list for the menu, which no search should find
        page.meta["search"] = {"exclude": True}
    TYPESET.proof = path.startswith(("proofs/", "notes/"))
    if path.startswith(("tutorial", "how-to/", "explanation/", "benchmarks/")):
        markdown = with_terms(markdown, "../" * path.count("/") + "glossary.md")
    # A folder of pages is, on the site, the page that lists them.
    return re.sub(r"(?<=\]\()((?:\.\./)*proofs)/(?=\))", r"\1/index.md", as_lists(markdown))


ELSEWHERE = re.compile(
    r"<(?:script|img|iframe)\b[^>]*\ssrc=\"?https?:|<link\b[^>]*stylesheet[^>]*https?:"
)


def on_post_page(output: str, *, page: Any, **_: Any) -> str:
    """Refuse a page that takes anything from another server."""
    if found := ELSEWHERE.search(output):
        raise PluginError(f"{page.file.src_uri} asks another server for {found[0]}")
    return output
