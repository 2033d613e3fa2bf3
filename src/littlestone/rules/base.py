"""The interface of a hypothesis."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from littlestone.base.discovery import concrete
from littlestone.base.errors import DAMAGED, DeclarationError, ModelError
from littlestone.points import Domain, Point
from littlestone.points.labels import require_labels
from littlestone.rules.languages.form import Outcome, Total, outcome_of_labels, require_small

if TYPE_CHECKING:
    import polars


class Place(NamedTuple):
    """Points that a rule treats alike, such as those of a leaf: in words, and the label there.

    ``sets`` says that the place is one of that many sets of points, by a code that is public: the sum
    of 1 / sets over all sets is at most 1.  None if no short code is known.
    """

    words: str
    label: int
    sets: int | None = None


MOST_BINS = 10
"""How many runs of places a score's records are counted in."""


class Hypothesis(ABC, Generic[Point]):
    """A function h: X -> {0, ..., k}.  Hashable; f == g iff f(x) = g(x) for every x in the domain.

    A kind with two labels derives from `BinaryHypothesis`; any other sets its number of ``labels``.
    """

    domain: Domain[Point]
    labels: int
    """The number k + 1 of labels."""

    canonical: ClassVar[bool] = True
    """Whether functions of this kind that agree everywhere are equal, so that votes for one add up."""

    @abstractmethod
    def __call__(self, x: Point) -> int:
        """The label h(x) in {0, ..., k} of a point of the domain."""

    def answer_all(self, points: Sequence[Point]) -> Iterable[int]:
        """The label of each point in turn, each worked out when it is asked for.

        >>> from littlestone.points import Grid
        >>> from littlestone.rules import StepFunction
        >>> list(StepFunction.threshold(Grid(0, 9), 4).answer_all([3, 4]))
        [0, 1]
        """
        return map(self, points)

    ordered: ClassVar[bool] = False
    """Whether its `places` stand in the order of rising risk, as the totals of a score do."""

    @property
    def places(self) -> tuple[Place, ...]:
        """The places that tell points apart; one for each label, unless a kind knows more.

        They depend only on the rule.

        >>> from littlestone.points import Grid
        >>> from littlestone.rules import StepFunction
        >>> [place.words for place in StepFunction.threshold(Grid(0, 120, "age"), 65).places]
        ['age < 65', 'age >= 65']
        """
        told = [f"the rule says {y}" for y in numbers(self.labels)]
        if self.labels == 2 and not self.words().startswith("always"):
            told = ["elsewhere", self.words()]
        return tuple(Place(words, y) for y, words in enumerate(told))

    @property
    def bins(self) -> NDArray[np.int64]:
        """The bin of each place, in which records are counted together; by default its own.

        Each count has noise of its own, so `ordered` places are counted in at most about `MOST_BINS`
        runs of equally many, none with two labels.
        """
        labels = np.array([place.label for place in self.places])
        starts = np.ones(len(labels), bool)
        if self.ordered:
            starts[1:] = labels[1:] != labels[:-1]
            starts[:: -(-len(labels) // MOST_BINS)] = True
        return np.cumsum(starts) - 1

    def place(self, x: Point) -> int:
        """The number of the place in `places` that holds the point ``x``."""
        return self(x)

    def reason(self, x: Point) -> str:
        """Why the rule says what it says about a point: in words, what holds of it."""
        return self.places[self.place(x)].words

    def places_of(self, points: Sequence[Point]) -> NDArray[np.int64]:
        """The `place` of each of the points."""
        return np.fromiter(map(self.place, points), np.int64, count=len(points))

    @property
    def risks(self) -> tuple[float, ...] | None:
        """The risk of label 1 at each place, if the rule itself says it, as a score does."""
        return None

    @property
    def rates(self) -> tuple[tuple[float, float], ...] | None:
        """The risk of either label at each place, if the rule itself says `risks`."""
        return None if self.risks is None else tuple((1 - risk, risk) for risk in self.risks)

    def place_outcome(self) -> Outcome:
        """The number of the place as conditions on the cells of a record; see `outcome`."""
        return self.outcome()

    @abstractmethod
    def words(self) -> str:
        """The condition for label 1, such as ``dep_delay >= 17``; with more labels, their numbers."""

    def words_with(self, names: Sequence[str]) -> str:
        """The function in words, with names for the labels; a kind of several labels overrides it.

        >>> from littlestone.points import Grid
        >>> from littlestone.rules import StepFunction
        >>> StepFunction.threshold(Grid(0, 9, "delay"), 4).words_with(["on time", "late"])
        'late if delay >= 4, else on time'
        """
        condition = self.words()
        for y, always in enumerate(("always 0", "always 1")):
            if condition == always:
                return f"always {names[y]}"
        return f"{names[1]} if {condition}, else {names[0]}"

    def sentence(self, label: str) -> str:
        """When ``label``, a statement about a record, is predicted; in one line."""
        return f"{label}  <=>  {self.words()}"

    @property
    def tested_columns(self) -> tuple[str, ...]:
        """The columns that are enough to predict, at least one; all, unless a kind knows better."""
        return self.domain.column_names

    @abstractmethod
    def witness(self, other: Self) -> Point | None:
        """A point where this function and ``other``, of the same kind, differ; None if equal."""

    def patch(self, labels: Mapping[Point, int]) -> Hypothesis[Point] | None:
        """The function x -> labels[x] if x is in ``labels``, else h(x), in the form of its kind.

        None if functions of this kind cannot hold the labels of single points.

        >>> from littlestone.points import Grid
        >>> from littlestone.rules import StepFunction
        >>> StepFunction.threshold(Grid(0, 9), 4).patch({3: 1, 4: 1, 9: 0}).words()
        '3 <= x < 9'
        """
        changed = {x: y for x, y in labels.items() if self(x) != y}
        return self._change(changed) if changed else self

    def _change(self, labels: Mapping[Point, int]) -> Hypothesis[Point] | None:
        """`patch` for labels that all differ from h's; a kind that can hold them overrides this."""
        return None

    @classmethod
    def vote(cls, voters: Sequence[Self], need: int) -> Hypothesis[Any] | None:
        """The function that is 1 where at least ``need`` voters are, more than half; two labels.

        None if no known kind can represent it; a kind that can overrides this.
        """
        return None

    def outcome(self) -> Outcome:
        """The label as conditions on the cells of a record, from which SQL and others are written.

        Raises `TooLargeError` if there is no such form within the limits.  A kind that knows its
        conditions overrides this; of others, the points are listed.
        """
        return outcome_of_labels(self.domain, self, self.labels, EXPORT)

    def to_sql(
        self,
        dialect: str,
        *,
        types: Mapping[str, str] | None = None,
        names: Sequence[str] | None = None,
        risks: Sequence[float] | None = None,
    ) -> str:
        """An SQL expression whose value is the label of a row, as `littlestone predict` gives it.

        ``dialect`` is ``postgres``, ``duckdb`` or ``sqlite``.  ``types`` says what columns hold if that
        is not what the rule expects, such as ``{"age": "text"}``; see docs/how-to/export-a-rule.md.
        With ``names``, the value is the name of the label and not its number; with ``risks``, it is
        that of the row's place.  It is NULL only for a text in a column of numbers that SQL cannot
        read for certain.

        Raises `DeclarationError` for a rule, a dialect, a name or a type that SQL has no form for,
        `TooLargeError` for a rule beyond the limits, `OutputError` if sqlglot is not installed.

        >>> from littlestone.points import Grid
        >>> from littlestone.rules import StepFunction
        >>> StepFunction.threshold(Grid(0, 120, "age"), 65).to_sql("duckdb", types={"age": "integer"})
        'CASE WHEN "age" >= 65 THEN 1 ELSE 0 END'
        """
        from littlestone.rules.languages.sql import write_sql

        named = names if risks is None else risks
        return write_sql(self._export(types, risks), dialect, types or {}, named)

    def to_polars(
        self,
        *,
        types: Mapping[str, str] | None = None,
        names: Sequence[str] | None = None,
        risks: Sequence[float] | None = None,
    ) -> polars.Expr:
        """A polars expression of the label of a row; the arguments and errors are those of `to_sql`.

        >>> import polars
        >>> from littlestone.points import Grid
        >>> from littlestone.rules import StepFunction
        >>> rule = StepFunction.threshold(Grid(0, 120, "age"), 65).to_polars()
        >>> polars.DataFrame({"age": [30, 70, None]}).select(rule.alias("old"))["old"].to_list()
        [0, 1, 0]
        """
        from littlestone.rules.languages.frames import expression

        named = names if risks is None else risks
        return expression(self._export(types, risks), types or {}, named)

    def to_pandas_query(self, label: int = 1, *, types: Mapping[str, str] | None = None) -> str:
        """The text for `pandas.DataFrame.query` that selects the rows of this label.

        Give the query ``engine="python"``.  ``types`` and errors are those of `to_sql`.

        >>> from littlestone.points import Grid
        >>> from littlestone.rules import StepFunction
        >>> StepFunction.threshold(Grid(0, 120, "age"), 65).to_pandas_query()
        'age >= 65'
        """
        from littlestone.rules.languages.frames import query

        return query(self._cases(types), label, types or {})

    def to_pandas(
        self,
        *,
        types: Mapping[str, str] | None = None,
        names: Sequence[str] | None = None,
        risks: Sequence[float] | None = None,
    ) -> str:
        """Python code for the label of each row of a frame ``df``, as a series of pandas.

        It needs ``import pandas`` and nothing else.  Arguments and errors are those of `to_sql`.

        >>> from littlestone.points import Grid
        >>> from littlestone.rules import StepFunction
        >>> print(StepFunction.threshold(Grid(0, 120, "age"), 65).to_pandas())
        (
        pandas.Series(0, df.index)
            .mask(df.eval('age >= 65', engine="python").fillna(False), 1)
        )
        """
        from littlestone.rules.languages.frames import write_code

        values = risks or names or range(self.labels)
        return write_code(self._export(types, risks), types or {}, values)

    def _export(
        self, types: Mapping[str, str] | None, risks: Sequence[float] | None
    ) -> Outcome | Total:
        """What is written in other languages: the label of a row, or with ``risks`` its place."""
        return self._cases(types, places=risks is not None)

    def _cases(self, types: Mapping[str, str] | None, *, places: bool = False) -> Outcome:
        from littlestone.rules.languages.constants import require_types

        require_types(types or {}, self.domain.column_names)
        outcome = self.place_outcome() if places else self.outcome()
        require_small(outcome, EXPORT, types)
        return outcome

    @abstractmethod
    def form(self) -> dict[str, object]:
        """The canonical form as plain JSON values; `from_form` reads it back."""

    @classmethod
    @abstractmethod
    def from_form(cls, domain: Domain[Any], form: Mapping[str, Any]) -> Self:
        """The function over ``domain`` whose canonical form is ``form``."""

    def to_json(self) -> dict[str, object]:
        """The function as plain JSON values, with its domain; `Hypothesis.from_json` reads it."""
        kind = type(self).__name__
        return {"kind": kind, "domain": self.domain.to_json(), **self.form()}

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Hypothesis[Any]:
        """The function that `to_json` wrote.  Raises `ModelError` if it is damaged.

        >>> from littlestone.points import Grid
        >>> from littlestone.rules import StepFunction
        >>> rule = StepFunction.threshold(Grid(0, 9), 4)
        >>> Hypothesis.from_json(rule.to_json()) == rule
        True
        """
        kinds = hypothesis_kinds()
        try:
            form = {key: data[key] for key in data if key not in ("kind", "domain")}
            return kinds[data["kind"]].from_form(Domain.from_json(data["domain"]), form)
        except DAMAGED as error:
            if isinstance(error, ModelError):
                raise
            raise ModelError(
                "read the hypothesis of a model",
                found="a field is missing or not of its kind",
                fix="use a model file as `littlestone fit` wrote it",
            ) from None


@cache
def hypothesis_kinds() -> Mapping[str, type[Hypothesis[Any]]]:
    """The kinds of functions by the names that `Hypothesis.to_json` writes.

    The first call imports all of them.  Raises `DeclarationError` if one of another package fails.

    >>> hypothesis_kinds()["StepFunction"].__name__
    'StepFunction'
    """
    found = concrete(Hypothesis, "littlestone.rules")  # type: ignore[type-abstract]
    kinds = {kind.__name__: kind for kind in found}
    return kinds | {old: kinds[new] for old, new in _FORMER.items()}


EXPORT = "write the rule as conditions on columns"
"""What was asked, in the errors of an export."""

_FORMER = {"BitClassifier": "BitFunction", "TableClassifier": "TableFunction"}
"""Names of kinds in models of version 0.1."""


class BinaryHypothesis(Hypothesis[Point]):
    """A function into {0, 1}."""

    labels = 2


def numbers(labels: int) -> tuple[str, ...]:
    """The numbers 0, ..., k as the names of the labels."""
    return tuple(map(str, range(labels)))


def label_count(declared: object) -> int:
    """The number of labels that a model declares, as a number or by names; else an error."""
    return require_labels(len(declared) if isinstance(declared, list) else declared)


def disagreement(f: Hypothesis[Point], g: Hypothesis[Point]) -> Point | None:
    """A point x with f(x) != g(x), or None if f and g are equal as functions.

    Raises `DeclarationError` for functions on different domains or to different labels.  O(size of
    the forms).

    >>> from littlestone.points import Grid
    >>> from littlestone.rules import StepFunction
    >>> domain = Grid(0, 9)
    >>> disagreement(StepFunction.threshold(domain, 3), StepFunction.threshold(domain, 7))
    3
    """
    if f.domain != g.domain or f.labels != g.labels or type(f) is not type(g):
        raise DeclarationError(
            "compare two hypotheses",
            found=f"one is on {f.domain} with {f.labels} labels, the other on {g.domain} with "
            f"{g.labels}",
            fix="compare functions on one domain, with the same number of labels",
        )
    return f.witness(g)
