"""How good a release is: what is proved about new records, and private estimates with intervals."""

from __future__ import annotations

from littlestone.base.markup import Html
from littlestone.learn.results.estimate import BETA, Estimate, Share, interval
from littlestone.learn.results.release import Release
from littlestone.pictures.chart import Bar, Chart, Row
from littlestone.privacy.cost import decimal_text
from littlestone.show.pages.frame import figure, note, part, prose
from littlestone.show.words import NOT_ESTIMATED

_MARK = 0.0025  # half of the width of the mark of the likeliest value


def quality(release: Release, *, group: bool) -> list[Html]:
    """The promises and the estimates of a rule or of a ``group``."""
    promised = release.accuracy or "This model file does not say what is proved about the error."
    parts = [prose(promised)]
    if not promised.startswith(("No accuracy guarantee", "This model file")):
        clean = promised.startswith("If some rule")
        setting = "clean labels" if clean else "any labels, even if no rule fits them"
        parts.append(
            note(
                f"The setting: {setting}. This is a theorem. It holds whatever the records are, if "
                "they and the new ones are drawn independently from one source. The probability is "
                "over records and noise."
            )
        )
    found = [part("Promised for new records", *parts)]
    if release.estimate is not None:
        shares = _of_group(release.estimate) if group else _of_rule(release.estimate)
        chart = _chart(shares)
        found.append(part("Estimated on these records", chart, _explanation(release.estimate)))
    elif release.hypothesis.labels == 2:
        missing = f"The share of positives is {NOT_ESTIMATED}."
        found.append(part("Estimated on these records", prose(missing)))
    return found


def _of_rule(estimate: Estimate) -> dict[str, tuple[Share, str]]:
    return {
        "positives": (
            estimate.positive(BETA),
            "of all records, those where yes is right; always saying no errs on as many",
        ),
        "precision": (
            estimate.precision(BETA),
            "of the records where the rule says yes, yes is right",
        ),
        "recall": (estimate.recall(BETA), "of the records where yes is right, the rule says yes"),
        "error": (estimate.error(BETA), "of all records, the rule is wrong"),
        **_of_unread(estimate),
    }


def _of_unread(estimate: Estimate) -> dict[str, tuple[Share, str]]:
    shares = estimate.unread_shares(BETA)
    if shares is None:
        return {}
    cells, labels = shares
    return {
        "unread cells": (
            cells,
            "of all records, those with a cell that the declarations cannot read",
        ),
        "unread labels": (labels, "of all records, those with a label that they cannot read"),
    }


def _of_group(estimate: Estimate) -> dict[str, tuple[Share, str]]:
    return {
        "size": (estimate.coverage(BETA), "of all records, those in the group"),
        "rate": (estimate.precision(BETA), "of the records in the group, the positive ones"),
        "overall": (estimate.positive(BETA), "of all records, the positive ones"),
    }


def _chart(shares: dict[str, tuple[Share, str]]) -> Html:
    rows = tuple(
        Row(f"{name}: {interval(share, '0.001')}", words, _bars(share))
        for name, (share, words) in shares.items()
    )
    chart = Chart("Estimates with intervals", "share of records", 0, 1, rows, percent=True)
    caption = (
        f"The bars hold the true shares, all of them with probability {float(1 - BETA):.0%} over the "
        "noise. The mark in each bar is the likeliest value."
    )
    return figure(chart.picture(), caption, chart=True)


def _bars(share: Share) -> tuple[Bar, ...]:
    middle = float(share.middle)
    mark = Bar(max(middle - _MARK, 0.0), min(middle + _MARK, 1.0), "ink")
    return Bar(float(share.low), float(share.high)), mark


def _explanation(estimate: Estimate) -> Html:
    return note(
        "These numbers are private too: noise was added to three counts"
        f"{' of the rule and two of unread records' if estimate.unread else ''}, for epsilon "
        f"{decimal_text(estimate.total_epsilon)} of the total. They describe the records that the rule "
        "was learned from, so on new records it may do a little worse."
    )
