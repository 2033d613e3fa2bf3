"""Rows added up for all columns at once: which columns have at least 2^m ones among some rows.

Plane p holds bit p of a counter for every column.  Sixteen rows take 15 carry-save adders (Warren,
Hacker's Delight, 5-2).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

AT_ONCE = 16  # rows


def _adder(width: int) -> Callable[..., Any]:
    word, vector = ir.IntType(64), ir.VectorType(ir.IntType(64), width)

    @intrinsic  # type: ignore[untyped-decorator,unused-ignore]
    def add(
        typing_context: Any,
        rows: Any,
        start: Any,
        first: Any,
        lane: Any,
        planes: Any,
        step: Any,
        top: Any,
    ) -> Any:
        """Add ``width`` words from ``lane`` on of 16 rows, those that begin at start[first] and so on.

        Bit p of the counters is in planes[lane + p * step].  Plane ``top`` >= 4 is not a bit: it says
        whether the counter has ever come to 2^top.
        """
        signature = types.void(rows, start, *[types.int64] * 2, planes, *[types.int64] * 2)

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            arrays = {
                i: context.make_array(signature.args[i])(context, builder, arguments[i]).data
                for i in (0, 1, 4)
            }
            first, lane, step, top = (arguments[i] for i in (2, 3, 5, 6))

            def place(array: int, offset: Any) -> Any:
                return builder.bitcast(builder.gep(arrays[array], [offset]), vector.as_pointer())

            def load(array: int, offset: Any) -> Any:
                value = builder.load(place(array, offset))
                value.align = 8
                return value

            def save(value: Any, offset: Any) -> None:
                builder.store(value, place(4, offset)).align = 8

            carries = []
            for j in range(AT_ONCE):
                begin = builder.load(builder.gep(arrays[1], [builder.add(first, word(j))]))
                carries.append(load(0, builder.add(begin, lane)))
            offset = lane
            while len(carries) > 1:
                total, above = load(4, offset), []
                for a, b in zip(carries[::2], carries[1::2], strict=True):
                    one = builder.xor(total, a)
                    above.append(builder.or_(builder.and_(total, a), builder.and_(one, b)))
                    total = builder.xor(one, b)
                save(total, offset)
                offset, carries = builder.add(offset, step), above
            last = builder.add(lane, builder.mul(top, step))
            entry, head, body, done = (
                builder.block,
                *(builder.append_basic_block(name) for name in ("carry", "ripple", "carried")),
            )
            builder.branch(head)
            builder.position_at_end(head)
            where, moving = builder.phi(word), builder.phi(vector)
            builder.cbranch(builder.icmp_signed("<", where, last), body, done)
            builder.position_at_end(body)
            old = load(4, where)
            save(builder.xor(old, moving), where)
            for phi, now, then in [
                (where, offset, builder.add(where, step)),
                (moving, carries[0], builder.and_(old, moving)),
            ]:
                phi.add_incoming(now, entry)
                phi.add_incoming(then, body)
            builder.branch(head)
            builder.position_at_end(done)
            save(builder.or_(load(4, last), moving), last)
            return context.get_dummy_value()

        return signature, generate

    return add


add_rows_4 = _adder(4)
add_rows_8 = _adder(8)
