"""``littlestone atlas``: nothing else measures every class over a few points."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import typer

from littlestone.atlas import QUANTITIES, burnside
from littlestone.atlas import atlas as listing
from littlestone.atlas.listing import MOST, columns
from littlestone.cli.bars import bar
from littlestone.cli.console import out, print_json, print_table
from littlestone.cli.options import JobsOption
from littlestone.pictures.figures import suffix_of
from littlestone.report.atlas import written
from littlestone.report.files import NEVER, PAGE, reserved
from littlestone.report.pages.atlas import across, atlas_page


def atlas(
    points: Annotated[int, typer.Argument(help=f"The number of points, 1 to {MOST}.")],
    file: Annotated[
        Path | None,
        typer.Option("--out", help="Write the classes to this .parquet file or .html page."),
    ] = None,
    jobs: JobsOption = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print all classes as JSON, for programs.")
    ] = False,
) -> None:
    """Measure every class over 1 to 4 points, once for all renamings.

    Renaming means that points change places, and that the labels are exchanged at all points together.
    The command prints how many classes have each Littlestone and VC dimension.  The file has all
    dimensions of each class.
    """
    kind = None if file is None else suffix_of(file, ("parquet", "html"))
    over = PAGE if kind == "html" else NEVER
    with reserved(file, over) if file is not None else nullcontext() as write:
        with bar("measuring classes"):
            entries = list(listing(points, jobs=jobs))
        if write is not None:
            write(atlas_page(points, entries) if kind == "html" else written(entries))
    if as_json:
        print_json(columns(entries))
        return
    headings, rows = across(entries, "ldim", "vc")
    out.print(
        f"{burnside(points):,} classes over {points} points up to renaming; "
        f"{sum(entry.renamings for entry in entries):,} in all"
    )
    out.print(f"by {QUANTITIES['ldim'].words} (down) and {QUANTITIES['vc'].words} (across)")
    print_table(headings, rows)
    if file is not None:
        out.print(f"written to {file}")
