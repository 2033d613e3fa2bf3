"""A river classifier over the private online learners (needs ``littlestone[river]``)."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from littlestone.classes import HypothesisClass
from littlestone.data import plain_values
from littlestone.domains import Domain, derived
from littlestone.errors import DeclarationError
from littlestone.hypotheses import Hypothesis
from littlestone.interop.declarations import (
    declared_class,
    generator,
    label_of,
    opened,
    two_labels,
)
from littlestone.learners.online import PrivateOnlineLearner, PrivateStream, choose_online_learner
from littlestone.privacy.ledger import Ledger

try:
    from river.base import Classifier
except ImportError:
    raise ImportError(
        "cannot make a river classifier: river is not installed\n"
        "to fix it: pip install 'littlestone[river]'"
    ) from None


class LittlestoneOnlineClassifier(Classifier):
    """Publish rules of a declared class along a stream, all together (epsilon, delta)-private.

    ``hypotheses`` is a class or its text, ``horizon`` the most records that are ever learned from,
    ``classes`` = (negative, positive) the two labels, and ``method`` an online learner's name or
    ``"auto"``, as in ``littlestone stream``.  All are declarations; illegal ones raise
    `DeclarationError` at once.  A record is a dict, of which the columns of the class are looked up by
    name.  Any value is read, a missing one too; labels other than the positive one are negative.

    The first `learn_one` spends the cost of the whole stream on ``dataset`` in ``ledger``, before
    anything is drawn: a path or an address, opened for the spend, or a `Ledger`.  ``seed`` is None or
    a whole number, with which the run is a simulation and not private.

    `hypothesis` and `published_at` are the private release.  What `predict_one` says is not: it is
    for the owner of the record alone.  A clone is a new model, which spends for itself.  Any other copy
    of a model that learns, pickled or deep, has the published rule and cannot learn: two that go on
    from one state would draw twice.

    >>> from littlestone.privacy.ledger import Ledger
    >>> model = LittlestoneOnlineClassifier("subsets(id; at most 2)", epsilon=1, delta="1e-6",
    ...                                     horizon=200_000, ledger=Ledger(), dataset="doors", seed=1)
    >>> for _ in range(60):
    ...     model.learn_one({"id": "d7"}, True)
    >>> model.hypothesis.words(), model.published_at, model.predict_one({"id": "d7"})
    ("id is 'd7'", 43, True)
    """

    def __init__(
        self,
        hypotheses: HypothesisClass[Any] | str,
        *,
        epsilon: object,
        delta: object,
        horizon: int,
        ledger: Ledger | str | os.PathLike[str],
        dataset: str,
        classes: Sequence[object] = (False, True),
        method: str = "auto",
        seed: int | None = None,
    ) -> None:
        self.hypotheses = hypotheses
        self.epsilon = epsilon
        self.delta = delta
        self.horizon = horizon
        self.ledger = ledger
        self.dataset = dataset
        self.classes = classes
        self.method = method
        self.seed = seed
        self._learner = choose_online_learner(
            declared_class(hypotheses), epsilon=epsilon, delta=delta, horizon=horizon, method=method
        )
        self._labels = two_labels(classes)
        self._label = label_of(self._learner.hypotheses.domain.column_names, *self._labels)
        generator(seed, "seed")  # refused here, if at all
        self._run: _Run | _Copy | None = None

    @property
    def learner(self) -> PrivateOnlineLearner[Any]:
        """The learner that was chosen: its ``method``, ``cost()`` and ``mistake_bound(beta)``."""
        return self._learner

    @property
    def hypothesis(self) -> Hypothesis[Any] | None:
        """What is published, None before the first record."""
        return None if self._run is None else self._run.hypothesis

    @property
    def published_at(self) -> int | None:
        """After how many records it was published, None before the first record."""
        return None if self._run is None else self._run.published_at

    def learn_one(self, x: Mapping[Any, Any], y: Any) -> None:
        """Take the next record; the first time, spend before.  After the horizon nothing is learned.

        Raises `BudgetExceededError` or `LedgerError` at the first record, before it is looked at, and
        `DeclarationError` for a copy; never because of a record.
        """
        if self._run is None:
            rng = generator(self.seed, "seed")
            with opened(self.ledger) as ledger:
                stream = self._learner.start(
                    ledger=ledger, dataset=self.dataset, label=str(self._label), rng=rng
                )
            self._run = _Run(stream)
        self._run.update(_point(self._learner.hypotheses.domain, x), self._label(_plain(y)))

    def predict_one(self, x: Mapping[Any, Any], **kwargs: Any) -> Any:
        """The label that the published rule gives the record; None before the first record.

        NOT PRIVATE: it is for the owner of the record alone.
        """
        h = self.hypothesis
        return None if h is None else self._labels[h(_point(self._learner.hypotheses.domain, x))]

    def predict_proba_one(self, x: Mapping[Any, Any], **kwargs: Any) -> dict[Any, float]:
        """1 for the label that `predict_one` says and 0 for the other; a half each if it says None.

        NOT PRIVATE, as `predict_one`.
        """
        y = self.predict_one(x)
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
        }


class _Run:
    """The run of a model that learns; a copy of it is a `_Copy`, by whatever means it is made."""

    def __init__(self, stream: PrivateStream[Any]) -> None:
        self._stream, self._process = stream, os.getpid()

    @property
    def hypothesis(self) -> Hypothesis[Any]:
        return self._stream.hypothesis

    @property
    def published_at(self) -> int:
        return self._stream.published_at

    def update(self, x: Any, y: int) -> None:
        if os.getpid() != self._process:  # a fork copies too
            _refuse_to_learn()
        self._stream.update(x, y)

    def __reduce__(self) -> tuple[object, ...]:
        return _Copy, (self.hypothesis, self.published_at)


@dataclass(frozen=True)
class _Copy:
    """What a copy keeps of a run: what it has published, nothing secret."""

    hypothesis: Hypothesis[Any]
    published_at: int

    def update(self, x: Any, y: int) -> None:
        _refuse_to_learn()


def _refuse_to_learn() -> NoReturn:
    raise DeclarationError(
        "learn with a copy of a model that learns",
        found="two that go on from one state would draw twice what was paid for once",
        fix="learn with the original, in its process; or with a clone, which spends for itself",
    )


def _point(domain: Domain[Any], x: object) -> Any:
    """The point of a record; what is no dict is a record without a value."""
    record: Mapping[Any, Any] = x if isinstance(x, Mapping) else {}
    return domain.encode_record(tuple(_plain(record.get(name)) for name in domain.column_names))


def _plain(value: Any) -> object:
    return plain_values(np.atleast_1d(value))[0] if derived(value, np.generic) else value
