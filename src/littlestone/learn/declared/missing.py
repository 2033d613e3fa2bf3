"""Everything that a task still needs, in one error."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from littlestone.base.errors import DeclarationError

if TYPE_CHECKING:
    from littlestone.learn.declared.schema import Schema

OPTIONS = {
    "target": "--target readmitted",
    "positive": "--positive yes",
    "class": "--class 'trees(age: 0..120 step 5, ward in {ICU, ER}; depth 2)'",
    "above": "--above 0.3",
    "epsilon": "--epsilon 1",
}
"""An example of each option that may be missing."""

ARGUMENTS = {
    "target": 'target="readmitted",',
    "positive": 'positive="yes",',
    "class": 'hypotheses="trees(age: 0..120 step 5, ward in {ICU, ER}; depth 2)",',
    "epsilon": "epsilon=1,",
    "ledger": 'ledger="visits.ledger"',
}
"""An example of each argument of `fit` that may be missing."""


def require_told(
    asked: str,
    schema: Schema | None,
    target: object,
    meaning: object,
    given: Mapping[str, object],
    examples: Mapping[str, str],
) -> None:
    """Raise one `DeclarationError` that names everything that is missing, each with an example.

    ``meaning`` says which values of the target are positive, or lists labels.  ``given`` are the other
    declarations by name, and the ``examples`` are written as the caller writes them.  A schema may say
    the target and its meaning, and makes a class needless.

    >>> require_told("learn", None, "late", 1, {"epsilon": None}, {"epsilon": "--epsilon 1"})
    Traceback (most recent call last):
    littlestone.base.errors.DeclarationError: cannot learn: epsilon is missing
    to fix it: add --epsilon 1
    """
    told = dict(given)
    column, says = target, meaning
    if schema is not None:
        column = schema.target if target is None else target
        if says is None and column == schema.target:
            says = schema.positive if schema.positive is not None else (schema.labels or None)
        told.pop("class", None)
        if says is None and isinstance(column, str) and column not in schema.class_columns().texts:
            says = column  # the schema itself says which names are alike
    told = {"target": column, "positive": says, **told}
    missing = [name for name in examples if name in told and told[name] is None]
    if missing:
        *first, last = missing
        names = f"{', '.join(first)} and {last}" if first else last
        raise DeclarationError(
            asked,
            found=f"{names} {'are' if first else 'is'} missing",
            fix=f"add {' '.join(examples[name] for name in missing)}",
        )
