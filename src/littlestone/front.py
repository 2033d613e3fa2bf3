"""The commands as Python functions."""

from __future__ import annotations

import os
import random
import warnings
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from littlestone.base.errors import (
    DeclarationError,
    ModelError,
    TooLargeError,
    no_such,
    refuse_unknown,
    show_value,
)
from littlestone.classes import FiniteClass, HypothesisClass
from littlestone.classes.dimensions.closed_forms import find_dimension
from littlestone.classes.text.declared import declared_kinds
from littlestone.interop.declarations import generator, open_ledger, whole_seed
from littlestone.learn import Release
from littlestone.learn.base import Setting
from littlestone.learn.declared.declaration import Declaration
from littlestone.learn.declared.declaring import (
    OneOrMore,
    SchemaOrFile,
    declare_class,
    has_name,
    open_schema,
)
from littlestone.learn.declared.schema import Schema
from littlestone.learn.declared.task import Task
from littlestone.learn.plan import ALPHA, BETA, Plan
from littlestone.learn.plan import plan as planned
from littlestone.learn.results.accuracy import Group
from littlestone.pictures.canvas import picture_kind
from littlestone.pictures.tree import Node, rule_tree
from littlestone.privacy.cost import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.mistakes import parse_costs
from littlestone.show.files import FIGURES, reserve
from littlestone.show.pages.release import release_page
from littlestone.show.tree import class_tree, drawable, drawing_of_release
from littlestone.theory.game import (
    Adversary,
    Halving,
    RandomAdversary,
    StandardOptimalAlgorithm,
    Transcript,
    TreeAdversary,
)
from littlestone.theory.game import play as played

Hypotheses = HypothesisClass[Any] | str
"""A class, or the text of one, such as ``thresholds(age, 0..120)``."""


@refuse_unknown
def fit(
    table: object,
    target: str | None = None,
    *,
    hypotheses: OneOrMore | None = None,
    epsilon: object = None,
    ledger: Ledger | str | os.PathLike[str] | None = None,
    delta: object = 0,
    positive: object = None,
    labels: str | Sequence[str] | None = None,
    default: str | None = None,
    schema: SchemaOrFile = None,
    dataset: str | None = None,
    method: str = "auto",
    setting: Setting = "agnostic",
    estimate: object = None,
    risk: bool = False,
    cost: object = None,
    unit: str | None = None,
    max_records: int | None = None,
    create_ledger: bool = False,
    simulation_seed: int | None = None,
) -> Release:
    """Learn a rule that predicts labels from a table, with differential privacy.

    The arguments are those of `littlestone fit`.  ``table`` is the path of a CSV or Parquet file, a
    data frame, or what `open_table` returns, such as a table of a database.  ``target`` is the column
    that holds the label.  Either ``positive`` says which of its values count as 1, such as ``"> 15"``
    or ``"HA"``, or ``labels`` lists the labels.  Any other value gets the label ``default``, or the
    first label if there is no default.  ``hypotheses`` is a class or its text, or a list of them: then
    the rule is of one of them.  With a ``schema`` it may be left out (`learn.declared.task`).
    ``epsilon`` is in nats and above 0, and ``delta`` is a probability.
    ``estimate`` is an epsilon to spend on precision, recall and error, and on the shares of unread
    cells and labels.  With ``risk`` a part of ``epsilon`` counts the labels at each place of the rule,
    such as a leaf, for `Release.predict_proba`.  ``cost`` is a pair such as ``(5, 1)``: what a missed
    positive and a false alarm cost.

    ``unit`` is a column that says whose record it is, such as ``"patient_id"``.  At most
    ``max_records`` records of each unit are used, chosen at random, and ``epsilon`` and ``delta`` are
    then for one unit with all its records.

    ``schema`` is a `Schema`, its file, the text of one, such as `draft_schema` returns, or a dict like
    it.  It declares columns for the class, in which ``*`` stands for all that are not the label or the
    unit, and the label where no other is given.

    The cost is recorded in the ``ledger`` (a path, an address or a `Ledger`) under the name
    ``dataset`` before anything is drawn.  A frame needs a ``dataset``, because it has no name of its
    own; the name of a file is its full path.  It is an error if the ledger does not exist, unless
    ``create_ledger`` is true.  With a ``simulation_seed`` the release is a simulation and not
    private, and a warning says so.

    Before anything is spent, raises `DeclarationError` for what is missing, all of it at once, and for
    illegal declarations, `TableError` for a missing column and `TooLargeError` for too much work.
    Before anything is drawn, raises `BudgetExceededError` or `LedgerError`.  No error depends on a
    record.

    >>> import littlestone
    >>> columns = {"dep_delay": [20, 3, 90, -2] * 300, "arr_delay": [30, 2, 80, -9] * 300}
    >>> import polars
    >>> release = littlestone.fit(
    ...     polars.DataFrame(columns), "arr_delay", positive="> 15", epsilon=1,
    ...     hypotheses="thresholds(dep_delay, -60..1440)", ledger=littlestone.Ledger(), dataset="doc",
    ... )
    >>> release.n, release.predict(polars.DataFrame({"dep_delay": [95, 1, None]}))
    (1200, [1, 0, 0])
    """
    declaration = Declaration.parse(
        target,
        _classes(hypotheses),
        epsilon=epsilon,
        delta=delta,
        positive=positive,
        labels=labels,
        default=default,
        schema=schema,
        method=method,
        setting=setting,
        estimate=estimate,
        risk=risk,
        cost=cost,
        unit=unit,
        max_records=max_records,
        needed=_needs(table, ledger, dataset),
        source=table,
    )
    return _release(declaration, table, ledger, dataset, create_ledger, simulation_seed)


