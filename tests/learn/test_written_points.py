"""Points of every open domain are written: in releases, in models and in the states of runs."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from littlestone.base.errors import DeclarationError
from littlestone.classes import Points
from littlestone.data.sample import Sample
from littlestone.learn import Release
from littlestone.learn.plan import choose_learner
from littlestone.learn.stream import KeyLearner, TeacherLearner, durable_run
from littlestone.points import Disjoint, Domain, Grid, Integers, Product, Reals, Strings
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.randomness import seeded_generator
from littlestone.rules import FiniteSet, Hypothesis, StepFunction

OPEN: list[Domain[Any]] = [
    Strings("s"),
    Integers("i"),
    Reals("r"),
    Product((Strings("s"), Reals("r"))),
    Product((Strings("s"), Integers("i"), Grid(0, 9, "g"))),
    Disjoint((Grid(0, 9, "g"), Reals("r"))),
    Disjoint((Integers("i"), Product((Strings("s"), Reals("r"))))),
]


@pytest.mark.parametrize("domain", OPEN, ids=str)
def test_a_release_of_a_point_comes_back(domain: Domain[Any]) -> None:
    learner, _ = choose_learner(Points(domain), Budget(9, "1e-3"))
    chosen = domain.encode(["7.5"] * 2) if "r" in domain.column_names else domain.examples(5)[-1]
    sample = Sample.from_examples(domain, [(chosen, 1)] * 400)
    release = learner.fit(
        sample, ledger=Ledger(), dataset="d", label="y == 1", rng=seeded_generator(1)
    )
    assert release.hypothesis == FiniteSet(domain, frozenset({chosen}))
    assert Release.from_json(json.loads(json.dumps(release.to_json()))) == release


@pytest.mark.parametrize("kind", [KeyLearner, TeacherLearner])
@pytest.mark.parametrize("domain", OPEN, ids=str)
def test_a_run_in_a_file_goes_on(domain: Domain[Any], kind: type[Any], tmp_path: Path) -> None:
    learner = kind(Points(domain), Budget(9, "1e-3"), horizon=400)
    state, ledger = tmp_path / "run.state", Ledger()

    def begun() -> Any:
        rng = seeded_generator(1)
        return durable_run(
            learner, ledger=ledger, dataset="d", label="y == 1", state=state, rng=rng
        )

    x = domain.examples(5)[-1]
    with begun() as run:
        for _ in range(300):
            run.stream.update(x, 1)
        published = run.stream.hypothesis
    assert published(x) == 1
    with begun() as run:
        assert run.stream.hypothesis == published
    assert len(ledger.entries()) == 1


def test_older_models_are_read() -> None:
    for domain, members, found in (
        (Strings("s"), ["a", "b"], {"a", "b"}),
        (Integers("i"), [3, -7], {3, -7}),
        (Reals("r"), [3], {Fraction(3)}),
    ):
        form = {"kind": "FiniteSet", "domain": domain.to_json(), "members": members}
        assert Hypothesis.from_json(form) == FiniteSet(domain, frozenset(found))


def test_a_threshold_at_the_largest_number_comes_back() -> None:
    h = StepFunction.threshold(Reals(), Reals().encode("1e400"))
    assert Hypothesis.from_json(json.loads(json.dumps(h.to_json()))) == h


def test_points_of_a_finite_domain_are_refused() -> None:
    with pytest.raises(DeclarationError, match="finitely many"):
        Points(Grid(0, 9))
