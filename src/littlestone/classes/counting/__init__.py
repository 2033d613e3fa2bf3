"""Hypotheses counted by their errors, where there are too many to list."""
