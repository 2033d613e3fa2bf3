"""Working memory in compiled code: one pointer to a table of its arrays, whatever their number.

As a tuple, 30 arrays are 200 arguments of every call and 200 registers to keep at every use.
"""

from __future__ import annotations

from typing import Any, TypeVar, cast

import numpy as np
from llvmlite import ir
from numba import typeof, types
from numba.core import cgutils
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    NativeValue,
    infer_getattr,
    lower_getattr_generic,
    models,
    register_model,
    typeof_impl,
    unbox,
)
from numba.np.arrayobj import populate_array

Tuple = TypeVar("Tuple", bound=tuple[Any, ...])

_WORD = ir.IntType(64)


class Memory(types.Type):  # type: ignore[misc,unused-ignore]
    """The type of a pointer to the ``places`` of a named tuple of arrays; see `placed`."""

    def __init__(self, title: str, arrays: tuple[tuple[str, Any], ...]) -> None:
        self.arrays, self.places, words = dict(arrays), {}, 0
        for name, array in arrays:
            self.places[name] = words
            words += 1 + array.ndim
        listed = ", ".join(f"{name}: {array}" for name, array in arrays)
        super().__init__(f"Memory {title}({listed})")


def placed(arrays: Tuple) -> Tuple:
    """A named tuple of C-contiguous arrays with its last field, ``places``, made of the others.

    It holds where each array begins, and its shape.
    """
    words = [word for a in arrays[:-1] for word in (a.ctypes.data, *a.shape)]
    made: Tuple = arrays._replace(places=np.array(words, np.uint64))  # type: ignore[attr-defined]
    return made


def memory(example: Any) -> Memory:
    """The compiled type of a named tuple's class, from one that is `placed`.

    The class has an ``address``, the one of its ``places``.
    """
    cls = type(example)
    typed, register = cast(Any, typeof), cast(Any, typeof_impl).register
    made = Memory(
        cls.__name__, tuple((name, typed(getattr(example, name))) for name in cls._fields[:-1])
    )
    register(cls)(lambda value, context: made)
    return made


register_model(Memory)(models.OpaqueModel)


@unbox(Memory)  # type: ignore[untyped-decorator,no-untyped-call,unused-ignore]
def _pointer(typ: Any, value: Any, c: Any) -> Any:
    """The address of the places, which the tuple keeps alive."""
    number = c.pyapi.object_getattr_string(value, "address")
    address = c.pyapi.long_as_ulonglong(number)
    c.pyapi.decref(number)
    pointer = c.builder.inttoptr(address, cgutils.voidptr_t)
    return NativeValue(pointer)  # type: ignore[no-untyped-call,unused-ignore]


@infer_getattr
class _Attributes(AttributeTemplate):  # type: ignore[misc,no-untyped-call,unused-ignore]
    key = Memory

    def generic_resolve(self, typ: Any, name: str) -> Any:  # type: ignore[override,unused-ignore]
        return typ.arrays.get(name)


@lower_getattr_generic(Memory)  # type: ignore[untyped-decorator,no-untyped-call,unused-ignore]
def _array(context: Any, builder: Any, typ: Any, value: Any, name: str) -> Any:
    """The array of that name, read from the places."""
    array, never_written = typ.arrays[name], builder.module.add_metadata([])
    made = context.make_array(array)(context, builder)
    size = context.get_abi_sizeof(context.get_data_type(array.dtype))

    def entry(i: int, kind: Any) -> Any:
        words = builder.bitcast(value, kind.as_pointer())
        read = builder.load(builder.gep(words, [_WORD(typ.places[name] + i)]))
        read.set_metadata("invariant.load", never_written)
        return read

    shape = [entry(1 + i, _WORD) for i in range(array.ndim)]
    strides = [_WORD(size)]
    for length in shape[:0:-1]:
        strides.insert(0, builder.mul(strides[0], length))
    data = entry(0, made.data.type)
    populate_array(  # type: ignore[no-untyped-call,unused-ignore]
        made, data, shape, strides, size, None
    )
    return made._getvalue()
