"""The page of a release: a rule, its guarantee, how good it is, its budget, and how to use it."""

from __future__ import annotations

import re
import shlex
from dataclasses import replace
from fractions import Fraction

from littlestone.base.errors import shorten
from littlestone.base.markup import Html, tag
from littlestone.learn.results.accuracy import Group
from littlestone.learn.results.release import Release
from littlestone.privacy.cost import decimal_text
from littlestone.privacy.ledger import Ledger
from littlestone.rules.sheet import ScoreSheet
from littlestone.rules.trees import DecisionTree
from littlestone.show.pages.budget import budget, citing, one_person, own_budget
from littlestone.show.pages.frame import (
    command,
    facts,
    figure,
    fold,
    list_rows,
    page,
    prose,
    section,
    warning,
)
from littlestone.show.pages.quality import quality
from littlestone.show.tree import note_missing_tree, picture_of_release
from littlestone.show.words import brief, declared_rows, group_words, span, whom

SIMULATION = (
    "This is a simulation. It was drawn with a seeded generator, which can be replayed, so it is NOT "
    "PRIVATE, and no promise on this page holds."
)


def release_page(what: Release | Group, ledger: Ledger | None = None) -> str:
    """The page of a release, from the release alone; with its ``ledger``, the whole budget too.

    Raises `DeclarationError` if the ledger has no entry that paid for the release.
    """
    release = replace(what.release, group=True) if isinstance(what, Group) else what
    rule = group_words(Group(release)) if release.group else rule_words(release)
    head = [] if release.private else [warning(SIMULATION)]
    head += [tag("p", rule, class_="rule"), facts(_numbers(release))]
    sections = [
        section(f"The {_kind(release)}", *_rule(release)),
        section("What the guarantee means for one person", _promise(release)),
        section("How good is it?", *quality(release)),
        section("Budget", *_budget(release, ledger)),
        section("How to use and reproduce it", *_reproduce(release)),
        citing(
            f"{rule} Ledger entry {release.receipt}",
            release.cost,
            brief(release.mechanism, release.cost),
        ),
    ]
    kind = "Private release" if release.private else "Simulated release"
    source = "the release" if ledger is None else "the release and its ledger"
    return page(title(release), kind, head, sections, source)


def _kind(release: Release) -> str:
    return "group" if release.group else "rule"


def title(release: Release) -> str:
    """What a page is about, for people.

    >>> from dataclasses import replace
    >>> from fractions import Fraction
    >>> from littlestone.points import Grid
    >>> from littlestone.rules import StepFunction
    >>> from littlestone.privacy.cost import PrivacyCost
    >>> rule = StepFunction.threshold(Grid(0, 120, "age"), 60)
    >>> release = Release(rule, "thresholds(age, 0..120)", "ill == yes", 9, PrivacyCost(Fraction(1)),
    ...                   "exponential mechanism", True, 1)
    >>> title(release), title(replace(release, group=True))
    ('A rule for “ill is yes”', 'A group with many “ill is yes”')
    """
    about = release.label.replace(" == ", " is ", 1)
    return f"A group with many “{about}”" if release.group else f"A rule for “{about}”"


def rule_words(release: Release) -> str:
    """The rule as a sentence.

    >>> from fractions import Fraction
    >>> from littlestone.points import Grid
    >>> from littlestone.rules import StepFunction
    >>> from littlestone.privacy.cost import PrivacyCost
    >>> rule = StepFunction.threshold(Grid(0, 120, "age"), 60)
    >>> release = Release(rule, "thresholds(age, 0..120)", "ill == 1", 9, PrivacyCost(Fraction(1)),
    ...                   "exponential mechanism", True, 1)
    >>> rule_words(release)
    'Predict ill == 1 if age >= 60, and not otherwise.'
    """
    words, label = release.hypothesis.words(), release.label
    if isinstance(release.hypothesis, ScoreSheet) and words not in CONSTANT:
        return _sheet_words(release.hypothesis, label, release.labels)
    if release.labels:
        return f"{label}: {release.hypothesis.words_with(release.labels)}."
    tree = release.hypothesis
    if isinstance(tree, DecisionTree) and not tree.condition and words not in CONSTANT:
        return f"{label} (1) or not (0): {words}."
    return prediction(words, label)


