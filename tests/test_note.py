"""The note on Littlestone classes: its numbers, its figures, and that none is written by hand."""

import random
import re
from collections import Counter

import pytest
from benchmarks import note
from benchmarks.noted import lemmas, small_classes
from benchmarks.noted.figures import FIGURES

from littlestone.classes import FiniteClass
from littlestone.learners.stable.tournament import stable_rule
from littlestone.verify.blm20 import ELEVEN
from littlestone.verify.definitions import larger_or_0, lyu
from littlestone.verify.statement import statements

TEXT = note.TEXT.read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_numbers_of_the_page_are_computed() -> None:
    found = note.computed(note.QUICK.items()) | note.recorded()
    written = note.PAGE.read_text(encoding="utf-8")
    assert written == note.page(found), "run python -m benchmarks.note quick"


def test_no_number_is_written_by_hand() -> None:
    """Decimals, fractions and thousands stand in gaps, but for those that are declared."""
    text = re.sub(r"```.*?```|`[^`\n]*`|\]\([^)]*\)", "", TEXT, flags=re.DOTALL)
    declared = {"1/4", "1/2", "1/8", "1/20", "1/100", "19/20", "4/5", "5/4", ".1", ".2", ".4"}
    declared |= {".9", ".99"}
    found = set(re.findall(r"(?<![\w.])(?:\d*\.\d+|\d+/\d+|\d{1,3}(?:,\d{3})+)(?![\w.])", text))
    assert {number for number in found if not is_section(number)} <= declared


def is_section(number: str) -> bool:
    """Whether it is the number of a statement or a section, such as 6.4."""
    return bool(re.fullmatch(r"\d\.\d", number))


def test_every_section_has_its_values() -> None:
    gaps = set(note.GAP.findall(TEXT))
    assert {section for section, _ in gaps} == {*note.QUICK, *note.SLOW}
    assert {*note.recorded()} == {*note.SLOW}
    assert all(name in note.recorded()[part] for part, name in gaps if part in note.SLOW)


def test_the_rows_that_are_quoted_exist() -> None:
    assert {*note.ROWS.values()} <= {row.name for row in statements()}


def test_what_takes_long_for_smaller_cases() -> None:
    """The recorded counts come from functions that are right over three points and for n = 2."""
    found = small_classes.classes(3)
    assert (found["classes"], found["named"]) == ("45", "255")
    assert (found["none_1"], found["outside_1"]) == ("0", "2")
    assert "| 2 | 1 | 7 | 7 | 16 |" in found["leaves"]
    assert str(lemmas.nine(2, larger_or_0)[0]) == note.recorded()["larger_n"]["two_k0"]


@pytest.mark.parametrize("name", FIGURES)
def test_the_figures_are_up_to_date(name: str) -> None:
    pytest.importorskip("matplotlib")
    kept = (note.DOCS / "figures" / f"{name}.svg").read_text(encoding="utf-8")
    drawn = FIGURES[name]().decode()
    assert words(kept) == words(drawn), "run python -m benchmarks.note quick"


def words(svg: str) -> list[str]:
    return re.findall(r"<text[^>]*>(.*?)</text>", svg, re.DOTALL)


def test_the_learner_itself_has_no_frequent_rule_there() -> None:
    """Its code shares nothing with the exact sums: 300 runs for k = 1, where 75 are stated."""
    points = range(lemmas.ELEVEN_POINTS)
    H = FiniteClass.from_array([[row >> x & 1 for x in points] for row in ELEVEN])
    examples, weights = zip(*lemmas.eleven_game(5, lyu).chances.items(), strict=True)
    rng, found = random.Random(12), Counter[object]()
    domain = list(H.domain)
    for _ in range(300):
        blocks = (
            [(domain[x], y) for x, y in rng.choices(examples, list(map(float, weights)), k=5)]
            for _ in range(1000)
        )
        found[stable_rule(H, 1, blocks, rng)] += 1
    exact = float(lemmas.eleven(5, lyu)[1])
    assert abs(found.most_common(1)[0][1] / 300 - exact) < 0.08
