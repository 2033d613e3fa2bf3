"""Work on both cores beside work on one, with equal answers: `verify`, an audit, a calibration.

The warm-up starts the workers, so that their start is not timed.  A shared machine has fewer cores than
it says, so look at its load first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from benchmarks.calibration import measured
from benchmarks.harness import Case, Contender, require
from littlestone.privacy.randomness import seeded_generator
from littlestone.prove.audit import find_subject
from littlestone.prove.papers import run_all

ON_REQUEST = "minutes"

SUBJECT, CLAIM = "regrown-learner", (Fraction(1), Fraction(0))


def verified(jobs: int) -> Any:
    """The statements about mixed tables."""
    return run_all("Mixed tables", jobs=jobs)


def audited(jobs: int) -> Any:
    """The exact audit of a learner, and the measured one."""
    subject = find_subject(SUBJECT).make(*CLAIM)
    goal: dict[str, Any] = {"trials": 2000, "confidence": Fraction(99, 100), "jobs": jobs}
    return subject.exact(jobs=jobs), subject.measure(**goal, rng=seeded_generator(1))


def simulated(jobs: int) -> Any:
    """The calibrated sizes of one method, from few runs."""
    return measured(20, ["choosing"], jobs)


def cases() -> Iterator[Case]:
    """Two processes beside one."""
    for title, work in [
        ("verify: the statements about mixed tables", verified),
        (f"audit {SUBJECT}, exact and 2,000 trials", audited),
        ("calibration of choosing, 2,000 runs", simulated),
    ]:
        yield _case(title, work)


def _case(title: str, work: Callable[[int], Any]) -> Case:
    known: list[Any] = []

    def check(answer: Any) -> None:
        known.append(answer)
        require(answer == known[0], "another answer with another number of processes")

    return Case(
        title,
        Contender("two processes", lambda: work(2), check),
        [Contender("one process", lambda: work(1), check)],
        repeats=1,
    )
