"""The first call after an installation: it compiles the engine, and says so."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from littlestone.progress import stage

_LOG = logging.getLogger(__name__)
_WHAT = "compiling the solver"
_KERNELS = 42  # functions that are compiled, for the share that is done


@contextmanager
def told() -> Iterator[None]:
    """Log a warning if the block compiles anything, and tell how far it is, as a stage.

    Only for questions about public tables: whether the engine is needed depends on the question.
    Without a handler for it, the warning goes to standard error.
    """
    from numba.core import event

    with stage(_WHAT) as tell:

        class Teller(event.Listener):  # type: ignore[misc, unused-ignore]
            def __init__(self) -> None:
                self.done = 0

            def on_start(self, _: Any) -> None:
                if self.done == 0:
                    self.done = 1
                    _LOG.warning("%s: 10 to 30 seconds, once after each installation", _WHAT)
                    tell(0, _KERNELS)

            def on_end(self, _: Any) -> None:
                tell(min(self.done, _KERNELS), _KERNELS)
                self.done += 1

        began, teller = time.monotonic(), Teller()
        with event.install_listener("numba:compile", teller):
            yield
        if teller.done:
            _LOG.warning("compiled the solver in %.0f seconds", time.monotonic() - began)
