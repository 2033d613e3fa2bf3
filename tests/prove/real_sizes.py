"""Subjects of audits at real size: what they draw on neighbours among many records, at every epsilon.

A tiny pair of neighbours stays one if both get the same further records.  A `Crowd` counts these, so
that 300,000 of them are no longer than two.  What is drawn is followed along the choices of the draw's
own code, and nothing is estimated: two laws break the claim, or one is not the law that is audited, for
certain.
"""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import chain, repeat
from math import exp, log1p
from typing import Any

import pytest

from littlestone.data.sample import Sample
from littlestone.privacy.event import Mechanism
from littlestone.privacy.rational import exp_above, exp_below
from littlestone.prove.audit import Subject, find_subjects
from littlestone.prove.audit.choices import ChoiceGenerator
from littlestone.prove.audit.claims import hockey_stick, ratio_below
from littlestone.prove.audit.subject import SubjectMaker, law_of
from littlestone.rules import Hypothesis

SMALL, REAL, LARGE = SIZES = (30, 3_000, 300_000)
EPSILONS = tuple(map(Fraction, ("0.001", "0.01", "1", "30")))
DELTA = Fraction(1, 10**6)
TIES = 301
"""More items of equal scores than any sampler looks at one by one."""

SLACK = Fraction(1, 10**9)
SPREAD = 300
"""How much worse a further item is; a law has powers of rationals, which grow with it."""

LEFT_OUT = {
    "boosting-": "it draws a coin for every record",
    "continual-": "its size is a number of steps: see tests/privacy/test_long_streams.py",
    "globally-": "one decomposition of 3,000 records takes half a second, and a law thousands",
    "noisy-radii-": "its law has as many starts as records: each is a walk over lists",
    "noisy-sums": "its noise is the same at every size: see tests/privacy/test_noisy_sums.py",
    "one-sided-": "its size is a number of steps: see tests/privacy/test_long_streams.py",
    "online-": "its size is a number of steps: see tests/privacy/test_long_streams.py",
    "risks-of-blocks": "its size is a number of steps: see tests/privacy/test_long_streams.py",
    "unit-stream": "its size is a number of steps: see tests/privacy/test_long_streams.py",
}
"""Why subjects whose names begin so are not run."""

FIXED = (
    "above-", "composed-responses", "parallel-", "radii-", "randomized-",
    "sparse-vector",
)  # fmt: skip
"""Subjects whose data are answers, bits or a declared number of records.  They stay as they are."""

ORDERED = ("agnostic-", "bit-parts-", "ggkm-", "irreducible-", "relabelling-")
"""Subjects that shuffle all records: they are followed given one order, as their proofs argue."""

LAWS = {
    "bits-": REAL,
    "bucket-": REAL,
    "composed-draws": REAL,
    "exponential-learner-labels": REAL,
    "label-": REAL,
    "rest-": REAL,
    "trees-learner-labels": 0,
    "unit-": 0,  # the choices of a reservoir among 30 records are too many to follow
}
"""Up to how many records an exact law can be had, where it has as many digits as there are records."""

TINY_LAWS = (
    "choosing-mechanism",
    "peeling",
    "rule-list-learner",
    "sparse-sampling",
    "vocabulary-learner-costs",
)
"""Subjects whose exact law has so many digits at an epsilon below 1 that it takes minutes."""

COSTS = {
    "choosing-mechanism-gain": (3, 1),
    "choosing-mechanism-loss": (2, 3),
    "exponential-learner-alarms": (2, 5),
    "exponential-learner-missed": (3, 1),
    "peeling-costs": (2, 1),
    "regrown-learner-costs": (1, 3),
    "rule-list-learner-costs": (3, 2),
    "vocabulary-learner-costs": (3, 1),
}
"""What a positive and a negative record weigh, if that is not the same."""


def subjects(*kinds: str) -> list[SubjectMaker]:
    """Those whose names begin with one of the ``kinds``."""
    return [named for named in find_subjects() if named.name.startswith(kinds)]


def growing() -> list[SubjectMaker]:
    """Those that grow record by record, and draw no noise."""
    named = (*LEFT_OUT, *FIXED, *ORDERED, *NOISY)
    return [each for each in find_subjects() if not each.name.startswith(named)]


@dataclass(frozen=True)
class Crowd(Sequence[Any]):
    """A ``few`` items, and then each of ``more`` as often as it says.

    >>> crowd = Crowd((7,), ((8, 2),))
    >>> list(crowd), len(crowd), crowd.count(8)
    ([7, 8, 8], 3, 2)
    """

    few: tuple[Any, ...]
    more: tuple[tuple[Any, int], ...]

    def __iter__(self) -> Iterator[Any]:
        return chain(self.few, *(repeat(item, times) for item, times in self.more))

    def __len__(self) -> int:
        return len(self.few) + sum(times for _, times in self.more)

    def __getitem__(self, index: Any) -> Any:
        return tuple(self)[index]

    def count(self, item: Any) -> int:
        return self.few.count(item) + sum(times for each, times in self.more if each == item)


