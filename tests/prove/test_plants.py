"""The audit catches every plant, and finds nothing in the honest version by the very same check."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from plants.harness import Plant, plants

pytestmark = pytest.mark.deep


@cache
def passes(check: Callable[[Any], bool], made: Any) -> bool:
    """Many plants share one honest version."""
    return check(made)


@pytest.mark.parametrize("plant", plants(), ids=lambda plant: plant.name)
def test_every_plant_is_caught(plant: Plant) -> None:
    assert passes(plant.check, plant.honest), f"the honest version fails: {plant.mistake}"
    assert not plant.check(plant.broken), f"not caught: {plant.mistake}"


def test_the_catalogue_is_found() -> None:
    names = [plant.name for plant in plants()]
    assert len(names) == len(set(names)) > 70


def test_the_page_lists_the_catalogue() -> None:
    page = Path(__file__).parents[2] / "docs" / "planted-bugs.md"
    listed = [line for line in page.read_text(encoding="utf-8").splitlines() if line[:3] == "| `"]
    assert listed == [f"| `{plant.name}` | {plant.mistake} |" for plant in plants()]
