"""``littlestone fit`` and ``subgroup``: nothing else releases a rule, or a group, from a table."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import NamedTuple

import typer

from littlestone.base.errors import LittlestoneError, visible_json
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
from littlestone.learn.declared.advice import without_range
from littlestone.learn.declared.declaration import Declaration
from littlestone.learn.declared.declaring import OPTIONS
from littlestone.learn.declared.task import Task
from littlestone.learn.results.accuracy import Group
from littlestone.points.columns import columns_of
from littlestone.privacy.cost import PrivacyCost, decimal_text
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.ledger.counts import UNBOUNDED
from littlestone.privacy.ledger.file import no_directory
from littlestone.privacy.randomness import generator
from littlestone.show.files import (
    MODEL,
    deliver,
    hold_interrupts,
    require_different,
    reserve,
    why_kept,
)
from littlestone.show.words import brief, budget, guarantee_rows, label_rows, rows_of_group, warning


class Run(NamedTuple):
    """What is asked of one run, beside what is declared."""

    source: str
    sheet: str | None = None
    ledger: str = DEFAULT_LEDGER
    dataset: str | None = None
    dry_run: bool = False
    out: Path | None = None
    replace: bool = False
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
    release_task(declaration, run, guarantee_rows, declared.schema, explain=explain)


def release_task(
    declaration: Declaration,
    run: Run,
    rows_of: Callable[[Release], list[tuple[str, str]]],
    schema: Path | None,
    *,
    explain: bool = False,
) -> None:
    """Learn what is declared from the table of the run, and print the release as rows or JSON.

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
    if run.out is None and not as_json:  # what --json prints is a model
        err.print("without --out no model is kept: what is printed is all that you get")
    if methods and not as_json:
        print_pairs(methods, title="Methods for this class")
    more: dict[str, object] = {"methods": [": ".join(row) for row in methods]} if methods else {}
    if run.dry_run:
        more |= dict(row_of_class(task))
        _preview(task, data.name, run, more=more)
        return
    rng, out = generator(run.seed), run.out
    with (
        nullcontext() if out is None else reserve(out, MODEL, replace=run.replace) as write,
        Ledger(ledger, create=True) as book,
        hold_interrupts(book, name=ledger_name(ledger, book)),
    ):
        with bar("reading the table"):
            sample, hint = task.read_noted(data, book, refuse_blank=evaluate, rng=rng)
        task = task.for_records(sample.n)
        if hint is not None:
            err.print(hint)
        # No bar: it could show how long the draw takes, and fail after the spend.
        release = task.fit(sample, ledger=book, dataset=data.name, rng=rng)
        # From here on the release is paid for, so it is kept whatever fails.
        model = visible_json(release.to_json(), indent=2) + "\n"
        shown = ledger_name(ledger, book)

        def show(written: bool) -> None:
            if as_json:
                fields = {**release.to_json(), **more}
                try:
                    if evaluate:
                        fields["evaluation"] = task.evaluate(release, sample).to_json()
                finally:
                    print_json(fields)
                if told := new_ledger(shown, book, release.total, release.limit):
                    err.print(told)
                return
            rows = [*rows_of(release), ("method", task.why)]
            rows.append(row_of_ledger(ledger, book, release.total, release.limit))
            if written:
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


def row_of_ledger(
    text: str, book: Ledger, total: PrivacyCost | None, limit: PrivacyCost | None
) -> tuple[str, str]:
    """What a data set has spent after a draw, in the ledger that is given as ``text``, as a row."""
    shown = ledger_name(text, book)
    told = new_ledger(shown, book, total, limit)
    return "ledger", told or f"{budget(total, limit)} ({shown})"


DIVIDED = "; the parts of epsilon depend on how many records there are"


def row_of_class(task: Task) -> list[tuple[str, str]]:
    """Which class was taken and why, if none was given, as a row."""
    return [("class taken", task.taken)] if task.taken else []


