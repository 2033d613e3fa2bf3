"""Make files survive a power cut."""

from __future__ import annotations

import os
import sys
from pathlib import Path


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
