"""Deliver a paid release without losing it, even if the disk or the terminal fails."""

from __future__ import annotations

import os
import shlex
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from littlestone.base.errors import OutputError, visible
from littlestone.privacy.ledger import Ledger

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
    return KeyboardInterrupt() if number == signal.SIGINT else SystemExit(128 + number)


def _say(line: str) -> None:
    # A terminal that is gone, or a signal in the middle of another message.
    with suppress(OSError, RuntimeError, ValueError):
        sys.stderr.write(f"{line}\n")
        sys.stderr.flush()


def deliver(model: str, *, write: Callable[[str], None] | None, show: Callable[[], None]) -> None:
    """``write`` the text of a model if a file was asked for, and ``show`` the release.

    Each is done even if the other fails.  If one fails and the model is in no file, the model is saved
    in another place, and a message names it: the current folder, the home folder or the temporary
    folder, or else standard error.  Raises `OutputError` for a failing file or terminal and for Ctrl+C.
    Any other error is raised unchanged.
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
        show()
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
