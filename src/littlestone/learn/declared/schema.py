"""A public schema: what is declared about a table, written once in a file of TOML."""

from __future__ import annotations

import os
import re
import shlex
import stat
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from pathlib import Path
from typing import Any, Self, cast

from littlestone.base.errors import DeclarationError, did_you_mean
from littlestone.classes.base import HypothesisClass
from littlestone.classes.text.spec import SchemaColumns
from littlestone.data.forms import CellForm, Reading
from littlestone.data.label import Label, condition_of_list
from littlestone.data.opening import TABLE_SUFFIXES
from littlestone.data.table import DAYS, Kind, Table
from littlestone.learn.declared.column_types import (
    label_values,
    require_columns,
    require_label,
    require_value,
)
from littlestone.learn.declared.schema_columns import (
    NUMERIC,
    SchemaColumn,
    heading,
    read_column,
    refuse,
    texts,
    toml_text,
)
from littlestone.points import Listed, number
from littlestone.points.columns import columns_of

MOST_BYTES = 1 << 20

MOST_COLUMNS = 10_000

MOST_CELLS = 1 << 17
"""The most cells and values of all columns together, which take seconds to read."""

_FILE = ("separator", "encoding", "multiline", "decimal", "thousands", "missing")
_KEYS = ("target", "positive", "labels", "default", "unit", "max_records", *_FILE, "columns")


