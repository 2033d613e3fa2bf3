"""The river classifier does what `stream` does, whatever the records are, and no copy draws twice."""

from __future__ import annotations

import copy
import os
import pickle
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from river import evaluate, metrics
from river.checks import yield_checks

from littlestone.base.errors import BudgetExceededError, DeclarationError
from littlestone.classes import parse_class
from littlestone.interop.river import LittlestoneOnlineClassifier
from littlestone.learn.declared.schema import Schema
from littlestone.learn.stream import choose_online_learner
from littlestone.points.units import Unit
from littlestone.privacy import Budget
from littlestone.privacy.accounting.groups import record_budget
from littlestone.privacy.cost import PrivacyCost
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.ledger.ledger import SEEDED
from littlestone.privacy.randomness import seeded_generator
from littlestone.prove.laws.domains import (
    SECRET,
    HostileObject,
    Liar,
    OfHostileType,
    disguises,
    hostile,
)

pytestmark = pytest.mark.filterwarnings("ignore::littlestone.base.errors.NotPrivateWarning")

DOORS: list[tuple[Any, bool]] = [
    ({"id": f"d{t % 2}" if t % 11 == 0 else f"x{t}", "t": t}, t % 11 == 0) for t in range(2000)
]


def doors(**options: Any) -> LittlestoneOnlineClassifier:
    declared = {"hypotheses": "subsets(id; at most 2)", "epsilon": 1, "delta": "1e-6"}
    rest = {"horizon": 4000, "ledger": Ledger(), "dataset": "d", "simulation_seed": 1}
    rest["create_ledger"] = True
    return LittlestoneOnlineClassifier(**{**declared, **rest, **options})


def taught(model: LittlestoneOnlineClassifier, records: Any = DOORS) -> LittlestoneOnlineClassifier:
    for x, y in records:
        model.learn_one(x, y)
    return model


@pytest.mark.deep
@pytest.mark.parametrize(
    ("declared", "method"),
    [
        ("subsets(ip_in_url; at most 2)", "keys"),
        ("rules(ip_in_url, https, long_url; at most 2)", "rules"),
        ("thresholds(age_of_domain, 0..1)", "keys"),
        ("thresholds(age_of_domain, 0..9)", "teachers"),
        ("thresholds(age_of_domain, 0..9)", "confirmed"),
    ],
)
def test_every_check_of_river_passes(declared: str, method: str, tmp_path: Path) -> None:
    path = str(tmp_path / "checks.ledger")  # a ledger in memory cannot be pickled, and says so
    model = doors(hypotheses=declared, method=method, ledger=path, horizon=1000)
    assert model.learner.method == method
    checks = list(yield_checks(model))
    assert len(checks) > 40
    for check in checks:
        check(model.clone())


def test_a_river_task_runs_it() -> None:
    model = doors()
    metric: Any = metrics.Accuracy()  # type: ignore[no-untyped-call]
    accuracy = evaluate.progressive_val_score(DOORS, model, metric)
    assert accuracy.get() > 0.95
    assert model.hypothesis is not None
    assert model.hypothesis.words() == "id is one of 'd0', 'd1'"


def test_the_release_is_the_one_of_the_learner() -> None:
    model = doors()
    H = parse_class("subsets(id; at most 2)")
    learner = choose_online_learner(H, Budget(1, "1e-6"), horizon=4000)
    with Ledger() as ledger:
        stream = learner.start(ledger=ledger, dataset="d", rng=seeded_generator(1))
    for x, y in DOORS:
        model.learn_one(x, y)
        stream.update(str(x["id"]), int(y))
        assert (model.hypothesis, model.published_at) == (stream.hypothesis, stream.published_at)


