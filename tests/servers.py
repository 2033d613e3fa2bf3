"""A PostgreSQL server of the tests' own, where its programs are installed."""

from __future__ import annotations

import os
import pwd
import resource
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import pytest


def programs() -> Path | None:
    """The folder of PostgreSQL's programs, None when it is not installed."""
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda p: p.parts[4])
    found = shutil.which("initdb") or (debian[-1] if debian else None)
    return Path(found).resolve().parent if found else None


class Server:
    """A server on a socket in ``folder``, with the settings given; it makes new databases."""

    def __init__(
        self, folder: str, *, wal_megabytes: int = 16, largest_file: int = -1, **settings: object
    ) -> None:
        # ``largest_file`` is in bytes; one that would grow beyond it meets a full disk.
        bin_folder = programs()
        assert bin_folder is not None
        self.folder, self.data, self._bin = folder, f"{folder}/data", bin_folder
        self.settings, self._numbers, self.largest_file = settings, count(1), largest_file
        # PostgreSQL refuses to run as root.
        self._user = "nobody" if os.getuid() == 0 else None
        if self._user:
            os.chown(folder, pwd.getpwnam(self._user).pw_uid, -1)
        self._run(
            "initdb", "-D", self.data, "-U", "ada", "-A", "trust", "-E", "UTF8", "--no-sync",
            f"--wal-segsize={wal_megabytes}",
        )  # fmt: skip
        self.start()

    def _run(self, program: str, *arguments: str) -> None:
        command = [str(self._bin / program), *arguments]
        done = subprocess.run(
            command, user=self._user, cwd=self.folder, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr

    def start(self) -> None:
        """Start, or start again after a crash, and wait until it answers."""
        settings = {"listen_addresses": "", "unix_socket_directories": self.folder}
        options = [f"-c{name}={value}" for name, value in {**settings, **self.settings}.items()]
        with open(f"{self.folder}/log", "ab") as log:
            self.process = subprocess.Popen(
                [str(self._bin / "postgres"), "-D", self.data, *options],
                user=self._user,
                cwd=self.folder,
                stdout=log,
                stderr=log,
                preexec_fn=self._limit_files,
            )
        ready = [str(self._bin / "pg_isready"), "-q", "-h", self.folder, "-d", "postgres"]
        deadline = time.monotonic() + 30
        while subprocess.run(ready, check=False).returncode:
            assert self.process.poll() is None, Path(self.folder, "log").read_text()
            assert time.monotonic() < deadline
            time.sleep(0.05)

    def _limit_files(self) -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (self.largest_file, resource.RLIM_INFINITY))

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """End it: SIGINT cuts all connections, SIGQUIT is a crash that writes nothing more."""
        self.process.send_signal(how)
        self.process.wait(timeout=30)

    def database(self, options: str = "") -> str:
        """Make a new database; its address."""
        import psycopg

        name = f"db{next(self._numbers)}"
        with psycopg.connect(self.conninfo("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name} {options}".encode())
        return f"postgresql://ada@/{name}?host={self.folder}"

    def conninfo(self, name: str) -> str:
        """How psycopg connects to the database ``name``."""
        return f"host={self.folder} user=ada dbname={name}"


@contextmanager
def server(**settings: Any) -> Iterator[Server]:
    """Run a server; skips the test where PostgreSQL or its Python packages are missing."""
    pytest.importorskip("psycopg")
    if programs() is None:
        pytest.skip("PostgreSQL's server is not installed")
    with tempfile.TemporaryDirectory(prefix="ledger", ignore_cleanup_errors=True) as folder:
        running = Server(folder, **settings)
        try:
            yield running
        finally:
            if running.process.poll() is None:
                running.stop(signal.SIGQUIT)  # what it holds is thrown away
