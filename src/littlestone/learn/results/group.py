"""The group that a release found, with its size and rate; all of it is private."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from littlestone.base.errors import DeclarationError
from littlestone.learn.base import PrivateLearner
from littlestone.learn.results.accuracy import no_guarantee, round_up
from littlestone.learn.results.estimate import BETA, Estimate, Share
from littlestone.learn.results.release import Release
from littlestone.privacy.cost import decimal_text

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
        from littlestone.show.words import align_rows, rows_of_group, warning

        entry = ("ledger entry", str(self.release.receipt))
        return align_rows([*rows_of_group(self), entry, *warning(self.release)])

    def to_json(self) -> dict[str, object]:
        """The model file of the release, with the figures of the group."""
        figures = {"size": self.size, "rate": self.rate, "overall rate": self.overall}
        shares = {
            name: dict(zip(Share._fields, map(float, share), strict=True))
            for name, share in figures.items()
        }
        group = {"above": decimal_text(self.above), "words": self.words(), **shares}
        return {**self.release.to_json(), "group": group}


def group_accuracy(learner: PrivateLearner[Any], n: int) -> str:
    """What is proved about the gain of a group found among ``n`` records, in one sentence."""
    alpha, costs = learner.accuracy(n, float(BETA)), learner.mistakes
    if alpha is None:
        return no_guarantee(learner)
    most = round_up(100 * alpha * costs.largest / (costs.missed + costs.alarm))
    return (
        f"On new records, positives - {decimal_text(costs.rate)} x records is at most {most}% of all "
        f"records below that of the best group in the class (proved, with probability "
        f"{1 - float(BETA):.0%})."
    )
