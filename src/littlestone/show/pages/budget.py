"""What pages say of a guarantee: its promise to one person, the budget, and how to cite it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from fractions import Fraction

import littlestone
from littlestone.base.errors import DeclarationError, shorten
from littlestone.base.markup import Html, join
from littlestone.learn.results.release import Release
from littlestone.pictures.chart import Bar, Chart, Row
from littlestone.privacy.cost import PrivacyCost, decimal_text, short_text
from littlestone.privacy.ledger import Count, Entry, Ledger
from littlestone.show.pages.frame import (
    command,
    facts,
    figure,
    note,
    page,
    prose,
    section,
    table,
    warning,
)
from littlestone.show.words import factor

OUTLINE = (
    "the counts for rows and units hold together if it stays the same whose record each one is"
)
_MOST = 24  # entries with a row of their own in the chart


@dataclass(frozen=True)
class Account:
    """One data set: its names, its entries with the total after each, its total and its limit."""

    names: list[str]
    lines: list[tuple[Entry, PrivacyCost]]
    total: PrivacyCost
    limit: PrivacyCost | None
    counts: Sequence[Count] = ()

    @classmethod
    def of(cls, ledger: Ledger, dataset: str) -> Account:
        """The account of one data set, under all its names."""
        told = ledger.history(dataset), ledger.total(dataset), ledger.limit(dataset)
        return cls(ledger.names(dataset), *told, ledger.counts(dataset))

    def others(self) -> list[str]:
        """A line for each count that the total does not show, and what all of them need."""
        lines = [
            f"for each {count.relation.unit}: {count.text()}"
            + (f", of a limit of {count.limit}" if count.limit else "")
            + ("" if count.total else f"; {count.remedy(self.names[0])}")
            for count in self.counts
            if count.relation != self.total.neighboring
        ]
        return [*lines, OUTLINE] if lines else []

    @property
    def name(self) -> str:
        """All names of the data set, in one line."""
        return " = ".join(self.names)

    def body(self, own: int | None = None) -> Html:
        """What is spent and left, in numbers, as a chart and as a table; entry ``own`` stands out."""
        limit = self.limit
        boxes = [("epsilon spent", short_text(self.total.epsilon))]
        boxes.append(("delta spent", short_text(self.total.delta)))
        if limit is not None:
            left = self.total.left(limit)
            boxes += [("epsilon left", decimal_text(left.epsilon))]
            boxes += [("delta left", decimal_text(left.delta))]
        parts = [facts(boxes), *map(note, self.others())]
        if limit is None:
            parts.append(note("No limit is set, so nothing keeps further releases from spending."))
        elif not self.total.within(limit):
            parts.append(
                warning("More than the limit is spent. The ledger refuses further spends.")
            )
        if self.lines:
            caption = (
                "What each entry added to epsilon. Each bar starts where the one before ended."
            )
            parts.append(figure(self._chart(own).picture(), caption, chart=True))
            parts.append(self._table())
        return join(parts)

    def _chart(self, own: int | None) -> Chart:
        before, rows = 0.0, list[Row]()
        for entry, total in self.lines:
            after = float(total.epsilon)
            tone = "on" if entry.number == own else "off"
            cost = f"epsilon {short_text(entry.cost.epsilon)}, {entry.at[:10]}"
            rows.append(Row(f"{entry.number}: {entry.what}", cost, (Bar(before, after, tone),)))
            before = after
        if len(rows) > _MOST:
            bars = tuple(bar for row in rows for bar in row.bars)
            rows = [Row(f"{len(rows)} entries", "", bars)]
        limit = () if self.limit is None else (float(self.limit.epsilon),)
        marks = tuple((place, f"limit {decimal_text(self.limit.epsilon)}") for place in limit
                      if self.limit)  # fmt: skip
        key = (("on", "this release"), ("off", "other releases")) if own is not None else ()
        high = max(float(self.total.epsilon), *limit, 1e-9)
        title = f"Epsilon spent on {self.name}: {decimal_text(self.total.epsilon)}"
        return Chart(title, "epsilon", 0, high, tuple(rows), marks, key)

    def _table(self) -> Html:
        rows = [
            [
                entry.number,
                entry.at[:16].replace("T", " "),
                short_text(entry.cost.epsilon),
                short_text(entry.cost.delta),
                short_text(total.epsilon),
                shorten(entry.what) + ("" if entry.part is None else f" [part {entry.part}]"),
            ]
            for entry, total in self.lines
        ]
        headings = ["entry", "at (UTC)", "epsilon", "delta", "epsilon in all", "what"]
        return table(headings, rows, f"Entries of {self.name}", class_="entries")


def accounts(ledger: Ledger, dataset: str | None = None) -> list[Account]:
    """The accounts of all data sets of a ledger, or of one; `DeclarationError` if it is unknown."""
    known = ledger.datasets()
    if dataset is not None and dataset not in known:
        raise DeclarationError(
            f"report on data set {dataset!r}",
            found=f"the ledger knows {len(known)} others and not this one",
            fix="use a name that `littlestone ledger show` prints",
        )
    found, done = list[Account](), set[str]()
    for name in known if dataset is None else [dataset]:
        if name not in done:
            found.append(Account.of(ledger, name))
            done.update(found[-1].names)
    return found


def account_of_entry(ledger: Ledger, number: int, cost: PrivacyCost, mechanism: str) -> Account:
    """The account of the data set whose entry ``number`` paid for a release.

    Raises `DeclarationError` if the ledger has no such entry, or one of another cost or mechanism.
    """
    for entry in ledger.entries():
        if (entry.number, entry.cost, entry.mechanism) == (number, cost, mechanism):
            return Account.of(ledger, entry.dataset)
    raise DeclarationError(
        f"report the budget of a release that entry {number} paid for",
        found="this ledger has no such entry of that cost and mechanism",
        fix="give the ledger that the release was paid from, or leave out --ledger",
    )


def budget(
    ledger: Ledger | None, own: int, cost: PrivacyCost, mechanism: str, unknown: Sequence[Html]
) -> list[Html]:
    """The account whose entry ``own`` paid for a release; without a ledger, what is ``unknown``.

    Raises `DeclarationError` as `account_of_entry`.
    """
    if ledger is None:
        return list(unknown)
    account = account_of_entry(ledger, own, cost, mechanism)
    return [prose(f"The data set {account.name}, with all its entries:"), account.body(own)]


def own_budget(release: Release) -> list[Html]:
    """What a release says of its budget without a ledger."""
    if release.total is None:
        return [
            note(
                "A model file does not say what else was spent on these records. The ledger does: "
                "`littlestone ledger show`, or `littlestone report` with --ledger."
            )
        ]
    limit = release.limit
    rows = [("spent right after this release", str(release.total))]
    rows += (
        [("limit then", str(limit)), ("left then", str(release.total.left(limit)))] if limit else []
    )
    return [table(["budget", "of the data set"], rows, "Budget")]


def ledger_page(ledger: Ledger, name: str, dataset: str | None = None) -> str:
    """The page of all data sets of a ledger, or of one; ``name`` is that of the ledger.

    Raises `DeclarationError` for an unknown data set, and `LedgerError` if the ledger cannot be read.
    """
    found = accounts(ledger, dataset)
    title = found[0].name if len(found) == 1 else name
    entries = sum(len(account.lines) for account in found)
    head = [facts([("data sets", f"{len(found):,}"), ("entries", f"{entries:,}")])]
    sections: list[Html] = []
    for account in found:
        heading = "Budget" if len(found) == 1 else account.name
        sections.append(
            section(heading, account.body(), *_together(account, alone=len(found) == 1))
        )
        if len(found) == 1 and account.lines:
            sections.append(section("What the guarantee means for one person", _promise(account)))
    sections.append(section("How to check it", *_check_notes()))
    if len(found) == 1:
        account = found[0]
        what = f"All releases on {account.name}, {len(account.lines):,} entries"
        sections.append(citing(what, account.total, "basic composition"))
    return page(title, "Privacy ledger", head, sections, "the ledger")


def _together(account: Account, *, alone: bool) -> list[Html]:
    if not account.lines:
        return [prose("Nothing is spent yet.")]
    if alone:
        return []
    return [
        note(
            f"All entries together: {account.total}. The page of one data set says what that means."
        )
    ]


def _promise(account: Account) -> Html:
    unit = account.total.neighboring.unit
    several = "one record" if unit is None else f"each {unit} with all its records"
    among = "the records of this data set" if unit is None else f"those of the values of {unit}"
    what = "all that was released about this data set so far"
    return one_person(account.total, among, what, several)


def _check_notes() -> list[Html]:
    return [
        prose(
            "Each entry was written to the disk before its draw. Costs of one data set add up: the sum "
            "of all epsilons and the sum of all deltas hold together. Parts of a partition count once, "
            "with the largest part."
        ),
        command("littlestone ledger show\nlittlestone ledger export"),
        note(
            "A ledger cannot know of copies of the data, of releases by other tools, or of an older "
            "copy of itself that was restored."
        ),
    ]


_BEFORE = (1, 10, 50, 90)
"""What somebody may believe about a record beforehand, in percent."""

_LARGE = 10  # the largest epsilon for which a number of the odds says anything


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
    if epsilon > _LARGE:
        return [
            prose(
                f"An epsilon above {_LARGE} is large: somebody who knows all other records may become "
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
