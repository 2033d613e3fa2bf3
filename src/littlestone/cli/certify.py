"""``littlestone theory certify``: nothing else checks a proof without a search."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from littlestone.base.errors import DeclarationError
from littlestone.classes.text.table_file import BinaryTable
from littlestone.cli.console import bar, out, print_json
from littlestone.cli.hypotheses import table_or_class
from littlestone.cli.options import JsonOption
from littlestone.dimension import Certificate


def certify(
    table: Annotated[
        str, typer.Argument(metavar="FILE", help="The CSV or .npy table of 0s and 1s.")
    ],
    certificate: Annotated[
        Path, typer.Argument(help="A file that `littlestone dim FILE --certificate` wrote.")
    ],
    as_json: JsonOption = False,
) -> None:
    """Check a certificate against its table, without any search.

    The exit status is 0 if both bounds are proved, and 1 if one is not: because a proof fails, or
    because the solve was interrupted and left an upper bound without a proof.
    """
    read = Certificate.load(certificate)
    H = table_or_class(table)
    if not isinstance(H, BinaryTable):
        raise DeclarationError(
            f"check a certificate against {H}",
            found="certificates are about tables, and this class is given by a formula",
            fix="give the CSV or .npy file of the table",
        )
    with bar("checking the proofs"):
        verdicts = read.check(H.values)
    if as_json:
        print_json([asdict(verdict) for verdict in verdicts])
    else:
        words = {True: "proved by", False: "NOT proved:", None: "stated without a proof:"}
        for verdict in verdicts:
            out.print(f"{verdict.statement}: {words[verdict.proved]} {verdict.reason}")
    if not all(verdict.proved for verdict in verdicts):
        raise typer.Exit(1)
