"""The figures of rules in the documentation, each of a rule that its page learns, and its game.

Written to ``docs/figures``; a test compares their words with what is drawn now.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from rich.console import Console

from littlestone.classes import parse_class
from littlestone.learn import Release
from littlestone.points import Product
from littlestone.privacy.cost import PrivacyCost
from littlestone.rules.nodes import ColumnTest, Node, Split, conjunction
from littlestone.rules.trees import DecisionTree
from littlestone.show.pages.game import game_page
from littlestone.show.tree import drawing_of_release

FOLDER = Path(__file__).parents[1] / "docs" / "figures"
GAME = "thresholds(x, 1..7)"
"""The class of the game in the tutorial."""


def table(columns: str) -> Product:
    """The domain of these columns."""
    domain = parse_class(f"conditions({columns}; at most 1)").domain
    assert isinstance(domain, Product)
    return domain


def among(domain: Product, column: int, values: tuple[str, ...]) -> ColumnTest:
    """The condition that a column has one of these values."""
    assert set(values) <= set(domain.columns[column])
    return ColumnTest(column, frozenset(values))


def at_least(domain: Product, column: int, cut: str) -> ColumnTest:
    """The condition that a column is at least a cut of its grid."""
    points = tuple(domain.columns[column])
    return among(domain, column, points[points.index(cut) :])


def released(label: str, domain: Product, root: Node) -> Release:
    """A release of this tree, for a figure."""
    cost = PrivacyCost(Fraction(1))
    return Release(DecisionTree(domain, root), "", label, 0, cost, "", True, 0)


def figures() -> dict[str, Release]:
    """What each figure shows."""
    flights = table(
        "dep_delay: -30..180 step 5, carrier in {9E, AA, AS, B6, DL, EV, F9, FL, HA, MQ, OO, UA, US, "
        "VX, WN, YV}"
    )
    late, later = (Split(at_least(flights, 0, cut), 1, 0) for cut in ("20", "25"))
    visits = table("age: 0..120 step 5, ward in {ICU, ER, Surgery}")
    stays = table("age: 0..120 step 5, income: 1..200000 in 30 log steps")
    poor = among(stays, 1, tuple(stays.columns[1])[1:26])
    return {
        "late": released("arr_delay > 15", flights, Split(among(flights, 1, ("EV",)), late, later)),
        "rule": released(
            "readmitted == yes",
            visits,
            conjunction([at_least(visits, 0, "65"), among(visits, 1, ("ICU",))]),
        ),
        "plane": released(
            "readmitted == yes",
            stays,
            conjunction([at_least(stays, 0, "65"), poor]),
        ),
    }


def show(console: Console) -> None:
    """Draw the figures."""
    for name, release in figures().items():
        (FOLDER / f"{name}.svg").write_bytes(drawing_of_release(release).content("svg"))
    (FOLDER / "game.html").write_text(game_page(parse_class(GAME), GAME, GAME), encoding="utf-8")
    console.print(f"drawn: {', '.join(figures())} and the game, in {FOLDER}", highlight=False)
