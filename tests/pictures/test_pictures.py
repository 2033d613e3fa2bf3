"""Pictures are the same as SVG and on the axes of matplotlib, and show no record."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest
from matplotlib import pyplot
from matplotlib.axes import Axes

import littlestone
from example_pages import RULES, release
from littlestone.base.errors import OutputError
from littlestone.learn.stream import online_choice
from littlestone.pictures.chart import Bar, Chart, Publication, Row, publications
from littlestone.points import Strings
from littlestone.privacy.cost import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.randomness import seeded_generator
from littlestone.show.tree import chart_of_plan, drawing_of_release
from littlestone.theory.game import Transcript


@pytest.fixture(autouse=True)
def _closed() -> Any:
    yield
    pyplot.close("all")


def texts(svg: str) -> list[str]:
    return [unescape(text) for text in re.findall(r"<text [^>]*>([^<]*)</text>", svg)]


@pytest.mark.parametrize("name", [name for name in RULES if name != "table"])
def test_a_rule_is_drawn_once(name: str) -> None:
    model = release(RULES[name])
    axes = model.plot()
    assert isinstance(axes, Axes)
    assert [text.get_text() for text in axes.texts] == texts(drawing_of_release(model).svg())
    assert model._repr_html_().startswith("<table><tr><th")
    assert "<svg" in model._repr_html_()


def test_trees_and_games_show_themselves() -> None:
    tree = littlestone.tree("thresholds(x, 1..7)")
    assert tree._repr_html_().startswith("<svg")
    assert isinstance(tree.plot(), Axes)
    game = littlestone.play("thresholds(x, 1..1000)")
    assert game._repr_html_().count("<tr>") == 10
    assert "9 mistakes in 9 rounds" in game._repr_html_()
    long = Transcript(game.rounds * 10)._repr_html_()
    assert long.count("<tr>") == 52
    assert "<td" not in Transcript(())._repr_html_()


def test_a_plan_shows_itself() -> None:
    plan = littlestone.plan("subsets(merchant; at most 2)", epsilon=1, delta="1e-6")
    assert '<td style="text-align:left">667</td>' in plan._repr_html_()
    axes = plan.plot()
    assert isinstance(axes, Axes)
    assert axes.get_xscale() == "log"
    assert "at least 209: any private learner that releases" in chart_of_plan(plan).picture().svg()
    low, high = axes.get_xlim()
    assert low <= 209 < max(row.realizable.n for row in plan.rows if row.realizable) <= high


def feed_doors(stream: Any) -> None:
    for t in range(900):
        stream.update(f"d{t % 2}" if t % 5 == 0 else f"x{t}", int(t % 5 == 0))


def test_the_figure_of_a_stream_shows_all_of_it() -> None:
    H = littlestone.parse_class("subsets(id; at most 2)")
    learner, _ = online_choice(H, Budget(1, "1e-6"), horizon=900, method="auto")
    with Ledger() as ledger:
        stream = learner.start(ledger=ledger, dataset="doors", rng=seeded_generator(1))
        before = stream.publications
        feed_doors(stream)
    assert [step for step, _ in before] == [0]
    steps = [step for step, _ in stream.publications]
    assert len(steps) > 1
    assert (steps[-1], stream.publications[-1][1]) == (stream.published_at, stream.hypothesis)
    axes = stream.plot()
    assert axes.get_xlim() == (0, 900)
    assert len(axes.get_yticks()) == len(steps)
    assert axes is stream.plot(axes)


def test_what_the_disk_does_not_hold_is_not_shown() -> None:
    """The line of the first publication cannot be written."""
    H = littlestone.parse_class("subsets(id; at most 2)")
    learner, _ = online_choice(H, Budget(1, "1e-6"), horizon=900, method="auto")
    begun: list[Any] = []

    def keep(_: object) -> None:
        if begun and begun[0]._published_at:
            raise OutputError("keep a run", found="the disk is full", fix="make room")

    with Ledger() as ledger:
        begun.append(learner.begin(learner.pay(ledger, "d", "bad", seeded_generator(1)), keep))
    with pytest.raises(OutputError):
        feed_doors(begun[0])
    assert [step for step, _ in begun[0].publications] == [0]
    assert begun[0].published_at == 0


def test_a_run_of_one_step_and_names_of_any_kind() -> None:
    h = Strings("id")
    assert h.name == "id"
    chart = publications([Publication(0, "$x$ \n<b>"), Publication(1, "y" * 90)], 1, "a run")
    assert chart.plot().get_xlim() == (0, 1)
    assert "<b>" not in chart.picture().svg()
    many = publications([Publication(i, str(i)) for i in range(40)], 50, "a run")
    assert [row.name for row in many.rows] == ["40 rules"]


@pytest.mark.parametrize(
    ("low", "high"), [(0, 1), (0, 1e-9), (0, 4000), (0, 3), (0, 0.37), (0, 10**9), (0, 7e11)]
)
def test_ticks_are_few_and_inside(low: float, high: float) -> None:
    chart = Chart("c", "x", low, high, (Row("a", bars=(Bar(low, high),)),))
    places = [place for place, _ in chart.ticks()]
    assert 2 <= len(places) <= 6
    assert low <= min(places) <= max(places) <= high * (1 + 1e-9)
    log = Chart("c", "x", 1, 10 ** len(str(int(high) + 1)), chart.rows, log=True)
    assert 2 <= len(log.ticks()) <= 7
    assert len({text for _, text in chart.ticks()}) == len(places)
