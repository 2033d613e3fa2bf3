"""The report of `fit`: the private release, and apart from it figures that are NOT PRIVATE."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_CEILING, Context
from typing import Any

from littlestone.classes.base import Enumerable
from littlestone.learners.base import PrivateLearner
from littlestone.learners.release import Release
from littlestone.privacy.cost import PrivacyCost, decimal_text
from littlestone.sample import Sample

# The failure probability for which accuracy is stated; the statement depends on n alone.
_BETA = 0.05


def guarantee(learner: PrivateLearner[Any], release: Release) -> list[tuple[str, str]]:
    """What is promised about a release, as pairs (heading, sentence); all of it is public."""
    cost = release.cost
    rows = [
        ("rule", release.words()),
        (
            "privacy",
            f"epsilon {decimal_text(cost.epsilon)}, delta {decimal_text(cost.delta)}: replacing one "
            f"of the {release.n:,} records changes the probability of any rule by at most a factor "
            f"e^{decimal_text(cost.epsilon)}"
            + (f", up to {decimal_text(cost.delta)}" if cost.delta else ""),
        ),
        ("mechanism", release.mechanism),
        ("class", release.hypotheses),
    ]
    alpha = learner.accuracy(release.n, _BETA)
    if alpha is None:
        least = learner.plan(0.5, _BETA)
        more = f"; it takes {least.n:,} records at least" if least else ", nor for any other"
        accuracy = f"none is proved for n = {release.n:,}{more}"
    else:
        accuracy = (
            f"on new records like these, at most {_above(100 * alpha)} percentage points of error "
            f"above the best rule of the class, with probability {1 - _BETA:.0%} (proved, from n alone)"
        )
    rows.append(("accuracy", accuracy))
    if not release.private:
        rows.append(("warning", "drawn with a seeded generator: a simulation, NOT PRIVATE"))
    return rows


def _above(value: float) -> str:
    """Three digits, rounded up: a bound stays a bound.

    >>> _above(0.78301)
    '0.784'
    """
    return f"{Context(prec=3, rounding=ROUND_CEILING).create_decimal_from_float(value):f}"


def budget(total: PrivacyCost, limit: PrivacyCost | None) -> str:
    """What a data set has spent, and of what."""
    return f"{total} spent" + (f", of a limit of {limit}" if limit else ", no limit declared")


@dataclass(frozen=True)
class Evaluation:
    """How a released rule fares on the very records it was learned from.  NOT PRIVATE."""

    n: int
    errors: int
    best_errors: int
    best_rule: str
    positives: int

    @classmethod
    def of(cls, release: Release, hypotheses: Enumerable[Any], sample: Sample[Any]) -> Evaluation:
        """Count the errors of the release and of the best hypothesis of the class."""
        rule = release.hypothesis
        wrong = (
            sample.negatives[j] if rule(x) else sample.positives[j]
            for j, x in enumerate(sample.points)
        )
        runs = hypotheses.error_runs(sample)
        run = int(runs.errors.argmin())
        best = hypotheses.hypothesis(run if runs.lengths is None else sum(runs.lengths[:run]))
        return cls(
            n=sample.n,
            errors=int(sum(wrong)),
            best_errors=int(runs.errors[run]),
            best_rule=best.words(),
            positives=int(sample.positives.sum()),
        )

    def rows(self) -> list[tuple[str, str]]:
        """The figures as pairs (heading, text)."""
        return [
            ("positive labels", f"{self.positives:,} of {self.n:,}"),
            ("error of the rule", f"{self.errors / self.n:.5f} ({self.errors:,} records)"),
            (
                "best non-private rule",
                f"{self.best_rule}, error {self.best_errors / self.n:.5f} ({self.best_errors:,})",
            ),
            ("difference", f"{(self.errors - self.best_errors) / self.n:.5f}"),
        ]

    def to_json(self) -> dict[str, object]:
        """The figures as plain JSON values, marked as not private."""
        return {
            "NOT PRIVATE": True,
            "n": self.n,
            "positives": self.positives,
            "errors": self.errors,
            "error": self.errors / self.n,
            "best_rule": self.best_rule,
            "best_errors": self.best_errors,
            "best_error": self.best_errors / self.n,
            "difference": (self.errors - self.best_errors) / self.n,
        }
