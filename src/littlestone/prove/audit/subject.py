"""What an audit needs to know about a mechanism or learner, and how all subjects are found.

The law of what a subject draws, by its own code, is held against its distribution and claim.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, partial
from itertools import count
from typing import Any, Generic, NamedTuple, TypeVar

from littlestone.base.discovery import modules, read_words
from littlestone.base.errors import DeclarationError, did_you_mean
from littlestone.base.work import spread
from littlestone.privacy.cost import PrivacyCost
from littlestone.privacy.event import Event, Mechanism
from littlestone.privacy.ledger import Ledger, Receipt
from littlestone.privacy.randomness import choose_generator, generator, seed_from
from littlestone.privacy.rational import exp_above, sum_masses
from littlestone.prove.audit.choices import follow
from littlestone.prove.audit.claims import Data, Distribution, ExactAudit, exact_audit, hockey_stick
from littlestone.prove.audit.statistical import (
    EpsilonBound,
    bound_epsilon,
    check_confidence,
    halves,
)

Output = TypeVar("Output", bound=Hashable)
Run = Callable[[Data], Hashable]


def as_it_is(data: object, output: Hashable) -> Hashable:
    """The cell of an output whose probability stands alone."""
    return output


_PART = 250  # runs that one message to a worker is worth, even if they take a millisecond each


class _Part(NamedTuple):
    """Some runs of one of two halves, on one of the two large data sets; without a seed, None."""

    half: int
    which: int
    times: int
    seed: int | None


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
    # What another process makes it from.  A subject that is changed by `replace` has none.
    recipe: tuple[str, Fraction, Fraction] | None = field(default=None, init=False, repr=False)

    def __reduce__(self) -> tuple[object, ...]:
        # Its functions cannot be pickled, and its receipts must not be.
        return _subject_of_recipe, self.recipe or ()

    def _jobs(self, jobs: int | None) -> int | None:
        return 1 if self.recipe is None else jobs

    def exact(self, *, jobs: int | None = 1) -> ExactAudit[Data]:
        """The claim against the exact distributions on all tiny pairs.

        ``jobs`` processes share the work, as `spread` says, if `find_subject` made the subject.
        """
        return exact_audit(self._law, self.pairs, self.event, jobs=self._jobs(jobs))

    def _law(self, data: Data) -> Mapping[Hashable, Fraction]:
        return self.distribution(data)

    def measure(
        self,
        *,
        trials: int,
        confidence: object,
        rng: random.Random | None = None,
        jobs: int | None = 1,
    ) -> EpsilonBound:
        """A lower bound on epsilon at the claimed delta, from ``trials`` runs on each of ``large``.

        Runs come in parts of at most 250, each with a generator of its own.  So a seeded ``rng`` gives
        the same bound for any number of ``jobs``, which are those of `exact`.
        """
        rng, confidence = choose_generator(rng), check_confidence(confidence)
        # Each part has a seed of its own, so the result is the same however many processes there
        # are.
        parts = [
            _Part(half, which, min(_PART, times - begun), seed_from(rng))
            for half, times in enumerate(halves(trials))
            for which in (0, 1)
            for begun in range(0, times, _PART)
        ]
        seen = {(half, which): Counter[Hashable]() for half in (0, 1) for which in (0, 1)}
        found = dict(
            spread(self._outputs, parts, jobs=self._jobs(jobs), what="running it on made-up data")
        )
        for i, part in enumerate(parts):  # in their order, on which ties between events depend
            seen[part.half, part.which] += found[i]
        return bound_epsilon(
            (seen[0, 0], seen[0, 1]),
            (seen[1, 0], seen[1, 1]),
            delta=self.event.cost().delta,
            confidence=confidence,
        )

    def _outputs(self, part: _Part) -> Counter[Hashable]:
        run = self.runs(part.times, generator(part.seed))
        return Counter(run(self.large[part.which]) for _ in range(part.times))


def mechanism_subject(
    mechanism: Mechanism[Any, Output],
    *,
    pairs: Iterable[tuple[Data, Data]],
    large: tuple[Data, Data],
    read: Callable[[Data], Any] = lambda data: data,
    release: Callable[[Output], Hashable] = lambda output: output,
    cell: Callable[[Data, Any], Hashable] = as_it_is,
) -> Subject[Data]:
    """The subject of one draw; ``read`` gives what the mechanism reads of a data set.

    ``release`` turns what is drawn into what is published; outputs published alike are added up.
    """

    def law_of_output(data: Data) -> Mapping[Hashable, Fraction]:
        drawn = mechanism.distribution(read(data)).items()
        return sum_masses((release(output), mass) for output, mass in drawn)

    def run_mechanism(receipt: Receipt, data: Data) -> Hashable:
        return release(mechanism.draw(read(data), receipt=receipt))

    runs = runs_on_receipt(mechanism, run_mechanism)
    return Subject(mechanism, law_of_output, tuple(pairs), runs, large, cell)


def runs_on_receipt(
    event: Event, run: Callable[[Receipt, Data], Hashable]
) -> Callable[[int, random.Random], Run[Data]]:
    """The runs of a subject, for all of which one receipt for uses of ``event`` pays."""
    return lambda times, rng: partial(run, receipt_for_trials(event, times, rng))


def runs_on_ledger(run: Callable[..., Hashable]) -> Callable[[int, random.Random], Run[Data]]:
    """The runs of a subject that spend for themselves: ``run(data, ledger=, dataset=, rng=)``."""
    ledger, numbers = Ledger(), count()

    def run_once(data: Data, rng: random.Random) -> Hashable:
        # Each has a name of its own, so that no list of spends grows long.
        return run(data, ledger=ledger, dataset=f"made up {next(numbers)}", rng=rng)

    return lambda times, rng: partial(run_once, rng=rng)


def receipt_for_trials(event: Event, times: int, rng: random.Random) -> Receipt:
    """A receipt for ``times`` uses of ``event`` on made-up data, with draws from ``rng``."""
    with Ledger() as ledger:
        return ledger.spend(Trials(event, times), dataset="made up", what="audit", rng=rng)


@dataclass(frozen=True)
class SubjectMaker:
    """A named way to make a subject that claims (epsilon, delta); ``about`` says what it is.

    ``row`` has what its row of `littlestone verify` needs, if it has one: see `verify.mechanisms`.
    """

    name: str
    about: str
    make: Callable[[Fraction, Fraction], Subject[Any]]
    row: Mapping[str, Any]


def subject(
    name: str, **row: object
) -> Callable[[Callable[[Fraction, Fraction], Subject[Any]]], SubjectMaker]:
    """Mark a function of (epsilon, delta) as the subject ``name`` of ``littlestone audit``.

    What its row needs is in ``row`` or in the last lines of the docstring.
    """

    def register(make: Callable[[Fraction, Fraction], Subject[Any]]) -> SubjectMaker:
        def make_subject(epsilon: Fraction, delta: Fraction) -> Subject[Any]:
            found = make(epsilon, delta)
            object.__setattr__(found, "recipe", (name, epsilon, delta))
            return found

        prose, words = read_words(make.__doc__)
        return SubjectMaker(name, prose.partition("\n")[0], make_subject, words | row)

    return register


def find_subjects() -> list[SubjectMaker]:
    """All subjects found in ``littlestone.prove.audit.subjects``, in the order of their names.

    >>> "randomized-response" in [named.name for named in find_subjects()]
    True
    """
    found = {
        member.name: member
        for module in modules("littlestone.prove.audit.subjects")
        for member in vars(module).values()
        if isinstance(member, SubjectMaker)
    }
    return [found[name] for name in sorted(found)]


def find_subject(name: str) -> SubjectMaker:
    """The subject of that name; raises `DeclarationError` if there is none."""
    known = {named.name: named for named in find_subjects()}
    if name not in known:
        fix = "see `littlestone audit --list`; audit_epsilon() audits an algorithm of your own"
        raise DeclarationError(
            f"audit {name!r}",
            found="there is no such subject",
            fix=did_you_mean(name, known, fix),
        )
    return known[name]


@cache
def _subject_of_recipe(name: str, epsilon: Fraction, delta: Fraction) -> Subject[Any]:
    """The subject that a recipe stands for, in another process."""
    return find_subject(name).make(epsilon, delta)


@dataclass(frozen=True)
class Trials(Event):
    """``event`` as often as ``times`` says, by basic composition: an audit pays once for all its runs.

    A composition theorem would cost less, but take time; made-up data of an audit have no budget.

    >>> from fractions import Fraction
    >>> from littlestone.privacy.mechanisms.exponential import ExponentialMechanism
    >>> print(Trials(ExponentialMechanism(Fraction(1, 10)), 2000).cost())
    epsilon 200, delta 0 (replace-one)
    """

    event: Event
    times: int

    def cost(self) -> PrivacyCost:
        one = self.event.cost()
        return PrivacyCost(self.times * one.epsilon, self.times * one.delta, one.neighboring)

    def uses(self) -> list[tuple[Event, int]]:
        return [(use, self.times * n) for use, n in self.event.uses()]

    def __str__(self) -> str:
        return f"{self.times} x [{self.event}]"


RUNS = 1000
"""About how many runs of one law are followed at most; few laws need as many."""

_ENOUGH = Fraction(1, 2)


def law_of(subject: Subject[Data], data: Data, runs: int = RUNS) -> dict[Hashable, Fraction]:
    """Lower bounds of the probabilities of all outputs of a run on ``data``, as `follow` has them.

    >>> from littlestone.prove.audit import find_subject
    >>> coin = find_subject("randomized-response").make(Fraction(1), Fraction(0))
    >>> [round(float(p), 3) for p in law_of(coin, 1).values()]
    [0.731, 0.269]
    """
    run = cache(partial(subject.runs, 2 * runs))  # `follow` always has the same generator
    return follow(lambda rng: subject.cell(data, run(rng)(data)), runs)


@dataclass(frozen=True)
class DrawComparison:
    """What was found of the draws on some pairs of data sets.

    ``known`` is the least part of a law that was followed.  ``wrong`` outputs are drawn more often than
    the distribution says, and ``beyond`` ordered pairs break the claim by their draws alone.
    """

    known: Fraction
    wrong: int
    beyond: int

    @property
    def holds(self) -> bool:
        """Whether the draws agree with the distribution and the claim, and more than half is known."""
        return not self.wrong and not self.beyond and self.known > _ENOUGH

    def __str__(self) -> str:
        if self.wrong or self.beyond:
            return (
                f"{self.wrong} outputs are drawn more often than it says, "
                f"{self.beyond} pairs of draws exceed the claim"
            )
        return f"the draws agree, {float(self.known):.0%} followed"


def follow_draws(
    subject: Subject[Data], pairs: Iterable[tuple[Data, Data]], runs: int = RUNS
) -> DrawComparison:
    """Follow the draws on all ``pairs``, and compare them with the stated distribution.

    Where a part u of the law q was not followed, p(Y) - e^epsilon (q(Y) + u) is at most what the true
    laws have, so that a pair that is beyond the claim is so for certain.

    >>> from littlestone.prove.audit import find_subject
    >>> subject = find_subject("exponential-learner-table").make(Fraction(1), Fraction(0))
    >>> str(follow_draws(subject, subject.pairs[-1:]))
    'the draws agree, 100% followed'
    """
    listed = list(pairs)
    laws = {data: law_of(subject, data, runs) for pair in listed for data in pair}
    # A lower bound above the stated mass shows another law, and one below it shows nothing
    # (docs/proofs/audit.md, "Real sizes", step 1).
    wrong = sum(
        mass > said.get(output, 0)
        for data, law in laws.items()
        for said in [subject.distribution(data)]
        for output, mass in law.items()
    )
    claim = subject.event.cost()
    ratio = exp_above(claim.epsilon)
    # What was not followed of the other law may lie in the same outputs, so it is added there (step 3).
    beyond = sum(
        hockey_stick(laws[one], laws[other], ratio) - ratio * (1 - sum(laws[other].values()))
        > claim.delta
        for pair in listed
        for one, other in (pair, pair[::-1])
    )
    return DrawComparison(
        min(sum(law.values(), Fraction(0)) for law in laws.values()), wrong, beyond
    )
