"""The complement of a class: each hypothesis with its labels swapped."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from numpy.typing import NDArray

from littlestone.base.errors import DeclarationError
from littlestone.classes.base import BinaryClass, Enumerable
from littlestone.classes.promises.tabled import require_finite
from littlestone.classes.text.declared import DeclaredClass, describe_parts, parse_class
from littlestone.classes.text.spec import Spec
from littlestone.data.sample import Sample
from littlestone.dimension.tables import SearchTable
from littlestone.points import Domain
from littlestone.privacy.scores import ErrorRuns, Scores
from littlestone.rules import Hypothesis, function_of_labels

MOST_POINTS = 1 << 16


@dataclass(frozen=True)
class Complement(Enumerable[Any], BinaryClass[Any], DeclaredClass):
    """The functions 1 - h for h in H, for an enumerable class H on at most 2^16 points.

    LDim(1 - H) = LDim(H): swap the two subtrees at every node.  So mistake points are those of H.  The
    SOA is 1 - SOA_H, except at points where neither label keeps LDim: there both SOAs are 1.  At such a
    point every label lowers LDim.  Elsewhere both SOAs leave the same functions, so the reducing points
    are those of H.

    >>> from littlestone.classes import Thresholds
    >>> early = Complement(Thresholds.on(0, 6, "hour"))
    >>> early.littlestone_dimension(), early.soa().words(), early.part.soa().words()
    (3, 'always 1', 'always 1')
    >>> early.hypothesis(3).words()
    'hour < 3'
    """

    keyword = "complement"
    group = "combinations"
    typical = "complement(thresholds(age, 0..120))"

    part: Enumerable[Any]

    def __post_init__(self) -> None:
        require_finite(self.part, "take the complement of", MOST_POINTS)
        if not isinstance(self.part, Enumerable):
            raise DeclarationError(
                f"take the complement of {self.part}",
                found="its hypotheses are not numbered",
                fix="give a class that the exponential learner takes, such as thresholds(x, 0..9)",
            )

    @property
    def domain(self) -> Domain[Any]:  # type: ignore[override]
        """The domain of H."""
        return self.part.domain

    def restrict(self, x: Any, y: int) -> Self:
        return type(self)(self.part.restrict(x, 1 - y if y in (0, 1) else y))

    def is_empty(self) -> bool:
        return self.part.is_empty()

    @property
    def size(self) -> int | None:
        return self.part.size

    def littlestone_dimension(self) -> int | float:
        return self.part.littlestone_dimension()

    def bound_reasons(self) -> tuple[str, str]:
        return self.part.bound_reasons()

    def search_table(self) -> SearchTable | None:
        return self.part.search_table()

    def soa(self) -> Hypothesis[Any]:
        self.require_learnable()
        return function_of_labels(self.domain, map(self.soa_label, self.domain))

    def mistake_point(self) -> Any:
        return self.part.mistake_point()

    def reducing_points(self, k: int) -> list[Any] | None:
        return self.part.reducing_points(k)

    def hypothesis(self, index: int) -> Hypothesis[Any]:
        h = self.part.hypothesis(index)
        return function_of_labels(self.domain, (1 - h(x) for x in self.domain))

    def table(self) -> NDArray[Any]:
        return ~self.part.table()

    def require_scorable(self) -> None:
        self.part.require_scorable()

    def require_listable(self) -> None:
        self.part.require_listable()

    def error_runs(self, sample: Sample[Any]) -> ErrorRuns:
        return self.part.error_runs(sample.with_counts(sample.points, sample.counts[:, ::-1]))

    def scores(self, sample: Sample[Any]) -> Scores:
        return self.part.scores(sample.with_counts(sample.points, sample.counts[:, ::-1]))

    def hypothesis_of_item(self, item: Any) -> Hypothesis[Any]:
        h = self.part.hypothesis_of_item(item)
        return function_of_labels(self.domain, (1 - h(x) for x in self.domain))

    @classmethod
    def parse(cls, spec: Spec) -> Self:
        spec.expect("complement(CLASS)", 1)
        return cls(parse_class(spec.arguments[0], schema=spec.schema))  # type: ignore[arg-type]

    @classmethod
    def examples(cls) -> list[Self]:
        texts = (
            "thresholds(x, 0..6)",
            "thresholds(x, -3..4)",
            "conjunctions(a, b)",
            "juntas(a; k 1)",
        )
        return [cls(parse_class(text)) for text in texts]  # type: ignore[arg-type]

    def __str__(self) -> str:
        return describe_parts([self.part], "complement", "the complement of")
