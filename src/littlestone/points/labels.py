"""Label numbers, and the names that a declaration gives them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, Set

from littlestone.base.errors import DeclarationError, show_value
from littlestone.points import number, text

MOST_LABELS = 1000


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:  # half of a surrogate pair, or bytes that the terminal cannot decode
        return False
    return True


def check_labels(labels: Iterable[str]) -> tuple[str, ...]:
    """The labels 0, ..., k in their declared order; `DeclarationError` unless there are 2 to 1,000.

    The labels are distinct texts.  No name is empty, because an empty text is a missing value, and no
    two are the same number.

    >>> check_labels(["on time", "late", "cancelled"])
    ('on time', 'late', 'cancelled')
    """
    found = tuple(labels) if isinstance(labels, Iterable) else ()
    ordered = not isinstance(labels, str | Set)
    texts = all(isinstance(label, str) and label and _is_unicode(label) for label in found)
    if not ordered or len(found) < 2 or not texts or len(set(found)) < len(found):
        alone = len(found) == 1 and str(found[0]).isdecimal()
        raise DeclarationError(
            f"declare {len(found)} label{'' if len(found) == 1 else 's'}",
            found='labels are 2 or more texts in a list ("1", not 1), none empty or named twice',
            fix="name the labels, such as 0,1,2, and not their number"
            if alone
            else 'give a list such as ["on time", "late", "cancelled"]; on the command line '
            "--labels 'on time,late,cancelled'",
        )
    if len(found) > MOST_LABELS:
        raise DeclarationError(
            f"declare {len(found):,} labels",
            found=f"there may be {MOST_LABELS:,}, as every point has a count for each",
            fix="name the labels that matter; every other value counts as the default",
        )
    values = [value for value in map(number, found) if value is not None]
    if len(set(values)) < len(values):
        raise DeclarationError(
            f"declare {len(found)} labels",
            found="two of them are the same number, such as 1 and 1.0, or 1 and true",
            fix="name each number once",
        )
    return tuple(map(text, found))


def require_labels(labels: object) -> int:
    """``labels``; `DeclarationError` unless it is a number of labels, from 2 to 1,000.

    >>> require_labels(2)
    2
    """
    if type(labels) is not int or not 2 <= labels <= MOST_LABELS:
        raise DeclarationError(
            f"use {show_value(labels)} as the number of labels",
            found=f"a number of labels is a whole number from 2 to {MOST_LABELS:,}",
            fix="give a number such as 2",
        )
    return labels


def label_number(labels: Sequence[str], default: int = 0) -> Callable[[object], int]:
    """A function from a table value to the number of its label, or ``default`` if it shows none.

    A value shows the label equal to its text, or else the label equal to its number: 1, 1.0, "1.0"
    and True show the label "1".  Decimals are exact, and the function never raises.

    >>> number_of = label_number(["other", "1", "HA"])
    >>> [number_of(value) for value in ("HA", 1.0, True, "1.00", " HA", None)]
    [2, 1, 1, 1, 0, 0]
    """
    by_text = {label: y for y, label in enumerate(labels)}
    by_value = {value: y for label, y in by_text.items() if (value := number(label)) is not None}

    def number_of(value: object) -> int:
        found = by_text.get(text(value))
        if found is None and by_value and (shown := number(value)) is not None:
            found = by_value.get(shown)
        return default if found is None else found

    return number_of


def require_label(y: object, labels: int = 2) -> None:
    """Raise `DeclarationError` unless ``y`` is one of the ``labels`` numbers 0, 1, ..., k.

    >>> require_label(1)
    """
    if y not in range(labels):
        legal = "0 or 1" if labels == 2 else f"one of 0..{labels - 1}"
        raise DeclarationError(
            "use an object as a label", found=f"a label is {legal}", fix=f"give {legal}"
        )