@dataclass(frozen=True)
class Schema:
    """The columns of a table, its label and its unit of privacy: public declarations, written once.

    Classes name the columns without declaring them again, and ``*`` stands for all columns except the
    label and the unit.  ``positive``, or ``labels`` and ``default``, say what a value of ``target``
    means.  ``unit`` is the column that says whose record it is, and ``max_records`` is how many records
    of each unit are used.  ``files`` says how CSV files of the table are written.  ``name`` is what
    errors call it.

    >>> schema = Schema.parse('''
    ... target = "late"
    ... positive = "yes"
    ... [columns.hour]
    ... range = [0, 24]
    ... step = 6
    ... [columns.carrier]
    ... values = ["AA", "UA"]
    ... [columns.late]
    ... type = "text"
    ... ''')
    >>> str(schema.label()), schema.class_columns("late").all
    ('late == yes', ('hour', 'carrier'))
    >>> schema.class_columns("late").texts["hour"]
    'hour 0..24 step 6'
    """

    columns: tuple[SchemaColumn, ...]
    target: str | None = None
    positive: object = None
    labels: tuple[str, ...] = ()
    default: str | None = None
    unit: str | None = None
    max_records: int | None = None
    files: Reading = field(default_factory=Reading)
    name: str = "the schema"

    @classmethod
    def make(cls, given: Self | str | os.PathLike[str] | Mapping[str, object]) -> Self:
        r"""A schema as it is, in a file, as the text of one, which has several lines, or as a dict.

        >>> columns = {"age": {"range": [0, 1.5], "step": 0.5}}
        >>> Schema.make({"columns": columns}) == Schema.make("[columns.age]\nrange=[0, 1.5]\nstep=0.5")
        True
        """
        if isinstance(given, cls):
            return given
        if isinstance(given, Mapping):
            if not set(given) <= set(_KEYS):  # not quoted, because it may be a table
                fix = f"write the keys {', '.join(_KEYS)}, and columns by name under columns"
                refuse("the schema", "it is a dict with other keys than a schema", fix)
            return cls._of(_exact(given), "the schema")
        if isinstance(given, str) and "\n" in given:
            return cls.parse(given)
        return cls.read(cast(Any, given))

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Self:
        """The schema in a file of TOML.

        Raises `DeclarationError` unless it is a regular file of at most 1 MiB that holds a schema.  The
        error quotes nothing of a file that is not TOML, because it could be a table.
        """
        if not isinstance(path, str | os.PathLike):
            raise DeclarationError(
                f"read a schema from an object of type {type(path).__name__}",
                found="it is neither a path, a Schema nor a dict",
                fix="give the path of a file such as schema.toml, or {'columns': {'age': {'range': "
                "[0, 120]}}}",
            )
        return cls.parse(_text_of(os.fspath(path)), name=f"the schema {os.fspath(path)}")

    @classmethod
    def parse(cls, text: str, *, name: str = "the schema") -> Self:
        """The schema that a text of TOML declares.  Raises `DeclarationError` if it is illegal."""
        try:
            # A decimal is exact: 0.1 is a tenth.
            data = tomllib.loads(text, parse_float=_decimal)
        except (ValueError, RecursionError) as error:
            place = re.search(r"\(at line (\d+), column \d+\)", str(error))
            line = text.split("\n")[int(place[1]) - 1] if place else ""
            fix = (
                "draft a schema: littlestone schema TABLE > schema.toml; TOML needs quotes around "
            )
            fix += 'text: target = "late"'
            if "Cannot overwrite" in str(error) or str(error).startswith("Cannot declare"):
                fix = "keep one of the two lines: this one declares a key or a column once more"
            key = re.match(r"\s*\[columns\.([^\"'\[\]]{1,200})\]", line)
            if key and (quoted := heading(key[1].strip())) != key[0].strip():
                fix = f"write {quoted}: a name needs quotes if it has signs other than A-Z a-z 0-9 _ -"
            raise DeclarationError(
                f"read {name}",
                found="it is not TOML" + (f": see line {place[1]}" if place else ""),
                fix=fix,
            ) from None
        return cls._of(data, name)

    @classmethod
    def _of(cls, data: Mapping[str, Any], name: str) -> Self:
        for key in data:
            if key not in _KEYS:
                fix = f"leave it out; a schema has the keys {', '.join(_KEYS)}"
                if isinstance(data[key], Mapping):
                    fix = f"write {heading(key)} if it is a column"
                refuse(name, f"the key {key!r} is unknown", did_you_mean(key, _KEYS, fix))
        declared = data.get("columns", {})
        if not isinstance(declared, Mapping) or not declared:
            refuse(name, "it has no columns", "add one, such as [columns.age]")
        common = {key: data[key] for key in ("decimal", "thousands") if key in data}
        try:
            CellForm(**common)
            raw = {key: data[key] for key in ("separator", "encoding", "multiline") if key in data}
            files = Reading(**raw)
        except DeclarationError as error:
            refuse(name, f"{error.asked}: {error.found}", error.fix)
        common |= {"missing": data["missing"]} if "missing" in data else {}
        columns = _columns(declared, name, common)
        labels = data.get("labels", [])
        if not texts(labels):
            refuse(name, "labels is not a list of texts", 'write labels = ["on time", "late"]')
        for key in ("target", "default", "unit"):
            if not isinstance(data.get(key, ""), str):
                refuse(name, f"{key} is not text", f'write {key} = "..."')
        positive = data.get("positive", "")
        alike = texts(positive) and positive and not {*"".join(positive)} & {*"{}"}
        if not alike and type(positive) not in (str, int, bool, Decimal):
            fix = 'write positive = "yes", "> 15", or a list of texts: ["Yes", "yes"]'
            refuse(name, "positive is neither a value nor a list of texts", fix)
        most = data.get("max_records")
        if most is not None and (type(most) is not int or most < 1):
            refuse(name, "max_records is not a whole number above 0", "write max_records = 3")
        if most is not None and "unit" not in data:
            refuse(
                name,
                "it has max_records, and no unit",
                'add whose record it is: unit = "patient_id"',
            )
        found = cls(
            columns,
            data.get("target"),
            condition_of_list(positive) if alike else data.get("positive"),
            tuple(labels),
            data.get("default"),
            data.get("unit"),
            most,
            files,
            name,
        )
        found._require_sound()
        return found

    def _require_sound(self) -> None:
        """Refuse a target, a unit or a label that does not go with the columns."""
        for key, column in (("target", self.target), ("unit", self.unit)):
            if column is not None and column not in self._by_name:
                fix = f"add {heading(column)}"
                if (near := did_you_mean(column, self._by_name, fix)) != fix:
                    fix = f"{fix}, if the table has it; otherwise {near.partition('?')[0]}?"
                refuse(self.name, f"{key} is {column!r}, which is not one of its columns", fix)
        if self.unit is not None and self.unit == self.target:
            refuse(self.name, "target and unit are one column", "name another column as the unit")
        meant = self.positive is not None or self.labels or self.default is not None
        if meant and self.target is None:
            refuse(self.name, "it says what a label is, and no target", 'add target = "COLUMN"')
        if meant:
            try:
                self.label()
            except DeclarationError as error:
                refuse(self.name, f"its label is wrong: {error.found}", error.fix)

    @property
    def _by_name(self) -> dict[str, SchemaColumn]:
        return {column.name: column for column in self.columns}

    def _kind(self, name: str) -> Kind | None:
        return self._by_name[name].kind

    @property
    def says_label(self) -> bool:
        """Whether it says what the values of its target mean."""
        return self.positive is not None or bool(self.labels)

    @property
    def label_count(self) -> int:
        """How many labels the schema declares: 2, if it lists none."""
        return len(self.labels) or 2

    def units(self, unit: str | None, max_records: int | None) -> tuple[str | None, int | None]:
        """The unit and the number of its records that are given, or those of the schema.

        `max_records` in a schema applies to the schema's own unit only.  Raises
        `DeclarationError` if the schema has no column of that name.
        """
        column = self.unit if unit is None else unit
        if isinstance(column, str) and column not in self._by_name:
            raise DeclarationError(
                f"protect each {column}",
                found=f"{self.name} has no such column",
                fix=did_you_mean(
                    column,
                    self._by_name,
                    f"add {heading(column)}, and above the columns unit = {toml_text(column)}, so "
                    "that * leaves it out",
                ),
            )
        if max_records is None and column == self.unit:
            max_records = self.max_records
        return column, max_records

    def refuse_unit(self) -> None:
        """Raise `DeclarationError` if the schema has a unit, for what protects single records only."""
        if self.unit is not None:
            raise DeclarationError(
                f"protect each {self.unit}",
                found=f"{self.name} declares this unit, and single records are protected here",
                fix="if you may see the table, leave out the epsilon; or use `fit --estimate`, which "
                "takes units with max_records = 1; or leave unit and max_records out of the schema if "
                "no person has two records",
            )

    def require_name(self, name: str) -> None:
        """Raise `DeclarationError` unless the schema has a column of this name."""
        self.class_columns().require(name)

    def class_columns(self, target: str | None = None, unit: str | None = None) -> SchemaColumns:
        """The columns as classes read them; ``*`` stands for all but those of the label and the unit.

        Where no ``target`` of its own is given, it is that of the schema.  Its unit is left
        out even if another one is given.
        """
        left = {target if target in self._by_name else self.target, unit, self.unit}
        names = tuple(column.name for column in self.columns if column.name not in left)
        return SchemaColumns({column.name: column.text for column in self.columns}, names)

    def label(
        self,
        target: str | None = None,
        positive: object = None,
        *,
        labels: str | Sequence[str] | None = None,
        default: str | None = None,
    ) -> Label:
        """The label, with the schema's values for everything that is not given.

        `positive` in a schema applies to the schema's own target only.  Raises
        `DeclarationError` for what `Label.parse` refuses, and if the column, its type or its list of
        values does not go with the label.
        """
        column = self.target if target is None else target
        if column is None:
            raise DeclarationError(
                "learn a label",
                found=f"neither `target` nor {self.name} names its column",
                fix='give its name as `target`, or in the schema: target = "COLUMN"',
            )
        if positive is None and labels is None and column == self.target:
            positive, labels = self.positive, self.labels or None
            default = self.default if default is None else default
        if isinstance(column, str):
            self.require_name(column)
        label = Label.parse(column, positive, labels=labels, default=default)
        if label.condition is not None:
            label.condition.require_no_name(column, self._by_name)
        require_label(label, self._kind(column), self.name)
        own = self._by_name[column]
        for value in label_values(label):
            if value in own.written.missing:
                raise DeclarationError(
                    f"learn {label}",
                    found=f"{self.name} declares that {value!r} is missing in {column!r}",
                    fix="name another value, or leave it out of missing",
                )
            if own.values:
                require_value(column, value, own.values, self.name)
        return label

    def label_values(self) -> tuple[object, ...] | None:
        """A value of each label, the default first; None if only the positive ones have a name.

        A comparison of numbers has the values False and True.

        >>> columns = {"y": {"type": "integer"}}
        >>> Schema.make({"target": "y", "positive": 1, "columns": columns}).label_values()
        (0, 1)
        """
        label = self.label()
        if label.condition is None:
            return label.names
        column, condition = self._by_name[label.column], label.condition
        others = [value for value in column.values if value not in condition.values]
        if condition.compares_numbers or column.kind == "boolean":
            return False, True
        if column.kind in NUMERIC and condition(1) and not condition(0):
            return 0, 1
        return (others[0], condition.value) if len(column.values) == 2 and others else None

    def reading(self, label: Label | None = None) -> Reading:
        """How the files and cells of a table are written.

        A target that ignores case without a list is spelled as the ``label`` spells its values.
        """
        forms = {column.name: column.written for column in self.columns}
        written = forms.get(label.column) if label is not None else None
        if label is not None and written is not None and written.spelled == ():
            try:
                spelled = tuple(dict.fromkeys((*label.names, *label_values(label))))
                forms[label.column] = replace(written, spelled=spelled)
            except DeclarationError as error:
                refuse(self.name, f"its label {label} has {error.found}", error.fix)
        used = {name: form for name, form in forms.items() if form != CellForm()}
        return replace(self.files, columns=used)

    def require_class(self, H: HypothesisClass[Any]) -> None:
        """Raise `DeclarationError` if the class reads a column or a value that the schema has not."""
        for name in H.domain.column_names:
            self.require_name(name)
        require_columns(H.domain, self._kind, self.name)
        for column in columns_of(H.domain):
            if isinstance(column, Listed) and (values := self._by_name[column.name].values):
                for value in column.values:
                    require_value(column.name, value, values, self.name)

    def require_table(self, table: Table) -> None:
        """Raise an error if the table lacks a column, or declares one of another type.

        Only names and declared types of the table are read.
        """
        for column in self.columns:
            table.require_all([column.name], [column.name] if column.kind in DAYS else ())
            require_columns(column.domain, table.kind, table.name)

    def values_of(self, name: str) -> tuple[str, ...]:
        """The list of values of the column of this name; empty if it has none."""
        return self._by_name[name].values


