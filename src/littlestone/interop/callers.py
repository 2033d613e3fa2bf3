"""Find out who hands over the records, by looking at the call stack.

An ensemble changes the records that it gives to its members.  Bagging repeats some records and leaves
out others.  Voting numbers the labels by which of them occur, so one label may change all others.  A
member cannot see this in the records, because everything there is data, but it can see the functions
that call it.  In a worker process the ensemble's own functions may be missing from the stack.  So an
estimator also looks at the stack when it is cloned, which happens earlier.
"""

from __future__ import annotations

import inspect
from collections.abc import Collection

from littlestone.base.errors import DeclarationError


def refuse_as_member(host: str, trusted: Collection[str], *, fix: str) -> None:
    """Raise `DeclarationError` if an untrusted function of the package ``host`` is a caller.

    ``trusted`` holds prefixes of full names, such as ``"sklearn.pipeline."``, of functions that hand
    over every record once and unchanged.  All other functions of the host are refused, also those of
    later versions.  Calls by other packages and by the user's own functions pass, because they cannot
    be told apart.

    >>> refuse_as_member("doctest", ["doctest."], fix="run it yourself")
    >>> refuse_as_member("doctest", [], fix="run it yourself")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    littlestone.base.errors.DeclarationError: cannot learn inside doctest: it may repeat, ...
    to fix it: run it yourself
    """
    frame = inspect.currentframe()
    while frame is not None:
        module = str(frame.f_globals.get("__name__", ""))
        name = f"{module}.{frame.f_code.co_qualname}"
        if module.split(".")[0] == host and not name.startswith(tuple(trusted)):
            raise DeclarationError(
                f"learn inside {module}",
                found="it may repeat, leave out, choose or renumber records by what other records "
                "hold, which no budget covers",
                fix=fix,
            )
        frame = frame.f_back
