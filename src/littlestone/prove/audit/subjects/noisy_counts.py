"""Noisy counts: of cells, of estimates, of risks, of what is not read; and noisy sums."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, cached_property, partial
from itertools import chain, product
from typing import Any

from littlestone.classes import Thresholds, parse_class
from littlestone.classes.base import ScoredClass
from littlestone.data.label import Label
from littlestone.data.reading import read_sample
from littlestone.data.sample import Sample
from littlestone.data.table import Row, Table
from littlestone.learn import ExponentialLearner, Release
from littlestone.learn.declared.checking import (
    Faults,
    cell_check,
    count_faults,
    label_check,
)
from littlestone.learn.results.estimate import (
    UnreadCounts,
    UnreadRecords,
    count_unread,
    unread_event,
)
from littlestone.learn.results.risks import StreamRisks
from littlestone.points import Codes, Grid
from littlestone.points.columns import columns_of
from littlestone.privacy.accounting.subsampled import InBlocks
from littlestone.privacy.cost import Budget, PrivacyCost, decimal_text
from littlestone.privacy.draws import CELLS, UNREAD, UNREAD_PART, cells, count_places
from littlestone.privacy.event import Mechanism
from littlestone.privacy.ledger import Receipt
from littlestone.privacy.mechanisms.cell_counts import CellCounts
from littlestone.privacy.mechanisms.noisy_sums import Ask, Noisy, NoisySums, SumStep
from littlestone.privacy.mistakes import MistakeCosts
from littlestone.privacy.rational import exp_below
from littlestone.privacy.samplers.noise import discrete_laplace
from littlestone.prove.audit.claims import neighbours
from littlestone.prove.audit.subject import (
    Subject,
    mechanism_subject,
    runs_on_ledger,
    runs_on_receipt,
    subject,
)
from littlestone.prove.audit.subjects.whole_learners import (
    Records,
    all_records,
    fits,
    released_text,
)
from littlestone.rules import Hypothesis, StepFunction

TWO = 2

Cells = tuple[int, ...]
"""The cell of each record; 2 stands for a record in no cell."""


def count_cells(data: Cells) -> Cells:
    """The number of records in each cell."""
    return tuple(data.count(cell) for cell in range(TWO))


def clip_counts(data: Cells, noisy: Cells) -> Cells:
    """The noisy counts, with equal names for those beyond all true ones."""
    return tuple(min(max(y, 0), len(data)) for y in noisy)


@subject("cell-counts")
def cell_counts(epsilon: Fraction, delta: Fraction) -> Subject[Cells]:
    """The numbers of records in two cells; spends no delta."""
    mechanism, many = CellCounts(epsilon, TWO), (0, 1) * 50
    made = mechanism_subject(
        mechanism,
        pairs=neighbours(range(TWO + 1), 2, ordered=False),
        large=((0, *many), (1, *many)),
        read=count_cells,
        cell=clip_counts,
    )

    def law_of_counts(data: Cells) -> Mapping[Hashable, Fraction]:
        # The number of records is public; the number of records in the cells is not.
        exact = mechanism.distribution(count_cells(data), len(data))
        return dict(exact.items())

    return replace(made, distribution=law_of_counts)


Bits = tuple[int, ...]


@dataclass(frozen=True)
class DiscreteLaplaceCount(Mechanism[Bits, int]):
    """The number of 1s plus X, with Pr[X = x] = (1 - a) / (1 + a) a^|x| and a >= e^-epsilon.

    epsilon-DP under replacement: the number moves by at most 1 (GRS12).

    >>> masses = DiscreteLaplaceCount(Fraction(1)).distribution((1, 0))
    >>> {y: round(float(mass), 3) for y, mass in masses.items()}
    {0: 0.269, 1: 0.462, 2: 0.269}
    """

    epsilon: Fraction

    @cached_property
    def decay(self) -> Fraction:
        """a, a rational."""
        return 1 / exp_below(self.epsilon)

    def cost(self) -> PrivacyCost:
        return PrivacyCost(self.epsilon)

    def draw(self, data: Bits, *, receipt: Receipt) -> int:
        rng = receipt.redeem(self)
        return sum(data) + discrete_laplace(self.decay, rng)

    def distribution(self, data: Bits) -> Mapping[int, Fraction]:
        """Outputs <= 0 are one cell and those >= n another, n the number of records.

        Beyond all possible counts c, c' the likelihood ratio is a^(c - c') or its inverse, constant.
        """
        count, n, a = sum(data), len(data), self.decay
        masses = {y: (1 - a) / (1 + a) * a ** abs(y - count) for y in range(1, n)}
        return {0: a**count / (1 + a), **masses, n: a ** (n - count) / (1 + a)}

    def __str__(self) -> str:
        return f"count with discrete Laplace noise, epsilon {decimal_text(self.epsilon)}"


@subject("discrete-laplace-count")
def discrete_laplace_count(epsilon: Fraction, delta: Fraction) -> Subject[Bits]:
    """A count with discrete Laplace noise; spends no delta."""
    large = (1,) * 500 + (0,) * 500
    return mechanism_subject(
        DiscreteLaplaceCount(epsilon),
        pairs=neighbours((0, 1), 4, ordered=False),
        large=(large, (0, *large[1:])),
        cell=lambda bits, y: min(max(y, 0), len(bits)),
    )


RECORDS = 2

Count = Callable[[Hypothesis[Any], Sample[Any]], Sequence[int]]


def counts_subject(
    learner: ExponentialLearner[Any],
    noise: CellCounts,
    counted: Count,
    shown: Callable[[Release], Iterable[int]],
    **paid: Any,
) -> Subject[Records]:
    """A rule with the noisy counts that it is released with, on all neighbouring pairs of records.

    ``counted`` are the numbers that the exact law takes for the true ones, and ``shown`` those of a
    release; ``paid`` is what the counts cost.
    """
    H: Any = learner.hypotheses
    records = all_records(H, points=2)

    @cache
    def sample(data: Records) -> Sample[Any]:
        return Sample.from_examples(H.domain, data, labels=H.labels)

    def law_of_counts(data: Records) -> dict[Hashable, Fraction]:
        masses: dict[Hashable, Fraction] = {}
        for rule, p in learner.distribution(sample(data)).items():
            noisy = noise.distribution(counted(rule, sample(data)), len(data))
            masses |= {(released_text(rule), ys): p * q for ys, q in noisy.items()}
        return masses

    def cell(data: Records, output: tuple[str, Iterable[int]]) -> Hashable:
        text, noisy = output
        return text, tuple(min(max(y, 0), len(data)) for y in noisy)

    many = records * (1000 // len(records))
    return Subject(
        learner.event_with(paid.get("estimate"), risk=paid.get("risk")),
        law_of_counts,
        tuple(neighbours(records, RECORDS, ordered=False)),
        fits(learner, shown=lambda release: tuple(shown(release)), **paid),
        (many, (records[1], *many[1:])),
        cell,
    )


def estimate_subject(
    counts: CellCounts, *, epsilon: Fraction, cost: object = (1, 1)
) -> Subject[Records]:
    """Thresholds learned at ``epsilon``, with ``counts``, on all neighbouring pairs of records."""

    def read_estimate(release: Release) -> tuple[int, ...]:
        found: Any = release.estimate
        return found.true_positives, found.false_positives, found.false_negatives

    learner = ExponentialLearner(Thresholds.on(0, 1), Budget(epsilon), cost=cost)
    return counts_subject(learner, counts, cells, read_estimate, estimate=counts.epsilon)


@subject("rule-estimates")
def rule_estimates(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """A learned threshold with estimates of precision and recall; spends no delta."""
    return estimate_subject(CellCounts(epsilon / 2, len(CELLS)), epsilon=epsilon / 2)


@subject("group-estimates", id="Mixed tables", drawn_at=25)
def group_estimates(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """A threshold group with a rate above 0.3, its size and its rate; spends no delta.

    code: learn.results.estimate
    proof: proofs/estimates.md#theorem-2-rule-and-counts-together
    """
    counts, cost = CellCounts(epsilon / 10, len(CELLS)), MistakeCosts.above("0.3")
    return estimate_subject(counts, epsilon=epsilon * 9 / 10, cost=cost)


HALF = Fraction(1, 2)

STEPS = (
    SumStep(count=1, l1=2, squared=4, share=HALF),
    SumStep(count=1, l1=1, squared=1, share=HALF),
)


def ask_of(data: Bits) -> Ask:
    """Twice the number of 1s; and then the number of 1s if that seemed to be any, or else of 0s."""

    def ask(released: tuple[Noisy, ...]) -> Bits:
        ones = sum(data)
        if not released:
            return (2 * ones,)
        return (ones if released[0][0] > 0 else len(data) - ones,)

    return ask


def clip(most: int, data: Bits, released: tuple[Noisy, ...]) -> tuple[Noisy, ...]:
    """What was released, with one name for all numbers beyond ``most`` or -``most``."""
    return tuple(tuple(min(max(y, -most), most) for y in noisy) for noisy in released)


def sums_subject(mechanism: NoisySums, most: int) -> Subject[Bits]:
    """The mechanism on two records, each 0 or 1, with numbers told apart up to ``most``."""
    large = (1,) * 500 + (0,) * 500
    made = mechanism_subject(
        mechanism,
        pairs=neighbours((0, 1), 2, ordered=False),
        large=(large, (0, *large[1:])),
        read=ask_of,
        cell=partial(clip, most),
    )

    def law_of_names(data: Bits) -> Mapping[Hashable, Fraction]:
        return dict(mechanism.distribution(ask_of(data), most).items())

    return replace(made, distribution=law_of_names)


@subject("noisy-sums")
def noisy_sums(epsilon: Fraction, delta: Fraction) -> Subject[Bits]:
    """Two sums with discrete Gaussian noise, the second of which is chosen by the first."""
    return sums_subject(NoisySums(Budget(epsilon, delta), STEPS), most=20)


@subject("noisy-sums-pure")
def noisy_sums_pure(epsilon: Fraction, delta: Fraction) -> Subject[Bits]:
    """The same with discrete Laplace noise; spends no delta."""
    return sums_subject(NoisySums(Budget(epsilon), STEPS), most=4)


def risk_subject(
    H: ScoredClass[Any], table: CellCounts, *, epsilon: Fraction, counted: Count = count_places
) -> Subject[Records]:
    """Rules of ``H`` learned at ``epsilon`` with their ``table``, on all neighbouring pairs."""

    def read_risks(release: Release) -> Iterable[int]:
        risks: Any = release.risks
        return chain.from_iterable(risks.counts)

    learner = ExponentialLearner(H, Budget(epsilon))
    return counts_subject(learner, table, counted, read_risks, risk=table.epsilon)


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


Told = tuple[int, ...]

TWO_STEPS = StepFunction.threshold(Grid(0, 1), 1)

ONE_STEP = StepFunction(Grid(0, 1), 0, ())


def next_rule(table: Told) -> StepFunction:
    """The rule that is published after a table: one of two, as an adversary would choose it."""
    return ONE_STEP if table[0] else TWO_STEPS


def whole(stream: Records, start: int, end: int) -> Records:
    """The records of a block."""
    return stream[start:end]


def is_full(block: Records, size: int) -> bool:
    """Whether a block has ended."""
    return len(block) == size


def blocks_subject(
    event: InBlocks[CellCounts],
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
            i: int, rule: StepFunction, size: int, start: int, told: tuple[Told, ...], p: Fraction
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

    def run_once(receipt: Receipt, stream: Records) -> Hashable:
        tables, rule = StreamRisks(event, len(stream), receipt), TWO_STEPS
        told: tuple[Told, ...] = ()
        for x, y in stream:
            before = tables.risks
            tables.count_record(rule, x, y)
            if (found := tables.risks) is not None and found is not before:
                cut = (min(max(count, 0), found.n) for row in found.counts for count in row)
                told = (*told, tuple(cut))
                rule = next_rule(told[-1])
        return told

    records: Records = ((0, 0), (0, 1), (1, 0), (1, 1))
    long = records + records[:3]
    pairs = tuple(neighbours((records[0], records[3]), steps))
    runs = runs_on_receipt(event, run_once)
    return Subject(event, law_of_tables, pairs, runs, (long, (records[3], *long[1:])))


@subject("risks-of-blocks")
def risks_of_blocks(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The tables of a stream's blocks, whose rule depends on the last table; spends no delta."""
    return blocks_subject(InBlocks(CellCounts(epsilon, None), 7))


