"""The command line.  A command is one module, which is imported when the command is run."""

from __future__ import annotations

import io
import os
import sys
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

_COMMANDS = {
    "fit": "Learn a rule, or the label of each record, from TABLE with differential privacy.",
    "predict": "Print a CSV of one column, the predicted label of each record of TABLE in order.",
    "plan": "Print how many records each learner of CLASS takes, and how many none can do without.",
    "stream": "Learn from records as they come, and print each rule that is published, as a line of "
    "JSON.",
    "dim": "Print the Littlestone dimension: the mistakes an adversary can force, and a learner "
    "allows.",
    "certify": "Check a certificate against its table, without any search.",
    "tree": "Draw a tree of questions on which an adversary forces as many mistakes as there are "
    "levels.",
    "dims": "Print all dimensions of a table, with witnesses.",
    "decompose": "Print the (p, d)-decomposition dimension, a tree that attains it, and what is "
    "essential.",
    "play": "Play the online game round by round; the standard optimal algorithm errs at most LDim "
    "times.",
    "ledger": "Show what has been spent, and set limits.",
    "verify": "Run the numbered statements of the papers: stated against measured, and a verdict each.",
    "audit": "Compare the claim of a mechanism or learner with what is exact and with what is "
    "measured.",
}
"""The commands and the first lines of their help, so that listing them imports none."""


class _Commands(TyperGroup):
    """The commands by name; a listing of them shows their first lines alone."""

    _listing = False

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.commands = {
            name: TyperCommand(name=name, help=text) for name, text in _COMMANDS.items()
        }

    def list_commands(self, ctx: Any) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if self._listing or cmd_name not in _COMMANDS:
            return self.commands.get(cmd_name)
        module = import_module(f"littlestone.cli.{cmd_name}")
        alone = getattr(module, "app", None)
        if alone is None:
            alone = typer.Typer(add_completion=False)
            alone.command(cmd_name)(getattr(module, cmd_name))
        command = typer.main.get_command(alone)
        command.name = cmd_name
        return command

    def format_help(self, ctx: Any, formatter: Any) -> None:
        self._listing = True
        try:
            super().format_help(ctx, formatter)
        finally:
            self._listing = False


app = typer.Typer(
    cls=_Commands,
    name="littlestone",
    help="Learn Littlestone classes: exactly, online, and with differential privacy.",
    no_args_is_help=True,
    add_completion=False,
    # A pretty trace shows local variables, hence records.
    pretty_exceptions_enable=False,
)


def _show_version(asked: bool) -> None:
    if asked:
        from littlestone import __version__

        typer.echo(f"littlestone {__version__}")
        raise typer.Exit


@app.callback()
def littlestone(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """Learn Littlestone classes: exactly, online, and with differential privacy."""


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
            from littlestone.cli.console import err

            err.print("interrupted; `littlestone ledger show` tells what was spent, if anything")
        raise
    except BrokenPipeError:
        _drop_output()
        sys.exit(1)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a panic of a library in Rust is no Exception
        from littlestone.cli.console import exit_with

        status = exit_with(error)
        try:
            sys.stdout.flush()
        except OSError:
            _drop_output()
        sys.exit(status)


def _drop_output() -> None:
    """The reader of the output has left; Python would complain again when it closes stdout."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