@refuse_unknown
def subgroup(
    table: object,
    target: str | None = None,
    *,
    positive: object = None,
    hypotheses: Hypotheses | None = None,
    above: object,
    epsilon: object,
    ledger: Ledger | str | os.PathLike[str],
    delta: object = 0,
    estimate: object = None,
    method: str = "auto",
    schema: SchemaOrFile = None,
    unit: str | None = None,
    max_records: int | None = None,
    dataset: str | None = None,
    create_ledger: bool = False,
    simulation_seed: int | None = None,
) -> Group:
    """Find the group of records with the highest rate of positive labels, with differential privacy.

    It is the group of the class with the most positives - ``above`` times records, such as 0.3.
    ``epsilon`` pays for all: the part ``estimate`` of it, by default a tenth, estimates the size and
    the rate, and the rest draws the group.  All other arguments and errors are those of `fit`, and
    ``positive`` says which values count as 1.  With a ``unit``, ``max_records`` must be 1.

    >>> import littlestone, polars
    >>> columns = {"carrier": ["HA", "DL", "UA"] * 2000, "late": [1, 0, 0, 1, 0, 1] * 1000}
    >>> group = littlestone.subgroup(
    ...     polars.DataFrame(columns), "late", positive=1, hypotheses="rules(carrier; at most 1)",
    ...     above=0.8, epsilon=2, delta="1e-6", ledger=littlestone.Ledger(), dataset="doc",
    ... )
    >>> group.words(), round(float(group.rate.middle), 1)
    ("carrier is 'HA'", 1.0)
    """
    declaration = Declaration.parse(
        target,
        _classes(hypotheses),
        group=True,
        above=above,
        epsilon=epsilon,
        delta=delta,
        positive=positive,
        schema=schema,
        method=method,
        estimate=estimate,
        unit=unit,
        max_records=max_records,
        needed=_needs(table, ledger, dataset),
        source=table,
    )
    return Group(_release(declaration, table, ledger, dataset, create_ledger, simulation_seed))


def _needs(table: object, ledger: object, dataset: object) -> dict[str, object]:
    """What a spend needs beside a declaration: a ledger, and the name of the table in it."""
    return {"ledger": ledger, "dataset": True if has_name(table) else dataset}


def _classes(hypotheses: Any) -> Any:
    """The same; raises `DeclarationError` for a list of anything else, such as a column of a table.

    Its texts are not quoted unless each begins like a class, because they may be records.
    """
    if isinstance(hypotheses, list | tuple):
        begins = tuple(f"{keyword}(" for keyword in declared_kinds())
        if not all(
            isinstance(one, HypothesisClass)
            or (type(one) is str and one.strip().startswith(begins))
            for one in hypotheses
        ):
            raise DeclarationError(
                "learn from a list of hypotheses",
                found="not each of them is a class or the text of one",
                fix="give classes, or texts such as 'points(merchant)'",
            )
    return hypotheses