TwoCells = tuple[str, str]

Cellwise = tuple[TwoCells, ...]

ThreeCells = tuple[Row, ...]

NAMES = ("column a", "labels")


@cache
def unread(data: Cellwise) -> tuple[int, ...]:
    """The counts of a tiny table of a column of numbers and a column of labels."""
    checks = cell_check(Codes("a")), label_check(Label.parse("y", "Ja"))
    columns = zip(*data, strict=True)
    return tuple(count_faults(map(c, cells)) for c, cells in zip(checks, columns, strict=True))


def unread_subject(event: CellCounts) -> Subject[Cellwise]:
    """The counts on all neighbouring pairs of tables of read and unread cells and labels."""
    records: list[TwoCells] = list(product(("7", "4,52"), ("Ja", "ja")))

    def law_of_counts(data: Cellwise) -> dict[Any, Fraction]:
        return event.distribution(unread(data), len(data))

    def check(data: Cellwise, **spend: Any) -> Hashable:
        return count_unread(event, NAMES, unread(data), len(data), **spend)

    def cell(data: Cellwise, output: UnreadCounts) -> Hashable:
        return tuple(min(max(y, 0), len(data)) for y in output.counts)

    read, not_read = ("7", "Ja"), ("4,52", "ja")
    many = (read,) * 1000
    pairs = tuple(neighbours(records, RECORDS, ordered=False))
    large = many, (not_read, *many[1:])
    return Subject(event, law_of_counts, pairs, runs_on_ledger(check), large, cell)


