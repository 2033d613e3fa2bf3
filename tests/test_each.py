"""One id for many values still says which value failed."""

from __future__ import annotations

from inspect import signature
from pathlib import Path

import pytest

from each import each, in_turn


def test_all_values_are_taken_and_fixtures_are_shared(tmp_path: Path) -> None:
    seen: list[tuple[int, str]] = []

    @each("n", lambda: [1, 2])
    @each(("a", "b"), [(3, "x"), (4, "y")])
    def test(n: int, a: int, b: str, folder: Path) -> None:
        assert folder == tmp_path
        seen.append((n * a, b))

    assert [*signature(test).parameters] == ["folder"]
    test(folder=tmp_path)
    assert seen == [(3, "x"), (4, "y"), (6, "x"), (8, "y")]


def test_a_failure_names_its_value() -> None:
    @each("c", "pq", ids=["first", "second"])
    @each(("a", "b"), [(1, 1), (2, 3), (4, 5)], ids=lambda n: f"n{n}")
    def test(a: int, b: int, c: str) -> None:
        assert a == b or c == "p"

    with pytest.raises(AssertionError) as failed:
        test()
    assert failed.value.__notes__ == ["with a, b = n2, n3", "with c = second"]


def test_only_what_skips_every_value_is_skipped() -> None:
    seen = []

    @each("n", [1, 2, 3])
    def test(n: int, odd: bool) -> None:
        if odd or n % 2 == 0:
            pytest.skip("not here")
        seen.append(n)

    test(odd=False)
    assert seen == [1, 3]
    with pytest.raises(pytest.skip.Exception, match="not here"):
        test(odd=True)
    with pytest.raises(AssertionError, match="no value of n"):
        each("n", [])(test)(odd=True)


def test_the_quick_values_and_the_others_are_all() -> None:
    seen = []

    @each("n", range(7), ids="abcdefg", quick=3)
    def test(n: int) -> None:
        seen.append(n)

    (mark,) = test.pytestmark  # type: ignore[attr-defined]
    turn, (quick, others) = mark.args
    test(**{turn: quick})
    assert seen == [0, 3, 6]
    assert [mark.name for mark in others.marks] == ["deep"]
    test(**{turn: others.values[0]})
    assert seen == [0, 3, 6, 1, 2, 4, 5]
    assert [len(one.marks) for one in in_turn(range(4), 2)] == [0, 1, 0, 1]
