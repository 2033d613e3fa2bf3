"""Write a file completely or not at all, and never overwrite a file of another kind or in use."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import combinations
from pathlib import Path
from typing import Literal

from littlestone.base.disk import sync_folder
from littlestone.base.errors import OutputError

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
def reserve(path: Name, over: bytes) -> Iterator[Callable[[str | bytes], None]]:
    """Check the place for a file before the work, and yield the function that writes the file.

    The content, text or bytes, is written to a temporary file in the same folder and flushed to the
    disk.  Then the temporary file is renamed to ``path`` in one step.  Raises `OutputError` before the
    work if that cannot be done, so no budget is spent on a release that cannot be kept.

    An existing file is overwritten if it is empty or matches the pattern ``over``, because this command
    wrote it before.  A table, a ledger or any other file is not overwritten.

    A temporary file exists only while its content is written.  If a kill leaves one behind, the next
    call for ``path`` removes it.
    """
    target = Path(os.path.realpath(path))
    try:
        _require_replaceable(target, over)
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
            # Another command may have created it meanwhile.
            _require_replaceable(target, over)
            for left in reversed(range(_TRIES)):
                try:
                    return _replace(target, whole)
                except FileNotFoundError:
                    # Another process removed the temporary file as a leftover.
                    if not left:
                        raise
        except OSError as error:
            raise _unwritable(target, error) from None

    yield write


def _require_replaceable(target: Path, over: bytes) -> None:
    if not target.exists():
        return
    if not target.is_file():
        raise OSError(0, "it exists and is not a file")
    with target.open("rb") as file:
        head = file.read(_HEAD)
    if head and not re.match(over, head):
        raise OutputError(
            f"write {target}",
            found="the file there is of another kind, and would be destroyed",
            fix="give the name of another file",
        )
    if not os.access(target, os.W_OK):
        raise PermissionError(0, "the file there is write-protected")


def _temporary(target: Path) -> tuple[int, str]:
    return tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=_LEFT)


def _remove_left(target: Path) -> None:
    with suppress(OSError):  # the folder may not be listable
        for name in os.listdir(target.parent):
            if re.fullmatch(
                re.escape(f".{target.name}.") + "[a-z0-9_]{8}" + re.escape(_LEFT), name
            ):
                (target.parent / name).unlink(missing_ok=True)


def _replace(target: Path, content: bytes) -> None:
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
        os.replace(name, target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    sync_folder(target.parent)


def _unwritable(target: Path, error: OSError) -> OutputError:
    if isinstance(error, OutputError):
        return error
    return OutputError(
        f"write {target}",
        found=error.strerror or "the place is not writable",
        fix="give a file in a folder that exists, has space and that you may write to",
    )