def _preview(task: Task, dataset: str, run: Run, *, more: dict[str, object]) -> None:
    """Print what a fit would cost, with status 1 if it would be refused.  Creates no ledger."""
    event, method, missing = task.event, task.learner.method, no_ledger(run.ledger)
    shape = label_rows(task.declaration.label, task.learner.hypotheses)
    coarse = without_range(columns_of(task.learner.hypotheses.domain))
    # How many records there are is not known yet, so what may be spent at most is shown.
    most, later = task.later()
    with Ledger() if missing else Ledger(run.ledger, create=False) as book:
        preview = book.preview(most, dataset=dataset)
        shown = ledger_name(run.ledger, book)
    errors: list[LittlestoneError] = []
    where = shown
    if missing:
        where += ", which does not exist"
        if error := no_directory(run.ledger):
            errors.append(error)
        else:
            where += ": a fit would make it"
    if preview.is_refused:
        errors.append(preview.refusal(f"spend {preview.cost}", dataset))
    if run.out is not None and (kept := why_kept(run.out, MODEL, replace=run.replace)):
        errors.append(kept)
    if run.as_json:
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
        parts = {what: decimal_text(epsilon) for what, epsilon in task.parts_of_epsilon.items()}
        refused = {"refused": bool(errors), "why": [str(error) for error in errors]}
        print_json({"dry run": True, **refused, **known, "parts": parts})
    else:
        rows = [
            *shape,
            *row_of_class(task),
            *([("no range", coarse)] if coarse else []),
            ("method", f"{method}; {later}" if later else method),
            (
                "mechanism",
                brief(str(event), event.cost()) + (DIVIDED if task.divides_by_records else ""),
            ),
            ("cost", f"{'' if preview.cost == event.cost() else 'at most '}{preview.cost}"),
            *_row_of_parts(task),
            ("now", f"{budget(preview.before, preview.limit)} ({where})"),
            (
                "after",
                f"{preview.after or UNBOUNDED}"
                + (
                    f": WOULD BE REFUSED for {' and '.join(preview.excess)}"
                    if preview.excess
                    else ""
                ),
            ),
            *(
                row
                for error in errors
                for row in (("refused", f"cannot {error.asked}: {error.found}"), ("fix", error.fix))
            ),
        ]
        print_pairs(rows, title="Dry run: nothing is spent or drawn")
    if errors:
        raise typer.Exit(1)


def _row_of_parts(task: Task) -> list[tuple[str, str]]:
    """What the epsilon pays for, as a row, if that is more than one thing."""
    told = [
        f"{decimal_text(epsilon)} for {what}" for what, epsilon in task.parts_of_epsilon.items()
    ]
    return [("parts", f"epsilon {', '.join(told)}")] if told[1:] else []


def subgroup(
    *,
    hypotheses: str | None = None,
    above: str | None = None,
    epsilon: str | None = None,
    declared: DeclaredOptions,
    estimate: str | None = None,
    method: str = "auto",
    run: Run,
) -> None:
    """Find the group of records in TABLE with the highest rate, with differential privacy.

    The command draws a group of CLASS with nearly the most positives beyond a share ABOVE of its
    records.
    It estimates the size and the rate of the group under the same budget, by one entry of the ledger.

    hypotheses --class: The groups, such as 'rules(carrier, origin; at most 2)'. With a schema it
        may be left out.
    above: The rate above which a group counts, such as 0.3 or 1/3.
    epsilon: The privacy loss in all, greater than 0, such as 1.
    estimate: The part of epsilon for the size and the rate; by default a tenth.
    method: auto, or a method that `littlestone plan CLASS --cost 5:1` lists.
    """
    declaration = Declaration.parse(
        hypotheses=hypotheses,
        group=True,
        above=above,
        epsilon=epsilon,
        method=method,
        estimate=estimate,
        examples=OPTIONS,
        **declared._asdict(),
    )
    release_task(declaration, run, _rows, declared.schema)


def _rows(release: Release) -> list[tuple[str, str]]:
    return [*rows_of_group(Group(release)), ("accuracy", release.accuracy), *warning(release)]
