"""Decision rules with several outcomes, over open vocabularies."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from math import comb
from typing import Any, Self

from littlestone.base.errors import TooLargeError, in_digits
from littlestone.base.work import count_steps as count_steps
from littlestone.classes.dimensions.covers import WHOLE, ByCovers, OutcomeCovers, Space
from littlestone.classes.rule_sets import MOST_RULES, RuleSets
from littlestone.classes.rules import EqualityRules
from littlestone.classes.text.declared import DeclaredClass
from littlestone.classes.text.spec import Spec, column_text, parse_open
from littlestone.points import Domain, Product, Strings
from littlestone.rules.rules import CellFunction, Rule

FORM = "outcomes(COLUMN, integers(COLUMN), ...; at most S rules of R)"
MOST_COVERS = 16  # the most covers whose version spaces are searched
MOST_LABELS = 4
MOST_TRIED = 1 << 16  # the most sets of points that are tried for reducing


@dataclass(frozen=True)
class Outcomes(ByCovers, DeclaredClass):
    """At most s rules "these columns have these values: this outcome"; otherwise the label 0.

    A rule fixes the values of at most r of the m columns and has an outcome in 1, ..., k.  Two rules
    with different outcomes exclude each other, so they never disagree.  Then bit i of the outcome is 1
    at the records that obey a rule whose outcome has that bit.  So every H|_i is the class of all
    unions of at most s rules: `EqualityRules` for s = 1, otherwise `RuleSets`.

    LDim is at least that of this class, because rules with one outcome attain it.  The two are equal
    in every computed case (docs/proofs/outcomes.md).  A search finds LDim if (sum over i <= r of
    C(m, i))^s <= 16 and there are at most 4 labels.  Otherwise methods that restrict the class raise
    `TooLargeError`.  Learning needs no search.  Raises `DeclarationError` for what `RuleSets` refuses.

    >>> H = Outcomes.over_columns("origin", "dest", labels=3, max_rules=2)
    >>> H.littlestone_dimension(), H.restrict(("JFK", "HNL"), 2).littlestone_dimension()
    (5, 4)
    >>> print(H.bit_class(1))
    rule_sets(origin, dest; at most 2 rules of 2)
    """

    keyword = "outcomes"
    group = "open vocabularies"
    typical = "outcomes(carrier, integers(hour); at most 2 rules of 2)"
    several = True

    domain: Product
    labels: int
    max_rules: int
    max_literals: int
    space: Space = WHOLE

    def __post_init__(self) -> None:
        # The class of unions refuses illegal rules.
        unions = RuleSets(self.domain, self.max_rules, self.max_literals)
        object.__setattr__(self, "max_literals", unions.max_literals)

    @classmethod
    def over_columns(
        cls,
        *columns: str | Domain[Any],
        labels: int,
        max_rules: int,
        max_literals: int | None = None,
    ) -> Self:
        """The rules over columns with these names or domains; by default they fix all columns."""
        named = tuple(Strings(column) if isinstance(column, str) else column for column in columns)
        most = len(named) if max_literals is None else max_literals
        return cls(Product(named), labels, max_rules, most)

    def bit_class(self, i: int) -> EqualityRules | RuleSets:
        if self.max_rules == 1:
            return EqualityRules(self.domain, self.max_literals)
        return RuleSets(self.domain, self.max_rules, self.max_literals)

    @cached_property
    def search(self) -> OutcomeCovers:
        m, s, k = len(self.domain.columns), self.max_rules, self.labels - 1
        growth = EqualityRules(self.domain, self.max_literals).elements_per_point
        if growth**s > MOST_COVERS or k >= MOST_LABELS:
            raise TooLargeError(
                f"search the version spaces of {self}",
                found=f"records obey {growth:,} rules each, so {s} of them may have "
                f"{in_digits(growth**s)} covers; at most {MOST_COVERS} covers with "
                f"{MOST_LABELS} labels are searched",
                fix="ask for 2 rules over 2 columns or less, and at most 4 labels; or learn it, "
                "which takes no search",
            )
        return OutcomeCovers.instance(m, self.max_literals, s, k)

    def soa(self) -> CellFunction:
        self.require_learnable()
        (new,) = zip(*self._new_values(1), strict=True)

        def label_of(cell: Rule) -> int:
            count_steps()
            return self.soa_label(
                tuple(u if v is None else v for u, v in zip(new, cell, strict=True))
            )

        return CellFunction.tabulate(self.domain, self.labels, self._values, label_of)

    def mistake_point(self) -> Rule | None:
        below = self.littlestone_dimension() - 1
        points = self._points(self.search.values(self.space), 1) if below >= 0 else ()
        return next(
            (x for x in points if len(self.search.deep_labels(self.space, x, below)) == 2), None
        )

    def reducing_points(self, k: int) -> list[Rule] | None:
        """See `HypothesisClass.reducing_points`; tries sets of points with the values that matter.

        These values are the values of examples and k others in each column, because all others are
        alike.  No set is tried if no number of points reduces.  Raises `TooLargeError` if there are
        more than 65,536 sets.
        """
        self.require_learnable()
        d, tried = self.littlestone_dimension(), 0
        points = self._points(self._values, 1)
        if self.search.at_least(self._limit((x, self.soa_label(x)) for x in points), d):
            return None
        for size in range(1, k + 1):
            labels = {x: self.soa_label(x) for x in self._points(self._values, size)}
            tried += comb(len(labels), size)
            if tried > MOST_TRIED:
                raise TooLargeError(
                    f"find {k} points that reduce {self}",
                    found=f"there are more than {MOST_TRIED} sets of points to try",
                    fix="give a smaller k, or declare fewer columns",
                )
            for chosen in combinations(labels, size):
                count_steps()
                space = self.space
                for x in chosen:
                    space = self.search.restrict(space, x, labels[x])
                if not self.search.at_least(space, d):
                    return list(chosen)
        return None

    @cached_property
    def _values(self) -> list[list[Any]]:
        """The values of each column that occur in examples, as far as they matter."""
        return [sorted(used - {None}) for used in self._used_values]

    def _points(self, values: list[list[Any]], new: int) -> Iterator[Rule]:
        """The records with these values in each column, and ``new`` new values."""
        more = self._new_values(new)
        return product(*([*u, *v] for u, v in zip(more, values, strict=True)))

    @classmethod
    def parse(cls, spec: Spec) -> Self:
        spec.expect(FORM, max(1, len(spec.arguments)), options=("at",))
        form = r"most\s+([0-9]{1,9})(?:\s+rules?\s+of\s+([0-9]{1,9}))?"
        most = re.fullmatch(form, spec.option("at") or "")
        if most is None or int(most[1]) > MOST_RULES:
            raise spec.form_error(
                f"the number of rules, at most {MOST_RULES}, is missing or not of its form", FORM
            )
        columns = parse_open(spec)
        literals = int(most[2]) if most[2] else None
        return cls.over_columns(
            *columns, labels=spec.labels, max_rules=int(most[1]), max_literals=literals
        )

    @classmethod
    def examples(cls) -> list[Self]:
        routes = cls.over_columns("origin", "dest", labels=3, max_rules=2)
        return [
            routes,
            cls.over_columns("merchant", labels=3, max_rules=2),
            cls.over_columns("a", "b", labels=4, max_rules=1),
            cls.over_columns("a", "b", labels=3, max_rules=2, max_literals=1),
            routes.restrict(("v1", "v1"), 1).restrict(("v1", "v0"), 2),
        ]

    @property
    def declaration(self) -> str:
        columns = ", ".join(map(column_text, self.domain.columns))
        return f"outcomes({columns}; at most {self.max_rules} rules of {self.max_literals})"
