"""The order in which every learner of a sample works: refuse, pay, draw; and what an estimate draws."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple

from littlestone.base.errors import DeclarationError
from littlestone.data.sample import Sample
from littlestone.points import Point
from littlestone.points.units import Unit
from littlestone.privacy.accounting.composed import Composition
from littlestone.privacy.accounting.groups import for_unit
from littlestone.privacy.cost import PrivacyCost, require_epsilon
from littlestone.privacy.event import Event, WithCost
from littlestone.privacy.ledger.ledger import BaseLedger
from littlestone.privacy.ledger.receipt import Receipt
from littlestone.privacy.mechanisms.cell_counts import CellCounts
from littlestone.privacy.mistakes import EQUAL, MistakeCosts
from littlestone.privacy.scores import Rules

if TYPE_CHECKING:
    from littlestone.rules import Hypothesis


@dataclass(frozen=True)
class DrawResult:
    """What leaves a draw: the hypothesis, its noisy counts, and what the receipt says of the payment.

    ``places`` are the noisy counts of its places, if they were bought.
    Nothing else of the sample is in it, so it is as private as ``cost`` says.  ``private`` is False if
    a seeded generator was used.
    """

    hypothesis: Hypothesis[Any]
    counts: tuple[Noisy, ...]
    places: Noisy | None
    cost: PrivacyCost
    mechanism: str
    private: bool
    receipt: int
    total: PrivacyCost | None
    limit: PrivacyCost | None


class Draw(WithCost, ABC, Generic[Point]):
    """A differentially private choice of a hypothesis, which pays before it draws.

    A subclass says what one draw is (`event`), and draws with the generator of its receipt (`draw`).
    """

    method: ClassVar[str]
    """The name by which the command line selects it."""

    takes_void: ClassVar[bool] = False
    """Whether its draw sees the sample through sums over records alone, and never how many there are.

    Then a place of a unit may be void, because the guarantee also covers a record that is replaced by
    a void place (docs/proofs/units.md, Theorem 3).
    """

    mistakes: MistakeCosts = EQUAL
    """What a missed positive and a false alarm cost."""

    hypotheses: Rules

    @abstractmethod
    def draw(self, sample: Sample[Point], *, receipt: Receipt) -> Hypothesis[Point]:
        """Draw the hypothesis to release, with the generator that ``receipt`` hands out."""

    def distribution(self, sample: Sample[Point]) -> dict[Hypothesis[Point], Fraction]:
        """The exact probability of each hypothesis.  It depends on the data: for audits only.

        Raises NotImplementedError if the kind of draw computes none.
        """
        raise NotImplementedError

    def event_with(
        self,
        estimate: Fraction | None,
        unit: Unit | None = None,
        *,
        shares: bool = False,
        risk: Fraction | None = None,
    ) -> Event:
        """`event`, together with the `CellCounts` of epsilon ``estimate`` unless that is None.

        With ``shares`` a part of it counts unread cells and labels (`estimate_parts`).  An epsilon
        ``risk`` counts the labels at each place (`counts_of_places`).  With a ``unit`` it is
        `UnitEvent`.  Raises `DeclarationError` for an estimate if the class has more than two labels,
        and for several records of a unit if the learner does not take void places, if there is an
        estimate or a risk, or if nothing would be protected.
        """
        if unit is None:
            return self._event_with_counts(estimate, shares, risk)
        # docs/proofs/units.md, Theorem 3: void places need a learner that only sums over records.
        if unit.most > 1 and not self.takes_void:
            raise DeclarationError(
                f"learn from {unit} by the method {self.method}",
                found="it divides the records or counts them, and how many a unit has is private",
                fix="give --max-records 1, or a method that adds up over records, such as exponential",
            )
        if unit.most > 1 and (estimate is not None or risk is not None):
            asked = "precision, recall and error" if risk is None else "risks"
            raise DeclarationError(
                f"estimate {asked} from {unit}",
                found="an estimate speaks of a number of records that is private",
                fix="give --max-records 1; `fit` works without --risk and --estimate, too",
            )
        return for_unit(self._event_with_counts(estimate, shares, risk), unit)

    def _event_with_counts(
        self, estimate: Fraction | None, shares: bool, risk: Fraction | None
    ) -> Event:
        parts: list[Event] = [] if risk is None else [counts_of_places(risk)]
        if estimate is not None:
            self._require_rule()
            parts += estimate_parts(estimate, shares=shares)
        if not parts:
            return self.event
        return Composition([(self.event, 1), *((part, 1) for part in parts)], self.cost().delta)

    def _require_rule(self) -> None:
        """Raise `DeclarationError` for more than two labels, which have no precision."""
        if self.hypotheses.labels > 2:
            raise DeclarationError(
                "estimate precision, recall and error",
                found="they are those of a rule, and there are several labels",
                fix="leave the estimate out, or ask about one label",
            )

    def pay_and_draw(
        self,
        sample: Sample[Point],
        *,
        ledger: BaseLedger,
        dataset: str,
        what: str,
        estimate: Fraction | None = None,
        risk: Fraction | None = None,
        rng: random.Random | None = None,
    ) -> DrawResult:
        """Spend `event_with` on ``dataset`` in the ledger, then draw a hypothesis and its counts.

        ``what`` says in public words what is learned.  ``rng`` is the system's cryptographic generator
        by default.  Raises, before anything is spent, `DeclarationError` as `event_with` does; and
        before anything is drawn, `BudgetExceededError` or `LedgerError`.
        """
        # All that may be refused, and all that can be made ready, comes before the spend.
        shares = sample.unread is not None  # as declared, whatever the counts are
        event = self.event_with(estimate, sample.unit, shares=shares, risk=risk)
        counts = () if estimate is None else estimate_parts(estimate, shares=shares)
        places = None if risk is None else counts_of_places(risk)
        cost, mechanism = event.cost(), str(event)
        records = sample.records()
        # The entry is durable when this returns; only then is there a generator to draw with.
        receipt = ledger.spend(event, dataset=dataset, what=what, rng=rng)
        # From here to the return nothing may fail, and nothing but released values goes on.
        hypothesis = self.draw(records, receipt=receipt)
        return DrawResult(
            hypothesis,
            draw_counts(counts, hypothesis, sample, records, receipt=receipt),
            draw_places(places, hypothesis, records, receipt=receipt),
            cost,
            mechanism,
            private=receipt.private,
            receipt=receipt.number,
            total=receipt.total,
            limit=receipt.limit,
        )


CELLS = ("true positives", "false positives", "false negatives")

UNREAD = ("cells", "labels")

UNREAD_PART = Fraction(1, 4)
"""The part of the estimate's epsilon that counts unread cells and labels."""


