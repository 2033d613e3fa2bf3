"""Pages as a browser shows them: on a phone and a desktop, in the light and in the dark, and printed.

They skip without Playwright or without Chromium; `make browser` installs the first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from browsing import CONTRAST

from example_pages import run_lines, spent, variants
from littlestone.privacy.ledger import Ledger
from littlestone.show.pages.budget import ledger_page
from littlestone.show.pages.release import release_page
from littlestone.show.pages.stream import Run, stream_page

WIDTHS = (390, 1280)
NAMES = (
    "threshold",
    "tree",
    "estimated",
    "risks",
    "sheet",
    "named",
    "simulated",
    "hostile",
    "run",
    "ledger",
)

Shown = Callable[..., Any]


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    made = {name: release_page(model) for name, model in variants().items()}
    made["run"] = stream_page(Run.of(run_lines()))
    with Ledger(spent(folder / "l")) as ledger:
        made["ledger"] = ledger_page(ledger, "l")
    for name, page in made.items():
        (folder / f"{name.replace(' ', '-')}.html").write_text(page, encoding="utf-8")
    return {name: folder / f"{name.replace(' ', '-')}.html" for name in made}


@pytest.fixture
def shown(chromium: Any, pages: dict[str, Path]) -> Iterator[Shown]:
    opened: list[Any] = []

    def show(name: str, width: int, **options: Any) -> Any:
        context = chromium.new_context(viewport={"width": width, "height": 900}, **options)
        opened.append(context)
        page = context.new_page()
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.on("dialog", lambda dialog: asked.append("a dialog"))
        page.goto(pages[name].as_uri())
        assert asked == [pages[name].as_uri()]
        return page

    yield show
    for context in opened:
        context.close()


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", NAMES)
def test_a_page_fits_and_can_be_read(shown: Shown, name: str, width: int) -> None:
    """Nothing sticks out, nothing is loaded or run, and all text has the contrast of WCAG AA."""
    for scheme in ("light", "dark"):
        page = shown(name, width, color_scheme=scheme)
        assert page.evaluate("document.documentElement.scrollWidth") == width
        least, where = page.evaluate(CONTRAST)
        assert least >= 4.5, where
        assert page.title().startswith(("Priva", "Simulated "))
        assert page.evaluate("document.scripts.length") == 0


def test_the_dark_page_is_dark_and_the_printed_one_is_light(shown: Shown) -> None:
    page = shown("estimated", 1280, color_scheme="dark")
    ground = "getComputedStyle(document.documentElement).backgroundColor"
    assert page.evaluate(ground) == "rgb(20, 24, 29)"
    page.emulate_media(media="print")
    assert page.evaluate(ground) == "rgb(255, 255, 255)"
    assert page.evaluate(CONTRAST)[0] >= 4.5


def test_a_wide_picture_scrolls_by_itself(shown: Shown) -> None:
    page = shown("tree", 390)
    wide = page.locator(".wide .scroll")
    assert wide.evaluate("e => e.scrollWidth > e.clientWidth")
    wide.focus()
    page.keyboard.press("ArrowRight")
    # It moves smoothly, and the policy of the page forbids the function that would wait for it.
    moved = any(page.wait_for_timeout(20) or wide.evaluate("e => e.scrollLeft") for _ in range(250))
    assert moved


def test_a_sheet_shrinks_with_the_page(shown: Shown) -> None:
    page = shown("sheet", 390)
    picture = page.locator("svg").first
    assert picture.evaluate("e => e.getBoundingClientRect().right") <= 390
    assert page.locator(".wide .scroll").count() == 0


def test_a_page_is_read_without_scripts(shown: Shown) -> None:
    page = shown("threshold", 390, java_script_enabled=False)
    assert page.locator("h2").all_text_contents()[1] == "What the guarantee means for one person"
    assert page.locator("svg[role=img]").count() == 1
