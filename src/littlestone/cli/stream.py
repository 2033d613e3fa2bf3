"""``littlestone stream``: a private rule at every step of a stream, with one budget."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import nullcontext
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import typer

from littlestone.cli.arguments import (
    DEFAULT_LEDGER,
    MADE,
    LedgerOption,
    MultilineOption,
    SchemaOption,
    SeparatorOption,
    files_of,
    label_from,
    ledger_name,
)
from littlestone.cli.console import cost_json, err
from littlestone.data import CsvStream, Label, Table, open_table
from littlestone.data.fitting import require_fit
from littlestone.data.naming import open_dataset
from littlestone.data.opening import refuse_database
from littlestone.data.schema import opened_schema
from littlestone.data.tables import SPANNING
from littlestone.errors import DeclarationError, TableError
from littlestone.learners.online import (
    DurableStream,
    PrivateOnlineLearner,
    PrivateStream,
    durable_run,
    online_choice,
)
from littlestone.learners.online.state import lock_of
from littlestone.pictures.figures import picture_kind, require_matplotlib
from littlestone.pictures.stream import Mistakes, Publication, figure
from littlestone.privacy.budget import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.randomness import seeded_generator, system_generator
from littlestone.report.files import FIGURES, require_different, reserved
from littlestone.tasks import declared_class, refuse_as_feature
from littlestone.visible import visible_json

PIPE = "-"


def stream(
    table: Annotated[
        str,
        typer.Argument(help="A CSV (.csv or .tsv) or Parquet file, or - for CSV from a pipe."),
    ],
    hypotheses: Annotated[
        str, typer.Option("--class", help="The class, such as 'subsets(device; at most 3)'.")
    ],
    horizon: Annotated[int, typer.Option(help="The most records to learn from, over all calls.")],
    epsilon: Annotated[
        str, typer.Option(help="The privacy loss of all steps together, such as 1.")
    ],
    target: Annotated[
        str | None,
        typer.Option(help="The column that holds the label; by default that of the schema."),
    ] = None,
    positive: Annotated[
        str | None, typer.Option(help="The values that count as 1: HA, '> 15' or 'in {HA, AA}'.")
    ] = None,
    schema: SchemaOption = None,
    delta: Annotated[str, typer.Option(help="The delta you allow, such as 1e-6.")] = "0",
    method: Annotated[
        str,
        typer.Option(help="auto, or the name of a method, such as keys."),
    ] = "auto",
    separator: SeparatorOption = None,
    multiline: MultilineOption = False,
    ledger: LedgerOption = DEFAULT_LEDGER,
    dataset: Annotated[
        str | None,
        typer.Option(help="The stream's name in the ledger; by default the table's full path."),
    ] = None,
    state: Annotated[
        Path | None,
        typer.Option(help="A file from which a later call resumes. As secret as the records."),
    ] = None,
    predictions: Annotated[
        bool,
        typer.Option(
            "--predictions",
            help="Add each record's prediction, for the record's owner only: NOT PRIVATE.",
        ),
    ] = False,
    evaluate: Annotated[
        bool, typer.Option("--evaluate", help="Add the mistakes of this call: NOT PRIVATE.")
    ] = False,
    picture: Annotated[
        Path | None,
        typer.Option(
            "--figure",
            help="Draw a figure of when each rule was published, to this .svg or .png file. With "
            "--evaluate it shows the mistakes too: NOT PRIVATE.",
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Draw from a seeded generator: a simulation, NOT PRIVATE.")
    ] = None,
) -> None:
    """Learn from records as they arrive, and print each published rule as a line of JSON.

    All lines together are (epsilon, delta)-DP for the whole stream, which is paid for once.  With
    --state, a call after a crash resumes the same run.
    """
    kind = None if picture is None else picture_kind(picture)
    if kind is not None:
        require_matplotlib()
    public = opened_schema(schema)
    if public is not None:
        public.refuse_unit()
    label = label_from(public, target, positive)
    declared = declared_class(hypotheses, label.labels, public, label.column)
    learner, why = online_choice(declared, Budget(epsilon, delta), horizon=horizon, method=method)
    columns = learner.hypotheses.domain.column_names
    refuse_as_feature(label, declared)
    if table == PIPE and dataset is None:
        raise DeclarationError(
            "learn from a pipe",
            found="the ledger cannot tell which stream it is",
            fix="name it: --dataset NAME",
        )
    require_different(
        {
            "the table": [] if table == PIPE else [table],
            "the schema": [schema],
            "the ledger": files_of(ledger),
            "--state": [] if state is None else [state, lock_of(state)],
            "--figure": [picture],
        }
    )
    opened: Table
    if table == PIPE:
        opened = CsvStream(
            sys.stdin.buffer, name="standard input", separator=separator, multiline=multiline
        )
    else:
        refuse_database(table, "learn from records one after another")
        opened = open_table(table, separator=separator, multiline=multiline)
    source, name = open_dataset(opened, (*columns, label.column), dataset)
    if public is not None:
        public.require_table(source)
    require_fit(source, declared.domain, label)
    rng = system_generator() if seed is None else seeded_generator(seed)
    with (
        reserved(picture, FIGURES[kind]) if picture and kind else nullcontext() as write,
        Ledger(ledger, create=True) as book,
        durable_run(
            learner, ledger=book, dataset=name, label=str(label), state=state, rng=rng
        ) as run,
    ):
        if book.made:
            err.print(f"the ledger {ledger_name(ledger, book)} was {MADE}")
        try:
            spanning = {"record": SPANNING} if source.spanning else {}
            header = _header(learner, why, run, label, private=seed is None)
            _print({**header, **spanning})
            # A file still has the records of earlier calls; a pipe brings only new ones.
            begin = 0 if table == PIPE else run.stream.steps
            if table == PIPE and run.resumed:
                run.stream.skip()
            records = islice(_examples(source, learner, label), begin, None)
            published, mistakes, interrupted = _follow(
                run, records, horizon, predictions=predictions, evaluate=evaluate
            )
        except BrokenPipeError:
            err.print(_ended("the reader of the output left", run, state))
            raise
        except TableError:  # a file may be damaged behind its first records
            err.print(_ended("the table cannot be read further", run, state))
            raise
        if write is not None and kind is not None:
            simulated = "" if seed is None else ", a simulation: NOT PRIVATE"
            title = f"{label}, {learner.hypotheses}", f"{learner.cost()}{simulated}"
            write(figure(published, horizon, title, kind=kind, mistakes=mistakes))
        if interrupted:
            err.print(_ended("interrupted", run, state))
            raise typer.Exit(130)


def _ended(why: str, run: DurableStream[Any], state: Path | None) -> str:
    """What happened to a run that ended early, and to its budget."""
    step = f"{why} at step {run.stream.steps}"
    if state is not None:
        return f"{step}; the same command goes on from there"
    return f"{step}; the budget is spent; with --state, the same command could have gone on"


def _examples(
    source: Table, learner: PrivateOnlineLearner[Any], label: Label
) -> Iterator[tuple[Any, int]]:
    domain = learner.hypotheses.domain
    for *values, y in source.rows([*domain.column_names, label.column]):
        yield domain.encode_record(tuple(values)), label(y)


def _follow(
    run: DurableStream[PrivateStream[Any]],
    records: Iterator[tuple[Any, int]],
    horizon: int,
    *,
    predictions: bool,
    evaluate: bool,
) -> tuple[list[Publication], Mistakes | None, bool]:
    """Take the records one by one and print what is published, until the end or Ctrl+C.

    Whether Ctrl+C ended it comes last.
    """
    stream, mistakes, taken, over, interrupted = run.stream, 0, 0, False, False
    published = [_print_published(run)]
    seen = Mistakes(begin=stream.steps) if evaluate else None
    try:
        for x, y in records:
            if stream.steps == horizon and not over:
                typer.echo(f"the horizon of {horizon} steps is over: the last rule stays", err=True)
                over = True
            guess = stream.predict(x)
            taken, mistakes = taken + 1, mistakes + (guess != y)
            if predictions:
                _print({"NOT PRIVATE": True, "record": taken, "prediction": guess})
            before, draws = stream.hypothesis, _draws(stream)
            stream.update(x, y)
            if seen is not None:
                seen.steps += [stream.steps] * (guess != y)
                seen.draws += [stream.steps] * (_draws(stream) - draws)
            if stream.hypothesis is not before:
                published.append(_print_published(run))
    except KeyboardInterrupt:
        interrupted = True
    if seen is not None:
        seen.end = stream.steps
        counted = {"counted in": "this call alone, not in earlier ones"} if run.resumed else {}
        _print({"NOT PRIVATE": True, "records": taken, "mistakes": mistakes, **counted})
    return published, seen, interrupted


def _draws(stream: PrivateStream[Any]) -> int:
    return stream.public_draws + stream.secret_draws


def _header(
    learner: PrivateOnlineLearner[Any],
    why: str,
    run: DurableStream[Any],
    label: Label,
    *,
    private: bool,
) -> dict[str, object]:
    return {
        "private": private,
        **cost_json(learner.cost()),
        "neighboring": str(learner.cost().neighboring),
        "horizon": learner.horizon,
        "class": str(learner.hypotheses),
        "label": str(label),
        "method": why,
        "mechanism": str(learner.event),
        "ledger entry": run.receipt,
    }


def _print_published(run: DurableStream[PrivateStream[Any]]) -> Publication:
    h, step = run.stream.hypothesis, run.stream.published_at
    _print({"step": step, "rule": h.words(), "hypothesis": h.to_json()})
    return Publication(step, h.words())


def _print(data: dict[str, object]) -> None:
    sys.stdout.write(visible_json(data) + "\n")
    sys.stdout.flush()
