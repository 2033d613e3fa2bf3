"""Counting in slices: 16 rows of bits are added to counters that lie across words, plane by plane.

Plane p holds bit p of a counter for every column, so that one instruction on 256 bits serves 256
columns.  Sixteen rows take 15 carry-save adders (Harley and Seal; Warren, Hacker's Delight, 5-2).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic


def _adder(width: int) -> Callable[..., Any]:
    vector = ir.VectorType(ir.IntType(64), width)

    @intrinsic  # type: ignore[untyped-decorator,unused-ignore]
    def add_sixteen(
        typing_context: Any,
        rows: Any,
        start: Any,
        stride: Any,
        index: Any,
        first: Any,
        planes: Any,
        at: Any,
        step: Any,
        count: Any,
    ) -> Any:
        """Add the rows index[first : first + 16] to the counters at planes[at + p * step].

        Row r begins at rows[start + r * stride]; there are ``count`` > 4 planes.
        """
        word = types.uint64
        signature = types.void(rows, word, word, index, word, planes, word, word, word)

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            rows_, start_, stride_, index_, first_, planes_, at_, step_, count_ = arguments
            data = [
                context.make_array(kind)(context, builder, value).data
                for kind, value in zip(
                    (signature.args[0], signature.args[3], signature.args[5]),
                    (rows_, index_, planes_),
                    strict=True,
                )
            ]

            def place(array: Any, offset: Any) -> Any:
                return builder.bitcast(builder.gep(array, [offset]), vector.as_pointer())

            def load(array: Any, offset: Any) -> Any:
                value = builder.load(place(array, offset))
                value.align = 8
                return value

            def save(value: Any, array: Any, offset: Any) -> None:
                builder.store(value, place(array, offset)).align = 8

            def add(a: Any, b: Any, c: Any) -> tuple[Any, Any]:
                """Carry and sum of three bits."""
                u = builder.xor(a, b)
                return builder.or_(builder.and_(a, b), builder.and_(u, c)), builder.xor(u, c)

            word_type = ir.IntType(64)
            carries = []
            for j in range(16):
                r = builder.load(builder.gep(data[1], [builder.add(first_, word_type(j))]))
                r = builder.zext(r, word_type)
                carries.append(load(data[0], builder.add(start_, builder.mul(r, stride_))))
            offset = at_
            for _ in range(4):
                total = load(data[2], offset)
                above = []
                for a, b in zip(carries[::2], carries[1::2], strict=True):
                    carry, total = add(total, a, b)
                    above.append(carry)
                save(total, data[2], offset)
                offset = builder.add(offset, step_)
                carries = above
            carry = carries[0]
            entry = builder.block
            head = builder.append_basic_block("ripple")
            done = builder.append_basic_block("rippled")
            end = builder.add(at_, builder.mul(step_, count_))
            builder.branch(head)
            builder.position_at_end(head)
            where = builder.phi(word_type)
            moving = builder.phi(vector)
            where.add_incoming(offset, entry)
            moving.add_incoming(carry, entry)
            old = load(data[2], where)
            save(builder.xor(old, moving), data[2], where)
            after = builder.and_(old, moving)
            following = builder.add(where, step_)
            where.add_incoming(following, head)
            moving.add_incoming(after, head)
            builder.cbranch(builder.icmp_unsigned("<", following, end), head, done)
            builder.position_at_end(done)
            return context.get_dummy_value()

        return signature, generate

    return add_sixteen


add_sixteen_4 = _adder(4)
add_sixteen_2 = _adder(2)
