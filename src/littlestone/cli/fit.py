"""``littlestone fit``: from a table to a private rule."""

from __future__ import annotations

import os
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, cast

import typer

from littlestone.cli.arguments import (
    DEFAULT_LEDGER,
    LedgerOption,
    files_of,
    ledger_name,
)
from littlestone.cli.console import cost_json, err, print_json, print_pairs
from littlestone.data import Label
from littlestone.learners.base import Setting
from littlestone.planning.choice import explained
from littlestone.privacy.budget import Budget
from littlestone.privacy.event import Event
from littlestone.privacy.ledger import Ledger, is_address
from littlestone.privacy.randomness import seeded_generator, system_generator
from littlestone.report.delivery import delivered
from littlestone.report.files import MODEL, require_different, reserved
from littlestone.report.fit import accuracy, budget, guarantee
from littlestone.tasks import Task
from littlestone.visible import visible_json


def fit(
    table: Annotated[
        Path,
        typer.Argument(
            help="A CSV (.csv, .csv.gz, .csv.zip) or Parquet file. In CSV, an unclosed quote joins "
            "lines into one record."
        ),
    ],
    target: Annotated[str, typer.Option(help="The column that holds the label.")],
    hypotheses: Annotated[
        str, typer.Option("--class", help="The class, such as 'thresholds(dep_delay, -60..1440)'.")
    ],
    epsilon: Annotated[str, typer.Option(help="The privacy loss, greater than 0, such as 1.")],
    positive: Annotated[
        str | None,
        typer.Option(help="The values that count as 1: HA, or '> 15'; or give --labels."),
    ] = None,
    labels: Annotated[
        str | None, typer.Option(help="The labels to predict: AA,UA,DL; or give --positive.")
    ] = None,
    default: Annotated[
        str | None,
        typer.Option(help="One of --labels, for all other values; by default the first."),
    ] = None,
    delta: Annotated[
        str, typer.Option(help="The delta you allow, such as 1e-6; some classes need one.")
    ] = "0",
    method: Annotated[
        str,
        typer.Option(help="auto, or a method that `littlestone plan` lists."),
    ] = "auto",
    setting: Annotated[
        str,
        typer.Option(help="For --method auto: agnostic, or realizable if no label is wrong."),
    ] = "agnostic",
    estimate: Annotated[
        str | None,
        typer.Option(
            help="Spend this much more epsilon on estimates of precision, recall and error."
        ),
    ] = None,
    ledger: LedgerOption = DEFAULT_LEDGER,
    dataset: Annotated[
        str | None,
        typer.Option(help="The data set's name in the ledger; by default the table's full path."),
    ] = None,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Show the cost only: no record is read, nothing is spent."),
    ] = False,
    out: Annotated[Path | None, typer.Option(help="Where to write the model, as JSON.")] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Add what is known of every method for this class.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
    evaluate: Annotated[
        bool, typer.Option("--evaluate", help="Add figures that depend on the data: NOT PRIVATE.")
    ] = False,
    seed: Annotated[
        int | None, typer.Option(help="Draw from a seeded generator: a simulation, NOT PRIVATE.")
    ] = None,
) -> None:
    """Learn a rule that predicts labels from TABLE, with differential privacy.

    The command prints and writes the private release only, unless you give --evaluate.
    The cost is recorded in the ledger before anything is drawn.
    """
    if positive is None and labels is None:
        raise typer.BadParameter(
            "say what is positive, or which --labels there are", param_hint="--positive"
        )
    allowed = Budget(epsilon, delta)
    task = Task.declared(
        Label.parse(target, positive, labels=labels, default=default),
        hypotheses,
        allowed,
        method=method,
        setting=cast(Setting, setting),
        estimate=estimate,
    )
    learner = task.learner
    known = (
        explained(learner.hypotheses, allowed, setting=cast(Setting, setting)) if explain else []
    )
    methods: dict[str, object] = {"methods": [": ".join(pair) for pair in known]} if explain else {}
    require_different({"the table": [table], "the ledger": files_of(ledger), "--out": [out]})
    data = task.open(table, dataset)
    if explain and not as_json:
        print_pairs(known, title="Methods for this class")
    if dry_run:
        _preview(task.event, learner.method, data.name, ledger, as_json=as_json, more=methods)
        return
    rng = system_generator() if seed is None else seeded_generator(seed)
    new = not is_address(ledger) and not os.path.exists(ledger)
    with (
        reserved(out, MODEL) if out is not None else nullcontext() as write,
        Ledger(ledger) as book,
    ):
        sample, hint = task.read_noted(data, book, refuse_blank=evaluate)
        promised, shown = accuracy(learner, sample.n), ledger_name(ledger, book)
        if hint is not None:
            err.print(hint)
        release = task.fit(sample, ledger=book, dataset=data.name, rng=rng)
        # From here on the release is paid for, so it is kept whatever fails.
        model = visible_json(release.to_json(), indent=2) + "\n"

        def show() -> None:
            if as_json:
                fields = {**release.to_json(), **methods}
                try:
                    if evaluate:
                        fields["evaluation"] = task.evaluate(release, sample).to_json()
                finally:
                    print_json(fields)
                return
            rows = [*guarantee(release, promised), ("method", task.why)]
            if release.total is not None:
                spent = f"{budget(release.total, release.limit)} ({shown})"
                rows.append(
                    ("ledger", spent + (", made now: it knows of nothing earlier" if new else ""))
                )
            if out is not None:
                rows.append(("model", str(out)))
            title = "Private release" if release.private else "Simulated release: NOT PRIVATE"
            print_pairs(rows, title=title)
            if evaluate:
                title = "\nEvaluation: NOT PRIVATE, not part of the release"
                print_pairs(task.evaluate(release, sample).rows(), title=title)

        delivered(model, write=write, show=show)


def _preview(
    event: Event,
    method: str,
    dataset: str,
    ledger: str,
    *,
    as_json: bool,
    more: dict[str, object],
) -> None:
    """Print what a fit would cost, with status 1 if it would be refused.  Creates no ledger."""
    missing = not is_address(ledger) and not os.path.exists(ledger)
    with Ledger() if missing else Ledger(ledger, create=False) as book:
        preview = book.preview(event, dataset=dataset)
        shown = ledger_name(ledger, book)
    if as_json:
        costs = {
            "cost": preview.cost,
            "before": preview.before,
            "after": preview.after,
            "limit": preview.limit,
        }
        data = {name: cost and cost_json(cost) for name, cost in costs.items()}
        named = {"method": method, "mechanism": str(event)}
        print_json({"dry run": True, "refused": preview.refused, **named, **data, **more})
    else:
        rows = [
            ("method", method),
            ("mechanism", str(event)),
            ("cost", str(preview.cost)),
            ("now", f"{budget(preview.before, preview.limit)} ({shown})"),
            ("after", f"{preview.after}" + (": WOULD BE REFUSED" if preview.refused else "")),
        ]
        print_pairs(rows, title="Dry run: nothing is spent or drawn")
    if preview.refused:
        raise typer.Exit(1)
