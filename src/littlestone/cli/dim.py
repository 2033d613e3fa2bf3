"""``littlestone dim`` and ``certify``: nothing else proves Littlestone dimensions and checks proofs."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from littlestone.base.errors import DeclarationError, in_digits
from littlestone.classes.base import HypothesisClass
from littlestone.classes.dimensions.closed_forms import SECONDS, find_dimension
from littlestone.classes.text.table_file import BinaryTable
from littlestone.cli.classes import table_or_class
from littlestone.cli.console import (
    bar,
    count_noun,
    err,
    finite_or_text,
    out,
    print_json,
    print_pairs,
)
from littlestone.cli.options import Seconds
from littlestone.learn.declared.declaring import open_schema
from littlestone.show.files import CERTIFICATE, require_different, reserve

if TYPE_CHECKING:
    from littlestone.dimension import Bounds
    from littlestone.dimension.littlestone import Progress
    from littlestone.dimension.tables import PackedTable

_MOST_BITS = 1 << 12


def dim(
    what: str,
    certificate: Path | None = None,
    time_limit: Seconds = None,
    memory_limit: Annotated[float, typer.Option(min=0)] = 8,
    schema: Path | None = None,
    as_json: bool = False,
) -> None:
    """Print the Littlestone dimension: the most mistakes that can be forced on every learner.

    Ctrl+C or the time limit stops the search and prints the best bounds known by then.
    A certificate then proves the lower bound only.

    what FILE-or-CLASS: A CSV or .npy table of 0s and 1s (each row is a hypothesis, each column a
        point), or a class, such as 'thresholds(x, 1..1000)'.
    certificate: Write proofs to this file; `littlestone theory certify` checks them.
    time_limit SECONDS: Stop searching after this time, and print bounds. A class is searched for 10
        seconds unless you say otherwise.
    memory_limit GIB: Working memory for a table, in GiB.
    """
    require_different({"the table": [what], "--certificate": [certificate]})
    H = table_or_class(what, open_schema(schema))
    if isinstance(H, HypothesisClass):
        if certificate is not None:
            raise DeclarationError(
                f"write a certificate for {H}",
                found="certificates are about tables, and this class is given by a formula",
                fix="leave out --certificate, or write the class as a table of 0s and 1s",
            )
        points = H.domain.size
        # On finitely many points there are finitely many functions.
        uncounted = "infinite" if points is None else "too many to count"
        seconds = SECONDS if time_limit is None else time_limit
        found = find_dimension(H, partial(solve, time_limit=seconds, memory_limit=memory_limit))
        lower, upper = found.lower, found.upper
        data: dict[str, object] = {
            "littlestone_dimension": finite_or_text(lower) if lower == upper else None,
            "hypotheses": uncounted if H.size is None else printable_number(H.size),
            "points": "infinite" if points is None else printable_number(points),
        }
        if lower == upper == math.inf:
            data["infinite_tree"] = H.has_infinite_tree()
        if lower != upper:
            data |= {"lower": lower, "upper": finite_or_text(upper)}
            data |= {"lower_reason": found.lower_reason, "upper_reason": found.upper_reason}
        _print(data, {}, as_json, reason_to_stop(found.search) if found.search else "")
        if found.search and not found.search.timed_out:
            raise typer.Exit(130)
        return
    from littlestone.dimension import Certificate
    from littlestone.dimension.tables import PackedTable

    with reserve(certificate, CERTIFICATE) if certificate else nullcontext() as write:
        table, began = PackedTable.pack(H.values), time.monotonic()
        bounds, claims = solve(table, time_limit=time_limit, memory_limit=memory_limit), None
        if write is not None:
            left = None if time_limit is None else time_limit - (time.monotonic() - began)
            try:
                room = 0 if bounds.interrupted else in_bytes(memory_limit)
                proofs = Certificate.of(table, bounds, room=room, time_limit=left)
                if time_limit is not None and not proofs.claims and not bounds.interrupted:
                    late = time.monotonic() - began >= time_limit
                    bounds = replace(bounds, interrupted=late, timed_out=late)
            except KeyboardInterrupt:  # what is known stays known
                bounds = replace(bounds, interrupted=True)
                proofs = Certificate.of(table, bounds, room=0)
            claims = proofs.claims or None
            write(proofs.to_bytes())
    settled = bounds.lower == bounds.upper
    data = {
        "littlestone_dimension": bounds.lower if settled else None,
        "hypotheses": table.size,
        "points": table.points,
    }
    if not settled:
        data |= {"lower": bounds.lower, "upper": bounds.upper}
    if certificate is not None:
        data |= {"certificate": str(certificate), "claims": claims}
    names = {
        "hypotheses": [H.hypotheses[i] for i in table.names[:9]],
        "points": H.domain.points[:9],
    }
    _print(data, names, as_json, reason_to_stop(bounds))
    if bounds.interrupted and not bounds.timed_out:
        raise typer.Exit(130)


def certify(
    table: str,
    certificate: Path,
    as_json: bool = False,
) -> None:
    """Check a certificate against its table, without any search.

    The exit status is 0 if both bounds are proved, and 1 if one is not: because a proof fails, or
    because the solve was interrupted and left an upper bound without a proof.

    table FILE: The CSV or .npy table of 0s and 1s.
    certificate: A file that `littlestone dim FILE --certificate` wrote.
    """
    from littlestone.dimension import Certificate

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


def printable_number(number: int) -> int | str:
    """A number as text and JSON can hold it: Python writes at most 4,300 digits."""
    return number if number < 1 << _MOST_BITS else in_digits(number)


def solve(table: PackedTable, *, time_limit: float | None, memory_limit: float) -> Bounds:
    """`littlestone_bounds` with its progress on the terminal; ``memory_limit`` is in GiB."""
    from littlestone.dimension import Bounds, MistakeTree, littlestone_bounds

    try:
        with _show_progress() as progress:
            return littlestone_bounds(
                table,
                progress=progress,
                time_limit=time_limit,
                memory_limit=in_bytes(memory_limit),
            )
    except KeyboardInterrupt:  # before the search began: the bounds that counting gives
        tree = MistakeTree((), (int(table.names[0]),))
        return Bounds(0, table.size.bit_length() - 1, tree, interrupted=True)


def in_bytes(memory_limit: float) -> int:
    """A limit in GiB as bytes."""
    return int(min(memory_limit, 1 << 20) * (1 << 30))


def reason_to_stop(bounds: Bounds) -> str:
    """What stopped a solve, in words; empty if nothing stopped it."""
    if not bounds.interrupted:
        return ""
    return "interrupted by the time limit" if bounds.timed_out else "interrupted"


@contextmanager
def _show_progress() -> Iterator[Progress | None]:
    if not err.is_terminal:
        yield None
        return
    from rich.text import Text

    with err.console.status(Text("solving")) as status:

        def show(lower: int, upper: int, nodes: int, seconds: float) -> None:
            if lower == upper:
                status.update(Text(f"Littlestone dimension {lower}, writing its proof"))
            elif nodes:
                known = f"Littlestone dimension {lower}..{upper}"
                spaces = count_noun(nodes, "version space")
                status.update(Text(f"{known}   {spaces}   {seconds:.0f} s   Ctrl+C keeps this"))

        yield show


def _print(
    data: dict[str, Any], names: dict[str, Sequence[str]], as_json: bool, stopped: str = ""
) -> None:
    if as_json:
        print_json(data | ({"stopped": stopped} if stopped else {}))
        return
    dimension = data["littlestone_dimension"]
    if dimension is None:
        dimension = f"between {data['lower']} and {data['upper']}"
    if dimension == "inf":
        dimension = "infinite"
    out.print(f"Littlestone dimension {dimension}{f' ({stopped})' if stopped else ''}")
    # The names show how the file was read: which lines are names and which are labels.
    rows = [
        (key, f"{_digits(data[key])}{_list_names(names.get(key, ()))}")
        for key in ("hypotheses", "points")
    ]
    reasons = ((f"{end} bound", data.get(f"{end}_reason")) for end in ("lower", "upper"))
    rows += [(name, f"{data[name.split()[0]]}: {reason}") for name, reason in reasons if reason]
    if "infinite_tree" in data:
        bounded = "none infinite: mistakes end on every sequence, at no bound for all"
        rows.append(
            ("trees", f"of every depth, {'one infinite' if data['infinite_tree'] else bounded}")
        )
    if "certificate" in data:
        upper = "no proof of the upper bound"
        if data["claims"] is not None:
            upper = count_noun(data["claims"], "claim")
        rows.append(("certificate", f"{data['certificate']}: a shattered tree, {upper}"))
    print_pairs(rows)


def _digits(number: int | str) -> str:
    return number if isinstance(number, str) else f"{number:,}"


def _list_names(names: Sequence[str]) -> str:
    if not names:
        return ""
    return f" ({', '.join(names[:8])}{', ...' if len(names) > 8 else ''})"