def _exact(given: Any) -> Any:
    """The same with the floats of a dict as decimals: 0.1 is a tenth."""
    if isinstance(given, Mapping):
        return {str(key): _exact(value) for key, value in given.items()}
    if isinstance(given, list | tuple):
        return list(map(_exact, given))
    return Decimal(repr(given)) if type(given) is float else given


def _columns(
    declared: Mapping[str, Any], name: str, common: Mapping[str, object]
) -> tuple[SchemaColumn, ...]:
    """The columns of a schema.  It stops at the limits, so that no file takes long to refuse."""
    if len(declared) > MOST_COLUMNS:
        found = f"it has {len(declared):,} columns, more than {MOST_COLUMNS:,}"
        refuse(name, found, "leave out columns that no class reads")
    columns, cells = list[SchemaColumn](), 0
    for key, given in declared.items():
        columns.append(read_column(name, key, given, common))
        cells += columns[-1].cells
        if cells > MOST_CELLS:
            found = f"its columns have more than {MOST_CELLS:,} cells and values together"
            refuse(name, found, "give coarser steps, or leave out columns that no class reads")
    return tuple(columns)


def _text_of(path: str) -> str:
    asked, fix = f"read the schema {path}", "give a file such as schema.toml"
    try:
        found = os.stat(path)
        # A device such as /dev/zero has no end.
        if not stat.S_ISREG(found.st_mode):
            raise DeclarationError(asked, found="it is a folder or a device, not a file", fix=fix)
        if path.lower().endswith(TABLE_SUFFIXES):
            raise DeclarationError(
                asked,
                found="it is a table, and a schema says what is public about one",
                fix=f"draft a schema: littlestone schema {shlex.quote(path)} > schema.toml",
            )
        if found.st_size > MOST_BYTES:
            raise DeclarationError(
                asked, found=f"it has {found.st_size:,} bytes, more than {MOST_BYTES:,}", fix=fix
            )
        return Path(path).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        if isinstance(error, DeclarationError):
            raise
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise DeclarationError(asked, found=reason or "it cannot be read", fix=fix) from None


def _decimal(written: str) -> Decimal | None:
    return number(written.replace("_", ""))
