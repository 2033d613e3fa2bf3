"""Records that arrive one by one through a pipe."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, BinaryIO

from littlestone.data.csv_blocks import block_rows, blocks
from littlestone.data.csv_files import UTF_8, CsvText
from littlestone.data.tables import Row


class CsvStream(CsvText):
    r"""CSV text from a pipe, read once and line by line as it arrives; otherwise like any CSV file.

    If all lines are ``ended``, `arrivals` leave out a last line without a line end: its writer stopped
    in the middle of it.

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
        ended: bool = False,
        encoding: str = UTF_8,
    ) -> None:
        self._pipe, self._ended = stream, ended
        super().__init__(name, separator=separator, multiline=multiline, encoding=encoding)

    def arrivals(self, columns: Sequence[str]) -> Iterator[list[Row]]:
        """`rows`, each list as soon as its lines can be read; it never waits for more of them."""
        if self.spanning:
            yield from ([row] for row in self.rows(columns))
            return
        places = [self.columns.index(column) for column in columns]
        with self._records() as stream:
            for block in blocks(stream, waits=False, ended=self._ended):
                yield list(block_rows(block, self.separator, places, self.encoding))

    def _bytes(self) -> AbstractContextManager[Any]:
        return nullcontext(self._pipe)

    def _after_header(self, stream: Any) -> None:
        """The header was already read from the same pipe."""
