"""The end of a wait for a server that has fallen silent: its connection is cut from this side.

A frozen server, or a network that swallows everything, sends neither an answer nor an error, and its
machine may still confirm what arrives.  No setting of the connection ends that wait.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Protocol


class SocketConnection(Protocol):
    """A connection that returns its socket, or raises once it is closed."""

    def fileno(self) -> int:
        """The socket's descriptor."""


class Watch:
    """Cut ``connection`` if a wait on it takes too long; ``cut`` says whether that happened.

    >>> here, there = socket.socketpair()
    >>> with here, there, Watch(here).during(0.01):
    ...     here.recv(1)      # nothing ever comes
    b''
    """

    def __init__(self, connection: SocketConnection) -> None:
        self._connection, self.cut = connection, False
        self._guard, self._waiting = threading.Lock(), False

    @contextmanager
    def during(self, seconds: float) -> Iterator[None]:
        """Watch the body, which waits for the connection."""
        timer = threading.Timer(seconds, self._cut)
        timer.daemon = True
        self._waiting = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            with self._guard:
                self._waiting = False

    def _cut(self) -> None:
        with self._guard, suppress(Exception):  # it may have been closed in between
            if self._waiting:
                self.cut = True
                its = socket.socket(fileno=self._connection.fileno())
                try:
                    its.shutdown(socket.SHUT_RDWR)
                finally:
                    its.detach()
