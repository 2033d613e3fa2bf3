"""Rules of conditions on declared columns, against all of them one by one."""

import random
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from mixed_tables import errors_of, random_examples, sample_of

from littlestone.base.errors import DeclarationError, TooLargeError
from littlestone.classes import FiniteClass, parse_class
from littlestone.classes.counting.blocks import CellCodes
from littlestone.classes.promises import by_table
from littlestone.data.sample import Records, Sample

COLUMNS = "x at {0, 5}, y at {1, 2, 3}, sex in {F}"
TEXTS = [
    f"conditions({COLUMNS}; at most 2)",
    f"conditions({COLUMNS}; at most 3, either)",
    f"conditions({COLUMNS}; at most 2, any of)",
    f"conditions({COLUMNS}; at most 2, between)",
    f"conditions({COLUMNS}; at most 1)",
    "conditions(x at {0}, sex in {F, M}; at most 4, either, between)",
    "conditions(x at {7}; at most 2, any of)",
    f"conditions({COLUMNS}; at most 3, checklist)",
    "conditions(x at {0}, y at {0}, sex in {F}, on in {u}; at most 4, checklist)",
]
REFUSED = {
    "conditions(x at {0, 5}; at most 0)": "must be 1, 2, 3 or 4",
    "conditions(x at {0, 5}; at most 5)": "must be 1, 2, 3 or 4",
    "conditions(x at {0, 5}; at least 2)": "option 'at least 2' is unknown",
    "conditions(x at {0, 5}; any of, either)": "'any of' and 'either' exclude each other",
    "conditions(x at {0, 5}; any)": "option 'any' is unknown",
    "conditions(x at {0, 5}; checklist, either)": "'checklist' and 'either' exclude each other",
    "conditions(x at {0, 5}, ward; checklist)": "needs declared columns",
    "conditions(x at {0, 5}; between 2)": "option 'between 2' is unknown",
    "conditions(x at {0, 5}; at most two)": "option 'at most two' is unknown",
    "conditions(x at {0, 5}; at most 2; any of)": "more than one semicolon",
    "conditions(x at {0, 5}; at most 2": "does not end with a parenthesis",
    "conditions(x at {0, 5}; at most 2))": "closes nothing",
    "conditions(x at {0, 5}; (at most 2)": "is open at its end",
    "conditions(x at {0, 5}, sex in {F,M}; or)": r"x at \{0, 5\}, sex in \{F,M\}; or\)",
    "conditions(x at {0, 5}; or)": "'or' is unknown",
    "conditions(x at {0, 5}; at most 2, at most 3)": "twice",
    "conditions()": "at least",
    "conditions(x at {0, 5}, ward; any of)": "needs declared columns",
    "conditions(x at {0, 5}, ward; either)": "needs declared columns",
}


@pytest.mark.parametrize("text", TEXTS)
def test_scores_are_those_of_the_rules(text: str) -> None:
    H: Any = parse_class(text)
    rng = random.Random(1)
    for n in (0, 1, 40):
        examples = random_examples(H, rng, n)
        errors = H.error_runs(sample_of(H, examples)).errors
        assert errors.tolist() == [errors_of(h, examples) for h in H]


@pytest.mark.parametrize("text", TEXTS)
def test_rules_of_different_numbers_differ(text: str) -> None:
    H: Any = parse_class(text)
    points = list(H.domain)
    rows = H.labels_of_forms(points)
    assert (rows == [[h(x) for x in points] for h in H]).all()
    assert len(np.unique(rows, axis=0)) == H.size == H.forms
    assert H._count([len(tests) for tests in H._tests]) == H.size
    assert parse_class(str(H)) == H


@pytest.mark.parametrize("text", REFUSED)
def test_what_a_class_of_conditions_refuses(text: str) -> None:
    with pytest.raises(DeclarationError, match=REFUSED[text]):
        parse_class(text)


@pytest.mark.parametrize("text", [TEXTS[0], TEXTS[4]])
def test_other_numbers_have_no_rule(text: str) -> None:
    H: Any = parse_class(text)
    for V in (H, H.restrict(("5", "1", "F"), 1)):
        for index in (-1, V.size):
            with pytest.raises(IndexError, match="no hypothesis number"):
                V.hypothesis(index)


def test_the_rules_in_words() -> None:
    H: Any = parse_class(
        "conditions(age at {0, 18, 65}, sex in {F, M}; at most 2, either, between)"
    )
    words = {h.words() for h in H}
    assert {
        "always 0", "always 1", "age is missing", "age >= 65", "18 <= age < 65", "sex is M",
        "18 <= age < 65 and sex is F", "age < 18 or sex is missing",
    } <= words  # fmt: skip
    assert len(words) == H.size


def test_a_checklist_in_words() -> None:
    H: Any = parse_class(
        "conditions(age at {0, 65}, sex in {F}, on in {u, v}; at most 3, checklist)"
    )
    words = [h.words() for h in H]
    assert "at least 2 of (age >= 65, sex is F, on is u)" in words
    assert "age >= 65 or sex is F or on is u" in words
    assert len(set(words)) == H.size == 2 + (3 + 2 + 3) + 2 * (3 * 2 + 3 * 3 + 2 * 3) + 3 * 18


def test_a_checklist_is_what_it_says() -> None:
    """Each rule, beside a count of its conditions."""
    H: Any = parse_class(TEXTS[-1])
    for index in range(2, H.size, 5):
        least, tests = H.rule(index)
        h = H.hypothesis(index)
        assert all(
            h(x) == (sum(x[t.column] in t.accepted for t in tests) >= least) for x in H.domain
        )


