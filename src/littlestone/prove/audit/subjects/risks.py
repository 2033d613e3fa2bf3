"""A learned rule with the table of its risks: noisy counts of each label at each of its places."""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable
from fractions import Fraction
from functools import cache
from itertools import count
from typing import Any

from littlestone.classes import Thresholds, parse_class
from littlestone.classes.base import ScoredClass
from littlestone.data.sample import Sample
from littlestone.learn import ExponentialLearner
from littlestone.learn.stream.block_risks import InBlocks, StreamRisks
from littlestone.points import Grid
from littlestone.privacy.cost import Budget
from littlestone.privacy.draws import count_places
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.mechanisms.scores.cell_counts import CellCounts
from littlestone.prove.audit.claims import neighbours
from littlestone.prove.audit.subject import Run, Subject, receipt_for_trials, subject
from littlestone.prove.audit.subjects.exponential_learner import (
    Records,
    all_records,
    released_text,
)
from littlestone.rules import Hypothesis, StepFunction

RECORDS = 2

Count = Callable[[Hypothesis[Any], Sample[Any]], list[int]]


def risk_subject(
    H: ScoredClass[Any], table: CellCounts, *, epsilon: Fraction, counted: Count = count_places
) -> Subject[Records]:
    """Rules of ``H`` learned at ``epsilon`` with their ``table``, on all neighbouring pairs.

    ``counted`` are the numbers that the exact law takes for the true ones.
    """
    learner = ExponentialLearner(H, Budget(epsilon))
    records = all_records(H, points=2)

    @cache
    def sample(data: Records) -> Sample[Any]:
        return Sample.from_examples(H.domain, data, labels=H.labels)

    def law_of_risks(data: Records) -> dict[Hashable, Fraction]:
        masses: dict[Hashable, Fraction] = {}
        for rule, p in learner.distribution(sample(data)).items():
            noisy = table.distribution(counted(rule, sample(data)), len(data))
            masses |= {(released_text(rule), ys): p * q for ys, q in noisy.items()}
        return masses

    def run_fits(times: int, rng: random.Random) -> Run[Records]:
        ledger, numbers = Ledger(), count()

        def fit_once(data: Records) -> Hashable:
            release = learner.fit(
                sample(data),
                ledger=ledger,
                dataset=f"made up {next(numbers)}",
                risk=table.epsilon,
                rng=rng,
            )
            assert release.risks is not None
            return released_text(release.hypothesis), release.risks.counts

        return fit_once

    def cell(data: Records, output: tuple[str, tuple[tuple[int, ...], ...]]) -> Hashable:
        text, rows = output
        return text, tuple(min(max(y, 0), len(data)) for row in rows for y in row)

    many = records * (1000 // len(records))
    return Subject(
        learner.event_with(None, risk=table.epsilon),
        law_of_risks,
        tuple(neighbours(records, RECORDS, ordered=False)),
        run_fits,
        (many, (records[1], *many[1:])),
        cell,
    )


@subject("risks-of-steps", id="Mixed tables", drawn_at=25)
def risks_of_steps(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """A learned threshold with the noisy counts at its steps, one or two of them; spends no delta.

    code: learn.results.risks
    proof: proofs/risks.md#theorem-1-privacy-of-the-table
    """
    H, table = Thresholds.on(0, 1), CellCounts(epsilon / 2, None)
    return risk_subject(H, table, epsilon=epsilon / 2)


@subject("risks-of-leaves")
def risks_of_leaves(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """A learned tree of one test with the noisy counts at its leaves; spends no delta."""
    H: Any = parse_class("trees(sex in {F, M}; depth 1)")
    return risk_subject(H, CellCounts(epsilon / 2, None), epsilon=epsilon / 2)


Table = tuple[int, ...]
TWO_STEPS = StepFunction.threshold(Grid(0, 1), 1)
ONE_STEP = StepFunction(Grid(0, 1), 0, ())


def next_rule(table: Table) -> StepFunction:
    """The rule that is published after a table: one of two, as an adversary would choose it."""
    return ONE_STEP if table[0] else TWO_STEPS


def whole(stream: Records, start: int, end: int) -> Records:
    """The records of a block."""
    return stream[start:end]


def is_full(block: Records, size: int) -> bool:
    """Whether a block has ended."""
    return len(block) == size


def blocks_subject(
    event: InBlocks,
    *,
    steps: int = 3,
    block_of: Callable[[Records, int, int], Records] = whole,
    ends: Callable[[Records, int], bool] = is_full,
) -> Subject[Records]:
    """The tables of a stream of ``steps`` records, cut to possible counts.

    Its rule depends on the last table.  The exact law takes ``block_of`` as the records of a block, and
    ends it when it ``ends``.
    """

    @cache
    def law_of_tables(stream: Records) -> dict[Hashable, Fraction]:
        masses: dict[Hashable, Fraction] = {}

        def go_on(
            i: int, rule: StepFunction, size: int, start: int, told: tuple[Table, ...], p: Fraction
        ) -> None:
            if i == len(stream):
                masses[told] = masses.get(told, Fraction(0)) + p
                return
            i += 1
            if not ends(stream[start:i], size):
                go_on(i, rule, size, start, told, p)
                return
            block = block_of(stream, start, i)
            counts = count_places(rule, Sample.from_examples(rule.domain, block))
            for table, q in event.mechanism.distribution(counts, len(block)).items():
                after = next_rule(table)
                longer = 2 * size if after is rule else event.shortest
                go_on(i, after, longer, i, (*told, table), p * q)

        go_on(0, TWO_STEPS, event.shortest, 0, (), Fraction(1))
        return masses

    def run_streams(times: int, rng: random.Random) -> Run[Records]:
        receipt = receipt_for_trials(event, times, rng)

        def run_once(stream: Records) -> Hashable:
            tables, rule = StreamRisks(event, len(stream), receipt), TWO_STEPS
            told: tuple[Table, ...] = ()
            for x, y in stream:
                before = tables.risks
                tables.count_record(rule, x, y)
                if (found := tables.risks) is not None and found is not before:
                    cut = (min(max(count, 0), found.n) for row in found.counts for count in row)
                    told = (*told, tuple(cut))
                    rule = next_rule(told[-1])
            return told

        return run_once

    records: Records = ((0, 0), (0, 1), (1, 0), (1, 1))
    long = records + records[:3]
    pairs = tuple(neighbours((records[0], records[1], records[3]), steps))
    return Subject(event, law_of_tables, pairs, run_streams, (long, (records[3], *long[1:])))


@subject("risks-of-blocks")
def risks_of_blocks(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The tables of a stream's blocks, whose rule depends on the last table; spends no delta."""
    return blocks_subject(InBlocks(CellCounts(epsilon, None), 7))
