"""``littlestone verify``, ``audit`` and ``theory papers``.

Nothing else runs what the papers state and print, or finds the privacy loss of code.
"""

from __future__ import annotations

import math
import os
import textwrap
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from itertools import groupby
from typing import Annotated, Any

import typer
from rich.text import Text

from littlestone.base.errors import DeclarationError
from littlestone.base.work import spread
from littlestone.cli.console import (
    bar,
    count_noun,
    err,
    out,
    print_columns,
    print_json,
    print_pairs,
    print_table,
)
from littlestone.cli.options import Jobs
from littlestone.privacy.cost import decimal_text, exact_delta, exact_epsilon
from littlestone.privacy.randomness import generator
from littlestone.prove.audit import EpsilonBound, ExactAudit, find_subject, find_subjects
from littlestone.prove.audit.claims import Row, nats
from littlestone.prove.papers.statement import (
    OTHERS,
    Statement,
    Trial,
    Verdict,
    number_of,
    run_one,
    select_statements,
    tally,
    title_of,
)

_WIDEST = 100
_MARK = 7  # columns of a verdict


def verify(
    only: Annotated[str | None, typer.Argument()] = None,
    paper: Annotated[
        str | None,
        typer.Option(
            help="Only those of a paper: L5 (Kalavasis's Lecture 5), BLM20, BGS21 or Lyu25; "
            f"{OTHERS} for the rest."
        ),
    ] = None,
    number: str | None = None,
    seed: Annotated[int | None, typer.Option(min=0)] = None,
    deep: bool = False,
    jobs: Jobs = None,
    as_json: bool = False,
) -> None:
    """Check numbered statements of the papers: stated and measured values, with verdicts.

    docs/theorem-map.md lists all statements, also those with nothing to run.  Ctrl+C stops it and
    prints the verdicts so far; the exit status is then 130.  It is 1 if a statement fails.

    only: Run only statements whose name contains this.
    number --id: Only that number, such as 'Lyu25 Theorem 3' or 'Lemma 12'.
    seed: Sample other classes and records; always the same by default.
    deep: Larger families of classes: minutes, not seconds.
    """
    rows = select_statements(only, paper=paper, number=number)
    verdicts = _run(rows, Trial(seed, deep), jobs)
    if as_json:
        print_json([verdict.to_json() for verdict in verdicts])
    else:
        _print(verdicts)
    if len(verdicts) < len(rows):
        missing = len(rows) - len(verdicts)
        err.print(f"interrupted: {missing:,} of {count_noun(len(rows), 'statement')} were not run")
        raise typer.Exit(130)
    if not all(verdict.holds for verdict in verdicts):
        raise typer.Exit(1)


def _run(rows: list[Statement], trial: Trial, jobs: int | None) -> list[Verdict]:
    """The verdicts in the order of the rows; fewer if Ctrl+C stops it."""
    found: dict[int, Verdict] = {}
    task = partial(run_one, trial=trial)
    try:
        with bar("running statements"):
            for i, verdict in spread(task, rows, jobs=jobs, what="running statements"):
                found[i] = verdict
    except KeyboardInterrupt:
        pass  # what is found is printed, and the status says so
    return [found[i] for i in sorted(found)]


def _print(verdicts: list[Verdict]) -> None:
    """Verdicts by paper, in lines that fit the terminal."""
    for title, group in groupby(verdicts, key=lambda verdict: title_of(verdict.statement)):
        for line in textwrap.wrap(title, _width()):
            out.print(Text(line, style="bold"))
        for verdict in group:
            _print_row(verdict)
        out.print()
    out.print(tally(verdicts))


def _width() -> int:
    # A pipe has no width of its own.
    shown = out.is_terminal or "COLUMNS" in os.environ
    return min(out.width, _WIDEST) if shown else _WIDEST