@pytest.mark.parametrize("by_schema", [False, True])
def test_the_first_records_of_a_unit_count(by_schema: bool) -> None:
    """As in a run over a stream; a record without a unit is of the one that has no value."""
    ledger, unit = Ledger(), Unit("person", 2)
    names = "[columns.id]\ntype = 'text'\n[columns.person]\ntype = 'text'\n"
    schema = Schema.parse("unit = 'person'\nmax_records = 2\n" + names)
    given = {"schema": schema} if by_schema else {"unit": "person", "max_records": 2}
    model = doors(ledger=ledger, epsilon=8, **given)
    H, share = parse_class("subsets(id; at most 2)"), record_budget(Budget(8, "1e-6"), unit)
    learner = choose_online_learner(H, share, horizon=4000)
    with Ledger() as other:
        stream = learner.start(ledger=other, dataset="d", rng=seeded_generator(1))
    seen = Counter[str]()
    for t, (x, y) in enumerate(DOORS):
        person: dict[str, Any] = {} if t % 7 == 0 else {"person": t % 500}
        model.learn_one({**x, **person}, y)
        seen[str(person)] += 1
        stream.take([(x["id"], int(y)) if seen[str(person)] <= 2 else None])
        assert (model.hypothesis, model.published_at) == (stream.hypothesis, stream.published_at)
    assert model.published_at
    (entry,) = ledger.entries("d")
    assert str(entry.cost) == "epsilon 8, delta 0.000001 (replace-one-unit: person)"


def test_one_spend_at_the_first_record() -> None:
    ledger = Ledger()
    model = doors(ledger=ledger)
    assert model.predict_one({"id": "d0"}) is None
    assert (model.hypothesis, model.published_at) == (None, None)
    assert ledger.entries() == []
    model.learn_one({"id": "d0"}, True)
    assert model.predict_one({"id": "d0"}) is False
    taught(model)
    (entry,) = ledger.entries("d")
    assert entry.cost == PrivacyCost(Fraction(1), Fraction(1, 10**6)) == model.learner.cost()
    assert entry.what == SEEDED + "learn y == True online from subsets(id; at most 2)"


def test_nothing_is_drawn_without_a_budget() -> None:
    ledger = Ledger()
    ledger.set_limit("d", PrivacyCost(Fraction(1), Fraction(1, 10**7)))
    model = doors(ledger=ledger)
    for _ in range(2):
        with pytest.raises(BudgetExceededError):
            model.learn_one({"id": "d0"}, True)
    assert model.hypothesis is None


WRITTEN = Schema.parse("[columns.id]\nvalues = ['a', 'b']\nignore_case = true\n")
WILD: list[Any] = [None, float("nan"), 10**5000, [], {"a": 1}, 1j, b"", object(), np.nan, pd.NA]


@pytest.mark.parametrize(
    "declared",
    ["subsets(id; at most 1)", "rules(id, t; at most 2)", "thresholds(id, 0..9)"],
)
def test_any_record_and_label_is_data(declared: str) -> None:
    model = doors(hypotheses=declared)
    model.learn_one({}, None)  # the type of the first record is looked at, of no other
    records = [*WILD, *({"id": value} for value in WILD), {1: 2}, {"t": 1, "id": np.float32(0.1)}]
    for x in records:
        for y in (*WILD, True, "True", np.bool_(True)):
            model.learn_one(x, y)
            assert model.predict_one(x) in (False, True)


def test_values_and_labels_of_numpy_are_read_as_pythons_own() -> None:
    plain, numpy = doors(), doors()
    for x, y in DOORS:
        plain.learn_one({"id": x["t"]}, y)
        numpy.learn_one({"id": np.int64(x["t"])}, np.bool_(y))
    assert plain.hypothesis == numpy.hypothesis
    named = taught(doors(classes=("no", "yes")), [(x, "yes" if y else None) for x, y in DOORS])
    assert named.predict_one({"id": "d1"}) == "yes"
    assert named.predict_one({"id": "x"}) == "no"


def test_a_copy_has_the_published_rule_and_cannot_learn(tmp_path: Path) -> None:
    for model in (
        taught(doors()),
        taught(doors(ledger=tmp_path / "budget.ledger", simulation_seed=None)),
    ):
        copies = [copy.deepcopy(model), model.clone(include_attributes=True)]
        if isinstance(model.ledger, Path):
            copies.append(pickle.loads(pickle.dumps(model)))
        for copied in copies:
            assert copied.hypothesis == model.hypothesis
            assert copied.published_at == model.published_at
            assert copied.predict_one({"id": "d1"}) is True
            with pytest.raises(DeclarationError, match="copy of a model"):
                copied.learn_one({"id": "d1"}, True)
            again = copy.deepcopy(copied)
            assert again.hypothesis == model.hypothesis


