"""``littlestone verify`` and ``theory papers``: nothing else runs what the papers state and print."""

from __future__ import annotations

import os
import textwrap
from functools import partial
from itertools import groupby
from typing import Annotated

import typer
from rich.text import Text

from littlestone.base.errors import DeclarationError
from littlestone.base.work import spread
from littlestone.cli.console import bar, count_noun, err, out, print_columns, print_json
from littlestone.cli.options import Jobs
from littlestone.prove.papers.statement import (
    OTHERS,
    Statement,
    Trial,
    Verdict,
    number_of,
    run_one,
    select_statements,
    tally,
    title_of,
)

_WIDEST = 100
_MARK = 7  # columns of a verdict


def verify(
    only: Annotated[str | None, typer.Argument()] = None,
    paper: Annotated[
        str | None,
        typer.Option(
            help="Only those of a paper: L5 (Kalavasis's Lecture 5), BLM20, BGS21 or Lyu25; "
            f"{OTHERS} for the rest."
        ),
    ] = None,
    number: str | None = None,
    seed: Annotated[int | None, typer.Option(min=0)] = None,
    deep: bool = False,
    jobs: Jobs = None,
    as_json: bool = False,
) -> None:
    """Check numbered statements of the papers: stated and measured values, with verdicts.

    docs/theorem-map.md lists all statements, also those with nothing to run.  Ctrl+C stops it and
    prints the verdicts so far; the exit status is then 130.  It is 1 if a statement fails.

    only: Run only statements whose name contains this.
    number --id: Only that number, such as 'Lyu25 Theorem 3' or 'Lemma 12'.
    seed: Sample other classes and records; always the same by default.
    deep: Larger families of classes: minutes, not seconds.
    """
    rows = select_statements(only, paper=paper, number=number)
    verdicts = _run(rows, Trial(seed, deep), jobs)
    if as_json:
        print_json([verdict.to_json() for verdict in verdicts])
    else:
        _print(verdicts)
    if len(verdicts) < len(rows):
        missing = len(rows) - len(verdicts)
        err.print(f"interrupted: {missing:,} of {count_noun(len(rows), 'statement')} were not run")
        raise typer.Exit(130)
    if not all(verdict.holds for verdict in verdicts):
        raise typer.Exit(1)


def _run(rows: list[Statement], trial: Trial, jobs: int | None) -> list[Verdict]:
    """The verdicts in the order of the rows; fewer if Ctrl+C stops it."""
    found: dict[int, Verdict] = {}
    task = partial(run_one, trial=trial)
    try:
        with bar("running statements"):
            for i, verdict in spread(task, rows, jobs=jobs, what="running statements"):
                found[i] = verdict
    except KeyboardInterrupt:
        pass  # what is found is printed, and the status says so
    return [found[i] for i in sorted(found)]


def _print(verdicts: list[Verdict]) -> None:
    """Verdicts by paper, in lines that fit the terminal."""
    for title, group in groupby(verdicts, key=lambda verdict: title_of(verdict.statement)):
        for line in textwrap.wrap(title, _width()):
            out.print(Text(line, style="bold"))
        for verdict in group:
            _print_row(verdict)
        out.print()
    out.print(tally(verdicts))


def _width() -> int:
    # A pipe has no width of its own.
    shown = out.is_terminal or "COLUMNS" in os.environ
    return min(out.width, _WIDEST) if shown else _WIDEST


def _print_row(verdict: Verdict) -> None:
    of, found = verdict.statement, verdict.outcome
    mark = Text(verdict.mark, style="" if verdict.holds else "bold red")
    mark.pad_right(_MARK - len(mark))
    lines = [
        f"{number_of(of)} ({of.verdict_status}): {of.says}",
        f"on: {verdict.scope}",
        f"stated: {found.stated}",
        f"measured: {found.measured}",
    ]
    width = _width() - _MARK
    folded = [part for line in lines for part in textwrap.wrap(line, width, subsequent_indent="  ")]
    for i, line in enumerate(folded):
        out.print((mark if i == 0 else Text(" " * _MARK)) + Text(line))


def papers(only: Annotated[str | None, typer.Argument()] = None, as_json: bool = False) -> None:
    """List the boxes of the papers as printed, what they promise, and what is found.

    Each is a function of Python, for study on data that you made up: it has no ledger.
    docs/notes/boxes.md shows their steps beside what we run instead.

    only: List only boxes whose number contains this, such as 'Lyu25' or 'algorithm G'.
    """
    from littlestone.learn.papers.boxes.base import boxes

    found = [box for box in boxes() if (only or "").lower() in box.id.lower()]
    if not found:
        raise DeclarationError(
            f"list the boxes {only!r}",
            found="no box has that in its number",
            fix="list all of them: littlestone theory papers",
        )
    rows = [
        {
            "id": box.id,
            "code": f"{box.run.__module__}.{box.run.__name__}",
            "promise": box.promise,
            "found": box.found,
            "takes": box.takes,
            "mend": box.mend,
            "ours": box.ours,
        }
        for box in found
    ]
    if as_json:
        print_json(rows)
        return
    for row in rows:
        out.print(row["id"])
        for name in ("code", "promise", "found", "takes", "mend", "ours"):
            if row[name]:
                print_columns([[f"{name}:", row[name]]], indent=2)
