"""How many statements of the four documents are as stated, repaired, false, refused and open."""

from __future__ import annotations

from collections import Counter
from typing import get_args

from benchmarks.noted.words import Values, table
from littlestone.verify.catalogue import OTHERS, Paper, paper_of, papers
from littlestone.verify.statement import Status, statements


def values() -> Values:
    """The counts, and the lists of what is false, refused and open."""
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
    open_ones = [
        f"* {paper.key}: {_numbers(paper, 'open')}."
        for paper in found
        if any(line.status == "open" for line in paper.lines)
    ]
    return {
        **names,
        "all": str(len(lines)),
        "rows": str(sum(paper_of(row.id) != OTHERS for row in rows)),
        "table": table(["document", "statements", *statuses, "rows that run"], shown),
        "open_list": "\n".join(open_ones),
    }


def _numbers(paper: Paper, status: Status) -> str:
    found = (line.id for line in paper.lines if line.status == status)
    return "; ".join(number.removeprefix(f"{paper.key} ") for number in found)
