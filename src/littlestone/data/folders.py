"""Many files as one table: a folder, a pattern of names, or a store that pyarrow can reach."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

import numpy as np

from littlestone.base.addresses import flaw, public
from littlestone.base.discovery import replace_errors
from littlestone.base.errors import SourceError, TableError
from littlestone.base.work import track_items
from littlestone.data.coding import CodedColumn, Function, RowGroups
from littlestone.data.frames import ParquetTable
from littlestone.data.table import NAMED, ColumnarTable, Kind, Table

_NOTHING = "__HIVE_DEFAULT_PARTITION__"  # how Hive and Spark write a missing value


class Part(NamedTuple):
    """One of many files, and the values of its records that stand in the names of its folders."""

    open: Callable[[], Table]
    keys: dict[str, str | None]


class FolderTable(ColumnarTable):
    """Files of the same columns, one after the other.

    A folder called ``year=2024`` adds a column ``year``.  Its values are texts, as in a CSV file, so
    that they do not depend on the names of other folders.  Files are read one by one, and each only
    once.  Raises `TableError` if there is no file, or if two have other columns or declared types.
    """

    def __init__(self, parts: Sequence[Part], *, name: str) -> None:
        self.name = name
        if not parts:
            raise TableError(
                f"read {name}",
                found="there is no CSV or Parquet file",
                fix="check the path; files whose names begin with a dot or a low line are left out",
            )
        self._parts = parts
        # The schema of all files is checked before any record is read, so a refusal depends on
        # public things alone.
        self._first = parts[0].open()
        self.declared, self.spanning = self._first.declared, self._first.spanning
        self.separator = self._first.separator
        self.columns = (*self._first.columns, *parts[0].keys)
        self._schema = _schema(self._first)
        for part in parts[1:]:
            self._open(part)

    def require(self, column: str, fix: str = NAMED, *, days: bool = False) -> None:
        super().require(column, fix)
        if column not in self._parts[0].keys:
            self._first.require(column, fix, days=days)

    def kind(self, column: str) -> Kind | None:
        return None if column in self._parts[0].keys else self._first.kind(column)

    def _open(self, part: Part) -> Table:
        """The file, which still has the columns of the others."""
        opened = part.open()
        if _schema(opened) != self._schema or part.keys.keys() != self._parts[0].keys.keys():
            # Nothing of a file's name is shown: it may hold the value of a column.
            raise TableError(
                f"read {self.name}",
                found=f"its {len(self._parts):,} files do not all have the same columns of the same "
                "types",
                fix="give files of one table",
            )
        return opened

    def groups(self, columns: Sequence[str], alike: Function | None = None) -> Iterator[RowGroups]:
        for part in track_items(self._parts, "reading the files"):
            read = self._read(columns)
            for found, counts in self._open(part).groups(read):
                yield RowGroups(_with_keys(columns, read, found, part.keys), counts)

    def batches(self, columns: Sequence[str]) -> Iterator[list[CodedColumn]]:
        for part in track_items(self._parts, "reading the files"):
            read = self._read(columns)
            for batch in self._open(part).batches(read):
                yield _with_keys(columns, read, batch, part.keys)

    def _read(self, columns: Sequence[str]) -> list[str]:
        """Which columns of the files are read: at least one, to count the records."""
        read = [column for column in columns if column not in self._parts[0].keys]
        read = read or list(filter(self._readable, self._first.columns))[:1]
        if not read:
            raise TableError(
                f"count the records of {self.name}",
                found="its files have no column of numbers or texts",
                fix="add a column of numbers",
            )
        return read

    def _readable(self, column: str) -> bool:
        try:
            self._first.require(column)
        except TableError:
            return False
        return True


def _schema(table: Table) -> list[tuple[str, str]]:
    """The columns with their kinds, in any order; a name may occur twice."""
    return sorted((column, str(table.kind(column))) for column in table.columns)


def _with_keys(
    columns: Sequence[str],
    read: Sequence[str],
    found: Sequence[CodedColumn],
    keys: dict[str, str | None],
) -> list[CodedColumn]:
    """The columns in their order: those that were read, and those of the folders' names."""
    everywhere = np.zeros_like(found[0].codes)
    rest = iter(found)
    return [CodedColumn([keys[c]], everywhere) if c in keys else next(rest) for c in columns]