def _sheet_words(sheet: ScoreSheet, label: str, names: tuple[str, ...]) -> str:
    columns = [f"“{name}”" for name in sheet.tested_columns]
    listed = f"{', '.join(columns[:-1])} and {columns[-1]}" if len(columns) > 1 else columns[0]
    said = f"{label}: {names[1]}" if names else f"Predict {label}"
    other = f"else {names[0]}" if names else "and not otherwise"
    first = sheet.first_total
    return f"{said} from a total of {first} points on, {other}. Points are given for {listed}."


CONSTANT = {"always 0": "Never", "always 1": "Always"}


def prediction(words: str, label: str) -> str:
    """What a rule of two labels predicts, by its words.

    >>> prediction("age >= 60", "ill"), prediction("always 0", "ill")
    ('Predict ill if age >= 60, and not otherwise.', 'Never predict ill.')
    """
    ever = CONSTANT.get(words)
    return f"{ever} predict {label}." if ever else f"Predict {label} if {words}, and not otherwise."


def _numbers(release: Release) -> list[tuple[str, str]]:
    many = "records" if release.unit is None else f"values of {release.unit.column}"
    return [
        ("epsilon", decimal_text(release.cost.epsilon)),
        ("delta", decimal_text(release.cost.delta)),
        (many, f"{release.units or release.n:,}"),
        ("ledger entry", str(release.receipt)),
    ]


def _rule(release: Release) -> list[Html]:
    picture = picture_of_release(release)
    parts = [
        prose(
            f"It was drawn from a declared class of {_kind(release)}s, {shorten(release.hypotheses)}."
        )
    ]
    if not release.mistakes.equal and not release.group:
        parts.append(prose(f"Mistakes do not all cost the same: {release.mistakes}."))
    if said := note_missing_tree(release):
        parts.append(prose(said))
    if picture is not None:
        caption = (
            f"The {_kind(release)}. All its ranges and lists are public, and no record is shown."
        )
        # A sheet is read from top to bottom, so on a phone it shrinks and does not scroll.
        chart = isinstance(release.hypothesis, ScoreSheet)
        parts.append(figure(picture, caption, chart=chart))
    return parts


def _promise(release: Release) -> Html:
    among = f"the {release.n:,} records{span(release)}"
    if release.unit is not None:
        among = f"those of the {release.units:,} values of {release.unit.column}{span(release)}"
    what = f"this {_kind(release)}"
    what += "" if release.estimate is None else " with its estimates"
    return one_person(release.cost, among, what, whom(release))


def _budget(release: Release, ledger: Ledger | None) -> list[Html]:
    cost = prose(f"This release cost {release.cost}. Entry {release.receipt} of the ledger paid for it "
                "before anything was drawn.")  # fmt: skip
    paid = (release.receipt, release.cost, release.mechanism)
    return [cost, *budget(ledger, *paid, unknown=own_budget(release))]


def _reproduce(release: Release) -> list[Html]:
    return [
        prose(
            "The group is fixed. The records of a table with these columns that are in it get a 1:"
            if release.group
            else "The rule is fixed. Its predictions for a table with these columns are always the "
            "same:"
        ),
        command("littlestone predict MODEL.json TABLE.csv"),
        prose(
            "The draw cannot be repeated, because its randomness is kept nowhere. "
            if release.private
            else "Whoever knows the seed can repeat the draw. ",
            f"A new run with the same declarations draws a {_kind(release)} anew, maybe another one, "
            "and costs the same once more:",
        ),
        command(again(release)),
        *(
            [prose("SCHEMA.toml is the schema by which the cells of the table were read.")]
            if release.reading
            else []
        ),
        fold("Everything that was declared", list_rows(declared_rows(release))),
    ]


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
