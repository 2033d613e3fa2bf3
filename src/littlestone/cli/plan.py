"""``littlestone plan``: nothing else tells how many records to collect before there are any."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from littlestone.cli.classes import class_or_file
from littlestone.cli.console import (
    bar,
    cost_json,
    count_noun,
    out,
    print_json,
    print_pairs,
    print_table,
)
from littlestone.cli.options import REQUIRED
from littlestone.learn.base import Bound
from littlestone.learn.declared.declaring import open_schema
from littlestone.learn.plan import AtN, Plan, Row, StatedSize, StreamPlan, plan_stream
from littlestone.learn.plan import plan as planned
from littlestone.learn.plan.choice import refusals
from littlestone.learn.plan.sizes import in_digits
from littlestone.learn.results.accuracy import round_up
from littlestone.privacy.cost import Budget
from littlestone.privacy.mistakes import parse_costs

_TUNED = "*"


def plan(
    what: str,
    epsilon: Annotated[str, REQUIRED],
    delta: str = "0",
    alpha: float = 0.1,
    beta: float = 0.05,
    horizon: Annotated[int | None, typer.Option(min=1)] = None,
    n: Annotated[int | None, typer.Option(min=1)] = None,
    labels: str | None = None,
    cost: str | None = None,
    schema: Path | None = None,
    as_json: bool = False,
) -> None:
    """Print how many records each learner of CLASS needs, and lower bounds for all learners.

    Proved sizes are theorems.  Calibrated sizes were fitted to simulations.  What papers state is
    shown with 1 for every O().  With --cost, the error is the mean cost of a record in units of the
    larger cost.  With --labels, CLASS has several labels or is a table of label numbers.  With
    --horizon, print how many mistakes each online learner makes.  No data are read.

    what CLASS: A class, such as 'subsets(merchant; at most 3)', or a table of 0s and 1s.
    epsilon: The privacy loss, greater than 0, such as 1.
    delta: The delta you allow, such as 1e-6.
    alpha: The error you allow, as a share of records.
    beta: The probability with which it may be larger.
    horizon: Plan a stream of this many records: mistakes instead of sizes.
    n: Also show what each method does with this many records.
    labels: Names of several labels, such as 'on time,late,cancelled'.
    """
    H = class_or_file(what, labels, open_schema(schema))
    if horizon is not None:
        if n is not None or cost is not None:
            raise typer.BadParameter("leave out --n and --cost", param_hint="--horizon")
        _stream(plan_stream(H, Budget(epsilon, delta), horizon=horizon), as_json)
        return
    with bar("planning"):
        goal: dict[str, Any] = {"alpha": alpha, "beta": beta, "mistakes": parse_costs(cost)}
        found = planned(H, Budget(epsilon, delta), **goal)
        promises = [] if n is None else found.at(n)
    if as_json:
        print_json(_json(found, n, promises))
        return
    out.print(f"Records for {found.goal}, {found.cost}")
    headings = ["method", "proved, clean labels", "any labels", "calibrated"]
    if found.rows:
        print_table(headings, [_cells(row) for row in found.rows])
    else:
        out.print(
            "no method applies"
            + ("" if found.cost.delta else "; many need a delta above 0: --delta 1e-6")
        )
    if any(row.tuned for row in found.rows):
        out.print(f"{_TUNED} with other parameters than `fit` uses")
    notes = [(row.method, row.learner.detail) for row in found.rows if row.learner.detail]
    notes += [(row.method, f"any labels: above {row.versus}") for row in found.rows if row.versus]
    notes += [(row.method, str(row.learner.caveat)) for row in found.rows if row.learner.caveat]
    notes += [(row.method, row.calibrated.describe()) for row in found.rows if row.calibrated]
    notes += [(row.method, _few(least)) for row in found.rows if (least := row.least_records)]
    notes += [("does not apply", reason) for reason in refusals(found.excluded)]
    _print_notes("Notes", notes)
    _print_theorems("Records that papers state, for the same error and probability", found.formulas)
    if found.lower:
        rows = [(bound.learners, f"{bound.n:,} records at least") for bound in found.lower]
        print_pairs(rows, title="Lower bounds, clean labels")
    if n is not None and found.rows:
        headings = [
            "method",
            "proved error, clean labels",
            "any labels",
            f"calibrated for {alpha:g}",
        ]
        out.print(f"With {count_noun(n, 'record')}", style="bold")
        print_table(headings, [_promise(row) for row in promises])
        out.print(f"of this class `fit` takes {found.method_for(n)}, if no --method is given")
        print_pairs([(row.method, row.refused) for row in promises if row.refused])
        if (hint := found.too_few(n)) is not None:
            out.print(hint)


def _print_theorems(title: str, formulas: Sequence[StatedSize]) -> None:
    """The theorems of papers: each column of numbers has one convention, which its heading says."""
    if not formulas:
        return
    out.print(title, style="bold")
    headings = ["theorem", "labels", "1 for O() and O~(), ln", "constants of its proof"]
    labels = {"realizable": "clean", "agnostic": "any"}
    rows = [
        (found.theorem, labels[found.setting], in_digits(found.at_one), in_digits(found.proof))
        for found in formulas
    ]
    print_table(headings, rows, indent=2)


def _stream(found: StreamPlan, as_json: bool) -> None:
    """The mistakes on a stream that some rule of the class fits."""
    if as_json:
        rows = [
            {
                "method": row.learner.method,
                "proved": row.proved_bound and vars(row.proved_bound),
                "simulated": row.measured,
                "baseline": row.learner.baseline,
            }
            for row in found.rows
        ]
        print_json(
            {
                "class": found.hypotheses,
                **cost_json(found.cost),
                "horizon": found.horizon,
                "methods": rows,
                "does_not_apply": found.excluded,
                "lower_bounds": [vars(bound) for bound in found.lower],
                "formulas": [vars(stated) for stated in found.formulas],
            }
        )
        return
    steps = count_noun(found.horizon, "step")
    out.print(f"Mistakes on clean labels in {steps}, {found.cost}")
    print_table(
        ["method", "proved, with 95%", "on streams that react", "in simulations"],
        [
            (
                row.learner.method,
                in_digits(None if row.proved_bound is None else row.proved_bound.mistakes),
                "-" if row.proved_bound is None else "yes" if row.proved_bound.adaptive else "no",
                in_digits(row.measured if (row.measured or 0) < found.horizon else None),
            )
            for row in found.rows
        ],
    )
    _print_theorems(
        "Mistakes that papers state, with probability 1 - T^-10, on streams that do not react",
        found.formulas,
    )
    lower = [(b.learners, f"{count_noun(b.mistakes, 'mistake')} at least") for b in found.lower]
    if lower:
        print_pairs(lower, title="Lower bounds with 95%, clean labels")
    _print_notes("Do not apply", found.excluded.items())


def _print_notes(title: str, notes: Iterable[tuple[str, str]]) -> None:
    """Each note once, with the names of all methods that it is about."""
    about: dict[str, list[str]] = {}
    for name, note in notes:
        about.setdefault(note, []).append(name)
    if about:
        print_pairs([(", ".join(names), note) for note, names in about.items()], title=title)


def _few(least: int) -> str:
    return f"below about {least:,} records, seldom better than the more frequent label (measured)"


def _cells(row: Row) -> list[str]:
    realizable = show_size(row.realizable) if row.tuned is None else show_size(row.tuned) + _TUNED
    calibrated = "-" if row.calibrated is None else f"{row.calibrated.n:,}"
    agnostic = show_size(row.agnostic)
    if row.agnostic is None and row.tuned_agnostic is not None:
        agnostic = show_size(row.tuned_agnostic) + _TUNED
    return [row.method, realizable, agnostic, calibrated]


def _promise(row: AtN) -> list[str]:
    known = {None: "-", True: "yes", False: "no"}[row.calibrated]
    return [row.method, _error(row.realizable), _error(row.agnostic), known]


def _error(alpha: float | None) -> str:
    return "-" if alpha is None else f"{round_up(100 * alpha)}%"


def _json(found: Plan, n: int | None, promises: list[AtN]) -> dict[str, Any]:
    methods = []
    for row in found.rows:
        simulated = row.calibrated
        methods.append(
            {
                "method": row.method,
                "proved_realizable": _bound(row.realizable),
                "proved_agnostic": _bound(row.agnostic),
                "proved_realizable_with_other_parameters": _bound(row.tuned),
                "proved_agnostic_with_other_parameters": _bound(row.tuned_agnostic),
                "calibrated": simulated
                and {"n": simulated.n, "worst": simulated.worst, "runs": simulated.runs}
                | {"profiles": dict(simulated.profiles), "command": simulated.command}
                | ({"between": list(simulated.between)} if simulated.between else {}),
                "too_few_below": row.least_records,
                "detail": row.learner.detail or None,
                "caveat": row.learner.caveat and str(row.learner.caveat),
            }
        )
    data: dict[str, Any] = {
        "class": found.hypotheses,
        **cost_json(found.cost),
        "alpha": found.alpha,
        "beta": found.beta,
        "costs": found.mistakes and found.mistakes.to_json(),
        "methods": methods,
        "does_not_apply": {c.method: c.reason for c in found.excluded},
        "lower_bounds": [vars(bound) for bound in found.lower],
        "formulas": [vars(stated) for stated in found.formulas],
    }
    if n is not None:
        data |= {"n": n, "at_n": [vars(row) for row in promises], "too_few": found.too_few(n)}
        data["taken"] = found.method_for(n)
    return data


def _bound(bound: Bound | None) -> dict[str, Any] | None:
    if bound is None:
        return None
    found: dict[str, Any] = {"n": bound.n, "source": bound.source}
    return {**found, "versus": bound.versus} if bound.versus else found


def show_size(bound: Bound | None) -> str:
    """The number of records of a bound.

    >>> show_size(None), show_size(Bound(1500, 0.1, 0.05, "realizable", ""))
    ('-', '1,500')
    """
    return in_digits(None if bound is None else bound.n)
