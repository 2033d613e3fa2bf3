"""``littlestone check``: nothing else counts what a declaration reads before anything is spent."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from littlestone.cli import options
from littlestone.cli.console import bar, print_json, print_pairs
from littlestone.cli.options import files_of
from littlestone.data.opening import file_of
from littlestone.learn.declared.check import TITLE, check_private
from littlestone.learn.declared.check import check as checked
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.randomness import generator
from littlestone.show.files import require_different


def check(
    source: options.TableArgument,
    hypotheses: Annotated[
        list[str] | None,
        typer.Option("--class", help="Check what `fit` would read for this class."),
    ] = None,
    target: options.TargetOption = None,
    positive: options.PositiveOption = None,
    labels: Annotated[
        str | None, typer.Option(help="The labels to predict: AA,UA,DL; or give --positive.")
    ] = None,
    default: Annotated[
        str | None, typer.Option(help="One of --labels, for all other values.")
    ] = None,
    table: options.NameOption = None,
    schema: options.SchemaOption = None,
    separator: options.SeparatorOption = None,
    multiline: options.MultilineOption = False,
    epsilon: Annotated[
        str | None,
        typer.Option(help="Print private counts instead, which spend this epsilon of the ledger."),
    ] = None,
    ledger: options.LedgerOption = options.DEFAULT_LEDGER,
    dataset: options.DatasetOption = None,
    seed: options.SeedOption = None,
    as_json: options.JsonOption = False,
) -> None:
    """Count the records, cells and labels of TABLE that the declarations read: NOT PRIVATE.

    It shows no value of a record, but its counts are exact: show them only to people who may see the
    table. The status is 0 if all is read, and 1 if the declarations read less than they should.

    With --epsilon it prints private counts only, and the status is 0 whatever they are.
    """
    paid = files_of(ledger) if epsilon is not None else []
    require_different({"the table": [file_of(source)], "the schema": [schema], "the ledger": paid})
    asked: dict[str, Any] = {
        "hypotheses": hypotheses or None,
        "positive": positive,
        "labels": labels,
        "default": default,
        "schema": schema,
        "name": table,
        "separator": separator,
        "multiline": multiline,
    }
    if epsilon is not None:
        rng = generator(seed)
        with Ledger(ledger, create=True) as book:
            noisy = check_private(
                source, target, epsilon=epsilon, ledger=book, dataset=dataset, rng=rng, **asked
            )
        if as_json:
            print_json(noisy.to_json())
        else:
            title = "Private counts" if noisy.private else "Simulated counts: NOT PRIVATE"
            print_pairs(noisy.share_rows(), title=title)
        return
    with bar("reading the table"):
        found = checked(source, target, **asked)
    if as_json:
        print_json(found.to_json())
    else:
        print_pairs(found.rows(), title=TITLE)
    if not found.ok:
        raise typer.Exit(1)
