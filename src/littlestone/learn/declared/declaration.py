"""What a person declares before anything is learned: parsed once, at the border, and then carried."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil
from random import Random
from typing import TYPE_CHECKING, Any, Self, cast

from littlestone.base.errors import DeclarationError, show_value
from littlestone.classes.base import HypothesisClass
from littlestone.data import Label, Table, read_sample
from littlestone.data.forms import Reading
from littlestone.data.opening import Dataset, open_dataset
from littlestone.data.sample import Sample
from littlestone.data.stored import store_sample
from littlestone.learn.base import Setting
from littlestone.learn.declared.column_types import require_fit
from littlestone.learn.declared.declaring import (
    ARGUMENTS,
    OneOrMore,
    SchemaOrFile,
    declare_class,
    declare_label,
    label_told,
    open_schema,
    refuse_as_feature,
    require_told,
)
from littlestone.points.columns import columns_of, days_of
from littlestone.points.units import Unit
from littlestone.privacy.accounting.groups import record_budget
from littlestone.privacy.cost import Budget, decimal_text, exact_epsilon
from littlestone.privacy.mistakes import MistakeCosts, parse_costs
from littlestone.privacy.randomness import choose_generator

if TYPE_CHECKING:
    from littlestone.learn.declared.schema import Schema

ESTIMATE_SHARE = Fraction(1, 10)
"""The part of epsilon that estimates the size and the rate of a group, unless declared otherwise."""

RISK_SHARE = Fraction(1, 4)
"""The part of epsilon that pays for the table of risks.

On ordinary tables, less than a fifth costs log loss where n epsilon is below 600, and more than three
tenths costs errors.
"""

LEAST_RISK_SHARE = Fraction(1, 20)
"""The least part of epsilon that says how good a score is, which says its risks itself."""

LEAST_RISK_EPSILON = Fraction(1, 10**7)
"""The least epsilon with risks: all its parts are budgets, for any number of records."""

SURE = 1500
"""With so many n epsilon in the table of a score, the interval of its error is about .02 to each side.

