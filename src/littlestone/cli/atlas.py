"""``littlestone theory atlas``: nothing else measures every class over a few points."""

from __future__ import annotations

from collections import Counter
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import typer

from littlestone.cli.console import bar, out, print_json, print_table
from littlestone.cli.options import JobsOption
from littlestone.pictures.figures import suffix_of
from littlestone.show.files import NEVER, reserve
from littlestone.show.theory import write_parquet
from littlestone.theory.atlas import QUANTITIES, burnside
from littlestone.theory.atlas import atlas as listing
from littlestone.theory.atlas.listing import MOST, columns


def atlas(
    points: Annotated[int, typer.Argument(help=f"The number of points, 1 to {MOST}.")],
    file: Annotated[
        Path | None, typer.Option("--out", help="Write the classes to this .parquet file.")
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
    if file is not None:
        suffix_of(file, ("parquet",))
    with reserve(file, NEVER) if file is not None else nullcontext() as write:
        with bar("measuring classes"):
            entries = list(listing(points, jobs=jobs))
        if write is not None:
            write(write_parquet(entries))
    if as_json:
        print_json(columns(entries))
        return
    counts = Counter((entry.values["ldim"], entry.values["vc"]) for entry in entries)
    downs, rights = sorted({ldim for ldim, _ in counts}), sorted({vc for _, vc in counts})
    rows = [[str(ldim), *(f"{counts[ldim, vc]:,}" for vc in rights)] for ldim in downs]
    out.print(
        f"{burnside(points):,} classes over {points} points up to renaming; "
        f"{sum(entry.renamings for entry in entries):,} in all"
    )
    out.print(f"by {QUANTITIES['ldim'].words} (down) and {QUANTITIES['vc'].words} (across)")
    print_table(["ldim", *(f"vc {vc}" for vc in rights)], rows)
    if file is not None:
        out.print(f"written to {file}")
