"""``littlestone ledger``: nothing else shows what is spent, or sets a limit."""

from __future__ import annotations

import csv
import io
import os
import sys
from contextlib import nullcontext
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from littlestone.base.errors import (
    DeclarationError,
    LedgerError,
    LittlestoneError,
    did_you_mean,
    shorten,
    visible,
    visible_json,
)
from littlestone.cli.console import (
    cost_json,
    exit_with,
    json_text,
    out,
    print_json,
    print_table,
    require_encoding,
)
from littlestone.cli.options import DEFAULT_LEDGER, REQUIRED, describe, files_of, ledger_name
from littlestone.data.opening import dataset_name, lookalike
from littlestone.points.units import Unit
from littlestone.privacy.accounting.elsewhere import Elsewhere
from littlestone.privacy.cost import (
    NeighboringRelation,
    PrivacyCost,
    decimal_text,
    exact,
    exact_delta,
    short_text,
)
from littlestone.privacy.ledger import Entry, Ledger, UnsoundRowError, is_address
from littlestone.show.files import HISTORY, require_different, reserve
from littlestone.show.pages.budget import OUTLINE, Account
from littlestone.show.words import budget

app = typer.Typer(
    help="Show what has been spent, set limits, and record spends made elsewhere.",
    no_args_is_help=True,
    add_completion=False,
)

Dataset = Annotated[str | None, typer.Argument(help="Only this data set.")]
Named = Annotated[str | None, typer.Option("--dataset", help="The same as DATASET.")]


class Format(StrEnum):
    """The format that `export` writes."""

    CSV = "csv"
    JSON = "json"


@app.command()
@describe
def show(
    dataset: Dataset = None,
    named: Named = None,
    ledger: str = DEFAULT_LEDGER,
    as_json: bool = False,
) -> None:
    """Show every entry, and the total and limit of each data set."""
    with _existing(ledger) as book:
        accounts, unsound = _accounts(_either(dataset, named), ledger, book)
        connection, alike = book.connection, book.lookalikes()
    shown = {name for account in accounts for name in account.names}
    alike = [names for names in alike if shown & set(names)]
    if as_json:
        print_json(
            {
                "connection": connection,
                "entries": [_entry_json(entry) for entry, _ in _in_order(accounts)],
                "totals": {
                    name: _budget_json(account.total, account.limit) | _counts_json(account)
                    for name, account in _by_name(accounts)
                },
                "one data set": [account.names for account in accounts if account.names[1:]],
                "alike": alike,
            }
        )
    else:
        if connection is not None:
            out.print(f"connection: {connection}")
        for account in accounts:
            names = " = ".join(account.names)
            out.print(f"{names}: {budget(account.total, account.limit)}")
            for line in account.others():
                out.print(f"  {line}", soft_wrap=True)
            rows = [
                [entry.number, _at(entry), *_short(entry.cost), shorten(_what(entry))]
                for entry, _ in account.lines
            ]
            print_table(["entry", "at (UTC)", "epsilon", "delta", "what"], rows, indent=2)
        for name, *others in alike:
            out.print(
                lookalike(name, others), soft_wrap=True
            )  # it holds a command, to be copied whole
    _end(unsound)


@app.command()
@describe
def history(
    dataset: Dataset = None,
    named: Named = None,
    ledger: str = DEFAULT_LEDGER,
    as_json: bool = False,
) -> None:
    """Show the entries in order, each with its data set's total after it."""
    lines, unsound = _history(_either(dataset, named), ledger)
    if as_json:
        print_json([_line_json(entry, total) for entry, total in lines])
    else:
        headings = ["entry", "at (UTC)", "epsilon", "delta", "total", "delta", "data set", "what"]
        rows = [
            [
                entry.number,
                _at(entry),
                *_short(entry.cost),
                *_short(total),
                entry.dataset,
                shorten(_what(entry)),
            ]
            for entry, total in lines
        ]
        print_table(headings, rows)
    _end(unsound)


