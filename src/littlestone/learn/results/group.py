"""The report of `subgroup`: a group in words, with its size and rate; all of it is private."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from littlestone.base.errors import DeclarationError
from littlestone.base.visible import shortened, visible
from littlestone.learn.base import PrivateLearner
from littlestone.learn.results.estimate import BETA, Estimate, Share, interval
from littlestone.learn.results.promise import no_guarantee, privacy, rounded_up
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
        return self._estimate.covered(BETA)

    @property
    def rate(self) -> Share:
        """The share of positive labels in the group; from 0 to 1 if the group may be empty."""
        return self._estimate.precision(BETA)

    @property
    def overall(self) -> Share:
        """The share of positive labels among all records."""
        return self._estimate.positive(BETA)

    @property
    def _estimate(self) -> Estimate:
        if self.release.estimate is None:
            raise DeclarationError(
                "show a release as a group",
                found="it has no estimate of size and rate",
                fix="take what subgroup() returned",
            )
        return self.release.estimate

    def rows(self) -> list[tuple[str, str]]:
        """The group, its figures and its cost, as pairs (heading, text); all of it is public."""
        release, part = self.release, decimal_text(self._estimate.spent)
        rate = f"{interval(self.rate, '0.001')} of the group have {release.label}"
        if self.rate.low == 0 and self.rate.high == 1:
            rate = "unknown, because the group may be empty"
        chance = f"on these records, all three with probability {1 - float(BETA):.0%}"
        return [
            ("group", self.words()),
            ("size", f"{interval(self.size, '0.0001')} of the {release.n:,} records"),
            ("rate", rate),
            ("overall", f"{interval(self.overall, '0.001')} of all records have {release.label}"),
            ("estimates", f"{chance}; private, for epsilon {part} of the total"),
            ("sought", f"the most positives - {decimal_text(self.above)} x records"),
            privacy(release),
            ("mechanism", release.mechanism),
            ("class", shortened(release.hypotheses)),
            *release.chosen(),
        ]

    def __repr__(self) -> str:
        rows = [*self.rows(), ("ledger entry", str(self.release.receipt)), *self.release.warning()]
        width = max(len(heading) for heading, _ in rows)
        return "\n".join(f"{heading:{width}}  {visible(text)}" for heading, text in rows)

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
    most = rounded_up(100 * alpha * costs.largest / (costs.missed + costs.alarm))
    return (
        f"On new records, positives - {decimal_text(costs.rate)} x records is at most {most}% of all "
        f"records below that of the best group in the class (proved, with probability "
        f"{1 - float(BETA):.0%})."
    )
