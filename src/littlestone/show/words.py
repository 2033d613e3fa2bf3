"""What a release and a group say, as pairs (heading, sentence) and as a model card; all is public."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from typing import Any

from littlestone.base.errors import shorten, visible
from littlestone.classes.base import Enumerable, HypothesisClass
from littlestone.data import Label
from littlestone.learn.results.accuracy import Group
from littlestone.learn.results.estimate import BETA, interval
from littlestone.learn.results.release import RANDOMNESS, Release
from littlestone.privacy.cost import PrivacyCost, decimal_text, round_up
from littlestone.privacy.rational import exp_above
from littlestone.rules import ScoreSheet

NOT_ESTIMATED = (
    "not estimated; `{estimate}` adds the share of positives and the rule's error, for 0.1 more "
    "epsilon"
)
_NOT_WITH_UNITS = "not estimated, as the number of records is private; `{one}` allows an estimate"


def align_rows(rows: Sequence[tuple[str, str]]) -> str:
    """The rows as lines, with the texts below each other.

    >>> print(align_rows([("rule", "x >= 3"), ("privacy", "epsilon 1")]))
    rule     x >= 3
    privacy  epsilon 1
    """
    width = max(len(heading) for heading, _ in rows)
    return "\n".join(f"{heading:{width}}  {visible(text)}" for heading, text in rows)


OPTIONS = {"unit": "--unit", "estimate": "--estimate 0.1", "one": "--max-records 1"}
"""How a command is told more."""

ARGUMENTS = {"unit": "unit=", "estimate": "estimate=0.1", "one": "max_records=1"}
"""How Python is told more."""


def rows_of_release(
    release: Release, more: Mapping[str, str] | None = ARGUMENTS
) -> list[tuple[str, str]]:
    """The content and cost of the release, as pairs (heading, text); all of it is public.

    ``more`` says how to ask for more; None leaves this out, for those who did not fit it.
    """
    if release.group:
        rows = [*rows_of_group(Group(release)), ("protects", protects(release, more))]
    else:
        rows = [
            ("rule", release.words()),
            ("privacy", str(release.cost)),
            ("protects", protects(release, more)),
            ("mechanism", brief(release.mechanism, release.cost)),
            *rows_of_costs(release),
            ("class", shorten(release.hypotheses)),
            *rows_of_class(release),
            *rows_of_estimate(release, more),
        ]
    rows += _rows_of_method(release)
    rows += [("accuracy", release.accuracy)] if release.accuracy else []
    rows += [row_of_records(release), ("ledger entry", str(release.receipt))]
    if release.total is not None:
        limit = f", of a limit of {release.limit}" if release.limit else ""
        rows.append(("spent so far", f"{release.total}{limit}"))
    return rows + warning(release)


def brief(mechanism: str, cost: PrivacyCost) -> str:
    """A mechanism in words, without what a long one says in brackets: models and ledgers keep that.

    A fraction of large numbers is rounded, too.  A mechanism may end with the delta that is allowed,
    and its cost may use less.

    >>> cost = PrivacyCost(Fraction(20, 73), Fraction(7, 10**7))
    >>> brief("noisy sums in 2 steps, epsilon 20/73 (" + "5 that move by 2; " * 20 + ")", cost)
    'noisy sums in 2 steps, epsilon about 0.274'
    >>> brief("noisy sums in 2 steps, epsilon 0.2, delta 0.000001", cost)
    'noisy sums in 2 steps, epsilon 0.2, delta 0.000001, of which 0.0000007 is used'
    """
    told = mechanism if len(mechanism) <= 200 else re.sub(r" \([^()]*\)", "", mechanism)
    # A model file may hold any text, so what is read as a number is short and no division by 0.
    long = r"\d{2,200}/[1-9]\d{1,200}"
    told = re.sub(long, lambda found: f"about {float(Fraction(found[0])):.3g}", told)
    allowed = re.search(r" delta (0\.\d{1,100})$", told)
    if allowed and cost.delta < Fraction(allowed[1]):
        told += f", of which {decimal_text(cost.delta)} is used"
    return told


def declared_rows(release: Release) -> list[tuple[str, str]]:
    """All that was declared, whole, as pairs (heading, text): what an auditor compares."""
    columns = getattr(release.hypothesis.domain, "columns", (release.hypothesis.domain,))
    names = [("names of the labels", ", ".join(release.labels))] if release.labels else []
    return [
        ("label", release.label),
        *names,
        ("class", release.hypotheses),
        *rows_of_class(release),
        *(("column", str(column)) for column in columns),
        *rows_of_costs(release),
        row_of_records(release),
        *_rows_of_method(release),
        ("privacy", str(release.cost)),
        ("mechanism", release.mechanism),
        ("drawn", f"by the {RANDOMNESS[release.private]}"),
    ]


def rows_of_estimate(
    release: Release, more: Mapping[str, str] | None = OPTIONS
) -> list[tuple[str, str]]:
    """The estimates as pairs (heading, text); or that none were bought, and how to buy them.

    A figure that the table of risks has given already is "estimated" the second time.
    """
    told = [] if release.risks is None else release.risks.rows(release.labels)
    told += [] if release.quality is None else release.quality.rows()
    if release.estimate is not None:
        known = {heading for heading, _ in told}
        rows = release.estimate.rows()
        return [*told, *((f"estimated {of}" if of in known else of, text) for of, text in rows)]
    if told or more is None:
        return told
    return [("base rate", not_estimated(release, more))] if release.hypothesis.labels == 2 else []


def not_estimated(release: Release, more: Mapping[str, str] = OPTIONS) -> str:
    """That no estimate was bought, and what buys one."""
    several = release.unit is not None and release.unit.most > 1
    return (_NOT_WITH_UNITS if several else NOT_ESTIMATED).format(**more)


def warning(release: Release) -> list[tuple[str, str]]:
    """The row that warns if the release is a simulation."""
    if release.private:
        return []
    return [("warning", "drawn with a seeded generator: a simulation, NOT PRIVATE")]


def rows_of_costs(release: Release) -> list[tuple[str, str]]:
    """The row of what mistakes cost, if the costs differ; of a group, that of what was sought."""
    if release.group:
        rate = decimal_text(release.mistakes.rate)
        return [("sought", f"the group with the most positives beyond {rate} of its records")]
    return [] if release.mistakes.equal else [("mistakes", str(release.mistakes))]


def rows_of_class(release: Release) -> list[tuple[str, str]]:
    """The row that says which class was taken and why, if none was given."""
    return [("class taken", release.taken)] if release.taken else []


def _rows_of_method(release: Release) -> list[tuple[str, str]]:
    """The row of the method that learned the rule, if the release says it."""
    return [("method", release.method)] if release.method else []


def label_rows(label: Label, hypotheses: HypothesisClass[Any]) -> list[tuple[str, str]]:
    """Which of two names is label 1, and a rule of the class as an example, as pairs (heading, text).

    Rules say when label 1 is predicted, so exchanging the names turns every rule around.

    >>> from littlestone.classes import Thresholds
    >>> for row in label_rows(Label.parse("ill", labels="yes,no"), Thresholds.on(18, 90, "age")):
    ...     print(*row, sep=": ")
    label 1: 'no'; a rule of the class says when it is predicted, and 'yes' elsewhere
    for example: no if age >= 55, else yes
    """
    if len(label.names) != 2:
        return []
    zero, one = label.names
    says = f"{one!r}; a rule of the class says when it is predicted, and {zero!r} elsewhere"
    rows = [("label 1", says)]
    if isinstance(hypotheses, Enumerable) and hypotheses.size:
        rows.append(
            ("for example", hypotheses.hypothesis(hypotheses.size // 2).words_with(label.names))
        )
    return rows


def _rule_row(release: Release) -> tuple[str, str]:
    """The rule, or of a score sheet, which is printed below, what total is asked for."""
    sheet = release.hypothesis
    if isinstance(sheet, ScoreSheet) and sheet.least in sheet.totals[1:]:
        return (
            "rule",
            f"{release.label}  <=>  total of {sheet.first_total} or more on the sheet below",
        )
    return "rule", release.words()


def guarantee_rows(release: Release) -> list[tuple[str, str]]:
    """What is promised about a release, as pairs (heading, sentence); all of it is public."""
    rows = [
        _rule_row(release),
        privacy_row(release),
        ("protects", protects(release)),
        ("mechanism", brief(release.mechanism, release.cost)),
        *rows_of_costs(release),
        ("class", shorten(release.hypotheses)),
        *rows_of_class(release),
        ("accuracy", release.accuracy),
        *_rows_of_one_label(release),
        *rows_of_estimate(release),
    ]
    return rows + warning(release)


_ONE_SIDED = 500
"""Odds of labels beyond which the declared label is probably not how the table writes it."""


def _rows_of_one_label(release: Release) -> list[tuple[str, str]]:
    """The row that says what to do with a score whose label is always the same."""
    risks, labels = release.hypothesis.risks, {place.label for place in release.hypothesis.places}
    if risks is None or len(labels) > 1:
        return []
    (y,) = labels
    middle = (risks[0] + risks[-1]) / 2
    odds = (1 - middle) / middle
    cost = f"1:{1 / odds:.0f}" if y else f"{odds:.0f}:1"
    said = f"always {release.labels[y] if release.labels else y}"
    said += f", because all risks are between {risks[0]:.3f} and {risks[-1]:.3f}. "
    said += f"Use the risks (`predict --risk`), or say what mistakes cost, such as --cost {cost}"
    if max(odds, 1 / odds) > _ONE_SIDED:
        said += ". If this surprises you, see with `littlestone check` how the label is written"
    return [("label", said)]


def privacy_row(release: Release) -> tuple[str, str]:
    """What the cost of a release means, as a pair (heading, sentence)."""
    cost = release.cost
    return (
        "privacy",
        f"epsilon {decimal_text(cost.epsilon)}, delta {decimal_text(cost.delta)}: replacing one "
        f"of the {_protected_words(release)} changes the probability of any set of "
        f"{_outputs(release)} by at most a factor {factor(cost.epsilon)}"
        + (f", plus {decimal_text(cost.delta)}" if cost.delta else ""),
    )


def _protected_words(release: Release) -> str:
    unit = release.unit
    if unit is None:
        return f"{release.n:,} records{span(release)}"
    return f"{release.units:,} values of {unit.column}, with all its records{span(release)},"


_LARGE = 10
"""The epsilon up to which powers of e are written as numbers."""


def factor(epsilon: Fraction) -> str:
    """The number e^epsilon rounded up, to three digits or two of e^epsilon - 1; a power beyond e^10.

    >>> factor(Fraction(1)), factor(Fraction(1, 2)), factor(Fraction(12)), factor(Fraction(1, 1000))
    ('2.72', '1.65', 'e^12', '1.0011')
    """
    if epsilon > _LARGE:
        return f"e^{decimal_text(epsilon)}"
    exact = Decimal(epsilon.numerator) / Decimal(epsilon.denominator)
    digits = min(12, 2 + max(1, -exact.adjusted()))
    wide = Context(prec=digits + 9, rounding=ROUND_CEILING)
    return f"{Context(prec=digits, rounding=ROUND_CEILING).create_decimal(exact.exp(wide)):,f}"


def _outputs(release: Release) -> str:
    more = [("risks", release.risks), ("estimates", release.estimate)]
    *first, last = ["rules", *(name for name, found in more if found is not None)]
    return f"{', '.join(first)} and {last}" if first else last


def budget(total: PrivacyCost | None, limit: PrivacyCost | None) -> str:
    """What a data set has spent, and its limit; without a bound, if ``total`` is None."""
    spent = "what is spent cannot be bounded" if total is None else f"{total} spent"
    return spent + (f", of a limit of {limit}" if limit else ", no limit set")


def row_of_records(release: Release) -> tuple[str, str]:
    """How many records or units the rule was learned from, as a pair (heading, text)."""
    if release.unit is None:
        return "records", f"{release.n:,}{span(release)}"
    return (
        "units",
        f"{release.units:,} values of {release.unit.column}; {release.unit.records} of each",
    )


def protects(release: Release, more: Mapping[str, str] | None = OPTIONS) -> str:
    """Whom the guarantee protects, in one sentence, and how to protect people."""
    how = "" if more is None or release.unit else f" (to protect people, see {more['unit']})"
    return whom(release) + how


def whom(release: Release) -> str:
    """Whom the guarantee protects, in one sentence.

    That of one record also says what it means for k records of one person: group privacy, as in
    docs/proofs/units.md, Theorem 2.
    """
    if release.unit is not None:
        kept = f"{release.unit.records} of each, chosen at random"
        return (
            f"each {release.unit.column} with all its records{span(release)}; the rule saw {kept}"
        )
    return f"one record{span(release)}; {_several(release.cost)}"


def span(release: Release) -> str:
    """The words after a number of records that may span lines of a file; empty for all others."""
    return " (which may span lines of the file)" if release.spanning else ""


def _several(cost: PrivacyCost) -> str:
    """The guarantee for k records, in words.

    >>> _several(PrivacyCost(Fraction(1, 2)))
    'a person with k records has epsilon 0.5 k'
    >>> _several(PrivacyCost(Fraction(1), Fraction(1, 10**5)))
    'a person with k records has epsilon k and a larger delta; with 3 records epsilon 3, delta 0.000112'
    >>> _several(PrivacyCost(Fraction(9), Fraction(1, 10**6)))
    'a person with k records has epsilon 9 k and a larger delta; 3 records are promised nothing'
    """
    epsilon = cost.epsilon
    times = "" if epsilon == 1 else f"{decimal_text(epsilon)} "
    grown = f"a person with k records has epsilon {times}k"
    if not cost.delta:
        return grown
    grown += " and a larger delta"
    if epsilon > _LARGE:
        return grown
    delta = cost.delta * (1 + exp_above(epsilon) + exp_above(2 * epsilon))
    if delta >= 1:
        return f"{grown}; 3 records are promised nothing"
    three = f"epsilon {decimal_text(3 * epsilon)}, delta {decimal_text(round_up(delta, 3))}"
    return f"{grown}; with 3 records {three}"


def group_words(group: Group) -> str:
    """The group as a sentence."""
    rate = decimal_text(group.above)
    return (
        f"A group with many {group.release.label}, sought above a rate of {rate}: {group.words()}."
    )


def rows_of_group(group: Group) -> list[tuple[str, str]]:
    """The group, its figures and its cost, as pairs (heading, text); all of it is public."""
    release, part = group.release, decimal_text(group.estimate.total_epsilon)
    rate = f"{interval(group.rate, '0.001')} of the group have {release.label}"
    if group.rate.low == 0 and group.rate.high == 1:
        rate = "unknown, because the group may be empty"
    chance = f"on these records, all three with probability {1 - float(BETA):.0%}"
    each = f", one of each {release.unit.column}" if release.unit else ""
    return [
        ("group", group.words()),
        ("size", f"{interval(group.size, '0.0001')} of the {release.n:,} records{each}"),
        ("rate", rate),
        ("overall", f"{interval(group.overall, '0.001')} of all records have {release.label}"),
        ("estimates", f"{chance}; private, for epsilon {part} of the total"),
        *rows_of_costs(replace(release, group=True)),
        privacy_row(release),
        ("mechanism", brief(release.mechanism, release.cost)),
        ("class", shorten(release.hypotheses)),
        *rows_of_class(release),
    ]


_LEFT_OUT = ("rule", "group", "warning", "spent so far")
"""Rows shown at the top, and one that a model file does not keep."""


def model_card(release: Release) -> str:
    """The card of a release; see `Release.card`."""
    rule = release.hypothesis
    labels = release.labels or ("0", "1")
    declared = [row for row in declared_rows(release) if row[0] != "privacy"]
    left_out = {*_LEFT_OUT, *(heading for heading, _ in declared)}
    rows = [row for row in rows_of_release(release, None) if row[0] not in left_out]
    said = group_words(Group(release)) if release.group else release.words()
    gives = f"gives one of the labels {_join_names(labels)}."
    lines = [
        "# Model card",
        "",
        f"**{_escape(said)}**",
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
        *(f"* {heading}: {_escape(text)}" for heading, text in declared),
        "",
        "## Use",
        "",
        f"It reads {_join_names(rule.tested_columns)} "
        f"and {'says who is in the group.' if release.group else gives}",
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
