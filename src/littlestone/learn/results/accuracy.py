"""What is proved about a release, the group that one found, and an evaluation, which is NOT PRIVATE."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, Context
from fractions import Fraction
from typing import Any

from littlestone.base.errors import DeclarationError
from littlestone.classes.base import HypothesisClass, is_scorable
from littlestone.data.sample import Sample
from littlestone.learn.base import PrivateLearner
from littlestone.learn.results.estimate import BETA, Estimate, Share, errors
from littlestone.learn.results.release import Release
from littlestone.points.units import Unit
from littlestone.privacy.cost import decimal_text
from littlestone.privacy.mistakes import EQUAL, MistakeCosts
from littlestone.rules import Hypothesis

# The failure probability for which accuracy is stated; the statement depends on n alone.
_BETA = float(BETA)
_WEAKEST = 0.5


def accuracy(learner: PrivateLearner[Any], n: int, unit: Unit | None = None) -> str:
    """What is proved about the error of a release learned from ``n`` records, in a sentence or two.

    >>> from littlestone.classes import parse_class
    >>> from littlestone.learn import ExponentialLearner
    >>> from littlestone.privacy.cost import Budget
    >>> learner = ExponentialLearner(parse_class("thresholds(age, 0..120)"), Budget(1))
    >>> accuracy(learner, 5)
    'No accuracy guarantee: to be within 50 percentage points of the best rule needs 55 records.'
    """
    if unit is not None and unit.most > 1:
        return f"No accuracy guarantee: the records of one {unit.column} are not independent."
    new = "new records" if unit is None else f"one record of each new {unit.column}"
    proved = f"(proved, with probability {1 - _BETA:.0%})"
    costs = learner.mistakes
    error = "error" if costs.equal else "mean cost"
    any_labels = learner.accuracy(n, _BETA)
    if any_labels is not None:
        more = f"{round_up(100 * any_labels)} percentage points"
        if not costs.equal:
            more = round_up(any_labels * costs.largest)
        bound = learner.bound(any_labels, _BETA)
        best = (bound and bound.versus) or "the best rule in the class"
        return f"On {new}, the {error} is at most {more} above that of {best} {proved}."
    clean = learner.accuracy(n, _BETA, setting="realizable")
    if clean is not None:
        most = f"{round_up(100 * clean)}%"
        if not costs.equal:
            most = round_up(clean * costs.largest)
        return (
            f"If some rule in the class makes no mistakes, the {error} on {new} is at most {most} "
            f"{proved}. Otherwise there is no guarantee."
        )
    return no_guarantee(learner)


def no_guarantee(learner: PrivateLearner[Any], of_group: str = "") -> str:
    """That too few records are given for any guarantee of the error, and how many the weakest needs.

    The weakest is that of alpha = 1/2; ``of_group`` says in words what it means for a group.
    """
    costs = learner.mistakes
    cost = f"a mean cost of {round_up(_WEAKEST * costs.largest)}"
    least = learner.bound(_WEAKEST, _BETA)
    if least is not None:
        best = least.versus or "the best rule"
        within = (
            f"{100 * _WEAKEST:g} percentage points of {best}"
            if costs.equal
            else f"{cost} of {best}"
        )
        needs = f"to be within {of_group or within} needs {least.n:,} records"
        return f"No accuracy guarantee: {needs}."
    least = learner.bound(_WEAKEST, _BETA, setting="realizable")
    if least is not None:
        most = f"an error of at most {100 * _WEAKEST:g}%" if costs.equal else cost
        return f"No accuracy guarantee: {most} needs {least.n:,} records and error-free labels."
    return f"No accuracy guarantee: none is known for the method {learner.method}."


def round_up(value: float) -> str:
    """Three digits, rounded up: a bound stays a bound.

    >>> round_up(0.78301)
    '0.784'
    """
    return f"{Context(prec=3, rounding=ROUND_CEILING).create_decimal_from_float(value):f}"


@dataclass(frozen=True)
class Evaluation:
    """How a released rule fares on the very records it was learned from.  NOT PRIVATE.

    ``names`` are those of the labels, and ``totals`` how many records have each.  The best rule of the
    class is None if it is not found by scoring each.  ``table_errors`` are those of the best
    function of the same columns, which gives every point its most frequent label.  If ``mistakes`` have
    costs, all errors are sums of costs.
    """

    n: int
    errors: int
    best_errors: int | None
    best_rule: str | None
    table_errors: int
    names: tuple[str, ...]
    totals: tuple[int, ...]
    mistakes: MistakeCosts = EQUAL

    @classmethod
    def measure(
        cls, release: Release, hypotheses: HypothesisClass[Any], sample: Sample[Any]
    ) -> Evaluation:
        """Count the errors of the release, of the class's best hypothesis and of the best table."""
        sample = sample.records()
        costs, names = release.mistakes, release.labels
        counted = sample if costs.equal else sample.weigh(costs.weights)
        best = best_rule(hypotheses, counted)
        return cls(
            n=sample.n,
            errors=errors(release.hypothesis, counted),
            best_errors=None if best is None else errors(best, counted),
            best_rule=None if best is None else best.words_with(names) if names else best.words(),
            table_errors=counted.n - int(counted.counts.max(axis=1).sum()),
            names=names,
            totals=tuple(sample.counts.sum(axis=0).tolist()),
            mistakes=costs,
        )

    @property
    def _most_frequent(self) -> int:
        return self.totals.index(max(self.totals))

    @property
    def _constants(self) -> dict[str, int]:
        """The cost of each constant rule, if mistakes have costs."""
        if self.mistakes.equal:
            return {}
        alarms, missed = (w * n for w, n in zip(self.mistakes.weights, self.totals, strict=True))
        return {"always 0": missed, "always 1": alarms}

    def rows(self) -> list[tuple[str, str]]:
        """The figures as pairs (heading, text)."""
        what, unit = ("error", " records") if self.mistakes.equal else ("mean cost", " in all")

        def share(errors: int) -> str:
            return f"{errors / self.n:.5f} ({errors:,}{unit})"

        rows = [(f"{what} of the rule", share(self.errors))]
        if not self.names:
            rows.insert(0, ("positive labels", f"{self.totals[1]:,} of {self.n:,}"))
        if self.best_errors is not None:
            best = (
                f"{self.best_rule}, {what} {self.best_errors / self.n:.5f} ({self.best_errors:,})"
            )
            rows.append(("best non-private rule", best))
            rows.append(("difference", f"{(self.errors - self.best_errors) / self.n:.5f}"))
        rows += [(f"{what} of {name}", share(cost)) for name, cost in self._constants.items()]
        if self.names:
            y = self._most_frequent
            rows.append(("error of the best non-private table", share(self.table_errors)))
            rows.append((f"error of always {self.names[y]}", share(self.n - self.totals[y])))
        return rows

    def to_json(self) -> dict[str, object]:
        """The figures as plain JSON values, marked as not private."""
        total, mean = ("errors", "error") if self.mistakes.equal else ("cost", "mean_cost")
        data: dict[str, object] = {
            "NOT PRIVATE": True,
            "n": self.n,
            total: self.errors,
            mean: self.errors / self.n,
        }
        if self.best_errors is not None:
            data["best_rule"] = self.best_rule
            data[f"best_{total}"] = self.best_errors
            data[f"best_{mean}"] = self.best_errors / self.n
            data["difference"] = (self.errors - self.best_errors) / self.n
        if self._constants:
            data["constants"] = self._constants
        if not self.names:
            return {**data, "positives": self.totals[1]}
        y = self._most_frequent
        data["table_errors"], data["table_error"] = self.table_errors, self.table_errors / self.n
        data["constant"], data["constant_errors"] = self.names[y], self.n - self.totals[y]
        return data