@app.command()
@describe
def alias(
    name: str,
    dataset: str,
    ledger: str = DEFAULT_LEDGER,
    as_json: bool = False,
) -> None:
    """Join two names of one data set for good: they share what is spent and the smaller limit.

    You can join names before anything is spent.  Each must be in the ledger or be a file.

    name: Another name of the same data: a copy, a link, a spelling.
    dataset: The data set's name, as `ledger show` prints it.
    """
    other, own = dataset_name(name), dataset_name(dataset)
    if other == own:
        raise DeclarationError(
            f"join {other!r} to itself",
            found="both are the same name already",
            fix="give two names",
        )
    with _existing(ledger) as book:
        known = book.datasets()
        # Names are joined for good, so a slip of the pen is refused.
        for one in (other, own):
            if one not in known and not _is_file(one):
                raise DeclarationError(
                    f"join {other!r} and {own!r} for good",
                    found=f"{one!r} is not a file, and the ledger {ledger_name(ledger, book)} "
                    "does not know it",
                    fix="check the spelling; `littlestone ledger limit` makes a name known",
                )
        book.alias(other, own)
        names, total, most = book.names(own), book.total(own), book.limit(own)
    if as_json:
        print_json({"names": names, **_budget_json(total, most)})
        return
    out.print(f"{' = '.join(names)}: {budget(total, most)}")
    _tell_overspent(total, most)


@app.command()
@describe
def export(
    dataset: Dataset = None,
    named: Named = None,
    ledger: str = DEFAULT_LEDGER,
    style: Format = Format.CSV,
    to: Path | None = None,
) -> None:
    """Write the history with exact numbers: names, purposes and costs, but no data.

    In CSV, an apostrophe precedes a text that a spreadsheet would run as a formula.

    style --format: CSV or JSON.
    to --out: Write to this file, not to the terminal.
    """
    require_different({"the ledger": files_of(ledger), "--out": [to]})
    with reserve(to, HISTORY) if to is not None else nullcontext(sys.stdout.write) as write:
        history, unsound = _history(_either(dataset, named), ledger)
        lines = [_line_json(entry, total) for entry, total in history]
        if style is Format.JSON:
            written = (json_text if to is None else visible_json)(lines, indent=2) + "\n"
        else:
            text = io.StringIO()
            writer = csv.DictWriter(text, _FIELDS, lineterminator="\n")
            writer.writeheader()
            writer.writerows({name: _cell(value) for name, value in line.items()} for line in lines)
            written = text.getvalue()
        if to is None:
            require_encoding("the history", written)
        write(written)
    _end(unsound)


@app.command()
@describe
def limit(
    dataset: str,
    epsilon: Annotated[str, REQUIRED],
    delta: str | None = None,
    unit: str | None = None,
    ledger: str = DEFAULT_LEDGER,
    as_json: bool = False,
) -> None:
    """Declare the most that a data set may ever spend.  A spend beyond it is refused.

    dataset: The data set's name, as `ledger show` prints it.
    epsilon: The most epsilon that it may ever spend.
    delta: The most delta that it may ever spend; by default the earlier limit, or 0.
    unit: The limit is for one value of this column, as in `fit --unit`.
    """
    # 0 is legal here and freezes the data set.
    relation = NeighboringRelation.REPLACE_ONE
    if unit is not None:
        relation = NeighboringRelation.replace_one_unit(Unit(unit, 1).column)
    declared = "0" if delta is None else delta
    most = PrivacyCost(exact(epsilon, what="epsilon"), exact_delta(declared), relation)
    name = dataset_name(dataset)
    with Ledger(ledger, create=True) as book:
        earlier = book.limit(name, relation) if delta is None else None
        if earlier is not None:
            most = replace(most, delta=earlier.delta)
        book.set_limit(name, most)
        names = book.names(name)
        total = next(count.total for count in book.counts(name) if count.relation == relation)
    if as_json:
        print_json({"names": names, **_budget_json(total, most), "ledger made": book.is_new})
        return
    if book.is_new:
        out.print(f"made the ledger {ledger}")
    out.print(f"{name}: {budget(total, most)}")
    if earlier is not None and earlier.delta:
        out.print(f"delta's limit stays {decimal_text(earlier.delta)}; --delta sets another")
    if not most.delta:
        out.print("delta 0: classes that need a delta will be refused; --delta allows one")
    if Path(name).is_absolute() and not Path(name).exists():
        out.print("there is no such file yet; the limit applies to any file put there")
    _tell_overspent(total, most)