def keys_of(folders: str) -> dict[str, str | None]:
    """The columns and values in the names of folders.

    >>> keys_of("year=2024/city=K%C3%B6ln/raw")
    {'year': '2024', 'city': 'Köln'}
    """
    pairs = (name.partition("=") for name in folders.split("/") if "=" in name)
    return {unquote(key): None if v == _NOTHING else unquote(v) for key, _, v in pairs}


def open_folder(path: str, open_file: Callable[[Path], Table], suffixes: Sequence[str]) -> Table:
    """All files below a folder, or all files that a pattern such as ``data/*.csv`` matches."""
    if os.path.isdir(path):
        root, pattern = path, os.path.join(glob.escape(path), "**", "*")
    else:
        root, pattern = _root_folder(path), path
    found = sorted({name for name in _below(path, pattern) if os.path.isfile(name)})
    parts, known = [], set[tuple[int, int]]()
    for name in found:
        inner = os.path.relpath(name, root or ".").replace(os.sep, "/")
        if name.lower().endswith(tuple(suffixes)) and _is_visible(inner):
            keys = keys_of(os.path.dirname(inner))
            parts.append(Part(lambda file=Path(name): open_file(file), keys))  # type: ignore[misc]
            # Links count as the file they lead to: a record that is read twice would be two
            # records.
            file = os.stat(name)
            known.add((file.st_dev, file.st_ino))
    if len(known) < len(parts):
        raise TableError(
            f"read {path}",
            found=f"its {len(parts):,} names lead to {len(known):,} files, so some records would count "
            "several times",
            fix="remove the links, or give a pattern without them",
        )
    return FolderTable(parts, name=path)


MOST_NAMES = 1 << 18
"""The most names of files and folders that are looked at below a folder."""


def _below(path: str, pattern: str) -> Iterator[str]:
    for number, name in enumerate(glob.iglob(pattern, recursive=True)):
        if number == MOST_NAMES:
            raise TableError(
                f"read {path}",
                found=f"there are more than {MOST_NAMES:,} files and folders below it",
                fix="give the folder of one table, or a pattern such as visits/*.csv",
            )
        yield name


def _root_folder(pattern: str) -> str:
    """The folder before the first name of a pattern that has a wildcard."""
    root = os.path.dirname(pattern)
    while glob.has_magic(root):
        root = os.path.dirname(root)
    return root


def _is_visible(inner: str) -> bool:
    return not any(name.startswith((".", "_")) for name in inner.split("/"))


def open_store(address: str) -> Table:
    """A Parquet file, or all Parquet files below a folder, at an address that pyarrow knows."""
    from pyarrow import ArrowException, fs

    wrong = flaw(address)
    if wrong is not None:
        raise SourceError(
            "read files of a store",
            found=wrong,
            fix="leave secrets to the store's own settings, such as AWS_ACCESS_KEY_ID",
        )
    shown, files = public(address), []

    def ours(_: BaseException) -> SourceError:
        return SourceError(
            f"read {shown}",
            found="the store cannot be reached, or does not let you in",
            fix="check the address, and the store's own settings, such as AWS_ACCESS_KEY_ID",
        )

    failures = (OSError, ValueError, TypeError, NotImplementedError, ArrowException)
    with replace_errors(failures, ours):
        store, root = fs.FileSystem.from_uri(address)
        kind = store.get_file_info(root).type
        if kind == fs.FileType.Directory:
            inside = store.get_file_info(fs.FileSelector(root, recursive=True))
            names = sorted(info.path for info in inside if info.type == fs.FileType.File)
            files = [(name, name.removeprefix(root).strip("/")) for name in names]
        elif kind == fs.FileType.File:
            files = [(root, os.path.basename(root))]
    parts = [
        Part(lambda name=name: _remote(store, name, shown), keys_of(os.path.dirname(inner)))  # type: ignore[misc]
        for name, inner in files
        if name.lower().endswith((".parquet", ".pq")) and _is_visible(inner)
    ]
    return FolderTable(parts, name=shown)


def _remote(store: Any, name: str, shown: str) -> Table:
    from pyarrow import ArrowException

    def ours(_: BaseException) -> SourceError:
        return SourceError(
            f"read {shown}",
            found="one of its files cannot be opened",
            fix="ask for the right to read them all",
        )

    with replace_errors((OSError, ArrowException), ours):
        opened = store.open_input_file(name)
    return ParquetTable(Path(shown), opened)
