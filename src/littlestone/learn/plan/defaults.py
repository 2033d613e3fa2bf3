"""The class that is taken where none is declared: the first of a short public list that can be learned.

Docs: docs/how-to/schema.md.  The choice depends on the schema and the budget alone, never on a record.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from littlestone.base.errors import DeclarationError, TooLargeError
from littlestone.learn.base import PrivateLearner, Setting
from littlestone.learn.plan.choice import ALPHA, AUTO, BETA
from littlestone.points import Domain, Strings
from littlestone.points.columns import columns_of

if TYPE_CHECKING:
    from littlestone.learn.declared.declaration import Declaration

RULES = ("trees(*; depth 2)", "conditions(*; at most 2)", "conditions(*; at most 1)")
"""The classes of rules that are tried in turn; small trees erred least on most tables tried."""

GROUPS = RULES[1:]
"""Those of groups, which are read as one sentence."""

STREAM = RULES[1]
"""The class of a stream, where trees are too many."""

OUTCOMES = (RULES[0], "outcomes(*; at most 1)")
"""Those of several labels."""

Chosen = tuple[PrivateLearner[Any], str]


def default_class(
    learner: Callable[[str], Chosen], setting: Setting, *, labels: int, group: bool
) -> tuple[PrivateLearner[Any], str, str]:
    """The learner of the default class, why it was chosen, and why the class was.

    It is the first class with a size that is proved in the ``setting``.  If there is none, it is the
    first class that some method learns.  ``learner`` makes the learner of a class and says why, or
    raises `DeclarationError`; if all do, the first error is raised.
    """
    classes = GROUPS if group else RULES if labels == 2 else OUTCOMES
    able: list[tuple[PrivateLearner[Any], str, str]] = []
    errors: list[DeclarationError] = []
    for text in classes:
        try:
            found, why = learner(text)
        except DeclarationError as error:
            errors.append(error)
            continue
        proved = found.bound(ALPHA, BETA, setting=setting) is not None
        what = "with a proved size" if proved else "that a method learns"
        able.append(
            (
                found,
                why,
                f"{text}, because none was given: the first of {', '.join(classes)} {what}",
            )
        )
        if proved:
            return able[-1]
    if not able:
        raise errors[0]
    return able[0]


def with_points(
    default: tuple[PrivateLearner[Any], str, str], declaration: Declaration
) -> tuple[PrivateLearner[Any], str, str]:
    """What `default_class` took, or the learner that gives trees points, if risks are asked for.

    It stays as it is without a delta, with an open column, for tables too wide, for several labels,
    and if a unit has several records.  In the first two cases ``taken`` says what to declare.
    """
    from littlestone.classes.trees import Trees
    from littlestone.learn.tree_sheet import TreeSheetLearner, deepen

    told, (learner, _, taken) = declaration, default
    several = told.unit is not None and told.unit.most > 1
    if told.method != AUTO or not told.risk or told.group or several or told.label.labels > 2:
        return default
    if lists := without_values(columns_of(learner.hypotheses.domain)):
        return *default[:2], f"{taken}; for risks by a tree with points, {lists}"
    if not told.budget.delta:
        return *default[:2], f"{taken}; for risks by a tree with points, give a delta"
    if not isinstance(learner.hypotheses, Trees):
        return default
    try:
        H = deepen(learner.hypotheses)
        own = TreeSheetLearner[Any](H, told.share, cost=learner.mistakes)
    except (DeclarationError, TooLargeError):
        return default
    taken = f"trees(*; {H.options}), because none was given and risks were asked for"
    taken += ": the leaves of a tree begin a score sheet"
    return own, f"{own.method}: it gives risks", taken


def without_values(columns: Iterable[Domain[Any]]) -> str:
    """What to declare about columns of texts, with which no tree has points; else nothing.

    >>> from littlestone.points import Strings
    >>> without_values([Strings("ward")])
    'declare the values of ward: an open column of texts has no list of them'
    """
    names = ", ".join(str(column.name) for column in columns if isinstance(column, Strings))
    return (
        f"declare the values of {names}: an open column of texts has no list of them"
        if names
        else ""
    )
