"""The X and y of estimators as tables: schemas are public, and reading a value never fails."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import FrameType
from typing import Any

import narwhals as nw
import numpy as np

from littlestone.base.errors import DeclarationError, NotPrivateWarning
from littlestone.data import Table, open_table, plain_values
from littlestone.data.frames import column_table
from littlestone.data.table import Row
from littlestone.points import entries, is_of_class


class Columns(Table):
    """Columns of plain values under declared names, such as those of an array.

    >>> list(Columns("X", ("age", "city"), [[20, 50], ["Rome", None]]).rows(["city"]))
    [('Rome',), (None,)]
    """

    def __init__(self, name: str, names: Iterable[str], values: Sequence[Sequence[object]]) -> None:
        self.name = name
        self.columns = tuple(names)
        self._values = dict(zip(self.columns, values, strict=True))

    def rows(self, columns: Sequence[str]) -> Iterator[Row]:
        return zip(*(self._values[column] for column in columns), strict=True)


def feature_names(X: object) -> list[str] | None:
    """The names of a frame's columns; None if X is not a frame or its columns have no text names.

    >>> import pandas
    >>> feature_names(pandas.DataFrame({"age": [20]})), feature_names([[20]])
    (['age'], None)
    """
    if not nw.dependencies.is_into_dataframe(X):
        return None
    # pandas allows names of any kind; by default they are 0, 1, ...
    columns: list[Any] = list(open_table(X).columns)
    return columns if columns and all(isinstance(name, str) for name in columns) else None


def feature_table(X: Any, names: Sequence[str]) -> Table:
    """X as a table: a frame has its own names, anything else takes ``names`` by position.

    An array has one column for each name; an array with a single column may be one-dimensional.  A
    list holds records.  Only its length is checked, so a record that is too short, too long or not a
    list is data like any other.  Raises `DeclarationError` for another shape and `TableError` for an
    unreadable frame; both depend on the schema only.

    >>> import numpy as np
    >>> list(feature_table(np.array([[1, 2], [3, 4]]), ["a", "b"]).rows(["b"]))
    [(2,), (4,)]
    >>> list(feature_table([["x", "y"], ["z"], None], ["a", "b"]).rows(["a", "b"]))
    [('x', 'y'), ('z', None), (None, None)]
    """
    if feature_names(X) is not None:
        return open_table(X)
    if hasattr(X, "tocsr"):
        raise DeclarationError(
            "read a sparse matrix",
            found="the entries that it leaves out have no value to read",
            fix="give X.toarray(), a frame or a list of records",
        )
    if nw.dependencies.is_into_dataframe(X):  # a frame without names: only pandas has these
        _require_width(tuple(X.shape), len(names))
        return open_table(X.set_axis(list(names), axis=1))
    single = len(names) == 1 and len(getattr(X, "shape", (0,))) == 1
    # Not converted by numpy, because one missing value would turn all others into floats.
    if single and column_table(X) is not None:
        return Columns("X", names, [plain_values(X)])
    if not hasattr(X, "shape") and hasattr(X, "__array__"):
        X = np.asarray(X)
    if not hasattr(X, "shape"):
        return Columns("X", names, _record_lists(X, len(names)))
    shape = tuple(X.shape)
    if len(shape) == 1 == len(names):
        return Columns("X", names, [plain_values(X)])
    _require_width(shape, len(names))
    return Columns("X", names, [plain_values(X[:, j]) for j in range(len(names))])


def join_labels(
    table: Table, columns: Sequence[str], target: str, labels: Sequence[object]
) -> Columns:
    """The ``columns`` of the table together with the labels, which are named ``target``.

    Raises `TableError` if a column is missing, and `DeclarationError` unless there is a label for each
    record.

    >>> ages = feature_table([20, 50], ["age"])
    >>> list(join_labels(ages, ["age"], "sick", [0, 1]).rows(["age", "sick"]))
    [(20, 0), (50, 1)]
    """
    for column in columns:
        table.require(column)
    records = list(table.rows(columns))
    if len(records) != len(labels):
        raise DeclarationError(
            "learn from records and labels",
            found=f"there are {len(records)} records and {len(labels)} labels",
            fix="give one label for each record",
        )
    values = [[record[j] for record in records] for j in range(len(columns))]
    return Columns("X", (*columns, target), [*values, labels])


def _record_lists(records: Any, width: int) -> list[list[object]]:
    if not isinstance(records, Sequence) or isinstance(records, str | bytes):
        raise DeclarationError(
            f"read records from an object of type {type(records).__name__}",
            found="it is not an array, frame or list",
            fix="give a list of records, an array of shape (n, columns), or a data frame",
        )
    rows = [_entries(record, width) for record in records]
    return [[row[j] for row in rows] for j in range(width)]


def _entries(record: Any, width: int) -> list[object]:
    listed = np.ndarray.tolist(record) if is_of_class(record, np.ndarray) else record
    values = list(entries(listed)[:width])
    return values + [None] * (width - len(values))


def _require_width(shape: tuple[int, ...], width: int) -> None:
    if len(shape) == 2 and shape[1] == width:
        return
    found = f"it has shape {shape}"
    if len(shape) == 2:
        # scikit-learn's own words for this.
        bound = "minimum" if shape[1] < width else "maximum"
        found = f"it has {shape[1]} feature(s) (shape={shape})"
        found += f" while a {bound} of {width} is required by the class"
    raise DeclarationError(
        f"read {width} column(s) from an array by their position",
        found=found,
        fix=f"Reshape your data to (n, {width}), or give a data frame with named columns",
    )


def warn_of_folds_by_label() -> None:
    """Warn if the calling cross-validation has folds that depend on the labels.

    These are scikit-learn's splitters named Stratified...; ``cv=None`` and a number also select them.
    The check uses only what the caller declares, so the warning reveals nothing about a record.
    """
    _warn(
        _is_stratified,
        "the folds of this cross-validation depend on the labels: where one label changes, records "
        "of others move between the folds, and the sum of what the fits spend is NO GUARANTEE. "
        "Say cv=KFold(...), which splits by position.",
    )


def warn_of_folds_of_records() -> None:
    """Warn if any cross-validation calls, for a classifier that protects units."""
    _warn(
        lambda cv: True,
        "the folds of this cross-validation hold records, not units: where one unit has another "
        "number of records, those of others move between the folds, and the sum of what the fits "
        "spend is NO GUARANTEE for units. Fit once instead.",
    )


def _warn(concerns: Callable[[object], bool], message: str) -> None:
    """Warn the caller of scikit-learn if it cross-validates with such a ``cv``."""
    frame, depth, found = inspect.currentframe(), 0, False
    while frame is not None:
        depth += 1
        found = found or any(map(concerns, _cv(frame)))
        if found and not _module(frame).startswith(("sklearn.", "littlestone.")):
            break  # the caller of scikit-learn, where the warning is shown
        frame = frame.f_back
    if found:
        warnings.warn(message, NotPrivateWarning, stacklevel=depth)


def _module(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", ""))


def _cv(frame: FrameType) -> list[object]:
    """The ``cv`` of the frame, if it is a search or calls a cross-validation; else nothing."""
    module, known = _module(frame), frame.f_locals
    if (module, frame.f_code.co_qualname) == (
        "sklearn.model_selection._search",
        "BaseSearchCV.fit",
    ):
        return [known["self"].cv]
    # The functions' own frames are skipped: there cv is already the splitter made from it and from y.
    function = known.get("func")
    if module != "sklearn.utils._param_validation" or not inspect.isfunction(function):
        return []
    called = inspect.signature(function).bind(*known["args"], **known["kwargs"])
    called.apply_defaults()
    return [called.arguments["cv"]] if "cv" in called.arguments else []


def _is_stratified(cv: object) -> bool:
    return cv is None or isinstance(cv, int) or "Stratified" in type(cv).__name__
