"""The report of `fit`: the private release, and apart from it figures that are NOT PRIVATE."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from littlestone.classes.base import HypothesisClass, Scored
from littlestone.classes.covering import Covering
from littlestone.hypotheses import Hypothesis
from littlestone.learners.base import PrivateLearner
from littlestone.learners.estimate import Estimate
from littlestone.learners.release import Release
from littlestone.privacy.cost import PrivacyCost, decimal_text, exact
from littlestone.sample import Sample

# The failure probability for which accuracy is stated; the statement depends on n alone.
_BETA = 0.05


def accuracy(learner: PrivateLearner[Any], n: int) -> str:
    """What is proved about the error of a release learned from ``n`` records, in a sentence or two.

    >>> from littlestone.classes import parse_class
    >>> from littlestone.learners import ExponentialLearner
    >>> from littlestone.privacy.budget import Budget
    >>> learner = ExponentialLearner(parse_class("thresholds(age, 0..120)"), Budget(1))
    >>> accuracy(learner, 5)
    'No accuracy guarantee: that needs 55 records.'
    """
    proved = f"(proved, with probability {1 - _BETA:.0%})"
    any_labels = learner.accuracy(n, _BETA)
    if any_labels is not None:
        return (
            f"On new records, the error is at most {rounded_up(100 * any_labels)} percentage points "
            f"above that of the best rule in the class {proved}."
        )
    clean = learner.accuracy(n, _BETA, setting="realizable")
    if clean is not None:
        return (
            f"If some rule in the class makes no mistakes, the error on new records is at most "
            f"{rounded_up(100 * clean)}% {proved}. Otherwise there is no guarantee."
        )
    least = learner.bound(0.5, _BETA)
    if least is not None:
        return f"No accuracy guarantee: that needs {least.n:,} records."
    least = learner.bound(0.5, _BETA, setting="realizable")
    if least is not None:
        return f"No accuracy guarantee: that needs {least.n:,} records and error-free labels."
    return f"No accuracy guarantee: none is known for the method {learner.method}."


def guarantee(release: Release, accuracy: str) -> list[tuple[str, str]]:
    """What is promised about a release, as pairs (heading, sentence); all of it is public."""
    cost = release.cost
    rows = [
        ("rule", release.words()),
        (
            "privacy",
            f"epsilon {decimal_text(cost.epsilon)}, delta {decimal_text(cost.delta)}: replacing one "
            f"of the {release.n:,} records changes the probability of any set of "
            f"{_outputs(release)} by at most a factor {_factor(cost.epsilon)}"
            + (f", plus {decimal_text(cost.delta)}" if cost.delta else ""),
        ),
        ("mechanism", release.mechanism),
        ("class", release.hypotheses),
        ("accuracy", accuracy),
    ]
    if release.estimate is not None:
        rows += estimated(release.estimate)
    if not release.private:
        rows.append(("warning", "drawn with a seeded generator: a simulation, NOT PRIVATE"))
    return rows


def _factor(epsilon: Fraction) -> str:
    """The number e^epsilon, as three digits rounded up; beyond epsilon 10, as a power.

    >>> _factor(Fraction(1)), _factor(Fraction(1, 2)), _factor(Fraction(12))
    ('2.72', '1.65', 'e^12')
    """
    if epsilon > 10:
        return f"e^{decimal_text(epsilon)}"
    power = (Decimal(epsilon.numerator) / Decimal(epsilon.denominator)).exp()
    return f"{Context(prec=3, rounding=ROUND_CEILING).create_decimal(power):,f}"


def _outputs(release: Release) -> str:
    return "rules" if release.estimate is None else "rules and estimates"


def estimated(estimate: Estimate) -> list[tuple[str, str]]:
    """What a private estimate says of the records themselves, as pairs (heading, sentence).

    >>> estimated(Estimate(Fraction(1), 1000, 95, 4, 11))[0]
    ('precision', 'about 0.960, from 0.878 to 1.000')
    """
    beta = exact(_BETA, what="beta")
    shares = [
        ("precision", estimate.precision(beta), "0.001"),
        ("recall", estimate.recall(beta), "0.001"),
        ("error", estimate.error(beta), "0.00001"),
    ]
    rows = [
        (
            name,
            f"about {_rounded(share.middle, unit, ROUND_HALF_EVEN)}, from "
            f"{_rounded(share.low, unit, ROUND_FLOOR)} to "
            f"{_rounded(share.high, unit, ROUND_CEILING)}",
        )
        for name, share, unit in shares
    ]
    epsilon = decimal_text(estimate.epsilon)
    kind = f"on these records, all three with probability {1 - _BETA:.0%}; private, for epsilon"
    return [*rows, ("estimates", f"{kind} {epsilon} of the total")]


def _rounded(share: Fraction, unit: str, rounding: str) -> str:
    value = Decimal(share.numerator) / Decimal(share.denominator)
    return str(value.quantize(Decimal(unit), rounding=rounding))


def rounded_up(value: float) -> str:
    """Three digits, rounded up: a bound stays a bound.

    >>> rounded_up(0.78301)
    '0.784'
    """
    return f"{Context(prec=3, rounding=ROUND_CEILING).create_decimal_from_float(value):f}"


def budget(total: PrivacyCost, limit: PrivacyCost | None) -> str:
    """What a data set has spent, and of what."""
    return f"{total} spent" + (f", of a limit of {limit}" if limit else ", no limit declared")


@dataclass(frozen=True)
class Evaluation:
    """How a released rule fares on the very records it was learned from.  NOT PRIVATE.

    ``names`` are those of the labels, and ``totals`` how many records have each.  The best rule of the
    class is None if it is not found by scoring each.  ``table_errors`` are those of the best
    function of the same columns, which gives every point its most frequent label.
    """

    n: int
    errors: int
    best_errors: int | None
    best_rule: str | None
    table_errors: int
    names: tuple[str, ...]
    totals: tuple[int, ...]

    @classmethod
    def of(
        cls, release: Release, hypotheses: HypothesisClass[Any], sample: Sample[Any]
    ) -> Evaluation:
        """Count the errors of the release, of the class's best hypothesis and of the best table."""
        best, names = best_rule(hypotheses, sample), release.labels
        return cls(
            n=sample.n,
            errors=errors(release.hypothesis, sample),
            best_errors=None if best is None else errors(best, sample),
            best_rule=None if best is None else best.named(names) if names else best.words(),
            table_errors=sample.n - int(sample.counts.max(axis=1).sum()),
            names=names,
            totals=tuple(sample.counts.sum(axis=0).tolist()),
        )

    @property
    def _most_frequent(self) -> int:
        return self.totals.index(max(self.totals))

    def rows(self) -> list[tuple[str, str]]:
        """The figures as pairs (heading, text)."""

        def share(errors: int) -> str:
            return f"{errors / self.n:.5f} ({errors:,} records)"

        rows = [("error of the rule", share(self.errors))]
        if not self.names:
            rows.insert(0, ("positive labels", f"{self.totals[1]:,} of {self.n:,}"))
        if self.best_errors is not None:
            best = f"{self.best_rule}, error {self.best_errors / self.n:.5f} ({self.best_errors:,})"
            rows.append(("best non-private rule", best))
            rows.append(("difference", f"{(self.errors - self.best_errors) / self.n:.5f}"))
        if self.names:
            y = self._most_frequent
            rows.append(("error of the best non-private table", share(self.table_errors)))
            rows.append((f"error of always {self.names[y]}", share(self.n - self.totals[y])))
        return rows

    def to_json(self) -> dict[str, object]:
        """The figures as plain JSON values, marked as not private."""
        data: dict[str, object] = {
            "NOT PRIVATE": True,
            "n": self.n,
            "errors": self.errors,
            "error": self.errors / self.n,
        }
        if self.best_errors is not None:
            data["best_rule"] = self.best_rule
            data["best_errors"] = self.best_errors
            data["best_error"] = self.best_errors / self.n
            data["difference"] = (self.errors - self.best_errors) / self.n
        if not self.names:
            return {**data, "positives": self.totals[1]}
        y = self._most_frequent
        data["table_errors"], data["table_error"] = self.table_errors, self.table_errors / self.n
        data["constant"], data["constant_errors"] = self.names[y], self.n - self.totals[y]
        return data


def best_rule(hypotheses: HypothesisClass[Any], sample: Sample[Any]) -> Hypothesis[Any] | None:
    """A hypothesis with the fewest errors, where scoring each finds it.  NOT PRIVATE."""
    if isinstance(hypotheses, Scored):
        return hypotheses.written(hypotheses.scores(sample).best)
    if isinstance(hypotheses, Covering) and hypotheses.parts == 1:
        elements = hypotheses.elements(sample)
        scores = elements.positives - elements.negatives
        found = scores.max(initial=0) > 0
        return hypotheses.union([elements.element(int(scores.argmax()))] if found else [])
    return None


def errors(rule: Hypothesis[Any], sample: Sample[Any]) -> int:
    """How many records the rule labels wrongly.  NOT PRIVATE."""
    given = np.fromiter(map(rule, sample.points), np.int64)
    return sample.n - int(sample.counts[np.arange(len(given)), given].sum())
