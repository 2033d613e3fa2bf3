"""Records that arrive one by one through a pipe."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from littlestone.data.csv_files import CsvTable, readable


class CsvStream(CsvTable):
    r"""CSV text with a header from a pipe, read once as it arrives; otherwise like any CSV file.

    >>> import io
    >>> stream = CsvStream(io.BytesIO(b"id,bad\n7,1\n"), name="standard input")
    >>> list(stream.rows(["bad", "id"])), list(stream.rows(["id"]))
    ([('1', '7')], [])
    """

    def __init__(self, stream: BinaryIO, *, name: str) -> None:
        self._pipe = readable(stream)
        super().__init__(Path(name))

    @contextmanager
    def _text(self) -> Iterator[Iterator[str]]:
        yield self._pipe

    @contextmanager
    def _records(self) -> Iterator[Iterator[list[str]]]:
        with self._open() as lines:  # the header was already read from the same pipe
            yield lines
