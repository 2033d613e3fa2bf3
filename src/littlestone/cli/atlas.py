"""``littlestone theory atlas``, ``search`` and ``optimum``.

Nothing else measures all small classes, or says how well the best private learner of one can do.
"""

from __future__ import annotations

import re
from collections import Counter
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import typer

from littlestone.base.errors import DeclarationError
from littlestone.cli.classes import class_or_file
from littlestone.cli.console import bar, count_noun, err, out, print_json, print_table
from littlestone.cli.options import REQUIRED, Jobs, Seconds
from littlestone.learn.declared.declaring import open_schema
from littlestone.pictures.canvas import suffix_of
from littlestone.privacy import Budget
from littlestone.show.files import NEVER, reserve
from littlestone.show.tree import write_parquet
from littlestone.theory.atlas import QUANTITIES, SearchResult, burnside, table_of
from littlestone.theory.atlas import atlas as listing
from littlestone.theory.atlas import search as find
from littlestone.theory.atlas.listing import (
    MOST,
    Rows,
    best_columns,
    columns,
    lines_of,
    plain,
    require_best,
)
from littlestone.theory.atlas.quantities import Number
from littlestone.theory.optimum import Task, best, rows_of


def atlas(
    points: Annotated[int, typer.Argument(help=f"The number of points, 1 to {MOST}, such as 3.")],
    file: Path | None = None,
    with_best: bool = False,
    jobs: Jobs = None,
    as_json: bool = False,
) -> None:
    """Measure every class over 1 to 4 points, once for all renamings.

    Renaming means that points change places, and that the labels are exchanged at all points together.
    The command prints how many classes have each Littlestone and VC dimension.  The file has all
    dimensions of each class.

    file --out: Write the classes to this .parquet file.
    with_best --best: Add how well the best private learners do with 1, 2 and 3 records, at epsilon 1:
        the chance of an error of at most 1/3. For up to 3 points.
    as_json --json: Print all classes as JSON, for programs.
    """
    if file is not None:
        suffix_of(file, ("parquet",))
    if with_best:
        require_best(points)
    with reserve(file, NEVER) if file is not None else nullcontext() as write:
        with bar("measuring classes"):
            entries = list(listing(points, jobs=jobs))
        found = columns(entries) | (best_columns(entries) if with_best else {})
        if write is not None:
            write(write_parquet(found))
    if as_json:
        print_json(found)
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


def search(
    condition: str,
    points: str = "1..5",
    rows: str = "1..8",
    most: int = 1,
    time_limit: Seconds = None,
    as_json: bool = False,
) -> None:
    """Find the smallest classes whose dimensions meet a condition.

    Smallest means fewest points, and then fewest hypotheses.  Every class in the given ranges is
    looked at, once for all renamings of its points and the exchange of its labels.  If there is none,
    or time runs out, the command says how far it looked.

    Names: rows, points, ldim, vc, dual_ldim, dual_vc, threshold, teaching, star, ddim1, ddim2, ddim3
    (the decomposition dimension for p = 1, 2, 3), and the games randomized, self_directed, transductive
    and apple.  Of fractions, write multiples: '2 * randomized == 3'.

    condition: Such as 'ldim == 2 and vc == 1'; the names are above.
    points A..B: How many points the classes have.
    rows A..B: How many hypotheses they have.
    most: Print at most this many examples.
    time_limit SECONDS: Stop after this time, and say how far the search got.
    """
    with bar("searching"):
        looked = find(
            condition,
            points=_range(points, "points"),
            rows=_range(rows, "rows"),
            most=most,
            seconds=time_limit,
        )
    found = [(one, _measure(one, looked.points)) for one in looked.found]
    measured = f"({count_noun(looked.classes, 'table')} measured)"
    if as_json:
        listed = [
            {"table": lines_of(one, looked.points)} | {name: plain(values[name]) for name in values}
            for one, values in found
        ]
        data = {"condition": condition, "found": listed, "classes": looked.classes}
        print_json(data | {"whole": looked.whole, "points": looked.points, "rows": looked.rows})
    elif found:
        for one, values in found:
            out.print(", ".join(f"{name} {value}" for name, value in values.items()))
            out.print("\n".join(f"    {line}" for line in lines_of(one, looked.points)))
        out.print(f"there is no smaller one {measured}")
    else:
        asked = f"with {points} points and {rows} hypotheses"
        out.print(f"none {asked if looked.whole else _far(looked)} {measured}")
    if not (looked.found or looked.whole):
        err.print("interrupted" if looked.interrupted else "stopped by the time limit")
    if looked.interrupted:
        raise typer.Exit(130)


def _measure(rows: Rows, points: int) -> dict[str, Number]:
    return {name: each.of(table_of(rows, points)) for name, each in QUANTITIES.items()}


def _far(looked: SearchResult) -> str:
    """How far a search looked that was stopped."""
    fewer = f"below {looked.points} points" if looked.points > 1 else ""
    with_these = f"with {count_noun(looked.points, 'point')} and up to {looked.rows} hypotheses"
    these = with_these if looked.rows else ""
    return " or ".join(part for part in (fewer, these) if part) or "so far"


def _range(text: str, what: str) -> tuple[int, int]:
    found = re.fullmatch(r"(\d{0,4})\.\.(\d{1,4})|(\d{1,4})", text.strip())
    if found is None:
        raise DeclarationError(
            f"search with {text} {what}",
            found="it is not a range of whole numbers",
            fix="write a range such as 2..5, ..5 or 5",
        )
    low, high, alone = found.groups()
    return (int(alone), int(alone)) if alone else (int(low or 1), int(high))


def optimum(
    what: str,
    n: Annotated[int, REQUIRED],
    epsilon: Annotated[str, REQUIRED],
    delta: str = "0",
    wrong: int = 0,
    every_sample: bool = False,
    proper: bool = False,
    schema: Path | None = None,
    as_json: bool = False,
) -> None:
    """Print how well the best private learner of a tiny class can do, with a proof.

    Each record shows one of the class's points, all equally likely, with the label of a hypothesis.
    The learner knows that, but not the hypothesis.  Printed is its chance, in the worst case, to find
    a rule with few wrong points.  A linear program finds it; a private learner and weights that bound
    all others prove it, in whole numbers.

    what FILE-or-CLASS: A CSV or .npy table of 0s and 1s, or a class, such as 'thresholds(x, 1..3)'.
    n: The number of records, such as 3.
    epsilon: The privacy loss, from 0.01 to 10, such as 1.
    delta: The delta you allow, such as 0.01.
    wrong: A rule is good if it is wrong at no more points than this.
    every_sample: Ask instead for a rule that is wrong on few of the n records, whatever they are, as
        long as a hypothesis fits them.
    proper: Let the rule be a hypothesis of the class.
    """
    rows, points = rows_of(class_or_file(what, schema=open_schema(schema)))
    budget = Budget(epsilon, delta)
    kind = Task.every_sample if every_sample else Task.uniform
    with bar("solving a linear program"):
        found = best(kind(rows, points, n, wrong, proper=proper), budget)
    if as_json:
        print_json(
            {
                "points": points,
                "hypotheses": len(rows),
                "n": n,
                "wrong": wrong,
                "least": found.bounds[0],
                "most": found.bounds[1],
            }
        )
        return
    of = count_noun(n, "record") if every_sample else count_noun(points, "point")
    learner = "proper private learner" if proper else "private learner"
    out.print(
        f"The best {learner} from {count_noun(n, 'record')} finds a rule with at most {wrong} wrong "
        f"of {of}\nwith probability {found}, in the worst case. Both are proved."
    )
