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


def _comparer(width: int) -> Callable[..., Any]:
    word = ir.IntType(64)
    vector = ir.VectorType(word, width)

    @intrinsic  # type: ignore[untyped-decorator,unused-ignore]
    def count_between(
        typing_context: Any,
        planes: Any,
        totals: Any,
        at: Any,
        step: Any,
        levels: Any,
        total_levels: Any,
        least: Any,
        above: Any,
        rest: Any,
        split: Any,
        out: Any,
    ) -> Any:
        """How many counters have least <= here < above, and how many least <= total - here < rest.

        The two numbers share a word, the second in its upper half.  The counters of the first kind
        are marked from split[out] on, those of the second from split[out + step] on.
        """
        types_ = (planes, totals, *[types.uint64] * 7, split, types.uint64)
        signature = types.uint64(*types_)

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            planes_ = context.make_array(signature.args[0])(context, builder, arguments[0]).data
            totals_ = context.make_array(signature.args[1])(context, builder, arguments[1]).data
            at_, step_, levels_, total_levels_, least_, above_, rest_ = arguments[2:9]
            split_ = context.make_array(signature.args[9])(context, builder, arguments[9]).data

            def load(array: Any, offset: Any) -> Any:
                place = builder.bitcast(builder.gep(array, [offset]), vector.as_pointer())
                value = builder.load(place)
                value.align = 8
                return value

            def broadcast(bit: Any) -> Any:
                value = builder.sub(word(0), bit)
                single = builder.insert_element(
                    ir.Constant(vector, ir.Undefined), value, ir.IntType(32)(0)
                )
                return builder.shuffle_vector(
                    single,
                    ir.Constant(vector, ir.Undefined),
                    ir.Constant(ir.VectorType(ir.IntType(32), width), [0] * width),
                )

            zeros = ir.Constant(vector, [0] * width)

            def below(negated: Any, low: Any, bits: Any) -> Any:
                """One step of a comparison: majority of not a, low, bit of the constant."""
                both = builder.and_(negated, low)
                return builder.or_(both, builder.and_(bits, builder.or_(negated, low)))

            entry = builder.block
            head = builder.append_basic_block("compare")
            done = builder.append_basic_block("compared")
            builder.branch(head)
            builder.position_at_end(head)
            p = builder.phi(word)
            where = builder.phi(word)
            states = [builder.phi(vector) for _ in range(5)]
            p.add_incoming(word(0), entry)
            where.add_incoming(at_, entry)
            for state in states:
                state.add_incoming(zeros, entry)
            low_here, high_here, low_there, high_there, borrow = states
            inside = builder.icmp_unsigned("<", p, levels_)
            # Past the last plane of the counters: read plane 0 and forget it.
            here = load(planes_, builder.select(inside, where, at_))
            here = builder.and_(here, broadcast(builder.zext(inside, word)))
            total = load(totals_, where)
            there = builder.xor(builder.xor(total, here), borrow)
            take = builder.or_(here, borrow)
            next_borrow = builder.or_(
                builder.and_(builder.not_(total), take), builder.and_(here, borrow)
            )
            bits = [
                broadcast(builder.and_(builder.lshr(constant, p), word(1)))
                for constant in (least_, above_, rest_)
            ]
            not_here, not_there = builder.not_(here), builder.not_(there)
            following = (
                below(not_here, low_here, bits[0]),
                below(not_here, high_here, bits[1]),
                below(not_there, low_there, bits[0]),
                below(not_there, high_there, bits[2]),
                next_borrow,
            )
            next_p = builder.add(p, word(1))
            p.add_incoming(next_p, head)
            where.add_incoming(builder.add(where, step_), head)
            for state, value in zip(states, following, strict=True):
                state.add_incoming(value, head)
            builder.cbranch(builder.icmp_unsigned("<", next_p, total_levels_), head, done)
            builder.position_at_end(done)
            counts = []
            out_ = arguments[10]
            for low, high in (following[:2], following[2:4]):
                good = builder.and_(builder.not_(low), high)
                place = builder.bitcast(builder.gep(split_, [out_]), vector.as_pointer())
                builder.store(good, place).align = 8
                out_ = builder.add(out_, step_)
                count = word(0)
                for i in range(width):
                    count = builder.add(
                        count, builder.ctpop(builder.extract_element(good, ir.IntType(32)(i)))
                    )
                counts.append(count)
            return builder.or_(counts[0], builder.shl(counts[1], word(32)))

        return signature, generate

    return count_between


count_between_4 = _comparer(4)
count_between_2 = _comparer(2)
