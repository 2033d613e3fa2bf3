"""The pages to play with, in a browser: by mouse and keyboard, wide and narrow, light and dark."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browsing import CONTRAST

from littlestone.classes import FiniteClass, HypothesisClass, parse_class
from littlestone.show.pages.game import DECOMPOSITION, MISTAKES, game_page, walk_page
from littlestone.show.tree import class_tree, decomposition_drawing
from littlestone.theory.decomposition import decompose

HOSTILE = "<script>document.title='hacked'</script></script><img src=x onerror=alert(1)>&amp;"
STATUS, CHOICE, COUNTS = "[role=status]", ".choices button:enabled", "#play .facts dd"

Opened = Callable[..., Any]


@pytest.fixture
def opened(chromium: Any, tmp_path: Path) -> Iterator[Opened]:
    """A page in a browser; when the test ends, nothing was loaded and nothing went wrong."""
    contexts, troubles = [], []

    def show(page: str, width: int = 1280, **options: Any) -> Any:
        file = tmp_path / "page.html"
        file.write_text(page, encoding="utf-8")
        context = chromium.new_context(viewport={"width": width, "height": 844}, **options)
        contexts.append(context)
        tab = context.new_page()
        tab.on("pageerror", lambda error: troubles.append(str(error)))
        tab.on("console", lambda message: troubles.append(message.text))
        tab.on("dialog", lambda dialog: troubles.append("a dialog"))
        tab.on("request", lambda request: asked.append(request.url))
        asked: list[str] = []
        tab.goto(file.as_uri())
        assert asked == [file.as_uri()]
        return tab

    yield show
    for context in contexts:
        context.close()
    assert troubles == []


def game(H: HypothesisClass[Any]) -> str:
    return game_page(H, str(H), str(H))


def thresholds(high: int) -> HypothesisClass[Any]:
    return parse_class(f"thresholds(x, 1..{high})")


def test_a_person_predicts(opened: Opened) -> None:
    """The adversary contradicts every prediction; the version space and the dimension shrink."""
    tab = opened(game(thresholds(7)))
    assert tab.locator(COUNTS).all_inner_texts() == ["0", "3", "8 of 8"]
    assert tab.inner_text(".question") == "Round 1: what is the label of 4?"
    for mistakes, (label, left) in enumerate([("1", 4), ("0", 2), ("1", 1)], start=1):
        tab.click(f".choices button:has(b:text-is('{label}'))")
        assert tab.locator(COUNTS).all_inner_texts() == [
            str(mistakes),
            str(3 - mistakes),
            f"{left} of 8",
        ]
        assert tab.locator(".space tbody tr:not(.out)").count() == left
        assert f"You predicted {label}" in tab.inner_text(STATUS)
        assert f"The dimension falls from {4 - mistakes} to {3 - mistakes}" in tab.inner_text(
            STATUS
        )
    assert "You erred 3 times. Against this adversary nobody errs less often." in tab.inner_text(
        STATUS
    )
    assert tab.locator(".log li").count() == 3
    tab.keyboard.press("Enter")  # on "Play again", which has the focus
    assert tab.locator(COUNTS).all_inner_texts() == ["0", "3", "8 of 8"]


def test_a_mistake_that_lowers_nothing(opened: Opened) -> None:
    """With 12 thresholds, one label of the first point keeps the dimension: the SOA predicts it."""
    tab = opened(game(thresholds(11)))
    small = tab.locator(".choices button", has_text="dimension 2")
    assert (small.count(), tab.locator(".choices button").count()) == (1, 2)
    small.click()
    assert "The dimension stays 3. Another prediction would have lowered it." in tab.inner_text(
        STATUS
    )
    while tab.locator(CHOICE).count():
        tab.locator(CHOICE).first.click()
    assert "You erred 4 times. The standard optimal algorithm errs 3 times at most." in (
        tab.inner_text(STATUS)
    )


def test_a_person_answers(opened: Opened) -> None:
    """The algorithm errs at most 3 times, although each of its predictions is contradicted."""
    tab = opened(game(thresholds(7)))
    tab.click("text=You answer")
    assert "Can you make it err more than 3 times?" in tab.inner_text(STATUS)
    for point in ("4", "6", "7"):
        tab.locator(CHOICE).get_by_text(point, exact=True).click()
        predicted = tab.inner_text(".question").split()[3]
        tab.click(f".choices button:not(:has(b:text-is('{predicted}')))")
    assert "It predicted" in tab.inner_text(STATUS)
    assert "The algorithm erred 3 times; its limit is 3." in tab.inner_text(STATUS)


def test_a_point_of_known_label_cannot_be_asked(opened: Opened) -> None:
    tab = opened(game(thresholds(7)))
    tab.click("text=You answer")
    tab.click(f"{CHOICE} >> text=3")
    tab.click("text=Another point")
    tab.click(f"{CHOICE} >> text=6")
    tab.click(".choices button.on")
    assert tab.locator(".choices button:disabled").all_inner_texts() == ["6", "7"]


def test_the_keyboard_alone(opened: Opened) -> None:
    tab = opened(game(thresholds(7)))
    for _ in range(3):  # two sides of the game, then the first label
        tab.keyboard.press("Tab")
    for _ in range(3):
        tab.keyboard.press("Enter")
    assert "The game is over" in tab.inner_text(STATUS)


def test_several_labels(opened: Opened) -> None:
    """The adversary forces two mistakes, and the labels have names."""
    rows = [[x, y] for x in range(3) for y in range(3)]
    H = FiniteClass.from_array(rows, labels=3, points=["a", "b"])
    tab = opened(game_page(H, "pairs", "pairs", ["on time", "late", "gone"]))
    while tab.locator(CHOICE).count():
        tab.locator(CHOICE).last.click()
    assert tab.locator(COUNTS).all_inner_texts() == ["2", "0", "1 of 9"]
    assert "You predicted gone at b. The adversary says on time" in tab.inner_text(STATUS)


def test_one_hypothesis_is_a_game_that_is_over(opened: Opened) -> None:
    tab = opened(game(FiniteClass.from_array([[0, 1]])))
    assert tab.inner_text(".question") == "The game is over."


def tree(width: int = 4) -> str:
    return walk_page(class_tree(thresholds(15), width), MISTAKES, "thresholds", "thresholds")


def test_a_person_walks_a_tree(opened: Opened) -> None:
    tab = opened(tree())
    assert tab.locator(".tree button").count() == 31
    tab.click(".choices button.on")
    assert tab.inner_text(".here") == "4"
    assert tab.inner_text(".ask .note") == "dimension 3, 8 hypotheses"
    assert tab.locator(".tree .taken").count() == 2
    assert tab.inner_text(".tree [aria-current]").startswith("1 4")
    for key in ("ArrowLeft", "ArrowLeft", "ArrowRight"):
        tab.keyboard.press(key)
    assert tab.inner_text(".path") == "8: 1 → 4: 0 → 6: 0 → 7: 1"
    assert tab.inner_text(".here") == "x >= 7"
    assert "x >= 7" in tab.inner_text(STATUS)
    tab.keyboard.press("ArrowUp")
    assert tab.inner_text(".here") == "7"
    tab.click(".tree button:has-text('x >= 13')")
    assert tab.inner_text(".path") == "8: 0 → 12: 0 → 14: 1 → 13: 1"
    assert tab.evaluate("document.activeElement.getAttribute('aria-current')") == "step"
    tab.click("text=Back")
    tab.click("text=Start again")
    assert tab.inner_text(".path") == "Start"


def test_a_large_tree_shows_the_path_and_what_is_beside_it(opened: Opened) -> None:
    tab = opened(walk_page(class_tree(thresholds(100), 6), MISTAKES, "t", "t"))
    for opened_levels in range(4):
        assert tab.locator(".tree button").count() == 3 + 2 * opened_levels
        tab.keyboard.press("Tab") if not opened_levels else None
        tab.click(".choices button.off")


def test_a_decomposition_tree_is_walked(opened: Opened) -> None:
    H = FiniteClass.from_array(np.eye(4, dtype=int)[:, 1:], points=["a", "b", "c"])
    drawn = decomposition_drawing(decompose(H, p=3), H, 4)
    tab = opened(walk_page(drawn, DECOMPOSITION, "t", "t"))
    tab.click(".choices button.on")
    assert tab.inner_text(".ask .kind").lower() == "version space"
    assert tab.inner_text(".here").startswith("LDim 0: x is ")


@pytest.mark.parametrize("kind", ["game", "answer", "walk", "hostile"])
def test_a_page_fits_and_can_be_read(opened: Opened, kind: str) -> None:
    """Before and after a step nothing sticks out, and all text has the contrast of WCAG AA."""
    rows, names = [[0, 1], [1, 0], [1, 1]], [HOSTILE, "b" * 60]
    H = FiniteClass.from_array(rows, points=names, hypotheses=["h", "i", HOSTILE])
    page = {"walk": tree, "hostile": lambda: game_page(H, HOSTILE, HOSTILE, [HOSTILE, "1"])}
    tab = opened(page.get(kind, lambda: game(thresholds(7)))())
    if kind == "answer":
        tab.click("text=You answer")
    for _ in range(2):
        for width, scheme in product((390, 1280), ("light", "dark")):
            tab.set_viewport_size({"width": width, "height": 844})
            tab.emulate_media(color_scheme=scheme)
            assert tab.evaluate("document.documentElement.scrollWidth") == width
            least, where = tab.evaluate(CONTRAST)
            assert least >= 4.5, where
        tab.locator(CHOICE).first.click()
    assert "hacked" not in tab.title().partition("<")[0]
    assert tab.evaluate("document.scripts.length") == 2
    assert tab.locator("img").count() == 0


def test_a_wide_table_shows_the_point_in_question(opened: Opened) -> None:
    tab = opened(game(thresholds(31)), 390)
    left, right = tab.evaluate("""() => {
      const at = document.querySelector('thead .now').getBoundingClientRect();
      return [at.left, at.right];
    }""")
    assert 0 < left < right < 390


def test_without_scripts_a_page_says_what_it_needs(opened: Opened) -> None:
    tab = opened(game(thresholds(7)), java_script_enabled=False)
    assert "This page needs JavaScript." in tab.inner_text("body")
    assert "Every learner can be made to err 3 times." in tab.inner_text("body")
