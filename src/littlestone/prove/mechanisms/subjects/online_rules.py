"""The online learner of equality rules as a whole: all rules that a stream makes it publish."""

from __future__ import annotations

import random
from copy import copy
from fractions import Fraction
from itertools import combinations
from math import prod
from typing import Any

from littlestone.classes import EqualityRules
from littlestone.learn.stream import RuleLearner
from littlestone.privacy.budget import Budget
from littlestone.privacy.mechanisms.streams.competition import Terms
from littlestone.privacy.mechanisms.streams.continual_selection import first
from littlestone.privacy.tape import Tape
from littlestone.prove.mechanisms.subject import Subject, subject
from littlestone.prove.mechanisms.subjects.exponential_learner import Records
from littlestone.prove.mechanisms.subjects.online import LONG, Law, Published, add, told, twin


def of_rules(stream: Any, records: Records, before: Published = ()) -> Law:
    """The law by the stream's own code between the selections; ``stream`` has published ``before``."""
    start, competing, h = len(before), stream._competition, stream.hypothesis
    now, data = h.words(), [() if h(x) == y else stream.rules(x) for x, y in records[start:]]
    epoch = [tuple(dict.fromkeys(named))[: competing.terms.growth] for named in data]
    law, left = dict[Any, Fraction](), Fraction(1)
    for u in range(1, len(epoch) + 1):
        for rule in dict.fromkeys(rule for named in epoch[:u] for rule in named):
            if mass := first(competing.terms, epoch[:u], rule, competing.handicap):
                left -= mass
                later = copied(stream)
                later._take(rule)
                later._show()
                published = (*before, *(now,) * (u - 1), later.hypothesis.words())
                add(law, mass, of_changes(later, records, published, {}))
    return add(law, left, {(*before, *(now,) * len(epoch)): Fraction(1)})


def of_changes(
    stream: Any, records: Records, before: Published, epochs: dict[int, list[tuple[int, ...]]]
) -> Law:
    """The same while there is a rule; ``epochs`` are the records of each change since it began anew.

    A run's chance is the product over epochs of that of the selection at the end, or of none.
    """
    terms, h = stream._mechanism.terms(1), stream.hypothesis
    if len(before) == len(records):
        return {before: prod((still(terms, named) for named in epochs.values()), start=Fraction(1))}
    x, y = records[len(before)]
    key = None if h(x) == y else stream.change(stream._rule, x, y)
    told = {k: [*named, (k,) if k == key else ()] for k, named in epochs.items()}
    if key is not None and key not in told:
        told[key] = [(key,)]
    law = dict[Any, Fraction]()
    for size in range(len(told) + 1):
        for chosen in combinations(told, size):
            mass = prod((first(terms, told[k], k) for k in chosen), start=Fraction(1))
            rest = {k: named for k, named in told.items() if k not in chosen}
            if not mass:
                continue
            if not chosen:
                add(law, mass, of_changes(stream, records, (*before, h.words()), rest))
                continue
            later = copied(stream)
            later._change(frozenset(chosen))
            later._show()
            published = (*before, later.hypothesis.words())
            if later._rule is None:
                mass *= prod((still(terms, named) for named in rest.values()), start=Fraction(1))
                add(law, mass, of_rules(later, records, published))
            else:
                add(law, mass, of_changes(later, records, published, rest))
    return law


def still(terms: Terms, named: list[tuple[int, ...]]) -> Fraction:
    """The probability that a change is not selected by these records."""
    key = named[0][0]
    return 1 - sum((first(terms, named[: u + 1], key) for u in range(len(named))), Fraction(0))


def copied(stream: Any) -> Any:
    """A copy of the run, which may publish something else next."""
    made = twin(stream)
    made._competition, made._withdrawn = copy(stream._competition), list(stream._withdrawn)
    return made


@subject(
    "online-rule-learner",
    id="Streams",
    code="learn.stream.RuleLearner",
    proof="proofs/continual-selection.md#theorem-4-privacy-of-the-learner",
    epsilon=5,
)
def rules(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The online learner of equality rules, of one column: all its rules; needs a delta."""
    H = EqualityRules.of("a", max_literals=1)
    learner = RuleLearner(H, Budget(epsilon, delta), horizon=LONG)

    def law(data: Records) -> Law:
        return of_rules(learner.resume([], Tape(random.Random(0))), data)

    return told(learner, law, ((("u",), 0), (("u",), 1), (("w",), 1)))