def test_a_pickle_holds_nothing_but_what_is_published(tmp_path: Path) -> None:
    def pickled(secret: str) -> bytes:
        model = doors(ledger=str(tmp_path / "budget.ledger"))
        return pickle.dumps(taught(model, [({"id": secret}, True)] * 5))

    assert b"a-secret-id" not in pickled("a-secret-id")
    assert pickled("one") == pickled("other")


@pytest.mark.deep
@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks")
def test_a_forked_process_cannot_learn() -> None:
    program = (
        "import os, sys, pytest\n"
        "from littlestone.base.errors import DeclarationError\n"
        "sys.path[:0] = sys.argv[1:]\n"
        "from test_river import doors, taught\n"
        "model = taught(doors())\n"
        "if os.fork() == 0:\n"
        "    with pytest.raises(DeclarationError, match='copy of a model'):\n"
        "        model.learn_one({'id': 'd0'}, True)\n"
        "    os._exit(7)\n"
        "sys.exit(os.waitstatus_to_exitcode(os.wait()[1]))\n"
    )
    folders = [str(folder) for folder in Path(__file__).parents[:2]]
    assert subprocess.run([sys.executable, "-c", program, *folders], check=False).returncode == 7


def test_a_clone_spends_for_itself() -> None:
    ledger = Ledger()
    model = taught(doors(ledger=ledger))
    other = model.clone()
    assert other.hypothesis is None
    taught(other)
    assert ledger.total("d") == PrivacyCost(Fraction(2), Fraction(2, 10**6))


def test_after_the_horizon_the_last_rule_stays() -> None:
    model = taught(doors(horizon=200), [({"id": "a"}, True)] * 200)
    published = model.hypothesis
    taught(model, [({"id": "a"}, False)] * 200)
    assert model.hypothesis == published


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"classes": (1, 1)}, "apart"),
        ({"classes": "no"}, "not a sequence"),
        ({"hypotheses": 5}, "neither a class"),
        ({"hypotheses": "nonsense"}, "nonsense"),
        ({"epsilon": 0}, "epsilon"),
        ({"delta": 0}, "delta"),
        ({"horizon": 0}, "horizon"),
        ({"method": "magic"}, "no such method"),
        ({"unit": "person"}, "how many records of each"),
        ({"max_records": 2}, "whose record it is"),
        ({"schema": WRITTEN}, "how the text of some cells is written"),
        ({"simulation_seed": random.Random(1)}, "whole number"),
    ],
)
def test_what_is_refused_at_once(options: dict[str, Any], words: str) -> None:
    with pytest.raises(DeclarationError, match=words):
        doors(**options)


@pytest.mark.parametrize(
    ("x", "y"),
    [
        (pd.Series({"id": "d0"}), True),
        (["d0"], True),
        (np.array(["d0"]), True),
        ("d0", True),
        (None, True),
        pytest.param(HostileObject(), True, id="hostile"),
        pytest.param(Liar(dict, "d0"), True, id="liar"),
        ({"id": "d0"}, np.array([True])),
        ({"id": "d0"}, pd.Series([True])),
        ({"id": "d0"}, [True]),
        ({"id": "d0"}, {True}),
        ({"id": "d0"}, {True: True}),
    ],
)
def test_what_is_no_record_is_refused_before_anything_is_spent(x: Any, y: Any) -> None:
    ledger = Ledger()
    model = doors(ledger=ledger)
    with pytest.raises(DeclarationError, match="a record is a dict") as error:
        model.learn_one(x, y)
    assert "d0" not in str(error.value)
    assert ledger.entries() == []
    model.learn_one({"id": "d0"}, np.bool_(True))
    assert len(ledger.entries()) == 1


class HostileDict(dict[str, str]):
    def get(self, *args: object) -> Any:
        raise RuntimeError(SECRET)


class HostileMapping(Mapping[str, str]):
    __getitem__ = __iter__ = __len__ = HostileDict.get


@pytest.mark.parametrize("x", [HostileDict(id="d0"), HostileMapping()])
def test_a_first_record_that_fails_to_tell_its_values_has_none(x: Any) -> None:
    model = doors()
    model.learn_one(x, True)
    assert model.predict_one(x) == model.predict_one({})


def test_an_object_of_a_hostile_class_is_no_record() -> None:
    with pytest.raises(DeclarationError, match="of type OfHostileType"):
        doors().learn_one(OfHostileType(), OfHostileType())


