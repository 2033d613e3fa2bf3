"""Errors that say what was asked, what was found and what to do.

In private code an exception is an output.  Every error of this package therefore depends on public
declarations alone (a class, a column name, an epsilon, a schema).  No error depends on the value of
a record or prints one.  Any text that is shown is made safe for a terminal or a file first.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable
from contextlib import suppress
from fractions import Fraction
from functools import wraps
from numbers import Number
from typing import ClassVar, ParamSpec, TypeVar

Given = ParamSpec("Given")
Answer = TypeVar("Answer")


def visible(text: str, *, keep: str = "") -> str:
    r"""``text`` with every unprintable character escaped, except those in ``keep``.

    Control characters move a terminal's cursor or change its title.  Direction marks make one text
    look like another.  A line break makes one line look like two.  Spaces are kept.

    >>> print(visible("rue\x1b[2J \u202etxt"))
    rue\x1b[2J \u202etxt
    """
    return _escape(text, keep, ascii)


_LONGEST, _HEAD, _TAIL = 300, 160, 60


def shorten(text: str) -> str:
    """The text, or the beginning and the end of a long one, such as a class of a thousand columns.

    >>> print(shorten(f"trees({', '.join(f'c{i}: 0..9' for i in range(300))}; depth 2)")[139:])
    c13: 0..9, ... c296: 0..9, c297: 0..9, c298: 0..9, c299: 0..9; depth 2)
    >>> print(shorten("points(" + "x" * 300 + ")")[150:])
    xxxxxxxxxx ... xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx)
    >>> print(shorten(" or ".join(f"A{i:02}" for i in range(60)))[147:])
    A21 or ... A52 or A53 or A54 or A55 or A56 or A57 or A58 or A59
    """
    if len(text) <= _LONGEST:
        return text
    head, tail = text[:_HEAD], text[-_TAIL:]
    for between in (", ", " or "):  # between two items of a list, if it is one
        if between in head and between in tail:
            head, tail = head.rpartition(between)[0] + between.rstrip(), tail.partition(between)[2]
            break
    return f"{head} ... {tail}"


def visible_json(data: object, *, indent: int | None = None) -> str:
    r"""``data`` as JSON with unprintable characters escaped; it reads back equal.

    >>> print(visible_json({"città": "\u202etxt\ud800"}))
    {"città": "\u202etxt\ud800"}
    """
    return _escape(json.dumps(data, indent=indent, ensure_ascii=False), "\n", json.dumps)


def _escape(text: str, keep: str, escape: Callable[[str], str]) -> str:
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in keep else escape(c)[1:-1] for c in text)


DAMAGED = (
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)
"""The exceptions that malformed plain JSON values may raise."""


def show_value(value: object) -> str:
    """A short text for a declared ``value`` in an error: a text, a number, or an object's type.

    A column or a table that was given in place of a declaration would otherwise quote its records.

    >>> show_value("1;2"), show_value(Fraction(-1)), show_value([94, 95])
    ("'1;2'", '-1', 'an object of type list')
    """
    words = f"an object of type {type(value).__name__}"
    if value is None or isinstance(value, str | Number):
        with suppress(Exception):  # whatever an object's own code may raise
            words = str(value) if isinstance(value, Fraction) else repr(value)
    return words if len(words) <= 80 else f"{words[:80]}..."


def in_digits(number: int) -> str:
    """A whole number in digits, or its power of two, because Python writes at most 4,300 digits.

    >>> in_digits(1001), in_digits(2**500 + 1)
    ('1,001', 'about 2^500')
    """
    return f"{number:,}" if abs(number) < 2**128 else f"about 2^{number.bit_length() - 1}"


def install_command(extra: str) -> str:
    """The command that installs the packages of an extra, by their own names.

    This package is on no index yet: whoever registered its name there would reach our users.

    >>> install_command("plot")
    "pip install 'matplotlib>=3.9'"
    """
    import shlex
    from importlib.metadata import requires

    ours = f'extra == "{extra}"'
    needed = [
        part.strip()
        for given in requires("littlestone") or ()
        for part, _, condition in [given.partition(";")]
        if condition.strip().replace("'", '"') == ours
    ]
    return f"pip install {shlex.join(needed)}"


class LittlestoneError(Exception):
    """Base of all errors: ``asked`` could not be done, ``found`` is why, ``fix`` is what to do.

    >>> print(LittlestoneError("read column 'age'", found="the columns are a, b", fix="name one"))
    cannot read column 'age': the columns are a, b
    to fix it: name one
    """

    status: ClassVar[int] = 2
    """The exit status of a command that ends with the error: 2, because it cannot do what was asked."""

    def __init__(self, asked: str, *, found: str, fix: str) -> None:
        super().__init__(asked, found, fix)
        self.asked = asked
        self.found = found
        self.fix = fix

    def __str__(self) -> str:
        # A name in the text could hold control characters.
        asked, found, fix = map(visible, (shorten(self.asked), self.found, self.fix))
        return f"cannot {asked}: {found}\nto fix it: {fix}"

    def __reduce__(self) -> tuple[object, ...]:
        # The default would call the constructor with positional arguments only.
        return (_rebuild, (type(self), self.asked, self.found, self.fix))


def _rebuild(kind: type[LittlestoneError], asked: str, found: str, fix: str) -> LittlestoneError:
    return kind(asked, found=found, fix=fix)


class DeclarationError(LittlestoneError, ValueError):
    """A public declaration (a class, a domain, a label, epsilon, delta) is not legal."""


class EmptyClassError(DeclarationError):
    """The class has no hypothesis, so there is nothing to learn or to predict with."""


class InfiniteDimensionError(DeclarationError):
    """Infinite Littlestone dimension: no algorithm learns the class online or privately."""


class TooLargeError(DeclarationError):
    """A search needs more nodes or version spaces than its limit."""


class RealizabilityError(LittlestoneError, ValueError):
    """No hypothesis of the class agrees with the examples, but the online game requires one."""


class TableError(LittlestoneError, ValueError):
    """A user's table, column or file is missing, empty or of the wrong kind."""


