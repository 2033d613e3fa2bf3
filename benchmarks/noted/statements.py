"""How many statements of the four documents have each status."""

from __future__ import annotations

from collections import Counter
from typing import get_args

from benchmarks.noted.words import Values, table
from littlestone.verify.catalogue import OTHERS, Paper, paper_of, papers
from littlestone.verify.statement import Status, statements


def values() -> Values:
    """The counts, and the lists of what is not built and what is open."""
    rows = statements()
    found = papers(rows)
    lines = [line for paper in found for line in paper.lines]
    statuses = get_args(Status)
    counts = Counter(line.status for line in lines)
    numbers = []
    for paper in found:
        own = Counter(line.status for line in paper.lines)
        ran = sum(len(line.rows) for line in paper.lines)
        numbers.append([len(paper.lines), *(own[status] for status in statuses), ran])
    shown = [[paper.key, *own] for paper, own in zip(found, numbers, strict=True)]
    shown.append(["together", *map(sum, zip(*numbers, strict=True))])
    names = {status.replace(" ", "_"): str(counts[status]) for status in statuses}
    return {
        **names,
        "all": str(len(lines)),
        "rows": str(sum(paper_of(row.id) != OTHERS for row in rows)),
        "table": table(["document", "statements", *statuses, "rows that run"], shown),
        "not_built_list": _listed(found, "not built"),
        "open_list": _listed(found, "open"),
    }


def _listed(found: list[Paper], status: Status) -> str:
    """The numbers of a status, a line for each document that has some."""
    numbers = {
        paper.key: "; ".join(
            line.id.removeprefix(f"{paper.key} ") for line in paper.lines if line.status == status
        )
        for paper in found
    }
    return "\n".join(f"* {key}: {text}." for key, text in numbers.items() if text)
