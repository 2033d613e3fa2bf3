"""What is declared to every shell: labels, targets, a ledger, a run, a seed; and who calls it."""

from __future__ import annotations

import inspect
import os
import warnings
from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any, NoReturn

import narwhals as nw
import numpy as np

from littlestone.base.errors import DeclarationError, LedgerError, NotPrivateWarning, show_value
from littlestone.data import Condition, Label, plain_values
from littlestone.data.frames import column_table
from littlestone.learn.declared.declaration import Declaration
from littlestone.learn.declared.declaring import SHELL, declare_class, open_schema, require_told
from littlestone.learn.declared.schema import Schema
from littlestone.learn.results.risks import Risks
from littlestone.points import number, text
from littlestone.privacy.ledger import Ledger, conninfo, is_address, show_address
from littlestone.privacy.randomness import seeded_generator, system_generator
from littlestone.rules import Hypothesis

if TYPE_CHECKING:
    from littlestone.learn.results.risks import StreamRisks
    from littlestone.learn.stream import DurableStream


class Original:
    """The run of a model that learns; every kind of copying makes a `LastRule` of it."""

    def __init__(self, run: DurableStream, tables: StreamRisks | None = None) -> None:
        self._run, self._tables, self._process = run, tables, os.getpid()

    @property
    def hypothesis(self) -> Hypothesis[Any]:
        """The published rule."""
        return self._run.stream.hypothesis

    @property
    def published_at(self) -> int:
        """The number of records before the publication."""
        return self._run.stream.published_at

    @property
    def risks(self) -> Risks | None:
        """The risks of the published rule, or of an earlier one; None before the first block."""
        return None if self._tables is None else self._tables.risks

    def update(self, x: Any, y: int, unit: object) -> None:
        """Learn from the next example, which is of this unit if the run protects units.

        Raises `DeclarationError` in a forked process.
        """
        if os.getpid() != self._process:  # a fork copies too
            _refuse_to_learn()
        if self._tables is not None:
            self._tables.count_record(self.hypothesis, x, y)
        self._run.take([(x, y)], units=None if self._run.units is None else [unit])

    def __reduce__(self) -> tuple[object, ...]:
        return LastRule, (self.hypothesis, self.published_at, self.risks)


@dataclass(frozen=True)
class LastRule:
    """What a model keeps of a run that it does not own: the published rule with its risks.

    A copy of a model that learns ``refuses`` records.  A clone that could not pay takes them and learns
    nothing.
    """

    hypothesis: Hypothesis[Any]
    published_at: int
    risks: Risks | None = None
    refuses: bool = True

    def update(self, x: Any, y: int, unit: object) -> None:
        """Learn nothing; raise `DeclarationError` if it ``refuses``."""
        if self.refuses:
            _refuse_to_learn()


def _refuse_to_learn() -> NoReturn:
    raise DeclarationError(
        "learn with a copy of a model that learns",
        found="two copies of one state would draw twice what was paid for once",
        fix="learn with the original, in its process; or with a clone, which spends for itself",
    )


class LedgerPlace:
    """The parameter ``ledger`` of a shell; a relative path is made absolute once, when it is set.

    A change of directory, a clone or a worker process in another directory then finds the same ledger.
    Any other object is kept unchanged, because hosts require it.  Raises `LedgerError` for an address
    with a password, because no password may be kept or shown.  Raises it also for a text that may be a
    misspelled address, because as a path it would be another ledger.

    >>> class Shell:
    ...     ledger = LedgerPlace()
    >>> shell = Shell()
    >>> shell.ledger = "budget.ledger"
    >>> shell.ledger == os.path.abspath("budget.ledger")
    True
    """

    def __get__(self, shell: object, kind: type[object]) -> Any:
        return self if shell is None else vars(shell)["ledger"]

    def __set__(self, shell: object, ledger: object) -> None:
        vars(shell)["ledger"] = _resolve(ledger)


class _Address(str):
    """The address of a server, printed without its options, which may be confidential."""

    __slots__ = ()

    def __str__(self) -> str:
        return show_address(self[:])

    def __repr__(self) -> str:
        return repr(str(self))

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)


def _resolve(ledger: object) -> object:
    if isinstance(ledger, bytes | bytearray):
        raise LedgerError(
            "open the ledger",
            found="its place is given as bytes, which may be an address and would be shown",
            fix="give it as text: a path, or postgresql://USER@HOST/DATABASE",
        )
    if not isinstance(ledger, str | os.PathLike):
        return ledger
    text = os.fsdecode(ledger)
    if is_address(text):
        conninfo(text)
        return (
            ledger if show_address(text) == text or isinstance(ledger, _Address) else _Address(text)
        )
    return ledger if os.path.isabs(text) else os.path.abspath(text)


