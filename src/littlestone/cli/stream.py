"""``littlestone stream``: nothing else learns while records arrive, with one budget."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from littlestone.base.discovery import require_package
from littlestone.base.errors import DeclarationError, TableError
from littlestone.cli import options
from littlestone.cli.console import cost_json, err
from littlestone.cli.following import Following, RunPrinter, print_lines
from littlestone.cli.options import REQUIRED, DeclaredOptions, files_of, ledger_name, new_ledger
from littlestone.data import CsvStream, Label, Table
from littlestone.data.opening import refuse_database
from littlestone.data.table import SPANNING, Row
from littlestone.learn.declared.declaration import Declaration
from littlestone.learn.declared.declaring import OPTIONS
from littlestone.learn.declared.task import STREAM
from littlestone.learn.stream import (
    DurableStream,
    PrivateOnlineLearner,
    durable_run,
    online_choice,
)
from littlestone.learn.stream.state_file import lock_of, next_of
from littlestone.pictures.canvas import picture_kind
from littlestone.pictures.chart import figure
from littlestone.points.units import Unit
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.randomness import generator
from littlestone.show.files import FIGURES, require_different, reserve

PIPE = "-"


def stream(
    table: str,
    horizon: Annotated[int, REQUIRED],
    epsilon: Annotated[str, REQUIRED],
    declared: DeclaredOptions,
    hypotheses: str | None = None,
    sheet: str | None = None,
    method: str = "auto",
    block: Annotated[int | None, typer.Option(min=1)] = None,
    ledger: str = options.DEFAULT_LEDGER,
    dataset: str | None = None,
    state: Path | None = None,
    offset: str | None = None,
    partition: str | None = None,
    predictions: bool = False,
    evaluate: bool = False,
    picture: Path | None = None,
    as_json: bool = False,
    seed: int | None = None,
) -> None:
    """Learn from records as they arrive, and print each rule when it is published.

    All rules together are (epsilon, delta)-DP for the whole stream, which is paid for once.  With
    --state, a call after a crash resumes the same run.  In a pipe or a file, each line is JSON.

    table: A CSV (.csv or .tsv) or Parquet file, or - for CSV from a pipe.
    horizon: The most records to learn from, over all calls.
    epsilon: The privacy loss of all steps together, such as 1.
    hypotheses --class: The class, such as 'subsets(device; at most 3)'. With a schema it may be
        left out.
    delta: The delta you allow, such as 1e-6.
    method: auto, or the name of a method, such as keys.
    block: Learn from blocks of so many records each, by the method blocks. By default the blocks of
        this method grow.
    dataset: The stream's name in the ledger; by default the table's full path.
    state: A file from which a later call resumes. As secret as the records.
    offset: The column of each record's offset in its source. A record that is delivered again is
        ignored.
    partition: The column of the partition, if offsets count in each partition.
    predictions: Add each record's prediction, for the record's owner only: NOT PRIVATE.
    evaluate: Add the mistakes of this call: NOT PRIVATE.
    picture --figure: Draw a figure of when each rule was published, to this .svg or .png file. With
        --evaluate it shows the mistakes too: NOT PRIVATE.
    as_json --json: Print lines of JSON on a terminal too, as in a pipe.
    """
    kind = None if picture is None else picture_kind(picture)
    if kind is not None:
        require_package("matplotlib", "draw a figure", "plot")
    declaration = Declaration.parse(
        hypotheses=hypotheses, epsilon=epsilon, examples=OPTIONS, **declared._asdict()
    ).or_class(STREAM)
    label, protected, reading = declaration.label, declaration.unit, declaration.reading
    H, share = declaration.known_class, declaration.share
    learner, why = online_choice(H, share, horizon=horizon, method=method, block=block)
    columns = learner.hypotheses.domain.column_names
    whose = [] if protected is None else [protected.column]
    spans = declared.multiline or reading.multiline
    places = _places(offset, partition, {*declaration.columns}, multiline=spans)
    read = [*places, *whose, *columns, label.column]
    if table == PIPE and dataset is None:
        raise DeclarationError(
            "learn from a pipe",
            found="the ledger cannot tell which stream it is",
            fix="name it: --dataset NAME",
        )
    require_different(
        {
            "the table": [] if table == PIPE else [table],
            "the schema": [declared.schema],
            "the ledger": files_of(ledger),
            "--state": [] if state is None else [state, lock_of(state), next_of(state)],
            "--figure": [picture],
        }
    )
    records: object = table
    if table == PIPE:
        records = CsvStream(
            sys.stdin.buffer,
            name="standard input",
            separator=reading.separator if declared.separator is None else declared.separator,
            multiline=spans,
            ended=bool(places),
            encoding=reading.encoding,
        )
        declaration = replace(declaration, separator=None, multiline=False)  # it is open already
    else:
        refuse_database(table, "learn from records one after another")
    source, name = declaration.open(records, dataset, sheet, before=places)
    _require_before_records(source, places)
    rng = generator(seed)
    with (
        reserve(picture, FIGURES[kind]) if picture and kind else nullcontext() as write,
        Ledger(ledger, create=True) as book,
        durable_run(
            learner,
            ledger=book,
            dataset=name,
            label=str(label),
            state=state,
            rng=rng,
            batches=True,
            offsets=" of ".join(map(repr, places)) or None,
            unit=protected,
        ) as run,
    ):
        paid, shown = run.paid, ledger_name(ledger, book)
        if paid is not None and (made := new_ledger(shown, book, paid.total, paid.limit)):
            err.print(made)
        told = RunPrinter(horizon) if to_people() and not as_json else None
        show = told or print_lines
        followed = Following(
            run,
            learner,
            label,
            show=show,
            reading=replace(reading, multiline=source.spanning),
            places=len(places),
            predictions=predictions,
            evaluate=evaluate,
        )
        interrupted = False
        try:
            spanning = {"record": SPANNING} if source.spanning else {}
            header = _header(learner, why, run, label, protected, private=seed is None)
            show([{**header, **spanning}])
            # A file still has the records of earlier calls; a pipe brings only new ones.
            begin = 0 if table == PIPE or places else run.stream.steps
            arrived = _after(begin, source.arrivals(read))
            followed.begin()
            with _only_new_garbage():
                for rows in arrived:
                    followed.take(rows)
        except BrokenPipeError:
            err.print(_describe_end("the reader of the output left", followed, state))
            raise
        except TableError:  # a file may be damaged behind its first records
            err.print(_describe_end("the table cannot be read further", followed, state))
            raise
        except KeyboardInterrupt:
            interrupted = True
        mistakes = followed.end()
        if told is not None:
            told.end(followed.step, horizon)
        if write is not None and kind is not None:
            simulated = "" if seed is None else ", a simulation: NOT PRIVATE"
            cost = learner.event_for(protected).cost()
            title = f"{label}, {learner.hypotheses}", f"{cost}{simulated}"
            marks = followed.published, horizon, title
            write(figure(*marks, kind=kind, mistakes=mistakes))
        if interrupted:
            err.print(_describe_end("interrupted", followed, state))
            raise typer.Exit(130)


def to_people() -> bool:
    """Whether people read the output, rather than a program in a pipe."""
    return sys.stdout.isatty()


@contextmanager
def _only_new_garbage() -> Iterator[None]:
    """Look for garbage among new objects alone: the many of the libraries took a third of the time."""
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def _places(
    offset: str | None, partition: str | None, protected: set[str], *, multiline: bool
) -> list[str]:
    """The columns that say which record a delivery is of; none of them may be ``protected``."""
    if offset is None and partition is not None:
        raise DeclarationError(
            f"tell records apart by the partition {partition!r}",
            found="there is no column of offsets",
            fix="name it: --offset COLUMN",
        )
    if offset is not None and multiline:
        raise DeclarationError(
            "read offsets from a file whose records span lines",
            found="an unclosed quote in one record would hide the offsets of others",
            fix="leave out --multiline, also in the schema, and write each record on one line",
        )
    if offset is not None and offset == partition:
        raise DeclarationError(
            f"read offsets and partitions from the column {offset!r}",
            found="each needs a column of its own",
            fix="name two columns, or leave out --partition",
        )
    # Offsets are written to the state as they stand: docs/proofs/offsets.md takes them as public.
    places = [name for name in (offset, partition) if name is not None]
    if private := {*places} & protected:
        raise DeclarationError(
            f"read offsets or partitions from {', '.join(map(repr, sorted(private)))}",
            found="they are public, and the label, the unit and what the class reads are protected",
            fix="name columns that nothing is learned from",
        )
    return places


def _require_before_records(source: Table, places: list[str]) -> None:
    """Raise `TableError` if a cell of a record could move or hide its offset."""
    if places and not source.declared and {*source.columns[: len(places)]} != {*places}:
        raise TableError(
            f"read offsets from {source.name}",
            found="other columns come before them, and a separator or quote in a cell there "
            "would shift them",
            fix=f"let each line begin with {' and '.join(map(repr, places))}",
        )


def _after(begin: int, arrivals: Iterator[list[Row]]) -> Iterator[list[Row]]:
    """All records but the first ones."""
    for rows in arrivals:
        yield rows[begin:]
        begin = max(0, begin - len(rows))


def _describe_end(why: str, followed: Following, state: Path | None) -> str:
    """What happened to a run that ended early, and to its budget."""
    step = f"{why} at step {followed.step}"
    if state is not None:
        return f"{step}; the same command goes on from there"
    return f"{step}; the budget is spent; with --state, the same command could have gone on"


def _header(
    learner: PrivateOnlineLearner[Any],
    why: str,
    run: DurableStream,
    label: Label,
    unit: Unit | None,
    *,
    private: bool,
) -> dict[str, object]:
    event = learner.event_for(unit)
    return {
        "private": private,
        **cost_json(event.cost()),
        "neighboring": str(event.cost().neighboring),
        **({} if unit is None else {"unit": {"column": unit.column, "max records": unit.most}}),
        "horizon": learner.horizon,
        "class": str(learner.hypotheses),
        "label": str(label),
        "method": why if unit is None else f"{why}; mistakes are those on records that count",
        "mechanism": str(event),
        "ledger entry": run.receipt,
    }
