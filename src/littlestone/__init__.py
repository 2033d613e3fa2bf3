"""Learn short, readable rules from sensitive data with differential privacy, and study the theory.

`fit` learns a rule from a table, `predict` applies a rule, and `plan` says how many records you need.
`check` counts what a declaration reads of a table.
`draw` makes a picture of a rule, and `page` a page about a release.  `subgroup` finds the group of
records with the highest rate.
`dim` computes the Littlestone dimension of a class, `tree` draws a deepest tree that the class
shatters, and `play` plays the online game.  Every name here is imported when it is first used.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # as `typing` has it, which takes most of the time to load this
if TYPE_CHECKING:
    from typing import Any

__version__ = "0.2.0"

_FRONT = {
    "littlestone.learn.declared.check": ("check",),
    "littlestone.front": (
        "dim",
        "draw",
        "fit",
        "page",
        "plan",
        "play",
        "predict",
        "subgroup",
        "tree",
    ),
    "littlestone.classes": (
        "AffineSubspaces",
        "Boxes",
        "Combined",
        "Complement",
        "Conditions",
        "Conjunctions",
        "DecisionLists",
        "DirectSumClass",
        "EqualityRules",
        "FiniteClass",
        "HypothesisClass",
        "Intervals",
        "Juntas",
        "LinearSubspaces",
        "Lookup",
        "Outcomes",
        "Parities",
        "Points",
        "PolynomialZeros",
        "RuleSets",
        "Stumps",
        "Subsets",
        "Thresholds",
        "Trees",
        "Union",
        "parse_class",
    ),
    "littlestone.data": ("open_table",),
    "littlestone.learn.declared.drafting": ("draft_schema",),
    "littlestone.learn.declared.schema": ("Schema",),
    "littlestone.learn": ("Release",),
    "littlestone.privacy": ("Budget",),
    "littlestone.privacy.ledger": ("Ledger",),
}
_MODULE = {name: module for module, names in _FRONT.items() for name in names}

__all__ = ["__version__", *sorted(_MODULE)]


def __getattr__(name: str) -> Any:
    if name not in _MODULE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_MODULE[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULE})