Pair = tuple[Sequence[Any], Sequence[Any]]


def grown(name: str, pair: Pair, n: int, *, even: bool = True) -> Pair:
    """The neighbours with n further items, the same for both, around the one that differs.

    Of scores there are ties with the first one, and one that is worse by n.  Records of both labels at
    the point of the one that differs weigh the same, which leaves all differences of scores as they
    are; or, if not ``even``, all are equal, so that some scores are apart by n.
    """
    if name == "exponential-mechanism":
        more: Any = ((pair[0][0], min(n, TIES)), (min(n, SPREAD) + max(pair[0]), 1))
    else:
        one, other = (
            sorted((Counter(a) - Counter(b)).elements(), key=repr)[0] for a, b in (pair, pair[::-1])
        )
        if isinstance(one, tuple) and len(one) == 2 and isinstance(one[1], int):
            one, other = ((one[0], type(one[1])(y)) for y in (0, 1))
        if name.startswith("single-key"):  # it counts positive records only
            other = one
        missed, alarm = COSTS.get(name, (1, 1))
        times = n // (missed + alarm)
        more = ((one, missed * times), (other, alarm * times)) if even else ((other, n),)
    return Crowd(tuple(pair[0]), more), Crowd(tuple(pair[1]), more)


def twin(subject: Any, name: str, data: Crowd) -> dict[Any, Fraction]:
    """Upper bounds of the law of an exponential learner, by errors that are counted one by one.

    Weights are floats, made larger by a billionth, and their sum is made smaller by as much.
    """
    gain, loss = COSTS.get(name, (1, 1))
    prior = subject.distribution(())  # a rule of several forms weighs more
    errors = dict.fromkeys(prior, 0)
    for rule in errors:
        h = Hypothesis.from_json(json.loads(str(rule))[1])
        for (x, y), times in (*((record, 1) for record in data.few), *data.more):
            x = h.domain.canonical(x)
            errors[rule] += times * (h(x) != y) * (gain if y == 1 else loss)
    base, best = 1 / exp_below(subject.event.epsilon / (2 * max(gain, loss))), min(errors.values())
    near, above = Fraction(0), dict[Any, Fraction]()
    for rule, count in errors.items():
        share = prior[rule] * Fraction(exp((count - best) * log1p(float(base - 1))))
        near += share * (1 - SLACK)
        above[rule] = share * (1 + SLACK) + SLACK**20
    return {rule: weight / near for rule, weight in above.items()}


Law = Callable[[Any], Mapping[Any, Fraction]]


def faults(subject: Subject[Any], pair: Pair, runs: int, law: Law | None) -> list[str]:
    """What is wrong on one pair with what is drawn: by the claim, and by a ``law``, or bounds of it.

    Where a part u of the law q was not followed, p(Y) - e^epsilon (q(Y) + u) is at most what the true
    laws have, so that a pair that is beyond the claim is so for certain.
    """
    found, claim = list[str](), subject.event.cost()
    drawn = [law_of(subject, data, runs) for data in pair]
    ratio = exp_above(claim.epsilon)
    for p, q in (drawn, drawn[::-1]):
        if hockey_stick(p, q, ratio) - ratio * (1 - sum(q.values())) > claim.delta:
            found.append("the draws are beyond the claim")
    if law is not None:
        said = [law(data) for data in pair]
        for one, other in zip(said, said[::-1], strict=True):
            exact = sum(one.values()) == 1 == sum(other.values())
            if exact and hockey_stick(one, other, ratio_below(claim.epsilon)) > claim.delta:
                found.append("the exact law is not what is claimed")
        for mine, whole in zip(drawn, said, strict=True):
            found += [
                f"{output} is drawn too often"
                for output in mine
                if mine[output] > whole.get(output, 0)
            ]
    return found


def count_once(subject: Subject[Any], patch: pytest.MonkeyPatch) -> None:
    """Let a mechanism count each data set once, however often it draws."""
    if isinstance(subject.event, Mechanism):
        for name in ("scores", "tally"):
            if (counted := getattr(type(subject.event), name, None)) is not None:
                patch.setattr(type(subject.event), name, _kept(cache(counted), counted))


def read_once(patch: pytest.MonkeyPatch) -> None:
    """Let a sample read each kind of records of a crowd once: what it counts is a sum over records."""
    read = Sample.from_examples

    def from_crowd(domain: Any, examples: Any, *, labels: Any = 2) -> Sample[Any]:
        if not isinstance(examples, Crowd):
            return read(domain, examples, labels=labels)
        counts: dict[Any, Any] = {}
        for record, times in (*((few, 1) for few in examples.few), *examples.more):
            one = read(domain, [record], labels=labels)
            counts[one.points[0]] = counts.get(one.points[0], 0) + times * one.counts[0]
        return Sample.from_counts(domain, counts, labels=one.counts.shape[1])

    patch.setattr(Sample, "from_examples", from_crowd)