class Noisy(NamedTuple):
    """The counts that one `CellCounts` of this ``epsilon`` drew."""

    epsilon: Fraction
    counts: tuple[int, ...]


def counts_of_rule(epsilon: Fraction) -> CellCounts:
    """The mechanism that counts the `CELLS` of a rule."""
    return CellCounts(epsilon, len(CELLS))


def counts_of_unread(epsilon: Fraction) -> CellCounts:
    """The mechanism that counts the `UNREAD` records; one may be in both counts."""
    return CellCounts(epsilon, len(UNREAD), together=True)


def estimate_parts(epsilon: Fraction, *, shares: bool) -> tuple[CellCounts, ...]:
    """What an estimate of ``epsilon`` draws: the counts of a rule, and the unread ones with ``shares``.

    A record may have both an unread cell and an unread label, so these two are counted together.

    >>> [str(part.epsilon) for part in estimate_parts(Fraction(1), shares=True)]
    ['3/4', '1/4']
    """
    require_epsilon(epsilon)
    if not shares:
        return (counts_of_rule(epsilon),)
    part = epsilon * UNREAD_PART
    # The two parts are composed: their epsilons add up.
    return counts_of_rule(epsilon - part), counts_of_unread(part)


def cells(rule: Callable[[Any], int], sample: Sample[Any]) -> tuple[int, int, int]:
    """The true positives, false positives and false negatives of ``rule``, in at most one per record.

    They depend on the data: for `CellCounts` only.
    """
    ones, counts = sample.split_by_label(rule)
    return int(counts[ones, 1].sum()), int(counts[ones, 0].sum()), int(counts[~ones, 1].sum())


def draw_counts(
    parts: Sequence[CellCounts],
    rule: Callable[[Any], int],
    sample: Sample[Any],
    records: Sample[Any],
    *,
    receipt: Receipt,
) -> tuple[Noisy, ...]:
    """The counts of ``rule`` by the `estimate_parts` that the receipt paid for; empty for no parts.

    ``records`` are those of the sample, which may have void places as well.
    """
    if not parts:
        return ()
    data = [cells(rule, records), *([] if sample.unread is None else [sample.unread])]
    return tuple(
        Noisy(part.epsilon, part.draw(counts, receipt=receipt))
        for part, counts in zip(parts, data, strict=True)
    )


def counts_of_places(epsilon: Fraction) -> CellCounts:
    """The mechanism that counts each label at each place of a rule, which is drawn later."""
    return CellCounts(epsilon, None)


def count_places(rule: Hypothesis[Any], sample: Sample[Any]) -> list[int]:
    """The number of records of each label in each of the rule's bins of places, bin by bin.

    Each record is in one cell.  The counts depend on the data: for `CellCounts` only.
    """
    # The bins are those of the released rule; records decide nothing but how many are in each.
    counts: list[int] = sample.count_bins(rule).ravel().tolist()
    return counts


def draw_places(
    part: CellCounts | None, rule: Hypothesis[Any], records: Sample[Any], *, receipt: Receipt
) -> Noisy | None:
    """The noisy `count_places` that the receipt paid for; None for no part."""
    if part is None:
        return None
    return Noisy(part.epsilon, part.draw(count_places(rule, records), receipt=receipt))
