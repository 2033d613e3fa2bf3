"""The disk: what has to be done so that a file is there after a power cut."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def sync_folder(folder: str | os.PathLike[str]) -> None:
    """Bring the names in a folder to the disk, as `os.fsync` does the content of a file.

    A file that was made or renamed keeps its name after a power cut only then.  Windows has no such
    call and does it by itself; a folder that may be written but not read is left to the system.

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
