"""A model card: what a release says, in Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable

from littlestone.base.errors import visible
from littlestone.learn.results.release import Release
from littlestone.show.words import declared_rows, rows_of_release, warning

_LEFT_OUT = ("rule", "warning", "spent so far")
"""Rows shown at the top, and one that a model file does not keep."""


def model_card(release: Release) -> str:
    """The card of a release; see `Release.card`."""
    rule = release.hypothesis
    labels = release.labels or ("0", "1")
    rows = [row for row in rows_of_release(release) if row[0] not in _LEFT_OUT]
    lines = [
        "# Model card",
        "",
        f"**{_escape(release.words())}**",
        "",
        *(f"> **{heading}**: {_escape(text)}\n" for heading, text in warning(release)),
        "## Release",
        "",
        "| | |",
        "|---|---|",
        *(f"| {heading} | {_escape(text)} |" for heading, text in rows),
        "",
        "## Declared",
        "",
        *(f"* {heading}: {_escape(text)}" for heading, text in declared_rows(release)),
        "",
        "## Use",
        "",
        f"It reads {_join_names(rule.tested_columns)} "
        f"and gives one of the labels {_join_names(labels)}.",
        "It says nothing about causes. Its guarantee is about the records that it was learned from.",
        "Predictions reveal the records that they are made of.",
        "",
        "Each value stands for a point of its declared column, a missing one too.",
    ]
    return "\n".join(lines) + "\n"


def _escape(text: str) -> str:
    """The text in one line of Markdown, with nothing in it that Markdown or HTML would read."""
    return re.sub(r"([\\`*_{}\[\]<>#|~$&!])", r"\\\1", visible(text))


def _join_names(names: Iterable[str]) -> str:
    return ", ".join(map(_escape, names))
