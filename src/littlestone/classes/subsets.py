"""Small subsets of an infinite domain: only a few elements are positive."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any, Self

from littlestone.base.errors import DeclarationError, show_value
from littlestone.classes.base import require_example, require_few
from littlestone.classes.promises.covering import PointCovering
from littlestone.classes.text.spec import Spec, quote_argument, require_open
from littlestone.data.sample import Sample
from littlestone.points import Domain, Integers, Strings
from littlestone.points.base import require_domain
from littlestone.rules import FiniteSet

FORM = "subsets(COLUMN; at most K) or (COLUMN; exactly K), and integers for whole numbers"


@dataclass(frozen=True)
class Subsets(PointCovering):
    """The indicators 1[x in S] of the sets S of at most (or exactly) ``k`` >= 0 elements.

    The domain is infinite: all texts or all whole numbers.  Let M be the positive examples.  Then

        LDim = k - |M|,  SOA = 1[x in M],  and no points reduce the dimension.

    Upper bound: the SOA errs only at new elements of S.  Lower bound: a tree of depth k - |M| asks
    about one new point per level.  Any labels of these points leave a set, and further new points
    complete it to exactly k elements.  Negative examples remove finitely many points, which changes
    nothing before k positives are known.  `restrict` copies the examples.  `Points` are
    the case k = 1.

    Raises `DeclarationError` for a negative k or another domain.

    >>> H = Subsets(Strings("merchant"), 3)
    >>> H.littlestone_dimension(), H.restrict("acme", 1).restrict("bolt", 1).soa().words()
    (3, "merchant is one of 'acme', 'bolt'")
    """

    keyword = "subsets"
    group = "open vocabularies"
    typical = "subsets(merchant; at most 3)"

    domain: Domain[Any]
    k: int
    exactly: bool = False
    members: frozenset[Any] = frozenset()
    excluded: frozenset[Any] = frozenset()
    contradicted: bool = False

    def __post_init__(self) -> None:
        require_domain(self.domain, "declare subsets of")
        if not isinstance(self.domain, Strings | Integers):
            raise DeclarationError(
                f"declare subsets of {self.domain}",
                found="only subsets of an open vocabulary are",
                fix="give Strings(name) or Integers(name); list a finite class in a table",
            )
        if type(self.k) is not int or self.k < 0:
            raise DeclarationError(
                f"declare subsets of {show_value(self.k)} elements",
                found="the number of elements is a whole number, 0 or more",
                fix=f"write {FORM}",
            )

    @property
    def _left(self) -> int:
        return self.k - len(self.members)

    def _with_fewer(self, t: int) -> Subsets:
        return Subsets(self.domain, self.k - t, False, self.members, self.excluded)

    def restrict(self, x: Any, y: int) -> Self:
        require_example(self, x, y)
        if y:
            legal = x in self.members or (self._left > 0 and x not in self.excluded)
            return self._version_space(self.members | {x}, self.excluded, legal)
        return self._version_space(self.members, self.excluded | {x}, x not in self.members)

    def _version_space(
        self, members: frozenset[Any], excluded: frozenset[Any], legal: bool
    ) -> Self:
        if self.contradicted or not legal:
            return replace(self, members=frozenset(), excluded=frozenset(), contradicted=True)
        # If all elements of the set are known, negative examples add no information.
        known = excluded if len(members) < self.k else frozenset[Any]()
        return replace(self, members=members, excluded=known)

    def soa(self) -> FiniteSet:
        self.require_learnable()
        return FiniteSet(self.domain, self.members)

    def mistake_point(self) -> Any:
        if self.littlestone_dimension() < 1:
            return None
        return next(x for x in self.domain if x not in self.members and x not in self.excluded)

    def error_ball(
        self, sample: Sample[Any], max_errors: int, *, most: int | None = None
    ) -> list[tuple[Self, int]]:
        """See `HypothesisClass.error_ball`; O(n log n), plus O(k) for each set found.

        A set S errs on the negatives inside and the positives outside.  So each new point x in S gains
        positives(x) - negatives(x) over the smallest set.  Points are taken in the order of their
        gains, so the best completion is known at once, and no set is begun that cannot be completed.  A
        set of less than k elements costs O(n), because its version space stores all points outside it.
        """
        if self.contradicted:
            return []
        errors, free = 0, []
        counts = zip(
            sample.points, sample.positives.tolist(), sample.negatives.tolist(), strict=True
        )
        for x, ones, zeros in counts:
            errors += zeros if x in self.members else ones
            if self._left and x not in self.members and x not in self.excluded:
                free.append((ones - zeros, x))
        free.sort(key=lambda pair: -pair[0])
        gains = [gain for gain, _ in free]
        best = list(accumulate((max(gain, 0) for gain in gains), initial=0))
        seen = self.excluded.union(sample.points)
        found: list[tuple[Self, int]] = []
        waiting = [(self.members, 0, errors)]  # a set, the first point it may yet take, its errors
        while waiting:
            members, start, errors = waiting.pop()
            left = self.k - len(members)
            if errors <= max_errors:
                excluded = seen - members if left else seen
                found.append((self._version_space(members, excluded, legal=True), errors))
                require_few(len(found), most)
            for i in range(start, len(free) if left else start):
                # The best completion that takes point i next: gains fall, so the next ones are the
                # best.
                gain = min(gains[i], 0) + best[min(i + left, len(free))] - best[i]
                if errors - gain > max_errors:
                    break  # later points gain no more
                waiting.append((members | {free[i][1]}, i + 1, errors - gains[i]))
        return found

    def least_errors(self, sample: Sample[Any]) -> int:
        gains, left = sample.gains, self._left
        errors = int(sample.positives.sum()) - sum(gains.get(x, 0) for x in self.members)
        for x, gain in gains.items():  # the largest first; points of no example fill the set up
            if left == 0 or gain <= 0:
                break
            if x not in self.members and x not in self.excluded:
                errors, left = errors - gain, left - 1
        return errors

    @property
    def max_elements(self) -> int:
        return self.k

    @property
    def fewest(self) -> int:
        return self.k if self.exactly else 0

    @classmethod
    def parse(cls, spec: Spec) -> Self:
        spec.expect(FORM, 1, options=("at", "exactly", "integers"))
        most, exact = spec.number_after("at most"), spec.number_after("exactly")
        require_open(name := spec.arguments[0])
        if (most is None) == (exact is None) or spec.option("integers"):
            raise spec.form_error(
                "its number of elements is missing, given twice or no whole number", FORM
            )
        domain = Strings(name) if spec.option("integers") is None else Integers(name)
        if exact is not None:
            return cls(domain, exact, exactly=True)
        return cls(domain, most or 0)

    @classmethod
    def examples(cls) -> list[Self]:
        words = cls(Strings("merchant"), 3)
        return [
            words,
            cls(Integers("id"), 2, exactly=True),
            cls(Strings(), 0),
            words.restrict("v1", 1).restrict("v2", 0),
            cls(Strings(), 1).restrict("v1", 1),
        ]

    @property
    def declaration(self) -> str:
        """The text of the whole class, before any example."""
        bound = f"{'exactly' if self.exactly else 'at most'} {self.k}"
        kind = ", integers" if isinstance(self.domain, Integers) else ""
        return f"subsets({quote_argument(self.domain.name)}; {bound}{kind})"

    def __str__(self) -> str:
        if not (self.members or self.excluded or self.contradicted):
            return self.declaration
        return f"{self.declaration} after {'a contradiction' if self.contradicted else 'examples'}"
