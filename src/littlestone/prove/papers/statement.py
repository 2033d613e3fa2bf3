"""Runnable statements, and how all of them are found and run."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from inspect import signature
from types import ModuleType
from typing import Any, Literal, cast, get_args

import numpy as np

from littlestone.base.discovery import modules
from littlestone.base.errors import DeclarationError
from littlestone.base.parallel import spread

Status = Literal["as stated", "changed", "mended", "false", "refused", "not built", "open"]
"""What becomes of a statement here.

* as stated: the code does, or a row confirms, what the paper states; constants may be sharper.
* changed: nothing is wrong with it as printed; ours is another form, such as a sharper one.
* mended: as printed it is false or has a slip, or its proof has a gap; what is run is mended.
* false: it fails, as the row shows.
* refused: we do not do it, for a reason that the map gives.
* not built: it can be run, and nothing here runs it yet.
* open: a question, or a comparison of hidden constants.
"""


FAILS = "FAILS"


@dataclass(frozen=True)
class Trial:
    """How a statement is run: another seed for what is sampled, and larger families.

    ``seed`` None gives the same samples every time; ``deep`` takes minutes instead of seconds.
    """

    seed: int | None = None
    deep: bool = False

    def array(self, own: int) -> np.random.Generator:
        """A generator for tables; ``own`` tells the samples of a row from those of others.

        >>> int(Trial().array(5).integers(100)) == int(np.random.default_rng(5).integers(100))
        True
        """
        return np.random.default_rng(own if self.seed is None else [self.seed, own])

    def draws(self, own: int) -> random.Random:
        """A generator for records and simulated releases.

        >>> Trial().draws(5).random() == random.Random(5).random()
        True
        """
        return random.Random(own if self.seed is None else f"{self.seed} {own}")

    def pick(self, usual: int, deep: int) -> int:
        """The number of things to try.

        >>> Trial().pick(60, 600), Trial(deep=True).pick(60, 600)
        (60, 600)
        """
        return deep if self.deep else usual


@dataclass(frozen=True)
class Outcome:
    """The result of running a statement: the bound it states, what was measured, whether it holds."""

    stated: str
    measured: str
    holds: bool


@dataclass(frozen=True)
class Verdict:
    """One row of `littlestone verify`: a statement, on what it was run, and the outcome."""

    statement: Statement
    scope: str
    outcome: Outcome

    @property
    def holds(self) -> bool:
        """Whether everything measured is as the row says it is."""
        return self.outcome.holds

    @property
    def mark(self) -> str:
        """holds, or false if the row shows that its statement is; FAILS if it finds anything else."""
        return ("false" if self.statement.status == "false" else "holds") if self.holds else FAILS

    def to_json(self) -> dict[str, object]:
        """The row as plain JSON values."""
        of, found = self.statement, self.outcome
        return {
            "id": of.id,
            "name": of.name,
            "status": of.status,
            "scope": self.scope,
            "stated": found.stated,
            "measured": found.measured,
            "holds": found.holds,
        }


@dataclass(frozen=True)
class Statement:
    """A numbered statement with the function that runs it; deterministic, and done in seconds.

    ``id`` is its number in the paper: a paper of the `catalogue` beside it, then the number.  Any
    other first word stands for another paper, or for something of our own.  ``says`` is what the row
    checks, ``scope`` on what, and ``deep`` on what else if it is asked to go deep.  ``code`` lists
    names beneath ``littlestone``, ``proof`` pages of docs/ with their anchors, both separated by ", ";
    an empty ``proof`` is that of the paper.
    """

    id: str
    says: str
    code: str
    scope: str
    status: Status
    proof: str
    deep: str
    run: Callable[..., Outcome]

    @property
    def name(self) -> str:
        """The row's own name.

        >>> find_statement("L5 Example 1: LDim(H) <= log2 |H|").id
        'L5 Example 1'
        """
        return f"{self.id}: {self.says}"

    @property
    def verdict_status(self) -> str:
        """The status as a verdict says it: a row of a false statement holds if it shows that."""
        return "shown false" if self.status == "false" else self.status

    def __call__(self, trial: Trial = Trial()) -> Verdict:
        asks = "trial" in signature(self.run).parameters
        scope = f"{self.scope}; {self.deep}" if trial.deep and self.deep else self.scope
        return Verdict(self, scope, self.run(trial) if asks else self.run())

    def __reduce__(self) -> tuple[Callable[[str], Statement], tuple[str]]:
        # Its name goes to other processes: a decorated function cannot.
        return find_statement, (self.name,)


def statement(
    *,
    id: str,  # noqa: A002, the field's name
    says: str,
    code: str,
    scope: str,
    status: Status,
    proof: str = "",
    deep: str = "",
) -> Callable[[Callable[..., Outcome]], Statement]:
    """Mark a function as a statement that can be run; see `Statement` for the words.

    The function takes a `Trial`, named ``trial``, if it samples or has a larger family.
    """
    return partial(Statement, id, says, code, scope, status_of(id, status), proof, deep)


def status_of(statement_id: str, text: str) -> Status:
    """The status ``text``; raises `DeclarationError` if there is none of that name."""
    if text not in get_args(Status):
        raise DeclarationError(
            f"the statement {statement_id}",
            found=f"status {text!r}",
            fix=f"use one of {', '.join(get_args(Status))}",
        )
    return cast(Status, text)


def statements(only: str = "") -> list[Statement]:
    """The statements whose name contains ``only``, in the order of the modules and files."""
    found: dict[int, Any] = {
        id(row): row
        for module in modules("littlestone.prove.papers")
        for row in rows_of(module).values()
    }
    return [row for row in found.values() if only.lower() in row.name.lower()]


def rows_of(module: ModuleType) -> dict[str, Statement]:
    """The rows of a module by their names there; those of audit subjects by the names of these."""
    members = vars(module) | getattr(module, "AUDITED", {})
    return {name: member for name, member in members.items() if isinstance(member, Statement)}


def find_statement(name: str) -> Statement:
    """The statement of exactly that name."""
    return next(row for row in statements() if row.name == name)


def tally(verdicts: Sequence[Verdict]) -> str:
    """How many statements hold, how many are shown false, and how many rows fail.

    >>> tally(run_all("Fact 4"))
    '1 of 2 statements hold, 1 is shown false as stated'
    """
    marks = Counter(verdict.mark for verdict in verdicts)
    shown, fail = marks["false"], marks[FAILS]
    found = [f"{marks['holds']:,} of {len(verdicts):,} statements hold"]
    if shown:
        found.append(f"{shown:,} {'is' if shown == 1 else 'are'} shown false as stated")
    if fail:
        found.append(f"{fail:,} {'fails' if fail == 1 else 'fail'}")
    return ", ".join(found)


def run_one(row: Statement, trial: Trial = Trial()) -> Verdict:
    """Run a statement; a function that other processes can be given.

    >>> run_one(find_statement("L5 Example 1: LDim(H) <= log2 |H|")).holds
    True
    """
    return row(trial)


def run_all(only: str = "", *, trial: Trial | None = None, jobs: int | None = 1) -> list[Verdict]:
    """Run the statements whose name contains ``only``, in the order of the modules and files.

    ``jobs`` processes share the work; None is one for each core.

    >>> [verdict.holds for verdict in run_all("L5 Example 1")]
    [True]
    """
    task = partial(run_one, trial=trial or Trial())
    found = dict(spread(task, statements(only), jobs=jobs, what="running statements"))
    return [found[i] for i in sorted(found)]
