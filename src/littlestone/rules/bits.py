"""Functions that compose the number of a label from its bits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from littlestone.base.errors import DeclarationError
from littlestone.points import Domain, require_list
from littlestone.rules.base import Hypothesis, disagreement, label_count, numbers
from littlestone.rules.languages.form import Condition, Outcome, case, where


@dataclass(frozen=True)
class BitFunction(Hypothesis[Any]):
    """f(x) = sum over i of 2^i h_i(x), or the label ``other`` if the sum is above k.

    ``labels`` is k + 1; ``bits`` are h_0, ..., h_(b-1), the least significant bit first,
    b = ceil(log2(k + 1)).  Equal iff the bits and ``other`` are: functions that differ only above k are
    told apart.  Raises `DeclarationError` for another number of bits, bits on another domain, or an
    illegal ``other``.

    >>> from littlestone.points import Strings
    >>> from littlestone.rules import FiniteSet
    >>> D = Strings("tail")
    >>> f = BitFunction(D, 3, (FiniteSet(D, frozenset("ab")), FiniteSet(D, frozenset("bc"))))
    >>> [f(x) for x in "abcd"]
    [1, 0, 2, 0]
    >>> f.named(["on time", "late", "cancelled"])[:45]
    "the sum of: 1 if tail is one of 'a', 'b'; 2 i"
    """

    canonical = False

    domain: Domain[Any]
    labels: int
    bits: tuple[Hypothesis[Any], ...]
    other: int = 0

    def __post_init__(self) -> None:
        b = (self.labels - 1).bit_length()
        legal = all(h.domain == self.domain and h.labels == 2 for h in self.bits)
        if len(self.bits) != b or not legal:
            found, fix = f"it takes {b} bits on {self.domain}", "give one hypothesis a bit"
        elif type(self.other) is not int or not 0 <= self.other < self.labels:
            found, fix = "the label of codes above k is not a label", "give the number of a label"
        else:
            return
        asked = f"put {self.labels} labels together from {len(self.bits)} bits"
        raise DeclarationError(asked, found=found, fix=fix)

    def __call__(self, x: Any) -> int:
        code = sum(h(x) << i for i, h in enumerate(self.bits))
        return code if code < self.labels else self.other

    def words(self) -> str:
        return self.named(numbers(self.labels))

    def named(self, names: Sequence[str]) -> str:
        numbers = ", ".join(f"{y} = {label}" for y, label in enumerate(names))
        known = [(1 << i, h.words()) for i, h in enumerate(self.bits)]
        told = [(value, words) for value, words in known if words != "always 0"]
        if not told:
            return f"always {names[0]}"
        bits = "; ".join(f"{value} if {words}" for value, words in told)
        above = f", or {self.other} for a sum above" if self.labels < 1 << len(self.bits) else ""
        return f"the sum of: {bits}{above}, where {numbers}"

    def outcome(self) -> Outcome:
        return self._outcome([where(h.outcome(), 1) for h in self.bits], 0)

    def _outcome(self, bits: list[Condition], code: int) -> Outcome:
        """The label of a code whose higher bits are known, and these are not."""
        if not bits:
            return code if code < self.labels else self.other
        *lower, bit = bits
        one = self._outcome(lower, code | 1 << len(lower))
        return case([(bit, one)], self._outcome(lower, code))

    def witness(self, other: Self) -> Any:
        """A point where a bit and the label differ; None if none is found."""
        found = (disagreement(h, g) for h, g in zip(self.bits, other.bits, strict=True))
        return next((x for x in found if x is not None and self(x) != other(x)), None)

    def form(self) -> dict[str, object]:
        bits = [{**h.form(), "kind": type(h).__name__} for h in self.bits]
        return {"labels": self.labels, "bits": bits, "other": self.other}

    @classmethod
    def from_form(cls, domain: Domain[Any], form: Mapping[str, Any]) -> Self:
        over = domain.to_json()
        bits = tuple(
            Hypothesis.from_json({**h, "domain": over}) for h in require_list(form["bits"])
        )
        try:
            return cls(domain, label_count(form["labels"]), bits, form["other"])
        except DeclarationError:
            raise ValueError from None
