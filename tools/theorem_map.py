"""Write docs/theorem-map.md, from the statements of the papers and the rows of `littlestone verify`.

Run it from anywhere: python tools/theorem_map.py
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import get_args

from littlestone.verify.catalogue import OTHERS, Line, Paper, paper_of, papers
from littlestone.verify.statement import Statement, Status, statements

PAGE = Path(__file__).parent.parent / "docs" / "theorem-map.md"

HEAD = """\
# The map of theorems

Is a theorem of the papers implemented, is it true, and what checks it? Find its number here. This page
lists every numbered statement of four documents, and other statements that matter. Each has a status:

* **as stated**: the code does, or a row confirms, what the paper states. Constants may be sharper.
* **changed**: we found nothing wrong with it as printed. Ours is another form: sharper, exact, with
  constants, or another algorithm.
* **mended**: as printed it is false or has a slip, or its proof has a gap. What we prove and run in
  its place is mended.
* **false**: it fails, as a row or the line shows.
* **refused**: we do not do it, for the reason given.
* **not built**: it can be run, and nothing here runs it yet.
* **open**: a question, or a comparison of hidden constants.

The texts that we read are named in the [bibliography](bibliography.md). A later version may state some
of this otherwise.

`littlestone verify` runs the rows: all of them, those of a statement or of a paper. `--seed` samples
other classes and records. `--deep` takes larger families and some minutes.

    littlestone verify --id "Lyu25 Theorem 3"
    littlestone verify --paper BLM20 --seed 5
    littlestone verify --deep

Code is named below `littlestone`, so `online.play` is `littlestone.online.play`. Tests are in the
repository, and plants are mistakes that the [tests must catch](planted-bugs.md). This page is made by
`python tools/theorem_map.py`.
"""

NAMES = ["statement", "what it states, and what differs here", "code and proof", "rows and tests"]


def page() -> str:
    """The text of the page."""
    rows = statements()
    found = papers(rows)
    others = [row for row in rows if paper_of(row.id) == OTHERS]
    parts = [HEAD, _counts(found, others)]
    parts += [_section(paper) for paper in found]
    parts.append(_others(others))
    return "\n".join(parts)


def _counts(found: list[Paper], others: list[Statement]) -> str:
    statuses = get_args(Status)
    lines = []
    for paper in found:
        counts = Counter(line.status for line in paper.lines)
        rows = sum(len(line.rows) for line in paper.lines)
        link = f"[{paper.key}](#{paper.key.lower()})"
        lines.append([link, len(paper.lines), *(counts[status] for status in statuses), rows])
    sums = [sum(int(line[i]) for line in lines) for i in range(1, len(lines[0]))]
    lines += [["together", *sums], ["[others](#others)", *[""] * (len(sums) - 1), len(others)]]
    return _table(["paper", "statements", *statuses, "rows"], lines)


def _section(paper: Paper) -> str:
    link = f"[{paper.cited}](bibliography.md#{paper.cited.lower()})"
    head = f"## {paper.key}\n\n{paper.title} ({link}).\n\n"
    return head + _table(NAMES, (_cells(line, paper.key) for line in paper.lines))


def _cells(line: Line, key: str) -> list[str]:
    number = line.id.removeprefix(f"{key} ")
    says = [_plain(line.says)] + ([f"*Here:* {_plain(line.why)}"] if line.why else [])
    rows = [f"Row: {_row(row, status=row.status != line.status)}" for row in line.rows]
    return [
        f"**{number[0].upper()}{number[1:]}**<br>{line.status}",
        "<br>".join(says),
        _code_and_proof(line.code, line.proof),
        "<br>".join([*rows, *map(_test, line.tests)]),
    ]


def _row(row: Statement, *, status: bool) -> str:
    said = f" ({row.status})" if status else ""
    deep = f" (`--deep`: {_plain(row.deep)})" if row.deep else ""
    return f"{_plain(row.says)}{said}; on: {_plain(row.scope)}{deep}"


def _code_and_proof(code: Iterable[str], proof: Iterable[str]) -> str:
    pages = (f"[{link.removeprefix('proofs/').partition('.')[0]}]({link})" for link in proof)
    return "<br>".join([*(f"`{name}`" for name in code), *pages])


def _test(test: str) -> str:
    kind, _, name = test.partition(" ")
    if kind == "plant":
        return f"Plant: `{name}`"
    return f"Test: `{test.removeprefix('tests/')}`"


def _others(rows: list[Statement]) -> str:
    head = "## Others\n\nStatements of other papers and our own, by the proofs of this project.\n\n"
    cells = (
        [
            f"**{row.id}**<br>{row.status}",
            _plain(row.says),
            _code_and_proof(row.code.split(", "), filter(None, row.proof.split(", "))),
            _plain(row.scope),
        ]
        for row in rows
    )
    return head + _table(["statement", "what the row checks", "code and proof", "on"], cells)


def _table(names: list[str], rows: Iterable[Iterable[object]]) -> str:
    lines = [names, ["---"] * len(names), *rows]
    return "".join(f"| {' | '.join(map(str, cells))} |\n" for cells in lines)


def _plain(text: str) -> str:
    """The text without signs that Markdown would read."""
    for sign in "\\|*":
        text = text.replace(sign, f"\\{sign}")
    return re.sub(r"<(?=[a-zA-Z/!])", "&lt;", text)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
