"""Mechanisms, one a file, each with its exact distribution beside its exact draw."""
