"""What the ledger's tests share: an event, and one process that runs a function."""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from littlestone.privacy.cost import PrivacyCost
from littlestone.privacy.event import Event

CENT = Fraction(1, 100)


@dataclass(frozen=True)
class Answer(Event):
    epsilon: Fraction = CENT
    delta: Fraction = Fraction(0)

    def cost(self) -> PrivacyCost:
        return PrivacyCost(self.epsilon, self.delta)

    def __str__(self) -> str:
        return f"answer({self.epsilon}, {self.delta})"


def fork(work: Callable[[], int]) -> int:
    """Start a process that ends with the status ``work`` returns (below 200); its id."""
    child = os.fork()
    if child:
        return child
    status = 255
    try:
        status = work()
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)


def status_of(child: int) -> int:
    """Wait for ``child``; its exit status, negative when a signal ended it."""
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
