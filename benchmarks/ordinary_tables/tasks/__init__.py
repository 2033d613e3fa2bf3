"""The tasks, by what the rows are."""

from benchmarks.ordinary_tables.tasks import medicine, nature, people, things

TASKS = [*medicine.TASKS, *people.TASKS, *nature.TASKS, *things.TASKS]
