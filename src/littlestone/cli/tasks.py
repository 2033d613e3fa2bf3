"""What `littlestone fit` is asked to learn: when a record is positive, or which label it has."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from littlestone.classes import parse_class
from littlestone.data import Label, Table, read_sample
from littlestone.learners import PrivateLearner, Release
from littlestone.learners.base import Setting
from littlestone.planning import choose_learner
from littlestone.privacy.budget import Budget
from littlestone.privacy.cost import exact_epsilon
from littlestone.privacy.event import Event
from littlestone.report.fit import Evaluation
from littlestone.sample import Sample


@dataclass(frozen=True)
class Task:
    """A learner, chosen by declarations alone, and how records reach it; ``why`` it was chosen.

    With an epsilon ``estimate`` it says how good the rule is as well.
    """

    learner: PrivateLearner[Any]
    why: str
    event: Event
    label: Label
    estimate: Fraction | None

    def read(self, table: Table, *, refuse_blank: bool) -> Sample[Any]:
        """The sample of a table, as `read_sample` reads it."""
        domain = self.learner.hypotheses.domain
        return read_sample(table, domain, self.label, refuse_blank=refuse_blank)

    def fit(self, sample: Sample[Any], **spending: Any) -> Release:
        """Spend and release, as the learner's `fit` does."""
        return self.learner.fit(
            sample,
            label=str(self.label),
            labels=self.label.names,
            estimate=self.estimate,
            **spending,
        )

    def evaluate(self, release: Release, sample: Sample[Any]) -> Evaluation:
        """How the release fares on the sample: NOT PRIVATE."""
        return Evaluation.of(release, self.learner.hypotheses, sample)


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
    label = Label.parse(target, positive, labels=labels, default=default)
    H = parse_class(hypotheses, label.labels)
    learner, why = choose_learner(H, **goal)
    more = None if estimate is None else exact_epsilon(estimate)
    return Task(learner, why, learner.event_with(more), label, more)
