"""Agnostic learners out of realizable ones: a part of the records is relabelled, then learned from."""
