"""A river classifier over the private online learners (needs the extra ``river``)."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Self, cast

import numpy as np

from littlestone.base.errors import BudgetExceededError, DeclarationError, install_command
from littlestone.classes import HypothesisClass
from littlestone.data import plain_values
from littlestone.interop.declarations import (
    LastRule,
    LedgerPlace,
    Original,
    class_labels,
    declaration_of,
    generator,
    labels_of,
    open_ledger,
    refuse_as_member,
)
from littlestone.learn.declared.declaring import SchemaOrFile
from littlestone.learn.declared.task import STREAM
from littlestone.learn.results.risks import Risks, StreamRisks
from littlestone.learn.stream import PrivateOnlineLearner, choose_online_learner, durable_run
from littlestone.points import Domain, is_of_class
from littlestone.privacy.accounting.subsampled import InBlocks
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.mechanisms.cell_counts import CellCounts
from littlestone.rules import Hypothesis

try:
    from river.base import Classifier
except ImportError:
    raise ImportError(
        "cannot make a river classifier: river is not installed\n"
        f"to fix it: {install_command('river')}"
    ) from None


# Everything else in river that teaches a classifier repeats, chooses or relabels records, or refits.
_TRUSTED = (
    "river.checks.",
    "river.compose.",
    "river.evaluate.",
    "river.ensemble.voting.",
)


class LittlestoneOnlineClassifier(Classifier):
    """Publish rules of a declared class along a stream; together they are (epsilon, delta)-private.

    ``hypotheses`` is a class or its text.  ``horizon`` is the most records to learn from.  ``classes``
    = (negative, positive) are the two labels.  ``method`` is the name of an online learner or
    ``"auto"``, as in ``littlestone stream``.  All are declarations; illegal ones raise
    `DeclarationError` at once.  A record is a dict that holds the columns of the class by name.  Any
    value is read, also a missing one; labels other than the positive one are negative.

    The first `learn_one` spends the cost of the whole stream on ``dataset`` in ``ledger``, before
    anything is drawn: a path or an address, opened for the spend, or a `Ledger`.  A relative path is
    made absolute at once.  A ledger that does not exist is an error, unless ``create_ledger`` is true.
    ``simulation_seed`` is None or a whole number, with which the run is a simulation, not private, and
    warns.

    `hypothesis` and `published_at` are the private release.  The output of `predict_one` is not
    private: show it only to the owner of the record.  A clone is a new model with its own spend.  Any
    other copy of a learning model, pickled or deep, has the published rule and cannot learn, because
    two copies of one state would draw twice.  In an ensemble or a drift detector the model refuses to
    learn.

    With ``risk`` a part of epsilon counts the labels at each place of the published rule, in blocks of
    records, and `predict_proba_one` says risks.  A rule's first block has 100 records divided by that
    part, and each further block twice as many.  `risks` is the last private table.

    With a ``schema`` (or its file) the text of a class may name its columns, and ``hypotheses`` may be
    left out: the class is ``conditions(*; at most 2)``, and the label that of the schema.  All that is
    missing is named at once.  With a ``unit``, or that
    of the schema, the guarantee is for each value of this column: the first ``max_records`` records of
    each count, and nothing is learned from later ones.  A record without it has no value there.

    >>> from littlestone.privacy.ledger import Ledger
    >>> model = LittlestoneOnlineClassifier("subsets(id; at most 2)", epsilon=5, delta="1e-6",
    ...                                     horizon=200_000, ledger=Ledger(), dataset="doors")
    >>> for _ in range(400):
    ...     model.learn_one({"id": "d7"}, True)
    >>> model.hypothesis.words(), model.predict_one({"id": "d7"})
    ("id is 'd7'", True)
    """

    ledger = LedgerPlace()

    def __init__(
        self,
        hypotheses: HypothesisClass[Any] | str | None = None,
        *,
        epsilon: object = None,
        delta: object = None,
        horizon: int | None = None,
        ledger: Ledger | str | os.PathLike[str] | None = None,
        dataset: str | None = None,
        classes: Sequence[object] | None = None,
        method: str = "auto",
        risk: bool = False,
        schema: SchemaOrFile = None,
        unit: str | None = None,
        max_records: int | None = None,
        create_ledger: bool = False,
        simulation_seed: int | None = None,
    ) -> None:
        self.hypotheses = hypotheses
        self.epsilon = epsilon
        self.delta = delta
        self.horizon = horizon
        self.ledger = ledger
        self.dataset = dataset
        self.classes = classes
        self.method = method
        self.risk = risk
        self.schema = schema
        self.unit = unit
        self.max_records = max_records
        self.create_ledger = create_ledger
        self.simulation_seed = simulation_seed
        self._labels = class_labels(labels_of(self))
        if len(self._labels) > 2:
            raise DeclarationError(
                f"learn {len(self._labels)} labels from a stream",
                found="a published rule has two",
                fix="declare classes=(negative, positive)",
            )
        self._declaration = declaration_of(self).or_class(STREAM)
        H, share = self._declaration.known_class, self._declaration.share
        self._learner = choose_online_learner(H, share, horizon=cast(int, horizon), method=method)
        self._tables = self._declare_tables()
        generator(simulation_seed)  # refused here, if at all
        self._run: Original | LastRule | None = None
        self._before: LastRule | None = None  # what the original of this clone published

    @property
    def learner(self) -> PrivateOnlineLearner[Any]:
        """The chosen learner, with its ``method``, ``cost()`` and ``mistake_bound(beta)``."""
        return self._learner

    @property
    def hypothesis(self) -> Hypothesis[Any] | None:
        """The published rule; None before the first record."""
        return None if self._run is None else self._run.hypothesis

    @property
    def published_at(self) -> int | None:
        """The number of records before the publication; None before the first record."""
        return None if self._run is None else self._run.published_at

    @property
    def risks(self) -> Risks | None:
        """The private table of the last whole block, with its rule; None before the first one."""
        return None if self._run is None else self._run.risks

    @property
    def is_frozen(self) -> bool:
        """Whether this is a clone that could not pay and keeps the last rule of its original."""
        return isinstance(self._run, LastRule) and not self._run.refuses

    def _declare_tables(self) -> InBlocks[CellCounts] | None:
        """The tables of risks that the run draws, if it is to have some."""
        part, unit = self._declaration.risk_part, self._declaration.unit
        if part is None:
            return None
        if unit is not None:
            raise DeclarationError(
                f"count risks along a stream of {unit}",
                found="which of its records count is not known block by block",
                fix="leave the unit or the risks out",
            )
        return StreamRisks.event_of(part, self._learner.horizon)

    def learn_one(self, x: Mapping[Any, Any], y: Any) -> None:
        """Learn from the next record; the first call spends the budget before.

        After the horizon nothing is learned.  Raises only at the first record and before anything is
        spent: `DeclarationError` in an ensemble, for a copy, or unless x is a dict and y a single
        value; `BudgetExceededError` or `LedgerError`.
        """
        if self._run is None:
            self._run = self._start(x, y)
        unit = self._declaration.unit
        whose = None if unit is None else _value(x, unit.column)
        point = _point(self._learner.hypotheses.domain, x)
        self._run.update(point, self._declaration.label(_plain(y)), whose)

    def _start(self, x: object, y: object) -> Original | LastRule:
        refuse_as_member(
            "river", _TRUSTED, fix="teach it by itself, in a pipeline or in a VotingClassifier"
        )
        _require_record(x, y)
        rng = generator(self.simulation_seed, stacklevel=4)
        try:
            with (
                open_ledger(self.ledger, create=self.create_ledger) as ledger,
                durable_run(
                    self._learner,
                    ledger=ledger,
                    dataset=cast(str, self.dataset),
                    label=str(self._declaration.label),
                    rng=rng,
                    batches=True,
                    unit=self._declaration.unit,
                    besides=self._tables,
                ) as run,
            ):
                if self._tables is None or run.paid is None:
                    return Original(run)
                return Original(run, StreamRisks(self._tables, self._learner.horizon, run.paid))
        except BudgetExceededError:
            # Refitting at a drift depends on the labels, and an exception would reveal its time.
            if self._before is None:
                raise
            return self._before

    def clone(
        self, new_params: dict[str, Any] | None = None, include_attributes: bool = False
    ) -> Self:
        """A new model with the same or changed declarations, which spends at its first record.

        If the budget is too small then, the clone keeps the rule that this model publishes now and is
        `is_frozen`.  With ``new_params`` it raises, like any new model.
        """
        made = super().clone(new_params, include_attributes)
        if not new_params:
            run = self._run or self._before
            made._before = run and LastRule(
                run.hypothesis, run.published_at, run.risks, refuses=False
            )
        return made

    def predict_one(self, x: Mapping[Any, Any], **kwargs: Any) -> Any:
        """The label that the published rule gives a record; None before the first record.

        NOT PRIVATE: show it only to the owner of the record.
        """
        h = self.hypothesis
        return None if h is None else self._labels[h(_point(self._learner.hypotheses.domain, x))]

    def predict_proba_one(self, x: Mapping[Any, Any], **kwargs: Any) -> dict[Any, float]:
        """The risk of each label at the record's place in the published rule, if ``risk`` is declared.

        It comes from the last private table, whose rule may be an earlier one, and is half each until
        there is one.  Without ``risk`` it is what the published rule says itself, as a score sheet
        does, or else 1 for the label that `predict_one` returns and 0 for the other.  NOT PRIVATE,
        like `predict_one`.
        """
        if (found := self.risks) is not None:
            h = found.rule
            place = h.place(_point(self._learner.hypotheses.domain, x))
            return dict(zip(self._labels, found.rates[int(h.bins[place])], strict=True))
        rule = None if self.risk else self.hypothesis
        if rule is not None and (own := rule.rates) is not None:
            place = rule.place(_point(self._learner.hypotheses.domain, x))
            return dict(zip(self._labels, own[place], strict=True))
        y = None if self.risk else self.predict_one(x)
        return {label: 0.5 if y is None else float(label is y) for label in self._labels}

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {
            "hypotheses": "points(ip_in_url)",
            "epsilon": 1,
            "delta": "1e-6",
            "horizon": 1000,
            "ledger": "littlestone.ledger",
            "dataset": "made up",
            "create_ledger": True,
        }


def _require_record(x: object, y: object) -> None:
    """Refuse objects whose types cannot be those of a record and its label."""
    # By type(): an object may claim another class, or raise when asked for it.
    single = is_of_class(y, str) or is_of_class(y, bytes) or not hasattr(type(y), "__len__")
    if _is_mapping(x) and single:
        return
    # A class may have a metaclass that refuses to give its name.
    kinds = [vars(type)["__name__"].__get__(type(value)) for value in (x, y)]
    raise DeclarationError(
        f"learn from a record of type {kinds[0]} and a label of type {kinds[1]}",
        found="a record is a dict, from the names of columns to values, and its label a single value",
        fix="give a dict, such as series.to_dict() or the records of river.stream.iter_pandas",
    )


def _is_mapping(x: object) -> bool:
    try:
        return issubclass(type(x), Mapping)
    except Exception:  # its class cannot be hashed
        return False


def _point(domain: Domain[Any], x: object) -> Any:
    """The point of a record; anything other than a dict is a record without values."""
    return domain.encode_record(tuple(_value(x, name) for name in domain.column_names))


def _value(record: Any, name: str) -> object:
    """The record's value in a column; missing if reading fails, because an error would reveal it."""
    try:
        return _plain(record.get(name)) if _is_mapping(record) else None
    except Exception:
        return None


def _plain(value: Any) -> object:
    return plain_values(np.atleast_1d(value))[0] if is_of_class(value, np.generic) else value