BOUNDED = [
    "conditions(x at {0, 1}, y at {0, 1, 2}; at most 1)",
    "conditions(x at {0, 1, 2, 3}, y at {0, 1, 2, 3}; at most 2)",
    "conditions(x at {0, 1, 2, 3}, y at {0, 1, 2, 3}; at most 2, any of)",
    "conditions(x: 0..7; at most 1, between)",
    "conditions(x at {0, 1}, y at {0, 1}, z at {0, 1}; at most 3)",
    "conditions(s in {a, b}, t in {c}; at most 2, either)",
    "conditions(x at {3}; at most 1)",
    "trees(x at {0, 1, 2}; depth 1)",
    "trees(x at {0, 1}, y at {0, 1}; depth 2)",
    "trees(s in {a}, y at {0, 1, 2}; depth 2)",
    "trees(x at {3}, y at {3}; depth 2)",
    "rule_list(x at {0, 1, 2, 3}, s in {a}; at most 2)",
    "rule_sets(x at {0, 1}, y at {0, 1}; at most 2 rules of 2)",
    "conditions(x at {0, 1}, y at {0, 1}, s in {a}; at most 3, checklist)",
]


@pytest.mark.parametrize("text", BOUNDED)
def test_the_bounds_hold_where_the_dimension_is_known(text: str) -> None:
    H: Any = parse_class(text)
    low, high = H._bounds()
    assert low <= H.littlestone_dimension() <= high
    if H.several:
        several: Any = parse_class(text, labels=3)
        low, high = several._bounds()
        assert low <= several.littlestone_dimension() <= high


def test_lower_bounds_are_reached() -> None:
    """Stumps on two columns; on one; and without a cut."""
    for text in (BOUNDED[0], BOUNDED[3], BOUNDED[6]):
        H: Any = parse_class(text)
        assert H._bounds()[0] == H.littlestone_dimension()


def test_a_large_class_has_bounds_only() -> None:
    columns = ", ".join(f"c{i}: 0..63" for i in range(9))
    H: Any = parse_class(f"conditions({columns}; at most 2)")
    assert H.littlestone_bounds() == (12, H.size.bit_length() - 1)
    with pytest.raises(TooLargeError, match="between 12 and"):
        H.restrict(H.domain.examples(1)[0], 1)


@pytest.mark.parametrize("text", [TEXTS[0], "trees(x at {7}; depth 2)"])
def test_a_table_has_so_many_entries_at_most(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    H: Any = parse_class(text)
    entries = H.domain.size * H.forms
    monkeypatch.setattr(by_table, "TABLED", entries)
    assert H.littlestone_bounds() == (H.littlestone_dimension(),) * 2
    assert not H.restrict(H.domain.examples(1)[0], 1).is_empty()
    monkeypatch.setattr(by_table, "TABLED", entries - 1)
    assert H.littlestone_bounds() == H._bounds() != (H._bounds()[1],) * 2
    with pytest.raises(TooLargeError, match="a row for each hypothesis"):
        H.restrict(H.domain.examples(1)[0], 1)


def test_a_column_has_more_cells_than_a_byte_counts() -> None:
    H: Any = parse_class("conditions(x: 0..999; at most 1)")
    examples = [((str(x),), int(x > 700)) for x in range(0, 1000, 50)]
    errors = H.error_runs(sample_of(H, examples)).errors.tolist()
    assert errors[::97] == [errors_of(H.hypothesis(i), examples) for i in range(0, H.size, 97)]


def test_version_spaces_are_those_of_the_table() -> None:
    H: Any = parse_class(TEXTS[1])
    x, y = ("5", "1", "F"), ("", "3", "")
    V = H.restrict(x, 1).restrict(y, 0)
    kept = [h for h in H if h(x) == 1 and h(y) == 0]
    assert list(V) == kept
    assert isinstance(V.table_of, FiniteClass)
    examples = random_examples(H, random.Random(2))
    assert V.error_runs(sample_of(H, examples)).errors.tolist() == [
        errors_of(h, examples) for h in kept
    ]
    assert H.restrict(x, 1).restrict(x, 0).is_empty()


def large_codes(n: int, labels: int) -> CellCodes:
    """Codes of eight columns, of points with several labels, with one and with none."""
    rng = np.random.default_rng(0)
    counts = rng.integers(0, 3, (n, labels)) * (rng.random((n, labels)) < 0.5)
    sizes = (2, 3, 4, 5, 6, 7, 150, 250)  # a pair has more cells than 16 bits count
    codes = np.stack([rng.integers(0, size, n) for size in sizes]).astype(np.uint16)
    return CellCodes(codes, np.ascontiguousarray(counts.astype(np.int64)), sizes)


@pytest.mark.parametrize("labels", [2, 3])
def test_cells_are_counted_as_numpy_counts_them(labels: int) -> None:
    """Also over several blocks of records, and a point with two labels or none."""
    coded = large_codes(10_000, labels)
    for r in (1, 2, 3):
        subsets = list(combinations(range(8), r))
        for table, subset in zip(coded.tables(subsets), subsets, strict=True):
            shape = tuple(coded.sizes[j] for j in subset)
            cells = np.ravel_multi_index(tuple(coded.codes[list(subset)]), shape)
            expected = np.zeros((labels, *shape), np.int64)
            for y in range(labels):
                np.add.at(expected[y].reshape(-1), cells, coded.counts[:, y])
            assert (table == expected).all()


def test_records_that_are_held_by_columns_score_the_same() -> None:
    H: Any = parse_class(TEXTS[1])
    examples = random_examples(H, random.Random(5))
    sample = sample_of(H, examples)
    held = Records([sample.column(j) for j in range(3)])
    assert held == sample.points
    other = Sample(H.domain, held, sample.counts)
    assert (H.error_runs(other).errors == H.error_runs(sample).errors).all()
