"""The text form of a class, the parser of such texts, and fingerprints of classes.

Two classes with equal texts may differ, such as two versions of a file.
"""

from __future__ import annotations

import hashlib
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, ClassVar, Self, cast

import numpy as np

from littlestone.base.discovery import concrete, kind_of_name
from littlestone.base.errors import DeclarationError, did_you_mean, show_value
from littlestone.classes.base import HypothesisClass
from littlestone.classes.text.spec import NO_SCHEMA, SchemaColumns, Spec
from littlestone.points.labels import require_labels

_HERE = "littlestone.classes"


class DeclaredClass(ABC):
    """A hypothesis class that a text declares, and that the command line and the tests find.

    `HypothesisClass` holds the mathematics of a class; this interface gives it a name.
    """

    keyword: ClassVar[str]
    """The word that starts the class's text, as in ``thresholds(dep_delay, -60..1440)``."""

    group: ClassVar[str] = "others"
    """The heading under which `littlestone classes` lists it; empty for a class that others make."""

    typical: ClassVar[str] = ""
    """A text that people would write, for `littlestone classes`; else the longest example is shown."""

    several: ClassVar[bool] = False
    """Whether the class takes ``spec.labels`` > 2; otherwise it always has two labels."""

    @classmethod
    @abstractmethod
    def parse(cls, spec: Spec) -> Self:
        """The class that ``spec`` declares.  Raises `DeclarationError` if it is illegal."""

    @classmethod
    @abstractmethod
    def examples(cls) -> list[Self]:
        """Small and typical instances, on which the conformance checks run."""

    @abstractmethod
    def __str__(self) -> str:
        """The text that `parse` reads if the class has one; otherwise the class in words."""


def declaration(H: HypothesisClass[Any]) -> str:
    """The text that declares ``H``; empty if there is none, as for most version spaces."""
    text = str(H)
    return text if _declares(text, H) else ""


def describe_parts(parts: Sequence[HypothesisClass[Any]], form: str, words: str) -> str:
    """``form`` around the texts that declare the parts, or ``words`` before their descriptions.

    Each part is described once, because describing nested parts twice would double with the depth.

    >>> describe_parts([parse_class("points(a)")], "complement", "the complement of")
    'complement(points(a))'
    """
    texts = list(map(str, parts))
    if all(map(_declares, texts, parts)):
        return f"{form}({', '.join(texts)})"
    return f"{words} {' and '.join(texts)}"


def _declares(text: str, H: HypothesisClass[Any]) -> bool:
    try:
        return isinstance(H, DeclaredClass) and Spec.parse(text).keyword == H.keyword
    except DeclarationError:
        return False


def declared_kinds() -> dict[str, type[DeclaredClass]]:
    """The kinds of classes with a text form, by keyword, found by walking the package.

    Raises `DeclarationError` for a keyword that is not a word or that two classes share.
    """
    known: dict[str, type[DeclaredClass]] = {}
    found = concrete(DeclaredClass, _HERE)  # type: ignore[type-abstract]
    own = f"{__name__.partition('.')[0]}."
    # The package's own classes come first, so that the other one is told to change its keyword.
    for kind in sorted(found, key=lambda kind: not kind.__module__.startswith(own)):
        keyword: object = getattr(kind, "keyword", None)
        word = keyword if isinstance(keyword, str) and re.fullmatch(r"\w+", keyword) else ""
        taken = known.get(word)
        if not word or taken:
            raise DeclarationError(
                f"use {show_value(keyword)} as the keyword of {kind.__module__}.{kind.__qualname__}",
                found=f"{taken.__module__}.{taken.__qualname__} has it too"
                if taken
                else "it is not one word of letters, digits and _",
                fix="give the class a keyword of its own, such as all_but_one",
            )
        known[word] = kind
    return known


def parse_class(
    text: str, labels: int = 2, schema: SchemaColumns = NO_SCHEMA
) -> HypothesisClass[Any]:
    """The class of functions into {0, ..., labels - 1} that ``text`` declares.

    The text may name columns of a ``schema`` without declaring them again.

    Raises `DeclarationError` for an unknown keyword, illegal arguments, and a class that cannot have
    this number of labels.

    >>> parse_class("thresholds(dep_delay, -60..1440)").littlestone_dimension()
    10
    >>> parse_class("outcomes(origin, dest; at most 3)", labels=3).bits
    2
    """
    require_labels(labels)
    if not isinstance(text, str):
        raise DeclarationError(
            f"read the class {show_value(text)}",
            found="it is not text",
            fix="write one, such as 'thresholds(age, 0..120)'",
        )
    spec = Spec.parse(text, labels).under(schema)
    kind = kind_of_name(DeclaredClass, _HERE, "keyword", spec.keyword)  # type: ignore[type-abstract]
    known = {} if kind and (labels == 2 or kind.several) else declared_kinds()
    if not kind and spec.keyword not in known:
        listed = [keyword for keyword, kind in known.items() if kind.group]
        raise DeclarationError(
            f"read the class {text!r}",
            found=f"there is no class called {spec.keyword!r}",
            fix=did_you_mean(
                spec.keyword.lower(), listed, f"use one of: {', '.join(sorted(listed))}"
            ),
        )
    kind = kind or known[spec.keyword]
    if labels > 2 and not kind.several:
        several = sorted(keyword for keyword, found in known.items() if found.several)
        raise DeclarationError(
            f"read the class {text!r} of {labels} labels",
            found=f"{spec.keyword} has two labels",
            fix=f"use one of: {', '.join(several)}; or learn a rule for one label, with `positive` "
            "in place of `labels`",
        )
    return cast("HypothesisClass[Any]", kind.parse(spec))


def digest(H: HypothesisClass[Any]) -> str:
    """16 hexadecimal digits of the SHA-256 of everything that defines the class.

    Equal classes have equal digests, in every process.  If an object is not a dataclass, only its type
    counts.

    >>> from littlestone.classes import FiniteClass
    >>> one, other = (FiniteClass.from_array([[0, 0], [y, 1]]) for y in (0, 1))
    >>> str(one) == str(other), digest(one) == digest(other)
    (True, False)
    """
    return hashlib.sha256(_encode(H)).hexdigest()[:16]


def _encode(value: Any) -> bytes:
    match value:
        case int():
            content = f"{value:x}".encode()  # decimal digits of a large mask take long
        case str():
            content = value.encode("utf-8", "surrogatepass")
        case type():
            content = value.__qualname__.encode()
        case tuple() | list():
            content = b"".join(map(_encode, value))
        case frozenset():
            content = b"".join(sorted(map(_encode, value)))
        case np.ndarray():
            content = _encode(value.shape) + value.tobytes()
        case _ if is_dataclass(value):
            compared = (field.name for field in fields(value) if field.compare)
            content = b"".join(_encode(getattr(value, name)) for name in compared)
        case None | bytes() | float() | Fraction() | Decimal():
            content = repr(value).encode()
        case _:
            content = b""
    head = f"{type(value).__qualname__} {len(content)} "
    return head.encode() + content
