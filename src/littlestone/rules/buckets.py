"""Labels by public buckets: a key has the label of the bucket to which it is hashed."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from littlestone.points import Domain
from littlestone.rules.base import Hypothesis, label_count, numbers

_SHOWN = 4  # labels that the words name
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
    >>> [table(x) for x in ("N1", "N3", "N4")], table.named(["UA", "AA"])
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
        return self.named(numbers(self.labels))

    def named(self, names: Sequence[str]) -> str:
        """The number of buckets of each label, for the most frequent labels."""
        found = np.bincount(self.given, minlength=self.labels).tolist()
        order = sorted(range(len(found)), key=lambda y: (-found[y], y))
        shown = [f"{names[y]} in {found[y]:,}" for y in order[:_SHOWN]]
        more = ["..."] if len(order) > _SHOWN else []
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
