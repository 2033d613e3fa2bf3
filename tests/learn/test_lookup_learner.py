"""Lookup tables: the learner is its mechanism, as sure as proved; a released table is canonical."""

from __future__ import annotations

import json
import pickle
import random
from collections import Counter
from collections.abc import Hashable
from fractions import Fraction
from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from exact_draws import Draws, apart
from littlestone.base.errors import DeclarationError, ModelError
from littlestone.classes import Lookup, Outcomes, parse_class
from littlestone.data.sample import Sample
from littlestone.learn import LookupLearner
from littlestone.learn.plan import choose_learner
from littlestone.points import Grid, Integers, Product, Strings
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.randomness import seeded_generator
from littlestone.prove.audit.claims import exact_audit, neighbours
from littlestone.rules import Hypothesis, LookupTable
from planting import Fault, turns_red

LABELS = ("UA", "AA", "DL")
H = Lookup(Integers("id"), 3, 3)


class Handed(Exception):  # noqa: N818
    """What the learner hands to its mechanism, in place of a draw."""


def handed(learner: LookupLearner, sample: Sample[Any]) -> dict[Any, dict[int, int]]:
    mechanism = learner.mechanism

    class Hands:
        @staticmethod
        def draw_counts(keys: Any, counts: Any, **_: object) -> Any:
            listed = zip(keys, map(enumerate, counts.tolist()), strict=True)
            raise Handed({x: {y: c for y, c in of if c} for x, of in listed})

    learner.mechanism = Hands
    try:
        learner.draw(sample, receipt=None)  # type: ignore[arg-type]
    except Handed as found:
        counts: dict[Any, dict[int, int]] = found.args[0]
        return counts
    finally:
        learner.mechanism = mechanism
    raise AssertionError("nothing was drawn")


def test_private_on_every_tiny_pair_as_a_model_file() -> None:
    """From records, through the sample and the counts, to the JSON that is written."""
    learner = LookupLearner(H, Budget(1, "0.1"))
    records = tuple(product(range(2), LABELS))

    def distribution(data: Any) -> dict[Hashable, Fraction]:
        counts = handed(learner, Sample.from_examples(H.domain, data, labels=LABELS))
        unpacked = [(x, y) for x, of in counts.items() for y, c in of.items() for _ in range(c)]
        masses: dict[Hashable, Fraction] = {}
        for entries, mass in learner.mechanism.distribution(unpacked).items():
            table = LookupTable(H.domain, 3, entries)
            text = json.dumps([table.words(), table.to_json(), repr(table)])
            masses[text] = masses.get(text, Fraction(0)) + mass
        return masses

    assert exact_audit(distribution, neighbours(records, 3, ordered=False), learner.event).holds


def test_the_draw_has_the_law_of_the_mechanism() -> None:
    """Whatever keys have the default label alone, for which nothing is drawn."""
    learner = LookupLearner(H, Budget(1, "0.1"))
    for keys in ("0UA 0UA", "0UA 1AA", "0AA 0UA 1UA", "0AA 1DL 1DL"):
        data = [(int(key[0]), key[1:]) for key in keys.split()]
        sample = Sample.from_examples(H.domain, data, labels=LABELS)

        def draw(rng: random.Random, sample: Sample[Any] = sample) -> Hashable:
            receipt: Any = SimpleNamespace(redeem=lambda event: rng)
            return learner.draw(sample, receipt=receipt).entries

        found, left = Draws().law(draw)
        wanted: Any = learner.mechanism.distribution([(x, LABELS.index(y)) for x, y in data])
        assert apart(found, wanted) <= left + Fraction(1, 2**60), keys


