"""Deliver a paid release without losing it, even if the disk or the terminal fails."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from littlestone.errors import OutputError


def delivered(model: str, *, write: Callable[[str], None] | None, show: Callable[[], None]) -> None:
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
    raise OutputError(
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