def _release(
    declaration: Declaration,
    table: object,
    ledger: Any,
    dataset: str | None,
    create_ledger: bool,
    simulation_seed: int | None,
) -> Release:
    """The release of a declaration on a table; the other arguments are those of `fit`."""
    task = Task.choose(declaration)
    data = task.declaration.open(table, dataset)
    rng = generator(simulation_seed, stacklevel=5)  # of who called `fit`, which is decorated
    with open_ledger(ledger, create=create_ledger) as book:
        sample, hint = task.read_noted(data, book, rng=rng)
        # A warning may be an error, and what the sample holds of an engine is given back even then.
        with closing(sample):
            if hint is not None:
                warnings.warn(hint, stacklevel=4)  # of the same line
            return task.fit(sample, ledger=book, dataset=data.name, rng=rng)


def predict(model: Release | str | os.PathLike[str], table: object) -> list[Any]:
    """The label of each record of a table, in order, predicted by a `Release` or its model file.

    See `Release.predict`.
    """
    return _load(model, "predict by").predict(table)


def _load(model: Release | str | os.PathLike[str], asked: str) -> Release:
    """The release, or that of a model file."""
    if isinstance(model, Release):
        return model
    if not isinstance(model, str | os.PathLike):
        raise ModelError(
            f"{asked} an object of type {type(model).__name__}",
            found="it is neither a Release nor the path of a model file",
            fix="give what fit() returned, or a file that `littlestone fit --out` wrote",
        )
    return Release.load(model)


def draw(model: Release | str | os.PathLike[str], picture: str | os.PathLike[str]) -> None:
    """Draw the rule of a `Release` or of a model file to an .svg or .png file.

    Each condition of the rule is shown on the range or the list that its column declares.  A tree of
    two labels on exactly two numbers is shown on their plane, too.  Only the release is drawn, never a
    record.

    Raises `DeclarationError` for a kind of rule that has no picture, such as a parity.  Raises
    `OutputError` for another suffix, for a file of another kind, which is not overwritten, and for a
    .png file if matplotlib is not installed.

    >>> import littlestone, pandas, tempfile
    >>> from pathlib import Path
    >>> visits = pandas.DataFrame({"age": [30, 70] * 600, "back": [0, 1] * 600})
    >>> release = littlestone.fit(
    ...     visits, "back", positive=1, hypotheses="conditions(age: 0..120 step 5; at most 1)",
    ...     epsilon=1, ledger=littlestone.Ledger(), dataset="doc",
    ... )
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     draw(release, f"{folder}/rule.svg")
    ...     "back == 1, epsilon 1" in Path(f"{folder}/rule.svg").read_text()
    True
    """
    release, target = _load(model, "draw the rule of"), Path(picture)
    kind = picture_kind(target)
    with reserve(target, FIGURES[kind]) as write:
        write(drawing_of_release(release).content(kind))


def page(model: Release | Group | str | os.PathLike[str], *, ledger: Ledger | None = None) -> str:
    """The page about a `Release`, a `Group` or a model file, for people: one HTML file without scripts.

    It says the rule in words and as a picture, what the guarantee means for one person, how good the
    rule is, the budget, and how to reproduce and cite it.  With the ``ledger`` that paid, it shows the
    whole budget of the data set.  Only the release and the ledger are in it.

    Raises `DeclarationError` if the ledger has no entry that paid for the release.

    >>> import littlestone, pandas
    >>> visits = pandas.DataFrame({"age": [30, 70] * 600, "back": [0, 1] * 600})
    >>> release = littlestone.fit(
    ...     visits, "back", positive=1, hypotheses="thresholds(age, 0..120)", epsilon=1,
    ...     ledger=littlestone.Ledger(), dataset="doc",
    ... )
    >>> "What the guarantee means for one person" in littlestone.page(release)
    True
    """
    what = model if isinstance(model, Group) else _load(model, "make a page of")
    return release_page(what, ledger)


@refuse_unknown
def plan(
    hypotheses: Hypotheses,
    *,
    epsilon: object,
    delta: object = 0,
    labels: int | None = None,
    alpha: float = ALPHA,
    beta: float = BETA,
    cost: object = None,
    schema: SchemaOrFile = None,
) -> Plan:
    """How many records each learner needs for error alpha with probability 1 - beta.

    ``labels`` is the number of labels, by default that of the ``schema`` or 2.  With a ``cost`` such as
    ``(5, 1)``, that of a missed positive and of a false alarm, alpha is a mean cost in units of the
    larger one.  See `learn.plan`.

    >>> plan("subsets(merchant; at most 2)", epsilon=1, delta="1e-6").rows[0].realizable.n
    667
    """
    budget = Budget(epsilon, delta)
    declared, mistakes = open_schema(schema), parse_costs(cost)
    if labels is None:
        labels = 2 if declared is None else declared.label_count
    H = declare_class(_classes(hypotheses), labels, declared)
    return planned(H, budget, alpha=alpha, beta=beta, mistakes=mistakes)


