"""How the kernels are compiled: explicit signatures, kept on disk, without the interpreter's lock."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias, TypeVar, cast

from numba import config, njit, types
from numba.extending import intrinsic

Function = TypeVar("Function", bound=Callable[..., Any])

# The scalars of compiled code; numpy's types for them do not mix with int in a type checker's eyes.
Word: TypeAlias = Any  # uint64
Index: TypeAlias = Any  # int64


def compiled(signature: Any, *, bare: bool = False) -> Callable[[Function], Function]:
    """Compile a kernel for one signature at import, or load it from the cache of an earlier run.

    Where nothing can be kept, as in an installation that is read-only for a user without a home,
    it is compiled in every process anew.  A ``bare`` kernel makes no arrays of its own, which spares
    the compiler their reference counts.
    """

    def compile_(function: Function) -> Function:
        def kernel(*, cache: bool) -> Function:
            options: dict[str, Any] = {"cache": cache, "nogil": True, "_nrt": not bare}
            return cast(Function, njit(signature, **options)(function))

        try:
            return kernel(cache=True)
        except (RuntimeError, OSError):  # no folder that can be written, or a full disk
            return kernel(cache=False)

    return compile_


@contextmanager
def _lightly_optimised() -> Iterator[None]:
    """Spend little on what is compiled here: the kernel that it becomes part of is optimised in full.

    The types of a kernel are being inferred, so this thread holds the compiler's lock.
    """
    settings: Any = config
    full = settings.OPT
    settings.OPT = type(full)(1)
    try:
        yield
    finally:
        settings.OPT = full


def part(signature: Any, *, inline: bool = False) -> Callable[[Function], Function]:
    """A part of kernels, bare and for them only: compiled with the first kernel that calls it.

    So nothing of it is loaded or kept where the kernel is found in the cache.  Passing the working
    memory to a function costs a hundred instructions: inline what is small.
    """

    def compile_(function: Function) -> Function:
        options: dict[str, Any] = {
            "nogil": True,
            "forceinline": inline,
            "no_cpython_wrapper": True,
            "no_cfunc_wrapper": True,
            "_nrt": False,
        }
        dispatcher: Any = njit(**options)(function)
        find = dispatcher.get_call_template

        def compiled_first(args: Any, kws: Any) -> Any:
            if not dispatcher.overloads:
                with _lightly_optimised():
                    dispatcher.compile(signature)
                dispatcher.disable_compile()
            return find(args, kws)

        dispatcher.get_call_template = compiled_first
        return cast(Function, dispatcher)

    return compile_


@intrinsic  # type: ignore[untyped-decorator,unused-ignore]
def _popcount(typing_context: Any, word: Any) -> Any:
    """Number of ones of a 64-bit word."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), generate


@intrinsic  # type: ignore[untyped-decorator,unused-ignore]
def _trailing_zeros(typing_context: Any, word: Any) -> Any:
    """Index of the lowest one of a nonzero 64-bit word."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], context.get_constant(types.boolean, True))

    return types.uint64(types.uint64), generate


popcount = cast(Callable[[Word], Word], _popcount)
trailing_zeros = cast(Callable[[Word], Word], _trailing_zeros)
