"""A prediction that only the owner of its record may see; nothing shows it by accident."""

from __future__ import annotations

from typing import NoReturn, final

from littlestone.base.errors import DeclarationError


@final
class OwnPrediction:
    """A label for the owner of one record, which only `reveal_to_owner` returns.

    Printing, formatting, logging and JSON do not show it.  Comparing, using it as a truth value,
    pickling and copying raise `DeclarationError`, whatever the label is.

    >>> prediction = OwnPrediction(1)
    >>> prediction
    OwnPrediction(hidden)
    >>> prediction.reveal_to_owner()
    1
    """

    __slots__ = ("_label",)

    def __init__(self, label: int) -> None:
        self._label = label

    def reveal_to_owner(self) -> int:
        """The label.  Give it to the owner of the record, and to nobody who may not know its point.

        For others it is not a private release: it may reveal the point of the record.
        """
        return self._label

    def __repr__(self) -> str:
        return "OwnPrediction(hidden)"

    def __eq__(self, other: object) -> NoReturn:
        # Every act that would show the label to somebody else is refused, whatever the label is.
        self._refuse("compare")

    def __bool__(self) -> NoReturn:
        self._refuse("ask for the truth of")

    def __reduce__(self) -> NoReturn:
        self._refuse("copy or pickle")

    def _refuse(self, act: str) -> NoReturn:
        raise DeclarationError(
            f"{act} a prediction",
            found="it is for the owner of its record alone",
            fix="take the label by reveal_to_owner(), and give it to that owner only",
        )
