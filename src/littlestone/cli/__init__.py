"""The command line."""

from __future__ import annotations

import io
import os
import sys

import typer

from littlestone.cli import (
    audit,
    certify,
    decompose,
    dim,
    dims,
    fit,
    ledger,
    plan,
    play,
    predict,
    stream,
    tree,
    verify,
)
from littlestone.cli.console import err, exit_with

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
app.command()(plan.plan)
app.command()(stream.stream)
app.command()(dim.dim)
app.command()(certify.certify)
app.command()(tree.tree)
app.command()(dims.dims)
app.command()(decompose.decompose)
app.command()(play.play)
app.add_typer(ledger.app, name="ledger")
app.command()(verify.verify)
app.command()(audit.audit)


def main() -> None:
    """Run the command line; the entry point of the ``littlestone`` script."""
    if sys.stderr is None:  # closed, as what this prints may be
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    if sys.stdout is None:
        sys.stderr.write("error: standard output is closed, so nothing could be shown\n")
        sys.exit(1)
    for text in (sys.stdout, sys.stderr):
        # A name that the terminal cannot show must not cost a release that has been paid for.
        if isinstance(text, io.TextIOWrapper):
            text.reconfigure(errors="backslashreplace")
    try:
        app()
    except SystemExit as stopped:
        if stopped.code == 130 and sys.argv[1:2] == ["fit"]:
            err.print("interrupted; `littlestone ledger show` tells what was spent, if anything")
        raise
    except BrokenPipeError:
        _drop_output()
        sys.exit(1)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a panic of a library in Rust is no Exception
        status = exit_with(error)
        try:
            sys.stdout.flush()
        except OSError:
            _drop_output()
        sys.exit(status)


def _drop_output() -> None:
    """The reader of the output has left; Python would complain again when it closes stdout."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
