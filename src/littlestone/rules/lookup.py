"""Lookup tables: some keys have their own label, and all others have the first label."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

from littlestone.points import Domain, Product, require_list
from littlestone.rules.base import Hypothesis, label_count, numbers
from littlestone.rules.languages.form import Outcome, case
from littlestone.rules.languages.regions import among

_SHOWN = 12  # entries that the words name


@dataclass(frozen=True)
class LookupTable(Hypothesis[Any]):
    """f(x) = y for the ``entries`` (x, y), and the label 0, the default, for all other points.

    Canonical: entries of label 0 are dropped, the others form a set; so with infinitely many points
    two tables are equal iff they agree everywhere.

    >>> from littlestone.points import Strings
    >>> table = LookupTable(Strings("tailnum"), 2, frozenset({("N1", 1), ("N2", 0)}))
    >>> [table(x) for x in ("N1", "N2", "N3")], table.named(["UA", "AA"])
    ([1, 0, 0], "AA if tailnum is 'N1', else UA")
    """

    domain: Domain[Any]
    labels: int
    entries: frozenset[tuple[Any, int]] = field(repr=False)

    def __post_init__(self) -> None:
        # Listing a set shows the order in which it was filled, perhaps that of the records.
        kept = sorted(entry for entry in self.entries if entry[1])
        object.__setattr__(self, "entries", frozenset(kept))

    @cached_property
    def _label(self) -> dict[Any, int]:
        return dict(sorted(self.entries))

    def __call__(self, x: Any) -> int:
        return self._label.get(x, 0)

    def words(self) -> str:
        if self.labels > 2 or not self.entries:
            return self.named(numbers(self.labels))
        return self._keys(sorted(x for x, _ in self.entries))

    def named(self, names: Sequence[str]) -> str:
        """The entries label by label; for a long table only the first ones."""
        default = names[0]
        if not self.entries:
            return f"always {default}"
        keys: dict[int, list[Any]] = {}
        for x, y in sorted(self.entries, key=lambda entry: (entry[1], entry[0]))[:_SHOWN]:
            keys.setdefault(y, []).append(x)
        shown = [f"{names[y]} if {self._keys(listed)}" for y, listed in keys.items()]
        left = len(self.entries) - _SHOWN
        more = [f"({left:,} entries more)"] if left > 0 else []
        return f"{'; '.join([*shown, *more])}, else {default}"

    def _keys(self, keys: list[Any]) -> str:
        if isinstance(self.domain, Product):
            return " or ".join(f"({self.domain.words(x)})" for x in keys)
        listed = ", ".join(map(repr, keys))
        return f"{self.domain.name} is {'' if len(keys) == 1 else 'one of '}{listed}"

    def outcome(self) -> Outcome:
        keys: dict[int, list[Any]] = {}
        for x, y in sorted(self.entries, key=lambda entry: (entry[1], entry[0])):
            keys.setdefault(y, []).append(x)
        return case([(among(self.domain, listed), y) for y, listed in keys.items()], 0)

    def witness(self, other: Self) -> Any:
        return min((x for x, _ in self.entries ^ other.entries), default=None)

    def _changed(self, labels: Mapping[Any, int]) -> Self:
        kept = {entry for entry in self.entries if entry[0] not in labels}
        return replace(self, entries=frozenset(kept.union(labels.items())))

    def form(self) -> dict[str, object]:
        entries = [[self.domain.point_to_json(x), y] for x, y in sorted(self.entries)]
        return {"labels": self.labels, "entries": entries}

    @classmethod
    def from_form(cls, domain: Domain[Any], form: Mapping[str, Any]) -> Self:
        labels = label_count(form["labels"])
        entries = [(domain.point_from_json(x), y) for x, y in require_list(form["entries"])]
        legal = all(x is not None and type(y) is int and 0 < y < labels for x, y in entries)
        once = len({x for x, _ in entries}) == len(entries)
        if domain.size is not None or not legal or not once:
            raise ValueError
        return cls(domain, labels, frozenset(entries))
