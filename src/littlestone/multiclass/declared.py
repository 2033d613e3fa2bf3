"""From a text to the class of several labels that it declares."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from littlestone.classes.spec import Spec
from littlestone.discovery import concrete
from littlestone.errors import DeclarationError
from littlestone.labelled import declared_labels
from littlestone.multiclass.base import MulticlassClass


def parse_multiclass(text: str, labels: Sequence[str]) -> MulticlassClass[Any]:
    """The class into ``labels`` that ``text`` declares; found by walking the package.

    Raises `DeclarationError` for an unknown keyword, illegal arguments or illegal labels.

    >>> H = parse_multiclass("outcomes(origin, dest; at most 3)", ["on time", "late", "cancelled"])
    >>> H.bits, str(H.bit_class(0))
    (2, 'rule_sets(origin, dest; at most 3 rules of 2)')
    """
    spec = Spec.parse(text)
    found = concrete(MulticlassClass, "littlestone.multiclass")  # type: ignore[type-abstract]
    known = {kind.keyword: kind for kind in found}
    if spec.keyword not in known:
        raise DeclarationError(
            f"read the class {text!r}",
            found=f"there is no class of several labels called {spec.keyword!r}",
            fix=f"use one of: {', '.join(sorted(known))}; or learn a rule of another class for one "
            "label, without --labels",
        )
    return known[spec.keyword].parse(spec, declared_labels(labels))
