"""``littlestone report``: nothing else makes a page for people who use no terminal."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path

import typer

from littlestone.base.disk import parse_json
from littlestone.base.errors import ModelError
from littlestone.cli.console import out, require_encoding
from littlestone.cli.options import files_of, ledger_name
from littlestone.data.opening import dataset_name
from littlestone.learn import Release
from littlestone.learn.stream.state_file import MAGIC
from littlestone.pictures.canvas import suffix_of
from littlestone.privacy.ledger import Ledger, is_address
from littlestone.show.files import PAGE, require_different, reserve
from littlestone.show.pages.budget import ledger_page
from littlestone.show.pages.release import release_page
from littlestone.show.pages.stream import Run, stream_page

_PIPE = "-"
_SQLITE = b"SQLite format 3\0"


def report(
    what: str,
    to: Path | None = None,
    ledger: str | None = None,
    dataset: str | None = None,
) -> None:
    """Write a page of HTML about a release, a stream or a ledger, for people.

    It says the rule in words and as a picture, what the guarantee means for one person, how good the
    rule is, the budget, and how to reproduce and cite it.  It is one file, without scripts, that loads
    nothing.  Only what was released is in it: no table is read.

    what FILE: A model (.json), the lines that `stream` printed, a ledger (a file or
        postgresql://USER@HOST/DATABASE), or - for a model or lines from a pipe.
    to --out: Write to this .html file, not to the terminal.
    ledger: For a model or a stream: also show the budget in this ledger.
    dataset: For a ledger: show only this data set.
    """
    is_ledger = what != _PIPE and (is_address(what) or _head(what) == _SQLITE)
    _require_used(is_ledger, ledger, dataset)
    books = [
        path for name in (what if is_ledger else None, ledger) if name for path in files_of(name)
    ]
    sources = [] if what == _PIPE or is_ledger else [what]
    require_different({"the file": sources, "the ledger": books, "--out": [to]})
    if to is not None:
        suffix_of(to, ("html",))
    with ExitStack() as held:
        write = sys.stdout.write if to is None else held.enter_context(reserve(to, PAGE))
        if is_ledger:
            book = held.enter_context(Ledger(what, create=False))
            name = None if dataset is None else dataset_name(dataset)
            page = ledger_page(book, ledger_name(what, book), name)
        else:
            text = _read_text(what)
            paid = None if ledger is None else held.enter_context(Ledger(ledger, create=False))
            page = _page(text, paid)
        if to is None:
            require_encoding("the page", page)
        write(page)
    if to is not None:
        out.print(f"written to {to}")


def _page(text: str, ledger: Ledger | None) -> str:
    """The page of a model or of the lines of a stream."""
    try:
        data = parse_json(text)
    except ValueError:
        data = None
    if isinstance(data, dict) and "format" in data:
        return release_page(Release.from_json(data), ledger)
    return stream_page(Run.of(text.splitlines()), ledger)


def _require_used(is_ledger: bool, ledger: str | None, dataset: str | None) -> None:
    if is_ledger and ledger is not None:
        raise typer.BadParameter("the file is a ledger itself", param_hint="--ledger")
    if not is_ledger and dataset is not None:
        raise typer.BadParameter("it is for ledgers", param_hint="--dataset")


def _head(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read(len(_SQLITE))
    except OSError as error:
        raise _unreadable(path, error.strerror or "it cannot be read") from None


def _read_text(path: str) -> str:
    content = sys.stdin.buffer.read() if path == _PIPE else Path(path).read_bytes()
    if content.startswith(MAGIC):
        raise ModelError(
            f"report on {path}",
            found="it is the state of a run, which holds single records and is as secret as they are",
            fix="give the lines that `littlestone stream` printed: littlestone stream ... > lines.json",
        )
    try:
        return content.decode()
    except UnicodeDecodeError:
        raise _unreadable(path, "it is neither text nor a ledger") from None


def _unreadable(path: str, found: str) -> ModelError:
    return ModelError(
        f"report on {path}",
        found=found,
        fix="give a model of `littlestone fit --out`, the lines of `littlestone stream`, or a ledger",
    )
