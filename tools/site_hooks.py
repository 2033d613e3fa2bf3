"""What `make docs` does to the pages on their way to the site."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

from markdown import Extension, Markdown
from markdown.inlinepatterns import InlineProcessor
from markdown.treeprocessors import Treeprocessor
from markdown.util import AtomicString

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
        end = m.start() if seen or not self.typeset.prose else formulas.ends(data, m.start())
        if end == m.start():
            return None, None, None
        self.read = data[: m.start()]
        return _final(formulas.formula(data[m.start() : end])), m.start(), end


class _Indented(Treeprocessor):
    def run(self, root: Any) -> None:
        for parent in root.iter():
            for place, child in enumerate(parent):
                if child.tag == "pre" and len(child) == 1 and formulas.is_formula(child[0].text):
                    parent[place] = _final(formulas.lines(child[0].text))


class Typeset(Extension):
    """Mathematics of indented formulas and, in proofs, of formulas in prose."""

    prose = False

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802
        md.inlinePatterns.register(_InProse(self), "formulas", 65)  # after code, links and HTML
        md.treeprocessors.register(_Indented(md), "formulas", 40)  # before code is coloured


TYPESET = Typeset()


def on_config(config: Any) -> Any:
    config.markdown_extensions.append(TYPESET)
    return config


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    TYPESET.prose = page.file.src_uri.startswith("proofs/")
    # A folder of pages is, on the site, the page that lists them.
    return re.sub(r"(?<=\]\()((?:\w+/)*proofs|proofs)/(?=\))", r"\1/index.md", markdown)
