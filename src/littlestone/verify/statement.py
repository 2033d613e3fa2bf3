"""Runnable statements, and how all of them are found and run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass

from littlestone.discovery import modules
from littlestone.parallel import spread


@dataclass(frozen=True)
class Outcome:
    """The result of running a statement: the bound it states, what was measured, whether it holds."""

    stated: str
    measured: str
    holds: bool


@dataclass(frozen=True)
class Verdict:
    """One row of `littlestone verify`."""

    name: str
    stated: str
    measured: str
    holds: bool

    def to_json(self) -> dict[str, object]:
        """The row as plain JSON values."""
        return asdict(self)


class Statement:
    """A statement of a paper with the function that runs it; deterministic, and done in seconds."""

    def __init__(self, name: str, run: Callable[[], Outcome]) -> None:
        self.name = name
        self.run = run
        self.__doc__ = run.__doc__

    def __call__(self) -> Verdict:
        outcome = self.run()
        return Verdict(self.name, outcome.stated, outcome.measured, outcome.holds)


def statement(name: str) -> Callable[[Callable[[], Outcome]], Statement]:
    """Mark a function as the statement ``name``, such as ``"L5 Lemma 1"``."""
    return lambda run: Statement(name, run)


def statements() -> list[Statement]:
    """All statements of the package, found by walking ``littlestone.verify``."""
    found = {
        id(member): member
        for module in modules("littlestone.verify")
        for member in vars(module).values()
        if isinstance(member, Statement)
    }
    return list(found.values())


def named(only: str) -> list[str]:
    """The names of the statements that contain ``only``, in the order of the modules and files."""
    return [run.name for run in statements() if only.lower() in run.name.lower()]


def run_one(name: str) -> Verdict:
    """Run the statement of that name.

    >>> run_one("L5 Example 1: LDim(H) <= log2 |H|").holds
    True
    """
    return next(run for run in statements() if run.name == name)()


def run_all(only: str = "", *, jobs: int | None = 1) -> list[Verdict]:
    """Run the statements whose name contains ``only``, in the order of the modules and files.

    ``jobs`` processes share the work; None is one for each core.

    >>> [verdict.holds for verdict in run_all("L5 Example 1")]
    [True]
    """
    found = dict(spread(run_one, named(only), jobs=jobs, what="running statements"))
    return [found[i] for i in sorted(found)]