def dim(hypotheses: Any, *, labels: int = 2, schema: SchemaOrFile = None) -> int | float:
    """The Littlestone dimension of a class, a text that declares one, or a table of labels.

    This is the most mistakes that an adversary can force on every learner, and the standard optimal
    algorithm never makes more.  It is -1 if there is no hypothesis, and ``math.inf`` if there is no
    largest number.  A table is anything rectangular: each row is a hypothesis, each column a point.
    For tables the time is exponential in the worst case.  The text may name columns of a ``schema``.
    If ten seconds of search do not find it, `TooLargeError` tells the bounds.

    >>> dim("thresholds(dep_delay, -60..1440)"), dim([[0, 0, 0], [0, 0, 1], [0, 1, 1]])
    (10, 1)
    """
    H = _class(hypotheses, labels, open_schema(schema))
    found = find_dimension(H)
    if found.lower < found.upper:
        raise TooLargeError(
            f"find the Littlestone dimension of {H}",
            found=f"it lies between {found.lower} ({found.lower_reason}) and {found.upper} "
            f"({found.upper_reason})",
            fix="declare fewer columns or shorter ranges, or give `littlestone dim` more time",
        )
    return found.lower


def tree(hypotheses: Any, *, labels: int = 2, levels: int = 4, schema: SchemaOrFile = None) -> Node:
    """The top ``levels`` of a deepest tree that the class shatters, printable as a drawing.

    The text of the class may name columns of a ``schema``.  For a `Release`, it is the whole tree of
    the rule.  Raises `DeclarationError` for a class without a hypothesis or of infinite Littlestone
    dimension, and for a rule that is not a tree of conditions.

    >>> print(tree("thresholds(x, 1..3)"))
    2
    |-- 0  3
    |   |-- 0  always 0
    |   `-- 1  x >= 3
    `-- 1  1
        |-- 0  x >= 2
        `-- 1  always 1
    """
    if isinstance(hypotheses, Release):
        return rule_tree(drawable(hypotheses), hypotheses.labels)
    return class_tree(_class(hypotheses, labels, open_schema(schema)), levels)


def play(
    hypotheses: Any,
    *,
    learner: str = "soa",
    adversary: str = "tree",
    labels: int = 2,
    rounds: int | None = None,
    schema: SchemaOrFile = None,
    simulation_seed: int | None = None,
) -> Transcript:
    """Play the online game, and return its transcript.

    ``learner`` is ``"soa"`` or ``"halving"``.  ``adversary`` is ``"tree"``, which forces as many
    mistakes as it can, or ``"random"``.  Against ``"random"`` the game has 20 rounds unless you give
    ``rounds``.  The text of the class may name columns of a ``schema``.

    >>> play("thresholds(x, 1..1000)").mistakes
    9
    """
    H = _class(hypotheses, labels, open_schema(schema))
    players = {"soa": StandardOptimalAlgorithm, "halving": Halving}
    known = {"learner": (learner, tuple(players)), "adversary": (adversary, ("tree", "random"))}
    for kind, (name, names) in known.items():
        if not isinstance(name, str) or name not in names:
            raise no_such(f"play with the {kind} {show_value(name)}", kind, name, names)
    rng = None if simulation_seed is None else random.Random(whole_seed(simulation_seed))
    opponent: Adversary[Any]
    opponent = TreeAdversary(H) if adversary == "tree" else RandomAdversary(H, rng=rng)
    if rounds is None and opponent.endless:
        rounds = 20
    return played(players[learner](H), opponent, rounds=rounds)


def _class(hypotheses: Any, labels: int, schema: Schema | None = None) -> HypothesisClass[Any]:
    """The class itself, the class that a text declares, or the finite class of a table."""
    if isinstance(hypotheses, str | HypothesisClass):
        return declare_class(hypotheses, labels, schema)
    return FiniteClass.from_array(hypotheses, labels=labels)