@app.command()
@describe
def unit(
    dataset: str,
    unit: Annotated[str, REQUIRED],
    max_records: Annotated[int, REQUIRED],
    ledger: str = DEFAULT_LEDGER,
) -> None:
    """Declare how many records a unit has at most, so that spends for records count for units.

    Nobody enforces the number.  It can be raised later, and never lowered.

    dataset: The data set's name, as `ledger show` prints it.
    unit: The column that says whose record it is.
    max_records: The most records that one value of the column has, for certain.
    """
    name, declared = dataset_name(dataset), Unit(unit, max_records)
    with Ledger(ledger, create=True) as book:
        before = Account.of(book, name)
        book.declare_most(name, declared)
        after = Account.of(book, name)
    if book.is_new:
        out.print(f"made the ledger {ledger}")
    relation = NeighboringRelation.replace_one_unit(unit)
    for when, account in (("before", before), ("now", after)):
        told = [count.text() for count in account.counts if count.relation == relation]
        out.print(f"{when}: {told[0] if told else 'not counted'}", soft_wrap=True)
    for count in after.counts:
        if count.relation == relation:
            _tell_overspent(count.total, count.limit)
    if any(count.others and count.relation == relation for count in after.counts):
        out.print(OUTLINE)
        out.print("a person with more records is less protected than this count says")


@app.command()
@describe
def record(
    dataset: str,
    what: Annotated[str, REQUIRED],
    epsilon: str | None = None,
    delta: str = "0",
    rho: str | None = None,
    neighbours: str = "",
    unit: str | None = None,
    already_spent: bool = False,
    ledger: str = DEFAULT_LEDGER,
) -> None:
    """Record a spend of another library, before you run it.  A spend beyond the limit is refused.

    dataset: The data set's name, as `ledger show` prints it.
    what: What the spend is for, in a few public words.
    epsilon: The epsilon that the other library states, in nats.
    delta: Its delta, or the delta at which rho is charged.
    rho: The rho of a zCDP guarantee, in place of epsilon.
    neighbours: For which neighbours the guarantee holds: replace-one, or add-remove, which costs
        twice as much.
    unit: The guarantee is for one value of this column, as in `fit --unit`.
    already_spent: Record it even beyond the limit: it has happened.
    """
    if (epsilon is None) == (rho is None):
        raise DeclarationError(
            f"record {what!r}",
            found="it takes either an epsilon or a rho",
            fix="give the one that the other library states: --epsilon 0.5, or --rho 0.1 --delta 1e-6",
        )
    if rho is None:
        event = Elsewhere.declare(epsilon, delta, neighbours=neighbours, unit=unit)
    else:
        event = Elsewhere.from_rho(rho, delta, neighbours=neighbours, unit=unit)
    name = dataset_name(dataset)
    with Ledger(ledger, create=True) as book:
        done = book.record(event, dataset=name, what=what, already_spent=already_spent)
    if book.is_new:
        out.print(f"made the ledger {ledger}")
    out.print(f"recorded {done.cost} for {what}")
    out.print(f"{name}: {budget(done.after, done.limit)}")
    _tell_overspent(done.after, done.limit)


def _either(dataset: str | None, named: str | None) -> str | None:
    """The data set that is named in one of two ways."""
    if dataset is not None and named is not None:
        raise typer.BadParameter("name the data set once", param_hint="--dataset")
    return named if dataset is None else dataset


def _existing(ledger: str) -> Ledger:
    if not is_address(ledger) and not os.path.exists(ledger):
        raise LedgerError(
            f"open the ledger {ledger}",
            found="there is no ledger here yet",
            fix="`littlestone ledger limit` or `littlestone fit` makes one; --ledger names another",
        )
    return Ledger(ledger, create=False)


def _budget_json(total: PrivacyCost | None, most: PrivacyCost | None) -> dict[str, object]:
    spent = {"epsilon": None, "delta": None} if total is None else cost_json(total)
    return {**spent, "limit": most and cost_json(most)}


