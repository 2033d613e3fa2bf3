"""Write docs/theorem-map.md, from the statements of the papers and the rows of `littlestone verify`.

Run it from anywhere: python tools/theorem_map.py
With the name of a statement it prints what checks it: python tools/theorem_map.py "Lyu25 Theorem 3"
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import get_args

from littlestone.prove.papers.statement import (
    OTHERS,
    Line,
    Paper,
    Statement,
    Status,
    paper_of,
    papers,
    statements,
)

PAGE = Path(__file__).parent.parent / "docs" / "theorem-map.md"

HEAD = """\
# The map of theorems

Is a theorem of the papers implemented, and is it true? Find its number here. This page lists every
numbered statement of four documents, and other statements that matter. Each has a status:

* **as stated**: the code does, or a row confirms, what the paper states. Constants may be sharper.
* **changed**: we found nothing wrong with it as printed. Ours is another form: sharper, exact, with
  constants, or another algorithm.
* **mended**: as printed it is false or has a slip, or its proof has a gap. What we prove and run in
  its place is mended.
* **false**: it fails, as a row or the line shows.
* **refused**: we do not do it, for the reason given.
* **not built**: it can be run, and nothing here runs it yet.
* **open**: a question, or a comparison of hidden constants.

The [bibliography](bibliography.md) names the texts that we read. Later versions may differ.

`littlestone verify` runs the rows: all of them, those of a statement or of a paper. `--seed` samples
other classes and records. `--deep` takes larger families and some minutes. The last command, in the
repository, names the rows, tests and [plants](planted-bugs.md) that check a statement:

    littlestone verify --id "Lyu25 Theorem 3"
    littlestone verify --paper BLM20 --seed 5
    littlestone verify --deep
    python tools/theorem_map.py "Lyu25 Theorem 3"

Code is named below `littlestone`, so `theory.game.play` is `littlestone.theory.game.play`. This page is
made by `python tools/theorem_map.py`.
"""

NAMES = ["statement", "what it states, and what differs here", "code and proof"]


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
    counts = {"row": len(line.rows), "test": len(line.tests)}
    counted = ", ".join(f"{n} {what}{'s' * (n > 1)}" for what, n in counts.items() if n)
    head = [f"**{number[0].upper()}{number[1:]}**", line.status, *filter(None, [counted])]
    return [
        "<br>".join(head),
        "<br>".join(says),
        _code_and_proof(line.code, line.proof),
    ]


def checks(name: str) -> list[str]:
    """What checks a statement: its rows of `littlestone verify`, its tests, and its plants."""
    line = next(line for paper in papers(statements()) for line in paper.lines if line.id == name)
    rows = [f"row {row.says}; on: {row.scope} ({row.status})" for row in line.rows]
    return [*rows, *(test if test.startswith("plant ") else f"test {test}" for test in line.tests)]


def _code_and_proof(code: Iterable[str], proof: Iterable[str]) -> str:
    pages = (f"[{link.removeprefix('proofs/').partition('.')[0]}]({link})" for link in proof)
    return "<br>".join([*(f"`{name}`" for name in code), *pages])


def _others(rows: list[Statement]) -> str:
    head = "## Others\n\nStatements of other papers and our own, by the proofs of this project.\n\n"
    cells = (
        [
            f"**{row.id}**<br>{row.status}",
            _plain(row.says),
            _code_and_proof(row.code.split(", "), filter(None, row.proof.split(", "))),
        ]
        for row in rows
    )
    return head + _table(["statement", "what the row checks", "code and proof"], cells)


def _table(names: list[str], rows: Iterable[Iterable[object]]) -> str:
    lines = [names, ["---"] * len(names), *rows]
    return "".join(f"| {' | '.join(map(str, cells))} |\n" for cells in lines)


def _plain(text: str) -> str:
    """The text without signs that Markdown would read."""
    for sign in "\\|*":
        text = text.replace(sign, f"\\{sign}")
    return re.sub(r"<(?=[a-zA-Z/!])", "&lt;", text)


if __name__ == "__main__":
    if sys.argv[1:]:
        sys.stdout.write("\n".join(checks(sys.argv[1])) + "\n")
    else:
        PAGE.write_text(page(), encoding="utf-8")
