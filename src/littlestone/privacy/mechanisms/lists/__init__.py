"""Mechanisms that take lists of values, one of each teacher or record."""
