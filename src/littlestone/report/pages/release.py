"""The page of a release: a rule, its guarantee, how good it is, its budget, and how to use it."""

from __future__ import annotations

import re
import shlex
from fractions import Fraction

from littlestone.hypotheses.trees import DecisionTree
from littlestone.learners.estimate import BETA, Estimate, Share, interval
from littlestone.learners.release import Release
from littlestone.markup import Html, tag
from littlestone.pictures.chart import Bar, Chart, Row
from littlestone.privacy.cost import decimal_text
from littlestone.privacy.ledger import Ledger
from littlestone.report.pages.budget import own_budget, paid_from
from littlestone.report.pages.cite import citing
from littlestone.report.pages.frame import (
    command,
    facts,
    figure,
    listed,
    note,
    page,
    part,
    said,
    section,
    warning,
)
from littlestone.report.pages.promise import one_person
from littlestone.visible import shortened

SIMULATION = (
    "This is a simulation. It was drawn with a seeded generator, which can be replayed, so it is NOT "
    "PRIVATE, and no promise on this page holds."
)


def release_page(release: Release, ledger: Ledger | None = None) -> str:
    """The page of a release, from the release alone; with its ``ledger``, the whole budget too.

    Raises `DeclarationError` if the ledger has no entry that paid for the release.
    """
    rule = rule_words(release)
    head = [] if release.private else [warning(SIMULATION)]
    head += [tag("p", rule, class_="rule"), facts(_numbers(release))]
    sections = [
        section("The rule", *_rule(release)),
        section("What the guarantee means for one person", _promise(release)),
        section("How good is it?", *_accuracy(release)),
        section("Budget", *_budget(release, ledger)),
        section("How to use and reproduce it", *_reproduce(release)),
        citing(f"{rule} Ledger entry {release.receipt}", release.cost, release.mechanism),
    ]
    kind = "Private release" if release.private else "Simulated release"
    source = "the release" if ledger is None else "the release and its ledger"
    return page(release.label, kind, head, sections, source)


def rule_words(release: Release) -> str:
    """The rule as a sentence.

    >>> from littlestone.domains import Grid
    >>> from littlestone.hypotheses import StepFunction
    >>> from littlestone.privacy.cost import PrivacyCost
    >>> rule = StepFunction.threshold(Grid(0, 120, "age"), 60)
    >>> release = Release(rule, "thresholds(age, 0..120)", "ill == 1", 9, PrivacyCost(Fraction(1)),
    ...                   "exponential mechanism", True, 1)
    >>> rule_words(release)
    'Predict ill == 1 if age >= 60, and not otherwise.'
    """
    words, label = release.hypothesis.words(), release.label
    if release.labels:
        return f"{label}: {release.hypothesis.named(release.labels)}."
    constant = {"always 0": f"Never predict {label}.", "always 1": f"Always predict {label}."}
    if words in constant:
        return constant[words]
    tree = release.hypothesis
    if isinstance(tree, DecisionTree) and not tree.condition:
        return f"{label} (1) or not (0): {words}."
    return f"Predict {label} if {words}, and not otherwise."


def _numbers(release: Release) -> list[tuple[str, str]]:
    many = "records" if release.unit is None else f"values of {release.unit.column}"
    return [
        ("epsilon", decimal_text(release.cost.epsilon)),
        ("delta", decimal_text(release.cost.delta)),
        (many, f"{release.units or release.n:,}"),
        ("ledger entry", str(release.receipt)),
    ]


def _rule(release: Release) -> list[Html]:
    picture = release.picture()
    parts = [said(f"It was drawn from a declared class of rules, {shortened(release.hypotheses)}.")]
    if not release.mistakes.equal:
        parts.append(said(f"Mistakes do not all cost the same: {release.mistakes}."))
    if picture is not None:
        caption = "The rule. All its ranges and lists are public, and no record is shown."
        parts.append(figure(picture, caption))
    return parts


def _promise(release: Release) -> Html:
    among = f"the {release.n:,} records{release.span()}"
    if release.unit is not None:
        among = f"those of the {release.units:,} values of {release.unit.column}{release.span()}"
    what = "this rule" if release.estimate is None else "this rule with its estimates"
    return one_person(release.cost, among, what, release.whom())


