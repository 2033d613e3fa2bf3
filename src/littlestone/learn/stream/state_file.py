"""The file of a run: sealed lines, which nothing else resumes, held by one process at a time."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any

from filelock import FileLock, Timeout

from littlestone.base.discovery import replace_errors
from littlestone.base.disk import sync_folder
from littlestone.base.errors import ModelError, OutputError

MAGIC = b"littlestone run 3\n"
_OLDER = {
    b'{"format": "littlestone run 1"': "it is of littlestone 0.1, whose states have no checksums",
    b"littlestone run 2\n": "it is of an earlier version, whose states tell of draws in another form",
}
_DIGITS = 16  # of SHA-256 in hexadecimal, at the end of a line


class StateFile:
    """An open state: `read` it once, then `append` lines.

    Lines are read as they are, because the values of all of them would take far more memory.

    The first line says what the file is.  Each later line is a JSON value, a space, and 16 digits of
    the SHA-256 of all bytes of the file before that space.  So a line that was changed, removed, moved
    or doubled is found.  The digits are not secret: they detect damage, not forgery.

    A crash may cut the line that was being added.  Nothing depended on it, and `settle` removes it.
    """

    def __init__(self, path: Path, file: IO[bytes], lock: Path) -> None:
        self.path, self._file, self._lock = path, file, lock
        self._process, self._locked = os.getpid(), os.stat(lock)
        self._failed = False
        self._seal = hashlib.sha256(MAGIC)
        self._length, self._torn, self._unended = 0, 0, False

    def read(self) -> list[bytes]:
        """All lines, for `value`, or an empty list for an empty file; writes nothing.

        Raises `ModelError` if the file is not a state, or is damaged.
        """
        _require_state(self.path)
        head = self._file.read(len(MAGIC))
        content = self._file.read()
        self._length = len(head) + len(content)
        *whole, last = content.split(b"\n")
        lines = [self._unseal(line) for line in whole]
        if last and self._is_sealed(last):
            self._unended = True
            return [*lines, self._unseal(last)]
        if self._is_sealed(last[:-1]):  # a crash cuts a line, but does not overwrite its end
            raise damage_error(self.path)
        self._torn = len(last)
        return lines

    def _is_sealed(self, line: bytes) -> bool:
        return _line(line[: -_DIGITS - 1], self._seal.copy()) == line + b"\n"

    def _unseal(self, line: bytes) -> bytes:
        payload = line[: -_DIGITS - 1]
        if _line(payload, self._seal) != line + b"\n":
            raise damage_error(self.path)
        return payload

    def value(self, line: bytes) -> Any:
        """The value of a line that was read; raises `ModelError` if it has none."""
        # Nothing that `append` wrote; the error of json holds the line, which is private.
        with replace_errors((ValueError, RecursionError), lambda _: damage_error(self.path)):
            return json.loads(line)

    def settle(self) -> None:
        """Remove what a crash cut short, once the file is known to be the one to resume."""
        if not self._length:
            self._put(MAGIC)
        elif self._torn:
            with self._guard():
                self._length, self._torn = self._length - self._torn, 0
                self._file.truncate(self._length)
                os.fsync(self._file.fileno())
        elif self._unended:
            self._unended = False
            self._put(b"\n")

    def append(self, data: object) -> None:
        """Add a line, which is on the disk when this returns.

        Raises `OutputError` if that fails, if the path now names another file, or if another program
        wrote to the file or removed the lock.  Nothing can be added after that.
        """
        self.settle()
        self._put(_line(json.dumps(data).encode(), self._seal))

    @property
    def length(self) -> int:
        """The bytes of the file."""
        return self._length

    def is_beyond(self, data: object, most: int) -> bool:
        """Whether the file would have more than so many bytes with this line."""
        return self._length + len(json.dumps(data)) > most

    def replace(self, values: Iterable[object]) -> None:
        """Put these lines in place of all others, at once: a crash leaves the old file or the new one.

        The new one is written beside the file and renamed.  Raises what `append` raises.
        """
        self.settle()
        seal, beside = hashlib.sha256(MAGIC), next_of(self.path)
        content = MAGIC + b"".join(_line(json.dumps(value).encode(), seal) for value in values)
        with self._guard():
            _require_own(beside)  # a crash may have left one
            with ExitStack() as failed:
                file = failed.enter_context(open(beside, "w+b", buffering=0, opener=_open))
                _write(file, content)
                os.fsync(file.fileno())
                os.replace(beside, self.path)
                sync_folder(self.path.parent)
                failed.pop_all()
            self.let_go()
            self._file, self._seal, self._length = file, seal, len(content)

    def let_go(self) -> None:
        """Close the file."""
        self._file.close()

    def _put(self, content: bytes) -> None:
        with self._guard():
            self._file.seek(self._length)
            _write(self._file, content)
            # `append` returns only when the line is on the disk: what it holds may be published then.
            os.fsync(self._file.fileno())
            if not self._length:
                sync_folder(self.path.parent)
            self._length += len(content)

    @contextmanager
    def _guard(self) -> Iterator[None]:
        """Make sure, before and after a change, that nobody else changes the file."""
        if self._failed:
            raise unusable(self.path, "an earlier line could not be kept")
        self._failed = True  # until the end
        try:
            self._require_alone()
            yield
            self._require_alone()
        except OutputError:
            raise
        except OSError as error:
            raise unusable(self.path, error.strerror or "it cannot be written") from None
        self._failed = False

    def _require_alone(self) -> None:
        if os.getpid() != self._process:
            raise unusable(self.path, "the run belongs to the process that began it")
        held = os.fstat(self._file.fileno())
        try:
            named, lock = os.stat(self.path), os.stat(self._lock)
        except FileNotFoundError as error:
            raise unusable(self.path, f"{error.filename} was removed meanwhile") from None
        # Compared before and after each write: an editor may replace a file while it is open.
        if not os.path.samestat(held, named) or not os.path.samestat(self._locked, lock):
            raise unusable(self.path, "another file took its place, or that of its lock, meanwhile")
        if held.st_size != self._length:
            raise unusable(self.path, "another program wrote to it meanwhile")


def _write(file: IO[bytes], content: bytes) -> None:
    rest = memoryview(content)
    while rest:
        rest = rest[file.write(rest) :]


def _line(payload: bytes, seal: Any) -> bytes:
    """The line of ``payload``; ``seal`` hashes all bytes before it, then all up to its end."""
    seal.update(payload)
    digits: str = seal.hexdigest()[:_DIGITS]
    end = f" {digits}\n".encode()
    seal.update(end)
    return payload + end


@contextmanager
def state_file(path: Path) -> Iterator[StateFile]:
    """Open the state in ``path`` for this process alone; nothing is written to it yet.

    The lock is on a separate file next to it, and holds even if an editor replaces the state itself.
    Raises `ModelError` for any other file and a damaged state, and `OutputError` if it cannot be
    opened or another process uses it.
    """
    with ExitStack() as held:
        try:
            state = _hold(Path(os.path.realpath(path)), held)
        except Timeout:
            raise unusable(path, "another process goes on with that run") from None
        except OutputError:
            raise
        except OSError as error:
            raise unusable(path, error.strerror or "it cannot be opened") from None
        yield state


def _hold(path: Path, held: ExitStack) -> StateFile:
    lock = lock_of(path)
    for name in (path, lock):
        if name.exists() and not name.is_file():
            raise unusable(path, f"{name} is not a file")
    if lock.exists() and lock.stat().st_size:
        raise unusable(path, f"{lock} is not empty, so it is no lock, and is left as it is")
    if path.exists():
        _require_state(path)  # before the lock, which would be left beside a file of another kind
    held.enter_context(FileLock(lock, timeout=0, mode=0o600, thread_local=False))
    # Only its owner may read it.  It is unbuffered, so a failed write is not tried again later.
    state = StateFile(path, open(path, "r+b", buffering=0, opener=_open), lock)  # noqa: SIM115
    held.callback(state.let_go)
    if path.stat().st_nlink > 1:
        raise unusable(path, "it has another name, a hard link, under which it is not locked")
    _require_own(next_of(path))
    return state


def _require_own(beside: Path) -> None:
    """Raise `OutputError` if something else has the name under which a new state is written."""
    if beside.is_symlink() or (beside.exists() and not beside.is_file()):
        raise unusable(beside, "it is not a file")
    if beside.exists():
        with beside.open("rb") as file:
            head = file.read(len(MAGIC))
        if not MAGIC.startswith(head):
            raise unusable(beside, "it is not the state of a run, so it is left as it is")


def _require_state(path: Path) -> None:
    """Raise `ModelError` unless the file is empty or begins as a state does."""
    with path.open("rb") as file:
        head = file.read(max(map(len, (MAGIC, *_OLDER))))
    if head and not head.startswith(MAGIC):
        for older, found in _OLDER.items():
            if head.startswith(older):
                raise state_error(path, found)
        raise state_error(path, "it is not the state of a run, so it is left as it is")


def _open(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_CREAT, 0o600)


def lock_of(path: Path) -> Path:
    """The lock of the state in ``path``.

    >>> lock_of(Path("/here/run.state")).name
    'run.state.lock'
    """
    return Path(f"{os.path.realpath(path)}.lock")


def next_of(path: Path) -> Path:
    """The name under which a new state is written before it takes the place of the one in ``path``.

    >>> next_of(Path("/here/run.state")).name
    'run.state.next'
    """
    return Path(f"{os.path.realpath(path)}.next")


def state_error(path: Path, found: str) -> ModelError:
    """The error for a file that is not the state of this run."""
    return ModelError(
        f"go on with the run in {path}",
        found=found,
        fix="repeat all options and the ledger of the run's first call, or begin another run in "
        "another file",
    )


def damage_error(path: Path) -> ModelError:
    """The error for a state whose lines are not those that were written."""
    return ModelError(
        f"go on with the run in {path}",
        found="it is damaged: a line was changed, removed or moved",
        fix="begin another run in another file; an older copy would draw again what was published",
    )


def unusable(path: Path, found: str) -> OutputError:
    """The error for a file that cannot keep a run."""
    return OutputError(
        f"keep a run in {path}",
        found=found,
        fix="give a file that can be written, for this run only",
    )
