"""Events that see some of the records: disjoint parts and blocks, turns, and a relabelled sample.

An event that sees only m of the n records costs about m/n of it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Generic, TypeVar

from littlestone.base.errors import DeclarationError
from littlestone.privacy.accounting.composed import merge_uses, relation
from littlestone.privacy.cost import NeighboringRelation, PrivacyCost, decimal_text, round_up
from littlestone.privacy.event import Event, Guarantee
from littlestone.privacy.mechanisms.exponential import ExponentialMechanism
from littlestone.privacy.parameters import least, require_whole
from littlestone.privacy.rational import exp_above, exp_below, log_above


@dataclass(frozen=True, init=False)
class Parallel(Event):
    """Each of ``events`` on its own part of the records; no record is in two parts.

    The records' positions determine the parts, before anything is drawn.  So one replaced record is in
    one part, and all together cost the largest epsilon, delta and rho of a part (McS09, Theorem 4;
    docs/proofs/composition.md, Theorem 4).  Parts chosen by the values of records do not compose like
    this: a replaced record leaves one part and enters another.

    Raises `DeclarationError` for no events, for different neighbouring relations, and for one about
    units.

    >>> from fractions import Fraction
    >>> from littlestone.privacy.mechanisms.exponential import ExponentialMechanism
    >>> print(Parallel([ExponentialMechanism(Fraction(1)), ExponentialMechanism(Fraction(2))]).cost())
    epsilon 2, delta 0 (replace-one)
    """

    events: tuple[Event, ...]

    def __init__(self, events: Iterable[Event]) -> None:
        object.__setattr__(self, "events", tuple(events))
        # Disjoint parts protect one position; a unit may have records in several of them.
        if relation(self._parts()).unit is not None:
            raise DeclarationError(
                "charge parts of the records in parallel",
                found="their costs are about one unit, whose records may lie in several parts",
                fix="compose the events, or give events about one record replaced",
            )

    def cost(self) -> PrivacyCost:
        costs = [event.cost() for event in self.events]
        return PrivacyCost(
            max(cost.epsilon for cost in costs),
            max(cost.delta for cost in costs),
            costs[0].neighboring,
        )

    def guarantee(self) -> Guarantee:
        cost, found = self.cost(), [event.guarantee() for event in self.events]
        return Guarantee(
            max(guarantee.epsilon for guarantee in found),
            max(guarantee.delta for guarantee in found),
            max(guarantee.rho for guarantee in found),
            cost.neighboring,
        )

    def uses(self) -> list[tuple[Event, int]]:
        return merge_uses(self._parts())

    def _parts(self) -> list[tuple[Event, int]]:
        return [(event, 1) for event in self.events]

    def __str__(self) -> str:
        counts = Counter(str(event) for event in self.events)
        return "on disjoint parts: " + " and ".join(f"{n} x [{text}]" for text, n in counts.items())


@dataclass(frozen=True, init=False)
class InTurn(Event):
    """A run over a stream that is now under one of ``events``, now under another, each time afresh.

    Which of them reads the next record is a function of what was published.  Given all that was
    published, a replaced record is under one of them, and what the others published does not depend on
    it.  So the run costs the largest epsilon of all (docs/proofs/tallies.md, Theorem 3).

    >>> from fractions import Fraction
    >>> from littlestone.privacy.mechanisms.exponential import ExponentialMechanism
    >>> print(InTurn(ExponentialMechanism(Fraction(1)), ExponentialMechanism(Fraction(2))).cost())
    epsilon 2, delta 0 (replace-one)
    """

    events: tuple[Event, ...]

    def __init__(self, *events: Event) -> None:
        object.__setattr__(self, "events", events)
        costs = [event.cost() for event in events]
        if any(cost.delta or cost.neighboring.unit is not None for cost in costs):
            raise DeclarationError(
                "charge a run for the mechanisms under which it is in turn",
                found="some spend a delta, or are about units whose records may be under several",
                fix="give pure mechanisms on one replaced record",
            )

    def cost(self) -> PrivacyCost:
        costs = [event.cost() for event in self.events]
        return PrivacyCost(max(cost.epsilon for cost in costs))

    def __str__(self) -> str:
        return "in turn: " + " and ".join(f"[{event}]" for event in self.events)


Once = TypeVar("Once", bound=Event)


@dataclass(frozen=True)
class InBlocks(Event, Generic[Once]):
    """``mechanism`` once for each of at most ``blocks`` disjoint blocks of one stream.

    It costs what one use costs: a replaced record is in one block, whose ends depend on what was
    published before (docs/proofs/blocks.md, Theorem 1).
    """

    mechanism: Once
    blocks: int
    shortest: int = 1
    """The number of records of the first block."""

    def cost(self) -> PrivacyCost:
        return self.mechanism.cost()

    def uses(self) -> list[tuple[Event, int]]:
        return [(part, times * self.blocks) for part, times in self.mechanism.uses()]

    def __str__(self) -> str:
        return f"{self.mechanism}, in each of {self.blocks} disjoint blocks of the stream"


_BITS, _STEPS = 64, 1000


@dataclass(frozen=True)
class Relabelling(ABC):
    """T = floor(n / ``share``) of the n records, drawn without replacement, get new labels.

    ``choice`` picks these among all patterns of a class on T, by whole scores that a subclass
    defines.  Raises `DeclarationError` for illegal parameters.
    """

    choice: ExponentialMechanism
    share: int

    def __post_init__(self) -> None:
        require_whole("share", self.share, least=1)

    @abstractmethod
    def inside(self, epsilon: Fraction) -> Fraction:
        """At least K, the factor by which a record of T moves any outcome of an event on T."""

    @abstractmethod
    def outside(self) -> tuple[Fraction, Fraction]:
        """Bounds (low, high) of E <= K, the factor by which a record outside T moves it."""

    def cost(self, inner: PrivacyCost) -> PrivacyCost:
        """The cost together with an event of cost ``inner`` on the relabelled T.

            e^epsilon = E (1 + r (K - 1)) / (1 + r (E - 1)),   delta = r delta_inner,  r = 1 / share,

        rounded up to 6 digits: docs/proofs/agnostic.md, Theorem 1.
        """
        # Upper bounds in the numerator, a lower one in the denominator: the ratio is rounded up
        # throughout.
        rate, (low, high) = Fraction(1, self.share), self.outside()
        ratio = high * (1 + rate * (self.inside(inner.epsilon) - 1)) / (1 + rate * (low - 1))
        return PrivacyCost(round_up(log_above(ratio, _BITS)), rate * inner.delta)

    def room(self, target: PrivacyCost) -> PrivacyCost:
        """The largest cost of an event on T, in thousandths of the target, within ``target``.

        Its delta is share times that of the target, and at most 1/2.  Raises `DeclarationError`
        if no such epsilon is small enough.
        """
        unit, delta = target.epsilon / _STEPS, min(self.share * target.delta, Fraction(1, 2))

        def exceeds(steps: int) -> bool:
            return not self.cost(PrivacyCost(steps * unit, delta)).within(target)

        steps = least(exceeds) - 1
        if steps == 0:
            raise DeclarationError(
                f"learn from relabelled records at {target}",
                found=f"the relabelling leaves nothing of it: {self}",
                fix="take a larger share or a smaller epsilon of the choice",
            )
        return PrivacyCost(steps * unit, delta)

    @abstractmethod
    def __str__(self) -> str:
        """The parameters, as the ledger records them."""


@dataclass(frozen=True)
class OwnLabels(Relabelling):
    """A pattern is scored by its errors on T itself (ABMS20).

    K = (1 + e^(eta / 2))^2 e^epsilon and E = 1, with eta the epsilon of ``choice``.

    >>> relabelling = OwnLabels(ExponentialMechanism(Fraction(1)), share=8)
    >>> print(relabelling.cost(PrivacyCost(Fraction(1, 2), Fraction(1, 10**5))))
    epsilon 0.841943, delta 0.00000125 (replace-one)
    """

    def inside(self, epsilon: Fraction) -> Fraction:
        # The relabelling by T's own labels moves with the record: docs/proofs/agnostic.md, Theorem
        # 1.
        return (1 + exp_above(self.choice.epsilon / 2, _BITS)) ** 2 * exp_above(epsilon, _BITS)

    def outside(self) -> tuple[Fraction, Fraction]:
        return Fraction(1), Fraction(1)

    def __str__(self) -> str:
        eta = decimal_text(self.choice.epsilon)
        return f"1 record of {self.share}, relabelled at epsilon {eta} by its own labels"


@dataclass(frozen=True)
class OtherLabels(Relabelling):
    """A pattern h is scored by min over f in H of a #(h != f on T) + #(f errs on W).

    a = ``weight`` is a whole number, and W are the records that are not in T.
    K = 4 e^(a eta + epsilon) and E = e^eta, with eta the epsilon of ``choice`` (after LWY25).

    >>> relabelling = OtherLabels(ExponentialMechanism(Fraction(1, 10)), share=10, weight=4)
    >>> print(relabelling.cost(PrivacyCost(Fraction(1, 2), Fraction(1, 10**5))))
    epsilon 0.722851, delta 0.000001 (replace-one)
    """

    weight: int

    def __post_init__(self) -> None:
        super().__post_init__()
        require_whole("share", self.share, least=2)
        require_whole("weight", self.weight, least=1)

    def inside(self, epsilon: Fraction) -> Fraction:
        return 4 * exp_above(self.weight * self.choice.epsilon + epsilon, _BITS)

    def outside(self) -> tuple[Fraction, Fraction]:
        eta = self.choice.epsilon
        return exp_below(eta, _BITS), exp_above(eta, _BITS)

    def __str__(self) -> str:
        eta = decimal_text(self.choice.epsilon)
        return (
            f"1 record of {self.share}, relabelled at epsilon {eta} by the labels of the others, "
            f"weight {self.weight}"
        )


@dataclass(frozen=True)
class RelabellingEvent(Event):
    """``event`` on the records that ``relabelling`` has drawn and given new labels.

    It keeps secret which records these are, and their labels.  A receipt for this event pays for
    one draw of the choice and for the draws of ``event``.

    Raises `DeclarationError` unless ``event`` is about replaced records.
    """

    relabelling: Relabelling
    event: Event

    def __post_init__(self) -> None:
        if self.event.cost().neighboring != NeighboringRelation.REPLACE_ONE:
            raise DeclarationError(
                f"relabel the records of {self.event}",
                found="its cost is not about one record replaced",
                fix="state the event's cost for one record replaced",
            )

    def cost(self) -> PrivacyCost:
        return self.relabelling.cost(self.event.cost())

    def uses(self) -> list[tuple[Event, int]]:
        # Itself once: the inner cost says neither how many records are relabelled nor how.
        return [(self, 1), *merge_uses([(self.relabelling.choice, 1), (self.event, 1)])]

    def __str__(self) -> str:
        return f"{self.event}, on {self.relabelling}"
