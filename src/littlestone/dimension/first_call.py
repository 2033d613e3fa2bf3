"""The first call after an installation: it compiles what it needs, and says so."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from littlestone.progress import stage

_LOG = logging.getLogger(__name__)


@contextmanager
def told(
    what: str = "the solver", *, takes: str = "10 to 30 seconds", kernels: int = 42
) -> Iterator[None]:
    """Log a warning if the block compiles anything, and tell how far it is, as a stage.

    ``kernels`` are about how many functions are compiled, for the share that is done.

    Only for questions about public tables: whether the engine is needed depends on the question.
    Without a handler for it, the warning goes to standard error.
    """
    from numba.core import event

    with stage(f"compiling {what}") as tell:

        class Teller(event.Listener):  # type: ignore[misc, unused-ignore]
            def __init__(self) -> None:
                self.done = 0

            def on_start(self, _: Any) -> None:
                if self.done == 0:
                    self.done = 1
                    _LOG.warning("compiling %s: %s, once after each installation", what, takes)
                    tell(0, kernels)

            def on_end(self, _: Any) -> None:
                tell(min(self.done, kernels), kernels)
                self.done += 1

        began, teller = time.monotonic(), Teller()
        with event.install_listener("numba:compile", teller):
            yield
        if teller.done:
            _LOG.warning("compiled %s in %.1f seconds", what, time.monotonic() - began)
