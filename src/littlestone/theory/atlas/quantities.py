"""What the atlas knows about a class, one number a name, and conditions on these numbers.

No renaming changes these numbers.  A condition is a text such as ``ldim == 3 and vc == 1``.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from types import CodeType

import numpy as np

from littlestone.base.errors import DeclarationError, no_such
from littlestone.classes import FiniteClass
from littlestone.dimension import (
    Family,
    LabelTable,
    dual_littlestone_dimension,
    dual_vc_dimension,
    multiclass_littlestone_dimension,
    psi_b,
    psi_bin,
    psi_g,
    psi_littlestone_dimension,
    psi_n,
    star_number,
    teaching_dimension,
    threshold_dimension,
    vc_dimension,
)
from littlestone.theory.decomposition import decomposition_dimension
from littlestone.theory.game import (
    AppleGame,
    BanditGame,
    RandomizedGame,
    SelfDirectedGame,
    TransductiveGame,
)

PAIRINGS = 4  # points that can be taken as two points of two bits each
DECOMPOSED = (1, 2, 3)  # the p of decomposition dimensions


Number = int | Fraction
"""What is measured: a whole number, or a fraction where a learner draws."""


@dataclass(frozen=True)
class Quantity:
    """A number of a 0/1 table, with a name for queries and columns.

    With n points and r rows it is at most ``most(n, r)``.  One more row never lowers it if it
    ``grows``, and adds at most 1 if it also ``steps``.  All three let a search leave out classes.
    """

    name: str
    words: str
    of: Callable[[LabelTable], Number]
    most: Callable[[int, int], Number] | None = None
    grows: bool = False
    steps: bool = False


def _log(number: int) -> int:
    return number.bit_length() - 1


def _most_rows(points: int, rows: int) -> int:
    return min(1 << points, rows)


def _most_points(points: int, rows: int) -> int:
    return min(points, _log(rows))


def _dual(points: int, rows: int) -> int:
    return min(_log(points), rows)


def _star(points: int, rows: int) -> int:
    return min(points, rows - 1)


def _half_log(points: int, rows: int) -> Fraction:
    return Fraction(min(points, (rows - 1).bit_length()), 2)


def _larger(of: Callable[[LabelTable], int]) -> Callable[[LabelTable], int]:
    """The larger one of both ways to call the labels, for what does not treat them alike."""

    def measure(table: LabelTable) -> int:
        exchanged = LabelTable(1 - table.values, 2, table.points, table.hypotheses)
        return max(of(table), of(exchanged))

    return measure


def _decomposer(p: int) -> Callable[[LabelTable], int]:
    return lambda table: decomposition_dimension(FiniteClass.from_table(table), p)


_ALL = (
    Quantity("rows", "hypotheses", lambda table: table.size, _most_rows, True, True),
    Quantity("points", "points", lambda table: len(table.points), lambda points, rows: points),
    Quantity("ldim", "Littlestone dimension", multiclass_littlestone_dimension,
             _most_points, True, True),
    Quantity("vc", "VC dimension", vc_dimension, _most_points, True, True),
    Quantity("dual_ldim", "dual Littlestone dimension", dual_littlestone_dimension,
             _dual, True, True),
    Quantity("dual_vc", "dual VC dimension", dual_vc_dimension, _dual, True, True),
    Quantity("threshold", "threshold dimension", _larger(threshold_dimension), min, True, True),
    Quantity("teaching", "teaching dimension", teaching_dimension, _star, True),
    Quantity("star", "star number", star_number, _star, True),
    *(
        Quantity(f"ddim{p}", f"decomposition dimension for p = {p}", _decomposer(p))
        for p in DECOMPOSED
    ),
    Quantity("randomized", "randomized Littlestone dimension",
             lambda table: Fraction(RandomizedGame.on(table).value()), _half_log, True, True),
    Quantity("self_directed", "self-directed mistakes",
             lambda table: int(SelfDirectedGame.on(table).value()), _most_points, True, True),
    Quantity("transductive", "transductive mistakes",
             lambda table: int(TransductiveGame.on(table).value()), _most_points, True, True),
    Quantity("apple", "apple tasting mistakes",
             _larger(lambda table: int(AppleGame.on(table).value())), _star, True, True),
)  # fmt: skip

QUANTITIES = {quantity.name: quantity for quantity in _ALL}
"""Each quantity by its name, in the order of the columns."""

_PSI: dict[str, Family] = {"psi_n": psi_n, "psi_bin": psi_bin, "psi_b": psi_b, "psi_g": psi_g}


def pairings(table: LabelTable) -> list[LabelTable]:
    """A class over four points as three classes over two points of two bits each.

    The first point goes with the second, with the third, or with the fourth.
    """
    a, b, c, d = table.values.T
    pairs = (((a, b), (c, d)), ((a, c), (b, d)), ((a, d), (b, c)))
    columns = [np.stack([2 * high + low for high, low in pairing], 1) for pairing in pairs]
    return [LabelTable.of(values, labels=4) for values in columns]


def pair_dimensions(table: LabelTable) -> dict[str, list[int]]:
    """Psi-Littlestone and bandit dimensions of the `pairings` of a class over four points.

    The lists are sorted, because a renaming may exchange the pairings.

    >>> found = pair_dimensions(LabelTable.of([[0, 0, 0, 0], [1, 1, 1, 1], [0, 1, 1, 0]]))
    >>> found["psi_n"], found["bandit"]
    ([1, 1, 1], [1, 2, 2])
    """
    classes = pairings(table)
    found = {
        name: sorted(psi_littlestone_dimension(H, psi) for H in classes)
        for name, psi in _PSI.items()
    }
    return found | {"bandit": sorted(int(BanditGame.on(H).value()) for H in classes)}


_LONGEST = 500  # characters
_COMPARE = ast.Eq | ast.NotEq | ast.Lt | ast.LtE | ast.Gt | ast.GtE
_COMPUTE = ast.Add | ast.Sub | ast.Mult
_TURNED = {
    ast.Lt: ast.Gt, ast.Gt: ast.Lt, ast.LtE: ast.GtE, ast.GtE: ast.LtE,
    ast.Eq: ast.Eq, ast.NotEq: ast.NotEq,
}  # fmt: skip


@dataclass(frozen=True)
class Query:
    """A condition, with the ``least`` and ``most`` values that it asks of single quantities.

    >>> query = Query.from_text("ldim == 3 and vc <= 1 and (threshold > 6 or star >= 2 * vc)")
    >>> query.names, query.least, query.most
    (['ldim', 'vc', 'threshold', 'star'], {'ldim': 3}, {'ldim': 3, 'vc': 1})
    >>> query({"ldim": 3, "vc": 1, "threshold": 5, "star": 2})
    True
    """

    text: str
    code: CodeType = field(repr=False)
    names: list[str]
    least: Mapping[str, int] = field(default_factory=dict)
    most: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def from_text(cls, text: str) -> Query:
        """The condition that a text writes.

        It has names of `QUANTITIES`, whole numbers, ``+ - *``, comparisons, ``and``, ``or``, ``not``
        and brackets.  Raises `DeclarationError` for anything else.
        """
        if len(text) > _LONGEST:
            raise _query_error(text, f"it has more than {_LONGEST:,} characters")
        try:
            body = ast.parse(text.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise _query_error(text, "it is not a condition") from None
        names: list[str] = []
        if not _is_condition(body, text, names):
            raise _query_error(text, "it is a number, not a condition")
        least: dict[str, int] = {}
        most: dict[str, int] = {}
        for name, compare, number in _limits(body):
            if compare in (ast.Eq, ast.GtE, ast.Gt):
                value = number + (compare is ast.Gt)
                least[name] = max(value, least.get(name, value))
            if compare in (ast.Eq, ast.LtE, ast.Lt):
                value = number - (compare is ast.Lt)
                most[name] = min(value, most.get(name, value))
        code = compile(ast.Expression(body), "condition", "eval")
        return cls(text, code, list(dict.fromkeys(names)), least, most)

    def __call__(self, values: Mapping[str, Number]) -> bool:
        """Whether the values of all its quantities meet the condition."""
        return bool(eval(self.code, {"__builtins__": {}}, values))  # checked node by node


def _is_condition(node: ast.expr, text: str, names: list[str]) -> bool:
    """Whether it is a condition, and not a number; ``names`` takes the quantities in it."""
    match node:
        case ast.BoolOp(values=values):
            parts = [_is_condition(value, text, names) for value in values]
            if all(parts):
                return True
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            if _is_condition(operand, text, names):
                return True
        case ast.Compare(left=left, ops=ops, comparators=others):
            parts = [_is_condition(part, text, names) for part in (left, *others)]
            if not any(parts) and all(isinstance(op, _COMPARE) for op in ops):
                return True
        case ast.BinOp(left=left, op=op, right=right) if isinstance(op, _COMPUTE):
            if not _is_condition(left, text, names) and not _is_condition(right, text, names):
                return False
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            if not _is_condition(operand, text, names):
                return False
        case ast.Constant(value=value) if type(value) is int:
            return False
        case ast.Name(id=name):
            if name not in QUANTITIES:
                raise no_such(f"search for {text!r}", "quantity", name, QUANTITIES)
            names.append(name)
            return False
        case _:
            pass
    raise _query_error(
        text, "a part of it is neither a number nor a condition that can be used there"
    )


def _limits(node: ast.expr) -> list[tuple[str, type[ast.cmpop], int]]:
    """The comparisons of one quantity with a number that all must hold."""
    match node:
        case ast.BoolOp(op=ast.And(), values=values):
            return [limit for value in values for limit in _limits(value)]
        case ast.Compare(left=left, ops=ops, comparators=others):
            found = []
            for one, op, other in zip((left, *others), ops, others, strict=False):
                match one, other:
                    case ast.Name(id=name), ast.Constant(value=int(number)):
                        found.append((name, type(op), number))
                    case ast.Constant(value=int(number)), ast.Name(id=name):
                        found.append((name, _TURNED[type(op)], number))
            return found
        case _:
            return []


def _query_error(text: str, found: str) -> DeclarationError:
    return DeclarationError(
        f"search for {text:.100}",
        found=found,
        fix="compare quantities and whole numbers, such as 'ldim == 3 and vc == 1'; the quantities are "
        + ", ".join(QUANTITIES),
    )
