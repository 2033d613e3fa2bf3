"""The numbered statements of the papers, one line each, with the rows that run them.

The lines are in ``papers/``, one file a paper.  A line has the number, the statement in our words, and
what no row can say: tests, deviations and, if no row runs it, its status, code and proof.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from littlestone.base.errors import DeclarationError
from littlestone.prove.papers.statement import Statement, Status, statements, status_of

OTHERS = "others"
"""The key of statements of no paper of ours."""


@dataclass(frozen=True)
class Line:
    """One numbered statement of a paper, together with its rows."""

    id: str
    says: str
    status: Status
    code: tuple[str, ...]
    proof: tuple[str, ...]
    tests: tuple[str, ...]
    why: str
    rows: tuple[Statement, ...]


@dataclass(frozen=True)
class Paper:
    """A paper and its numbered statements, in order; ``cited`` is its key in the bibliography."""

    key: str
    title: str
    cited: str
    lines: tuple[Line, ...]


def papers(rows: Iterable[Statement]) -> list[Paper]:
    """The papers, each statement with those of ``rows`` that run it.

    Raises `DeclarationError` for a row whose number is not a statement of its paper, and for a line
    whose status is declared twice or not at all.

    >>> from littlestone.prove.papers.statement import statements
    >>> [(paper.key, len(paper.lines)) for paper in papers(statements())][0]
    ('L5', 24)
    """
    found: dict[str, list[Statement]] = {}
    for row in rows:
        found.setdefault(row.id, []).append(row)
    read = [_paper(source, found) for source in _sources()]
    known = {line.id for paper in read for line in paper.lines}
    for row_id in found:
        if paper_of(row_id) != OTHERS and row_id not in known:
            raise DeclarationError(
                f"the row {row_id}",
                found="its paper has no statement of that number",
                fix="use a number of littlestone/prove/papers/statements/, or add a line there",
            )
    return read


def paper_of(row_id: str) -> str:
    """The key of a row's paper; `OTHERS` if its first word is not one.

    >>> paper_of("L5 Theorem 1"), paper_of("Mixed tables")
    ('L5', 'others')
    """
    key = row_id.partition(" ")[0]
    return key if any(source["key"] == key for source in _sources()) else OTHERS


def title_of(row: Statement) -> str:
    """The heading of the row's paper.

    >>> title_of(statements("L5 Lemma 1")[0])
    'L5: Kalavasis, Lecture 5: PAC learning with pure DP and online learning'
    """
    key = paper_of(row.id)
    titles = {source["key"]: f"{key}: {source['title']}" for source in _sources()}
    return titles.get(key, "Others: statements of other papers, and our own")


def number_of(row: Statement) -> str:
    """The row's number in its paper; its whole id if it has no paper of ours.

    >>> number_of(statements("L5 Lemma 1")[0])
    'Lemma 1'
    """
    key = paper_of(row.id)
    return row.id if key == OTHERS else row.id.removeprefix(f"{key} ")


def select_statements(
    only: str | None = None, *, paper: str | None = None, number: str | None = None
) -> list[Statement]:
    """The statements in the order of the map, of papers first.

    ``only`` is part of their name, ``paper`` the key of their paper or `OTHERS`, and ``number`` their
    id or their number in any paper; None selects all.  A paper is also known by its key in the
    bibliography.  Raises `DeclarationError` for an empty text, and if no row is left.

    >>> [row.says for row in select_statements(number="l5 example 1")]
    ['LDim(H) <= log2 |H|']
    >>> {row.id for row in select_statements(number="Lemma 4.3")}
    {'Lyu25 Lemma 4.3'}
    """
    given = {"": only, "--paper ": paper, "--id ": number}
    asked = {option: text for option, text in given.items() if text is not None}
    words = " ".join(f"{option}{text!r}" for option, text in asked.items())
    if not all(asked.values()):
        raise DeclarationError(
            f"verify {words}", found="an empty text", fix="leave it out to run every statement"
        )
    order = [
        f"{source['key']} {entry['number']}" for source in _sources() for entry in source["line"]
    ]
    places = {row_id: i for i, row_id in enumerate(order)}
    named = [
        row
        for row in sorted(statements(only or ""), key=lambda row: places.get(row.id, len(places)))
        if number is None or _by_key(number) in (row.id.lower(), number_of(row).lower())
    ]
    found = [row for row in named if paper is None or _by_key(paper) == paper_of(row.id).lower()]
    if not found:
        keys = dict.fromkeys(paper_of(row.id) for row in named)
        if number is not None and not keys and _is_line(_by_key(number), order):
            raise DeclarationError(
                f"verify {words}",
                found="the papers have that statement, and no row runs it",
                fix="docs/theorem-map.md says what is known of it",
            )
        raise DeclarationError(
            f"verify {words}",
            found=f"that is in {', '.join(keys)}" if keys else "no statement has that",
            fix=f"use --paper {next(iter(keys))}, or leave --paper out"
            if keys
            else "use a number or a part of a name that `littlestone verify` prints, such as L5",
        )
    return found


def _by_key(name: str) -> str:
    """A name in small letters, in which a key of the bibliography becomes that of the paper."""
    key, _, rest = name.lower().partition(" ")
    keys = {source["cited"].lower(): source["key"].lower() for source in _sources()}
    return " ".join(part for part in (keys.get(key, key), rest) if part)


def _is_line(number: str, order: list[str]) -> bool:
    """Whether a paper has a statement of that id or number."""
    ids = [row_id.lower() for row_id in order]
    return any(number in (row_id, row_id.partition(" ")[2]) for row_id in ids)


@cache
def _sources() -> list[dict[str, Any]]:
    folder = files("littlestone.prove.papers") / "statements"
    texts = sorted((path.name, path.read_text(encoding="utf-8")) for path in folder.iterdir())
    return [tomllib.loads(text) for _, text in texts]


def _paper(source: dict[str, Any], found: dict[str, list[Statement]]) -> Paper:
    key = source["key"]
    lines = [_line(entry, f"{key} {entry['number']}", found) for entry in source["line"]]
    return Paper(key, source["title"], source["cited"], tuple(lines))


def _line(entry: dict[str, str], number: str, found: dict[str, list[Statement]]) -> Line:
    rows = found.get(number, [])
    declared = {row.status for row in rows}
    if ("status" in entry) == (len(declared) == 1):
        raise DeclarationError(
            f"the statement {number}",
            found=f"its rows have the status {sorted(declared)}, its line {entry.get('status')!r}",
            fix="say it in the line exactly if no row does, or if rows differ",
        )
    return Line(
        number,
        entry["says"],
        status_of(number, entry["status"]) if "status" in entry else rows[0].status,
        _split_names([entry.get("code", ""), *(row.code for row in rows)]),
        _split_names([entry.get("proof", ""), *(row.proof for row in rows)]),
        _split_names([entry.get("tests", "")]),
        entry.get("why", ""),
        tuple(rows),
    )


def _split_names(texts: Iterable[str]) -> tuple[str, ...]:
    """The names in all texts, each once."""
    return tuple(dict.fromkeys(name for text in texts for name in text.split(", ") if name))