def _counts_json(account: Account) -> dict[str, object]:
    if not account.counts[1:]:
        return {}
    return {
        "counts": {
            count.relation: {
                **(cost_json(count.total) if count.total else {"epsilon": None, "delta": None}),
                "limit": count.limit and cost_json(count.limit),
                "max records": count.most and count.most.records,
                "declared after a spend": bool(count.most and count.most.late),
            }
            for count in account.counts
        }
    }


def _is_file(name: str) -> bool:
    return os.path.isabs(name) and os.path.exists(name)


def _tell_overspent(total: PrivacyCost | None, most: PrivacyCost | None) -> None:
    if most is not None and (total is None or not total.within(most)):
        found = "" if total is None or total.epsilon > most.epsilon else " in delta"
        out.print(f"more than that is already spent{found}, so the next spend will be refused")


def _require_dataset(dataset: str, book: Ledger, ledger: str) -> str:
    """The data set's name in the ledger; `DeclarationError` if the ledger does not have it."""
    name, names = dataset_name(dataset), book.datasets()
    if name not in names:
        raise DeclarationError(
            f"show data set {name!r}",
            found=f"the ledger {ledger_name(ledger, book)} knows {len(names)} others and not this "
            "one",
            fix=did_you_mean(name, names, "use a name that `littlestone ledger show` prints"),
        )
    return name


def _accounts(
    dataset: str | None, ledger: str, book: Ledger
) -> tuple[list[Account], list[LittlestoneError]]:
    """The accounts of one data set or of all, and the errors of those that cannot be read."""
    names = book.datasets() if dataset is None else [_require_dataset(dataset, book, ledger)]
    accounts, unsound, done = list[Account](), list[LittlestoneError](), set[str]()
    for name in names:
        if name in done:
            continue
        try:
            done.update(book.names(name))
            account = Account.of(book, name)
        except (UnsoundRowError, DeclarationError) as error:  # a name can be illegal too
            unsound.append(error)
        else:
            accounts.append(account)
    return accounts, unsound


def _history(
    dataset: str | None, ledger: str
) -> tuple[list[tuple[Entry, PrivacyCost]], list[LittlestoneError]]:
    with _existing(ledger) as book:
        accounts, unsound = _accounts(dataset, ledger, book)
    return _in_order(accounts), unsound


def _in_order(accounts: list[Account]) -> list[tuple[Entry, PrivacyCost]]:
    lines = [line for account in accounts for line in account.lines]
    return sorted(lines, key=lambda line: line[0].number)


def _by_name(accounts: list[Account]) -> list[tuple[str, Account]]:
    return sorted(
        ((name, account) for account in accounts for name in account.names),
        key=lambda pair: pair[0],
    )


def _end(unsound: list[LittlestoneError]) -> None:
    """Report what could not be read, and end with status 1."""
    for error in unsound:
        exit_with(error)
    if unsound:
        raise typer.Exit(1)


def _cell(value: object) -> object:
    # Texts that begin with an apostrophe get another one, so that different texts stay different.
    if not isinstance(value, str):
        return value
    shown = visible(value)  # a row written by another program may hold control characters
    return f"'{shown}" if value.startswith(tuple("=+-@\t\r\n'＝＋－＠")) else shown


def _at(entry: Entry) -> str:
    return entry.at.removesuffix("+00:00")


def _short(cost: PrivacyCost) -> list[str]:
    return [short_text(cost.epsilon), short_text(cost.delta)]


def _what(entry: Entry) -> str:
    return entry.what if entry.part is None else f"{entry.what} [part {entry.part}]"


def _entry_json(entry: Entry) -> dict[str, object]:
    return {
        "number": entry.number,
        "at": entry.at,
        "dataset": entry.dataset,
        "part": entry.part and str(entry.part),
        "what": entry.what,
        "mechanism": entry.mechanism,
        **cost_json(entry.cost),
        "neighboring": str(entry.cost.neighboring),
    }


def _line_json(entry: Entry, total: PrivacyCost) -> dict[str, object]:
    after = {f"total {name}": number for name, number in cost_json(total).items()}
    return _entry_json(entry) | after


_FIELDS = (
    "number", "at", "dataset", "part", "what", "mechanism", "epsilon", "delta", "neighboring",
    "total epsilon", "total delta",
)  # fmt: skip
