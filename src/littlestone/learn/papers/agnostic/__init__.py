"""Agnostic learners built from realizable ones: relabel a part of the records, then learn from it."""
