"""The command line."""

from __future__ import annotations

import os
import sys

import typer

from littlestone.cli import dim, dims, fit, ledger, play, predict, verify
from littlestone.cli.console import exit_with

app = typer.Typer(
    name="littlestone",
    help="Learn Littlestone classes: exactly, online, and with differential privacy.",
    no_args_is_help=True,
    add_completion=False,
    # A pretty trace shows local variables, hence records.
    pretty_exceptions_enable=False,
)
app.command()(fit.fit)
app.command()(predict.predict)
app.command()(dim.dim)
app.command()(dims.dims)
app.command()(play.play)
app.add_typer(ledger.app, name="ledger")
app.command()(verify.verify)


def main() -> None:
    """Run the command line; the entry point of the ``littlestone`` script."""
    try:
        app()
    except BrokenPipeError:
        # The reader of the output has left; Python would complain again when it closes stdout.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except Exception as error:
        sys.exit(exit_with(error))
