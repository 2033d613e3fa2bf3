"""Functions that list keys: finite sets, lookup tables, labels by public buckets, labels from bits."""

from __future__ import annotations

import base64
import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from littlestone.base.errors import DeclarationError
from littlestone.points import Domain, Product, require_list
from littlestone.rules.base import BinaryHypothesis, Hypothesis, disagreement, label_count, numbers
from littlestone.rules.languages.form import Condition, Outcome, among, case, where


@dataclass(frozen=True)
class FiniteSet(BinaryHypothesis[Any]):
    """The indicator of a finite set of points of an infinite domain: h(x) = 1[x in members].

    If ``rest`` is 1, it is the indicator of the complement: all points but the members have the label
    1.  No finite set of an infinite domain is the complement of another one, so the form is canonical.

    >>> from littlestone.points import Strings
    >>> FiniteSet(Strings("dest"), frozenset({"HNL"})).words()
    "dest is 'HNL'"
    >>> FiniteSet(Strings("dest"), frozenset({"HNL"}), 1).words()
    "dest is not 'HNL'"
    """

    domain: Domain[Any]
    members: frozenset[Any]
    rest: int = 0

    def __post_init__(self) -> None:
        # Listing a set shows the order in which it was filled, perhaps that of the records.
        object.__setattr__(self, "members", frozenset(sorted(self.members)))

    def __call__(self, x: object) -> int:
        return int(x in self.members) ^ self.rest

    def words(self) -> str:
        members = sorted(self.members)
        if not members:
            return f"always {self.rest}"
        if len(members) == 1:
            return f"{self.domain.name} is {'not ' * self.rest}{members[0]!r}"
        which = "none" if self.rest else "one"
        return f"{self.domain.name} is {which} of {', '.join(map(repr, members))}"

    def outcome(self) -> Outcome:
        return case([(among(self.domain, self.members), 1 - self.rest)], self.rest)

    def witness(self, other: Self) -> object:
        if self.rest == other.rest:
            return min(self.members ^ other.members, default=None)
        # They differ wherever both have or both lack the point, so almost everywhere.
        return next(x for x in self.domain if x not in self.members ^ other.members)

    def _change(self, labels: Mapping[Any, int]) -> Self:
        return replace(self, members=self.members.symmetric_difference(labels))

    @classmethod
    def vote(cls, voters: Sequence[Self], need: int) -> Self:
        everywhere = sum(h.rest for h in voters)
        votes = Counter[Any]()  # beyond those that a point has if no voter names it
        for h in voters:
            votes.update(dict.fromkeys(h.members, 1 - 2 * h.rest))
        rest = int(everywhere >= need)
        named = {x for h in voters for x in h.members}
        kept = (x for x in named if int(everywhere + votes[x] >= need) != rest)
        return cls(voters[0].domain, frozenset(kept), rest)

    def form(self) -> dict[str, object]:
        members = [self.domain.point_to_json(x) for x in sorted(self.members)]
        return {"members": members, "rest": 1} if self.rest else {"members": members}

    @classmethod
    def from_form(cls, domain: Domain[Any], form: Mapping[str, Any]) -> Self:
        listed, rest = form["members"], form.get("rest", 0)
        if domain.size is not None or not isinstance(listed, list) or not (rest == 0 or rest == 1):
            raise ValueError
        members = list(map(domain.point_from_json, listed))
        if any(x is None for x in members):
            raise ValueError
        return cls(domain, frozenset(members), rest)


_SHOWN = 12  # entries that the words name


