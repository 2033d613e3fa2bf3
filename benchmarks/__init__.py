"""Benchmarks: every time stands beside a named alternative, and every answer is checked."""