class SourceError(TableError):
    """A database or a store cannot be reached, lacks the table, or needs a package or a permission."""


class ModelError(LittlestoneError, ValueError):
    """A model file is missing, damaged or of another version."""


class OutputError(LittlestoneError, OSError):
    """A file that the user asked for cannot be written."""


class LedgerError(LittlestoneError, RuntimeError):
    """The ledger cannot be opened, or a receipt does not pay for the draw it was given to."""


class BudgetExceededError(LedgerError):
    """A spend would pass the limit declared for its data set; nothing was spent."""

    status = 1


class NotPrivateWarning(UserWarning):
    """What follows is a simulation: the records must be public or made up."""


def did_you_mean(name: str, known: Iterable[str], fix: str) -> str:
    """``fix``, preceded by the ``known`` name that is most similar to ``name``, if one is similar.

    The known names must be public.

    >>> did_you_mean("agee", ["age", "sex"], "name a column")
    "did you mean 'age'? Otherwise name a column"
    """
    from difflib import get_close_matches

    names = list(known)
    close = [other for other in names if other.casefold() == name.casefold()]
    close = close or get_close_matches(name, names, n=1)
    return f"did you mean {close[0]!r}? Otherwise {fix}" if close else fix


def no_such(asked: str, kind: str, name: object, known: Iterable[str]) -> DeclarationError:
    """The error for a ``name`` that is not among the ``known`` names of its kind.

    >>> print(no_such("learn by the method 'exponental'", "method", "exponental", ["exponential"]))
    cannot learn by the method 'exponental': there is no such method
    to fix it: did you mean 'exponential'? Otherwise use one of: exponential
    """
    names = list(known)
    fix = f"use one of: {', '.join(names)}"
    fix = did_you_mean(name, names, fix) if isinstance(name, str) else fix
    return DeclarationError(asked, found=f"there is no such {kind}", fix=fix)


def refuse_unknown(function: Callable[Given, Answer]) -> Callable[Given, Answer]:
    """The function, with the error of `no_such` for a keyword that is none of its arguments.

    >>> @refuse_unknown
    ... def learn(*, epsilon, risk=False): ...
    >>> try:
    ...     learn(epsilon=1, risks=True)
    ... except DeclarationError as error:
    ...     print(error.fix)
    did you mean 'risk'? Otherwise use one of: epsilon, risk
    """
    code = function.__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]

    @wraps(function)
    def call(*args: Given.args, **given: Given.kwargs) -> Answer:
        for name in given:
            if name not in names:
                raise no_such(f"call {function.__name__} with {name}=...", "argument", name, names)
        return function(*args, **given)

    return call


def require_generator(rng: object) -> None:
    """Raise `DeclarationError` unless ``rng`` is a `random.Random`.

    >>> require_generator(random.Random(1))
    """
    if not isinstance(rng, random.Random):
        raise DeclarationError(
            f"draw with a generator of type {type(rng).__name__}",
            found="it is not a random.Random, whose whole numbers are exact",
            fix="leave rng out, or give seeded_generator(seed) for a simulation",
        )
