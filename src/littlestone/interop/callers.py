"""Who hands over the records: an estimator is not told, so it looks up the stack.

What an ensemble gives to its members is no longer one record for one record.  Bagging repeats some and
leaves out others; voting numbers the labels by which of them occur, so that one label may change all
others.  A member cannot see it in what it is given: there, everything is data.  The functions that
call it are no data.  In a worker process it may be that none of the ensemble's own runs: so an
estimator looks up the stack where it is cloned, too, which is before.
"""

from __future__ import annotations

import inspect
from collections.abc import Collection

from littlestone.errors import DeclarationError


def refuse_as_member(host: str, trusted: Collection[str], *, fix: str) -> None:
    """Raise `DeclarationError` where a function of the package ``host`` calls that is not trusted.

    ``trusted`` are beginnings of full names, such as ``"sklearn.pipeline."``, of functions that hand
    over every record once and as it is.  All others are refused, those of later versions too.  Calls by
    other packages and by the user's own functions cannot be told apart and pass.

    >>> refuse_as_member("doctest", ["doctest."], fix="run it yourself")
    >>> refuse_as_member("doctest", [], fix="run it yourself")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    littlestone.errors.DeclarationError: cannot learn inside doctest: it may repeat, ...
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
