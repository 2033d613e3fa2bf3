"""``littlestone plan --labels``: how many records a class of several labels takes."""

from __future__ import annotations

from typing import Any

from rich.text import Text

from littlestone.classes import HypothesisClass
from littlestone.cli.console import cost_json, err, out, print_json, print_pairs, print_table
from littlestone.learners.base import Bound
from littlestone.planning.multiclass import MulticlassRow, formulas, multiclass_plan
from littlestone.privacy.budget import Budget
from littlestone.report.fit import rounded_up


def plan_labels(
    H: HypothesisClass[Any],
    epsilon: str,
    delta: str,
    alpha: float,
    beta: float,
    n: int | None,
    *,
    as_json: bool,
) -> None:
    """Print the sizes of all learners of H, and with n records the error that is proved."""
    budget = Budget(epsilon, delta)
    goal: dict[str, Any] = {"budget": budget, "alpha": alpha, "beta": beta}
    with err.status(Text("planning")):
        rows = multiclass_plan(H, **goal)
        papers = formulas(H, **goal)
        errors = {row.method: row.error(n, beta) for row in rows} if n is not None else {}
    applying = [row for row in rows if row.learner is not None]
    if as_json:
        print_json(
            {
                "class": str(H),
                "labels": H.labels,
                **cost_json(budget.cost),
                "alpha": alpha,
                "beta": beta,
                "methods": [_json(row) for row in applying],
                "does_not_apply": {row.method: row.reason for row in rows if row.reason},
                "formulas": [{"n": bound.n, "source": bound.source} for bound in papers],
                **({} if n is None else {"n": n, "at_n": errors}),
            }
        )
        return
    out.print(
        f"Records for error {100 * alpha:g}% with probability {100 * (1 - beta):g}%, {budget.cost}"
    )
    headings = ["method", "bits by", "proved, clean labels", "formula"]
    if n is not None:
        headings.append(f"proved error with {n:,} records")
    cells = [
        [row.method, row.binary(), size(row.bound), size(row.paper)]
        + ([] if n is None else [_error(errors[row.method])])
        for row in applying
    ]
    print_table(headings, cells)
    notes = [(row.method, row.learner.reservation) for row in applying if row.learner]
    notes = [(method, reservation) for method, reservation in notes if reservation]
    notes += [(f"{row.method}, formula", row.paper.source) for row in applying if row.paper]
    notes += [(row.method, f"does not apply: {row.reason}") for row in rows if row.reason]
    notes += [(f"{size(bound)} records", bound.source) for bound in papers]
    print_pairs(notes, title="Notes")


def _json(row: MulticlassRow) -> dict[str, Any]:
    known = {"proved_realizable": row.bound, "formula": row.paper}
    sizes = {
        name: bound and {"n": bound.n, "source": bound.source} for name, bound in known.items()
    }
    return {"method": row.method, "bits_by": row.binary(), **sizes}


def _error(alpha: float | None) -> str:
    return "-" if alpha is None else f"{rounded_up(100 * alpha)}%"


def size(bound: Bound | None) -> str:
    """A number of records; beyond a million millions, its first digits.

    >>> size(None), size(Bound(10**15 + 1, 0.1, 0.05, "realizable", True, ""))
    ('-', '1e+15')
    """
    if bound is None:
        return "-"
    return f"{bound.n:,}" if bound.n < 10**12 else f"{bound.n:.3g}"
