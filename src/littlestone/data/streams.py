"""Records that arrive one by one through a pipe."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from littlestone.data.coding import Coded
from littlestone.data.csv_files import CsvTable
from littlestone.data.tables import Table


class CsvStream(CsvTable):
    r"""CSV text with a header from a pipe, read once as it arrives; otherwise like any CSV file.

    >>> import io
    >>> stream = CsvStream(io.BytesIO(b"id,bad\n7,1\n"), name="standard input")
    >>> list(stream.rows(["bad", "id"])), list(stream.rows(["id"]))
    ([('1', '7')], [])
    """

    def __init__(
        self,
        stream: BinaryIO,
        *,
        name: str,
        separator: str | None = None,
        multiline: bool = False,
    ) -> None:
        self._pipe = stream
        super().__init__(Path(name), separator=separator, multiline=multiline)
        self.path = None

    @contextmanager
    def _bytes(self) -> Iterator[Any]:
        with self._undamaged():
            yield self._pipe

    @contextmanager
    def _records(self) -> Iterator[Any]:
        with self._bytes() as stream:  # the header was already read from the same pipe
            yield stream

    def batches(self, columns: Sequence[str]) -> Iterator[list[Coded]]:
        return Table.batches(self, columns)  # a block of lines would be waited for
