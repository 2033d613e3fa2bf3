"""Learners built on others: globally stable, radii, relabelling, boosting, bits."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache, partial
from itertools import combinations, combinations_with_replacement, compress, pairwise, product
from math import comb, prod
from typing import Any, cast

from littlestone.classes import Enumerable, FiniteClass, Subsets, Thresholds
from littlestone.data.sample import Sample
from littlestone.learn import (
    AgnosticLearner,
    BitPartsLearner,
    BitsLearner,
    BoostingLearner,
    ExponentialLearner,
    GloballyStableLearner,
    RelabellingLearner,
)
from littlestone.learn.papers.agnostic import AgnosticTransformation
from littlestone.learn.papers.globally_stable import BatchSizes, errors
from littlestone.learn.papers.noisy_radii import NoisyRadiiLearner
from littlestone.learn.papers.radii import RadiiLearner
from littlestone.learn.papers.voting import orders
from littlestone.points import Integers
from littlestone.privacy.cost import Budget
from littlestone.privacy.rational import sum_masses
from littlestone.prove.audit.claims import neighbours
from littlestone.prove.audit.subject import Subject, subject
from littlestone.prove.audit.subjects.whole_learners import (
    NAMED,
    NAMED_RECORDS,
    Records,
    all_records,
    by_sample,
    crowd,
    fits,
    released_text,
    subject_of_learner,
)
from littlestone.rules import Hypothesis

StableLearner = GloballyStableLearner[Any]

Masses = dict[Hashable, Fraction]

Show = Callable[[Hypothesis[Any], Sequence[Any]], Hashable]


class _SpentError(Exception):
    """The script of labels is too short."""


class _Script(random.Random):
    """Uniform labels from a script."""

    def __init__(self, guesses: Sequence[int]) -> None:
        super().__init__(0)
        self.guesses = iter(guesses)

    def getrandbits(self, k: int) -> int:
        for guess in self.guesses:
            return guess
        raise _SpentError


def law_of_rule(learner: StableLearner, batch: Records, i: int, sizes: BatchSizes) -> Masses:
    """What one batch gives, over all labels that tournaments guess."""
    labels = learner.hypotheses.labels
    masses: Masses = defaultdict(Fraction)
    waiting: list[tuple[int, ...]] = [()]
    while waiting:
        guesses = waiting.pop()
        try:
            rule = learner.rule(batch, i, sizes, _Script(guesses))
        except _SpentError:
            waiting += [(*guesses, y) for y in range(labels)]
        else:
            masses[rule] += Fraction(1, labels ** len(guesses))
    return dict(masses)


def as_text(h: Hypothesis[Any], batches: Sequence[Any]) -> Hashable:
    """The text of a released rule, without anything from the batches."""
    return released_text(h)


def in_order(learner: StableLearner, show: Show = as_text) -> Callable[[Records], Masses]:
    """The exact law of the release for records in a known order: all coins, and both mechanisms."""
    sizes = cast(BatchSizes, learner.sizes)
    histogram, choice, H = learner.histogram, learner.choice, learner.hypotheses

    @cache
    def rule(batch: Records, i: int) -> Masses:
        return law_of_rule(learner, batch, i, sizes)

    @cache
    def law_of_histogram(votes: frozenset[tuple[Any, int]]) -> Masses:
        masses: Masses = defaultdict(Fraction)
        voted = [h for h, times in votes for _ in range(times)]
        for found, mass in histogram.distribution(voted).items():
            masses[frozenset(h for h, count in found if count >= sizes.keep)] += mass
        return dict(masses)

    @cache
    def law_in_order(records: Records) -> Masses:
        masses: Masses = defaultdict(Fraction)
        fresh, batches = learner.split(records, sizes)
        # Given the order, batches are disjoint and their rules independent: the product of their laws.
        laws = [rule(tuple(batch), i % len(sizes.caps)).items() for i, batch in enumerate(batches)]
        for rules in product(*laws):
            weight = Fraction(1)
            for _, mass in rules:
                weight *= mass
            for found, mass in law_of_histogram(
                frozenset(Counter(h for h, _ in rules).items())
            ).items():
                survivors = list(cast("frozenset[Any]", found))
                if not survivors:
                    masses[show(H.soa(), batches)] += weight * mass
                    continue
                drawn = choice.distribution(errors(survivors, fresh))
                for j, p in drawn.items():
                    masses[show(survivors[j], batches)] += weight * mass * p
        return dict(masses)

    return law_in_order


def law_of_stable(learner: StableLearner) -> Callable[[Records], Masses]:
    """The exact law of what `draw` releases, over all orders."""
    ordered = in_order(learner)

    def law_of_release(records: Records) -> Masses:
        masses: Masses = defaultdict(Fraction)
        listed = list(record_orders(Counter(records)))
        for order in listed:
            for output, mass in ordered(order).items():
                masses[output] += mass / len(listed)
        return dict(masses)

    return cache(law_of_release)


def record_orders(records: Counter[tuple[Any, int]]) -> Iterator[Records]:
    """All different orders of the records, which a uniform permutation makes equally likely.

    >>> [len(list(record_orders(Counter({(0, 1): 9, (1, 1): k})))) for k in (0, 1, 2)]
    [1, 10, 55]
    """
    if not +records:
        yield ()
    for record in +records:
        for rest in record_orders(records - Counter([record])):
            yield (record, *rest)


@subject("globally-stable-learner")
def globally_stable(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The globally stable learner of thresholds, a vote a record and one fresh; needs a delta."""
    return a_vote_a_record(Thresholds.on(0, 1), Budget(epsilon, delta))


