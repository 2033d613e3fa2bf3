"""Transposing four blocks of 64 x 64 bits at a time, as eight times eight registers of 256 bits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types, uint64, void
from numba.extending import intrinsic
from numpy.typing import NDArray

from littlestone.dimension.engine.compiling import Index, part

_MASKS = {
    32: 0x00000000FFFFFFFF,
    16: 0x0000FFFF0000FFFF,
    8: 0x00FF00FF00FF00FF,
    4: 0x0F0F0F0F0F0F0F0F,
    2: 0x3333333333333333,
    1: 0x5555555555555555,
}
WIDE = 4  # blocks side by side


def _butterfly(gap: Index) -> Callable[..., Any]:
    """Three stages on the eight vectors at block[4 * (first + gap * i)], i = 0, ..., 7."""
    word = ir.IntType(64)
    vector = ir.VectorType(word, WIDE)

    @intrinsic  # type: ignore[untyped-decorator,unused-ignore]
    def stages(typing_context: Any, block: Any, first: Any) -> Any:
        signature = types.void(block, types.uint64)

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
            base = builder.mul(arguments[1], word(WIDE))
            places = [
                builder.bitcast(
                    builder.gep(data, [builder.add(base, word(WIDE * gap * i))]),
                    vector.as_pointer(),
                )
                for i in range(8)
            ]
            rows = []
            for place in places:
                row = builder.load(place)
                row.align = 8
                rows.append(row)
            for distance in (4, 2, 1):
                shift = distance * gap
                mask = vector([_MASKS[shift]] * WIDE)
                by = vector([shift] * WIDE)
                for i in range(8):
                    if i & distance == 0:
                        low, high = rows[i], rows[i + distance]
                        swap = builder.and_(builder.xor(builder.lshr(low, by), high), mask)
                        rows[i + distance] = builder.xor(high, swap)
                        rows[i] = builder.xor(low, builder.shl(swap, by))
            for place, row in zip(places, rows, strict=True):
                builder.store(row, place).align = 8
            return context.get_dummy_value()

        return signature, generate

    return stages


_far = _butterfly(8)
_near = _butterfly(1)


@part(void(uint64[::1]))
def transpose(block: NDArray[np.uint64]) -> None:
    """Transpose in place: bit c of word 4 r + b becomes bit r of word 4 c + b; r, c < 64, b < 4."""
    for i in range(np.uint64(0), np.uint64(8), np.uint64(1)):
        _far(block, i)
    for i in range(np.uint64(0), np.uint64(64), np.uint64(8)):
        _near(block, i)
