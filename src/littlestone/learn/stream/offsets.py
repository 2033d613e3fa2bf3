"""What a run took of each partition and of each unit, by numbers that are kept with its batches."""

from __future__ import annotations

from collections.abc import Mapping

from littlestone.points import text
from littlestone.points.units import Unit

MOST_OFFSET = 2**63 - 1
"""The largest offset, that of Kafka."""

_OFFSET_DIGITS = 19


class NumberLog:
    """A whole number for each name; `take_changes` says which ones to keep with each batch of a run."""

    def __init__(self, numbers: Mapping[str, int] = {}) -> None:
        self._numbers = dict(numbers)
        self._changed: set[str] = set()

    def _note(self, name: str, number: int) -> None:
        self._numbers[name] = number
        self._changed.add(name)

    @property
    def numbers(self) -> dict[str, int]:
        """All numbers by their names."""
        return self._numbers

    def take_changes(self) -> dict[str, int]:
        """The numbers that changed since the last call."""
        changed = {name: self._numbers[name] for name in sorted(self._changed)}
        self._changed.clear()
        return changed


class Offsets(NumberLog):
    """The highest offset that was taken of each partition.

    A delivery is new if its offset is higher than all offsets that were taken of its partition before.
    So each record is taken once at most, however often and in whatever order it is delivered.  This
    depends on partitions and offsets alone, never on what a record holds (docs/proofs/offsets.md).

    An offset is a whole number from 0 to 2^63 - 1, and a partition any text that is not empty.  A
    delivery without both is never new.

    >>> offsets = Offsets()
    >>> [offsets.is_new("0", offset) for offset in ("7", "8", "7", "9", "-1", "", "1e3")]
    [True, True, False, True, False, False, False]
    >>> offsets.again, offsets.unusable, offsets.take_changes()
    (1, 3, {'0': 9})
    """

    def __init__(self, taken: Mapping[str, int] = {}) -> None:
        super().__init__(taken)
        self.again, self.unusable = 0, 0
        """How many deliveries were not new, and how many had no usable offset or partition."""

    def is_new(self, partition: object, offset: object) -> bool:
        """Whether a delivery is new; then its offset counts as taken.  Never raises."""
        name, number = text(partition), offset_of(offset)
        if number is None or not name:
            self.unusable += 1
            return False
        # Taken once at most, in whatever order deliveries come (docs/proofs/offsets.md, Lemma 1).
        if number <= self._numbers.get(name, -1):
            self.again += 1
            return False
        self._note(name, number)
        return True


class FirstRecords(NumberLog):
    """How many records of each unit were taken, so that only the first k = ``unit.most`` count.

    Whether a record counts depends on the records of its own unit alone: on how many there were
    before, and not on what they hold (docs/proofs/units.md, Theorem 5).  A unit is known by the text
    of its value, as `Unit` says.  Memory: a number for each unit, so no more than there are records.

    >>> first = FirstRecords(Unit("patient", 2))
    >>> [first.counts(name) for name in ("ann", "bob", "ann", "ann", None, "")]
    [True, True, True, False, True, True]
    >>> first.take_changes()
    {'': 2, 'ann': 2, 'bob': 1}
    """

    def __init__(self, unit: Unit, taken: Mapping[str, int] = {}) -> None:
        super().__init__(taken)
        self._most = unit.most

    def counts(self, value: object) -> bool:
        """Whether the next record counts, which is of the unit with this value.  Never raises."""
        name = text(value)
        before = self._numbers.get(name, 0)
        # By the records of its own unit alone, so one unit's records change no other's
        # (docs/proofs/units.md, Theorem 5).
        if before >= self._most:
            return False
        self._note(name, before + 1)
        return True


def offset_of(value: object) -> int | None:
    """The offset that a value shows; None if it shows none.  Never raises.

    >>> offset_of(" 12 "), offset_of(12), offset_of(-1), offset_of("1e3"), offset_of(None)
    (12, 12, None, None, None)
    """
    shown = (value if type(value) is str else text(value)).strip()
    if len(shown) > _OFFSET_DIGITS or not (shown.isascii() and shown.isdigit()):
        return None
    number = int(shown)
    return number if number <= MOST_OFFSET else None
