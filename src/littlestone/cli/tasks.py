"""What `littlestone fit` is asked to learn: when a record is positive, or which label it has."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from littlestone.classes import parse_class
from littlestone.data import Label, Labels, Table, read_labelled, read_sample
from littlestone.errors import DeclarationError
from littlestone.labelled import LabelledSample
from littlestone.learners import PrivateLearner, Release
from littlestone.learners.base import Setting
from littlestone.learners.multiclass import MulticlassLearner
from littlestone.multiclass import parse_multiclass
from littlestone.planning import choose_learner, choose_multiclass_learner
from littlestone.privacy.budget import Budget
from littlestone.privacy.cost import exact_epsilon
from littlestone.privacy.event import Event
from littlestone.report.fit import Evaluation, LabelledEvaluation
from littlestone.sample import Sample


class Task(ABC):
    """A learner, chosen by declarations alone, and how records reach it; ``why`` it was chosen."""

    learner: PrivateLearner[Any] | MulticlassLearner[Any]
    why: str
    event: Event

    @abstractmethod
    def read(self, table: Table, *, refuse_blank: bool) -> Any:
        """The sample of a table, as `read_sample` reads it."""

    @abstractmethod
    def fit(self, sample: Any, **spending: Any) -> Release:
        """Spend and release, as the learner's `fit` does."""

    @abstractmethod
    def evaluate(self, release: Release, sample: Any) -> Evaluation | LabelledEvaluation:
        """How the release fares on the sample: NOT PRIVATE."""


@dataclass(frozen=True)
class RuleTask(Task):
    """When a record is positive; with an epsilon ``estimate``, how good the rule is as well."""

    learner: PrivateLearner[Any]
    why: str
    event: Event
    label: Label
    estimate: Fraction | None

    def read(self, table: Table, *, refuse_blank: bool) -> Sample[Any]:
        domain = self.learner.hypotheses.domain
        return read_sample(table, domain, self.label, refuse_blank=refuse_blank)

    def fit(self, sample: Any, **spending: Any) -> Release:
        label = str(self.label)
        return self.learner.fit(sample, label=label, estimate=self.estimate, **spending)

    def evaluate(self, release: Release, sample: Any) -> Evaluation:
        return Evaluation.of(release, self.learner.hypotheses, sample)


@dataclass(frozen=True)
class LabelsTask(Task):
    """Which of several labels a record has."""

    learner: MulticlassLearner[Any]
    why: str
    event: Event
    labels: Labels

    def read(self, table: Table, *, refuse_blank: bool) -> LabelledSample[Any]:
        domain = self.learner.hypotheses.domain
        return read_labelled(table, domain, self.labels, refuse_blank=refuse_blank)

    def fit(self, sample: Any, **spending: Any) -> Release:
        return self.learner.fit(sample, label=str(self.labels), **spending)

    def evaluate(self, release: Release, sample: Any) -> LabelledEvaluation:
        return LabelledEvaluation.of(release, sample)


def declared_task(
    target: str,
    hypotheses: str,
    *,
    positive: str | None,
    labels: str | None,
    default: str | None,
    estimate: str | None,
    epsilon: str,
    delta: str,
    method: str,
    setting: Setting,
) -> Task:
    """What these options of `fit` ask for; raises `DeclarationError` where they do not go together."""
    goal: dict[str, Any] = {
        "budget": Budget(epsilon, delta), "method": method, "setting": setting
    }  # fmt: skip
    if positive is not None and labels is not None:
        raise DeclarationError(
            f"learn {target}",
            found="--positive asks for a rule, and --labels for several labels",
            fix="leave out one of the two",
        )
    if positive is not None:
        if default is not None:
            raise DeclarationError(
                f"give other values of {target} the label {default!r}",
                found="there is one rule, and no list of labels",
                fix="leave out --default, or say --labels A,B,C in place of --positive",
            )
        learner, why = choose_learner(parse_class(hypotheses), **goal)
        more = None if estimate is None else exact_epsilon(estimate)
        event = learner.event_with(more)
        return RuleTask(learner, why, event, Label.parse(target, positive), more)
    declared = Labels.parse(target, labels or "", default)
    if estimate is not None:
        raise DeclarationError(
            "estimate precision, recall and error",
            found="they are those of a rule, and there are several labels",
            fix="leave out --estimate, or ask about one label with --positive",
        )
    several, why = choose_multiclass_learner(parse_multiclass(hypotheses, declared.names), **goal)
    return LabelsTask(several, why, several.event, declared)
