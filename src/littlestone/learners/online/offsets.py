"""Which deliveries of a source that may deliver a record again are new, by their offsets alone."""

from __future__ import annotations

from collections.abc import Mapping

from littlestone.domains import text

MOST_OFFSET = 2**63 - 1
"""The largest offset, that of Kafka."""

_DIGITS = 19


class Offsets:
    """The highest offset that was taken of each partition.

    A delivery is new if its offset is higher than all offsets that were taken of its partition before.
    So each record is taken once at most, however often and in whatever order it is delivered.  This
    depends on partitions and offsets alone, never on what a record holds (docs/proofs/offsets.md).

    An offset is a whole number from 0 to 2^63 - 1, and a partition any text that is not empty.  A
    delivery without both is never new.

    >>> offsets = Offsets()
    >>> [offsets.is_new("0", offset) for offset in ("7", "8", "7", "9", "-1", "", "1e3")]
    [True, True, False, True, False, False, False]
    >>> offsets.again, offsets.unusable, offsets.changed()
    (1, 3, {'0': 9})
    """

    def __init__(self, taken: Mapping[str, int] = {}) -> None:
        self._highest = dict(taken)
        self._changed: set[str] = set()
        self.again, self.unusable = 0, 0
        """How many deliveries were not new, and how many had no usable offset or partition."""

    def is_new(self, partition: object, offset: object) -> bool:
        """Whether a delivery is new; then its offset counts as taken.  Never raises."""
        name, number = text(partition), offset_of(offset)
        if number is None or not name:
            self.unusable += 1
            return False
        if number <= self._highest.get(name, -1):
            self.again += 1
            return False
        self._highest[name] = number
        self._changed.add(name)
        return True

    def changed(self) -> dict[str, int]:
        """The highest offsets of the partitions of which something was taken since the last call."""
        changed = {name: self._highest[name] for name in sorted(self._changed)}
        self._changed.clear()
        return changed


def offset_of(value: object) -> int | None:
    """The offset that a value shows; None if it shows none.  Never raises.

    >>> offset_of(" 12 "), offset_of(12), offset_of(-1), offset_of("1e3"), offset_of(None)
    (12, 12, None, None, None)
    """
    shown = (value if type(value) is str else text(value)).strip()
    if len(shown) > _DIGITS or not (shown.isascii() and shown.isdigit()):
        return None
    number = int(shown)
    return number if number <= MOST_OFFSET else None
