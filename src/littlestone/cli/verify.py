"""``littlestone verify``: run the theorems."""

from __future__ import annotations

from typing import Annotated

import typer

from littlestone.cli.console import print_json, print_table
from littlestone.errors import DeclarationError
from littlestone.verify import run_all


def verify(
    only: Annotated[str, typer.Argument(help="Run only statements whose name contains this.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
) -> None:
    """Check numbered statements of the papers: stated and measured values, with verdicts.

    The exit status is 1 if a statement fails.
    """
    verdicts = run_all(only)
    if not verdicts:
        raise DeclarationError(
            f"verify {only!r}",
            found="no statement has that in its name",
            fix="use a part of a name that `littlestone verify` prints, such as 'L5 Theorem'",
        )
    if as_json:
        print_json([verdict.to_json() for verdict in verdicts])
    else:
        print_table(
            ["statement", "stated", "measured", "verdict"],
            [[v.name, v.stated, v.measured, "holds" if v.holds else "FAILS"] for v in verdicts],
        )
    if not all(verdict.holds for verdict in verdicts):
        raise typer.Exit(1)