@pytest.mark.parametrize(
    ("new", "mistake"),
    [
        ("sample.counts[:, 0] == 0", "keys with a default label are left out"),
        ("sample.counts[:, 1:].sum(axis=1) > 1", "keys of one record are left out"),
    ],
)
def test_keys_that_are_left_out_are_noticed(
    new: str, mistake: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fault = Fault(
        "littlestone.learn.lookup:LookupLearner.draw",
        "sample.counts[:, 1:].any(axis=1)",
        new,
        mistake,
    )
    turns_red(fault, test_the_draw_has_the_law_of_the_mechanism, monkeypatch)


def test_the_proved_size_is_enough() -> None:
    learner = LookupLearner(H, Budget(1, "1e-6"))
    bound = learner.plan(0.1, 0.05, setting="realizable")
    assert bound is not None
    assert learner.plan(0.1, 0.05) is None
    g, failures, weights = np.random.default_rng(1), 0, [0.1001 / 3] * 3
    with Ledger() as ledger:
        for run in range(200):
            *found, rest = g.multinomial(bound.n, [*weights, 1 - sum(weights)]).tolist()
            counts = np.array([[0, found[0], 0], [0, 0, found[1]], [0, found[2], 0], [rest, 0, 0]])
            sample = Sample(H.domain, (0, 1, 2, 3), counts)
            release = learner.fit(sample, ledger=ledger, dataset="d", rng=seeded_generator(run))
            f = release.hypothesis
            right = [f(0) == 1, f(1) == 2, f(2) == 1]
            failures += sum(w for w, r in zip(weights, right, strict=True) if not r) > 0.1
            assert f(3) == f(99) == 0
    assert failures <= 200 * 0.05 + 10


def test_wrong_labels_cost_little() -> None:
    """Of 1,000 records of a key 490 are wrong, and the table is right for all ten keys."""
    learner = LookupLearner(H, Budget(1, "1e-6"))
    counts = np.array([[245, 510, 245]] * 10)
    sample = Sample(H.domain, tuple(range(10)), counts)
    with Ledger() as ledger:
        f = learner.fit(sample, ledger=ledger, dataset="d", rng=seeded_generator(1)).hypothesis
    assert [f(x) for x in range(11)] == [1] * 10 + [0]


def test_who_is_for_what() -> None:
    with pytest.raises(DeclarationError, match="not a class of lookup tables"):
        LookupLearner(Outcomes.over_columns("a", labels=3, max_rules=1), Budget(1, "1e-6"))
    with pytest.raises(DeclarationError, match="one record alone"):
        LookupLearner(H, Budget(1))
    learner, why = choose_learner(H, Budget(1, "1e-6"))
    assert learner.method == "lookup"
    assert why == "lookup: it tolerates wrong labels, and its size is proved for clean ones"


def test_the_class_is_that_of_its_text() -> None:
    for text in ("lookup(tailnum; at most 4000)", "lookup(carrier, integers(hour); at most 0)"):
        assert str(parse_class(text, labels=3)) == text
    keys = parse_class("lookup(carrier, dest; at most 2)", labels=3)
    assert keys.domain == Product((Strings("carrier"), Strings("dest")))
    for text in ("lookup(a)", "lookup(; at most 2)", "lookup(a; at most x)", "lookup(a; to 2)"):
        with pytest.raises(DeclarationError):
            parse_class(text, labels=3)
    with pytest.raises(DeclarationError, match="open vocabular"):
        Lookup(Grid(0, 9), 3, 2)


@pytest.mark.parametrize("most", [0, 1, 2])
def test_the_dimension_is_that_of_the_game(most: int) -> None:
    """By its recursion over three points, which are as good as infinitely many for two keys."""

    def deepest(V: Lookup, points: int) -> int:
        if V.is_empty():
            return -1
        found = 0
        for x in range(points):
            below = sorted(deepest(V.restrict(x, y), points - 1) for y in range(3))
            found = max(found, 1 + below[-2])
        return found

    V = Lookup(Integers("id"), 3, most)
    assert deepest(V, 3) == V.littlestone_dimension() == most
    if most:
        x = V.mistake_point()
        below = sorted(V.restrict(x, y).littlestone_dimension() for y in range(3))
        assert below[-2] == most - 1
    assert V.restrict(7, 0).soa_label(7) == 0
    if most:
        assert V.restrict(7, 2).soa_label(7) == 2


def test_bit_classes_hold_the_bits_of_every_function() -> None:
    V = H.restrict(5, 1).restrict(6, 2)
    for i in (0, 1):
        bits = V.bit_class(i)
        assert bits.restrict(5, 1 - i).restrict(6, i).littlestone_dimension() == 1
        assert bits.restrict(5, i).is_empty()
    with pytest.raises(DeclarationError, match="bits"):
        parse_class("lookup(a, b; at most 2)", labels=3).bit_class(0)


def test_a_table_is_canonical_and_is_read_back() -> None:
    D = Product((Strings("carrier"), Integers("hour")))
    entries = [(("UA", 7), 1), (("AA", 3), 2), (("B6", 1), 0)]
    one, other = (LookupTable(D, 3, frozenset(e)) for e in (entries, reversed(entries[:2])))
    assert one == other
    assert hash(one) == hash(other)
    assert one.to_json() == other.to_json()
    again = Hypothesis.from_json(json.loads(json.dumps(one.to_json())))
    assert again == one
    assert [again(x) for x in (("UA", 7), ("AA", 3), ("B6", 1), ("UA", 8))] == [1, 2, 0, 0]
    assert LookupTable(D, 3, frozenset()).words() == "always 0"
    many = LookupTable(Integers("id"), 3, frozenset((x, 1 + x % 2) for x in range(50)))
    assert "(38 entries more), else UA" in many.words_with(LABELS)
    assert "(38 entries more), else 0" in many.words()


@pytest.mark.parametrize(
    "entries",
    [[["UA", 1], ["UA", 2]], [["UA", 0]], [["UA", 3]], [["UA", True]], [[7, 1]], [["UA"]], None,
     [[{}, 1]], [["UA", 1, 1]]],
)  # fmt: skip
def test_a_damaged_table_is_refused(entries: Any) -> None:
    data = LookupTable(Strings("carrier"), 3, frozenset()).to_json()
    with pytest.raises(ModelError):
        Hypothesis.from_json({**data, "entries": entries})


def test_a_released_table_is_listed_in_one_order() -> None:
    learner, seen = LookupLearner(H, Budget(1, "1e-6")), Counter[Any]()
    for first in (0, 8):
        examples = [(first, "AA"), *[(0, "AA"), (8, "DL")] * 80]
        sample = Sample.from_examples(H.domain, examples, labels=LABELS)
        with Ledger() as ledger:
            f: Any = learner.fit(sample, ledger=ledger, dataset="d").hypothesis
        seen[json.dumps(f.to_json()), f.words(), tuple(f.entries)] += 1
    assert len(seen) == 1


def test_a_table_hides_the_order_in_which_it_was_filled() -> None:
    """A set that is listed may show it, and it may be that of the records."""
    entries = [(17 * i % 101, 1 + i % 3) for i in range(40)]
    tables = []
    for seed in range(20):
        random.Random(seed).shuffle(entries)
        tables.append(LookupTable(Integers("id"), 4, frozenset(entries)))
    assert len({tuple(table.entries) for table in tables}) == 1
    assert len({json.dumps(table.to_json()) for table in tables}) == 1
    assert len({pickle.dumps(table.entries) for table in tables}) == 1
    written: Any = tables[0].to_json()["entries"]
    assert written == sorted(written)
    texts = LookupTable(Strings("tail"), 2, frozenset((str(i), 1) for i in range(40)))
    written = texts.to_json()["entries"]
    assert written == sorted(written)
