"""Decision rules with several outcomes, over open vocabularies."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any, Self

from littlestone.classes import EqualityRules, RuleSets
from littlestone.classes.rule_sets import MOST_RULES
from littlestone.classes.spec import Spec, column_text, parse_column
from littlestone.domains import Domain, Product, Strings
from littlestone.errors import DeclarationError, TooLargeError
from littlestone.hypotheses.rules import Rule
from littlestone.labelled import declared_labels
from littlestone.multiclass.base import MulticlassClass, require_label
from littlestone.multiclass.outcome_covers import WHOLE, OutcomeCovers, Space

FORM = "outcomes(COLUMN, integers(COLUMN), ...; at most S rules of R)"
MOST_COVERS = 16  # of which version spaces are searched
MOST_LABELS = 4


@dataclass(frozen=True)
class Outcomes(MulticlassClass[Rule]):
    """At most s rules "these columns have these values: this outcome", and else the label number 0.

    A rule fixes the values of at most r of the m columns and has an outcome in 1, ..., k; two rules of
    different outcomes exclude each other, so they never disagree.  Then the bit number i of the outcome
    is 1 at the records that obey one of the rules whose outcome has that bit: every H|_i is the class
    of all unions of at most s rules, `EqualityRules` for s = 1 and `RuleSets` else.

    MLS >= LDim of that class, which is reached by rules of one outcome; the two are equal wherever
    they have been computed (docs/proofs/outcomes.md).  It is found by search: for s rules over m
    columns with (sum over i <= r of C(m, i))^s <= 16 and at most 4 labels.  Else what restricts the
    class raises `TooLargeError`.  Learning needs no search.  Raises `DeclarationError` for what
    `RuleSets` refuses.

    >>> H = Outcomes.of("origin", "dest", labels=["on time", "late", "cancelled"], max_rules=2)
    >>> H.littlestone_dimension(), H.restrict(("JFK", "HNL"), 2).littlestone_dimension()
    (5, 4)
    >>> print(H.bit_class(1))
    rule_sets(origin, dest; at most 2 rules of 2)
    """

    keyword = "outcomes"

    domain: Product
    labels: tuple[str, ...]
    max_rules: int
    max_literals: int
    space: Space = WHOLE

    def __post_init__(self) -> None:
        # The class of unions refuses what no rules can be.
        unions = RuleSets(self.domain, self.max_rules, self.max_literals)
        object.__setattr__(self, "max_literals", unions.max_literals)
        object.__setattr__(self, "labels", declared_labels(self.labels))

    @classmethod
    def of(
        cls,
        *columns: str | Domain[Any],
        labels: Sequence[str],
        max_rules: int,
        max_literals: int | None = None,
    ) -> Self:
        """The rules over the columns of these names, or these domains; by default they fix all."""
        named = tuple(Strings(column) if isinstance(column, str) else column for column in columns)
        most = len(named) if max_literals is None else max_literals
        return cls(Product(named), tuple(labels), max_rules, most)

    def bit_class(self, i: int) -> EqualityRules | RuleSets:
        if self.max_rules == 1:
            return EqualityRules(self.domain, self.max_literals)
        return RuleSets(self.domain, self.max_rules, self.max_literals)

    @cached_property
    def search(self) -> OutcomeCovers:
        """What restricts version spaces and finds their MLS; `TooLargeError` if that is long."""
        m, s, k = len(self.domain.columns), self.max_rules, len(self.labels) - 1
        growth = EqualityRules(self.domain, self.max_literals).growth
        if growth**s > MOST_COVERS or k >= MOST_LABELS:
            raise TooLargeError(
                f"search the version spaces of {self}",
                found="its version spaces are too many to search for a Littlestone dimension",
                fix="ask for 2 rules over 2 columns or less, and at most 4 labels; or learn it, "
                "which takes no search",
            )
        return OutcomeCovers.of(m, self.max_literals, s, k)

    def restrict(self, x: Rule, y: int) -> Self:
        require_label(self, x, y)
        return replace(self, space=self.search.restrict(self.space, x, y))

    def is_empty(self) -> bool:
        return not self.space.covers

    def littlestone_dimension(self) -> int:
        return self.search.dimension(self.space)

    def mistake_question(self) -> tuple[Rule, int, int] | None:
        below = self.littlestone_dimension() - 1
        if below < 0:
            return None
        for x in self._points():
            found = self.search.enough(self.space, x, below)
            if len(found) == 2:
                return x, found[0], found[1]
        return None

    def _points(self) -> Iterator[Rule]:
        """Every value of a cover, and one value a column that no example has."""
        rules = [rule for rule, _ in self.space.refuted]
        rules += [rule for cover in self.space.covers for rule, _ in cover]
        used = list(map(set, zip(*rules, strict=True))) or [set[Any]() for _ in self.domain.columns]
        new = [
            next(v for v in column if v not in taken)
            for column, taken in zip(self.domain.columns, used, strict=True)
        ]
        known = self.search.values(self.space)
        return product(*([u, *values] for u, values in zip(new, known, strict=True)))

    @classmethod
    def parse(cls, spec: Spec, labels: Sequence[str]) -> Self:
        spec.expect(FORM, max(1, len(spec.arguments)), options=("at",))
        form = r"most\s+([0-9]{1,9})(?:\s+rules?\s+of\s+([0-9]{1,9}))?"
        most = re.fullmatch(form, spec.option("at") or "")
        if most is None or int(most[1]) > MOST_RULES:
            raise DeclarationError(
                f"read the class {spec}",
                found=f"the number of rules, at most {MOST_RULES}, is missing or not of its form",
                fix=f"write {FORM}",
            )
        columns = map(parse_column, spec.arguments)
        literals = int(most[2]) if most[2] else None
        return cls.of(*columns, labels=labels, max_rules=int(most[1]), max_literals=literals)

    @classmethod
    def examples(cls) -> list[Self]:
        labels = ["on time", "late", "cancelled"]
        routes = cls.of("origin", "dest", labels=labels, max_rules=2)
        return [
            routes,
            cls.of("merchant", labels=labels, max_rules=2),
            cls.of("a", "b", labels=[*labels, "diverted"], max_rules=1),
            cls.of("a", "b", labels=labels, max_rules=2, max_literals=1),
            routes.restrict(("v1", "v1"), 1).restrict(("v1", "v0"), 2),
        ]

    def __str__(self) -> str:
        columns = ", ".join(map(column_text, self.domain.columns))
        declared = f"outcomes({columns}; at most {self.max_rules} rules of {self.max_literals})"
        if self.space == WHOLE:
            return declared
        return f"{declared} after {'a contradiction' if self.is_empty() else 'examples'}"
