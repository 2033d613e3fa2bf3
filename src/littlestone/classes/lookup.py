"""Lookup tables: a few keys of an open vocabulary have a label other than the default."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

from littlestone.base.errors import DeclarationError, show_value
from littlestone.classes.base import require_example, require_labels_of
from littlestone.classes.promises.covering import FewUnknown
from littlestone.classes.subsets import Subsets
from littlestone.classes.text.declared import DeclaredClass
from littlestone.classes.text.spec import Spec, column_text, parse_open
from littlestone.data.sample import Sample
from littlestone.points import Domain, Integers, Product, Strings
from littlestone.points.base import require_domain
from littlestone.rules import LookupTable

FORM = "lookup(COLUMN, integers(COLUMN), ...; at most M)"


@dataclass(frozen=True)
class Lookup(FewUnknown, DeclaredClass):
    """The functions that have a label other than the default 0 at no more than ``most`` points.

    The domain is infinite: a key is a text, a whole number, or a record of such columns.  Let M be
    the examples with a label other than 0.  Then

        LDim = most - |M|,

    and the standard optimal algorithm predicts the label of a known point, and 0 at a new point.  Upper
    bound: it errs only at new points with other labels.  Lower bound: a tree of that depth asks about
    one new point per level, with the labels 0 and 1.  `restrict` copies the examples.  Raises
    `DeclarationError` for a negative ``most`` or another domain.

    >>> H = Lookup(Strings("tailnum"), 3, 4000)
    >>> H.littlestone_dimension(), H.restrict("N1", 2).littlestone_dimension()
    (4000, 3999)
    >>> H.restrict("N1", 2).soa_label("N1"), H.soa_label("N1"), str(H)
    (2, 0, 'lookup(tailnum; at most 4000)')
    """

    keyword = "lookup"
    group = "open vocabularies"
    typical = "lookup(carrier, integers(hour); at most 20)"
    several = True

    domain: Domain[Any]
    labels: int
    most: int
    known: frozenset[tuple[Any, int]] = frozenset()
    contradicted: bool = False

    def __post_init__(self) -> None:
        require_domain(self.domain, "look labels up by")
        columns = self.domain.columns if isinstance(self.domain, Product) else (self.domain,)
        if not all(isinstance(column, Strings | Integers) for column in columns):
            raise DeclarationError(
                f"look labels up by {self.domain}",
                found="only keys of open vocabularies are looked up",
                fix="give Strings(name), Integers(name) or a Product of such columns",
            )
        if type(self.most) is not int or self.most < 0:
            raise DeclarationError(
                f"declare a lookup table of at most {show_value(self.most)} keys",
                found="the number of keys is a whole number, 0 or more",
                fix=f"write {FORM}",
            )

    @property
    def _left(self) -> int:
        return self.most - sum(y != 0 for _, y in self.known)

    def bit_class(self, i: int) -> Subsets:
        """The sets of keys whose labels have bit i; raises `DeclarationError` for several columns."""
        if not isinstance(self.domain, Strings | Integers):
            raise DeclarationError(
                f"take {self} apart into bits",
                found="there is no class of sets of records of several columns",
                fix="learn it by the method lookup, which does not ask for bits",
            )
        spent = sum(y != 0 and not y >> i & 1 for _, y in self.known)
        H = Subsets(self.domain, self.most - spent, contradicted=self.contradicted)
        for x, y in self.known:
            H = H.restrict(x, y >> i & 1)
        return H

    def _with_fewer(self, t: int) -> Self:
        return replace(self, most=self.most - t)

    def restrict(self, x: Any, y: int) -> Self:
        require_example(self, x, y)
        y = int(y)
        label = dict(self.known).get(x, y if y == 0 or self._left > 0 else None)
        if self.contradicted or label != y:
            return replace(self, known=frozenset(), contradicted=True)
        after = replace(self, known=self.known | {(x, y)})
        # If all other keys are known, keys with the default label add no information.
        return (
            after if after._left else replace(self, known=frozenset(e for e in after.known if e[1]))
        )

    def soa(self) -> LookupTable:
        self.require_learnable()
        return LookupTable(self.domain, self.labels, self.known)

    def soa_label(self, x: Any) -> int:
        self.domain.require(x)
        self.require_learnable()
        label: int = dict(self.known).get(x, 0)
        return label

    def mistake_point(self) -> Any:
        if self.littlestone_dimension() < 1:
            return None
        known = dict(self.known)
        return next(x for x in self.domain if x not in known)

    def least_errors(self, sample: Sample[Any]) -> int:
        """See `HypothesisClass.least_errors`; keys with the largest gain get labels."""
        require_labels_of(self, sample)
        errors, left = sample.n - int(sample.counts[:, 0].sum()), self._left
        known = dict(self.known)
        for x, y in known.items():
            if y and x in sample.place_of:
                row = sample.counts[sample.place_of[x]]
                errors += int(row[0] - row[y])
        for x, gain in sample.gains.items():
            if left == 0 or gain <= 0:
                break
            if x not in known:
                errors, left = errors - gain, left - 1
        return errors

    @classmethod
    def parse(cls, spec: Spec) -> Self:
        spec.expect_columns(FORM, options=("at",))
        most = spec.number_after("at most")
        if most is None:
            raise spec.form_error(
                "it does not say how many keys may have another label than the default", FORM
            )
        columns = parse_open(spec)
        return cls(columns[0] if len(columns) == 1 else Product(columns), spec.labels, most)

    @classmethod
    def examples(cls) -> list[Self]:
        tails = cls(Strings("tailnum"), 3, 3)
        return [
            tails,
            tails.restrict("v1", 2).restrict("v2", 0),
            cls(Integers("id"), 2, 1),
            cls(Product((Strings("carrier"), Integers("hour"))), 3, 2),
            cls(Strings(), 5, 0),
        ]

    def __str__(self) -> str:
        columns = self.domain.columns if isinstance(self.domain, Product) else (self.domain,)
        declared = f"lookup({', '.join(map(column_text, columns))}; at most {self.most})"
        if not self.known and not self.contradicted:
            return declared
        return f"{declared} after {'a contradiction' if self.contradicted else 'examples'}"
