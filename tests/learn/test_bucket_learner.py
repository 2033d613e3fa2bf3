"""Labels by buckets: a record is worth e^(epsilon / 2) twice, draws are exact, models are read back."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Hashable
from fractions import Fraction
from itertools import product
from typing import Any, cast

import numpy as np
import pytest

from littlestone.base.errors import DeclarationError, LedgerError, ModelError
from littlestone.classes import Lookup, Outcomes
from littlestone.data.sample import Sample
from littlestone.learn import BucketLearner
from littlestone.learn.base import Setting
from littlestone.learn.plan import candidates, choose_learner
from littlestone.points import Integers, Product, Strings
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.mechanisms.bucket_labels import BucketLabels
from littlestone.privacy.randomness import seeded_generator
from littlestone.prove.audit.claims import exact_audit, neighbours
from littlestone.rules import BucketTable, Hypothesis
from littlestone.rules.lookup import bucket_of

LABELS = ("UA", "AA", "DL")
H = Lookup(Integers("id"), 3, 3)


def test_private_on_every_tiny_pair_of_samples() -> None:
    """From records, through the sample, the hash and the counts; keys that collide are among them."""
    learner = BucketLearner(H, Budget(1), bits=1)
    keys = [0, 1, 2]
    assert len({bucket_of(x, 1) for x in keys}) == 2

    def distribution(data: Any) -> dict[Hashable, Fraction]:
        counts = learner.counts(Sample.from_examples(H.domain, data, labels=LABELS))
        unpacked = [
            (b, y) for b, row in counts.items() for y, c in enumerate(row) for _ in range(c)
        ]
        return cast("dict[Hashable, Fraction]", learner.mechanism.distribution(unpacked))

    records = tuple(product(keys, LABELS))
    assert exact_audit(distribution, neighbours(records, 2, ordered=False), learner.event).holds
    assert learner.cost().delta == 0


def test_the_cost_is_nearly_attained() -> None:
    """A record leaves one bucket for another, and both changes make one output less likely."""
    mechanism = BucketLabels(Fraction(1), buckets=2, labels=2)
    rest = ((0, 0), (1, 0)) * 40
    one, other = (mechanism.distribution((*rest, record)) for record in ((0, 1), (1, 0)))
    ratio = one[1, 1] / other[1, 1]
    assert ratio <= mechanism.base**2
    assert float(ratio) > np.exp(0.99)


def test_draws_follow_the_distribution() -> None:
    mechanism = BucketLabels(Fraction(2), buckets=2, labels=3)
    data = [(0, 1), (0, 1), (0, 2)]
    exact, runs = mechanism.distribution(data), 4000
    counts, rng = mechanism.tally(data), seeded_generator(1)
    found = Counter(mechanism._release(counts, rng) for _ in range(runs))
    for given, p in exact.items():
        assert abs(found[given] / runs - p) < 5 * (float(p) / runs) ** 0.5 + 1e-3


def test_a_receipt_is_redeemed_before_the_first_random_bit() -> None:
    mechanism = BucketLabels(Fraction(1), buckets=2, labels=2)
    with Ledger() as ledger:
        rng = seeded_generator(1)
        receipt = ledger.spend(mechanism, dataset="d", what="w", rng=rng)
        mechanism.draw([(0, 1)], receipt=receipt)
        state = rng.getstate()
        with pytest.raises(LedgerError):
            mechanism.draw([(0, 1)], receipt=receipt)
    assert rng.getstate() == state


def test_keys_have_their_labels_and_wrong_ones_cost_little() -> None:
    learner = BucketLearner(H, Budget(1, "1e-6"))
    counts = np.array([[245, 510, 245]] * 10)
    sample = Sample(H.domain, tuple(range(10)), counts)
    with Ledger() as ledger:
        release = learner.fit(sample, ledger=ledger, dataset="d", rng=seeded_generator(1))
    f = release.hypothesis
    assert release.cost.delta == 0
    assert [f(x) for x in range(10)] == [1] * 10
    assert {f(x) for x in range(10, 100)} == {0, 1, 2}


def test_keys_of_any_kind_have_a_bucket() -> None:
    D = Product((Strings("carrier"), Integers("hour")))
    learner = BucketLearner(Lookup(D, 3, 2), Budget(1), bits=4)
    odd = [("\ud800", 10**400), ("", -1), ("\x00\U0010ffff", 0)]
    sample = Sample.from_examples(D, [(x, "AA") for x in odd], labels=LABELS)
    assert sum(map(sum, learner.counts(sample).values())) == 3
    # Its points are public, and so is the hash: what a model means does not change.
    assert [bucket_of(x, 20) for x in ("N14228", 7, ("UA", 7))] == [360671, 495654, 74229]


def test_who_is_for_what() -> None:
    with pytest.raises(DeclarationError, match="not a class of lookup tables"):
        BucketLearner(Outcomes.over_columns("a", labels=3, max_rules=1), Budget(1))
    for bits in (0, 21, True, "16"):
        with pytest.raises(DeclarationError, match="1 to 20"):
            BucketLearner(H, Budget(1), bits=bits)  # type: ignore[arg-type]
    for buckets, labels in ((0, 2), (2, 1), (1 << 21, 2), (2.0, 2), (1, 1001)):
        with pytest.raises(DeclarationError):
            BucketLabels(Fraction(1), buckets, labels)  # type: ignore[arg-type]
    assert BucketLearner(H, Budget(1)).plan(0.1, 0.05) is None
    assert choose_learner(H, Budget(1))[0].method == "buckets"
    settings: tuple[Setting, ...] = ("realizable", "agnostic")
    for setting in settings:
        learner, _ = choose_learner(H, Budget(1, "1e-6"), setting=setting)
        assert learner.method == "lookup"
        words = [c.describe() for c in candidates(H, Budget(1, "1e-6"), setting=setting)]
        assert "buckets: no proved size; only if no key need be named" in words


def test_a_model_is_read_back_and_a_damaged_one_refused() -> None:
    table = BucketTable(Strings("tail"), 3, (0, 1, 2, 2))
    data = json.loads(json.dumps(table.to_json()))
    assert Hypothesis.from_json(data) == table
    too_short, no_label = "AAA=", "AAAAAw=="  # one byte and a half; the labels 0 and 3
    for damaged in ({"given": too_short}, {"given": no_label}, {"given": "AAA"}, {"hash": "md5"},
                    {"given": ""}, {"given": 7}, {"given": "AAAAAAAA"}):  # fmt: skip
        with pytest.raises(ModelError):
            Hypothesis.from_json({**data, **damaged})
