"""Mechanisms that take lists of values, one list per teacher or record."""