def _kept(known: Any, counted: Any) -> Any:
    return lambda self, data: (known if isinstance(data, Crowd) else counted)(self, data)


def in_one_order(order: int, patch: pytest.MonkeyPatch) -> None:
    """Let more than a few records always be shuffled in the same ``order``; all else is chosen."""
    few = ChoiceGenerator.shuffle

    def shuffle(self: ChoiceGenerator, items: Any) -> None:
        if len(items) <= 3:
            few(self, items)
        else:
            random.Random(order).shuffle(items)

    patch.setattr(ChoiceGenerator, "shuffle", shuffle)


class Marks:
    """Numbers in the place of noise, each far from all others, and the scales that were asked for."""

    STEP = 10**12

    def __init__(self) -> None:
        self.scales: list[Fraction] = []

    def __call__(self, a: Fraction, rng: random.Random) -> int:
        self.scales.append(a)
        return self.STEP * len(self.scales)

    def put(self, patch: pytest.MonkeyPatch) -> None:
        """Replace all noise, in every module that draws it."""
        for module in list(sys.modules.values()):
            if module.__name__.startswith("littlestone.") and hasattr(module, "discrete_laplace"):
                patch.setattr(module, "discrete_laplace", self)


def _counted(rule: str, data: Sequence[Any]) -> list[int]:
    """True positives, false positives and false negatives of a released rule, record by record."""
    h = Hypothesis.from_json(json.loads(str(rule))[1])
    told = Counter((h(x), y) for x, y in data)
    return [told[1, 1], told[1, 0], told[0, 1]]


def _placed(rule: str, released: Sequence[int], data: Sequence[Any]) -> Told:
    """Both labels at each step or leaf of a released rule, record by record, and the released ones."""
    h: Any = Hypothesis.from_json(json.loads(str(rule))[1])
    told: Counter[Any]
    if hasattr(h, "changes"):
        told = Counter((sum(x >= change for change in h.changes), y) for x, y in data)
    elif isinstance(h.root, int):
        told = Counter((0, y) for _, y in data)
    else:
        test = h.root.test
        told = Counter((int(x[test.column] not in test.accepted), y) for x, y in data)
    return [told[divmod(i, 2)] for i in range(len(released))], list(released)


Told = tuple[list[int], list[int]]
NOISY: dict[str, tuple[int, Callable[[Any, Any], Told]]] = {
    "cell-counts": (2, lambda data, y: ([sum(x == c for x in data) for c in (0, 1)], list(y))),
    "discrete-laplace-count": (1, lambda data, y: ([sum(data)], [y])),
    "group-estimates": (20, lambda data, y: (_counted(y[0], data), list(y[1]))),
    "risks-of-leaves": (4, lambda data, y: _placed(y[0], y[1], data)),
    "risks-of-steps": (4, lambda data, y: _placed(y[0], y[1], data)),
    "rule-estimates": (4, lambda data, y: (_counted(y[0], data), list(y[1]))),
    "stable-histogram": (
        2,
        lambda data, y: (
            [sum(x == key for x in data) for key in sorted({*data} - {None})],
            [dict(y).get(key, 0) for key in sorted({*data} - {None})],
        ),
    ),
    "unread-counts": (
        2,
        lambda data, y: (
            [sum(a == "4,52" for a, _ in data), sum(b == "ja" for _, b in data)], list(y.counts)
        ),
    ),
    "unread-shares": (
        2,
        lambda data, y: (
            [sum("x" in (a, b) for a, b, _ in data), sum(c == "ja" for *_, c in data)],
            [y.cells, y.labels],
        ),
    ),
}  # fmt: skip
"""Subjects that add noise to counts: the share of epsilon that one count has, and for data and what is
released of them the true counts, taken record by record, and the released ones."""


def misses(subject: Subject[Any], name: str, data: Sequence[Any], epsilon: Fraction) -> list[str]:
    """What is wrong with the noise: not each count has noise of its own, of the scale that is due.

    Each noise is replaced by a mark, so this is exact; `test_noise_has_its_law` is about the noise.
    """
    share, told = NOISY[name]
    marks, found = Marks(), list[str]()
    with pytest.MonkeyPatch.context() as patch:
        marks.put(patch)
        output = subject.runs(1, random.Random(1))(data)
    true, released = told(data, output)
    marked = {count - was for count, was in zip(released, true, strict=True)}
    places = [mark // Marks.STEP - 1 for mark in marked if mark % Marks.STEP == 0 < mark]
    if not len(places) == len(marked) == len(true):
        found.append("the counts have not one noise each")
    largest = exp_above(epsilon / share)
    for place in places:
        if not 1 - Fraction(1, 10**6) <= 1 / marks.scales[place] / largest <= 1:
            found.append("the noise has another scale")
    return found
