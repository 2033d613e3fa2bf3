"""The page of the atlas: how many classes have each dimension, and all classes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from littlestone.atlas import QUANTITIES, burnside
from littlestone.atlas.listing import Entry, columns
from littlestone.markup import Html
from littlestone.report.pages.frame import facts, note, page, said, section, table

_SHOWN = ("ldim", "vc", "dual_ldim", "dual_vc", "threshold", "teaching", "star", "ddim1", "ddim2",
          "ddim3")  # fmt: skip


def across(entries: Sequence[Entry], down: str, right: str) -> tuple[list[str], list[list[str]]]:
    """The numbers of classes by two quantities: a table's headings and rows.

    >>> from littlestone.atlas import atlas
    >>> across(list(atlas(1)), "ldim", "vc")
    (['ldim', 'vc 0', 'vc 1'], [['0', '1', '0'], ['1', '0', '1']])
    """
    counts = Counter((entry.values[down], entry.values[right]) for entry in entries)
    downs, rights = sorted({a for a, _ in counts}), sorted({b for _, b in counts})
    rows = [[str(a), *(f"{counts[a, b]:,}" for b in rights)] for a in downs]
    return [down, *(f"{right} {b}" for b in rights)], rows


def atlas_page(points: int, entries: Sequence[Entry]) -> str:
    """The page of all classes over some points."""
    about = [
        said(
            f"A class over {points} points is a set of functions from the points to 0 and 1. Two "
            "classes are the same up to renaming if one becomes the other when points change places, "
            "or when the labels 0 and 1 are exchanged at all points together."
        ),
        note("The number of classes is that of Burnside's lemma, which lists none of them."),
    ]
    if len(entries) != burnside(points):
        raise AssertionError("the list is not complete")
    head = [
        facts(
            [
                ("classes up to renaming", f"{len(entries):,}"),
                ("classes", f"{sum(entry.renamings for entry in entries):,}"),
            ]
        )
    ]
    sections = [
        section("What it lists", *about),
        section("How many have each value", *_counts(entries)),
        section("All classes", *_all(entries)),
    ]
    return page(
        f"All classes over {points} points", "Atlas", head, sections, "the number of points"
    )


def _counts(entries: Sequence[Entry]) -> list[Html]:
    parts = [table(*across(entries, "ldim", "vc"), "Littlestone and VC dimension")]
    values = range(1 + max(entry.values[name] for entry in entries for name in _SHOWN))
    rows = []
    for name in _SHOWN:
        counts = Counter(entry.values[name] for entry in entries)
        rows.append(
            [QUANTITIES[name].words, *(f"{counts[v]:,}" if counts[v] else "" for v in values)]
        )
    parts.append(table(["quantity", *map(str, values)], rows, "Classes by each quantity"))
    return parts


def _all(entries: Sequence[Entry]) -> list[Html]:
    named = columns(entries)
    rows = zip(*(map(_text, values) for values in named.values()), strict=True)
    headings = [name.replace("_", " ") for name in named]
    return [
        said("Each hypothesis is written as its labels at the points, in order."),
        table(headings, rows, "All classes"),
    ]


def _text(value: object) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)
