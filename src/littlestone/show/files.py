"""Write a file completely or not at all, and never overwrite a file of another kind or in use."""

from __future__ import annotations

import os
import re
import shlex
import signal
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from littlestone.base.disk import sync_folder
from littlestone.base.errors import OutputError, visible

if TYPE_CHECKING:
    from littlestone.privacy.ledger import Ledger

Name = str | os.PathLike[str]

# How files begin that a command may overwrite, because a command wrote them before.
MODEL = rb'\s*\{\s*"format": *"littlestone model '
CERTIFICATE = rb'\s*\{\s*"format": *"littlestone-certificate |littlestone-certificate '
PREDICTIONS = rb"prediction\n"
HISTORY = rb'number,at,dataset,part,|\[\s*\{\s*"number": |\[\]\n'
NEVER = rb"(?!)"  # for kinds of files that hold other people's data too
PAGE = rb"<!doctype html>\n<!-- littlestone report -->"
FIGURES = {"svg": rb"<\?xml |<svg ", "png": rb"\x89PNG\r\n"}
DRAWINGS = {**FIGURES, "html": PAGE}

DRAWN: tuple[Literal["svg", "png", "html"], ...] = ("svg", "png", "html")
"""The kinds of file that a tree can be drawn to."""

_HEAD = 200  # the first bytes of a file, which show its kind
_LEFT = ".unfinished"
_TRIES = 5


def require_different(files: Mapping[str, Iterable[Name | None]]) -> None:
    """Raise `OutputError` if two of a command's files are the same; keys describe the files.

    Two names are the same file if they lead to the same path or the same file on the disk.  Names that
    differ only in upper and lower case count as the same too, because many disks ignore case.  So an
    output never destroys an input.

    >>> require_different({"the table": ["a.csv"], "--out": ["b.json"], "--figure": [None]})
    """
    named = [
        (what, Path(os.path.realpath(path)))
        for what, paths in files.items()
        for path in paths
        if path is not None
    ]
    for (one, path), (other, second) in combinations(named, 2):
        if one != other and _same(path, second):
            raise OutputError(
                f"use {second} for {other}",
                found=f"it is the same file as {one} ({path}), and one would destroy the other",
                fix="give each a file of its own",
            )


def _same(one: Path, other: Path) -> bool:
    if str(one).casefold() == str(other).casefold():
        return True
    try:
        return one.samefile(other)
    except OSError:  # one of them does not exist
        return False


@contextmanager
def reserve(
    path: Name, over: bytes, *, replace: bool = True
) -> Iterator[Callable[[str | bytes], None]]:
    """Check the place for a file before the work, and yield the function that writes the file.

    The content, text or bytes, is written to a temporary file in the same folder and flushed to the
    disk.  Then the temporary file is renamed to ``path`` in one step.  Raises `OutputError` before the
    work if that cannot be done, so no budget is spent on a release that cannot be kept.

    An existing file is overwritten if it is empty or matches the pattern ``over``, because this command
    wrote it before.  A table, a ledger or any other file is not overwritten.  Without ``replace``, what
    matches is a release that was paid for, and is not overwritten either.

    A temporary file exists only while its content is written.  If a kill leaves one behind, the next
    call for ``path`` removes it.
    """
    target = Path(os.path.realpath(path))
    try:
        _is_replaceable(target, over, replace)
        _remove_left(target)
        # A file is made and removed, because rights and room show only then, and nothing is spent yet.
        probe, name = _temporary(target)
        os.close(probe)
        os.unlink(name)
    except OSError as error:
        raise _unwritable(target, error) from None

    def write(content: str | bytes) -> None:
        whole = content.encode() if isinstance(content, str) else content
        try:
            for left in reversed(range(_TRIES)):
                # Another command may have created it meanwhile.
                give_name = os.replace if _is_replaceable(target, over, replace) else _name_new
                try:
                    return _replace(target, whole, give_name)
                except (FileExistsError, FileNotFoundError):
                    # It was created just now, or another process removed the temporary file as a
                    # leftover.
                    if not left:
                        raise
        except OSError as error:
            raise _unwritable(target, error) from None

    yield write


def why_kept(path: Name, over: bytes, *, replace: bool) -> OutputError | None:
    """The error of `reserve` about the folder or a file that is there; None if there is none.

    Nothing is written, so it cannot say whether there is room.

    >>> print(why_kept("no/such/model.json", MODEL, replace=False).found)
    there is no such folder
    """
    target = Path(os.path.realpath(path))
    try:
        if not target.parent.is_dir():
            raise OSError(0, "there is no such folder")
        _is_replaceable(target, over, replace)
    except OSError as error:
        return _unwritable(target, error)
    return None


def _is_replaceable(target: Path, over: bytes, replace: bool) -> bool:
    """Whether a file is there; `OSError` if it must stay."""
    if not target.exists():
        return False
    if not target.is_file():
        raise OSError(0, "it exists and is not a file")
    with target.open("rb") as file:
        head = file.read(_HEAD)
    known = re.match(over, head)
    if known and not replace:
        raise OutputError(
            f"write {target}",
            found="the release there was paid for, and would be lost",
            fix="give another name, or --replace if nobody needs it any more",
        )
    if head and not known:
        raise OutputError(
            f"write {target}",
            found="a file of this name is there, and would be lost: it may hold work of yours"
            if over == NEVER
            else "the file there is of another kind, and would be destroyed",
            fix="give another name, or move the file away",
        )
    if not os.access(target, os.W_OK):
        raise PermissionError(0, "the file there is write-protected")
    return True


def _temporary(target: Path) -> tuple[int, str]:
    return tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=_LEFT)