The noise of ten counts adds up to about 31 / epsilon records, with the probability of an interval.
"""


def quality_share(n: int, epsilon: Fraction) -> Fraction:
    """The part of epsilon that says how good a score of ``n`` records is, by public numbers.

    It is what an interval of about .02 to each side needs, in whole percents, but no more than other
    rules pay for risks.

    >>> [str(quality_share(n, Fraction(1))) for n in (1_000, 10_000, 100_000)]
    ['1/4', '3/20', '1/20']
    """
    percents = ceil(100 * SURE / (n * epsilon))
    return min(RISK_SHARE, max(LEAST_RISK_SHARE, Fraction(percents, 100)))


@dataclass(frozen=True)
class Declaration:
    """What is declared about a table, and about the rule to learn from it; all of it is public.

    ``hypotheses`` is the class, or None for the default class of the ``schema``.  ``budget`` is for one
    ``unit``, or for one record if there is none.  ``mistakes`` are the costs of mistakes; None if they
    are equal.  ``estimate`` is an epsilon that estimates how good the rule is.  If ``group`` is true,
    the rule finds a group, and the estimate is a part of the budget; else it is paid on top.  With
    ``risk`` the part ``risk_share`` of epsilon counts the labels at each place of the rule.
    ``separator`` and ``multiline`` are those of `open_table`.

    >>> told = Declaration.parse("late", "thresholds(hour, 0..23)", epsilon=1, positive="yes")
    >>> str(told.label), told.columns, told.budget.epsilon
    ('late == yes', ('hour', 'late'), Fraction(1, 1))
    """

    label: Label
    hypotheses: HypothesisClass[Any] | None
    budget: Budget
    method: str = "auto"
    setting: Setting = "agnostic"
    mistakes: MistakeCosts | None = None
    estimate: Fraction | None = None
    group: bool = False
    risk: bool = False
    risk_share: Fraction = RISK_SHARE
    unit: Unit | None = None
    schema: Schema | None = None
    separator: str | None = None
    multiline: bool = False

    @classmethod
    def parse(
        cls,
        target: str | Label | None,
        hypotheses: OneOrMore | None,
        *,
        epsilon: object,
        delta: object = 0,
        positive: object = None,
        labels: str | Sequence[str] | None = None,
        default: str | None = None,
        schema: SchemaOrFile = None,
        group: bool = False,
        above: object = None,
        cost: object = None,
        estimate: object = None,
        risk: object = False,
        unit: str | None = None,
        max_records: int | None = None,
        examples: Mapping[str, str] = ARGUMENTS,
        needed: Mapping[str, object] | None = None,
        source: object = None,
        **others: Any,
    ) -> Self:
        """The declaration that raw values make; they are those of `littlestone.fit` and `subgroup`.

        ``target`` may be a `Label` already.  Several classes cost what one costs (`one_of`).  With
        ``group`` the rule is to have the most positives - ``above`` times records, and ``estimate`` is
        by default `ESTIMATE_SHARE` of epsilon.  The ``schema``, or its file, gives what is left out:
        the label, the columns of the class and the unit.  ``others`` are fields as they are.
        ``examples`` says how to write what is missing, ``needed`` what else may be missing, and
        ``source`` is the table, of which the error says whether it can be opened.

        Raises `DeclarationError` for what is missing, all of it at once, and for what is illegal.
        """
        schema = open_schema(schema)
        goal = {"above": above} if group else {}
        told = {"class": hypotheses, **goal, "epsilon": epsilon, **(needed or {})}
        asked = "find a group" if group else "learn a rule"
        if not isinstance(target, Label):
            meaning = labels if positive is None else positive
            told = {**label_told(schema, target, meaning), **told}
        if schema is not None:
            del told["class"]  # one is taken where none is given
        require_told(asked, told, examples, source, told.get("target"))
        label = target
        if not isinstance(label, Label):
            label = declare_label(schema, label, positive, labels=labels, default=default)
        budget = Budget(epsilon, delta)
        if type(risk) is not bool:
            raise DeclarationError(
                f"learn with risk={show_value(risk)}",
                found="public numbers choose the part of epsilon that pays for risks",
                fix="give risk=True",
            )
        if risk and budget.epsilon < LEAST_RISK_EPSILON:
            least = decimal_text(LEAST_RISK_EPSILON)
            raise DeclarationError(
                f"learn with risks at epsilon = {decimal_text(budget.epsilon)}",
                found=f"parts of epsilon pay for risks, so epsilon has to be at least {least}",
                fix=f"give an epsilon of at least {least}, or leave the risks out",
            )
        part = (
            None
            if estimate is None
            else exact_epsilon(estimate, what="the epsilon of the estimate")
        )
        if group:
            part = _part_of(budget, part)
        declared = cls(
            label,
            None,
            budget,
            mistakes=MistakeCosts.above(above) if group else parse_costs(cost),
            estimate=part,
            group=group,
            risk=risk,
            unit=_unit(label, unit, max_records, schema),
            schema=schema,
            **others,
        )
        return declared if hypotheses is None else declared.for_class(hypotheses)

    def for_class(self, hypotheses: OneOrMore) -> Self:
        """The same for this class; `DeclarationError` if it reads the label, or does not go with it."""
        whose = None if self.unit is None else self.unit.column
        label = self.label
        H = declare_class(hypotheses, label.labels, self.schema, label.column, whose)
        refuse_as_feature(label, H)
        return replace(self, hypotheses=H)

    def or_class(self, hypotheses: OneOrMore) -> Self:
        """The same, with this class if none is declared."""
        return self if self.hypotheses is not None else self.for_class(hypotheses)

    @property
    def share(self) -> Budget:
        """The part of the budget with which a learner draws, for one record."""
        if self.group and self.estimate is not None:
            return Budget(self.budget.epsilon - self.estimate, self.budget.delta)
        budget = record_budget(self.budget, self.unit)
        return Budget(budget.epsilon - self.risk_part, budget.delta) if self.risk_part else budget

    @property
    def risk_part(self) -> Fraction | None:
        """The part of epsilon that pays for the table of risks; None without one.

        >>> told = Declaration.parse("ill", "thresholds(age, 0..120)", epsilon=1, positive=1, risk=True)
        >>> str(told.risk_part), str(told.share.epsilon)
        ('1/4', '3/4')
        """
        return self.risk_share * self.budget.epsilon if self.risk else None

    def for_score(self, n: int) -> Self:
        """The same for a score of ``n`` records, whose table says how good its own risks are."""
        return replace(self, risk_share=quality_share(n, self.budget.epsilon))

    @property
    def shares(self) -> bool:
        """Whether the estimate also buys the shares of unread cells and labels: that of a rule does."""
        return self.estimate is not None and not self.group

    @property
    def reading(self) -> Reading:
        """How the table is written, as the schema says; a unit is known by its text as written.

        >>> told = Declaration.parse("ill", "thresholds(age, 0..120)", epsilon=1, positive="yes")
        >>> told.reading == Reading()
        True
        """
        if self.schema is None:
            return Reading()
        reading = self.schema.reading(self.label)
        whose = None if self.unit is None else self.unit.column
        return reading.pick_columns([name for name in reading.columns if name != whose])

    @property
    def known_class(self) -> HypothesisClass[Any]:
        """The class; where none is declared, `Task.choose` takes one first."""
        return cast(HypothesisClass[Any], self.hypotheses)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are read: those of the class, the label and the unit."""
        whose = () if self.unit is None else (self.unit.column,)
        return (*self.known_class.domain.column_names, self.label.column, *whose)

    def open(
        self,
        source: object,
        dataset: str | None,
        table: str | None = None,
        *,
        before: Sequence[str] = (),
    ) -> Dataset:
        """The table with the `columns` and those ``before``, as `open_dataset` opens and names it.

        Raises `DeclarationError` if the names and declared types of its columns do not go with the
        class, the label or the schema.  No record is read.
        """
        domain = self.known_class.domain
        opened = open_dataset(
            source,
            (*before, *self.columns),
            dataset,
            table,
            separator=self.separator,
            multiline=self.multiline,
            reading=self.reading,
            days=days_of(domain),
        )
        if self.schema is not None:
            self.schema.require_table(opened.table)
        require_fit(opened.table, domain, self.label)
        return opened

    def read(
        self,
        table: Table,
        *,
        refuse_blank: bool = False,
        rng: Random | None = None,
        joint: int = 0,
    ) -> Sample[Any]:
        """The sample of a table, as `read_sample` reads it.

        ``rng`` chooses the records of each unit; by default the system's cryptographic generator.  If
        counts of at most ``joint`` columns are all that a draw asks for, the records may stay in their
        engine; 0 if it needs them.
        """
        domain = self.known_class.domain
        keep = faults = None
        if self.shares:
            from littlestone.learn.declared.checking import Faults

            faults = Faults(list(columns_of(domain)), self.label, self.schema)
        checks = () if faults is None else faults.checks_of_types(table.kind)
        if joint and checks is not None and not refuse_blank:
            rng = choose_generator(rng)
            stored = store_sample(
                table, domain, self.label, self.unit, rng, joint=joint, checks=checks
            )
            if stored is not None:
                return stored
        if self.unit is not None:
            from littlestone.data.reading import Reservoir

            keep = Reservoir(self.unit, choose_generator(rng))
        return read_sample(
            table, domain, self.label, refuse_blank=refuse_blank, keep=keep, faults=faults
        )


