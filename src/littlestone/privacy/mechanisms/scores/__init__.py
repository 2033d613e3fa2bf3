"""Mechanisms that take one score per candidate."""
