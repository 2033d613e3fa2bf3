"""What a box of a paper is, and how its steps draw.

A box takes ``choose``, which decides every draw by exact chances.  `chooser` decides by a generator;
an audit takes each outcome in turn, so the law of a box is the law of its own code.  Nothing is paid
for: use a learner for data about people.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any, Generic, ParamSpec, TypeVar

from littlestone.base.discovery import modules, read_words
from littlestone.classes import FiniteClass
from littlestone.privacy.randomness import Choose
from littlestone.privacy.rational import exp_below

Item = TypeVar("Item")
Given = ParamSpec("Given")
Result = TypeVar("Result")

Example = tuple[Any, int]
Sample = tuple[Example, ...]
Rule = tuple[int, ...]
"""The labels of all points of a finite domain, in their order."""


@dataclass(frozen=True)
class Box(Generic[Given, Result]):
    """A box as printed.

    ``id`` is its statement.  ``promise`` is what the paper says of it, ``found`` what its exact law at
    toy sizes shows, ``mend`` the line that would mend it, ``takes`` what the printed sizes come to, and
    ``ours`` the code that we run instead.
    """

    id: str
    run: Callable[Given, Result]
    promise: str
    found: str
    ours: str
    mend: str = ""
    takes: str = ""

    def __call__(self, *given: Given.args, **named: Given.kwargs) -> Result:
        return self.run(*given, **named)


def box(of: str) -> Callable[[Callable[Given, Result]], Box[Given, Result]]:
    """Mark a function as the box of that statement; the words are the end of its docstring."""

    def mark(run: Callable[Given, Result]) -> Box[Given, Result]:
        return Box(of, run, **read_words(run.__doc__)[1])

    return mark


def boxes() -> list[Box[Any, Any]]:
    """All boxes, by paper and number.

    >>> [one.id for one in boxes()][:3]
    ['L5 Definition 6', 'L5 section 3, scores', 'L5 section 4, game']
    """
    members = (vars(module).values() for module in modules(__package__))
    found = {one.id: one for these in members for one in these if isinstance(one, Box)}
    papers = ["L5", "BLM20", "BGS21", "Lyu25", "KMM+23"]
    return sorted(found.values(), key=lambda one: (papers.index(one.id.split()[0]), one.id.lower()))


def draw_item(weights: Mapping[Item, Fraction], choose: Choose) -> Item:
    """One of the items, with Pr[item] proportional to its weight."""
    items, total = list(weights), sum(weights.values())
    return items[choose([weight / total for weight in weights.values()])]


def pick(items: Sequence[Item], choose: Choose) -> Item:
    """One of the items, uniformly."""
    return items[choose([Fraction(1, len(items))] * len(items))]


def chance_to_reach(value: int, level: Fraction, epsilon: Fraction) -> Fraction:
    """Pr[``value`` + Lap(1 / epsilon) >= ``level``], with e^x rounded down to 32 bits.

    >>> chance_to_reach(3, Fraction(3), Fraction(1))
    Fraction(1, 2)
    """
    gap = Fraction(level) - value
    whole = abs(gap) // 1
    tail = 1 / (2 * exp_below(epsilon) ** whole * exp_below(epsilon * (abs(gap) - whole)))
    return tail if gap >= 0 else 1 - tail


def reaches(value: int, level: Fraction, epsilon: Fraction, choose: Choose) -> bool:
    """Whether ``value`` + Lap(1 / epsilon) >= ``level``, by `chance_to_reach`."""
    chance = chance_to_reach(value, level, epsilon)
    return bool(choose([1 - chance, chance]))


def split(items: Iterable[Item], parts: int, choose: Choose) -> list[tuple[Item, ...]]:
    """A random split in parts whose sizes differ by at most one; the first ones are larger."""
    items = list(items)
    room = [(len(items) + parts - 1 - i) // parts for i in range(parts)]
    found: list[list[Item]] = [[] for _ in room]
    for item in items:
        i = draw_item({i: Fraction(left) for i, left in enumerate(room) if left}, choose)
        room[i] -= 1
        found[i].append(item)
    return [tuple(part) for part in found]


@cache
def rules_of(H: FiniteClass) -> list[Rule]:
    """The hypotheses of a finite class as rules."""
    return [tuple(int(h(x)) for x in H.domain) for h in H]


def label_of(H: FiniteClass, rule: Rule, x: object) -> int:
    """What a rule says of a point."""
    return rule[list(H.domain).index(x)]


def count_errors(H: FiniteClass, rule: Rule, S: Iterable[Example]) -> int:
    """The number of examples that a rule labels wrongly."""
    return sum(label_of(H, rule, x) != y for x, y in S)
