"""``littlestone theory optimum``: nothing else says how well any private learner could do."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from littlestone.cli.classes import class_or_file
from littlestone.cli.console import bar, count_noun, out, print_json
from littlestone.cli.options import REQUIRED
from littlestone.learn.declared.declaring import open_schema
from littlestone.privacy import Budget
from littlestone.theory.optimum import Task, best, rows_of


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
    epsilon: The privacy loss, from 0.01 to 10.
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
