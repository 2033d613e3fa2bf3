"""``littlestone ledger``: what every data set has spent, and its limit."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from littlestone.cli.arguments import dataset_name
from littlestone.cli.console import out, print_json, print_table
from littlestone.cli.fit import DEFAULT_LEDGER
from littlestone.errors import DeclarationError
from littlestone.privacy.cost import PrivacyCost, decimal_text, exact, exact_delta
from littlestone.privacy.ledger import Ledger
from littlestone.report.fit import budget

app = typer.Typer(help="Show what has been spent, and set limits.", no_args_is_help=True)

LedgerFile = Annotated[Path, typer.Option("--ledger", help="The ledger file.")]


@app.command()
def show(
    dataset: Annotated[str | None, typer.Argument(help="Only this data set.")] = None,
    ledger: LedgerFile = DEFAULT_LEDGER,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
) -> None:
    """Show every entry, and the total and limit of every data set."""
    only = None if dataset is None else dataset_name(dataset)
    with Ledger(ledger, create=False) as book:
        names = book.datasets()
        if only is not None and only not in names:
            raise DeclarationError(
                f"show data set {only!r}",
                found=f"the ledger {ledger} knows {len(names)} others and not this one",
                fix="use a name that `littlestone ledger show` prints",
            )
        names = names if only is None else [only]
        entries = book.entries(only)
        totals = {name: (book.total(name), book.limit(name)) for name in names}
    if as_json:
        print_json(
            {
                "entries": [
                    {
                        "number": entry.number,
                        "at": entry.at,
                        "dataset": entry.dataset,
                        "what": entry.what,
                        "mechanism": entry.mechanism,
                        **_cost(entry.cost),
                    }
                    for entry in entries
                ],
                "totals": {
                    name: {**_cost(total), "limit": _cost(limit) if limit else None}
                    for name, (total, limit) in totals.items()
                },
            }
        )
        return
    for name, (total, limit) in totals.items():
        out.print(f"{name}: {budget(total, limit)}")
        rows = [
            [f"  {entry.number}", entry.at, *_cost(entry.cost).values(), entry.what]
            for entry in entries
            if entry.dataset == name
        ]
        print_table(["  entry", "at (UTC)", "epsilon", "delta", "what"], rows)


@app.command()
def limit(
    dataset: Annotated[
        str, typer.Argument(help="The data set's name, as `ledger show` prints it.")
    ],
    epsilon: Annotated[str, typer.Option(help="The most epsilon it may ever spend.")],
    delta: Annotated[str, typer.Option(help="The most delta it may ever spend.")] = "0",
    ledger: LedgerFile = DEFAULT_LEDGER,
) -> None:
    """Declare the most that a data set may ever spend; what would pass it is refused undrawn."""
    # 0 is legal here, and freezes the data set.
    most = PrivacyCost(exact(epsilon, what="epsilon"), exact_delta(delta))
    name, made = dataset_name(dataset), not ledger.exists()
    with Ledger(ledger) as book:
        book.set_limit(name, most)
        total = book.total(name)
    if made:
        out.print(f"made the ledger {ledger}")
    out.print(f"{name}: {budget(total, most)}")
    if Path(name).is_absolute() and not Path(name).exists():
        out.print("there is no such file yet; the limit binds whatever is put there")
    if not total.within(most):
        out.print("more than that is already spent, so nothing more will be")


def _cost(cost: PrivacyCost) -> dict[str, str]:
    return {"epsilon": decimal_text(cost.epsilon), "delta": decimal_text(cost.delta)}
