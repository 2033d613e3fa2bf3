"""What a release promises to one person, how to cite it, and the command that makes it anew."""

from __future__ import annotations

import re
import shlex
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from fractions import Fraction

import littlestone
from littlestone.base.markup import Html, join
from littlestone.learn.results.release import Release
from littlestone.privacy.cost import PrivacyCost, decimal_text
from littlestone.show.pages.frame import command, note, prose, section, table
from littlestone.show.words import factor

_BEFORE = (1, 10, 50, 90)
"""What somebody may believe about a record beforehand, in percent."""

_MOST = 10  # the largest epsilon for which a number of the odds says anything


def one_person(cost: PrivacyCost, among: str, what: str, several: str) -> Html:
    """The promise of ``what``, such as "this rule", to one person among ``among``.

    ``several`` says whom it protects.  Source: docs/proofs/composition.md for sums; the odds are Bayes'
    rule, and the reading of delta is that of randomized response (KOV15).
    """
    unit = cost.neighboring.unit
    yours, swap = "your record", f"is among {among}. In the other, another record takes its place."
    if unit is not None:
        yours = f"all records of your {unit}"
        swap = f"are among {among}. In the other, those of another {unit} take their place."
    times = factor(cost.epsilon)  # rounded up, so that the page promises no less than is proved
    apart = ", apart from delta" if cost.delta else ""
    parts = [
        prose(
            f"Compare two worlds. In one, {yours} {swap} Nothing else is different. The probability of "
            f"any result differs between them by a factor of at most {times}{apart}: that is "
            f"e^{decimal_text(cost.epsilon)}, rounded up. The result is {what}."
        ),
        *_odds(cost.epsilon, yours),
        *_delta(cost.delta, yours),
        prose(
            "What is not promised: the result still says something about people in general, which is "
            "its purpose. Others may draw conclusions about you from it. They could draw the same, "
            "up to that factor, if your data had not been there. Other releases about the same people "
            "cost extra: their epsilons and deltas add up."
        ),
        note(f"The guarantee protects {several}."),
    ]
    return join(parts)


def _odds(epsilon: Fraction, yours: str) -> list[Html]:
    if epsilon > _MOST:
        return [
            prose(
                f"An epsilon above {_MOST} is large: somebody who knows all other records may become "
                f"almost certain about {yours}."
            )
        ]
    times = factor(epsilon)
    bound = Decimal(times.replace(",", ""))
    rows = [(f"{before}%", *posterior(bound, before)) for before in _BEFORE]
    return [
        prose(
            f"So suppose that somebody knows all other records and guesses about {yours}. After seeing "
            f"the result, their odds for any guess are at most {times} times as high as before, and at "
            f"least 1/{times} of them:"
        ),
        table(
            ["they believed", "afterwards at most", "afterwards at least"],
            rows,
            "What somebody may believe about you",
        ),
    ]


def posterior(times: Decimal, before: int) -> tuple[str, str]:
    """The largest and the least probability after odds change by a factor, rounded outwards.

    >>> posterior(Decimal("2.72"), 50), posterior(Decimal(1), 10)
    (('73.2%', '26.8%'), ('10.0%', '10.0%'))
    """
    yes, no = Decimal(before), Decimal(100 - before)
    most, least = 100 * times * yes / (times * yes + no), 100 * yes / (yes + times * no)
    tenth = Decimal("0.1")
    return (
        f"{most.quantize(tenth, ROUND_CEILING)}%",
        f"{least.quantize(tenth, ROUND_FLOOR)}%",
    )


def _delta(delta: Fraction, yours: str) -> list[Html]:
    if not delta:
        return [prose("Delta is 0: the bound holds without exception.")]
    chance = f" (1 in {delta.denominator:,})" if delta.numerator == 1 else ""
    return [
        prose(
            f"Delta is {decimal_text(delta)}{chance}: a small chance that the promise fails. For any "
            "two such worlds, the result is as if drawn in two steps. With a probability of at most "
            f"delta, anything may come out, even {yours}. Otherwise the bound above holds."
        )
    ]


TITLE = "littlestone: online learning and differentially private learning of Littlestone classes"
AUTHOR = "The littlestone developers"
_YEAR = 2026


def citing(what: str, cost: PrivacyCost, mechanism: str) -> Html:
    """The section that says how to cite ``what``, which is a phrase such as "a rule for ...".

    >>> from fractions import Fraction
    >>> "version = {" in citing("a rule", PrivacyCost(Fraction(1)), "a mechanism")
    True
    """
    return section(
        "How to cite",
        prose(f"Say what was released and under which guarantee: “{what}, {cost}, {mechanism}”."),
        prose("The software:"),
        command(
            "@software{littlestone,\n"
            f"  title = {{{TITLE}}},\n"
            f"  author = {{{{{AUTHOR}}}}},\n"
            f"  version = {{{littlestone.__version__}}},\n"
            f"  year = {{{_YEAR}}}\n"
            "}"
        ),
    )


def again(release: Release) -> str:
    """A command that learns a rule, or finds a group, from the same declarations.

    The text of a label may be read in several ways if a column's name holds a comparison; then its
    parts are left to the reader.
    """
    privacy, group = release.cost, release.group
    estimate = Fraction(0) if release.estimate is None else release.estimate.total_epsilon
    # The epsilon of a group pays for its estimates too, and that of a rule does not.
    epsilon = privacy.epsilon if group else privacy.epsilon - estimate
    options = [
        # The release knows how the columns of its rule are written, and not those of the class.
        *(["--schema", "SCHEMA.toml"] if release.reading else []),
        *_label_options(release),
        "--class",
        release.hypotheses,
        "--epsilon",
        decimal_text(epsilon),
    ]
    if privacy.delta:
        options += ["--delta", decimal_text(privacy.delta)]
    if release.method:  # with --method auto, a class that is given may be learned by another one
        options += ["--method", release.method]
    if release.risks is not None:
        options.append("--risk")
    if estimate:
        options += ["--estimate", decimal_text(estimate)]
    if group:
        options += ["--above", decimal_text(release.mistakes.rate)]
    elif not release.mistakes.equal:
        options += ["--cost", f"{release.mistakes.missed}:{release.mistakes.alarm}"]
    if release.unit is not None:
        options += ["--unit", release.unit.column, "--max-records", str(release.unit.most)]
    return shlex.join(["littlestone", "subgroup" if group else "fit", "TABLE.csv", *options])


def _label_options(release: Release) -> list[str]:
    if release.labels:
        names = (f'"{name}"' if "," in name else name for name in release.labels)
        return ["--target", release.label, "--labels", ",".join(names)]
    places = list(re.finditer(r" (>=|<=|==|!=|>|<|in) ", release.label))
    if len(places) != 1:
        return ["--target", "COLUMN", "--positive", "CONDITION"]
    column, condition = release.label[: places[0].start()], release.label[places[0].start() + 1 :]
    return ["--target", column, "--positive", condition]