def _remove_left(target: Path) -> None:
    with suppress(OSError):  # the folder may not be listable
        for name in os.listdir(target.parent):
            if re.fullmatch(
                re.escape(f".{target.name}.") + "[a-z0-9_]{8}" + re.escape(_LEFT), name
            ):
                (target.parent / name).unlink(missing_ok=True)


def _replace(target: Path, content: bytes, give_name: Callable[[str, Path], None]) -> None:
    handle, name = _temporary(target)
    try:
        with open(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        # Only the owner can read a temporary file; the finished file follows the user's umask.
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(name, 0o666 & ~umask)
        give_name(name, target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    sync_folder(target.parent)


def _name_new(name: str, target: Path) -> None:
    """Rename a file; FileExistsError if another one has the name by now, which may be paid for."""
    try:
        os.link(name, target)
    except (FileExistsError, FileNotFoundError):
        raise
    except OSError:  # a disk without links
        os.replace(name, target)
    else:
        os.unlink(name)


def _unwritable(target: Path, error: OSError) -> OutputError:
    if isinstance(error, OutputError):
        return error
    return OutputError(
        f"write {target}",
        found=error.strerror or "the place is not writable",
        fix="give a file in a folder that exists, has space and that you may write to",
    )


# Ctrl+C, an ordinary kill, and a terminal that is closed.
_ENDS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


class _UndeliveredError(OutputError):
    """What was paid for could not be shown or written as asked."""

    status = 1


@contextmanager
def hold_interrupts(ledger: Ledger, *, name: str) -> Iterator[None]:
    """Let the body, which spends and delivers, finish after the spend, even if it is interrupted.

    A signal that asks the process to end (Ctrl+C, SIGTERM, SIGHUP) works as usual before the spend.
    After the spend the first one waits until the body is done, and the second one ends the body at
    once.  Each time a line on standard error says what happened to the budget.  ``name`` is the
    ledger's name on the command line.  Only the main thread may use this.

    Raises KeyboardInterrupt for Ctrl+C, and SystemExit with status 128 + number for another signal.

    >>> from littlestone.privacy.ledger import Ledger
    >>> with Ledger() as book, hold_interrupts(book, name="here.ledger"):
    ...     book.has_spent
    False
    """
    waiting: list[int] = []

    def end(number: int, _: object) -> None:
        if ledger.has_spent and not waiting:
            waiting.append(number)
            _say(
                "the budget is spent, so the release is finished first; interrupt again to stop at "
                "once and lose it"
            )
            return
        raise _interrupt_error(number)

    # A signal that the caller ignores, as nohup does, stays ignored.
    usual = {n: signal.getsignal(n) for n in _ENDS if signal.getsignal(n) is not signal.SIG_IGN}
    for number in usual:
        signal.signal(number, end)
    try:
        yield
    except (KeyboardInterrupt, SystemExit):
        shown = visible(shlex.join(["littlestone", "ledger", "show", "--ledger", name]))
        _say(
            f"interrupted after the spend, which `{shown}` shows"
            if ledger.has_spent
            else "interrupted; nothing is spent"
        )
        raise
    finally:
        for number, handler in usual.items():
            signal.signal(number, handler)
    if waiting:
        _say("interrupted; the release was paid for, and is complete")
        raise _interrupt_error(waiting[0])


def _interrupt_error(number: int) -> BaseException:
    # With an argument: the command line says "interrupted" where nobody has said more.
    return KeyboardInterrupt(number) if number == signal.SIGINT else SystemExit(128 + number)


def _say(line: str) -> None:
    # A terminal that is gone, or a signal in the middle of another message.
    with suppress(OSError, RuntimeError, ValueError):
        sys.stderr.write(f"{line}\n")
        sys.stderr.flush()


def deliver(
    model: str, *, write: Callable[[str], None] | None, show: Callable[[bool], None]
) -> None:
    """``write`` the text of a model if a file was asked for, and ``show`` the release.

    ``show`` is told whether the model is in that file.  Each is done even if the other fails.  If one
    fails and the model is in no file, the model is saved in another place, and a message names it: the
    current folder, the home folder or the temporary folder, or else standard error.  Raises
    `OutputError` for a failing file or terminal and for Ctrl+C.  Any other error is raised unchanged.
    """
    failures: list[BaseException] = []
    written = False
    if write is not None:
        try:
            write(model)
            written = True
        except BaseException as error:
            failures.append(error)
    try:
        show(written)
        sys.stdout.flush()
    except BaseException as error:
        failures.append(error)
    if not failures:
        return
    first = failures[0]
    if written:
        raise first
    kept = _kept_elsewhere(model)
    if not isinstance(first, OSError | KeyboardInterrupt):
        if kept:  # otherwise the whole model has been written to standard error
            sys.stderr.write(f"the release is paid for, and kept in {kept}\n")
        raise first
    raise _UndeliveredError(
        first.asked if isinstance(first, OutputError) else "show the release",
        found=(first.found if isinstance(first, OutputError) else _words(first))
        + "; its budget is spent",
        fix=f"the release is kept in {kept}: move it to where you want it"
        if kept
        else "save the model above, which is the release",
    ) from None


def _kept_elsewhere(model: str) -> Path | None:
    for folder in (Path.cwd, Path.home, tempfile.gettempdir):
        with suppress(OSError, RuntimeError):
            handle, name = tempfile.mkstemp(".json", "littlestone-release-", folder())
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(model.encode())
                    file.flush()
                    os.fsync(file.fileno())
            except OSError:
                os.unlink(name)
                raise
            return Path(name)
    sys.stderr.write(model)
    return None


def _words(error: BaseException) -> str:
    if isinstance(error, KeyboardInterrupt):
        return "it was interrupted"
    return getattr(error, "strerror", None) or "the output cannot be written"
