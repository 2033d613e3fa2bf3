"""What is released is made of the domain's own points, whatever objects the records brought.

Found by walking the package: every learner of samples, of streams, of several labels, and private
prediction.  Objects that equal a point and are of other kinds give, with the same seed, the very
same release, types and all; objects that are hostile, or of no domain, raise nothing.
"""

from __future__ import annotations

import contextlib
import json
import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields, is_dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from each import each
from littlestone.base.discovery import concrete
from littlestone.base.errors import DeclarationError
from littlestone.classes import EqualityRules, FiniteClass, HypothesisClass, parse_class
from littlestone.classes.promises.covering import PointCovering
from littlestone.data import sample_from_arrays
from littlestone.data.sample import Sample
from littlestone.learn import PrivateLearner
from littlestone.learn.bits import BitwiseLearner
from littlestone.learn.stream import KeyLearner, RuleLearner
from littlestone.learn.stream.base import PrivateOnlineLearner
from littlestone.learn.stream.keys import PointNaming
from littlestone.learn.stream.private_stream import PrivateStream
from littlestone.points import Grid, Names, Product, Strings
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.randomness import seeded_generator
from littlestone.privacy.tape import Tape
from littlestone.prove.laws.domains import OUTSIDE, disguises, hostile
from littlestone.rules import Hypothesis

Record = tuple[Any, Any]
HORIZON = 200

BATCH: list[type[Any]] = concrete(PrivateLearner, "littlestone.learn")
ONLINE: list[type[Any]] = concrete(PrivateOnlineLearner, "littlestone.learn")
OF_TWO: list[type[Any]] = [kind for kind in BATCH if not issubclass(kind, BitwiseLearner)]
SEVERAL: list[type[Any]] = [kind for kind in BATCH if kind.several]

CLASSES: list[HypothesisClass[Any]] = [
    FiniteClass.from_array([[0, 1, 1], [1, 0, 0], [1, 1, 0], [0, 0, 0]], points=["a", "b", "c"]),
    *map(
        parse_class,
        [
            "points(id)",
            "subsets(id; at most 2, integers)",
            "rules(a, integers(b); at most 2)",
            "rule_sets(a, b; at most 2 rules of 1)",
            "thresholds(x, -1..2; step 0.5)",
            "affine(x, y; q 5, dimension 1)",
            "lookup(a; at most 2)",
            "trees(x at {0, 1}, s in {a, b}; depth 1)",
            "trees(a, x at {0, 1}; depth 1)",
            "union(thresholds(x, 0..99999), intervals(x, 0..99999))",
            "rule_list(x at {0, 1}, s in {a, b}; at most 1)",
            "score_sheet(x at {0, 1}, s in {a, b}; at most 1)",
        ],
    ),
]
OF_POINTS = [H for H in CLASSES if isinstance(H, PointCovering | EqualityRules)]
LABELS = ("on time", "late", "1")
OF_SEVERAL: list[HypothesisClass[Any]] = [
    FiniteClass.from_array([[0, 1], [1, 2], [2, 2], [0, 0]], labels=3),
    parse_class("outcomes(a, integers(b); at most 1)", labels=3),
    parse_class("lookup(a; at most 2)", labels=3),
    parse_class("trees(x at {0, 1}; depth 1)", labels=3),
    parse_class("trees(a; depth 1)", labels=3),
    parse_class("rule_list(x at {0, 1}; at most 1)", labels=3),
]


def made(kinds: Iterable[type[Any]], classes: Iterable[Any], **options: Any) -> list[Any]:
    """All learners of these kinds on all classes that they take."""
    found = []
    for kind in kinds:
        for H in classes:
            with contextlib.suppress(DeclarationError):
                found.append(kind(H, Budget(8, "0.01"), **options))
    assert {type(learner) for learner in found} == set(kinds)
    return found


def name(learner: Any) -> str:
    return f"{getattr(learner, 'method', 'prediction')} of {learner.hypotheses}"


def points(domain: Any) -> tuple[Any, Any]:
    """Two points, the first of which is made of ones where it can be."""
    if isinstance(domain, Product):
        return tuple(zip(*map(points, domain.columns), strict=True))  # type: ignore[return-value]
    if isinstance(domain, Names):
        return domain.points[0], domain.points[1]
    return ("a", "b") if isinstance(domain, Strings) else (1, 0)


