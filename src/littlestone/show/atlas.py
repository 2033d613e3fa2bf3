"""The atlas as a Parquet file."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO

from littlestone.theory.atlas.listing import Entry, columns


def written(entries: Sequence[Entry]) -> bytes:
    """The classes as a Parquet file, a row for each; see `columns`.

    >>> from littlestone.theory.atlas import atlas
    >>> written(list(atlas(1)))[:4]
    b'PAR1'
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    file = BytesIO()
    pq.write_table(pa.table(columns(entries)), file)
    return file.getvalue()
