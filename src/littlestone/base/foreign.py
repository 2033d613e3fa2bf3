"""Other packages: whether they are there, and their errors.

The words of these errors may quote a record, so none of them gets out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from littlestone.base.errors import LittlestoneError, OutputError, install_command


def require_package(
    module: str, asked: str, extra: str, error: type[LittlestoneError] = OutputError
) -> None:
    """Raise an ``error`` about what was ``asked`` unless a package is there; ``extra`` installs it.

    >>> require_package("json", "write a list", "plot")
    """
    try:
        import_module(module)
    except ImportError:
        fix = f"install it: {install_command(extra)}"
        raise error(asked, found=f"the package {module} is not installed", fix=fix) from None


@contextmanager
def replace_errors(
    kinds: type[BaseException] | tuple[type[BaseException], ...],
    ours: Callable[[Any], LittlestoneError],
) -> Iterator[None]:
    """Raise ``ours(error)`` in place of an error of these ``kinds``, and keep nothing of that one.

    After ``raise ... from None`` an error still has the other one as its context, which debuggers and
    reports of crashes show.  Our own errors and those that end the program pass.

    >>> from littlestone.base.errors import TableError
    >>> try:
    ...     with replace_errors(ZeroDivisionError, lambda _: TableError("go on", found="0", fix="1")):
    ...         1 / 0
    ... except TableError as error:
    ...     print(error.__context__, error.__cause__)
    None None
    """
    try:
        yield
    except (LittlestoneError, KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except kinds as error:
        replaced = ours(error)
        try:
            raise replaced from None
        finally:
            # The raise has set it; nothing sets it again on the way out.
            replaced.__context__ = None
