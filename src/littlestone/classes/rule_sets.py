"""Rule sets: at least one of a few equality rules over open vocabularies applies."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from typing import Any, Self

import numpy as np

from littlestone.base.errors import DeclarationError, TooLargeError, in_digits
from littlestone.base.work import count_steps as count_steps
from littlestone.classes.counting.rules import RuleGains
from littlestone.classes.dimensions import closed_forms
from littlestone.classes.dimensions.covers import WHOLE, ByCovers, Covers, Space
from littlestone.classes.promises.covering import Covering
from littlestone.classes.rule_lists import RuleUnions
from littlestone.classes.rules import EqualityRules
from littlestone.classes.text.declared import DeclaredClass
from littlestone.classes.text.mixed_columns import parse_mixed
from littlestone.classes.text.scales import COARSEST, TYPED
from littlestone.classes.text.spec import Spec, column_text, parse_open
from littlestone.data.sample import Sample
from littlestone.points import Domain, FiniteColumn, Integers, Product, Strings
from littlestone.privacy.scores import Elements
from littlestone.rules import Hypothesis, RuleUnion
from littlestone.rules.rules import Rule, obeys

FORM = "rule_sets(COLUMN, integers(COLUMN), ...; at most S rules of R)"
MOST_RULES = 64
MOST_COLUMNS = 4  # the most columns whose version spaces are searched
MOST_COVERS = 121  # 2 rules of 2 over 4 columns, which take five seconds


@dataclass(frozen=True)
class RuleSets(ByCovers, Covering[Rule], DeclaredClass):
    """The functions "rule 1 or rule 2 or ...", of few rules that are "and" of few equalities.

    A rule fixes the values of at most r of the m columns of ``domain``.  A hypothesis is 1 at the
    records that obey one of its at most s rules, so a hypothesis without rules is the constant 0.

    ``space`` is the version space: the covers, which are the minimal sets of rules that explain the
    positive examples, and the rules that negative examples refute.  Equal version spaces are equal
    objects.  A search finds the exact Littlestone dimension.  Only values of covers and new values
    matter in it (docs/proofs/rule-sets.md).

    A record obeys N = sum_{i <= r} C(m, i) rules.  Raises `DeclarationError` for what `EqualityRules`
    refuses, and unless the number of rules is 1 to 64.  Methods that restrict the class or need its
    dimension raise `TooLargeError` for more than 4 columns, or if s positive examples may have
    N^s > 121 covers.  `ChoosingLearner` needs neither.  `restrict` copies the refuted rules.  A search
    takes from milliseconds to some seconds and caches its results.  `error_ball` is the generic walk.

    >>> H = RuleSets.over_columns("origin", "dest", max_rules=2, max_literals=2)
    >>> V = H.restrict(("JFK", "HNL"), 1).restrict(("EWR", "HNL"), 0)
    >>> H.littlestone_dimension(), V.littlestone_dimension(), V.soa().words()
    (5, 3, "origin is 'JFK'")
    """

    keyword = "rule_sets"
    typical = "rule_sets(carrier, origin, integers(hour); at most 2 rules of 2)"
    group = "ordinary tables"

    domain: Product
    max_rules: int
    max_literals: int
    space: Space = WHOLE

    def __post_init__(self) -> None:
        # The class of single rules refuses illegal rules.
        object.__setattr__(self, "max_literals", self._single.max_literals)
        if type(self.max_rules) is not int or not 1 <= self.max_rules <= MOST_RULES:
            raise DeclarationError(
                f"declare sets of rules over the columns {self.domain.name}",
                found=f"at most {self.max_rules!r} rules are asked for",
                fix=f"ask for a whole number from 1 to {MOST_RULES}",
            )

    @classmethod
    def over_columns(cls, *columns: str | Domain[Any], max_rules: int, max_literals: int) -> Self:
        """The sets of rules over columns with these names or domains."""
        named = (Strings(column) if isinstance(column, str) else column for column in columns)
        return cls(Product(tuple(named)), max_rules, max_literals)

    @property
    def _searchable(self) -> bool:
        covers = self.elements_per_point**self.max_rules
        return len(self.domain.columns) <= MOST_COLUMNS and covers <= MOST_COVERS

    @cached_property
    def search(self) -> Covers:
        m, r, s = len(self.domain.columns), self.max_literals, self.max_rules
        if not self._searchable:
            raise TooLargeError(
                f"search the version spaces of {s} rules of {r} equalities over {m} columns",
                found=f"records obey {self.elements_per_point:,} rules each, so {s} of them may have "
                f"{in_digits(self.elements_per_point**s)} covers; at most {MOST_COVERS} covers over "
                f"{MOST_COLUMNS} columns are searched",
                fix="ask for 2 rules of 2 over 4 columns, 3 rules of 2 over 2, or less; or learn by "
                "the method choosing, which does not search",
            )
        return Covers.instance(m, r, s)

    def littlestone_bounds(self) -> tuple[int | float, int | float]:
        """LDim twice if it is searched, else bounds of the whole class (Theorem 7)."""
        if self._searchable or self.space != WHOLE:
            return super().littlestone_bounds()
        m, r = len(self.domain.columns), self.max_literals
        return closed_forms.rule_sets(m, r, self.max_rules)

    def bound_reasons(self) -> tuple[str, str]:
        page = "docs/proofs/closed-forms.md, Theorem 7"
        return f"a tree, {page}", f"a count of the leaves of a tree, {page}"

    @cached_property
    def _new(self) -> Rule:
        """A record whose values occur in no example, as far as that matters."""
        return next(zip(*self._new_values(1), strict=True))

    def _patterns(self) -> Iterator[Rule]:
        """The patterns of cover values in a record; None is any other value. Weaker ones come first."""
        values = self.search.values(self.space)
        return product(*([None, *known] for known in values))

    def _point(self, pattern: Rule) -> Rule:
        return tuple(u if v is None else v for u, v in zip(self._new, pattern, strict=True))

    @cached_property
    def _soa_labels(self) -> dict[Rule, int]:
        """The SOA's label at each pattern; it is monotone, so it stays 1 if a value is added."""
        dimension, labels = self.littlestone_dimension(), dict[Rule, int]()
        for pattern in self._patterns():
            weaker = (
                (*pattern[:j], None, *pattern[j + 1 :])
                for j, v in enumerate(pattern)
                if v is not None
            )
            labels[pattern] = int(
                # Monotone: a pattern has label 1 if a weaker one has, which spares the search.
                any(labels[one] for one in weaker)
                or not self._keeps(dimension, self._point(pattern), 0)
            )
        return labels

    def _keeps(self, dimension: int, x: Rule, y: int) -> bool:
        return self.search.at_least(self.search.restrict(self.space, x, y), dimension)

    def require_learnable(self) -> None:
        if self.is_empty():  # the dimension is finite, even if the search is too large to find it
            super().require_learnable()

    def soa(self) -> RuleUnion:
        self.require_learnable()
        ones = (pattern for pattern, label in self._soa_labels.items() if label)
        return RuleUnion(self.domain, frozenset(ones))

    def mistake_point(self) -> Rule | None:
        below = self.littlestone_dimension() - 1
        points = map(self._point, self._patterns()) if below >= 0 else ()
        return next((x for x in points if all(self._keeps(below, x, y) for y in (0, 1))), None)

    def reducing_points(self, k: int) -> list[Rule] | None:
        """See `HypothesisClass.reducing_points`; exponential in ``k`` in the worst case."""
        self.require_learnable()
        search, dimension = self.search, self.littlestone_dimension()
        labels = ((self._point(pattern), y) for pattern, y in self._soa_labels.items())
        if search.at_least(self._limit(labels), dimension):
            return None
        for size in range(1, k + 1):
            for count in range(size + 1):
                for ones in combinations(self._ones(count), count):
                    count_steps()
                    left = search.after(self.space, ones, 1)
                    zeros = self._zeros(ones)
                    # All zeros together do not reduce it, so no few of them do.
                    if search.at_least(search.after(left, zeros, 0), dimension):
                        continue
                    for chosen in combinations(zeros, size - count):
                        count_steps()
                        if not search.at_least(search.after(left, chosen, 0), dimension):
                            return [*ones, *chosen]
        return None

    def least_errors(self, sample: Sample[Rule]) -> int:
        """See `HypothesisClass.least_errors`; a few times O(N n log n), for N shapes and n points.

        A hypothesis is a cover with further unrefuted rules; `RuleGains` searches for them.
        """
        if not len(sample.points):
            return 0
        found = RuleGains(sample, self.search.shapes, self.space.refuted)
        gains = []
        for cover in self.space.covers:
            gain, left = found.after(cover)
            more = self.max_rules - len(cover) if self.search.is_open(cover) else 0
            gains.append(gain + found.best(left, more))
        return int(sample.positives.sum()) - max(gains)

    def _ones(self, count: int) -> list[Rule]:
        """Points of SOA label 1, ``count`` of which reduce LDim as well as any other ``count``."""
        if self.size is not None:  # rules asked about are known, so the least patterns say most
            return [self._point(pattern) for pattern in self.soa().rules]
        others = self._other_values(count)
        return [
            x
            for pattern, label in self._soa_labels.items()
            if label
            for x in product(
                *(u if v is None else [v] for u, v in zip(others, pattern, strict=True))
            )
        ]

    def _other_values(self, count: int) -> list[list[Any]]:
        """Values of each column that no cover asks for: those with the most refuted rules.

        A value is left out if ``count`` others have all its refuted rules, because one of these is
        unused among ``count`` points and serves as well.
        """
        chosen = []
        known = self.search.values(self.space)
        for j, new in enumerate(self._new_values(count)):
            refuted: dict[Any, set[Rule]] = {value: set() for value in new}
            for rule in self.space.refuted:
                if rule[j] is not None and rule[j] not in known[j]:
                    rest = (*rule[:j], None, *rule[j + 1 :])
                    refuted.setdefault(rule[j], set()).add(rest)
            kept: list[Any] = []
            for value in sorted(refuted, key=lambda v: (-len(refuted[v]), v)):
                if sum(refuted[value] <= refuted[better] for better in kept) < count:
                    kept.append(value)
            chosen.append(kept)
        return chosen

    def _zeros(self, ones: tuple[Rule, ...]) -> list[Rule]:
        """The points of SOA label 0 that refute the most, with values of covers and of ``ones``."""
        known = self.search.values(self.space)
        columns = [sorted({*values, *(x[j] for x in ones)}) for j, values in enumerate(known)]
        candidates = [
            rule
            for rule in product(*([None, *values] for values in columns))
            if not self._label(rule)
        ]
        return [
            self._point(rule)
            for rule in candidates
            if not any(obeys(other, rule) for other in candidates if other != rule)
        ]

    def _label(self, x: Rule) -> int:
        """The SOA's label at the record x."""
        known = self.search.values(self.space)
        return self._soa_labels[
            tuple(v if v in values else None for v, values in zip(x, known, strict=True))
        ]

    @property
    def max_elements(self) -> int:
        return self.max_rules

    @property
    def elements_per_point(self) -> int:
        return self._single.elements_per_point

    @cached_property
    def _single(self) -> EqualityRules:
        """The class of the single rules."""
        return EqualityRules(self.domain, self.max_literals)

    def elements(self, sample: Sample[Rule]) -> Elements:
        found = self._single.elements(sample)
        if not self.space.refuted:
            return found
        elements = [self.union([found.element(i)]) for i in range(found.number_of_elements)]
        kept = [i for i, h in enumerate(elements) if h.rules.isdisjoint(self.space.refuted)]
        positives, negatives = map(found.of_each, (found.positives, found.negatives))
        return Elements(
            np.array(positives, dtype=np.int64)[kept],
            np.array(negatives, dtype=np.int64)[kept],
            lambda i: found.element(kept[i]),
            lambda i: found.covered(kept[i]),
        )

    def union(self, elements: Iterable[Hypothesis[Rule]]) -> RuleUnion:
        return self._single.union(elements)

    @classmethod
    def parse(cls, spec: Spec) -> Any:
        spec.expect(FORM, max(1, len(spec.arguments)), options=("at",))
        most = re.fullmatch(
            r"most\s+([0-9]{1,9})\s+rules?\s+of\s+([0-9]{1,9})", spec.option("at") or ""
        )
        if most is None:
            raise spec.form_error(
                "the number of rules or of their equalities is missing or not of its form", FORM
            )
        written = [spec.schema.texts.get(column, column) for column in spec.arguments]
        finite = [isinstance(parse_mixed(text, COARSEST), FiniteColumn) for text in written]
        # Beside open columns, an integer without a range is one of them.
        typed = [TYPED.fullmatch(text) is not None for text in written]
        if all(finite) or any(f and not t for f, t in zip(finite, typed, strict=True)):
            return RuleUnions.parse(spec)
        return cls(Product(parse_open(spec)), int(most[1]), int(most[2]))

    @classmethod
    def examples(cls) -> list[Self]:
        routes = cls.over_columns("origin", "dest", max_rules=2, max_literals=2)
        once = routes.restrict(("v1", "v1"), 1)
        return [
            routes,
            cls.over_columns("merchant", max_rules=3, max_literals=1),
            cls.over_columns("carrier", Integers("hour"), max_rules=2, max_literals=1),
            routes.restrict(("v0", "v1"), 0),
            once.restrict(("v1", "v0"), 0),
            once.restrict(("v2", "v2"), 1),
            cls.over_columns(*"abc", max_rules=1, max_literals=2),
        ]

    @property
    def declaration(self) -> str:
        columns = ", ".join(map(column_text, self.domain.columns))
        return f"rule_sets({columns}; at most {self.max_rules} rules of {self.max_literals})"
