"""The command line.  The module of a command is imported when the command runs."""

from __future__ import annotations

import atexit
import gc
import inspect
import io
import os
import re
import sys
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

_COMMANDS = {
    "fit": "Learn a rule that predicts labels from TABLE, with differential privacy.",
    "subgroup": "Find the group of records in TABLE with the highest rate, with differential privacy.",
    "predict": "Print the predicted label of each record of TABLE, in order, as a CSV of one column.",
    "check": "Count the records, cells and labels of TABLE that the declarations read: NOT PRIVATE.",
    "schema": "Draft a schema of TABLE from names, types and a data dictionary; no record is read.",
    "classes": "List every class with its text form, an example and what it is.",
    "plan": "Print how many records each learner of CLASS needs, and lower bounds for all learners.",
    "stream": "Learn from records as they arrive, and print each rule when it is published.",
    "export": "Print a released rule as SQL, for polars or pandas, as PMML, for Excel, or as a card.",
    "report": "Write a page of HTML about a release, a stream or a ledger, for people.",
    "ledger": "Show what has been spent, set limits, and record spends made elsewhere.",
    "verify": "Check numbered statements of the papers: stated and measured values, with verdicts.",
    "audit": "Compare the privacy claim of a mechanism or learner with its exact and measured loss.",
    "dim": "Print the Littlestone dimension: the most mistakes that can be forced on every learner.",
    "theory": "Study classes: trees, dimensions, certificates, games and the atlas.",
}
"""The commands and the first lines of their help.  Listing the commands imports none of them."""

_THEORY = {
    "tree": "Draw a tree of questions: an adversary can force one mistake at each of its levels.",
    "dims": "Print all dimensions of a table or a small class, with witnesses.",
    "certify": "Check a certificate against its table, without any search.",
    "decompose": "Print the (p, d)-decomposition dimension, an optimal tree and essential hypotheses.",
    "play": "Play the online game round by round: an adversary asks, and a learner predicts.",
    "atlas": "Measure every class over 1 to 4 points, once for all renamings.",
    "optimum": "Print how well the best private learner of a tiny class can do, with a proof.",
    "papers": "List the boxes of the papers as printed, what they promise, and what is found.",
    "search": "Find the smallest classes whose dimensions meet a condition.",
}
"""The commands of ``littlestone theory``."""

_MODULES = {
    "audit": "verify",
    "certify": "dim",
    "decompose": "tree",
    "export": "predict",
    "optimum": "atlas",
    "papers": "verify",
    "play": "tree",
    "schema": "check",
    "search": "atlas",
    "subgroup": "fit",
}
"""The module of a command, if it is not that of its name."""


class _Commands(TyperGroup):
    """The commands by name.  A listing shows only the first line of each."""

    _first_lines = _COMMANDS
    _listing = False

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.commands = {
            name: TyperCommand(name=name, short_help=text)
            for name, text in self._first_lines.items()
        }

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        for given in self.get_params(ctx):
            _keep_texts(given)
        # Without a word typer would print nothing, because the listing is plain text.
        return super().parse_args(ctx, args or ["--help"])

    def list_commands(self, ctx: Any) -> list[str]:
        return list(self._first_lines)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if self._listing or cmd_name not in self._first_lines:
            return self.commands.get(cmd_name)
        if cmd_name == "theory":
            return _Theory(name=cmd_name, help=_COMMANDS[cmd_name])
        if cmd_name != "stream":
            # numpy starts threads to multiply matrices, which only `stream` does.
            os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        from littlestone.cli.options import describe

        module = import_module(f"littlestone.cli.{_MODULES.get(cmd_name, cmd_name)}")
        alone = getattr(module, "app", None)
        if alone is None:
            alone = typer.Typer(add_completion=False)
            alone.command(cmd_name)(describe(getattr(module, cmd_name)))
        command = typer.main.get_command(alone)
        command.name = cmd_name
        for one in (command, *getattr(command, "commands", {}).values()):
            one.help = _flowing(one.help or "")
            for given in one.get_params(ctx):
                _keep_texts(given)
                if given.param_type_name == "argument":
                    given.metavar = given.metavar or (given.name or "").upper()
            _hide_types_of_flags(one, ctx)
        return command

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args and args[0] in _THEORY and args[0] not in self._first_lines:
            ctx.fail(f"The command is now `littlestone theory {args[0]}`.")
        return super().resolve_command(ctx, args)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        # The listing is plain text: rich would take longer to load than numpy does.
        usual, self.rich_markup_mode, self._listing = self.rich_markup_mode, None, True
        try:
            super().format_help(ctx, formatter)
        finally:
            self.rich_markup_mode, self._listing = usual, False


