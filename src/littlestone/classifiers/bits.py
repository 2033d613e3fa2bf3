"""Classifiers that put the number of a label together from its bits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from littlestone.classifiers.base import Classifier
from littlestone.domains import Domain
from littlestone.errors import DeclarationError
from littlestone.hypotheses import Hypothesis


@dataclass(frozen=True)
class BitClassifier(Classifier[Any]):
    """f(x) = sum over i of 2^i h_i(x), and the label number ``other`` where that is above k.

    ``bits`` are h_0, ..., h_(b-1), the least significant bit first, b = ceil(log2(k + 1)).  Equal
    iff the bits and ``other`` are: functions that differ only above k are told apart.  Raises
    `DeclarationError` for another number of bits, bits on another domain, or an illegal ``other``.

    >>> from littlestone.domains import Strings
    >>> from littlestone.hypotheses import FiniteSet
    >>> D = Strings("tail")
    >>> sets = FiniteSet(D, frozenset("ab")), FiniteSet(D, frozenset("bc"))
    >>> f = BitClassifier(D, ("on time", "late", "cancelled"), sets)
    >>> [f.labels[f(x)] for x in "abcd"]
    ['late', 'on time', 'cancelled', 'on time']
    """

    domain: Domain[Any]
    labels: tuple[str, ...]
    bits: tuple[Hypothesis[Any], ...]
    other: int = 0

    def __post_init__(self) -> None:
        b = (len(self.labels) - 1).bit_length()
        if len(self.bits) != b or any(h.domain != self.domain for h in self.bits):
            found, fix = f"it takes {b} bits on {self.domain}", "give one hypothesis a bit"
        elif type(self.other) is not int or not 0 <= self.other < len(self.labels):
            found, fix = "the label of codes above k is none", "give the number of a label"
        else:
            return
        asked = f"put {len(self.labels)} labels together from {len(self.bits)} bits"
        raise DeclarationError(asked, found=found, fix=fix)

    def __call__(self, x: Any) -> int:
        code = sum(h(x) << i for i, h in enumerate(self.bits))
        return code if code < len(self.labels) else self.other

    def words(self) -> str:
        numbers = ", ".join(f"{y} = {label}" for y, label in enumerate(self.labels))
        known = [(1 << i, h.words()) for i, h in enumerate(self.bits)]
        told = [(value, words) for value, words in known if words != "always 0"]
        if not told:
            return f"always {self.labels[0]}"
        bits = "; ".join(f"{value} if {words}" for value, words in told)
        above = (
            f", or {self.other} for a sum above" if len(self.labels) < 1 << len(self.bits) else ""
        )
        return f"the sum of: {bits}{above}, where {numbers}"

    def form(self) -> dict[str, object]:
        bits = [{**h.form(), "kind": type(h).__name__} for h in self.bits]
        return {"bits": bits, "other": self.other}

    @classmethod
    def from_form(
        cls, domain: Domain[Any], labels: tuple[str, ...], form: Mapping[str, Any]
    ) -> Self:
        over = domain.to_json()
        bits = tuple(Hypothesis.from_json({**h, "domain": over}) for h in form["bits"])
        try:
            return cls(domain, labels, bits, form["other"])
        except DeclarationError:
            raise ValueError from None
