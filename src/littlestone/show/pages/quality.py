"""How good a release is: what is proved about new records, and private estimates with intervals."""

from __future__ import annotations

from littlestone.base.markup import Html
from littlestone.learn.results.estimate import BETA, Estimate, Share, interval, say_baseline
from littlestone.learn.results.quality import Quality
from littlestone.learn.results.release import Release
from littlestone.learn.results.risks import Risks
from littlestone.pictures.chart import Bar, Chart, Row, Square
from littlestone.privacy.cost import decimal_text
from littlestone.show.pages.frame import figure, note, part, prose, table
from littlestone.show.words import not_estimated

_MARK = 0.0025  # half of the width of the mark of the likeliest value


def quality(release: Release) -> list[Html]:
    """The promises and the estimates of a rule or of a group."""
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
    if release.risks is not None:
        own = release.risks.own_rates
        title = "The risk at each place of the rule" if own is None else "The risks of the totals"
        found.append(part(title, *_places(release, release.risks)))
    if release.quality is not None:
        found.append(part("Measured privately on these records", *_figures(release.quality)))
    if release.estimate is not None:
        shares = _of_group(release.estimate) if release.group else _of_rule(release.estimate)
        chart = _chart(shares)
        found.append(part("Estimated on these records", chart, _explanation(release.estimate)))
    elif release.hypothesis.labels == 2 and release.risks is None:
        missing = f"The share of positives is {not_estimated(release)}."
        found.append(part("Estimated on these records", prose(missing)))
    return found


def _places(release: Release, risks: Risks) -> list[Html]:
    """The places of the rule with their sizes and risks, as a table and as a chart."""
    names = release.labels or ("0", "1")
    two = risks.rule.labels == 2
    told = [1] if two else range(risks.rule.labels)
    rows, bars, own = [], [], risks.own_rates
    for i, (place, shares) in enumerate(zip(risks.places, risks.intervals, strict=True)):
        said = [interval(shares[y], "0.001") for y in told]
        said = said if own is None else [f"{own[i]:.3f}", *said]
        rows.append([place.words, names[place.label], interval(risks.size(i), "0.001"), *said])
        mark = None if own is None else own[i]
        bars += [
            Row(place.words if two else f"{names[y]}: {place.words}", "", _bars(shares[y], mark))
            for y in told
        ]
    headings = ["records with", "label", "share of records"]
    headings += ["risk"] if two else [f"risk of {names[y]}" for y in told]
    headings += [] if own is None else ["share of yes among them"]
    kind = "new records" if risks.speaks_of_new else "these records"
    chart = Chart("Risks with intervals", "risk", 0, 1, tuple(bars), percent=True)
    caption = (
        f"The bars hold the true {'risks' if own is None else 'shares of yes'} among {kind}, all of "
        f"them with probability "
        f"{float(1 - BETA):.0%}. The mark in each bar is the risk that the release says."
    )
    about = note(
        "These numbers are private too: noise was added to the number of records of each label at each "
        f"place, for epsilon {decimal_text(risks.epsilon)} of the total."
    )
    return [
        table(headings, rows, "The places"),
        figure(chart.picture(), caption, chart=True),
        *(note(f"{said[0].upper()}{said[1:]}.") for _, said in risks.other_labels(names)),
        about,
    ]


def _figures(quality: Quality) -> list[Html]:
    """The figures of a rule of two labels, its ROC curve and its calibration."""
    words = {
        "positives": _of_positives(quality.positives),
        "error": "of all records, the rule is wrong",
        "recall": "of the records where yes is right, the rule says yes",
        "specificity": "of the records where no is right, the rule says no",
        "precision": "of the records where the rule says yes, yes is right",
        "auc": "a record with yes has a larger risk than one with no",
    }
    shown = {name: (share, words[name]) for name, share in quality.shares().items()}
    points = quality.roc
    curve, low, high = (
        tuple((float(f), float(s)) for f, s in line)
        for line in (
            [(f.middle, s.middle) for f, s in points],
            [(f.high, s.low) for f, s in points],
            [(f.low, s.high) for f, s in points],
        )
    )
    roc = Square("ROC curve", "1 - specificity", "recall", curve, (low, high))
    ranges = tuple(
        (risk, float(share.low), float(share.middle), float(share.high))
        for risk, share in quality.calibration
    )
    largest = max(top for risk, _, _, high in ranges for top in (risk, high))
    most = next(top for top in (0.05, 0.1, 0.2, 0.5, 1.0) if largest <= top)
    said = Square("Calibration", "risk that the release says", "share", ranges=ranges, most=most)
    own = quality.risks.rule.risks is not None
    return [
        _chart(shown),
        figure(
            roc.picture(),
            "Recall, also called sensitivity, and specificity if yes is said from a risk on, for each "
            "risk. The true curve lies in the band.",
            chart=True,
        ),
        figure(
            said.picture(),
            "The risk that the release says, and the share of yes among these records. The lines hold "
            f"the true shares, all of them with probability {float(1 - BETA):.0%}. "
            + ("" if own else "The risks come from the same private table."),
            chart=True,
        ),
        note(
            "All of it is computed from the private table of risks, so it costs nothing more. The "
            "intervals of the figures and the band of the curve hold together with probability "
            f"{float(1 - BETA):.0%} over the noise. They describe the records that the rule was "
            "learned from, so on new records it may do a little worse."
        ),
    ]


def _of_positives(positives: Share) -> str:
    return f"of all records; {say_baseline(positives, 'saying', 'no', 'yes')}"


def _of_rule(estimate: Estimate) -> dict[str, tuple[Share, str]]:
    return {
        "positives": (estimate.positive(BETA), _of_positives(estimate.positive(BETA))),
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


def _bars(share: Share, middle: float | None = None) -> tuple[Bar, ...]:
    """The interval and a mark in it, at the likeliest value or at another."""
    middle = float(share.middle) if middle is None else middle
    mark = Bar(max(middle - _MARK, 0.0), min(middle + _MARK, 1.0), "ink")
    return Bar(float(share.low), float(share.high)), mark


def _explanation(estimate: Estimate) -> Html:
    return note(
        "These numbers are private too: noise was added to three counts"
        f"{' of the rule and two of unread records' if estimate.unread else ''}, for epsilon "
        f"{decimal_text(estimate.total_epsilon)} of the total. They describe the records that the rule "
        "was learned from, so on new records it may do a little worse."
    )