class _Theory(_Commands):
    """The commands that study classes without any records."""

    _first_lines = _THEORY


def _keep_texts(given: Any) -> None:
    """Hand over a text, a path, a plain number, or a default, as it is.

    typer asks pydantic to make a text of a text, and to load it takes as long as to load numpy.
    """
    told = getattr(given, "type_descriptor", None)
    kind = getattr(told, "annotation", None)
    low, high = (
        getattr(getattr(told, "parameter_info", None), end, None) for end in ("min", "max")
    )
    convert = given.process_value

    def is_plain_number(value: Any) -> bool:
        """Whether it is a text of at most 18 digits, within the bounds."""
        if kind is not int or not isinstance(value, str) or not re.fullmatch("[0-9]{1,18}", value):
            return False
        return (low is None or low <= int(value)) and (high is None or int(value) <= high)

    def process(ctx: Any, value: Any) -> Any:
        kept: Any
        if value is None and kind is not None and not given.required:
            kept = () if given.multiple or given.nargs == -1 else None
        elif kind in (str, Path) and isinstance(value, str):
            kept = kind(value)
        elif is_plain_number(value):
            kept = int(value)
        elif kind == list[str] and isinstance(value, list | tuple) and value:
            kept = list(value)
        elif kind in (float, int) and value is not None and value is given.default:
            kept = kind(value)
        else:
            try:
                return convert(ctx, value)
            except typer.BadParameter as wrong:
                # Without pydantic's words; and of what is missing, what it is.
                wrong.message = wrong.message.removeprefix("Value error, ") or given.help or ""
                raise
        return kept if given.callback is None else given.callback(ctx, given, kept)

    given.process_value = process


def _hide_types_of_flags(command: Any, ctx: Any) -> None:
    """A flag takes no value, so its help must not show one; typer would write ``--json <bool>``."""
    for given in command.get_params(ctx):
        if getattr(given, "is_flag", False):
            given.metavar = ""


def _flowing(text: str) -> str:
    """A docstring with each paragraph on one line; typer would keep the line breaks of the source."""
    paragraphs = inspect.cleandoc(text).split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


STATUS = (
    "The exit status is 0 if all is done; 1 if the answer is no: a check fails, a budget would be "
    "exceeded, or a disk is full; 2 if it cannot be done as asked: an option, a declaration or a file "
    "is wrong; 70 for a defect; 130 after Ctrl+C."
)

app = typer.Typer(
    cls=_Commands,
    name="littlestone",
    help="Learn Littlestone classes: exactly, online, and with differential privacy.",
    epilog=STATUS,
    # A pretty trace shows local variables, which may hold records.
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
    """Run the command line, as the ``littlestone`` script does."""
    gc.set_threshold(50_000)  # what is imported is no garbage
    atexit.register(gc.freeze)  # and the end of the process frees it without a search for cycles
    if sys.stderr is None:  # standard error was closed by the caller
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
    except KeyboardInterrupt:
        raise
    except SystemExit as end:
        if _is_untold(end):
            sys.stderr.write("interrupted\n")
        raise
    except BrokenPipeError:
        _drop_output()
        sys.exit(1)
    except BaseException as error:  # a panic in a Rust library is not an Exception
        from littlestone.cli.console import exit_with

        status = exit_with(error)
        try:
            sys.stdout.flush()
        except OSError:
            _drop_output()
        sys.exit(status)


def _is_untold(end: SystemExit) -> bool:
    """Whether typer ends because of Ctrl+C, of which it says nothing; with arguments, it was told."""
    cause = getattr(end.__context__, "__cause__", None)
    return isinstance(cause, KeyboardInterrupt) and not cause.args


def _drop_output() -> None:
    """Drop the output after its reader has left, or Python complains again when it closes stdout."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
