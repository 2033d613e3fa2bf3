"""Learners and reductions of the papers."""
