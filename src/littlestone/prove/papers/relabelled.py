"""Relabelling a secret sample: neighbours and learners at which its privacy is nearly used up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from littlestone.classes import FiniteClass
from littlestone.learn import AgnosticLearner, ExponentialLearner, RelabellingLearner
from littlestone.learn.papers.agnostic.base import AgnosticTransformation
from littlestone.privacy.accounting.relabelled import OtherLabels, OwnLabels, Relabelling
from littlestone.privacy.cost import Budget, PrivacyCost
from littlestone.privacy.mechanisms.scores.exponential import ExponentialMechanism
from littlestone.privacy.rational import exp_below
from littlestone.prove.audit.drawn import follow_draws
from littlestone.prove.audit.exact_audit import exact_audit
from littlestone.prove.audit.subject import find_subject
from littlestone.prove.audit.subjects.exponential_learner import Records
from littlestone.prove.audit.subjects.reductions import CLASS, Masses, law_of_relabelling
from littlestone.prove.papers.statement import Outcome, statement

Learner = AgnosticTransformation[Any]
Law = Callable[[Learner, Records], Masses]


@dataclass(frozen=True)
class Stage:
    """Two neighbours, what is claimed of the relabelling, and a sample that a learner looks for.

    The learner releases one of two answers, the rarer one with probability e^(-inner distance) / 2,
    where the distance is the number of records in which the relabelled sample differs from ``sought``.
    """

    H: FiniteClass
    relabelling: Relabelling
    inner: Fraction
    pair: tuple[Records, Records]
    sought: Records

    @property
    def claim(self) -> PrivacyCost:
        """The cost of the relabelling together with that learner."""
        return self.relabelling.cost(PrivacyCost(self.inner))

    def learner(self, kind: type[Learner]) -> Learner:
        """The transformation; what it learns with only says what was paid."""
        return kind(
            self.H,
            Budget(self.claim.epsilon),
            relabelling=self.relabelling,
            realizable=lambda budget: ExponentialLearner(self.H, Budget(self.inner)),
        )

    def law_of_answers(
        self, kind: type[Learner], law: Law = law_of_relabelling
    ) -> Callable[[Records], Masses]:
        """The exact law of the answers, by an exact law of the relabelled sample."""
        learner, sought = self.learner(kind), Counter(self.sought)
        base = exp_below(self.inner, bits=64)

        def law_of_batch(records: Records) -> Masses:
            masses = Masses()
            for found, p in law(learner, records).items():
                have: Counter[Any] = Counter(dict(found))  # type: ignore[call-overload]
                shown = base ** -((have - sought).total()) / 2
                for answer, mass in ((True, p * shown), (False, p * (1 - shown))):
                    key: Hashable = (have.total(), answer)  # the number of records is public
                    masses[key] = masses.get(key, Fraction(0)) + mass
            return masses

        return law_of_batch


def at(records: tuple[tuple[int, int], ...]) -> Records:
    """The records at the points of these numbers."""
    return tuple((f"x{i}", y) for i, y in records)


def move_record(
    rest: tuple[tuple[int, int], ...], one: tuple[int, int], other: tuple[int, int]
) -> tuple[Records, Records]:
    """Two neighbours: one record after all others is replaced by another."""
    return at((*rest, one)), at((*rest, other))


TWO = FiniteClass.from_array([[0], [1]])
FEW = Stage(
    TWO,
    OtherLabels(ExponentialMechanism(Fraction(1)), share=200_000, weight=4),
    Fraction(5),
    move_record(((0, 0),) * 100_001 + ((0, 1),) * 99_998, (0, 1), (0, 0)),
    at(((0, 1),)),
)
"""One record of very many is relabelled: nearly all that changes is what the others say about it."""

SHARP = Stage(
    CLASS,
    OwnLabels(ExponentialMechanism(Fraction(4)), share=1),
    Fraction(8),
    move_record(((0, 0), (1, 0)), (2, 0), (3, 1)),
    at(((0, 1), (1, 1), (2, 0))),
)
"""Two patterns, each of which gains an extension that is right where the other loses one."""

FAR = Stage(
    FiniteClass.from_array([[0, 0, 0, 0], [1, 0, 1, 1]]),
    OtherLabels(ExponentialMechanism(Fraction(8)), share=5, weight=1),
    Fraction(32),
    move_record((*((3, 0),) * 8, (0, 0)), (1, 0), (2, 0)),
    at(((0, 1), (1, 0))),
)
"""The points are u, x, x', z.  The second hypothesis labels u as no other does; at x it agrees with
the first one, which is far better, and at x' and z it does not."""

BEHIND = Stage(
    FiniteClass.from_array([[0, 0, 0, 0, 0, 0, 0], [1, 1, 1, 0, 1, 1, 0], [1, 1, 1, 1, 1, 0, 1]]),
    OtherLabels(ExponentialMechanism(Fraction(12)), share=2, weight=1),
    Fraction(24),
    move_record(((0, 1), (1, 0), (2, 0), (3, 0), *((6, 0),) * 5), (4, 1), (5, 0)),
    at(((0, 1), (1, 1), (2, 1), (3, 1), (4, 1))),
)
"""The points are four u, x, x', z: the third hypothesis alone labels all u by 1; the second one comes
after it, and is better than the first at x and worse at x'."""


def _audit(kind: type[Learner], *stages: Stage, used: float) -> Outcome:
    audits = [
        exact_audit(stage.law_of_answers(kind), [stage.pair], stage.learner(kind).event)
        for stage in stages
    ]
    claims = (f"{float(audit.claim.epsilon):.4g}" for audit in audits)
    return Outcome(
        f"epsilon {', '.join(claims)}, of which {used:.0%} is used",
        ", ".join(f"{audit.epsilon:.2f} ({audit.tightness:.0%})" for audit in audits),
        all(audit.holds and audit.tightness >= used for audit in audits),
    )


@statement(
    id="ABMS20 Theorem 2.3",
    says="relabelling by the sample's own labels is private",
    code="learn.RelabellingLearner, privacy.accounting.relabelled.OwnLabels",
    scope="the exact law of its code, on the pair and the learner that show most",
    status="as stated",
    proof="proofs/agnostic.md#theorem-1-privacy",
)
def own_labels() -> Outcome:
    """Two patterns on three records, of which one is replaced; all records are relabelled."""
    found = _audit(RelabellingLearner, SHARP, used=0.97)
    subject = find_subject("relabelling-learner").make(Fraction(10), Fraction(0))
    draws = follow_draws(subject, subject.pairs[-1:])
    return Outcome(found.stated, f"{found.measured}; {draws}", found.holds and draws.holds)


@statement(
    id="LWY25",
    says="relabelling by the others' labels is private",
    code="learn.AgnosticLearner, privacy.accounting.relabelled.OtherLabels",
    scope="exact laws of its code, on three pairs with the learners that show most",
    status="as stated",
    proof="proofs/agnostic.md#theorem-1-privacy",
)
def other_labels() -> Outcome:
    """One record of many is relabelled; one of five; and one of two."""
    return _audit(AgnosticLearner, FEW, FAR, BEHIND, used=0.5)
