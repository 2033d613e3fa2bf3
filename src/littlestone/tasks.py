"""A learning task, declared once for the command line, Python and the scikit-learn and river shells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Any, Self

from littlestone.classes import HypothesisClass, parse_class
from littlestone.data import Label, Table, read_sample
from littlestone.data.naming import Dataset, lookalike, open_dataset
from littlestone.errors import DeclarationError
from littlestone.learners import PrivateLearner, Release
from littlestone.learners.base import Setting
from littlestone.planning import choose_learner
from littlestone.privacy.budget import Budget
from littlestone.privacy.cost import exact_epsilon
from littlestone.privacy.event import Event
from littlestone.privacy.ledger import Ledger
from littlestone.report.fit import Evaluation
from littlestone.sample import Sample


def declared_class(hypotheses: HypothesisClass[Any] | str, labels: int = 2) -> HypothesisClass[Any]:
    """The class itself, or the class that a text declares; `DeclarationError` for anything else.

    >>> declared_class("thresholds(age, 0..120)").littlestone_dimension()
    6
    """
    declared: object = hypotheses
    if isinstance(hypotheses, str):
        declared = parse_class(hypotheses, labels)
    if not isinstance(declared, HypothesisClass):
        raise DeclarationError(
            f"learn from hypotheses of type {type(declared).__name__}",
            found="it is neither a class nor the text of one",
            fix="give a HypothesisClass, or a text such as 'points(merchant)'",
        )
    if declared.labels != labels:
        raise DeclarationError(
            f"learn {labels} labels by {declared}",
            found=f"the class has {declared.labels}",
            fix="declare the same number of labels everywhere",
        )
    return declared


def refuse_as_feature(label: Label, H: HypothesisClass[Any]) -> None:
    """Raise `DeclarationError` if the class reads the column that holds the label."""
    if label.column in H.domain.column_names:
        raise DeclarationError(
            f"learn {label.column} from {H}",
            found=f"the class reads the column {label.column!r}, which holds the label itself",
            fix="leave it out of the class",
        )


@dataclass(frozen=True)
class Task:
    """A learner chosen by declarations alone, why it was chosen, and how it reads records.

    If ``estimate`` is an epsilon, the task also estimates privately how good the rule is.
    """

    learner: PrivateLearner[Any]
    why: str
    label: Label
    estimate: Fraction | None = None

    @classmethod
    def declared(
        cls,
        label: Label,
        hypotheses: HypothesisClass[Any] | str,
        budget: Budget,
        *,
        method: str = "auto",
        setting: Setting = "agnostic",
        estimate: object = None,
    ) -> Self:
        """The task to learn ``label`` with these hypotheses and the learner of `choose_learner`.

        Raises `DeclarationError` for illegal declarations, and if the class reads the label itself.
        """
        H = declared_class(hypotheses, label.labels)
        refuse_as_feature(label, H)
        learner, why = choose_learner(H, budget, method=method, setting=setting)
        task = cls(learner, why, label, None if estimate is None else exact_epsilon(estimate))
        _ = task.event  # refuses an estimate for several labels
        return task

    @property
    def event(self) -> Event:
        """What the task spends: the learner's event and that of the estimate."""
        return self.learner.event_with(self.estimate)

    @property
    def columns(self) -> Sequence[str]:
        """The columns that the task reads: those of the class and the label."""
        return (*self.learner.hypotheses.domain.column_names, self.label.column)

    def open(self, table: object, dataset: str | None) -> Dataset:
        """The table with the columns that the task reads, as `open_dataset` opens and names it."""
        return open_dataset(table, self.columns, dataset)

    def read(self, table: Table, *, refuse_blank: bool = False) -> Sample[Any]:
        """The sample of a table, as `read_sample` reads it."""
        domain = self.learner.hypotheses.domain
        return read_sample(table, domain, self.label, refuse_blank=refuse_blank)

    def read_noted(
        self, data: Dataset, ledger: Ledger, *, refuse_blank: bool = False
    ) -> tuple[Sample[Any], str | None]:
        """The sample, and a hint to show if another data set of the ledger looks the same.

        The ledger notes the shape of the table (`Ledger.seen`).
        """
        sample = self.read(data.table, refuse_blank=refuse_blank)
        others = ledger.seen(data.name, columns=data.table.columns, n=sample.n)
        return sample, lookalike(data.name, others) if others else None

    def fit(
        self, sample: Sample[Any], *, ledger: Ledger, dataset: str, rng: Random | None = None
    ) -> Release:
        """Spend and release, as the learner's `fit` does."""
        return self.learner.fit(
            sample,
            ledger=ledger,
            dataset=dataset,
            label=str(self.label),
            labels=self.label.names,
            estimate=self.estimate,
            rng=rng,
        )

    def evaluate(self, release: Release, sample: Sample[Any]) -> Evaluation:
        """The errors of the release on the sample: NOT PRIVATE."""
        return Evaluation.of(release, self.learner.hypotheses, sample)
