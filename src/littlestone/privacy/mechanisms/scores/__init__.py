"""Mechanisms that take a score of each candidate."""
