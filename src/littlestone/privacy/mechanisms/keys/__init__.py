"""Mechanisms that take keys of an open vocabulary, with their counts."""
