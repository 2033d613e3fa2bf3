"""Handing over a release that is paid for: it is never lost, whatever disk or terminal fails."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from littlestone.errors import OutputError


def delivered(model: str, *, write: Callable[[str], None] | None, show: Callable[[], None]) -> None:
    """``write`` the text of a model, if it is asked for, and ``show`` the release.

    Each is done even if the other fails, in whatever way.  If one fails and the model is in no file, it
    is kept in another place, which is named: the folder, the home or the temporary folder, or else on
    standard error.  Raises `OutputError` for a file or terminal that fails and for Ctrl+C, and any
    other error as it is.
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
        if kept:  # otherwise all of it stands on standard error by now
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
