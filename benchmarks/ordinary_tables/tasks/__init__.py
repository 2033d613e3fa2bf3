"""The tasks, by what the rows are."""

from benchmarks.ordinary_tables.tasks import (
    choices,
    health,
    incomes,
    medicine,
    nature,
    people,
    things,
)

TASKS = [
    *medicine.TASKS,
    *health.TASKS,
    *people.TASKS,
    *incomes.TASKS,
    *choices.TASKS,
    *nature.TASKS,
    *things.TASKS,
]
