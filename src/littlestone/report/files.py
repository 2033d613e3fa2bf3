"""Writing a file whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from littlestone.errors import OutputError


@contextmanager
def reserved(
    path: str | os.PathLike[str], *, keep: Iterable[str | os.PathLike[str]] = ()
) -> Iterator[Callable[[str | bytes], None]]:
    """Reserve the place for a file before the work, and yield the function that writes its content.

    The content, text or bytes, goes to a temporary file in the same folder, reaches the disk, and
    then takes the name ``path`` in one step.  Raises `OutputError` at once, before the work, if that
    cannot be done; so a budget is never spent on a release that cannot be kept.  ``keep`` lists files
    that the work needs: to write over one of them, a table or a ledger, is refused too.
    """
    target = Path(os.path.realpath(path))
    if str(target) in map(os.path.realpath, keep):
        raise OutputError(
            f"write {target}",
            found="this command also reads that file, and would destroy it",
            fix="give another file for the output",
        )
    try:
        if target.exists() and not target.is_file():
            raise OSError(0, "there is something else than a file")
        if target.exists() and not os.access(target, os.W_OK):
            raise PermissionError(0, "the file there is write-protected")
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    except OSError as error:
        raise _unwritable(target, error) from None
    file = os.fdopen(handle, "wb")

    def write(content: str | bytes) -> None:
        try:
            _write(content.encode() if isinstance(content, str) else content)
        except OSError as error:
            raise _unwritable(target, error) from None

    def _write(content: bytes) -> None:
        with file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        # A temporary file is for its owner's eyes; the finished one follows the user's umask.
        umask = os.umask(0)
        os.umask(umask)
        Path(name).chmod(0o666 & ~umask)
        Path(name).replace(target)

    try:
        yield write
    finally:
        with suppress(OSError):  # closing writes what a full disk did not take
            file.close()
        Path(name).unlink(missing_ok=True)


def _unwritable(target: Path, error: OSError) -> OutputError:
    return OutputError(
        f"write {target}",
        found=error.strerror or "the place is not writable",
        fix="give a file in a folder that exists, has space and that you may write to",
    )
