"""A learning task, declared once for the command line, Python and the scikit-learn and river shells."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from random import Random
from typing import TYPE_CHECKING, Any, Self

from littlestone.base.errors import DeclarationError
from littlestone.classes import HypothesisClass
from littlestone.data import Label, Table, read_sample
from littlestone.data.naming import Dataset, lookalike, open_dataset
from littlestone.data.readings import Reading
from littlestone.data.sample import Sample
from littlestone.learn import PrivateLearner, Release
from littlestone.learn.base import Setting
from littlestone.learn.declared.declaring import OneOrMore, declared_class
from littlestone.learn.declared.fitting import require_fit
from littlestone.learn.plan import choose_learner
from littlestone.learn.plan.choice import AUTO, explained
from littlestone.learn.plan.records import enough, for_records
from littlestone.learn.results.promise import Evaluation, accuracy
from littlestone.points.columns import columns_of, days_of
from littlestone.points.units import Unit
from littlestone.privacy.accounting.grouped import record_budget
from littlestone.privacy.budget import Budget
from littlestone.privacy.cost import decimal_text, exact_epsilon
from littlestone.privacy.event import Event
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.ledger.declared import checked
from littlestone.privacy.mistakes import MistakeCosts, declared_costs
from littlestone.privacy.randomness import chosen_generator

if TYPE_CHECKING:
    from littlestone.learn.declared.schema import Schema

_LOG = logging.getLogger(__name__)


def declared_unit(
    label: Label, column: str | None, most: int | None, schema: Schema | None
) -> Unit | None:
    """The unit that is given, or that of the ``schema``; `DeclarationError` if it is the label.

    >>> print(declared_unit(Label.parse("ill", "yes"), "patient", 3, None))
    at most 3 records of each patient
    """
    if schema is not None:
        column, most = schema.units(column, most)
    declared = Unit.declared(column, most)
    if declared is not None and declared.column == label.column:
        raise DeclarationError(
            f"protect each {declared.column}",
            found="the column holds the label, which does not say whose record it is",
            fix="name another column: --unit patient_id",
        )
    return declared


def declared_reading(schema: Schema | None, label: Label, unit: Unit | None) -> Reading:
    """How a table is written, as the schema declares it; a unit is known by its text as written.

    >>> declared_reading(None, Label.parse("ill", "yes"), None) == Reading()
    True
    """
    if schema is None:
        return Reading()
    reading = schema.reading(label)
    whose = None if unit is None else unit.column
    return reading.of([name for name in reading.columns if name != whose])


def refuse_as_feature(label: Label, H: HypothesisClass[Any]) -> None:
    """Raise `DeclarationError` if the class reads the column that holds the label."""
    if label.column in H.domain.column_names:
        raise DeclarationError(
            f"learn {label.column} from {H}",
            found=f"the class reads the column {label.column!r}, which holds the label itself",
            fix="leave it out of the class",
        )


ESTIMATE_SHARE = Fraction(1, 10)
"""The part of epsilon that estimates the size and the rate of a group, unless declared otherwise."""


def _estimating(epsilon: object) -> Fraction:
    return exact_epsilon(epsilon, what="the epsilon of the estimate")


@dataclass(frozen=True)
class Task:
    """A learner chosen by declarations alone, why it was chosen, and how it reads records.

    If ``estimate`` is an epsilon, the task also estimates privately how good the rule is.  If there is
    a ``unit``, the guarantee is for one unit, and the learner has the budget of one record.  If there
    is a ``schema``, the table must go with it.  With ``group`` the rule is to find a group.
    If no class was declared, ``taken`` says which one was taken and why.
    """

    learner: PrivateLearner[Any]
    why: str
    label: Label
    estimate: Fraction | None = None
    unit: Unit | None = None
    schema: Schema | None = None
    auto: bool = False
    group: bool = False
    taken: str = ""

    @classmethod
    def declared(
        cls,
        label: Label,
        hypotheses: OneOrMore | None,
        budget: Budget,
        *,
        method: str = "auto",
        setting: Setting = "agnostic",
        estimate: object = None,
        cost: object = None,
        unit: str | None = None,
        max_records: int | None = None,
        schema: Schema | None = None,
    ) -> Self:
        """The task to learn ``label`` with these hypotheses and the learner of `choose_learner`.

        Several classes cost what one costs (`one_of`).  None stands for `default_class` of the schema.
        ``cost`` says what a missed positive and a false alarm cost, as `MistakeCosts.parse` reads it.
        ``unit`` is the column that says whose record it is, such as ``"patient_id"``.  At most
        ``max_records`` records of each unit are used, and ``budget`` is then for one unit.  The
        ``schema`` gives the columns of the class, and the unit unless one is given.

        Raises `DeclarationError` for illegal declarations, and if the class reads the label itself.
        """
        declared = declared_unit(label, unit, max_records, schema)
        several = declared is not None and declared.most > 1
        share = record_budget(budget, declared)

        def chosen(of: OneOrMore) -> tuple[PrivateLearner[Any], str]:
            H = declared_class(of, label.labels, schema, label.column, unit)
            refuse_as_feature(label, H)
            return choose_learner(
                H,
                share,
                method=method,
                setting=setting,
                mistakes=declared_costs(cost),
                void=several,
            )

        taken = ""
        if hypotheses is None:
            from littlestone.learn.plan.defaults import OUTCOMES, RULES, default_class

            classes = RULES if label.labels == 2 else OUTCOMES
            learner, why, taken = default_class(classes, chosen, setting)
        else:
            learner, why = chosen(hypotheses)
        if several:  # the sizes are those of independent records
            why = f"{learner.method}: chosen as if all records were independent"
            why = f"{method}: asked for" if method != AUTO else why
        known = None if estimate is None else _estimating(estimate)
        task = cls(learner, why, label, known, declared, schema, method == AUTO, taken=taken)
        checked(task.event.cost())  # the event refuses what the learner cannot do
        return task

    @classmethod
    def subgroup(
        cls,
        label: Label,
        hypotheses: HypothesisClass[Any] | str | None,
        budget: Budget,
        *,
        above: object,
        method: str = "auto",
        estimate: object = None,
        unit: str | None = None,
        max_records: int | None = None,
        schema: Schema | None = None,
    ) -> Self:
        """The task to find the group with the most positives - c records, for the rate c = ``above``.

        The group is a rule under the costs `MistakeCosts.above`.  The part ``estimate`` of epsilon, by
        default `ESTIMATE_SHARE` of it, estimates its size and rate; the rest draws it.  The ``schema``
        gives the columns of the class, and the unit unless one is given.  Only one record of each unit
        may be used, because the estimate states a public number of records.  Raises `DeclarationError`
        for illegal declarations, and if the class reads the label itself.
        """
        declared = declared_unit(label, unit, max_records, schema)
        part = ESTIMATE_SHARE * budget.epsilon if estimate is None else _estimating(estimate)
        if part >= budget.epsilon:
            raise DeclarationError(
                f"find a group with epsilon = {decimal_text(budget.epsilon)}",
                found=f"estimates of its size and rate take {decimal_text(part)}, which leaves nothing",
                fix="give a smaller part to the estimate, or leave it out",
            )

        def chosen(of: OneOrMore) -> tuple[PrivateLearner[Any], str]:
            H = declared_class(of, label.labels, schema, label.column, unit)
            refuse_as_feature(label, H)
            share, costs = Budget(budget.epsilon - part, budget.delta), MistakeCosts.above(above)
            return choose_learner(H, share, method=method, setting="agnostic", mistakes=costs)

        taken = ""
        if hypotheses is None:
            from littlestone.learn.plan.defaults import GROUPS, default_class

            learner, why, taken = default_class(GROUPS, chosen, "agnostic")
        else:
            learner, why = chosen(hypotheses)
        task = cls(learner, why, label, part, declared, schema, group=True, taken=taken)
        checked(task.event.cost())  # the event refuses more than one record of a unit
        return task

    def methods(self, budget: Budget, setting: Setting) -> list[tuple[str, str]]:
        """What is known of every method for this class, as `explained` says it; nothing is read."""
        share = record_budget(budget, self.unit)
        costs = None if self.learner.mistakes.equal else self.learner.mistakes
        return explained(self.learner.hypotheses, share, setting=setting, mistakes=costs)

    def for_records(self, n: int) -> Self:
        """The task with the learner for ``n`` records, which are public, if ``auto`` chose it."""
        learner = for_records(self.learner, n) if self.auto else self.learner
        if learner is self.learner:
            return self
        why = f"{n:,} records are enough to split each leaf once more"
        if learner.method == "irreducible":
            why = f"{self.learner.method} would take too long on {n:,} records"
        return replace(self, learner=learner, why=f"{learner.method}: {why}")

    def later(self) -> str:
        """Which method takes the place of the chosen one if there are many records; else empty."""
        n = enough(self.learner)
        method = self.for_records(n).learner.method
        return "" if method == self.learner.method else f"{method} from {n:,} records on"

    @property
    def event(self) -> Event:
        """What the task spends: the learner's event and that of the estimate."""
        return self.learner.event_with(self.estimate, self.unit, shares=self.shares)

    @property
    def shares(self) -> bool:
        """Whether the estimate also buys the shares of unread cells and labels: that of a rule does."""
        return self.estimate is not None and not self.group

    @property
    def reading(self) -> Reading:
        """How the table is written, as `declared_reading` says it."""
        return declared_reading(self.schema, self.label, self.unit)

    @property
    def columns(self) -> Sequence[str]:
        """The columns that the task reads: those of the class, the label and the unit."""
        unit = () if self.unit is None else (self.unit.column,)
        return (*self.learner.hypotheses.domain.column_names, self.label.column, *unit)

    def open(
        self,
        source: object,
        dataset: str | None,
        table: str | None = None,
        *,
        separator: str | None = None,
        multiline: bool = False,
    ) -> Dataset:
        """The table with the columns that the task reads, as `open_dataset` opens and names it.

        Raises `DeclarationError` if the names and declared types of its columns do not go with the
        class, the label or the schema.  No record is read.
        """
        opened = open_dataset(
            source,
            self.columns,
            dataset,
            table,
            separator=separator,
            multiline=multiline,
            reading=self.reading,
            days=days_of(self.learner.hypotheses.domain),
        )
        if self.schema is not None:
            self.schema.require_table(opened.table)
        require_fit(opened.table, self.learner.hypotheses.domain, self.label)
        return opened

    def read(
        self, table: Table, *, refuse_blank: bool = False, rng: Random | None = None
    ) -> Sample[Any]:
        """The sample of a table, as `read_sample` reads it.

        ``rng`` chooses the records of each unit; by default the system's cryptographic generator.
        """
        domain = self.learner.hypotheses.domain
        keep = faults = None
        if self.unit is not None:
            from littlestone.data.reservoir import Reservoir

            keep = Reservoir(self.unit, chosen_generator(rng))
        if self.shares:
            from littlestone.learn.declared.checking import Faults, checks_of

            faults = Faults(checks_of(list(columns_of(domain)), self.label, self.schema))
        return read_sample(
            table, domain, self.label, refuse_blank=refuse_blank, keep=keep, faults=faults
        )

    def read_noted(
        self,
        data: Dataset,
        ledger: Ledger,
        *,
        refuse_blank: bool = False,
        rng: Random | None = None,
    ) -> tuple[Sample[Any], str | None]:
        """The sample, and a hint to show if there is one.

        It warns about another data set of the ledger that looks the same, and of `useless_delta`.  The
        ledger notes the shape of the table (`Ledger.seen`).
        """
        sample = self.read(data.table, refuse_blank=refuse_blank, rng=rng)
        others = ledger.seen(data.name, columns=data.table.columns, n=sample.n)
        hints = [lookalike(data.name, others) if others else None, self.useless_delta(sample.n)]
        return sample, "\n".join(filter(None, hints)) or None

    def useless_delta(self, n: int) -> str | None:
        """A hint if delta is 1/n or more, for the public number n of records; else None.

        Such a delta also allows a mechanism that publishes one whole record, chosen at random.
        """
        delta = self.event.cost().delta
        if delta * n < 1:
            return None
        return (
            f"delta {decimal_text(delta)} is 1/n or more for n = {n:,}: a mechanism with this "
            "delta could even publish one whole record. Choose a delta far below 1/n, such as "
            "1e-6"
        )

    def fit(
        self, sample: Sample[Any], *, ledger: Ledger, dataset: str, rng: Random | None = None
    ) -> Release:
        """Spend and release, as the learner's `fit` does.

        Raises `DeclarationError` for a sample with another unit, which `read` did not make.
        """
        if sample.unit != self.unit:
            raise DeclarationError(
                f"learn from {self.unit or 'records'}",
                found=f"the sample has {sample.unit or 'no units'}",
                fix="read the sample with this task",
            )
        learner = self.for_records(sample.n).learner
        _LOG.info(
            "learn %s from %s by the method %s", self.label, learner.hypotheses, learner.method
        )
        rate = decimal_text(learner.mistakes.rate)
        purpose = f"find a group with a rate of {self.label} above {rate}" if self.group else ""
        release = learner.fit(
            sample,
            ledger=ledger,
            dataset=dataset,
            label=str(self.label),
            labels=self.label.names,
            estimate=self.estimate,
            purpose=purpose,
            promise=self.promise(learner, sample.n),
            rng=rng,
        )
        # The release says itself whether a record may span lines.
        reading = replace(self.reading.of(release.hypothesis.tested), multiline=False)
        return replace(release, reading=reading, taken=self.taken)

    def promise(self, learner: PrivateLearner[Any], n: int) -> str:
        """What is proved about the error, or the gain of a group, learned from ``n`` records."""
        if not self.group:
            return accuracy(learner, n, self.unit)
        from littlestone.learn.results.group import group_accuracy

        return group_accuracy(learner, n)

    def evaluate(self, release: Release, sample: Sample[Any]) -> Evaluation:
        """The errors of the release on the sample: NOT PRIVATE."""
        return Evaluation.of(release, self.learner.hypotheses, sample)