def _print_row(verdict: Verdict) -> None:
    of, found = verdict.statement, verdict.outcome
    mark = Text(verdict.mark, style="" if verdict.holds else "bold red")
    mark.pad_right(_MARK - len(mark))
    lines = [
        f"{number_of(of)} ({of.verdict_status}): {of.says}",
        f"on: {verdict.scope}",
        f"stated: {found.stated}",
        f"measured: {found.measured}",
    ]
    width = _width() - _MARK
    folded = [part for line in lines for part in textwrap.wrap(line, width, subsequent_indent="  ")]
    for i, line in enumerate(folded):
        out.print((mark if i == 0 else Text(" " * _MARK)) + Text(line))


def papers(only: Annotated[str | None, typer.Argument()] = None, as_json: bool = False) -> None:
    """List the boxes of the papers as printed, what they promise, and what is found.

    Each is a function of Python, for study on data that you made up: it has no ledger.
    docs/notes/boxes.md shows their steps beside what we run instead.

    only: List only boxes whose number contains this, such as 'Lyu25' or 'algorithm G'.
    """
    from littlestone.learn.papers.boxes.base import boxes

    found = [box for box in boxes() if (only or "").lower() in box.id.lower()]
    if not found:
        raise DeclarationError(
            f"list the boxes {only!r}",
            found="no box has that in its number",
            fix="list all of them: littlestone theory papers",
        )
    rows = [
        {
            "id": box.id,
            "code": f"{box.run.__module__}.{box.run.__name__}",
            "promise": box.promise,
            "found": box.found,
            "takes": box.takes,
            "mend": box.mend,
            "ours": box.ours,
        }
        for box in found
    ]
    if as_json:
        print_json(rows)
        return
    for row in rows:
        out.print(row["id"])
        for name in ("code", "promise", "found", "takes", "mend", "ours"):
            if row[name]:
                print_columns([[f"{name}:", row[name]]], indent=2)


def audit(
    subject: Annotated[str, typer.Argument()] = "",
    epsilon: str = "",
    delta: str = "0",
    trials: int = 2000,
    confidence: str = "0.99",
    jobs: Jobs = None,
    as_json: bool = False,
    seed: int | None = None,
    as_list: bool = False,
) -> None:
    """Compare the privacy claim of a mechanism or learner with its exact and measured loss.

    Exact: the output distributions on all pairs of tiny neighbouring data sets, as rationals.
    Measured: a lower bound on epsilon, at the claimed delta, from runs on two larger data sets.
    All data are made up.  The exit status is 1 if a claim is refuted.

    subject: A mechanism or learner; --list prints the names.
    epsilon: The epsilon that it claims, such as 1.
    delta: The delta that it claims, if it needs one.
    trials: Runs on each of two data sets; 0 measures nothing.
    confidence: Confidence of the measured bound.
    seed: Measure with a seeded generator.
    as_list --list: List what can be audited.
    """
    if as_list:
        known = [(named.name, named.about) for named in find_subjects()]
        if as_json:
            print_json(dict(known))
        else:
            print_pairs(known)
        return
    if not subject:
        raise DeclarationError(
            "audit without a name",
            found="nothing says which mechanism or learner",
            fix="see `littlestone audit --list`, then `littlestone audit NAME --epsilon 1`",
        )
    named = find_subject(subject)
    if not epsilon:
        raise DeclarationError(
            f"audit {subject}",
            found="nothing says which epsilon it claims",
            fix=f"give one: littlestone audit {subject} --epsilon 1",
        )
    made = named.make(exact_epsilon(epsilon), exact_delta(delta))
    bound = None
    with bar("auditing"):
        found = made.exact(jobs=jobs)
        if trials:
            bound = made.measure(
                trials=trials, confidence=confidence, rng=generator(seed), jobs=jobs
            )
    holds = found.holds and (bound is None or bound.epsilon <= found.claim.epsilon)
    if as_json:
        print_json(_data(found, bound, holds))
    else:
        out.print(f"{made.event}: claims {found.claim}")
        print_table(["quantity", "claimed", "exact", "measured", "verdict"], _rows(found, bound))
        out.print(_where(found, bound))
    if not holds:
        raise typer.Exit(1)


