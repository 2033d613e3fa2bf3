"""``littlestone verify``: run the theorems."""

from __future__ import annotations

from typing import Annotated

import typer

from littlestone.cli.bars import JobsOption, bar
from littlestone.cli.console import counted, err, print_json, print_table
from littlestone.errors import DeclarationError
from littlestone.parallel import spread
from littlestone.verify.statement import Verdict, run_one, statements


def verify(
    only: Annotated[str, typer.Argument(help="Run only statements whose name contains this.")] = "",
    jobs: JobsOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
) -> None:
    """Check numbered statements of the papers: stated and measured values, with verdicts.

    Ctrl+C stops it and prints the verdicts so far; the exit status is then 130.  The exit status is 1
    if a statement fails.
    """
    rows = statements(only)
    if not rows:
        raise DeclarationError(
            f"verify {only!r}",
            found="no statement has that in its name",
            fix="use a part of a name that `littlestone verify` prints, such as 'L5 Theorem'",
        )
    found: dict[int, Verdict] = {}
    interrupted = False
    try:
        with bar("running statements"):
            for i, verdict in spread(run_one, rows, jobs=jobs, what="running statements"):
                found[i] = verdict
    except KeyboardInterrupt:
        interrupted = True
    verdicts = [found[i] for i in sorted(found)]
    if as_json:
        print_json([verdict.to_json() for verdict in verdicts])
    else:
        print_table(
            ["statement", "stated", "measured", "verdict"],
            [
                [
                    v.statement.name,
                    v.outcome.stated,
                    v.outcome.measured,
                    "holds" if v.holds else "FAILS",
                ]
                for v in verdicts
            ],
        )
    if interrupted:
        missing = len(rows) - len(found)
        err.print(f"interrupted: {missing:,} of {counted(len(rows), 'statement')} were not run")
        raise typer.Exit(130)
    if not all(verdict.holds for verdict in verdicts):
        raise typer.Exit(1)