def kinds_of(x: Any, domain: Any, *, harsh: bool) -> list[Any]:
    """Objects that equal a point; on grids of another step than 1, numbers like 1.0 are values."""
    return disguises(x, typed=isinstance(domain, Grid) and domain.unit != 1, harsh=harsh)


ONES: list[Any] = [1, *disguises(1), "1", "true", Decimal("1.0")]
ZEROS: list[Any] = [0, *disguises(0), "0", None, 2]


def plain_records(domain: Any, n: int = 60) -> list[Record]:
    """Three of four are (p, 1), the others (q, 0)."""
    p, q = points(domain)
    return [(q, 0) if t % 4 == 3 else (p, 1) for t in range(n)]


def disguised(
    records: list[Record], domain: Any, labels: Callable[[Any], list[Any]], *, harsh: bool = False
) -> list[Record]:
    """The same records, by objects of other kinds."""
    rng = random.Random(5)
    kinds = {x: kinds_of(x, domain, harsh=harsh) for x in points(domain)}
    return [(rng.choice(kinds[x]), rng.choice(labels(y))) for x, y in records]


def label_kinds(y: int) -> list[Any]:
    return ONES if y else ZEROS


def odd(n: int = 60) -> list[Record]:
    """Hostile objects, and such as are points of no or of another domain."""
    rng = random.Random(3)
    xs = [*hostile(), *OUTSIDE]
    return [(rng.choice(xs), rng.choice([1, 1, *hostile(), *OUTSIDE])) for _ in range(n)]


EXACT = (int, str, bool, float, type(None), Fraction, Decimal)


def shape(found: Any) -> Any:
    """The types and values that something is made of; exact built-in types where it is not ours."""
    kind = type(found)
    if kind in EXACT:
        return kind.__name__, repr(found)
    if kind in (tuple, list):
        return kind.__name__, [shape(part) for part in found]
    if kind in (set, frozenset):
        return kind.__name__, sorted((shape(part) for part in found), key=repr)
    if kind is dict:
        return "dict", [(shape(key), shape(value)) for key, value in found.items()]
    assert kind.__module__.startswith("littlestone"), "a type that is not the library's own"
    inside = fields(found) if is_dataclass(found) else []
    return kind.__name__, [(field.name, shape(getattr(found, field.name))) for field in inside]


def whole(h: Any) -> Any:
    """All that can be seen of what is released."""
    form = h.to_json()
    return shape(h), shape(form), json.dumps(form), h.words(), repr(h)


def fitted(learner: Any, sample: Any) -> Any:
    with Ledger() as ledger:
        release = learner.fit(sample, ledger=ledger, dataset="d", rng=seeded_generator(1))
    return whole(release.hypothesis), json.dumps(release.to_json())


def followed(learner: Any, records: list[Record]) -> Any:
    """All that is published along a stream and on its tape; also after a crash half-way."""
    kept: list[str] = []

    def keep(line: Any) -> None:
        kept.append(json.dumps(line))

    with Ledger() as ledger:
        stream = learner.begin(learner.pay(ledger, "d", "y", seeded_generator(1)), keep)
    seen = [whole(stream.hypothesis)]
    for x, y in records:
        label = stream.predict(x)
        stream.update(x, y)
        seen.append((type(label), label, whole(stream.hypothesis)))
    again = learner.resume(map(json.loads, kept), Tape(seeded_generator(2)))
    again.skip_to(stream.steps)
    assert whole(again.hypothesis) == whole(stream.hypothesis)
    return seen, kept


def fitted_to_names(learner: Any, records: list[Record]) -> Any:
    H = learner.hypotheses
    return fitted(learner, Sample.from_examples(H.domain, records, labels=LABELS))


def several(records: list[Record]) -> list[Record]:
    return [(x, LABELS[1] if y else LABELS[2]) for x, y in records]


def kinds_of_label(y: str) -> list[Any]:
    return [y, *disguises(y), *(disguises(1) if y == "1" else [])]