def open_ledger(ledger: object, *, create: bool) -> AbstractContextManager[Ledger]:
    """The given ledger, which stays open, or the ledger at a path or address, opened for the spend.

    Raises `LedgerError` if there is no ledger and ``create`` is false: a ledger made by accident knows
    no limit and no earlier spend.
    """
    if isinstance(ledger, Ledger):
        return nullcontext(ledger)
    if not isinstance(ledger, str | os.PathLike):
        raise DeclarationError(
            f"spend on a ledger of type {type(ledger).__name__}",
            found="it is neither a Ledger nor the path or address of one",
            fix="give a path, so that it outlives the program; Ledger() for a simulation",
        )
    try:
        return Ledger(ledger, create=create)
    except LedgerError as error:
        if create:
            raise
        raise LedgerError(
            error.asked,
            found=error.found,
            fix=f"{error.fix}; create_ledger=True makes a new ledger, where nothing is spent yet",
        ) from None


_PARAMETERS = [
    "epsilon", "delta", "method", "setting", "estimate", "risk", "cost", "unit", "max_records"
]  # fmt: skip
"""The parameters of a shell that `Declaration.parse` takes as they are; not every shell has all."""

_NEEDED = ["epsilon", "delta", "horizon", "ledger", "dataset"]
"""The parameters of a shell that nothing else can give."""


def class_labels(classes: object) -> tuple[object, ...]:
    """The labels, with the default (of two: the negative one) first; at least two, else an error.

    >>> class_labels(["no", "yes"])
    ('no', 'yes')
    """
    if not isinstance(classes, Sequence | np.ndarray) or isinstance(classes, str | bytes):
        raise DeclarationError(
            f"read labels from an object of type {type(classes).__name__}",
            found="it is not a sequence, in which one label comes first",
            fix="declare classes=(negative, positive), or all labels",
        )
    declared = [y.item() if isinstance(y, np.generic) else y for y in classes]
    if len(declared) < 2:
        raise DeclarationError(
            f"tell the records of {len(declared)} classes apart",
            found="there are two labels or more",
            fix="declare classes=(negative, positive), or all labels",
        )
    return tuple(declared)


def label_of(columns: Sequence[str], classes: Sequence[object]) -> Label:
    """The `Label` of a record among the classes, under a name y, y', ... that no column has.

    For two classes the label is a condition, as ``--positive`` declares it.  Raises `DeclarationError`
    for labels that are missing, or equal as table values.

    >>> str(label_of(["x", "y"], ["no", "yes"])), label_of(["x"], [3, 1, 2]).names
    ("y' == yes", ('3', '1', '2'))
    """
    name = "y"
    while name in columns:
        name += "'"
    if len(classes) > 2:
        label = Label.parse(name, labels=list(map(text, classes)))
    else:
        label = Label(name, Condition("==", text(classes[1])))
    if [label(y) for y in classes] != list(range(len(classes))):
        raise DeclarationError(
            f"tell the labels {', '.join(map(show_value, classes))} apart",
            found="a table could not: one is missing, or two have one text or number",
            fix="declare classes=(negative, positive) of different values",
        )
    return label


def unit_column(schema: Schema | None, unit: str | None) -> list[str]:
    """The column of the unit that is given, or of the schema's; no column without a unit.

    >>> unit_column(None, "patient"), unit_column(None, None)
    (['patient'], [])
    """
    named = unit if unit is not None or schema is None else schema.unit
    return [] if named is None else [named]


def declaration_of(shell: Any) -> Declaration:
    """What the parameters of a ``shell`` declare; two classes are a condition on the second one.

    Raises `DeclarationError` for what is missing, all of it at once, and if the schema says how cells
    that the class reads are written.
    """
    schema = open_schema(shell.schema)
    told = {name: getattr(shell, name) for name in _NEEDED if hasattr(shell, name)}
    told |= {"classes": labels_of(shell), "class": shell.hypotheses}
    if told["class"] is None:
        told["class"] = schema  # a class is taken over its columns
    require_told("learn a rule", told, SHELL)
    classes = class_labels(told["classes"])
    H = shell.hypotheses
    if H is not None:
        H = declare_class(H, len(classes), schema, unit=shell.unit)
    if shell.classes is None and schema is not None and schema.says_label:
        label = schema.label()
    else:
        names = (c.name for c in schema.columns) if schema is not None else ()
        known = names if H is None else H.domain.column_names
        label = label_of([*known, *unit_column(schema, shell.unit)], classes)
    given = {name: getattr(shell, name) for name in _PARAMETERS if hasattr(shell, name)}
    declaration = Declaration.parse(label, H, **{**given, "schema": schema})
    read = declaration.reading
    if (read if H is None else read.pick_columns(H.domain.column_names)).columns:
        raise DeclarationError(
            "learn from values by this schema",
            found="it says how the text of some cells is written, and records hold values",
            fix="convert these columns first, and leave how they are written out of the schema",
        )
    return declaration


