"""Parities against plain tables, and at thousands of columns."""

from __future__ import annotations

import random
from itertools import product
from typing import Any

import numpy as np
import pytest

from littlestone.base.errors import DeclarationError
from littlestone.classes import FiniteClass, HypothesisClass, Parities, parse_class
from littlestone.data.sample import Sample
from littlestone.prove.laws import yield_checks


@pytest.mark.parametrize("affine", [False, True])
@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_every_version_space_is_that_of_the_table(n: int, affine: bool) -> None:
    H = Parities.over("abcd"[:n], affine=affine)
    names = {x: f"x{j}" for j, x in enumerate(H.domain)}
    rows = [
        [(sum(a * v for a, v in zip(coefficients, x, strict=True)) + b) % 2 for x in names]
        for coefficients in product((0, 1), repeat=n)
        for b in range(1 + affine)
    ]
    whole = FiniteClass.from_array(rows)
    rng = random.Random(n)
    for _ in range(40):
        V, T = H, whole
        for _ in range(rng.randrange(n + 2)):
            x, y = rng.choice(list(names)), rng.randrange(2)
            if not V.restrict(x, y).is_empty():
                V, T = V.restrict(x, y), T.restrict(names[x], y)
        assert (V.size, V.littlestone_dimension()) == (T.size, T.littlestone_dimension())
        soa, expected = V.soa(), T.soa()
        for x, name in names.items():
            assert soa(x) == V.soa_label(x) == expected(name)
            for y in (0, 1):
                assert V.restrict(x, y).is_empty() == T.restrict(name, y).is_empty()
        for k in (0, 1, 2):
            assert (V.reducing_points(k) is None) == (T.reducing_points(k) is None)


@pytest.mark.parametrize("affine", [False, True])
def test_the_transform_tolerates_label_noise_and_the_ball_is_that_of_the_walk(affine: bool) -> None:
    rng = random.Random(7)
    H = Parities.over("abcdef", affine=affine)
    for size in (0, 3, 12, 60):
        examples = [(H.domain.random_point(rng), rng.randrange(2)) for _ in range(size)]
        sample = Sample.from_examples(H.domain, examples)
        V = H.restrict((1, 0, 1, 0, 0, 0), 1)
        counted = [sum(h(x) != y for x, y in examples) for h in map(V.hypothesis, range(V.size))]
        assert V.error_runs(sample).errors.tolist() == counted
        for most in (0, size // 4, size):
            walked = super(Parities, V).error_ball(sample, most)
            assert set(V.error_ball(sample, most)) == set(walked)
            assert sum(W.size for W, _ in walked) == sum(c <= most for c in counted)


def test_two_thousand_columns_are_learnt_and_read_back() -> None:
    n = 2000
    H = Parities.over([f"x{j}" for j in range(n)])
    rng = np.random.default_rng(3)
    secret = rng.integers(0, 2, size=n)
    V: Parities = H
    for _ in range(60):
        x = tuple(rng.integers(0, 2, size=n).tolist())
        y = int(secret @ np.array(x)) % 2
        V = V.restrict(x, y)
        assert V.soa_label(x) == y
    assert H.littlestone_dimension() == n
    assert V.littlestone_dimension() == n - 60
    root = V.mistake_point()
    assert root is not None
    assert not V.restrict(root, 0).is_empty()
    assert not V.restrict(root, 1).is_empty()
    assert V.hypothesis(5) == V.hypothesis(5) != V.hypothesis(6)


def test_too_many_to_score_is_said() -> None:
    H = Parities.over([f"x{j}" for j in range(40)])
    with pytest.raises(DeclarationError, match=r"2\^40 of them"):
        H.error_runs(Sample.from_examples(H.domain, []))


@pytest.mark.parametrize("text", ["parities()", "parities(a; affine 2)", "parities(a, a)"])
def test_illegal_texts_are_refused(text: str) -> None:
    with pytest.raises(DeclarationError):
        parse_class(text)


def failures(H: HypothesisClass[Any]) -> set[str]:
    broken = set()
    for check in yield_checks(H):
        try:
            check()
        except AssertionError:
            broken.add(check.name)
    return broken


class ForgetsOddRows(Parities):
    """A plausible slip: only rows of label 0 are taken as points whose label 0 is implied."""

    def soa(self) -> Any:
        even = tuple(row for row in self.rows if not row & 1)
        return Parities(self.domain, self.affine, even).soa()


def test_a_planted_slip_in_the_soa_is_caught() -> None:
    V = ForgetsOddRows.over("abc").restrict((1, 0, 0), 1).restrict((0, 1, 0), 1)
    assert "soa_is_canonical" in failures(V)
