"""Runnable statements, how they are found and run, and the lines of the papers that they stand in.

The lines are in ``statements/``, one file a paper.  A line has the number, the statement in our words,
and what no row can say: tests, deviations and, if no row runs it, its status, code and proof.
"""

from __future__ import annotations

import random
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib.resources import files
from inspect import signature
from itertools import permutations, product
from types import ModuleType
from typing import Any, Literal, cast, get_args

import numpy as np

from littlestone.base.discovery import modules, read_words
from littlestone.base.errors import DeclarationError
from littlestone.base.work import spread
from littlestone.classes import FiniteClass
from littlestone.theory.atlas.listing import smallest_masks

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
    """The result of running a statement: what was measured, and whether that is as stated.

    ``stated`` is what the row states, if its numbers are known only when it runs.
    """

    measured: str
    holds: bool
    stated: str = ""


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
    checks, ``scope`` on what, ``deep`` on what else if it is asked to go deep, and ``stated`` what it
    should find.  ``code`` lists names beneath ``littlestone``, ``proof`` pages of docs/ with their
    anchors, both separated by ", "; an empty ``proof`` is that of the paper.
    """

    id: str
    says: str
    code: str
    scope: str
    status: Status
    proof: str
    deep: str
    stated: str
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
        found = self.run(trial) if asks else self.run()
        return Verdict(self, scope, replace(found, stated=found.stated or self.stated))

    def __reduce__(self) -> tuple[Callable[[str], Statement], tuple[str]]:
        # Its name goes to other processes: a decorated function cannot.
        return find_statement, (self.name,)


def statement(
    id: str,  # noqa: A002, the field's name
    status: Status = "as stated",
    **words: str,
) -> Callable[[Callable[..., Outcome]], Statement]:
    """Mark a function as a statement that can be run; see `Statement` for the words.

    The last lines of its docstring are words that are not given.  The function takes a `Trial`, named
    ``trial``, if it samples or has a larger family.
    """

    def mark(run: Callable[..., Outcome]) -> Statement:
        told = dict.fromkeys(("proof", "deep", "stated"), "") | read_words(run.__doc__)[1] | words
        return Statement(id, status=status_of(id, status), run=run, **told)

    return mark


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


OTHERS = "others"
"""The key of statements of no paper of ours."""


@dataclass(frozen=True)
class Line:
    """One numbered statement of a paper, together with its rows."""

    id: str
    says: str
    status: Status
    code: tuple[str, ...]
    proof: tuple[str, ...]
    tests: tuple[str, ...]
    why: str
    rows: tuple[Statement, ...]


@dataclass(frozen=True)
class Paper:
    """A paper and its numbered statements, in order; ``cited`` is its key in the bibliography."""

    key: str
    title: str
    cited: str
    lines: tuple[Line, ...]


def papers(rows: Iterable[Statement]) -> list[Paper]:
    """The papers, each statement with those of ``rows`` that run it.

    Raises `DeclarationError` for a row whose number is not a statement of its paper, and for a line
    whose status is declared twice or not at all.

    >>> from littlestone.prove.papers.statement import statements
    >>> [(paper.key, len(paper.lines)) for paper in papers(statements())][0]
    ('L5', 24)
    """
    found: dict[str, list[Statement]] = {}
    for row in rows:
        found.setdefault(row.id, []).append(row)
    read = [_paper(source, found) for source in _sources()]
    known = {line.id for paper in read for line in paper.lines}
    for row_id in found:
        if paper_of(row_id) != OTHERS and row_id not in known:
            raise DeclarationError(
                f"the row {row_id}",
                found="its paper has no statement of that number",
                fix="use a number of littlestone/prove/papers/statements/, or add a line there",
            )
    return read


def paper_of(row_id: str) -> str:
    """The key of a row's paper; `OTHERS` if its first word is not one.

    >>> paper_of("L5 Theorem 1"), paper_of("Mixed tables")
    ('L5', 'others')
    """
    key = row_id.partition(" ")[0]
    return key if any(source["key"] == key for source in _sources()) else OTHERS


def title_of(row: Statement) -> str:
    """The heading of the row's paper.

    >>> title_of(statements("L5 Lemma 1")[0])
    'L5: Kalavasis, Lecture 5: PAC learning with pure DP and online learning'
    """
    key = paper_of(row.id)
    titles = {source["key"]: f"{key}: {source['title']}" for source in _sources()}
    return titles.get(key, "Others: statements of other papers, and our own")


def number_of(row: Statement) -> str:
    """The row's number in its paper; its whole id if it has no paper of ours.

    >>> number_of(statements("L5 Lemma 1")[0])
    'Lemma 1'
    """
    key = paper_of(row.id)
    return row.id if key == OTHERS else row.id.removeprefix(f"{key} ")


def select_statements(
    only: str | None = None, *, paper: str | None = None, number: str | None = None
) -> list[Statement]:
    """The statements in the order of the map, of papers first.

    ``only`` is part of their name, ``paper`` the key of their paper or `OTHERS`, and ``number`` their
    id or their number in any paper; None selects all.  A paper is also known by its key in the
    bibliography.  Raises `DeclarationError` for an empty text, and if no row is left.

    >>> [row.says for row in select_statements(number="l5 example 1")]
    ['LDim(H) <= log2 |H|']
    >>> {row.id for row in select_statements(number="Lemma 4.3")}
    {'Lyu25 Lemma 4.3'}
    """
    given = {"": only, "--paper ": paper, "--id ": number}
    asked = {option: text for option, text in given.items() if text is not None}
    words = " ".join(f"{option}{text!r}" for option, text in asked.items())
    if not all(asked.values()):
        raise DeclarationError(
            f"verify {words}", found="an empty text", fix="leave it out to run every statement"
        )
    order = [
        f"{source['key']} {entry['number']}" for source in _sources() for entry in source["line"]
    ]
    places = {row_id: i for i, row_id in enumerate(order)}
    named = [
        row
        for row in sorted(statements(only or ""), key=lambda row: places.get(row.id, len(places)))
        if number is None or _by_key(number) in (row.id.lower(), number_of(row).lower())
    ]
    found = [row for row in named if paper is None or _by_key(paper) == paper_of(row.id).lower()]
    if not found:
        keys = dict.fromkeys(paper_of(row.id) for row in named)
        if number is not None and not keys and _is_line(_by_key(number), order):
            raise DeclarationError(
                f"verify {words}",
                found="the papers have that statement, and no row runs it",
                fix="docs/theorem-map.md says what is known of it",
            )
        known = ", ".join(source["key"] for source in _sources())
        if paper is not None and _by_key(paper) not in (*known.lower().split(", "), OTHERS):
            raise DeclarationError(
                f"verify --paper {paper!r}",
                found="no paper here has that key",
                fix=f"give one of {known} (L5 is Kalavasis's Lecture 5), or {OTHERS} for "
                "statements of all other papers",
            )
        raise DeclarationError(
            f"verify {words}",
            found=f"that is in {', '.join(keys)}" if keys else "no statement has that",
            fix=f"use --paper {next(iter(keys))}, or leave --paper out"
            if keys
            else "use a number or a part of a name that `littlestone verify` prints, such as L5",
        )
    return found


def _by_key(name: str) -> str:
    """A name in small letters, in which a key of the bibliography becomes that of the paper."""
    key, _, rest = name.lower().partition(" ")
    keys = {source["cited"].lower(): source["key"].lower() for source in _sources()}
    return " ".join(part for part in (keys.get(key, key), rest) if part)


def _is_line(number: str, order: list[str]) -> bool:
    """Whether a paper has a statement of that id or number."""
    ids = [row_id.lower() for row_id in order]
    return any(number in (row_id, row_id.partition(" ")[2]) for row_id in ids)


@cache
def _sources() -> list[dict[str, Any]]:
    folder = files("littlestone.prove.papers") / "statements"
    texts = sorted((path.name, path.read_text(encoding="utf-8")) for path in folder.iterdir())
    return [tomllib.loads(text) for _, text in texts]


def _paper(source: dict[str, Any], found: dict[str, list[Statement]]) -> Paper:
    key = source["key"]
    lines = [_line(entry, f"{key} {entry['number']}", found) for entry in source["line"]]
    return Paper(key, source["title"], source["cited"], tuple(lines))


def _line(entry: dict[str, str], number: str, found: dict[str, list[Statement]]) -> Line:
    rows = found.get(number, [])
    declared = {row.status for row in rows}
    if ("status" in entry) == (len(declared) == 1):
        raise DeclarationError(
            f"the statement {number}",
            found=f"its rows have the status {sorted(declared)}, its line {entry.get('status')!r}",
            fix="say it in the line exactly if no row does, or if rows differ",
        )
    return Line(
        number,
        entry["says"],
        status_of(number, entry["status"]) if "status" in entry else rows[0].status,
        _split_names([entry.get("code", ""), *(row.code for row in rows)]),
        _split_names([entry.get("proof", ""), *(row.proof for row in rows)]),
        _split_names([entry.get("tests", "")]),
        entry.get("why", ""),
        tuple(rows),
    )


def _split_names(texts: Iterable[str]) -> tuple[str, ...]:
    """The names in all texts, each once."""
    return tuple(dict.fromkeys(name for text in texts for name in text.split(", ") if name))


def every_class(points: int, labels: int = 2) -> Iterator[FiniteClass]:
    """All nonempty classes of functions from ``points`` points into ``labels`` labels.

    There are 2^(labels^points) - 1: 255 on three points with two labels, 511 on two points with three.

    >>> len(list(every_class(3))), len(list(every_class(2, labels=3)))
    (255, 511)
    """
    rows = list(product(range(labels), repeat=points))
    everything = FiniteClass.from_array(rows, labels=labels)
    for mask in range(1, 1 << len(rows)):
        yield replace(everything, alive=mask)


def unordered_classes(points: int, labels: int = 2) -> Iterator[FiniteClass]:
    """The same up to the order of the points, which no statement mentions.

    The atlas lists fewer, because it also exchanges labels, which changes what an SOA predicts.

    >>> len(list(unordered_classes(3))), len(list(unordered_classes(4)))
    (79, 3983)
    """
    rows = list(product(range(labels), repeat=points))
    place = {row: i for i, row in enumerate(rows)}
    orders = permutations(range(points))
    moves = [[place[tuple(row[x] for x in order)] for row in rows] for order in orders]
    everything = FiniteClass.from_array(rows, labels=labels)
    for mask in smallest_masks(np.array(moves))[0]:
        yield replace(everything, alive=mask)
