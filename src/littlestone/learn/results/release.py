"""The output of a private learner, and its readable model file: nothing else keeps a rule."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from littlestone.base.disk import read_json
from littlestone.base.errors import DAMAGED, DeclarationError, ModelError, show_value
from littlestone.data.forms import CellForm, Reading
from littlestone.data.table import SPANNING, Table
from littlestone.learn.declared.column_types import NUMBERS
from littlestone.learn.results.estimate import Estimate
from littlestone.learn.results.risks import Risks
from littlestone.points import day, number, require_list
from littlestone.points.columns import columns_of
from littlestone.points.labels import check_labels
from littlestone.points.units import Unit
from littlestone.privacy.cost import (
    NeighboringRelation,
    PrivacyCost,
    decimal_text,
    exact,
    exact_delta,
)
from littlestone.privacy.mistakes import EQUAL, MistakeCosts
from littlestone.rules import Hypothesis

if TYPE_CHECKING:
    import polars

    from littlestone.learn.results.quality import Quality
    from littlestone.rules.sheet import ScoreSheet

FORMAT = "littlestone model 1"

FORMAT_WITH_READING = "littlestone model 2"
"""The format of a model that says how the cells of a table are written."""

FORMATS = (FORMAT, FORMAT_WITH_READING)

RANDOMNESS = {
    True: "system cryptographic generator",
    False: "seeded generator: a simulation, NOT PRIVATE",
}
"""What drew a release, by whether it is private."""


@dataclass(frozen=True, repr=False)
class Release:
    """The private output of a learner, and only that: every field but ``hypothesis`` is public.

    ``hypotheses`` is the class in words.  ``label`` says what a positive label means, or what the
    labels are about if ``labels`` gives their names.  ``n`` is the number of records (public under
    replace-one).  If a ``unit`` is declared, n is the number of places, ``unit.most`` for each of the
    `units`, and the number of records is private.  ``private`` is False if a seeded generator was used.
    ``receipt`` is the number of the ledger entry that paid.  An ``estimate`` and ``risks`` are as
    private as the hypothesis, and ``cost`` is for all.  ``mistakes`` says what the learner took each
    mistake to cost.  ``spanning`` says that a record may span several lines of its file.
    ``accuracy`` says what is proved about the error on new records; it depends on declarations and n
    alone.  ``reading`` says how a schema declared the cells of the columns that the rule tests to be
    written.  ``taken`` says which class was taken and why, if none was given, and ``method`` by which
    method the rule was learned; older model files do not say it.  If ``group`` is true, the rule finds
    a `Group`, and has an estimate.
    ``total`` is what the data set had spent right after this release, and ``limit`` its limit then; a
    model file keeps neither.
    """

    hypothesis: Hypothesis[Any]
    hypotheses: str
    label: str
    n: int
    cost: PrivacyCost
    mechanism: str
    private: bool
    receipt: int
    estimate: Estimate | None = None
    labels: tuple[str, ...] = ()
    mistakes: MistakeCosts = EQUAL
    total: PrivacyCost | None = field(default=None, compare=False)
    limit: PrivacyCost | None = field(default=None, compare=False)
    unit: Unit | None = None
    spanning: bool = False
    accuracy: str = ""
    reading: Reading = field(default_factory=Reading)
    taken: str = ""
    risks: Risks | None = None
    method: str = ""
    group: bool = False

    @property
    def units(self) -> int | None:
        """The number of units, which is public; None if no unit is declared."""
        return None if self.unit is None else self.n // self.unit.most

    def words(self) -> str:
        """The rule in one line: ``label  <=>  hypothesis``, or ``label  =  hypothesis`` with names."""
        if self.labels:
            return f"{self.label}  =  {self.hypothesis.words_with(self.labels)}"
        return self.hypothesis.sentence(self.label)

    def open(
        self,
        table: object,
        name: str | None = None,
        *,
        separator: str | None = None,
        multiline: bool = False,
    ) -> Table:
        """A new table, read as the table that the rule was learned from; see `open_table`.

        If a record spanned lines there, it may here, or each line of a record would count as one.
        """
        from littlestone.data.csv import CsvText
        from littlestone.data.opening import open_table

        how: dict[str, Any] = {"separator": separator, "reading": self.reading}
        opened = open_table(table, name, multiline=multiline, **how)
        again = self.spanning and not opened.spanning and isinstance(table, str | PathLike)
        if again and isinstance(opened, CsvText):
            opened = open_table(table, name, multiline=True, **how)
        return opened

    def predict(self, table: object) -> list[Any]:
        """The label of every record of a table, in order: its name, or 0 or 1 for a rule.

        ``table`` is what `open_table` takes or opened, with the columns that the rule tests.  The
        labels say something about its records: show them only to those who may see these.  Warns of
        cells that the rule cannot read, with their number.  Raises `TableError` for a missing column.
        """
        rule = self.hypothesis
        names: Sequence[Any] = self.labels or range(rule.labels)
        said = np.array([place.label for place in rule.places])[self._place_numbers(table)]
        return [names[y] for y in said.tolist()]

    def _place_numbers(self, table: object) -> NDArray[np.int64]:
        """The place in the rule of every record of a table, in order."""
        from littlestone.data.reading import read_mapped
        from littlestone.learn.declared.checking import UnreadCells

        rule = self.hypothesis
        opened = UnreadCells(self.open(table), rule.domain, self.reading.columns)
        places = np.fromiter(
            read_mapped(opened, rule.domain, rule.places_of, rule.tested_columns), np.int64
        )
        # The labels are for people who may see the records, and so is what was not read of them.
        for words in opened.words():
            warnings.warn(words, stacklevel=3)
        return places

    @property
    def rates(self) -> tuple[tuple[float, ...], ...]:
        """The risk of each label at each place of the rule: its own, or that of the private table.

        Raises `DeclarationError` if it has none.
        """
        if (own := self.hypothesis.rates) is not None:
            return own
        if self.risks is None:
            raise DeclarationError(
                "say a risk",
                found="this release says labels alone; its rule was learned without risks",
                fix="learn one with risks: `littlestone fit --risk`, or fit(..., risk=True); from a "
                "stream a score_sheet",
            )
        return tuple(self.risks.rates[i] for i in self.hypothesis.bins.tolist())

    @property
    def quality(self) -> Quality | None:
        """How good the rule is on the records it was learned from, privately; None without risks.

        None for several labels, too.
        """
        if self.risks is None or self.hypothesis.labels > 2:
            return None
        from littlestone.learn.results.quality import Quality

        return Quality(self.risks)

    def predict_proba(self, table: object) -> NDArray[np.float64]:
        """The risk of each label for every record of a table, in order, a column a label.

        The risks are those of the record's place in the rule, and add up to 1.  ``table`` and errors
        are those of `predict`; raises `DeclarationError` if the release has no risks.
        """
        rates: NDArray[np.float64] = np.array(self.rates, np.float64)
        return rates[self._place_numbers(table)]

    def to_sql(
        self, dialect: str, *, types: Mapping[str, str] | None = None, risk: Any = None
    ) -> str:
        """The label as an SQL expression: its name, or 0 or 1; see `Hypothesis.to_sql`.

        With ``risk`` it is the risk of that label in place of it; True stands for the label 1 of two.
        """
        return self.hypothesis.to_sql(dialect, **self._arguments(types, risk))

    def to_polars(self, *, types: Mapping[str, str] | None = None, risk: Any = None) -> polars.Expr:
        """The label as a polars expression: its name, or 0 or 1; see `Hypothesis.to_polars`.

        With ``risk`` it is the risk of that label in place of it; True stands for the label 1 of two.
        """
        return self.hypothesis.to_polars(**self._arguments(types, risk))

    def to_pandas(self, *, types: Mapping[str, str] | None = None, risk: Any = None) -> str:
        """Python code for the labels of a frame ``df`` of pandas; see `Hypothesis.to_pandas`.

        With ``risk`` it is the risk of that label in place of it; True stands for the label 1 of two.
        """
        return self.hypothesis.to_pandas(**self._arguments(types, risk))

    def to_pmml(self) -> str:
        """A score sheet as PMML; raises `DeclarationError` for other rules, and as `to_sql` does."""
        return self._require_sheet("PMML").to_pmml(self.labels or ("0", "1"))

    def to_excel(self) -> bytes:
        """A score sheet as the content of a workbook of Excel; errors are those of `to_pmml`."""
        return self._require_sheet("a workbook").to_excel(self.labels or ("0", "1"))

    def _require_sheet(self, form: str) -> ScoreSheet:
        from littlestone.rules.sheet import ScoreSheet

        self._require_readable(None)
        if not isinstance(self.hypothesis, ScoreSheet):
            raise DeclarationError(
                f"write the rule as {form}",
                found="only score sheets have that form",
                fix="write it as SQL, or learn a sheet: --class 'score_sheet(COLUMN, ...; at most 8)'",
            )
        return self.hypothesis

    def _arguments(self, types: Mapping[str, str] | None, risk: Any) -> dict[str, Any]:
        """What the rule is asked to write: names, or the ``risk`` of a label at each place."""
        self._require_readable(types)
        if risk is None:
            return {"types": types, "names": self.labels or None}
        y = self._number_of(None if risk is True else risk, "say the risk of")
        return {"types": types, "risks": [rates[y] for rates in self.rates]}

    def _number_of(self, label: Any, asked: str) -> int:
        """The number of a label, by default 1; `DeclarationError` if it is none of the rule's.

        It is one, too, if the rule has more than two labels and ``label`` is None.
        """
        known: Sequence[Any] = self.labels or range(self.hypothesis.labels)
        if label is None:
            if len(known) == 2:
                return 1
            raise DeclarationError(
                f"{asked} a label",
                found=f"the rule has {len(known)} labels, and nothing says which is meant",
                fix=f"name one of {', '.join(map(str, known))}: --label NAME on the command line",
            )
        if label not in known:
            raise DeclarationError(
                f"{asked} the label {show_value(label)}",
                found="the rule has no such label",
                fix=f"give one of: {', '.join(map(str, known))}",
            )
        return known.index(label)

    def _require_readable(self, types: Mapping[str, str] | None) -> None:
        """Raise `DeclarationError` if another program would read cells otherwise than declared."""
        numeric = {c.name for c in columns_of(self.hypothesis.domain) if isinstance(c, NUMBERS)}
        for column, form in self.reading.columns.items():
            if column in numeric:  # a text that is neither a number nor a day is missing anyway
                codes = [v for v in form.missing if number(v) is not None or day(v) is not None]
                form = replace(form, missing=tuple(codes))
            if form == CellForm():
                continue
            kind = (types or {}).get(column)
            # Numbers and days that a database declares are read as they are.
            typed = (form.numeric and kind != "text") or (form.date and kind == "date")
            if typed and not form.missing:
                continue
            other = ", or store the column as numbers" if form.numeric else ""
            if form.date and not form.missing:
                other = (
                    f"; or, where the column holds dates, write it with --to polars, or with --to sql "
                    f"for PostgreSQL or DuckDB, and --type {column}=date (in Python "
                    f"types={ {column: 'date'} })"
                )
            raise DeclarationError(
                f"export a rule on the column {column!r}",
                found="a schema declares how its cells are written, and the export reads texts as "
                "they are",
                fix=f"predict with `littlestone predict`{other}",
            )

    def to_pandas_query(
        self, label: str | int | None = None, *, types: Mapping[str, str] | None = None
    ) -> str:
        """The query of the rows that get ``label``: a name, or 0 or 1.

        By default it is the label 1, which is the second one of two names; of more, name one.  See
        `Hypothesis.to_pandas_query`.
        """
        self._require_readable(types)
        y = self._number_of(label, "select the rows that get")
        return self.hypothesis.to_pandas_query(y, types=types)

    # What follows is thin: `show` says and draws what a release is, and is imported when it is asked.

    def __repr__(self) -> str:
        from littlestone.show.words import align_rows, rows_of_release

        return align_rows(rows_of_release(self))

    def _repr_html_(self) -> str:
        """The content and cost as a table, and the picture of the rule, for a notebook."""
        from littlestone.show.tree import html_of_release

        return html_of_release(self)

    def card(self) -> str:
        """A model card in Markdown: the rule, its guarantee and its columns, all from the release.

        Nothing else is in it, so it may be shown to everyone who may see the release.
        """
        from littlestone.show.words import model_card

        return model_card(self)

    def plot(self, axes: Any = None) -> Any:
        """Draw the rule on the axes of matplotlib, by default new ones, and return them.

        The axes measure inches.  Raises `DeclarationError` for a kind of rule that has no picture, and
        `OutputError` if matplotlib is not installed.
        """
        from littlestone.show.tree import drawing_of_release

        return drawing_of_release(self).plot(axes)

    def to_json(self) -> dict[str, object]:
        """The model file as plain JSON values; `from_json` reads it back."""
        unit = self.unit and {"column": self.unit.column, "max records": self.unit.most}
        fields: dict[str, object] = {
            "format": FORMAT if not self.reading else FORMAT_WITH_READING,
            "rule": self.words(),
            "class": self.hypotheses,
            "class taken": self.taken or None,
            "method": self.method or None,
            "label": self.label,
            "labels": list(self.labels) or None,
            "costs": None if self.mistakes.equal else self.mistakes.to_json(),
            "n": self.n,
            "record": SPANNING if self.spanning else None,
            "unit": unit,
            "privacy": {
                "epsilon": decimal_text(self.cost.epsilon),
                "delta": decimal_text(self.cost.delta),
                "neighboring": str(self.cost.neighboring),
                "mechanism": self.mechanism,
                "randomness": RANDOMNESS[self.private],
                "ledger entry": self.receipt,
            },
            "accuracy": self.accuracy or None,
            "reading": self.reading.to_json() or None,
            "estimate": self.estimate and self.estimate.to_json(),
            "risks": self.risks and self.risks.to_json(),
            "quality": self.quality and self.quality.to_json(),
            "group": self._figures_of_group() if self.group else None,
            "hypothesis": self.hypothesis.to_json(),
        }
        return {name: value for name, value in fields.items() if value is not None}

    def _figures_of_group(self) -> dict[str, object]:
        from littlestone.learn.results.accuracy import Group

        return Group(self).figures()

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Release:
        """The release that `to_json` wrote.  Raises `ModelError` if it is damaged."""
        if not isinstance(data, Mapping) or data.get("format") not in FORMATS:
            raise ModelError(
                "read a model",
                found=f'it does not say "format": "{FORMAT}" or "{FORMAT_WITH_READING}"',
                fix="give a model file that `littlestone fit --out` wrote with this version",
            )
        try:
            privacy, n, costs = data["privacy"], _whole(data["n"]), data.get("costs")
            estimate, unit = data.get("estimate"), data.get("unit")
            # Version 0.1 called a function to several labels a classifier, which named them.
            form = data["classifier" if "classifier" in data else "hypothesis"]
            hypothesis = Hypothesis.from_json(form)
            named = require_list(form["labels"] if "classifier" in data else data.get("labels", []))
            labels = check_labels(named) if named else ()
            if data.get("record", SPANNING) != SPANNING:
                raise ValueError("what a record is is not known")
            if ("reading" in data) != (data["format"] == FORMAT_WITH_READING):
                raise ValueError("a model 2 is one with a reading")
            if "group" in data and estimate is None:
                raise ValueError("a group has no estimate")
            if labels and len(labels) != hypothesis.labels:
                raise ValueError("the labels have other names than labels")
            return cls(
                hypothesis=hypothesis,
                labels=labels,
                hypotheses=str(data["class"]),
                label=str(data["label"]),
                n=n,
                cost=PrivacyCost(
                    _nonnegative(privacy["epsilon"]),
                    exact_delta(privacy["delta"]),
                    NeighboringRelation(privacy["neighboring"]),
                ),
                mechanism=str(privacy["mechanism"]),
                private={text: flag for flag, text in RANDOMNESS.items()}[privacy["randomness"]],
                receipt=_whole(privacy["ledger entry"]),
                mistakes=EQUAL if costs is None else MistakeCosts.from_json(costs),
                estimate=None if estimate is None else Estimate.from_json(estimate, n),
                unit=None if unit is None else Unit(unit["column"], unit["max records"]),
                spanning="record" in data,
                accuracy=str(data.get("accuracy", "")),
                reading=Reading.from_json(data.get("reading", {})),
                taken=str(data.get("class taken", "")),
                method=str(data.get("method", "")),
                group="group" in data,
                risks=Risks.from_json(data["risks"], hypothesis, n) if "risks" in data else None,
            )
        except DAMAGED as error:
            raise ModelError(
                "read a model",
                found=f"a field is missing or damaged: {error}".partition("\nto fix it: ")[0],
                fix="give a model file that `littlestone fit --out` wrote, unchanged",
            ) from None

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Release:
        """Read a model file.  Raises `ModelError` if it is missing or damaged."""
        try:
            return cls.from_json(read_json(path))
        except ModelError:
            raise
        # A ValueError is a damaged encoding or syntax, or a number of thousands of digits.
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else _kind_of(path, error)
            raise ModelError(
                f"read the model {path}",
                found=str(reason),
                fix="give a model file that `littlestone fit --out` wrote",
            ) from None


def _kind_of(path: str | PathLike[str], error: Exception) -> str:
    """What a file is if it is not a model, by its first bytes or the error of reading it."""
    if type(error) is ValueError:  # of `read_json`, which quotes nothing
        return str(error)
    with open(path, "rb") as file:
        head = file.read(16)
    if head == b"SQLite format 3\0":
        return "it is a ledger or another SQLite database"
    if head.startswith(b"littlestone run"):
        return "it is the state of a stream, which is as secret as the records"
    if head.startswith(b'{"private": '):
        return (
            "it has the lines of a stream; `predict`, `report` and `export` take them, but no card"
        )
    return "it is not the JSON text of one model"


def _nonnegative(value: object) -> Fraction:
    # A composition whose deltas cover everything has epsilon 0.
    epsilon = exact(value, what="epsilon")
    if epsilon < 0:
        raise ValueError("epsilon is below 0")
    return epsilon


def _whole(value: object) -> int:
    if type(value) is not int or value < 1:
        raise ValueError("a count is not a whole number of at least 1")
    return value
