"""A fingerprint of a class: two classes with equal texts may differ, such as two versions of a file."""

from __future__ import annotations

import hashlib
from dataclasses import fields, is_dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from littlestone.classes.base import HypothesisClass


def digest(H: HypothesisClass[Any]) -> str:
    """16 hexadecimal digits of the SHA-256 of everything that defines the class.

    Equal classes have equal digests, in every process.  If an object is not a dataclass, only its type
    counts.

    >>> from littlestone.classes import FiniteClass
    >>> one, other = (FiniteClass.from_array([[0, 0], [y, 1]]) for y in (0, 1))
    >>> str(one) == str(other), digest(one) == digest(other)
    (True, False)
    """
    return hashlib.sha256(_written(H)).hexdigest()[:16]


def _written(value: Any) -> bytes:
    match value:
        case int():
            content = f"{value:x}".encode()  # decimal digits of a large mask take long
        case str():
            content = value.encode("utf-8", "surrogatepass")
        case tuple() | list():
            content = b"".join(map(_written, value))
        case frozenset():
            content = b"".join(sorted(map(_written, value)))
        case np.ndarray():
            content = _written(value.shape) + value.tobytes()
        case _ if is_dataclass(value):
            compared = (field.name for field in fields(value) if field.compare)
            content = b"".join(_written(getattr(value, name)) for name in compared)
        case None | bytes() | float() | Fraction() | Decimal():
            content = repr(value).encode()
        case _:
            content = b""
    head = f"{type(value).__qualname__} {len(content)} "
    return head.encode() + content