@dataclass(frozen=True)
class LookupTable(Hypothesis[Any]):
    """f(x) = y for the ``entries`` (x, y), and the label 0, the default, for all other points.

    Canonical: entries of label 0 are dropped, the others form a set; so with infinitely many points
    two tables are equal iff they agree everywhere.

    >>> from littlestone.points import Strings
    >>> table = LookupTable(Strings("tailnum"), 2, frozenset({("N1", 1), ("N2", 0)}))
    >>> [table(x) for x in ("N1", "N2", "N3")], table.words_with(["UA", "AA"])
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
            return self.words_with(numbers(self.labels))
        return self._keys(sorted(x for x, _ in self.entries))

    def words_with(self, names: Sequence[str]) -> str:
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

    def _change(self, labels: Mapping[Any, int]) -> Self:
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


_MOST_NAMED = 4  # labels that the words name
_PLAIN = np.dtype(">u2")  # the form of a label in a model; there are at most 1,000 labels


def bucket_of(x: Any, bits: int) -> int:
    """The first ``bits`` <= 32 bits of SHA-256 of the point as JSON text, as a number.

    The text is ASCII and without spaces; a record of several columns is a list.  The hash has no secret
    key: anybody can find the bucket of a point, and the points of a bucket.

    >>> bucket_of("N14228", 16), bucket_of(("UA", 7), 16)
    (22541, 4639)
    """
    digest = hashlib.sha256(json.dumps(x, separators=(",", ":")).encode("ascii")).digest()
    return int.from_bytes(digest[:4], "big") >> 32 - bits


@dataclass(frozen=True)
class BucketTable(Hypothesis[Any]):
    """f(x) = given[bucket_of(x, bits)], with a label for each of the 2^bits buckets.

    Two are equal iff they give every bucket the same label.  The points are infinitely many, so every
    bucket contains one.

    >>> from littlestone.points import Strings
    >>> table = BucketTable(Strings("tailnum"), 2, (0, 1, 1, 1))
    >>> [table(x) for x in ("N1", "N3", "N4")], table.words_with(["UA", "AA"])
    ([0, 1, 1], 'by the bucket of 4 to which tailnum is hashed: AA in 3, UA in 1')
    """

    domain: Domain[Any]
    labels: int
    given: tuple[int, ...] = field(repr=False)

    @property
    def bits(self) -> int:
        """The number of bits of a bucket's number."""
        return len(self.given).bit_length() - 1

    def __call__(self, x: Any) -> int:
        return self.given[bucket_of(x, self.bits)]

    def words(self) -> str:
        return self.words_with(numbers(self.labels))

    def words_with(self, names: Sequence[str]) -> str:
        """The number of buckets of each label, for the most frequent labels."""
        found = np.bincount(self.given, minlength=self.labels).tolist()
        order = sorted(range(len(found)), key=lambda y: (-found[y], y))
        shown = [f"{names[y]} in {found[y]:,}" for y in order[:_MOST_NAMED]]
        more = ["..."] if len(order) > _MOST_NAMED else []
        of = getattr(self.domain, "name", "a record")
        return f"by the bucket of {len(self.given):,} to which {of} is hashed: " + ", ".join(
            [*shown, *more]
        )

    def witness(self, other: Self) -> Any:
        """Found by hashing points one after another, about 2^bits of them."""
        if self.given == other.given:
            return None
        return next(x for x in self.domain if self(x) != other(x))

    def form(self) -> dict[str, object]:
        packed = np.array(self.given, dtype=_PLAIN).tobytes()
        return {"labels": self.labels, "hash": "sha256", "given": base64.b64encode(packed).decode()}

    @classmethod
    def from_form(cls, domain: Domain[Any], form: Mapping[str, Any]) -> Self:
        labels = label_count(form["labels"])
        packed = base64.b64decode(form["given"], validate=True)
        given = tuple(np.frombuffer(packed, dtype=_PLAIN).tolist())
        power = len(given) > 1 and not len(given) & len(given) - 1
        if form["hash"] != "sha256" or not power or max(given) >= labels:
            raise ValueError
        return cls(domain, labels, given)


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
    >>> f.words_with(["on time", "late", "cancelled"])[:45]
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
        return self.words_with(numbers(self.labels))

    def words_with(self, names: Sequence[str]) -> str:
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