@subject("globally-stable-learner-labels")
def labels(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The globally stable learner of three labels, a vote a record and one fresh; needs a delta."""
    H = FiniteClass.from_array([[0], [1], [2]], labels=3)
    return a_vote_a_record(H, Budget(epsilon, delta))


def a_vote_a_record(H: Enumerable[Any], budget: Budget) -> Subject[Records]:
    """The learner without tournaments, around as many equal records as make a rule likely."""
    votes = StableLearner(H, budget).histogram.threshold
    sizes = BatchSizes(block=1, caps=(0,), batches=votes, fresh=1)
    learner = StableLearner(H, budget, sizes=sizes)
    pairs = tuple(crowd(votes, all_records(H, points=2)))
    return Subject(learner.event, law_of_stable(learner), pairs, fits(learner), pairs[-1])


PAIRED: Records = tuple(product(range(3), (0, 1)))


def around(
    learner: RadiiLearner[Any], often: Iterable[tuple[int, ...]], records: Records
) -> Iterator[tuple[Records, Records]]:
    """Neighbours with as many records as radii; the last one differs.

    The others are negative records of the last point of the domain's examples.
    """
    filler = learner.hypotheses.domain.examples(6)[-1], 0
    for counts in often:
        most = [r for r, times in zip(records, counts, strict=False) for _ in range(times)]
        rest = max(0, learner.radii - 1 - len(most))
        for one, other in combinations(records, 2):
            yield (*most, *[filler] * rest, one), (*most, *[filler] * rest, other)


def pairs_of_points(learner: RadiiLearner[Any]) -> list[tuple[Records, Records]]:
    """Sets of two points; the sample shows none, one or both of them often.

    In the last ones, a label of point 0 moves {1, 2} and {0} by two radii each, in opposite directions.
    """
    b, c = learner.mechanism.bottom, learner.radii // 3 - 3
    # The counts of 0 labelled 0, of 0 labelled 1, and so on.
    often = [(0, 0, 0, 1), (0, 0, 0, b), (0, 0, 0, b, 0, b), (0, c + 8, 0, c, 0, c)]
    return list(around(learner, often, PAIRED))


def two_points(budget: Budget) -> RadiiLearner[Any]:
    """The learner of sets of at most two points, with room for all that three points bring."""
    H = Subsets(Integers(), 2)
    return RadiiLearner(H, budget, lists=(3, 3), beta=Fraction(1, 1000))


@subject("radii-learner")
def radii(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The learner of radii of sets of at most two points; needs a delta."""
    learner = two_points(Budget(epsilon, delta))
    return subject_of_learner(learner, by_sample(learner), pairs_of_points(learner))


@subject("radii-learner-labels")
def radii_labels(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The learner of radii of functions of three labels on six points; needs a delta."""
    learner = RadiiLearner(NAMED, Budget(epsilon, delta), lists=[3])
    b = learner.mechanism.bottom
    often = [(0, 1), (0, b), (0, b, 1), (1, b, 1, 0, b)]
    return subject_of_learner(learner, by_sample(learner), around(learner, often, NAMED_RECORDS))


def noisy_points(budget: Budget) -> NoisyRadiiLearner[int]:
    """The learner of one point with noise and radii for some fifty records."""
    return NoisyRadiiLearner(Subsets(Integers(), 1), budget, lists=[3], beta=Fraction(1, 2))


def pairs_with_errors(learner: NoisyRadiiLearner[int]) -> list[tuple[Records, Records]]:
    """As many records as radii, in which no point or one or two are often positive, or labels wrong."""
    n, pairs = learner.at(1).radii, []
    for counts in ((0, 2, 3, 4), (n // 2, 9, 3, 1), (n // 2, 2, n // 3, 3), (9, 9, 9, 9)):
        records = [r for r, often in zip(PAIRED, (0, *counts), strict=False) for _ in range(often)]
        same = (*records, *((9, 0),) * n)[: n - 1]
        pairs += [((*same, one), (*same, other)) for one, other in combinations(PAIRED[:4], 2)]
    # A law walks the lists at n starts, so of many records few pairs are compared.
    return pairs if n < 100 else pairs[::12]


@subject("noisy-radii-learner")
def noisy_radii(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The learner of radii with a noisy start, of sets of at most one point; needs a delta."""
    learner = noisy_points(Budget(epsilon, delta))
    return subject_of_learner(learner, by_sample(learner), pairs_with_errors(learner))


Multiset = Counter[tuple[Any, int]]


def samples_of_size(records: Multiset, size: int) -> Iterator[tuple[Multiset, Fraction]]:
    """All samples of ``size`` records without replacement, as multisets, each with its probability.

    >>> [str(p) for _, p in samples_of_size(Counter({(0, 0): 3, (0, 1): 1}), 2)]
    ['1/2', '1/2']
    """
    total = comb(records.total(), size)

    def ways(kinds: list[tuple[Any, int]], left: int) -> Iterator[tuple[Multiset, int]]:
        if not kinds:
            if not left:
                yield Counter(), 1
            return
        most = records[kinds[0]]
        for taken in range(min(most, left) + 1):
            for rest, times in ways(kinds[1:], left - taken):
                yield rest + Counter({kinds[0]: taken}), times * comb(most, taken)

    for chosen, times in ways(list(records), size):
        yield chosen, Fraction(times, total)


def sample_of(learner: AgnosticTransformation[Any], records: Multiset) -> Sample[Any]:
    """The records as a sample of the learner's domain."""
    counts: dict[Any, list[int]] = {}
    for (x, y), often in records.items():
        counts.setdefault(x, [0, 0])[y] += often
    return Sample.from_counts(learner.hypotheses.domain, counts)


def multiset(sample: Sample[Any]) -> Multiset:
    """The records of a sample."""
    counts = zip(sample.points, sample.negatives.tolist(), sample.positives.tolist(), strict=True)
    return +Counter({(x, y): often for x, *both in counts for y, often in enumerate(both)})


def law_of_relabelling(learner: AgnosticTransformation[Any], records: Records) -> Masses:
    """The exact law of the relabelled sample, a set of pairs (record, multiplicity)."""
    data = Counter(records)
    return sum_masses(
        (frozenset(multiset(found).items()), p * mass)
        for chosen, p in samples_of_size(data, learner.part_size(len(records)))
        for mass, found in learner.laws(
            sample_of(learner, chosen), sample_of(learner, data - chosen)
        )
    )


# Two labellings of the first two points.  The third point gives one of them another extension, and
# the fourth the other one, so one record moves the choice as far as it can.
CLASS = FiniteClass.from_array([[0, 0, 1, 0], [0, 0, 1, 1], [1, 1, 0, 0], [1, 1, 1, 0]])

SEEN: Records = (("x0", 0), ("x1", 0))


def subject_of_transformation(
    kind: Callable[..., AgnosticTransformation[Any]], epsilon: Fraction
) -> Subject[Records]:
    """The transformation over the exponential learner; two records are relabelled."""

    def realizable(budget: Budget) -> ExponentialLearner[Any]:
        return ExponentialLearner(CLASS, budget)

    learner = kind(CLASS, Budget(epsilon), realizable=realizable)
    mechanism = realizable(Budget(learner.realizable.cost().epsilon)).mechanism
    texts = [released_text(CLASS.hypothesis(i)) for i in range(CLASS.size)]

    @cache
    def law_of_rules(records: Records) -> Masses:
        def law_of_sample(found: Any) -> Masses:
            runs = CLASS.error_runs(sample_of(learner, Counter(dict(found))))
            return {texts[i]: mass for i, mass in mechanism.distribution(runs).items()}

        return sum_masses(
            (text, p * mass)
            for found, p in law_of_relabelling(learner, records).items()
            for text, mass in law_of_sample(found).items()
        )

    n = 2 * learner.relabelling.share
    rest = SEEN * ((n - 1) // 2)
    many = (*rest, *SEEN[: n - 1 - len(rest)])
    pairs = tuple(
        ((*many, one), (*many, other)) for one, other in combinations(all_records(CLASS, 4), 2)
    )
    return Subject(learner.event, law_of_rules, pairs, fits(learner), pairs[-1])


@subject("agnostic-learner")
def agnostic(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The agnostic learner that asks the other records, over a table; spends no delta."""
    return subject_of_transformation(AgnosticLearner, epsilon)


@subject("relabelling-learner")
def relabelling(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The agnostic learner that asks the sample itself, over a table; spends no delta."""
    return subject_of_transformation(RelabellingLearner, epsilon)


Learner = BoostingLearner[Any]

Law = dict[Any, Fraction]

Votes = tuple[Hypothesis[Any], ...]

ONE = Fraction(1)

RECORDS: Records = ((0, 0), (0, 1))


def law_of_vote(learner: Learner, part: Records, votes: Votes) -> Law:
    """The law of one round, over all coins: a hypothesis, and how many records passed.

    Its ``weak`` is the exponential learner.
    """
    weak = cast("ExponentialLearner[Any]", learner.weak)
    law: Law = defaultdict(Fraction)
    chances = learner.chances(part, votes)
    for coins in product((0, 1), repeat=len(part)):
        mass = prod((p if c else 1 - p for c, p in zip(coins, chances, strict=True)), start=ONE)
        if mass:
            passed = learner.fill_sample(list(compress(part, coins)), len(part))
            for h, p in weak.distribution(passed).items():
                law[h, sum(coins)] += mass * p
    return dict(law)


def votes_in_order(learner: Learner, *, counted: bool = False) -> Callable[[Records], Law]:
    """All votes of records in a known order, and if ``counted`` how many passed in each round."""

    @cache
    def round_of(part: Records, votes: Votes) -> Law:
        masses: Masses = defaultdict(Fraction)
        for (h, passed), p in law_of_vote(learner, part, votes).items():
            masses[h, passed if counted else 0] += p
        return dict(masses)

    @cache
    def law_of_votes(records: Records) -> Law:
        states: dict[tuple[Any, ...], Fraction] = {(): ONE}
        for part in learner.parts(records):
            states = {
                (*found, given): mass * p
                for found, mass in states.items()
                for given, p in round_of(tuple(part), tuple(h for h, _ in found)).items()
            }
        return dict(states)

    return law_of_votes


def law_of_learner(learner: Learner) -> Callable[[Records], Masses]:
    """The exact law of what `draw` releases, over all orders."""
    ordered = votes_in_order(learner)
    text = cache(lambda votes: released_text(learner.vote(votes)))

    def law_of_release(records: Records) -> Masses:
        masses: Masses = defaultdict(Fraction)
        listed = list(record_orders(Counter(records)))
        for order in listed:
            for found, mass in ordered(order).items():
                masses[text(tuple(h for h, _ in found))] += mass / len(listed)
        return dict(masses)

    return cache(law_of_release)


def tiny(epsilon: Fraction, kind: type[Learner] = Learner) -> Learner:
    """Three rounds, in which the weak learner sees two thirds of a part."""
    H = Thresholds.on(0, 0)
    return kind(H, Budget(epsilon), alpha=Fraction(1, 3), kept=Fraction(2, 3))


@subject("boosting-learner")
def boosting(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """The boosting learner: three weak learners of thresholds, each on two of three records."""
    learner = tiny(epsilon)
    samples = list(combinations_with_replacement(RECORDS, 9))
    pairs = tuple(pairwise(samples))
    return Subject(learner.event, law_of_learner(learner), pairs, fits(learner), pairs[-1])


# Three labels of one point: codes up to 3, and code 3 is no label.
H = FiniteClass.from_array([[0], [1], [2]], labels=3)

LABELLED: Records = tuple(product(H.domain.points, range(H.labels)))

read: Callable[[Records], Sample[str]] = partial(Sample.from_examples, H.domain, labels=H.labels)

Chances = Mapping[Hashable, Fraction]


def together(
    learner: BitsLearner[Any] | BitPartsLearner[Any], parts: Sequence[Sample[Any]]
) -> Chances:
    """The exact law of the release if learner i sees ``parts[i]``."""
    laws = []
    for binary, part in zip(learner.learners, parts, strict=True):
        if not isinstance(binary, ExponentialLearner):
            raise TypeError
        laws.append(list(binary.distribution(part).items()))
    return sum_masses(
        (
            released_text(learner.classifier([h for h, _ in choice])),
            prod((mass for _, mass in choice), start=Fraction(1)),
        )
        for choice in product(*laws)
    )


def by_orders(learner: BitPartsLearner[Any], sample: Sample[Any]) -> Chances:
    """The exact law over all orders of the records."""
    return sum_masses(
        (text, chance * mass)
        for parts, chance in orders(sample, len(learner.learners))
        for text, mass in together(learner, learner.parts(parts)).items()
    )


def on_pairs(
    learner: BitsLearner[Any] | BitPartsLearner[Any], law: Callable[[Records], Chances]
) -> Subject[Records]:
    """The learner on all neighbouring samples of four records, and on a pair of a hundred."""
    many = LABELLED * 33
    pairs = tuple(neighbours(LABELLED, 4, ordered=False))
    return Subject(
        learner.event, law, pairs, fits(learner, read), ((LABELLED[0], *many), (LABELLED[2], *many))
    )


@subject("bits-learner")
def bits(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """Three labels learned by their two bits, each from all records, under one budget."""
    learner = BitsLearner(H, Budget(epsilon, delta), binary=ExponentialLearner)

    def law_of_bits(data: Records) -> Chances:
        sample = read(data)
        return together(learner, [learner.bit(sample, i) for i in range(H.bits)])

    return on_pairs(learner, law_of_bits)


@subject("bit-parts-learner")
def bit_parts(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """Three labels learned by their two bits, each from a random part of the records."""
    learner = BitPartsLearner(H, Budget(epsilon, delta), binary=ExponentialLearner)
    return on_pairs(learner, lambda data: by_orders(learner, read(data)))
