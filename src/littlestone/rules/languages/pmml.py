"""Score sheets as PMML 4.4: a scorecard with the total, its risk and the label.

A comparison with a missing value is unknown there, and only what is true counts.  Negations stand at
cells alone, so each says by itself what becomes of a missing value.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from littlestone.base.errors import DeclarationError, show_value, visible
from littlestone.base.markup import Html, tag
from littlestone.rules.languages import form
from littlestone.rules.languages.constants import nearest
from littlestone.rules.languages.form import ColumnPoints

ASKED = "write the sheet as PMML"


def write_scorecard(
    parts: Sequence[ColumnPoints],
    odds: tuple[int, int],
    *,
    least: int,
    most: float,
    names: Sequence[str],
) -> str:
    """The document.  Its outputs are the total, the risk and the label, one of the two ``names``.

    The risk at the total t is 1 / (1 + exp(-z)) to four digits, with z = (odds[0] + odds[1] t) / 1000
    cut off beyond -``most`` and ``most``.
    """
    for name in names:
        _require_plain(name)
    fields = [_field(part) for part in parts]
    sheet = tag(
        "Scorecard",
        tag("MiningSchema", *(tag("MiningField", name=part.column) for part in parts)),
        tag("Output", *_outputs(odds, least, most, names)),
        tag("Characteristics", *map(_characteristic, parts)),
        modelName="score sheet",
        functionName="regression",
        initialScore="0",
        useReasonCodes="false",
    )
    document = tag(
        "PMML",
        tag("Header", tag("Application", name="littlestone")),
        tag("DataDictionary", *fields, numberOfFields=str(len(fields))),
        sheet,
        xmlns="http://www.dmg.org/PMML-4_4",
        version="4.4",
    )
    lines = re.sub("><(?!/)", ">\n<", document)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{lines}\n'


def _require_plain(text: str) -> None:
    """Raise `DeclarationError` for a text that an attribute of XML does not keep as it is."""
    if visible(text) != text or text != text.strip():
        raise DeclarationError(
            f"{ASKED} with the text {show_value(text)}",
            found="XML does not keep such characters or spaces as they are",
            fix="write it as SQL, or predict with `littlestone predict`",
        )


def _field(part: ColumnPoints) -> Html:
    kinds = {type(cell) for cell in form.cells(part.outcome)}
    if form.Days in kinds:
        raise DeclarationError(
            f"{ASKED} on the days of {show_value(part.column)}",
            found="evaluators of PMML read days in several ways",
            fix="write it with --to excel, or as SQL with --type "
            f"{part.column}=date, or predict with `littlestone predict`",
        )
    _require_plain(part.column)
    number = ("continuous", "double") if form.Within in kinds else ("categorical", "string")
    return tag("DataField", name=part.column, optype=number[0], dataType=number[1])


def _characteristic(part: ColumnPoints) -> Html:
    cases = part.outcome if isinstance(part.outcome, form.Case) else form.Case((), part.outcome)
    branches = [(_predicate(when), then) for when, then in cases.branches]
    rows = [*branches, (tag("True"), cases.otherwise)]
    attributes = (tag("Attribute", when, partialScore=str(part.points[y])) for when, y in rows)
    return tag("Characteristic", *attributes, name=f"points of {part.column}")


def _predicate(condition: form.Condition) -> Html:
    match condition:
        case form.Both(parts) | form.Either(parts):
            word = "and" if isinstance(condition, form.Both) else "or"
            return _join(word, [_predicate(part) for part in parts])
        case form.Not(part):
            return _negate(part)
        case form.OneOf(column, values):
            return _join("or", [_equal(column, value) for value in values])
        case form.Within(column):
            return _join("and", _bounds(condition) or [_simple(column, "isNotMissing")])
    raise TypeError(type(condition))


def _negate(cell: form.Cell) -> Html:
    missing = _simple(cell.column, "isMissing")
    if isinstance(cell, form.Within):
        return _join("or", [missing, *_bounds(cell, inside=False)])
    if not isinstance(cell, form.OneOf):
        raise TypeError(type(cell))
    others = _join("and", [_equal(cell.column, value, equal=False) for value in cell.values])
    return others if "" in cell.values else _join("or", [missing, others])


def _equal(column: str, value: str, *, equal: bool = True) -> Html:
    """The predicate of a cell with this text, or with any other; that of a missing one is empty."""
    _require_plain(value)
    if not value:
        return _simple(column, "isMissing" if equal else "isNotMissing")
    return _simple(column, "equal" if equal else "notEqual", value)


def _bounds(cell: form.Within, *, inside: bool = True) -> list[Html]:
    """The predicates of a number above the low end and below the high one, or of one beyond each."""
    found = []
    if cell.low is not None:
        beyond, low = nearest(cell.low)
        words = ("greaterThan", "lessOrEqual") if beyond else ("greaterOrEqual", "lessThan")
        found.append(_simple(cell.column, words[not inside], repr(low)))
    if cell.high is not None:
        beyond, high = nearest(cell.high)
        words = ("lessOrEqual", "greaterThan") if beyond else ("lessThan", "greaterOrEqual")
        found.append(_simple(cell.column, words[not inside], repr(high)))
    return found


def _join(word: str, parts: Sequence[Html]) -> Html:
    """The predicate that all parts hold, or that one does."""
    if not parts:
        return tag("True" if word == "and" else "False")
    return parts[0] if len(parts) == 1 else tag("CompoundPredicate", *parts, booleanOperator=word)


def _simple(column: str, operator: str, value: str | None = None) -> Html:
    return tag("SimplePredicate", field=column, operator=operator, value=value)


def _outputs(
    odds: tuple[int, int], least: int, most: float, names: Sequence[str]
) -> Sequence[Html]:
    total = tag("FieldRef", field="total")
    z = _apply("+", _number(odds[0]), _apply("*", _number(odds[1]), total))
    z = _apply("max", _number(-most), _apply("min", _number(most), _apply("/", z, _number(1000))))
    power = _apply("exp", _apply("-", _number(0), z))
    share = _apply("/", _number(10**4), _apply("+", _number(1), power))
    risk = _apply("/", _apply("round", share), _number(10**4))
    high, low = (tag("Constant", name, dataType="string") for name in reversed(names))
    label = _apply("if", _apply("greaterOrEqual", total, _number(least)), high, low)
    double = {"optype": "continuous", "dataType": "double"}
    text = {"optype": "categorical", "dataType": "string"}
    return (
        tag("OutputField", name="total", feature="predictedValue", **double),
        tag("OutputField", risk, name="risk", feature="transformedValue", **double),
        tag("OutputField", label, name="label", feature="transformedValue", **text),
    )


def _apply(function: str, *parts: Html) -> Html:
    return tag("Apply", *parts, function=function)


def _number(value: float) -> Html:
    return tag("Constant", repr(float(value)), dataType="double")
