"""Ordinary tables: the tasks, ours and the alternatives of ``python -m benchmarks tables``."""
