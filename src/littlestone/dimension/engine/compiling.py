"""How the kernels are compiled: explicit signatures, kept on disk, without the interpreter's lock."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit, types
from numba.extending import intrinsic

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(signature: Any) -> Callable[[Function], Function]:
    """Compile a kernel for one signature at import, or load it from the cache of an earlier run."""

    def compile_(function: Function) -> Function:
        return cast(Function, njit(signature, cache=True, nogil=True)(function))

    return compile_


@intrinsic  # type: ignore[untyped-decorator,unused-ignore]
def popcount(typing_context: Any, word: Any) -> Any:
    """Number of ones of a 64-bit word."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), generate


@intrinsic  # type: ignore[untyped-decorator,unused-ignore]
def trailing_zeros(typing_context: Any, word: Any) -> Any:
    """Index of the lowest one of a nonzero 64-bit word."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], context.get_constant(types.boolean, True))

    return types.uint64(types.uint64), generate
