"""The best that any private learner of a tiny class can do, between two proved fractions."""

from littlestone.theory.optimum.program import Optimum, best, most_stability
from littlestone.theory.optimum.tasks import Task, Trial, most_success, rows_of, success_of

__all__ = [
    "Optimum",
    "Task",
    "Trial",
    "best",
    "most_stability",
    "most_success",
    "rows_of",
    "success_of",
]
