"""Composition of events, one theorem a file; every cost is a certified rational upper bound."""
