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

Table = dict[str, list[str]]


class MissingPackageError(Exception):
    """The package that a table comes with is not installed."""

    def __init__(self, package: str) -> None:
        super().__init__(f"{package} is not installed: pip install '.[bench]'")


def from_package(package: str, file: str) -> Table:
    """A CSV or JSON file of a package, which is not imported; a CSV may be the only file of a zip."""
    path = _folder(package) / file
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
    with tarfile.open(_folder("pydataset") / "resources.tar.gz") as archive:
        for member in archive:
            if member.name == path and (file := archive.extractfile(member)):
                return file.read()
    raise FileNotFoundError(path)


def from_river(name: str) -> Table:
    """A data set of river; what it asks for is the column ``label``."""
    _folder("river")
    rows = iter(getattr(importlib.import_module("river.datasets"), name)())
    return by_columns({**x, **(y if isinstance(y, dict) else {"label": y})} for x, y in rows)


def from_scikit_learn(name: str) -> Table:
    """A data set of scikit-learn; the name of the class is the column ``label``."""
    _folder("sklearn")
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
    header, *rows = csv.reader(io.StringIO(text), delimiter=separator)
    columns = zip(map(_plain, header), zip(*rows, strict=True), strict=True)
    return {name: ["" if value == "NA" else value for value in values] for name, values in columns}


def _folder(package: str) -> Path:
    found = find_spec(package)
    if found is None or not found.submodule_search_locations:
        raise MissingPackageError(package)
    return Path(found.submodule_search_locations[0])