on_samples = each("learner", lambda: made(OF_TWO, CLASSES), ids=name, quick=5)
on_streams = each("learner", lambda: made(ONLINE, CLASSES, horizon=HORIZON), ids=name, quick=3)
on_labels = each("learner", lambda: made(SEVERAL, OF_SEVERAL), ids=name, quick=4)


@on_samples
def test_samples_of_equal_objects(learner: Any) -> None:
    domain = learner.hypotheses.domain
    records = plain_records(domain)
    usual = fitted(learner, Sample.from_examples(domain, records))
    for harsh in (False, True):
        others = disguised(records, domain, label_kinds, harsh=harsh)
        assert fitted(learner, Sample.from_examples(domain, others)) == usual
        if getattr(domain, "unit", 1) == 1:  # the values of an array are points
            xs, ys = [x for x, _ in others], [y for _, y in records]
            assert fitted(learner, sample_from_arrays(xs, ys, domain)) == usual


@on_samples
def test_samples_of_any_objects(learner: Any) -> None:
    domain = learner.hypotheses.domain
    fitted(learner, Sample.from_examples(domain, odd()))
    xs, ys = zip(*odd(), strict=True)
    fitted(learner, sample_from_arrays(xs, ys, domain))


@on_streams
def test_streams_of_equal_objects(learner: Any) -> None:
    domain = learner.hypotheses.domain
    records = plain_records(domain)
    usual = followed(learner, records)
    publishes = isinstance(learner, KeyLearner) and isinstance(learner.naming, PointNaming)
    if publishes or isinstance(learner, RuleLearner):  # what a record brought is published
        assert len({repr(seen) for seen in usual[0]}) > 2
    for harsh in (False, True):
        assert followed(learner, disguised(records, domain, label_kinds, harsh=harsh)) == usual


@on_streams
def test_streams_of_any_objects(learner: Any) -> None:
    followed(learner, odd())


@on_labels
def test_labels_of_equal_objects(learner: Any) -> None:
    domain = learner.hypotheses.domain
    records = several(plain_records(domain))
    usual = fitted_to_names(learner, records)
    for harsh in (False, True):
        others = disguised(records, domain, kinds_of_label, harsh=harsh)
        assert fitted_to_names(learner, others) == usual


@on_labels
def test_labels_of_any_objects(learner: Any) -> None:
    fitted_to_names(learner, odd())


def streams(kind: type[Any] = PrivateStream) -> Iterator[type[Any]]:
    for derived in kind.__subclasses__():
        yield derived
        yield from streams(derived)


def test_no_stream_has_a_door_of_its_own() -> None:
    ours = [kind for kind in streams() if kind.__module__.startswith("littlestone")]
    assert len(ours) >= 6
    assert all({"update", "predict"}.isdisjoint(vars(kind)) for kind in ours)


on_publishers = each(
    "learner", lambda: made([KeyLearner, RuleLearner], OF_POINTS, horizon=60), ids=name
)


def require_its_own_objects(learner: Any) -> None:
    """The stream up to the first publication, and its neighbours by one record of another kind."""
    p, _ = points(learner.hypotheses.domain)

    def published(records: list[Any]) -> Any:
        with Ledger() as ledger:
            stream = learner.start(ledger=ledger, dataset="d", rng=seeded_generator(3))
        for x in records:
            stream.update(x, 1)
            if stream.published_at:
                break
        return stream.steps, whole(stream.hypothesis)

    records = [p] * 60
    step, usual = published(records)
    assert 1 < step < 60
    for other in kinds_of(p, learner.hypotheses.domain, harsh=False):
        for place in (0, step - 1):
            neighbour = [*records[:place], other, *records[place + 1 :]]
            assert published(neighbour) == (step, usual)


@on_publishers
def test_no_record_chooses_the_object_that_is_published(learner: Any) -> None:
    require_its_own_objects(learner)


@on_publishers
def test_a_door_that_keeps_the_object_is_caught(
    learner: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(learner.hypotheses.domain), "canonical", lambda domain, x: x)
    with pytest.raises(AssertionError):
        require_its_own_objects(learner)


def test_a_form_is_read_back() -> None:
    h = Hypothesis.from_json(json.loads(json.dumps({
        "kind": "FiniteSet", "domain": {"kind": "integers", "name": "id"}, "members": [1]
    })))  # fmt: skip
    assert shape(h.form()) == shape({"members": [1]})