def test_what_is_no_record_has_no_value_once_the_run_has_begun() -> None:
    model = doors()
    model.learn_one({"id": "d0"}, True)
    nothing: Any = (None, ["d0"], HostileObject(), Liar(dict, "d0"), OfHostileType())
    for x in (*nothing, HostileDict(id="d0"), HostileMapping()):
        model.learn_one(x, True)
        assert model.predict_one(x) == model.predict_one({})


@pytest.mark.parametrize("y", [np.str_("True"), np.float32(1), b"1", None, object(), pd.NA, 1j])
def test_any_single_value_is_a_first_label(y: Any) -> None:
    model = doors()
    model.learn_one({"id": y}, y)
    assert model.published_at == 0


def test_a_ledger_is_a_ledger() -> None:
    with pytest.raises(DeclarationError, match="neither a Ledger"):
        doors(ledger=5).learn_one({}, True)


@pytest.mark.deep
def test_river_is_imported_when_it_is_asked_for() -> None:
    program = (
        "import sys, littlestone, littlestone.interop, littlestone.learn, littlestone.cli\n"
        "assert 'river' not in sys.modules\n"
        "sys.modules['river'] = None\n"
        "import littlestone.interop.river\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert ran.stderr.endswith("to fix it: pip install 'river>=0.26'\n")
    assert "AssertionError" not in ran.stderr


def test_equal_and_hostile_values_come_by_the_same_door() -> None:
    def released(values: list[Any]) -> tuple[Any, ...]:
        model = doors(hypotheses="subsets(id; at most 2, integers)", epsilon=8, horizon=60)
        taught(model, [({"id": value}, True) for value in values])
        assert model.hypothesis is not None
        return repr(model.hypothesis), model.hypothesis.words(), model.published_at

    usual = released([1] * 60)
    assert usual[1] == "id is 1"
    for other in disguises(1):
        assert released([other] * 60) == usual
    released(hostile() * 3)


def ages(**options: Any) -> LittlestoneOnlineClassifier:
    declared = {"hypotheses": "thresholds(age, 0..9)", "horizon": 6000, "epsilon": 8, "delta": 0}
    return doors(**{**declared, "risk": True, **options})


def test_risks_come_from_whole_blocks_of_one_rule() -> None:
    rng, model = random.Random(2), ages()
    assert model.predict_proba_one({"age": 9}) == {False: 0.5, True: 0.5}
    sizes, rules = set(), set()
    for _ in range(6000):
        age = rng.randrange(10)
        model.learn_one({"age": age}, rng.random() < (0.9 if age >= 6 else 0.1))
        if model.risks is not None:
            sizes.add(model.risks.n)
            rules.add(model.risks.rule)
            assert sum(map(sum, model.risks.counts)) / model.risks.n < 1.5
    assert min(sizes) == 50
    assert {size & -size for size in (n // 50 for n in sizes)} == {n // 50 for n in sizes}
    assert len(rules) > 1
    high, low = model.predict_proba_one({"age": 9}), model.predict_proba_one({"age": 0})
    assert high[True] > 0.7 > 0.3 > low[True]
    assert sum(high.values()) == pytest.approx(1)
    (entry,) = model.ledger.entries()
    assert entry.cost == PrivacyCost(Fraction(8))
    assert "in each of 120 disjoint blocks" in entry.mechanism
    copied = copy.deepcopy(model)
    assert copied.predict_proba_one({"age": 9}) == high
    kept = model.risks
    for _ in range(500):  # after the horizon no record is read
        model.learn_one({"age": 9}, False)
    assert model.risks == kept


def test_risks_that_cannot_be_counted_are_refused_at_once() -> None:
    with pytest.raises(DeclarationError, match="declare a longer horizon"):
        ages(horizon=40)
    with pytest.raises(DeclarationError, match="leave the unit or the risks out"):
        ages(unit="id", max_records=1)
    with pytest.raises(DeclarationError, match="give risk=True"):
        ages(risk=0.5)
    ledger = Ledger()
    ledger.set_limit("d", PrivacyCost(Fraction(7)))
    with pytest.raises(BudgetExceededError):
        ages(ledger=ledger).learn_one({"age": 1}, True)
    assert not ledger.entries()
