"""Make files survive a power cut, and read JSON of others within limits."""

from __future__ import annotations

import json
import os
import sys
from math import isfinite
from pathlib import Path
from typing import Any


def sync_folder(folder: str | os.PathLike[str]) -> None:
    """Flush the names in a folder to the disk, as `os.fsync` flushes the content of a file.

    Without this, a new or renamed file may lose its name in a power cut.  Windows has no such call
    and flushes names by itself.  If the folder cannot be read, the system decides when to flush.

    >>> sync_folder(".")
    """
    if sys.platform == "win32":
        return
    try:
        handle = os.open(Path(folder), os.O_RDONLY)
    except PermissionError:
        return
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


MOST_BYTES = 1 << 28
"""The largest JSON file that is read: a model of a million keys has a tenth of it."""


def read_json(path: str | os.PathLike[str]) -> Any:
    """The content of a JSON file.  Raises ValueError for other content, and `OSError`.

    At most `MOST_BYTES` are read, so a device without an end does not fill the memory.
    """
    with open(path, "rb") as file:
        content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise ValueError(f"it has more than {MOST_BYTES:,} bytes")
    return parse_json(content.decode())


def parse_json(text: str) -> Any:
    """The value of a JSON text.  Raises ValueError for other texts, and for a key given twice.

    Readers that take the first or the last of two equal keys would see two different models.  JSON has
    only finite numbers, and this package never writes a thousand lists inside each other.

    >>> parse_json('{"n": 5, "n": 6}')
    Traceback (most recent call last):
    ValueError: a field is given twice
    """
    try:
        return json.loads(
            text, object_pairs_hook=_unique, parse_constant=_finite, parse_float=_finite
        )
    except RecursionError:
        raise ValueError("its values are nested too deeply") from None


def _finite(written: str) -> float:
    number = float(written)
    if not isfinite(number):
        raise ValueError("a number is not finite")
    return number


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a field is given twice")
    return found