def _rows(found: ExactAudit[Any], bound: EpsilonBound | None) -> Iterator[list[str]]:
    claim = found.claim
    measured = "" if bound is None else f">= {math.floor(bound.epsilon * 10**4) / 10**4}"
    refuted = bound is not None and bound.epsilon > claim.epsilon
    at_claim = next(
        row for row in found.rows if row.quantity == "delta" and row.at == claim.epsilon
    )
    yield [
        f"epsilon at delta {decimal_text(claim.delta)}",
        decimal_text(claim.epsilon),
        _short(found.epsilon),
        measured,
        _verdict(at_claim.holds and not refuted),
    ]
    for row in found.rows:
        claimed, exact = (
            _short(_rho_of_row(row, value)) for value in (row.claimed, row.exact.value)
        )
        yield [_name_row(row), claimed, exact, "", _verdict(row.holds)]


def _show_data(data: object) -> str:
    """A tiny data set; of one with more than four records, each record once, with its number."""
    if not isinstance(data, tuple) or len(data) <= 4:
        return str(data)
    numbers = Counter(str(record) for record in data)
    if len(numbers) == len(data):
        return str(data)
    return ", ".join(f"{number} x {record}" for record, number in numbers.items())


def _where(found: ExactAudit[Any], bound: EpsilonBound | None) -> str:
    one, other = map(_show_data, found.ratio.pair)
    text = f"exact: the worst of {count_noun(found.pairs, 'pair')} of tiny data sets, {one} and {other}"
    if bound is None:
        return text
    percent = decimal_text(100 * bound.confidence)
    return (
        f"{text}\nmeasured: with confidence {percent}%, an event seen {bound.hits:,} and "
        f"{bound.neighbour_hits:,} times in {bound.trials:,} fresh runs on two data sets"
    )


def _rho_of_row(row: Row[Any], value: Fraction | None) -> float:
    """A moment converted to rho, which is (order - 1) D_order / (order (order - 1))."""
    if value is None:
        return math.inf
    if row.quantity == "moment":  # without the mass of delta it may be below 1
        return nats(max(Fraction(1), value)) / float(row.at * (row.at - 1))
    return float(value)


def _name_row(row: Row[Any]) -> str:
    at = decimal_text(row.at)
    return f"rho at order {at}" if row.quantity == "moment" else f"delta at epsilon {at}"


def _short(value: float) -> str:
    return f"{value:.6g}"


def _verdict(holds: bool) -> str:
    return "holds" if holds else "FAILS"


def _data(found: ExactAudit[Any], bound: EpsilonBound | None, holds: bool) -> dict[str, object]:
    rows = [
        {
            "quantity": _name_row(row),
            "claimed": _rho_of_row(row, row.claimed),
            "exact": _finite(_rho_of_row(row, row.exact.value)),
            "holds": row.holds,
            "pair": [str(data) for data in row.exact.pair],
        }
        for row in found.rows
    ]
    data: dict[str, object] = {
        "claim": {
            "epsilon": decimal_text(found.claim.epsilon),
            "delta": decimal_text(found.claim.delta),
            "neighboring": str(found.claim.neighboring),
        },
        "exact": {
            "epsilon": _finite(found.epsilon),
            "tightness": _finite(found.tightness),
            "pairs": found.pairs,
            "rows": rows,
        },
        "holds": holds,
    }
    if bound is not None:
        data["measured"] = {
            "epsilon at least": bound.epsilon,
            "confidence": decimal_text(bound.confidence),
            "hits": bound.hits,
            "neighbour hits": bound.neighbour_hits,
            "trials": bound.trials,
        }
    return data


def _finite(value: float) -> float | str:
    return value if math.isfinite(value) else "infinity"