def labels_of(shell: Any) -> Any:
    """The classes of a ``shell``, or those of its schema; None if neither says the labels.

    Those of a stream are False and True by default.
    """
    schema, found = open_schema(shell.schema), shell.classes
    if found is None and schema is not None and schema.says_label:
        found = schema.label_values()
    return (False, True) if found is None and hasattr(shell, "horizon") else found


def generator(simulation_seed: object, stacklevel: int = 3) -> Random:
    """The system's generator, or a repeatable one for a seed, with a `NotPrivateWarning`.

    ``stacklevel`` is that of the line which gave the seed, so that the warning names it.
    """
    if simulation_seed is None:
        return system_generator()
    seed = whole_seed(simulation_seed)
    warnings.warn(
        "simulation_seed is set: whoever knows it knows every draw, so this is a simulation and NOT "
        "PRIVATE. Leave it out for a private release.",
        NotPrivateWarning,
        stacklevel=stacklevel,
    )
    return seeded_generator(seed)


def whole_seed(simulation_seed: object) -> int:
    """The seed as an int; `DeclarationError` if it is not a whole number."""
    if isinstance(simulation_seed, bool) or not isinstance(simulation_seed, int | np.integer):
        raise DeclarationError(
            f"draw with a simulation_seed of type {type(simulation_seed).__name__}",
            found="a seed must be a whole number",
            fix="leave it out, or give a whole number for a simulation",
        )
    return int(simulation_seed)


def refuse_as_member(host: str, trusted: Collection[str], *, fix: str) -> None:
    """Raise `DeclarationError` if an untrusted function of the package ``host`` is a caller.

    ``trusted`` holds prefixes of full names, such as ``"sklearn.pipeline."``, of functions that hand
    over every record once and unchanged.  All other functions of the host are refused, also those of
    later versions.  Calls by other packages and by the user's own functions pass, because they cannot
    be told apart.

    >>> refuse_as_member("doctest", ["doctest."], fix="run it yourself")
    >>> refuse_as_member("doctest", [], fix="run it yourself")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    littlestone.base.errors.DeclarationError: cannot learn inside doctest: it may repeat, ...
    to fix it: run it yourself
    """
    frame = inspect.currentframe()
    while frame is not None:
        module = str(frame.f_globals.get("__name__", ""))
        name = f"{module}.{frame.f_code.co_qualname}"
        if module.split(".")[0] == host and not name.startswith(tuple(trusted)):
            raise DeclarationError(
                f"learn inside {module}",
                found="it may repeat, leave out, choose or renumber records by what other records "
                "hold, which no budget covers",
                fix=fix,
            )
        frame = frame.f_back


def target_values(y: Any, label: Label) -> list[Any]:
    """The labels in y (an array, column or list): one for each record, with any value.

    Raises `DeclarationError` for another type or shape, and if the declared type is numeric but the
    positive label is not a number.  Raises `TableError` for a column of neither numbers nor texts.

    >>> import numpy as np
    >>> target_values(np.array(["well", "sick"]), Label.parse("y", "sick"))
    ['well', 'sick']
    """
    if y is None:
        raise DeclarationError(
            "learn from records alone",
            found="it requires y to be passed, but the target y is None",
            fix="give one label for each record",
        )
    column = None if nw.dependencies.is_into_dataframe(y) else column_table(y)
    if column is None and not hasattr(y, "shape") and hasattr(y, "__array__"):
        y = np.asarray(y)
    shape = tuple(getattr(y, "shape", (0,)))
    if len(shape) != 1:
        _refuse_target("another shape than (n,)", f"it has shape {shape}")
    listed = isinstance(y, Sequence) and not isinstance(y, str | bytes | bytearray)
    if column is None and not listed and not hasattr(y, "shape"):
        _refuse_target(f"type {type(y).__name__}", "it is not an array, column or list")
    if column is not None:
        numbers = column.holds_numbers("values")
    else:
        numbers = isinstance(y, np.ndarray) and y.dtype.kind in "biuf"
    declared = [*label.condition.values] if label.condition else list(label.names)
    if numbers and all(number(value) is None for value in declared):
        raise DeclarationError(
            f"find the label {', '.join(map(repr, declared))} in y",
            found="the declared type of y is one of numbers, and no number is such a label",
            fix="give the labels themselves. An ensemble that numbers them first does so by which of "
            "them occur, which no budget covers",
        )
    return plain_values(y)


def _refuse_target(asked: str, found: str) -> None:
    raise DeclarationError(
        f"learn from a y of {asked}",
        found=found,
        fix="give an array, a column or a list with one label for each record, such as y.ravel() or "
        "frame['label']",
    )
