"""The task of a label, a class and a budget, for tests that have these already."""

from typing import Any

from littlestone.data import Label
from littlestone.learn.declared.declaration import Declaration
from littlestone.learn.declared.task import Task
from littlestone.privacy import Budget


def choose_task(label: Label, hypotheses: Any, budget: Budget, **told: Any) -> Task:
    epsilon, delta = budget.epsilon, budget.delta
    return Task.choose(Declaration.parse(label, hypotheses, epsilon=epsilon, delta=delta, **told))
