"""``littlestone family``: write a table of a named family."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from littlestone.cli.console import counted, out, print_json, print_table
from littlestone.cli.options import JsonOption
from littlestone.families import families, table
from littlestone.pictures.figures import suffix_of
from littlestone.report.files import NEVER, reserved


def family(
    name: Annotated[
        str | None, typer.Argument(help="A family; without a name, all families are listed.")
    ] = None,
    numbers: Annotated[list[int] | None, typer.Argument(help="Its numbers, such as 5 2.")] = None,
    file: Annotated[
        Path | None, typer.Option("--out", help="Write the table to this .npy or .csv file.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Write the table of a named family, or list the families.

    Each row of the table is a hypothesis and each column a point.  `littlestone dim FILE` computes its
    Littlestone dimension, and `littlestone dims FILE` all dimensions.
    """
    if name is None:
        rows = [
            [" ".join((each.name, *(n.upper() for n in each.numbers))), each.words]
            for each in families().values()
        ]
        if as_json:
            print_json([dict(zip(("family", "what"), row, strict=True)) for row in rows])
        else:
            print_table(["family", "what it is"], rows)
        return
    asked = " ".join([name, *map(str, numbers or ())])
    if file is None:
        made = table(name, *(numbers or ()))
    else:
        kind = suffix_of(file, ("npy", "csv"))
        with reserved(file, NEVER) as write:
            made = table(name, *(numbers or ()))
            content = BytesIO()
            if kind == "npy":
                np.save(content, made)
            else:
                np.savetxt(content, made, fmt="%d", delimiter=",")
            write(content.getvalue())
    size = {"family": asked, "hypotheses": len(made), "points": made.shape[1]}
    if as_json:
        print_json(size)
        return
    hypotheses = "1 hypothesis" if len(made) == 1 else f"{len(made):,} hypotheses"
    out.print(f"{asked}: {hypotheses}, {counted(made.shape[1], 'point')}")
    out.print("--out FILE.npy writes the table" if file is None else f"written to {file}")
