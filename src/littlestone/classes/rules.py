"""Equality rules: a few columns have given values from open vocabularies."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import combinations, islice
from typing import Any, Self

import numpy as np

from littlestone.base.errors import DeclarationError, TooLargeError, in_digits, show_value
from littlestone.base.work import count_steps as count_steps
from littlestone.classes.base import require_example, require_few
from littlestone.classes.counting import rules as counting
from littlestone.classes.counting.rules import Groups, Shapes, sums
from littlestone.classes.dimensions import closed_forms
from littlestone.classes.dimensions.closed_forms import MOST_ENTRIES, halving
from littlestone.classes.promises.covering import (
    Covering,
    ProperApproximation,
    mixture_of_rows,
    rounds,
)
from littlestone.classes.text.declared import DeclaredClass
from littlestone.classes.text.spec import Spec, column_text, parse_open
from littlestone.data.sample import Sample
from littlestone.dimension.tables import PackedTable, SearchTable
from littlestone.points import Domain, Integers, Product, Strings
from littlestone.points.base import require_domain
from littlestone.privacy.scores import Elements
from littlestone.rules import Hypothesis, RuleUnion
from littlestone.rules.rules import Rule, record

FORM = "rules(COLUMN, integers(COLUMN), ...; at most R), and nonzero to leave out the constant 0"
MOST_COLUMNS = 60  # a set of columns is a mask in a machine word
MOST_SHAPES = 1 << 14  # sets of columns that a rule may fix
MOST_COUNTS = 2**31  # records times shapes


@dataclass(frozen=True)
class EqualityRules(Covering[Rule], ProperApproximation[Rule], DeclaredClass):
    """The indicators of at most ``max_literals`` equalities "column is value", over open columns.

    A hypothesis fixes the values of at most r = ``max_literals`` of the m columns of ``domain``; with
    ``zero``, the constant 0 is a hypothesis too.  Let D0(m, r) be the Littlestone dimension of the
    conjunctions of at most r of m bits, and D1(m, r) that without the empty conjunction.  Then

        LDim = 1 + D0 before any example,  1 + D1 after negative ones,

    A positive example v leaves finitely many rules, which fix some columns to the values of v.  These
    are again conjunctions, of the bits "x has the value of v in column j".
    docs/proofs/equality-rules.md proves this, and that every SOA is a union of rules.

    ``negatives`` are the examples before the first positive one.  After it, ``values`` holds the values
    of the columns that some surviving rule fixes and None elsewhere, and ``alive`` is the mask of the
    surviving shapes.  Equal version spaces are equal objects: before a positive example, two are equal
    if their negatives refute the same rules.

    Raises `DeclarationError` for another domain, finite columns, no literal, more than 60 columns, or
    more than 2^14 sets of columns that a rule may fix.  A search finds the dimension.  With more than
    8 columns, or more than 10 if rules have at most 2 literals, methods that search raise
    `TooLargeError`, and `littlestone_bounds` has formulas (docs/proofs/closed-forms.md).  `restrict`
    copies the negatives; the first positive example is compared with each of them.

    >>> H = EqualityRules.over_columns("origin", "dest", max_literals=2)
    >>> H.littlestone_dimension(), H.restrict(("JFK", "HNL"), 1).restrict(("JFK", "LAX"), 0).size
    (3, 2)
    """

    keyword = "rules"
    group = "open vocabularies"
    typical = "rules(carrier, origin, integers(hour); at most 2)"

    domain: Product
    max_literals: int
    zero: bool = True
    negatives: frozenset[Rule] = frozenset()
    values: Rule | None = None
    alive: int = 0

    def __post_init__(self) -> None:
        require_domain(self.domain, "declare equality rules on")
        if not isinstance(self.domain, Product):
            raise DeclarationError(
                f"declare equality rules on the domain {self.domain}",
                found="it is not a product of columns",
                fix="give Product((Strings(name), ...)), of one column or more",
            )
        m = len(self.domain.columns)
        if any(not isinstance(column, Strings | Integers) for column in self.domain.columns):
            found, fix = "a column has a finite vocabulary", "give columns Strings and Integers"
        elif type(self.max_literals) is not int or self.max_literals < 1:
            found = f"rules of {show_value(self.max_literals)} equalities are asked for"
            fix = "ask for a whole number, 1 or more"
        elif m > MOST_COLUMNS:
            found, fix = f"there are {m} columns", f"name at most {MOST_COLUMNS}"
        elif (shapes := closed_forms.shapes(m, min(self.max_literals, m))) > MOST_SHAPES:
            found = f"a rule may fix {in_digits(shapes)} sets of columns, more than {MOST_SHAPES:,}"
            fix = "name fewer columns, or ask for fewer equalities in a rule"
        else:
            object.__setattr__(self, "max_literals", min(self.max_literals, m))
            return
        asked = f"declare rules over the columns {self.domain.name}"
        raise DeclarationError(asked, found=found, fix=fix)

    def __eq__(self, other: object) -> bool:
        """Whether both are the same set of functions, whichever negatives refute the others."""
        if type(other) is not type(self):
            return NotImplemented
        return (
            self._key == other._key
            and self._negative_values == other._negative_values
            and (self.negatives == other.negatives or self._refuted_rules == other._refuted_rules)
        )

    def __hash__(self) -> int:
        return hash((self._key, self._negative_values))

    @property
    def _key(self) -> tuple[object, ...]:
        return self.domain, self.max_literals, self.zero, self.values, self.alive

    @cached_property
    def _negative_values(self) -> tuple[frozenset[Any], ...]:
        """The values of each column in negatives: the refuted rules of one equality."""
        return tuple(map(frozenset, zip(*self.negatives, strict=True)))

    @cached_property
    def _refuted_rules(self) -> frozenset[Rule]:
        """The longest rules that negatives obey; a shorter one is refuted iff a longer one is."""
        longest = [fixed for fixed in self.shapes.columns if len(fixed) == self.max_literals]
        return frozenset(
            tuple(v if j in fixed else None for j, v in enumerate(x))
            for x in self.negatives
            for fixed in longest
        )

    @classmethod
    def over_columns(
        cls, *columns: str | Domain[Any], max_literals: int, zero: bool = True
    ) -> Self:
        """The rules over columns with these names or domains."""
        named = (Strings(column) if isinstance(column, str) else column for column in columns)
        return cls(Product(tuple(named)), max_literals, zero)

    @property
    def shapes(self) -> Shapes:
        """The sets of columns that rules may fix."""
        return Shapes.instance(len(self.domain.columns), self.max_literals)

    def _agreement(self, x: Rule) -> int:
        """The columns where x has the value that rules fix there."""
        pairs = zip(x, self.values or (), strict=True)
        return sum(1 << j for j, (u, v) in enumerate(pairs) if v is not None and u == v)

    def _after_positive(self, values: Rule, alive: int) -> Self:
        span = self.shapes.span(alive)
        kept = tuple(v if span >> j & 1 else None for j, v in enumerate(values))
        return replace(self, negatives=frozenset(), values=kept, alive=alive)

    def restrict(self, x: Rule, y: int) -> Self:
        require_example(self, x, y)
        if self.values is not None:
            obeyed = self.shapes.inside[self._agreement(x)]
            return self._after_positive(self.values, self.alive & (obeyed if y else ~obeyed))
        if not y:
            return replace(self, negatives=self.negatives | {x})
        first = replace(self, negatives=frozenset(), values=x, alive=self.shapes.all)
        alive = first.alive
        for Z in {first._agreement(negative) for negative in self.negatives}:
            alive &= ~self.shapes.inside[Z]
        return self._after_positive(x, alive)

    def is_empty(self) -> bool:
        return self.values is not None and self.alive == 0

    @property
    def size(self) -> int | None:
        return None if self.values is None else self.alive.bit_count()

    def littlestone_dimension(self) -> int:
        if self.values is not None:
            return self.shapes.solver.dimension(self.alive)
        # The empty shape is number 0; a negative example refutes it.
        rules = self.shapes.all & ~1 if self.negatives else self.shapes.all
        return 1 + self.shapes.solver.dimension(rules)

    def require_learnable(self) -> None:
        if self.is_empty():  # the dimension is finite, even if the search is too large to find it
            super().require_learnable()

    def littlestone_bounds(self) -> tuple[int | float, int | float]:
        if self.shapes.searchable:
            return super().littlestone_bounds()
        if self.values is not None:
            n = self.alive.bit_count()
            return min(1, n - 1), halving(n)
        m, r, empty = len(self.domain.columns), self.max_literals, not self.negatives
        shapes = len(self.shapes.columns) - 1 + empty
        return 1 + closed_forms.rules(m, r, empty=empty), 1 + halving(shapes)

    def bound_reasons(self) -> tuple[str, str]:
        page = "docs/proofs/closed-forms.md, Theorem 6"
        return f"a tree, {page}", "the majority of the rules of a record errs no more often"

    def search_table(self) -> SearchTable | None:
        """The conjunctions of at most r of m bits: LDim = 1 + theirs."""
        m, shapes = len(self.domain.columns), self.shapes
        if shapes.searchable or self.values is not None or self.negatives:
            return None
        low, high = map(int, self.littlestone_bounds())
        if low == high or len(shapes.columns) << m > MOST_ENTRIES:
            return None
        return SearchTable(PackedTable.pack(shapes.truth_tables()), (low, high), 1)

    def soa(self) -> RuleUnion:
        self.require_learnable()
        if self.values is None:
            constant = self.soa_label(self._new_point())
            return RuleUnion(self.domain, frozenset([self._rule(0)] if constant else []))
        ones = frozenset(self._rule(Z) for Z, label in self._soa_labels.items() if label)
        return RuleUnion(self.domain, ones)

    @cached_property
    def _soa_labels(self) -> dict[int, int]:
        """The SOA's label at each set Z of agreeing columns, out of those that rules fix.

        It is monotone, because a larger negative Z leaves fewer rules; subsets come first.
        """
        span, labels = self.shapes.span(self.alive), dict[int, int]()
        for Z in range(span + 1):
            if Z & ~span:
                continue
            below = (Z ^ 1 << j for j in range(Z.bit_length()) if Z >> j & 1)
            if any(labels[smaller] for smaller in below):
                labels[Z] = 1
            else:
                refuted = self.alive & ~self.shapes.inside[Z]
                labels[Z] = int(
                    refuted != self.alive and not self.shapes.solver.keeps(self.alive, refuted)
                )
        return labels

    def _rule(self, Z: int) -> Rule:
        """The rule that fixes the columns Z; none before a positive example."""
        values = self.values or (None,) * len(self.domain.columns)
        return tuple(v if Z >> j & 1 else None for j, v in enumerate(values))

    def _point(self, Z: int) -> Rule:
        """A point that agrees with the rules in the columns Z and in no other."""
        return record(self.domain, self._rule(Z), [] if self.values is None else [self.values])

    def _new_point(self) -> Rule:
        """A point that has no value of a negative example."""
        return record(self.domain, self._rule(0), self.negatives)

    def mistake_point(self) -> Rule | None:
        if self.values is None:
            return self._new_point()
        below, at_least = self.littlestone_dimension() - 1, self.shapes.solver.at_least
        if below < 0:
            return None
        for Z in self._soa_labels:
            obeyed = self.alive & self.shapes.inside[Z]
            if at_least(obeyed, below) and at_least(self.alive & ~obeyed, below):
                return self._point(Z)
        return None

    def reducing_points(self, k: int) -> list[Rule] | None:
        """See `HypothesisClass.reducing_points`; exponential in ``k`` in the worst case."""
        self.require_learnable()
        dimension = self.littlestone_dimension()
        if self.values is None:
            x = self._new_point()
            reduced = self.restrict(x, self.soa_label(x)).littlestone_dimension() < dimension
            return [x] if reduced and k >= 1 else None
        inside = self.shapes.inside
        # The rules that the SOA leaves at a point; fewer are better for reducing.
        left = {
            self.alive & (inside[Z] if label else ~inside[Z]): Z
            for Z, label in self._soa_labels.items()
        }
        sides = [V for V in left if not any(W != V and not W & ~V for W in left)]
        for size in range(1, min(k, len(sides)) + 1):
            for chosen in combinations(sides, size):
                count_steps()
                common = self.alive
                for V in chosen:
                    common &= V
                if not self.shapes.solver.at_least(common, dimension):
                    return [self._point(left[V]) for V in chosen]
        return None

    max_elements = 1

    @property
    def elements_per_point(self) -> int:
        """The number of shapes, because one rule of each shape covers a given record."""
        return len(self.shapes.columns)

    def elements(self, sample: Sample[Rule]) -> Elements:
        """See `Covering.elements`; O(N n) for n points and N shapes, or O(N n log n) for large n."""
        return self._groups(sample).elements(
            list(self._shapes), lambda rule: RuleUnion(self.domain, frozenset([rule]))
        )

    def _groups(self, sample: Sample[Rule]) -> Groups:
        return Groups(sample, self.shapes, self.values, self.negatives)

    def most_candidates(self, n: int) -> int:
        """Few rules are listed one by one; different counts that add up to n are few as well."""
        counts = 3 * math.ceil(math.pow(n, 2 / 3))
        return self.elements_per_point * min(n, max(counting.FEW_RULES, counts))

    def require_countable(self, n: int) -> None:
        counts = n * self.elements_per_point
        if counts > MOST_COUNTS:
            raise TooLargeError(
                f"count the rules of {self} that {n:,} records obey",
                found=f"that takes {counts:,} steps, more than {MOST_COUNTS:,}",
                fix="name fewer columns, or ask for fewer equalities in a rule",
            )

    def union(self, elements: Iterable[Hypothesis[Rule]]) -> RuleUnion:
        rules = (rule for h in elements if isinstance(h, RuleUnion) for rule in h.rules)
        return RuleUnion(self.domain, frozenset(rules))

    def mixture(self, f: Hypothesis[Rule], alpha: Fraction) -> list[Hypothesis[Rule]]:
        """Rules with new values for the constant 0; rules with its own values for a union of rules."""
        rules = f.rules if isinstance(f, RuleUnion) else frozenset()
        if self.values is None and not rules:
            used = {x[0] for x in self.negatives}
            new = (v for v in self.domain.columns[0] if v not in used)
            rest = (None,) * (len(self.domain.columns) - 1)
            single = (frozenset([(v, *rest)]) for v in islice(new, math.ceil(1 / alpha)))
            return [f] if self.zero else [RuleUnion(self.domain, rule) for rule in single]
        asked = [_fixed_mask(rule) for rule in rules]
        V = self
        if self.values is None:  # all rules of f have the values of one positive example
            columns = zip(*rules, strict=True)
            values = tuple(next((v for v in column if v is not None), None) for column in columns)
            V = replace(self, negatives=frozenset(), values=values)
            alive = self.shapes.inside[_fixed_mask(values)]
            for negative in self.negatives:
                alive &= ~self.shapes.inside[V._agreement(negative)]
            V = self._after_positive(values, alive)
        shapes = [self.shapes.masks[i] for i in self.shapes.shapes_in(V.alive)]
        agreeing = range(1 << len(self.domain.columns))
        chosen = mixture_of_rows(
            np.array([[not mask & ~Z for Z in agreeing] for mask in shapes]),
            np.array([any(not mask & ~Z for mask in asked) for Z in agreeing]),
            alpha,
        )
        return [RuleUnion(self.domain, frozenset([V._rule(shapes[i])])) for i in chosen]

    def most_mixed(self, alpha: Fraction) -> int:
        return max(math.ceil(1 / alpha), rounds(1 << len(self.domain.columns), alpha))

    def error_ball(
        self, sample: Sample[Rule], max_errors: int, *, most: int | None = None
    ) -> list[tuple[Self, int]]:
        """See `HypothesisClass.error_ball`; O(N n log n) for n points and N shapes, and the answer.

        A rule that covers a sample point takes its values from there, so grouping the points by the
        columns of a shape finds all of that shape.  It errs on P - (positives covered) + (negatives
        covered) examples, P being all positives.  Rules that cover the same points are one version
        space; all that cover none are another, which errs on P.
        """
        positives = int(sample.positives.sum())
        weights = sample.positives - sample.negatives
        spaces: dict[bytes, tuple[Rule, int, int]] = {}
        groups = self._groups(sample)
        covers = (
            (i, covered)
            for i in self._shapes
            for covered in groups.covers(i, weights, positives - max_errors)
        )
        for i, covered in covers:
            key, errors = covered.tobytes(), positives - int(weights[covered].sum())
            example = sample.points[covered[0]] if len(covered) else self.values or ()
            values, family, _ = spaces.get(key, (self._rule(0), 0, 0))
            fixed = self.shapes.columns[i]
            values = tuple(example[j] if j in fixed else v for j, v in enumerate(values))
            spaces[key] = values, family | 1 << i, errors
        found = [(self._after_positive(v, family), e) for v, family, e in spaces.values()]
        if self.values is None and positives <= max_errors:
            found.append((replace(self, negatives=self.negatives.union(sample.points)), positives))
        require_few(len(found), most)
        return found

    def growth_function(self, points: int) -> int:
        # A point has one covering rule per shape; all rules that cover no point are alike.
        return min(super().growth_function(points), self.elements_per_point * points + 1)

    def least_errors(self, sample: Sample[Rule]) -> int:
        """See `HypothesisClass.least_errors`; O(N n) for n points and N shapes."""
        weights, positives = sample.positives - sample.negatives, int(sample.positives.sum())
        if self.values is not None:
            agreements = np.zeros(len(sample.points), dtype=np.int64)
            for j, (value, rows) in enumerate(zip(self.values, sample.rows_of, strict=False)):
                if value is not None and value in rows:
                    agreements[rows[value]] |= 1 << j
            masks = [self.shapes.masks[i] for i in self.shapes.shapes_in(self.alive)]
            return positives - max(int(weights[agreements & m == m].sum()) for m in masks)
        # The constant 0 and rules with new values cover no point.
        gains = [0]
        groups = self._groups(sample)
        for i in self._shapes:
            gains.append(int(sums(*groups.rules_of_shape(i), weights).max(initial=0)))
        return positives - max(gains)

    @property
    def _shapes(self) -> Iterable[int]:
        """The numbers of the surviving shapes."""
        if self.values is None:
            return range(len(self.shapes.columns))
        return self.shapes.shapes_in(self.alive)

    @classmethod
    def parse(cls, spec: Spec) -> Self:
        spec.expect(FORM, max(1, len(spec.arguments)), options=("at", "nonzero"))
        most = spec.number_after("at most")
        if most is None or spec.option("nonzero"):
            raise spec.form_error("an option is missing or not of its form", FORM)
        domain = Product(parse_open(spec))
        return cls(domain, most, zero=spec.option("nonzero") is None)

    @classmethod
    def examples(cls) -> list[Self]:
        flights = cls.over_columns("carrier", "origin", "dest", max_literals=2)
        once = flights.restrict(("v1", "v1", "v1"), 1)
        return [
            flights,
            cls.over_columns("origin", Integers("hour"), max_literals=2, zero=False),
            cls.over_columns("id", max_literals=1),
            flights.restrict(("v0", "v1", "v2"), 0),
            once,
            once.restrict(("v1", "v0", "v0"), 0).restrict(("v1", "v1", "v0"), 1),
            cls.over_columns(*"abcde", max_literals=2).restrict(("v1",) * 5, 1),
        ]

    def __str__(self) -> str:
        columns = ", ".join(map(column_text, self.domain.columns))
        options = "" if self.zero else ", nonzero"
        declared = f"rules({columns}; at most {self.max_literals}{options})"
        if self == type(self)(self.domain, self.max_literals, self.zero):
            return declared
        return f"{declared} after {'a contradiction' if self.is_empty() else 'examples'}"


def _fixed_mask(rule: Rule) -> int:
    """The columns that a rule fixes, as a mask."""
    return sum(1 << j for j, v in enumerate(rule) if v is not None)
