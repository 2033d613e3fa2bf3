"""What an audit needs to know about a mechanism or learner, and how all subjects are found."""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Generic, TypeVar

from littlestone.audit.exact import Data, Distribution, ExactAudit, exact_audit
from littlestone.audit.statistical import EpsilonBound, audit_epsilon, checked_trials
from littlestone.audit.trials import Trials
from littlestone.discovery import modules
from littlestone.errors import no_such
from littlestone.privacy.event import Event
from littlestone.privacy.ledger import Ledger, Receipt
from littlestone.privacy.mechanisms.base import Mechanism
from littlestone.privacy.randomness import chosen_generator

Input = TypeVar("Input")
Output = TypeVar("Output", bound=Hashable)
Run = Callable[[Data], Hashable]


def as_it_is(data: object, output: Hashable) -> Hashable:
    """The cell of an output whose probability stands alone."""
    return output


@dataclass(frozen=True)
class Subject(Generic[Data]):
    """Something to audit: its claim, its exact distribution on tiny data, a run at a real size.

    ``event`` makes the claim.  ``pairs`` are tiny neighbouring data sets, and ``large`` is one pair of
    realistic size.  ``runs(times, rng)`` pays for that many runs, which draw from ``rng``, and returns
    a function that does one of them.  Data sets are hashable and made up, because an audit prints them.
    If ``distribution`` adds up outputs of equal likelihood ratios, ``cell(data, output)`` is the key
    under which it counts an output.
    """

    event: Event
    distribution: Distribution[Data]
    pairs: tuple[tuple[Data, Data], ...]
    runs: Callable[[int, random.Random], Run[Data]]
    large: tuple[Data, Data]
    cell: Callable[[Data, Any], Hashable] = as_it_is

    def exact(self) -> ExactAudit[Data]:
        """The claim against the exact distributions on all tiny pairs."""
        return exact_audit(self.distribution, self.pairs, self.event)

    def measured(
        self, *, trials: int, confidence: object, rng: random.Random | None = None
    ) -> EpsilonBound:
        """A lower bound on epsilon at the claimed delta, from ``trials`` runs on each of ``large``."""
        rng = chosen_generator(rng)
        run, (one, other) = self.runs(2 * checked_trials(trials), rng), self.large
        return audit_epsilon(
            lambda rng: run(one),
            lambda rng: run(other),
            delta=self.event.cost().delta,
            trials=trials,
            confidence=confidence,
            rng=rng,
        )


def mechanism_subject(
    mechanism: Mechanism[Input, Output],
    *,
    pairs: Iterable[tuple[Data, Data]],
    large: tuple[Data, Data],
    read: Callable[[Data], Input],
    release: Callable[[Output], Hashable] = lambda output: output,
    cell: Callable[[Data, Any], Hashable] = as_it_is,
) -> Subject[Data]:
    """The subject of one draw: ``read`` turns a data set into what the mechanism reads of it.

    ``release`` turns what is drawn into what is published; outputs published alike are added up.
    """

    def distribution(data: Data) -> Mapping[Hashable, Fraction]:
        masses: dict[Hashable, Fraction] = {}
        for output, mass in mechanism.distribution(read(data)).items():
            left = release(output)
            masses[left] = masses.get(left, Fraction(0)) + mass
        return masses

    def runs(times: int, rng: random.Random) -> Run[Data]:
        receipt = paid(mechanism, times, rng)
        return lambda data: release(mechanism.draw(read(data), receipt=receipt))

    return Subject(mechanism, distribution, tuple(pairs), runs, large, cell)


def paid(event: Event, times: int, rng: random.Random) -> Receipt:
    """A receipt for ``times`` uses of ``event`` on made-up data, with draws from ``rng``."""
    with Ledger() as ledger:
        return ledger.spend(Trials(event, times), dataset="made up", what="audit", rng=rng)


@dataclass(frozen=True)
class Named:
    """A named way to make a subject that claims (epsilon, delta); ``about`` says what it is."""

    name: str
    about: str
    make: Callable[[Fraction, Fraction], Subject[Any]]


def subject(name: str) -> Callable[[Callable[[Fraction, Fraction], Subject[Any]]], Named]:
    """Mark a function of (epsilon, delta) as the subject ``name`` of ``littlestone audit``."""
    return lambda make: Named(name, (make.__doc__ or "").partition("\n")[0], make)


def find_subjects() -> list[Named]:
    """All subjects found in ``littlestone.audit.subjects``, in the order of their names.

    >>> "randomized-response" in [named.name for named in find_subjects()]
    True
    """
    found = {
        member.name: member
        for module in modules("littlestone.audit.subjects")
        for member in vars(module).values()
        if isinstance(member, Named)
    }
    return [found[name] for name in sorted(found)]


def find_subject(name: str) -> Named:
    """The subject of that name; raises `DeclarationError` if there is none."""
    known = {named.name: named for named in find_subjects()}
    if name not in known:
        also = "; your own algorithm with audit_epsilon()"
        raise no_such(f"audit {name!r}", "subject", name, known, also)
    return known[name]