@subject("unread-counts")
def unread_counts(epsilon: Fraction, delta: Fraction) -> Subject[Cellwise]:
    """Private counts of unread cells and labels; spends no delta."""
    return unread_subject(unread_event(epsilon, len(NAMES)))


H = parse_class("conditions(a: 0..1, b: 0..1; at most 1)")

LABEL = Label.parse("y", "Ja")


class RowTable(Table):
    """ThreeCells of two columns of numbers and a column of labels."""

    name, columns = "made up", ("a", "b", "y")

    def __init__(self, data: ThreeCells) -> None:
        self._data = data

    def rows(self, columns: Sequence[str]) -> Iterator[Row]:
        places = list(map(self.columns.index, columns))
        return (tuple(row[place] for place in places) for row in self._data)


@cache
def read_records(data: ThreeCells) -> Sample[Any]:
    """The sample with its counts, as `fit` reads it."""
    faults = Faults(list(columns_of(H.domain)), LABEL)
    return read_sample(RowTable(data), H.domain, LABEL, faults=faults)


def unread_records(data: ThreeCells) -> tuple[int, ...]:
    """The counts that an estimate gets of the records."""
    return read_records(data).unread or ()


def shares_subject(
    event: CellCounts, count_of: Callable[[ThreeCells], tuple[int, ...]] = unread_records
) -> Subject[ThreeCells]:
    """The counts of an estimate on all neighbouring pairs of records; some records are not read."""
    whole, both = ("0", "0", "Ja"), ("x", "x", "ja")
    records: list[Row] = [whole, ("x", "0", "Ja"), ("x", "x", "Ja"), ("0", "0", "ja"), both]

    def most(data: ThreeCells) -> int:
        return 2 * len(data)  # what a count of single cells could reach

    def law_of_shares(data: ThreeCells) -> dict[Any, Fraction]:
        return event.distribution(count_of(data), most(data))

    estimate = event.epsilon / UNREAD_PART
    learner = ExponentialLearner(H, Budget(estimate))

    def fit_once(data: ThreeCells, **spend: Any) -> Hashable:
        found = learner.fit(read_records(data), estimate=estimate, **spend).estimate
        return None if found is None else found.unread

    def cell(data: ThreeCells, output: UnreadRecords) -> Hashable:
        return tuple(min(max(y, 0), most(data)) for y in (output.cells, output.labels))

    pairs = tuple(neighbours(records, RECORDS, ordered=False))
    many = (whole,) * 1000
    large = many, (both, *many[1:])
    return Subject(event, law_of_shares, pairs, runs_on_ledger(fit_once), large, cell)


@subject("unread-shares")
def unread_shares(epsilon: Fraction, delta: Fraction) -> Subject[ThreeCells]:
    """Counts of records with an unread cell, and with an unread label; spends no delta."""
    return shares_subject(CellCounts(epsilon, len(UNREAD), together=True))
