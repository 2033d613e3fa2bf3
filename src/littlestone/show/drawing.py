"""A release, a plan and a stream as pictures."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor, log10
from typing import Any

from littlestone.base.errors import DeclarationError, shorten
from littlestone.base.markup import Html, join, pairs
from littlestone.learn.plan import Plan
from littlestone.learn.results.release import Release
from littlestone.pictures.canvas import Picture
from littlestone.pictures.chart import Chart, Row
from littlestone.pictures.rule import rule_picture
from littlestone.pictures.stream import Publication, publications
from littlestone.rules import Hypothesis
from littlestone.show.words import rows_of_release

_KEY = ("off", "on", "ink")  # the tones of the sizes in a chart


def picture_of_release(release: Release, *, titled: bool = False) -> Picture | None:
    """The rule on the declared ranges and lists of its columns; None for kinds without a picture.

    No record is drawn.  A title says what is predicted, and the cost.
    """
    simulated = "" if release.private else ", a simulation: NOT PRIVATE"
    title = f"{release.label}, {release.cost}{simulated}" if titled else ""
    return rule_picture(release.hypothesis, release.label, release.labels, title)


def drawing_of_release(release: Release) -> Picture:
    """The picture of the rule with a title; `DeclarationError` for kinds without a picture."""
    picture = picture_of_release(release, titled=True)
    if picture is None:
        raise DeclarationError(
            "draw the rule of a model",
            found=f"rules of its kind have no picture: {shorten(release.words())}",
            fix="print the release, which says the rule in words",
        )
    return picture


def html_of_release(release: Release) -> Html:
    """The content and cost as a table, and the picture of the rule, for a notebook."""
    picture = picture_of_release(release)
    return join([pairs(rows_of_release(release)), picture.svg() if picture else Html()])


def chart_of_plan(plan: Plan) -> Chart:
    """The chart of the sizes: a row for each method that has a known one."""
    sizes = [(row.method, list(zip(row.sizes().values(), _KEY, strict=True))) for row in plan.rows]
    rows = tuple(
        Row(method, dots=tuple((float(n), tone) for n, tone in found if n))
        for method, found in sizes
        if any(n for n, _ in found)
    )
    least = max(plan.lower, key=lambda bound: bound.n, default=None)
    places = [n for row in rows for n, _ in row.dots] + ([least.n] if least else [])
    if not rows:
        raise DeclarationError(
            f"draw a plan for {shorten(plan.hypotheses)}",
            found="no size is known",
            fix="print the plan, which says why",
        )
    marks = ((least.n, f"at least {least.n:,}: {least.learners}"),) if least else ()
    low, high = 10.0 ** floor(log10(min(places))), 10.0 ** ceil(log10(max(places) * 1.01))
    key = tuple((tone, text) for text, tone in zip(plan.rows[0].sizes(), _KEY, strict=True))
    title = f"Records for {plan.goal}, {plan.cost}"
    return Chart(title, "records", low, high, rows, marks, key, log=True)


def chart_of_stream(published: Sequence[tuple[int, Hypothesis[Any]]], horizon: int) -> Chart:
    """The chart of the rules of a stream, each with the step at which it was published."""
    named = [Publication(step, h.words()) for step, h in published]
    return publications(named, horizon, "Published rules")
