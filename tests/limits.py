"""A limit on what a process may write to, so that a fault that grows fails in its own test."""

from __future__ import annotations

import sys

if sys.platform != "win32":
    from resource import RLIM_INFINITY, RLIMIT_DATA, getrlimit, setrlimit


def limit_memory(size: int | None) -> None:
    """Let this process, and those that it starts, write to at most ``size`` bytes each; None: to any.

    Addresses that are only reserved count for nothing: a browser reserves many.
    """
    if sys.platform != "win32":
        now, most = getrlimit(RLIMIT_DATA)
        # A lower limit stays.
        soft = most if size is None else size if now == RLIM_INFINITY else min(size, now)
        setrlimit(RLIMIT_DATA, (soft, most))
