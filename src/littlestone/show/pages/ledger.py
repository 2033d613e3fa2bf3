"""The page of a ledger: what each data set has spent, what is left, and what the sum promises."""

from __future__ import annotations

from littlestone.base.markup import Html
from littlestone.privacy.ledger import Ledger
from littlestone.show.pages.budget import Account, accounts
from littlestone.show.pages.frame import command, facts, note, page, prose, section
from littlestone.show.pages.promise import citing, one_person


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
