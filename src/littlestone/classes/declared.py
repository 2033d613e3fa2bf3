"""From a text to the class that it declares."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

from littlestone.classes.base import HypothesisClass
from littlestone.classes.spec import Spec
from littlestone.discovery import concrete
from littlestone.errors import DeclarationError


def declaration(H: HypothesisClass[Any]) -> str:
    """The text that declares ``H``; empty if it has none, as most version spaces."""
    text = str(H)
    return text if _declares(text, H) else ""


def described(parts: Sequence[HypothesisClass[Any]], form: str, words: str) -> str:
    """``form`` around the texts that declare the parts, or ``words`` before what describes them.

    Each part is described once: of parts within parts, twice each would double with the depth.

    >>> described([parse_class("points(a)")], "complement", "the complement of")
    'complement(points(a))'
    """
    texts = list(map(str, parts))
    if all(map(_declares, texts, parts)):
        return f"{form}({', '.join(texts)})"
    return f"{words} {' and '.join(texts)}"


def _declares(text: str, H: HypothesisClass[Any]) -> bool:
    try:
        return Spec.parse(text).keyword == H.keyword
    except DeclarationError:
        return False


def parse_class(text: str) -> HypothesisClass[Any]:
    """The hypothesis class that ``text`` declares; classes are found by walking the package.

    Raises `DeclarationError` for an unknown keyword or illegal arguments.

    >>> parse_class("thresholds(dep_delay, -60..1440)").littlestone_dimension()
    10
    """
    spec = Spec.parse(text)
    known = {kind.keyword: kind for kind in concrete(HypothesisClass, "littlestone.classes")}  # type: ignore[type-abstract]
    if spec.keyword not in known:
        close = get_close_matches(spec.keyword.lower(), known, n=1)
        raise DeclarationError(
            f"read the class {text!r}",
            found=f"there is no class called {spec.keyword!r}",
            fix=(f"did you mean {close[0]}? " if close else "")
            + f"use one of: {', '.join(sorted(known))}; lookup, outcomes and tables of several labels "
            "need --labels",
        )
    return known[spec.keyword].parse(spec)