def _unit(label: Label, column: str | None, most: int | None, schema: Schema | None) -> Unit | None:
    """The unit that is given, or that of the ``schema``; `DeclarationError` if it is the label.

    >>> print(_unit(Label.parse("ill", "yes"), "patient", 3, None))
    at most 3 records of each patient
    """
    if column == "":
        raise DeclarationError(
            "protect units of a column without a name",
            found="--unit is empty",
            fix="leave it out; if the schema has a unit and you want to protect single records, take a "
            "copy of the schema without the lines unit and max_records",
        )
    if schema is not None:
        column, most = schema.units(column, most)
    unit = Unit.declare(column, most)
    if unit is not None and unit.column == label.column:
        raise DeclarationError(
            f"protect each {unit.column}",
            found="the column holds the label, which does not say whose record it is",
            fix="name another column: --unit patient_id",
        )
    return unit


def _part_of(budget: Budget, estimate: Fraction | None) -> Fraction:
    """The part of epsilon that estimates the size and the rate of a group; something must be left."""
    part = ESTIMATE_SHARE * budget.epsilon if estimate is None else estimate
    if part >= budget.epsilon:
        raise DeclarationError(
            f"find a group with epsilon = {decimal_text(budget.epsilon)}",
            found=f"estimates of its size and rate take {decimal_text(part)}, which leaves nothing",
            fix="give a smaller part to the estimate, or leave it out",
        )
    return part
