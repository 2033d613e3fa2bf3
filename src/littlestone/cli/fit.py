"""``littlestone fit``: nothing else learns one rule from a whole table."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import NamedTuple

import typer

from littlestone.base.errors import visible_json
from littlestone.cli.console import bar, cost_json, err, print_json, print_pairs
from littlestone.cli.console import out as console
from littlestone.cli.options import (
    DEFAULT_LEDGER,
    DeclaredOptions,
    files_of,
    ledger_name,
    new_ledger,
    no_ledger,
)
from littlestone.data.opening import file_of
from littlestone.learn import Release
from littlestone.learn.declared.declaration import Declaration
from littlestone.learn.declared.declaring import OPTIONS
from littlestone.learn.declared.task import Task
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.ledger.counts import UNBOUNDED
from littlestone.privacy.randomness import generator
from littlestone.show.files import MODEL, deliver, hold_interrupts, require_different, reserve
from littlestone.show.words import brief, budget, guarantee_rows, label_rows


class Run(NamedTuple):
    """What is asked of one run, beside what is declared."""

    source: str
    sheet: str | None = None
    ledger: str = DEFAULT_LEDGER
    dataset: str | None = None
    dry_run: bool = False
    out: Path | None = None
    as_json: bool = False
    evaluate: bool = False
    seed: int | None = None


def fit(
    *,
    hypotheses: list[str] | None = None,
    epsilon: str | None = None,
    declared: DeclaredOptions,
    labels: str | None = None,
    default: str | None = None,
    method: str = "auto",
    setting: str = "agnostic",
    estimate: str | None = None,
    risk: bool = False,
    cost: str | None = None,
    explain: bool = False,
    run: Run,
) -> None:
    """Learn a rule that predicts labels from TABLE, with differential privacy.

    The command prints and writes the private release only, unless you give --evaluate.
    The cost is recorded in the ledger before anything is drawn.

    hypotheses --class CLASS: The class, such as 'thresholds(dep_delay, -60..1440)'. If you give
        several, one draw compares the rules of all, at the cost of one fit. With a schema it may be
        left out.
    epsilon: The privacy loss, greater than 0, such as 1.
    positive: The values that count as 1: HA, '> 15' or 'in {HA, AA}'; or give --labels.
    labels: The labels to predict: AA,UA,DL; or give --positive.
    default: One of --labels, for all other values; by default the first.
    method: auto, or a method that `littlestone plan` lists.
    setting: For --method auto: agnostic, or realizable if no label is wrong.
    estimate: Spend this much more epsilon on precision, recall, error and unread cells.
    risk: Spend a part of epsilon on the risk at each place of the rule.
    explain: Add what is known of every method for this class.
    """
    declaration = Declaration.parse(
        hypotheses=hypotheses or None,
        epsilon=epsilon,
        labels=labels,
        default=default,
        method=method,
        setting=setting,
        estimate=estimate,
        risk=risk,
        cost=cost,
        examples=OPTIONS,
        **declared._asdict(),
    )
    form = Form(guarantee_rows, Release.to_json)
    release_task(declaration, run, form, declared.schema, explain=explain)


class Form(NamedTuple):
    """How a command shows a release: its rows, and its JSON."""

    rows: Callable[[Release], list[tuple[str, str]]]
    fields: Callable[[Release], dict[str, object]]


def release_task(
    declaration: Declaration, run: Run, form: Form, schema: Path | None, *, explain: bool = False
) -> None:
    """Learn what is declared from the table of the run, and print the release in its ``form``.

    With ``explain`` it also says what is known of every method.
    """
    with bar("choosing a method"):
        task = Task.choose(declaration)
        methods = task.methods() if explain else []
    ledger, as_json, evaluate = run.ledger, run.as_json, run.evaluate
    require_different(
        {
            "the table": [file_of(run.source)],
            "the schema": [schema],
            "the ledger": files_of(ledger),
            "--out": [run.out],
        }
    )
    data = task.declaration.open(run.source, run.dataset, run.sheet)
    if methods and not as_json:
        print_pairs(methods, title="Methods for this class")
    more: dict[str, object] = {"methods": [": ".join(row) for row in methods]} if methods else {}
    if run.dry_run:
        more |= dict(row_of_class(task))
        _preview(task, data.name, ledger, as_json=as_json, more=more)
        return
    rng, out = generator(run.seed), run.out
    with (
        reserve(out, MODEL) if out is not None else nullcontext() as write,
        Ledger(ledger, create=True) as book,
        hold_interrupts(book, name=ledger_name(ledger, book)),
    ):
        with bar("reading the table"):
            sample, hint = task.read_noted(data, book, refuse_blank=evaluate, rng=rng)
        task = task.for_records(sample.n)
        shown = ledger_name(ledger, book)
        if hint is not None:
            err.print(hint)
        if as_json and book.is_new:
            err.print(new_ledger(shown))
        # No bar: it could show how long the draw takes, and fail after the spend.
        release = task.fit(sample, ledger=book, dataset=data.name, rng=rng)
        # From here on the release is paid for, so it is kept whatever fails.
        model = visible_json(release.to_json(), indent=2) + "\n"

        def show() -> None:
            if as_json:
                fields = {**form.fields(release), **more}
                try:
                    if evaluate:
                        fields["evaluation"] = task.evaluate(release, sample).to_json()
                finally:
                    print_json(fields)
                return
            rows = [*form.rows(release), ("method", task.why)]
            spent = f"{budget(release.total, release.limit)} ({shown})"
            if book.is_new and release.total is not None:
                spent = new_ledger(shown, release.total)
            rows.append(("ledger", spent))
            if out is not None:
                rows.append(("model", str(out)))
            title = "Private release" if release.private else "Simulated release: NOT PRIVATE"
            print_pairs(rows, title=title)
            # What draws one takes long to load.
            if type(release.hypothesis).__name__ in ("DecisionTree", "ScoreSheet"):
                from littlestone.show.tree import print_rule

                print_rule(release, console.print)
            if evaluate:
                title = "\nEvaluation: NOT PRIVATE, not part of the release"
                print_pairs(task.evaluate(release, sample).rows(), title=title)

        deliver(model, write=write, show=show)


DIVIDED = "; the parts of epsilon depend on how many records there are"


def row_of_class(task: Task) -> list[tuple[str, str]]:
    """Which class was taken and why, if none was given, as a row."""
    return [("class taken", task.taken)] if task.taken else []


def _preview(
    task: Task, dataset: str, ledger: str, *, as_json: bool, more: dict[str, object]
) -> None:
    """Print what a fit would cost, with status 1 if it would be refused.  Creates no ledger."""
    event, method, missing = task.event, task.learner.method, no_ledger(ledger)
    shape = label_rows(task.declaration.label, task.learner.hypotheses)
    # How many records there are is not known yet, so what may be spent at most is shown.
    most, later = task.later()
    with Ledger() if missing else Ledger(ledger, create=False) as book:
        preview = book.preview(most.event, dataset=dataset)
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
        if later:
            named["later"] = later
        known = {"ledger exists": not missing, **named, **data, **dict(shape), **more}
        print_json({"dry run": True, "refused": preview.is_refused, **known})
    else:
        rows = [
            *shape,
            *row_of_class(task),
            ("method", f"{method}; {later}" if later else method),
            ("mechanism", brief(str(event)) + (DIVIDED if task.divides_by_records else "")),
            ("cost", f"{'' if preview.cost == event.cost() else 'at most '}{preview.cost}"),
            (
                "now",
                f"{budget(preview.before, preview.limit)} ({shown}"
                + (", which does not exist: a fit would make it)" if missing else ")"),
            ),
            (
                "after",
                f"{preview.after or UNBOUNDED}"
                + (
                    f": WOULD BE REFUSED for {' and '.join(preview.excess)}"
                    if preview.excess
                    else ""
                ),
            ),
        ]
        print_pairs(rows, title="Dry run: nothing is spent or drawn")
    if preview.is_refused:
        raise typer.Exit(1)
