"""Functions of open columns: unions of equality rules, and finitely many values of each column."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import product
from typing import Any, Self

from littlestone.points import Domain, Product, require_list
from littlestone.rules.base import BinaryHypothesis, Hypothesis, Place, label_count, numbers
from littlestone.rules.languages.form import Condition, Outcome, among, both, case, either

Rule = tuple[Any, ...]
"""The value that each column must have; None for a column with no condition."""


@dataclass(frozen=True)
class RuleUnion(BinaryHypothesis[Any]):
    """The indicator of the records that obey one of finitely many equality rules.

    A rule fixes the values of some columns: ("JFK", None, "HNL") asks for the origin JFK and the
    destination HNL.  No rule is the constant 0, and the rule that asks nothing is the constant 1.

    Canonical: no rule implies another; the constructor drops rules that do.  If each column has
    infinitely many values, different antichains of rules are different functions.  Proof: let R be a
    rule of f, and let x obey R and have new values in its other columns.  If g = f, then x obeys a rule
    of g, which asks only for what R asks, so R implies a rule of g.  In the same way that rule implies
    a rule of f, which must be R, because no rule of f implies another.  So the two rules are equal, and
    R is a rule of g.

    >>> from littlestone.points import Strings
    >>> flights = Product((Strings("carrier"), Strings("origin"), Strings("dest")))
    >>> RuleUnion(flights, frozenset({(None, "JFK", "HNL"), ("HA", None, None)})).words()
    "carrier is 'HA' or (origin is 'JFK' and dest is 'HNL')"
    """

    domain: Domain[Any]  # a Product of infinite columns
    rules: frozenset[Rule]

    def __post_init__(self) -> None:
        kept: list[Rule] = []
        # Sorted, because listing a set shows the order in which it was filled, perhaps by records.
        for rule in sorted(self.rules, key=lambda rule: (_literals(rule), _order(rule))):
            if not any(obeys(rule, weaker) for weaker in kept):
                kept.append(rule)
        object.__setattr__(self, "rules", frozenset(kept))

    def __call__(self, x: Any) -> int:
        # Called for every record of a stream: these loops take a third of the time of `obeys`.
        for asked in self._fixed_values:
            for c, v in asked:
                if x[c] != v:
                    break
            else:
                return 1
        return 0

    @cached_property
    def _fixed_values(self) -> list[list[tuple[int, Any]]]:
        """The columns that each rule fixes, with their values."""
        return [[(c, v) for c, v in enumerate(rule) if v is not None] for rule in self.rules]

    def _rules_in_order(self) -> list[Rule]:
        """The rules in a canonical order: by what they ask of the first columns."""
        return sorted(self.rules, key=_order)

    def words(self) -> str:
        if not self.rules:
            return "always 0"
        shown = []
        for rule in self._rules_in_order():
            words = rule_words(self.domain, rule)
            if not words:
                return "always 1"
            shown.append(f"({words})" if _literals(rule) > 1 < len(self.rules) else words)
        return " or ".join(shown)

    @cached_property
    def places(self) -> tuple[Place, ...]:
        """The first rule in order that a record obeys, and elsewhere."""
        found = []
        for i, rule in enumerate(self._rules_in_order()):
            words = rule_words(self.domain, rule)
            if not words:
                return (Place("always", 1),)
            before = self._rules_in_order()[:i]
            found.append(
                Place(words + ", and none above" * any(map(partial(meet, rule), before)), 1)
            )
        return (*found, Place("elsewhere" if found else "always", 0))

    def place(self, x: Any) -> int:
        ordered = enumerate(self._rules_in_order())
        return next((i for i, rule in ordered if obeys(x, rule)), len(self.rules))

    def place_outcome(self) -> Outcome:
        rules = enumerate(self._rules_in_order())
        asked = [(condition_of_rule(self.domain, rule), i) for i, rule in rules]
        return case(asked, len(self.rules))

    def outcome(self) -> Outcome:
        rules = (condition_of_rule(self.domain, rule) for rule in self._rules_in_order())
        return case([(either(*rules), 1)], 0)

    def witness(self, other: Self) -> Any:
        differing = sorted(self.rules ^ other.rules, key=_literals)
        if not differing:
            return None
        # A shortest rule that only one of the two has implies no rule of the other.  Otherwise that
        # rule would be shorter, so both would have it, and one would have a rule that implies another.
        return record(self.domain, differing[0], self.rules | other.rules)

    @classmethod
    def vote(cls, voters: Sequence[Self], need: int) -> Self:
        """The weakest rules on which ``need`` voters are 1: conjunctions of their rules."""
        domain = voters[0].domain
        everything: Rule = (None,) * len(domain.column_names)
        # reached[c]: the rules on which at least c of the voters so far are 1.
        reached = [frozenset({everything}), *[frozenset[Rule]()] * need]
        for h, times in Counter(voters).items():
            for c in range(need, 0, -1):  # downwards, so that each voter counts once
                joined = _conjunctions(reached[max(0, c - times)], h.rules)
                reached[c] = cls(domain, reached[c].union(joined)).rules
        return cls(domain, reached[need])

    def form(self) -> dict[str, object]:
        return {"rules": [list(rule) for rule in self._rules_in_order()]}

    @classmethod
    def from_form(cls, domain: Domain[Any], form: Mapping[str, Any]) -> Self:
        rules = form["rules"]
        if not isinstance(domain, Product) or not isinstance(rules, list):
            raise ValueError
        columns = domain.columns
        legal = all(
            isinstance(rule, list)
            and len(rule) == len(columns)
            and all(v is None or v in column for v, column in zip(rule, columns, strict=True))
            for rule in rules
        )
        if not legal or any(column.size is not None for column in columns):
            raise ValueError
        return cls(domain, frozenset(map(tuple, rules)))


def rule_words(domain: Domain[Any], rule: Rule) -> str:
    """What ``rule`` asks for, in words; empty if it asks for nothing."""
    pairs = zip(domain.column_names, rule, strict=True)
    return " and ".join(f"{name} is {v!r}" for name, v in pairs if v is not None)


def condition_of_rule(domain: Any, rule: Rule) -> Condition:
    """The records that have the values that ``rule`` asks for."""
    asked = zip(domain.columns, rule, strict=True)
    return both(*(among(column, (v,)) for column, v in asked if v is not None))


def _order(rule: Rule) -> list[tuple[bool, Any]]:
    return [(v is None, v) for v in rule]


def _literals(rule: Rule) -> int:
    return sum(v is not None for v in rule)


def obeys(x: Rule, rule: Rule) -> bool:
    """Whether the record ``x`` has the values that ``rule`` asks for; or the rule x implies it."""
    return all(v is None or v == u for u, v in zip(x, rule, strict=True))


def meet(rule: Rule, other: Rule) -> bool:
    """Whether a record may obey both rules."""
    return all(u is None or v is None or u == v for u, v in zip(rule, other, strict=True))


def record(domain: Any, rule: Rule, avoided: Any) -> Rule:
    """A record that obeys ``rule``, with the first values not in ``avoided`` in its other columns."""
    used = list(zip(*avoided, strict=True)) or [()] * len(rule)
    return tuple(
        next(u for u in column if u not in taken) if v is None else v
        for column, v, taken in zip(domain.columns, rule, used, strict=True)
    )


def _conjunctions(some: Iterable[Rule], others: Iterable[Rule]) -> Iterable[Rule]:
    for one in some:
        for other in others:
            if meet(one, other):
                yield tuple(v if u is None else u for u, v in zip(one, other, strict=True))


Cell = Rule
"""A value for each column; None stands for all values that the function does not distinguish."""


@dataclass(frozen=True)
class CellFunction(Hypothesis[Any]):
    """f(x) = the label of the cell of x, which holds each value of x that f names, else None.

    ``values[j]`` are the distinguished values of column j, sorted.  ``given`` are the labels of the
    cells, in the order of the product of None and these values.  The columns are open vocabularies.
    Canonical: a value is not named if all its cells have the same labels as None's, so two are equal
    iff they agree everywhere.  The number of cells is the product over columns of 1 + their values.

    >>> from littlestone.points import Product, Strings
    >>> routes = Product((Strings("origin"), Strings("dest")))
    >>> f = CellFunction(routes, 3, (("EWR", "JFK"), ("HNL",)), (0, 0, 0, 0, 1, 2))
    >>> f.words_with(["on time", "late", "cancelled"])
    "cancelled if origin is 'JFK' and dest is 'HNL'; else late if origin is 'JFK'; else on time"
    >>> f.values
    (('JFK',), ('HNL',))
    """

    domain: Product
    labels: int
    values: tuple[tuple[Any, ...], ...]
    given: tuple[int, ...]

    def __post_init__(self) -> None:
        told = dict(zip(_all_cells(self.values), self.given, strict=True))

        def is_needed(j: int, v: Any) -> bool:
            same = ((*cell[:j], None, *cell[j + 1 :]) for cell in told if cell[j] == v)
            here = (y for cell, y in told.items() if cell[j] == v)
            return any(told[other] != y for other, y in zip(same, here, strict=True))

        kept = tuple(
            tuple(v for v in listed if is_needed(j, v)) for j, listed in enumerate(self.values)
        )
        object.__setattr__(self, "values", kept)
        object.__setattr__(self, "given", tuple(told[cell] for cell in _all_cells(kept)))

    @classmethod
    def tabulate(
        cls,
        domain: Product,
        labels: int,
        values: Sequence[Sequence[Any]],
        label_of: Callable[[Cell], int],
    ) -> Self:
        """The function whose label at a cell of these values is ``label_of`` the cell."""
        named = tuple(tuple(sorted(listed)) for listed in values)
        return cls(domain, labels, named, tuple(map(label_of, _all_cells(named))))

    @cached_property
    def _label(self) -> dict[Cell, int]:
        return dict(zip(_all_cells(self.values), self.given, strict=True))

    @cached_property
    def _value_sets(self) -> list[frozenset[Any]]:
        return list(map(frozenset, self.values))

    def __call__(self, x: Any) -> int:
        return self._label[self._cell(x)]

    def _cell(self, x: Any) -> Cell:
        return tuple(
            v if v in known else None for v, known in zip(x, self._value_sets, strict=True)
        )

    @cached_property
    def places(self) -> tuple[Place, ...]:
        """Its cells."""
        found = []
        for cell, y in self._label.items():
            sides = zip(self.domain.column_names, cell, self.values, strict=True)
            words = [
                f"{name} is {'another' if v is None else repr(v)}"
                for name, v, named in sides
                if named
            ]
            found.append(Place(" and ".join(words) or "always", y))
        return tuple(found)

    @cached_property
    def _number(self) -> dict[Cell, int]:
        return {cell: i for i, cell in enumerate(self._label)}

    def place(self, x: Any) -> int:
        return self._number[self._cell(x)]

    def place_outcome(self) -> Outcome:
        return self._outcome(self._number)

    def words(self) -> str:
        return self.words_with(numbers(self.labels))

    def words_with(self, names: Sequence[str]) -> str:
        """The cells, most specific first; the first cell that holds a record gives its label."""
        *fixed, (_, default) = sorted(
            self._label.items(), key=lambda item: sum(v is None for v in item[0])
        )
        told: list[tuple[Cell, int]] = []
        for cell, y in reversed(fixed):
            # The label that the words so far give the cell: that of the narrowest cell around it.
            around = next((z for other, z in reversed(told) if obeys(cell, other)), default)
            told += [(cell, y)] if y != around else []
        words = [f"{names[y]} if {rule_words(self.domain, cell)}" for cell, y in reversed(told)]
        return "; else ".join([*words, names[default] if words else f"always {names[default]}"])

    def outcome(self) -> Outcome:
        return self._outcome(self._label)

    def _outcome(self, told: Mapping[Cell, int]) -> Outcome:
        # The first cell with the most values that a record obeys is its own.
        ordered = sorted(told.items(), key=lambda item: sum(v is None for v in item[0]))
        return case([(condition_of_rule(self.domain, cell), y) for cell, y in ordered], 0)

    def witness(self, other: Self) -> Any:
        values = [sorted({*u, *v}) for u, v in zip(self.values, other.values, strict=True)]
        for cell in _all_cells(values):
            x = tuple(
                v if v is not None else next(u for u in column if u not in named)
                for v, column, named in zip(cell, self.domain.columns, values, strict=True)
            )
            if self(x) != other(x):
                return x
        return None

    def form(self) -> dict[str, object]:
        return {
            "labels": self.labels,
            "values": [list(listed) for listed in self.values],
            "given": list(self.given),
        }

    @classmethod
    def from_form(cls, domain: Domain[Any], form: Mapping[str, Any]) -> Self:
        listed_values = list(map(require_list, require_list(form["values"])))
        if not isinstance(domain, Product) or len(listed_values) != len(domain.columns):
            raise ValueError
        values = tuple(
            tuple(map(column.point_from_json, listed))
            for column, listed in zip(domain.columns, listed_values, strict=True)
        )
        labels, given = label_count(form["labels"]), tuple(require_list(form["given"]))
        legal = all(type(y) is int and 0 <= y < labels for y in given)
        once = all(None not in listed and len(set(listed)) == len(listed) for listed in values)
        if not legal or not once or any(column.size is not None for column in domain.columns):
            raise ValueError
        found = cls(domain, labels, tuple(tuple(sorted(listed)) for listed in values), given)
        if found.values != values:
            raise ValueError
        return found


def _all_cells(values: Sequence[Sequence[Any]]) -> Iterator[Cell]:
    return product(*((None, *listed) for listed in values))
