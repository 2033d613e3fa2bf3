"""The numbers in the text of a refutation graph; docs/certificate-format.md explains them."""

from __future__ import annotations

from collections.abc import Iterator

# A word of a claim: the end of its steps, or a step about a side of a column.
END, END_SHAPE, STEP = range(3)  # STEP + 2 * column + side

# The kinds of steps.
CHILD, INSIDE, SUBSET, SHAPE, UNDER_GROUP = range(5)


def numbers(data: bytes, at: int = 0) -> Iterator[tuple[int, int]]:
    """The numbers of seven bits to a byte, the lowest first, each with the place after it."""
    while True:
        total = 0
        for shift in range(0, 63, 7):
            if at >= len(data):
                return
            byte = data[at]
            at += 1
            total |= (byte & 127) << shift
            if byte < 128:
                break
        else:
            return
        yield total, at


def written(number: int) -> bytes:
    """Seven bits to a byte, the lowest first."""
    out = bytearray()
    while number >= 128:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])