def best_rule(hypotheses: HypothesisClass[Any], sample: Sample[Any]) -> Hypothesis[Any] | None:
    """A hypothesis with the fewest errors, where scoring each finds it.  NOT PRIVATE."""
    if is_scorable(hypotheses):
        found = hypotheses.scores(sample)
        return hypotheses.hypothesis_of_item(found.item(found.best))
    from littlestone.classes.promises.covering import Covering

    if isinstance(hypotheses, Covering) and hypotheses.max_elements == 1:
        elements = hypotheses.elements(sample)
        scores = elements.positives - elements.negatives
        found = scores.max(initial=0) > 0
        best = [elements.first_of(int(scores.argmax()))] if found else []
        return hypotheses.union(map(elements.element, best))
    return None


_WORDS = {"always 0": "nobody", "always 1": "all records"}


@dataclass(frozen=True, repr=False)
class Group:
    """A group of records in which positive labels are frequent, with its estimated size and rate.

    It is a view of a ``release`` that has an estimate: `littlestone.predict` of the release is 1 for
    the records in the group.  Intervals hold together with probability 95% over the noise.  They
    describe the records at hand.  The same records chose the group, so its rate among new records may
    be lower.
    """

    release: Release

    def words(self) -> str:
        """The group in words: a condition, or ``nobody`` or ``all records``."""
        condition = self.release.hypothesis.words()
        return _WORDS.get(condition, condition)

    @property
    def above(self) -> Fraction:
        """The rate above which a group counts."""
        return self.release.mistakes.rate

    @property
    def size(self) -> Share:
        """The share of records in the group."""
        return self.estimate.coverage(BETA)

    @property
    def rate(self) -> Share:
        """The share of positive labels in the group; from 0 to 1 if the group may be empty."""
        return self.estimate.precision(BETA)

    @property
    def overall(self) -> Share:
        """The share of positive labels among all records."""
        return self.estimate.positive(BETA)

    @property
    def estimate(self) -> Estimate:
        """The estimate of the release; `DeclarationError` if it has none."""
        if self.release.estimate is None:
            raise DeclarationError(
                "show a release as a group",
                found="it has no estimate of size and rate",
                fix="take what subgroup() returned",
            )
        return self.release.estimate

    def __repr__(self) -> str:
        return repr(replace(self.release, group=True))

    def to_json(self) -> dict[str, object]:
        """The model file of the release, with the figures of the group."""
        return replace(self.release, group=True).to_json()

    def figures(self) -> dict[str, object]:
        """The group in words and in figures, as plain JSON values."""
        figures = {"size": self.size, "rate": self.rate, "overall rate": self.overall}
        shares = {
            name: dict(zip(Share._fields, map(float, share), strict=True))
            for name, share in figures.items()
        }
        return {"above": decimal_text(self.above), "words": self.words(), **shares}


def group_accuracy(learner: PrivateLearner[Any], n: int) -> str:
    """What is proved about the gain of a group found among ``n`` records, in one sentence."""
    alpha, costs = learner.accuracy(n, float(BETA)), learner.mistakes
    scale = 100 * costs.largest / (costs.missed + costs.alarm)
    if alpha is None:
        return no_guarantee(learner, f"{round_up(scale / 2)}% of all records of the best group")
    most = round_up(alpha * scale)
    return (
        f"On new records, the group's positives beyond {decimal_text(costs.rate)} of its records fall "
        f"short of those of the best group in the class by at most {most}% of all records (proved, "
        f"with probability {1 - float(BETA):.0%})."
    )
