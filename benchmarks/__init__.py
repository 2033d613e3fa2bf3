"""Benchmarks; each asserts its answer."""