def _accuracy(release: Release) -> list[Html]:
    promised = release.accuracy or "This model file does not say what is proved about the error."
    parts = [said(promised)]
    if not promised.startswith(("No accuracy guarantee", "This model file")):
        parts.append(
            note(
                "This is a theorem. It holds whatever the records are, if they and the new ones are "
                "drawn independently from one source. The probability is over records and noise."
            )
        )
    found = [part("Promised for new records", *parts)]
    if release.estimate is not None:
        found.append(part("Estimated on these records", *_estimated(release.estimate)))
    return found


def _estimated(estimate: Estimate) -> list[Html]:
    shares = {
        "precision": (
            estimate.precision(BETA),
            "of the records where the rule says yes, yes is right",
        ),
        "recall": (estimate.recall(BETA), "of the records where yes is right, the rule says yes"),
        "error": (estimate.error(BETA), "of all records, the rule is wrong"),
    }
    rows = tuple(
        Row(f"{name}: {interval(share, '0.001')}", words, _bars(share))
        for name, (share, words) in shares.items()
    )
    chart = Chart("Estimates with intervals", "share of records", 0, 1, rows, percent=True)
    chance = f"{float(1 - BETA):.0%}"
    return [
        figure(
            chart.picture(),
            f"The bars hold the true shares, all three with probability {chance} over the noise. "
            "The mark in each bar is the likeliest value.",
            chart=True,
        ),
        note(
            "These numbers are private too: noise was added to three counts, for epsilon "
            f"{decimal_text(estimate.epsilon)} of the total. They describe the records that the rule "
            "was learned from, so on new records it may do a little worse."
        ),
    ]


def _bars(share: Share) -> tuple[Bar, ...]:
    middle, half = float(share.middle), 0.0025
    return (
        Bar(float(share.low), float(share.high)),
        Bar(max(middle - half, 0.0), min(middle + half, 1.0), "ink"),
    )


def _budget(release: Release, ledger: Ledger | None) -> list[Html]:
    cost = said(f"This release cost {release.cost}. Entry {release.receipt} of the ledger paid for it "
                "before anything was drawn.")  # fmt: skip
    if ledger is None:
        return [cost, *own_budget(release)]
    account = paid_from(ledger, release.receipt, release.cost, release.mechanism)
    return [cost, said(f"The data set {account.name}, with all its entries:"),
            account.body(own=release.receipt)]  # fmt: skip


def _reproduce(release: Release) -> list[Html]:
    drawn = "by the cryptographic generator of the system" if release.private else "with a seed"
    rows = [
        ("label", release.label),
        *([("names of the labels", ", ".join(release.labels))] if release.labels else []),
        ("class", shortened(release.hypotheses)),
        ("mechanism", release.mechanism),
        ("privacy", str(release.cost)),
        ("drawn", drawn),
    ]
    return [
        said(
            "The rule is fixed. Its predictions for a table with these columns are always the same:"
        ),
        command("littlestone predict MODEL.json TABLE.csv"),
        said(
            "The draw cannot be repeated, because its randomness is kept nowhere. A new run with the "
            "same declarations draws a rule anew, maybe another one, and costs the same once more:"
        ),
        command(fit_command(release)),
        listed(rows),
    ]


def fit_command(release: Release) -> str:
    """A command that learns from the same declarations, in the style of a shell.

    The text of a label may be read in several ways if a column's name holds a comparison; then its
    parts are left to the reader.
    """
    privacy = release.cost
    epsilon = privacy.epsilon - (release.estimate.epsilon if release.estimate else Fraction(0))
    options = [*_label(release), "--class", release.hypotheses, "--epsilon", decimal_text(epsilon)]
    if privacy.delta:
        options += ["--delta", decimal_text(privacy.delta)]
    if release.estimate is not None:
        options += ["--estimate", decimal_text(release.estimate.epsilon)]
    if not release.mistakes.equal:
        options += ["--cost", f"{release.mistakes.missed}:{release.mistakes.alarm}"]
    if release.unit is not None:
        options += ["--unit", release.unit.column, "--max-records", str(release.unit.most)]
    return shlex.join(["littlestone", "fit", "TABLE.csv", *options])


def _label(release: Release) -> list[str]:
    if release.labels:
        names = (f'"{name}"' if "," in name else name for name in release.labels)
        return ["--target", release.label, "--labels", ",".join(names)]
    places = list(re.finditer(r" (>=|<=|==|!=|>|<|in) ", release.label))
    if len(places) != 1:
        return ["--target", "COLUMN", "--positive", "CONDITION"]
    column, condition = release.label[: places[0].start()], release.label[places[0].start() + 1 :]
    return ["--target", column, "--positive", condition]
