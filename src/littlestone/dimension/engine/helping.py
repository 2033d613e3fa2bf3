"""A second search beside the first one: the same question, the same table of bounds."""

from __future__ import annotations

from threading import Condition, Thread
from typing import Any

import numpy as np

from littlestone.dimension.engine.search import decide
from littlestone.dimension.engine.state import MAY_GROW, NODE_LIMIT, NODES, STOP, State, beside

PATIENCE = 0.2  # seconds that the first search has for itself: most tables need no more
NO_POINTS: Any = np.empty(0, np.int64)


class Helper:
    """A thread that searches beside another one, for all questions about one root until `close`.

    Both searches look for the same answer, and whoever finds it stops the other one.  What they learn
    they share.  Neither holds the interpreter's lock meanwhile.
    """

    def __init__(self, state: State) -> None:
        self._first = state
        self._second: State | None = None
        self._turn = Condition()
        self._question: tuple[int, int] | None = None
        self._busy = self._over = False
        self._answer = -1
        Thread(target=self._run, daemon=True).start()

    @property
    def nodes(self) -> int:
        """Version spaces that this search has looked at."""
        return 0 if self._second is None else int(self._second.control[NODES])

    def begin(self, k: int, nodes: int) -> None:
        """The first search is about to be asked whether LDim >= k, within so many version spaces."""
        with self._turn:
            self._question, self._answer = (k, nodes), -1
            self._turn.notify_all()

    def end(self) -> int:
        """The first search has ended: stop this one.  Its answer, or -1 if it has none."""
        with self._turn:
            self._question = None
            self._stop()
            self._turn.wait_for(lambda: not self._busy)
            return self._answer

    def close(self) -> None:
        """There are no more questions."""
        with self._turn:
            self._over = True
            self._stop()
            self._turn.notify_all()

    def _stop(self) -> None:
        if self._second is not None:
            self._second.control[STOP] = 1

    def _run(self) -> None:
        with self._turn:
            if self._turn.wait_for(lambda: self._over, PATIENCE):
                return
            try:
                state = self._second = beside(self._first)
            except MemoryError:
                return  # the first search goes on alone
            state.control[MAY_GROW] = 0
            done = None
            while not self._over:
                if self._question is None or self._question is done:
                    self._turn.wait()
                    continue
                done = self._question
                k, nodes = done
                state.control[STOP], state.control[NODE_LIMIT] = 0, state.control[NODES] + nodes
                self._busy = True
                self._turn.release()
                try:
                    answer = int(decide(state, 0, -1, 0, k, -1, NO_POINTS))
                finally:
                    self._turn.acquire()
                    self._busy = False
                if answer >= 0 and self._question is done:
                    self._answer = answer
                    self._first.control[STOP] = 1
                self._turn.notify_all()
